/* Physical memory protection: sixteen entries, granularity four bytes.
 *
 * Guarantees the matching rule of the manual: the lowest-numbered entry that matches any byte of an
 * access must match all of it, and decides alone. Source: Privileged Architecture 20240411, 3.7. */
#include "isa/csr.h"

#define ADDRESS_BITS 54     /* bits of pmpaddr: physical address bits 55:2 */
enum { PMP_RWX = PMP_R | PMP_W | PMP_X };

struct range {
    uint64_t start, end;    /* end is exclusive; a TOR entry may be empty: start >= end */
};

/* The bytes an entry that is not OFF matches. */
static struct range entry_range(const struct hart *hart, unsigned entry)
{
    uint64_t address = hart->pmpaddr[entry];
    switch (hart->pmpcfg[entry] & PMP_MODE) {
    case PMP_TOR: {
        uint64_t start = entry == 0 ? 0 : hart->pmpaddr[entry - 1] << 2;
        return (struct range){start, address << 2};
    }
    case PMP_NA4:
        return (struct range){address << 2, (address << 2) + 4};
    default: {
        uint64_t below = address ^ (address + 1);   /* mask of the trailing ones and the zero above
                                                     * them */
        uint64_t start = (address & ~below) << 2;
        return (struct range){start, start + ((below + 1) << 2)};
    }
    }
}

static uint8_t needed_permission(unsigned access)
{
    static const uint8_t permission[3] = {PMP_X, PMP_R, PMP_W};
    return permission[access];
}

bool pmp_allows(const struct hart *hart, uint64_t pa, unsigned size, unsigned access, unsigned priv)
{
    for (unsigned entry = 0; entry < hart->pmp_active; entry++) {
        uint8_t config = hart->pmpcfg[entry];
        if ((config & PMP_MODE) == 0) {
            continue;
        }
        struct range range = entry_range(hart, entry);
        bool is_empty = range.start >= range.end;
        if (is_empty || pa >= range.end || pa + size <= range.start) {
            continue;
        }
        if (pa < range.start || pa + size > range.end) {
            return false;
        }
        return (priv == PRIV_M && !(config & PMP_LOCK)) || (config & needed_permission(access));
    }
    return priv == PRIV_M;
}

uint64_t pmp_read_config(const struct hart *hart, unsigned first)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value |= (uint64_t)hart->pmpcfg[first + i] << (8 * i);
    }
    return value;
}

static void count_active(struct hart *hart)
{
    hart->pmp_active = 0;
    for (unsigned entry = 0; entry < PMP_COUNT; entry++) {
        if (hart->pmpcfg[entry] & PMP_MODE) {
            hart->pmp_active = entry + 1;
        }
    }
}

void pmp_write_config(struct hart *hart, unsigned first, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *config = &hart->pmpcfg[first + i];
        uint8_t wanted = (uint8_t)(value >> (8 * i)) & (PMP_LOCK | PMP_MODE | PMP_RWX);
        if ((wanted & PMP_W) && !(wanted & PMP_R)) {    /* reserved: permissions stay */
            wanted = (uint8_t)((wanted & ~PMP_RWX) | (*config & PMP_RWX));
        }
        if (!(*config & PMP_LOCK)) {
            *config = wanted;
        }
    }
    count_active(hart);
}

/* A locked range [pmpaddr(i-1), pmpaddr(i)) locks both of its address registers. */
static bool is_address_locked(const struct hart *hart, unsigned entry)
{
    uint8_t above = entry + 1 < PMP_COUNT ? hart->pmpcfg[entry + 1] : 0;
    return (hart->pmpcfg[entry] & PMP_LOCK) ||
           ((above & PMP_LOCK) && (above & PMP_MODE) == PMP_TOR);
}

void pmp_write_address(struct hart *hart, unsigned entry, uint64_t value)
{
    if (!is_address_locked(hart, entry)) {
        hart->pmpaddr[entry] = value & ((UINT64_C(1) << ADDRESS_BITS) - 1);
    }
}

void pmp_open(struct hart *hart)
{
    hart->pmpaddr[0] = (UINT64_C(1) << ADDRESS_BITS) - 1;
    hart->pmpcfg[0] = PMP_NAPOT | PMP_RWX;
    count_active(hart);
}
