/* Page-table walk, permission, accessed and dirty bits. */
#include "sim/mem/translate/walk.h"

#include <stddef.h>

#include "isa/csr.h"
#include "sim/mem/device/device.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_U = 16, PTE_A = 64, PTE_D = 128 };
enum { PTE_PPN_SHIFT = 10 };

/* Entries hold a page number and flags; the bits above are reserved (no Svnapot, no Svpbmt). */
struct paging {
    unsigned levels, index_bits, pte_bytes, ppn_bits;
};
static const struct paging sv32 = {2, 10, 4, 22}, sv39 = {3, 9, 8, 44}, sv48 = {4, 9, 8, 44};

enum outcome { WALK_OK, WALK_PAGE_FAULT, WALK_ACCESS_FAULT };

static const enum trap_cause page_fault[3] = {TRAP_FETCH_PAGE, TRAP_LOAD_PAGE, TRAP_STORE_PAGE};
static const enum trap_cause access_fault[3] = {TRAP_FETCH_ACCESS, TRAP_LOAD_ACCESS,
                                                TRAP_STORE_ACCESS};

/* ---- permission ------------------------------------------------------------------------------ */

static bool is_hidden(const struct mmu *mmu, uint64_t pa, struct viewer viewer)
{
    return (phys_flags(mmu->phys, pa) & PHYS_MONITOR) && !viewer.is_monitor;
}

bool walk_may_access(const struct mmu *mmu, uint64_t pa, unsigned size, enum mmu_access access,
                     struct viewer viewer)
{
    if (phys_is_ram(mmu->phys, pa, size)) {
        if (is_hidden(mmu, pa, viewer)) {
            return false;
        }
    } else if (access == MMU_FETCH || phys_device_at(mmu->phys, pa, size) == NULL) {
        return false;
    }
    return viewer.is_monitor || pmp_allows(mmu->hart, pa, size, access, viewer.priv);
}

/* Section 10.3.1 and mstatus.{SUM,MXR}; the entry is a valid leaf. */
static bool may_use_leaf(const struct hart *hart, uint64_t pte, enum mmu_access access,
                         unsigned priv)
{
    bool is_user_page = pte & PTE_U;
    if (priv == PRIV_U && !is_user_page) {
        return false;
    }
    if (priv == PRIV_S && is_user_page &&
        (access == MMU_FETCH || !(hart->mstatus & MSTATUS_SUM))) {
        return false;
    }
    switch (access) {
    case MMU_FETCH:
        return pte & PTE_X;
    case MMU_LOAD:
        return (pte & PTE_R) || ((hart->mstatus & MSTATUS_MXR) && (pte & PTE_X));
    default:
        return pte & PTE_W;
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* NULL: Bare. */
static const struct paging *paging_of(const struct hart *hart, unsigned priv)
{
    if (priv == PRIV_M) {
        return NULL;
    }
    switch (hart->satp >> SATP_MODE_SHIFT) {
    case SATP_SV32:
        return &sv32;
    case SATP_SV39:
        return &sv39;
    case SATP_SV48:
        return &sv48;
    default:
        return NULL;
    }
}

/* Sv32 translates all 32 bits of an address; the address after the last is 0. */
static bool is_canonical(uint64_t va, const struct paging *paging)
{
    unsigned unused = 64 - (PHYS_PAGE_BITS + paging->index_bits * paging->levels);
    return paging == &sv32 || (uint64_t)((int64_t)(va << unused) >> unused) == va;
}

/* Page tables live in RAM; they are read and updated with supervisor rights. */
static bool may_access_table(const struct mmu *mmu, uint64_t pte_pa, unsigned bytes,
                             enum mmu_access access)
{
    struct viewer walker = {PRIV_S, false};
    return phys_is_ram(mmu->phys, pte_pa, bytes) &&
           walk_may_access(mmu, pte_pa, bytes, access, walker);
}

static uint64_t read_table(const struct mmu *mmu, uint64_t pte_pa, unsigned bytes)
{
    uint64_t pte = 0;
    memcpy(&pte, phys_host(mmu->phys, pte_pa), bytes);
    return pte;
}

static bool is_leaf(uint64_t pte)
{
    return pte & (PTE_R | PTE_X);
}

/* Valid, and no reserved bit or combination; a pointer to a table has no A, D, U. */
static bool is_well_formed(uint64_t pte, const struct paging *paging)
{
    if (!(pte & PTE_V) || pte >> PTE_PPN_SHIFT >> paging->ppn_bits != 0) {
        return false;
    }
    if (is_leaf(pte)) {
        return !(pte & PTE_W) || (pte & PTE_R);
    }
    return !(pte & (PTE_W | PTE_A | PTE_D | PTE_U));
}

static uint64_t table_of(uint64_t pte)
{
    return (pte >> PTE_PPN_SHIFT & SATP_PPN) << PHYS_PAGE_BITS;
}

static uint64_t entry_address(uint64_t table, uint64_t va, unsigned shift,
                              const struct paging *paging)
{
    return table + (va >> shift & ((1u << paging->index_bits) - 1)) * paging->pte_bytes;
}

/* Reads entries from the root to a leaf; *record receives their addresses. */
static enum outcome descend(const struct mmu *mmu, uint64_t va, const struct paging *paging,
                            struct leaf *leaf, struct mmu_walk *record)
{
    uint64_t table = (mmu->hart->satp & SATP_PPN) << PHYS_PAGE_BITS;
    if (!is_canonical(va, paging)) {
        return WALK_PAGE_FAULT;
    }
    leaf->pte_bytes = paging->pte_bytes;
    for (unsigned level = paging->levels; level-- > 0;) {
        unsigned shift = PHYS_PAGE_BITS + paging->index_bits * level;
        leaf->pte_pa = entry_address(table, va, shift, paging);
        if (!may_access_table(mmu, leaf->pte_pa, leaf->pte_bytes, MMU_LOAD)) {
            return WALK_ACCESS_FAULT;
        }
        record->pte[record->levels++] = leaf->pte_pa;
        record->page_bits = shift;
        leaf->pte = read_table(mmu, leaf->pte_pa, leaf->pte_bytes);
        if (!is_well_formed(leaf->pte, paging)) {
            return WALK_PAGE_FAULT;
        }
        table = table_of(leaf->pte);
        if (is_leaf(leaf->pte)) {
            uint64_t offset_mask = (UINT64_C(1) << shift) - 1;
            leaf->pa = table | (va & offset_mask);
            return (table & offset_mask) == 0 ? WALK_OK : WALK_PAGE_FAULT;  /* superpage aligned */
        }
    }
    return WALK_PAGE_FAULT;
}

enum trap_cause walk_find(const struct mmu *mmu, uint64_t va, unsigned size, enum mmu_access access,
                          struct viewer viewer, struct leaf *leaf, struct mmu_walk *record)
{
    const struct paging *paging = paging_of(mmu->hart, viewer.priv);    /* the monitor: PRIV_M */
    *record = (struct mmu_walk){.page_bits = PHYS_PAGE_BITS};
    *leaf = (struct leaf){.pa = va};
    if (paging != NULL) {
        enum outcome result = descend(mmu, va, paging, leaf, record);
        if (result == WALK_ACCESS_FAULT) {
            return access_fault[access];
        }
        if (result == WALK_PAGE_FAULT ||
            !may_use_leaf(mmu->hart, leaf->pte, access, viewer.priv)) {
            return page_fault[access];
        }
    }
    return walk_may_access(mmu, leaf->pa, size, access, viewer) ? TRAP_NONE : access_fault[access];
}

enum trap_cause walk_update(struct mmu *mmu, const struct leaf *leaf, enum mmu_access access)
{
    uint64_t wanted = leaf->pte | PTE_A | (access == MMU_STORE ? PTE_D : 0);
    if (leaf->pte_bytes == 0 || wanted == leaf->pte) {
        return TRAP_NONE;
    }
    bool is_done = may_access_table(mmu, leaf->pte_pa, leaf->pte_bytes, MMU_STORE) &&
                   phys_write(mmu->phys, leaf->pte_pa, leaf->pte_bytes, wanted);
    return is_done ? TRAP_NONE : access_fault[access];
}
