/* Functional address translation: Sv32, Sv39, Sv48, Bare; PMP; monitor protection; A and D bits.
 *
 * With a direct-mapped cache of translations the common case is one comparison. It is an
 * implementation device, invisible to the guest; TLBs whose misses cost time are in memsys.h. A
 * walk leaves the addresses of the page-table entries it read for the timing model.
 * A/D bits are updated by hardware, always; the other permitted behaviour (Svade: fault) is not
 * modelled. The resident monitor runs without translation, and PMP does not apply to it: no program
 * can lock it out.
 *
 * There is one cache for each view of memory a hart can have, so that a change of privilege only
 * selects another. Sources: Privileged Architecture 20240411, 10.3-10.5, 3.1.6.3, 3.7. */
#ifndef SIM_MEM_MMU_H
#define SIM_MEM_MMU_H

#include "isa/hart.h"
#include "isa/trap.h"
#include "sim/mem/phys.h"

enum mmu_access { MMU_FETCH, MMU_LOAD, MMU_STORE };
enum { MMU_CACHE_ENTRIES = 256, MMU_WALK_LEVELS = 4 };

struct mmu_entry {
    uint64_t tag;           /* virtual page number; ~0 = empty */
    uint64_t pa;            /* physical page address */
    uint8_t *host;          /* RAM of the page, or NULL: slow path (device, flagged page) */
};

enum mmu_view { MMU_MONITOR, MMU_M, MMU_S, MMU_S_SUM, MMU_U, MMU_VIEWS };

/* The entries a walk read, for the timing model. */
struct mmu_walk {
    uint64_t pte[MMU_WALK_LEVELS];  /* physical addresses, root first */
    unsigned levels;                /* how many; 0 when translation is Bare */
    unsigned page_bits;             /* page size: 12, 21, 30, 39; Sv32: 12, 22 */
};

struct mmu {
    struct hart *hart;
    struct phys *phys;
    struct mmu *next;                   /* in phys->mmus */
    struct mmu_entry *cache[3];         /* [MMU_CACHE_ENTRIES] of the current view, by mmu_access */
    struct mmu_entry view[MMU_VIEWS][3][MMU_CACHE_ENTRIES];
    bool view_used[MMU_VIEWS];
    bool mxr;                           /* mstatus.MXR the views were filled under */
    struct mmu_walk walk;               /* walk of the last mmu_translate */
    uint64_t fault_va;                  /* of the last fault of load, store, fetch: for tval */
};

/* The cached translation of va's page in the current view, or NULL. Pages divided by PMP regions
 * are never cached: each access is checked. */
static inline const struct mmu_entry *mmu_cached(const struct mmu *mmu, uint64_t va,
                                                 enum mmu_access access)
{
    uint64_t page = va >> PHYS_PAGE_BITS;
    const struct mmu_entry *entry = &mmu->cache[access][page % MMU_CACHE_ENTRIES];
    return entry->tag == page ? entry : NULL;
}

/* The mmu stays where it is: phys keeps its address until mmu_free. */
void mmu_init(struct mmu *mmu, struct hart *hart, struct phys *phys);
void mmu_free(struct mmu *mmu);
/* Drops every cached translation (sfence.vma, satp, PMP) and selects the view. */
void mmu_flush(struct mmu *mmu);
/* Selects the view after privilege, in_monitor or mstatus.{MPRV,MPP,SUM,MXR} changed. Cheap; drops
 * nothing but when MXR changed. mmu_flush would have the same effect. */
void mmu_switch(struct mmu *mmu);
/* Drops the translations to one physical page; phys calls it when the page gets a flag. */
void mmu_withdraw(struct mmu *mmu, uint64_t page_pa);

/* Translates for the hart's current effective privilege. size bytes must not cross a page.
 * Returns TRAP_NONE and *pa, or the trap cause. */
enum trap_cause mmu_translate(struct mmu *mmu, uint64_t va, unsigned size, enum mmu_access access,
                              uint64_t *pa);
/* The same through explicit privilege and without side effects (A/D bits, caches, walk): for the
 * monitor's probe load, debuggers, wrong paths and host-side stack walks. PRIV_M while the monitor
 * runs is the monitor; no other code sees its pages. */
enum trap_cause mmu_probe(const struct mmu *mmu, uint64_t va, enum mmu_access access, unsigned priv,
                          uint64_t *pa);
/* As mmu_probe, with the entries that the walk read, also of an incomplete walk; walk may be
 * NULL. */
enum trap_cause mmu_probe_walk(const struct mmu *mmu, uint64_t va, enum mmu_access access,
                               unsigned priv, uint64_t *pa, struct mmu_walk *walk);

/* Data accesses of 1, 2, 4, 8 bytes at any alignment, also across pages. Functional, immediate. On
 * a fault nothing was written and fault_va is the first address of the faulting part. */
enum trap_cause mmu_load(struct mmu *mmu, uint64_t va, unsigned size, uint64_t *value);
enum trap_cause mmu_store(struct mmu *mmu, uint64_t va, unsigned size, uint64_t value);
/* Fetches the 16 or 32 bits at va (two-byte aligned). *fault_va: address of the faulting half. */
enum trap_cause mmu_fetch(struct mmu *mmu, uint64_t va, uint32_t *bits, uint64_t *fault_va);

#endif
