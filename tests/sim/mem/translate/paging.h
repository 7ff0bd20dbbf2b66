/* A hart with page tables of its own, for the tests of translation. */
#ifndef TESTS_SIM_MEM_PAGING_H
#define TESTS_SIM_MEM_PAGING_H

#include "isa/csr.h"
#include "sim/mem/device/device.h"
#include "sim/mem/translate/mmu.h"

enum { V = 1, R = 2, W = 4, X = 8, U = 16, G = 32, A = 64, D = 128 };
enum { KERNEL = V | R | W | A | D, USER = KERNEL | U, CODE = V | R | X | A };
enum { RAM_BYTES = 4 << 20, PAGE = PHYS_PAGE_BYTES };

#define ROOT PHYS_RAM_BASE
#define DATA (PHYS_RAM_BASE + 0x100000)     /* first page the tests map */
#define VA UINT64_C(0x40001000)             /* where they map it */

struct machine {
    struct phys phys;
    struct hart hart;
    struct mmu mmu;
    uint64_t next_table;
    unsigned levels, index_bits, pte_bytes;
};

static inline void select_mode(struct machine *m, unsigned mode)
{
    m->levels = mode == SATP_SV48 ? 4 : 3;
    m->index_bits = 9;
    m->pte_bytes = 8;
    csr_write(&m->hart, CSR_satp, (uint64_t)mode << SATP_MODE_SHIFT | ROOT >> 12);
    mmu_flush(&m->mmu);
}

/* The hart becomes one of XLEN = 32, with Sv32. */
static inline void select_sv32(struct machine *m)
{
    hart_set_xlen(&m->hart, 32);
    m->levels = 2;
    m->index_bits = 10;
    m->pte_bytes = 4;
    csr_write(&m->hart, CSR_satp, UINT64_C(1) << 31 | ROOT >> 12);
    mmu_flush(&m->mmu);
}

static inline void set_priv(struct machine *m, unsigned priv, uint64_t status)
{
    m->hart.priv = (uint8_t)priv;
    csr_write(&m->hart, CSR_mstatus, status);
    mmu_switch(&m->mmu);
}

static inline int set_up(void **state)
{
    static struct machine m;
    m = (struct machine){.next_table = ROOT + PAGE};
    *state = &m;
    if (!phys_init(&m.phys, RAM_BYTES)) {
        return -1;
    }
    hart_reset(&m.hart, 0, 0, 0);
    pmp_open(&m.hart);
    mmu_init(&m.mmu, &m.hart, &m.phys);
    select_mode(&m, SATP_SV39);
    set_priv(&m, PRIV_S, 0);
    return 0;
}

static inline int tear_down(void **state)
{
    struct machine *m = *state;
    mmu_free(&m->mmu);
    assert_null(m->phys.mmus);
    phys_free(&m->phys);
    return 0;
}

static inline uint64_t read_entry(struct machine *m, uint64_t pa)
{
    uint64_t value;
    assert_true(phys_read(&m->phys, pa, m->pte_bytes, &value));
    return value;
}

static inline uint64_t read64(struct machine *m, uint64_t pa)
{
    uint64_t value;
    assert_true(phys_read(&m->phys, pa, 8, &value));
    return value;
}

/* Maps va at a level (0 = 4 KiB) and returns the address of its entry. */
static inline uint64_t map_at(struct machine *m, uint64_t va, unsigned level, uint64_t pa,
                              uint64_t flags)
{
    uint64_t table = ROOT;
    for (unsigned at = m->levels - 1;; at--) {
        uint64_t index = va >> (12 + m->index_bits * at) & ((1u << m->index_bits) - 1);
        uint64_t entry = table + index * m->pte_bytes;
        if (at == level) {
            phys_write(&m->phys, entry, m->pte_bytes, pa >> 12 << 10 | flags);
            return entry;
        }
        if (read_entry(m, entry) == 0) {
            phys_write(&m->phys, entry, m->pte_bytes, m->next_table >> 12 << 10 | V);
            m->next_table += PAGE;
        }
        table = read_entry(m, entry) >> 10 << 12;
    }
}

static inline uint64_t map(struct machine *m, uint64_t va, uint64_t pa, uint64_t flags)
{
    return map_at(m, va, 0, pa, flags);
}

static inline enum trap_cause translate(struct machine *m, uint64_t va, enum mmu_access access)
{
    uint64_t pa;
    return mmu_translate(&m->mmu, va, 1, access, &pa);
}

#endif
