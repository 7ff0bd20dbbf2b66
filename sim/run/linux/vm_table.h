/* Sv39 page tables in guest memory, and the pool of physical pages for them and the program.
 *
 * Entries have A and D set, so that a walk never writes. A page that is present but inaccessible
 * (PROT_NONE) keeps its address in an invalid entry marked VM_PTE_HELD.
 * Source: Privileged Architecture 20240411, section 10.4. */
#ifndef SIM_RUN_VM_TABLE_H
#define SIM_RUN_VM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/mem/phys.h"

/* Access rights, with the values of PROT_*. */
enum { VM_READ = 1, VM_WRITE = 2, VM_EXEC = 4 };

enum {
    VM_PTE_VALID = 1, VM_PTE_READ = 2, VM_PTE_WRITE = 4, VM_PTE_EXEC = 8, VM_PTE_USER = 16,
    VM_PTE_ACCESSED = 64, VM_PTE_DIRTY = 128,
    VM_PTE_HELD = 256,          /* software bit */
};

struct vm_table {
    struct phys *phys;
    uint64_t root_pa;
    uint64_t next_pa, end_pa;   /* never given out yet */
    uint64_t *free;             /* stack of pages given back */
    size_t free_count;
};

/* Takes pages from [first_pa, end_pa). False: not even room for the root. */
bool vm_table_init(struct vm_table *table, struct phys *phys, uint64_t first_pa, uint64_t end_pa);
void vm_table_free(struct vm_table *table);

/* vm_page_new returns a zeroed page, or 0 if there is none left. vm_page_free returns a page to the
 * pool. */
uint64_t vm_page_new(struct vm_table *table);
void vm_page_free(struct vm_table *table, uint64_t pa);
/* Pages that vm_page_new can still give. */
uint64_t vm_pages_left(const struct vm_table *table);

/* The value of the entry of the 4 KiB page at va; 0 if there is none. */
uint64_t vm_table_get(const struct vm_table *table, uint64_t va);
/* Writes the entry, making tables on the way. False: no page left for them. */
bool vm_table_set(struct vm_table *table, uint64_t va, uint64_t pte);
/* True if no entry can exist in the 2 MiB around va, so that loops can skip it. */
bool vm_table_is_bare(const struct vm_table *table, uint64_t va);

uint64_t vm_pte(uint64_t pa, unsigned prot);
static inline uint64_t vm_pte_pa(uint64_t pte)
{
    return (pte >> 10 & ((UINT64_C(1) << 44) - 1)) << PHYS_PAGE_BITS;
}

#endif
