/* Sv39 page tables in guest memory; see vm_table.h. */
#include "sim/run/linux/vm_table.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>

#include "sim/base/array.h"
enum { LEVELS = 3, INDEX_BITS = 9 };

static const uint8_t zeroes[PHYS_PAGE_BYTES];

bool vm_table_init(struct vm_table *table, struct phys *phys, uint64_t first_pa, uint64_t end_pa)
{
    *table = (struct vm_table){.phys = phys, .next_pa = first_pa, .end_pa = end_pa};
    table->root_pa = vm_page_new(table);
    return table->root_pa != 0;
}

void vm_table_free(struct vm_table *table)
{
    free(table->free);
    *table = (struct vm_table){0};
}

uint64_t vm_page_new(struct vm_table *table)
{
    uint64_t pa;

    if (table->free_count > 0) {
        pa = table->free[--table->free_count];
    } else if (table->next_pa < table->end_pa) {
        pa = table->next_pa;
        table->next_pa += PHYS_PAGE_BYTES;
    } else {
        return 0;
    }
    phys_copy_in(table->phys, pa, zeroes, sizeof zeroes);
    return pa;
}

/* If the host has no memory for the stack to grow, the page is lost, not corrupted. */
void vm_page_free(struct vm_table *table, uint64_t pa)
{
    uint64_t *grown = array_grow(table->free, table->free_count, sizeof *grown);

    if (grown == NULL) {
        return;
    }
    table->free = grown;
    table->free[table->free_count++] = pa;
}

uint64_t vm_pages_left(const struct vm_table *table)
{
    return table->free_count + (table->end_pa - table->next_pa) / PHYS_PAGE_BYTES;
}

static uint64_t read_pte(const struct vm_table *table, uint64_t pa)
{
    uint64_t pte;

    memcpy(&pte, phys_host(table->phys, pa), sizeof pte);
    return le64toh(pte);
}

/* Page tables hold no code, so their pages need no stale mark. */
static void write_pte(const struct vm_table *table, uint64_t pa, uint64_t pte)
{
    pte = htole64(pte);
    phys_copy_in(table->phys, pa, &pte, sizeof pte);
}

static uint64_t entry_pa(uint64_t table_pa, uint64_t va, unsigned level)
{
    uint64_t index = va >> (PHYS_PAGE_BITS + INDEX_BITS * level) & ((1u << INDEX_BITS) - 1);

    return table_pa + index * sizeof(uint64_t);
}

/* Address of the leaf entry, or 0 when a table on the way is missing. */
static uint64_t find_leaf(const struct vm_table *table, uint64_t va)
{
    uint64_t at = table->root_pa;
    unsigned level;

    for (level = LEVELS - 1; level > 0; level--) {
        uint64_t pte = read_pte(table, entry_pa(at, va, level));

        if (!(pte & VM_PTE_VALID)) {
            return 0;
        }
        at = vm_pte_pa(pte);
    }
    return entry_pa(at, va, 0);
}

static uint64_t make_leaf(struct vm_table *table, uint64_t va)
{
    uint64_t at = table->root_pa;
    unsigned level;

    for (level = LEVELS - 1; level > 0; level--) {
        uint64_t entry = entry_pa(at, va, level), pte = read_pte(table, entry);

        if (!(pte & VM_PTE_VALID)) {
            uint64_t page = vm_page_new(table);

            if (page == 0) {
                return 0;
            }
            pte = page >> PHYS_PAGE_BITS << 10 | VM_PTE_VALID;
            write_pte(table, entry, pte);
        }
        at = vm_pte_pa(pte);
    }
    return entry_pa(at, va, 0);
}

uint64_t vm_table_get(const struct vm_table *table, uint64_t va)
{
    uint64_t entry = find_leaf(table, va);

    return entry == 0 ? 0 : read_pte(table, entry);
}

bool vm_table_set(struct vm_table *table, uint64_t va, uint64_t pte)
{
    uint64_t entry = make_leaf(table, va);

    if (entry == 0) {
        return false;
    }
    write_pte(table, entry, pte);
    return true;
}

bool vm_table_is_bare(const struct vm_table *table, uint64_t va)
{
    return find_leaf(table, va) == 0;
}

/* Writable implies readable: W without R is reserved (section 10.3.1). */
uint64_t vm_pte(uint64_t pa, unsigned prot)
{
    uint64_t pte = pa >> PHYS_PAGE_BITS << 10;

    if (prot == 0) {
        return pte | VM_PTE_HELD;
    }
    pte |= VM_PTE_VALID | VM_PTE_USER | VM_PTE_ACCESSED | VM_PTE_DIRTY;
    pte |= prot & (VM_READ | VM_WRITE) ? VM_PTE_READ : 0;
    pte |= prot & VM_WRITE ? VM_PTE_WRITE : 0;
    pte |= prot & VM_EXEC ? VM_PTE_EXEC : 0;
    return pte;
}
