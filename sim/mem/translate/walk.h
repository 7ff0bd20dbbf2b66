/* The page-table walk and the rules of permission, without caching. Private to mmu.c. Source:
 * Privileged Architecture 20240411, 10.3.1, 10.3.2. */
#ifndef SIM_MEM_WALK_H
#define SIM_MEM_WALK_H

#include "sim/mem/translate/mmu.h"

/* The requester: its privilege, and whether it is the resident monitor. */
struct viewer {
    unsigned priv;
    bool is_monitor;
};

struct leaf {
    uint64_t pa;            /* physical address of the byte asked for */
    uint64_t pte, pte_pa;
    unsigned pte_bytes;     /* 0: Bare, no entry */
};

/* True if the address exists, and neither PMP nor the monitor's protection forbids the access.
 * Devices hold no code. */
bool walk_may_access(const struct mmu *mmu, uint64_t pa, unsigned size, enum mmu_access access,
                     struct viewer viewer);
/* Translates and checks [va, va+size), which must lie in one page. No side effects. */
enum trap_cause walk_find(const struct mmu *mmu, uint64_t va, unsigned size, enum mmu_access access,
                          struct viewer viewer, struct leaf *leaf, struct mmu_walk *record);
/* Sets A, and D for a store, in the leaf's entry, as hardware does. */
enum trap_cause walk_update(struct mmu *mmu, const struct leaf *leaf, enum mmu_access access);

#endif
