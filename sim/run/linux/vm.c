/* Regions of a user address space and the pages in them; see vm.h. Copies are in vm_copy.c.
 *
 * Every operation on a range first splits regions at its ends, then treats whole regions, then
 * joins neighbours that became alike. */
#include "sim/run/linux/vm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)
#define LEAF_TABLE_BYTES (UINT64_C(1) << 21)    /* bytes mapped by one last-level table */

/* Not committed: room for page tables, and for a stack, which is reserved memory. */
enum { PTES_PER_PAGE = 512, STACK_PAGES = 256 };

bool vm_init(struct vm *vm, struct phys *phys, uint64_t first_pa, uint64_t end_pa, uint64_t map_end)
{
    uint64_t left;

    *vm = (struct vm){.map_end = map_end};
    if (first_pa >= end_pa || !vm_table_init(&vm->table, phys, first_pa, end_pa)) {
        return false;
    }
    left = vm_pages_left(&vm->table);
    vm->pages = left - left / PTES_PER_PAGE - (left / 8 < STACK_PAGES ? left / 8 : STACK_PAGES);
    return true;
}

void vm_file_drop(struct vm_file *file)
{
    if (file != NULL && --file->users == 0) {
        close(file->fd);
        free(file);
    }
}

void vm_free(struct vm *vm)
{
    size_t i;

    vm_sync(vm, 0, VM_USER_END);
    for (i = 0; i < vm->region_count; i++) {
        vm_file_drop(vm->regions[i].file);
    }
    free(vm->regions);
    vm_table_free(&vm->table);
    *vm = (struct vm){0};
}

uint64_t vm_satp(const struct vm *vm)
{
    return UINT64_C(8) << 60 | vm->table.root_pa >> PHYS_PAGE_BITS;
}

/* ---- finding regions -------------------------------------------------------------------- */

static bool ends_up_to(const void *row, const void *va)
{
    const struct vm_region *region = row;

    return region->end <= *(const uint64_t *)va;
}

/* Index of the first region that ends above va. */
static size_t first_above(const struct vm *vm, uint64_t va)
{
    return sorted_place(vm->regions, vm->region_count, sizeof vm->regions[0], ends_up_to, &va);
}

const struct vm_region *vm_region_at(const struct vm *vm, uint64_t va)
{
    size_t i = first_above(vm, va);

    return i < vm->region_count && vm->regions[i].start <= va ? &vm->regions[i] : NULL;
}

bool vm_is_range(uint64_t va, uint64_t bytes)
{
    return ((va | bytes) & PAGE_MASK) == 0 && bytes > 0 && va >= VM_USER_START &&
           va < VM_USER_END && bytes <= VM_USER_END - va;
}

bool vm_is_used(const struct vm *vm, uint64_t va, uint64_t bytes)
{
    size_t i = first_above(vm, va);

    return i < vm->region_count && vm->regions[i].start < va + bytes;
}

uint64_t vm_find_gap(const struct vm *vm, uint64_t bytes)
{
    uint64_t end = vm->map_end;
    size_t i = first_above(vm, end - 1);

    if (i < vm->region_count && vm->regions[i].start < end) {
        end = vm->regions[i].start;
    }
    while (i > 0 && end - vm->regions[i - 1].end < bytes) {
        end = vm->regions[--i].start;
    }
    return end >= VM_USER_START + bytes ? end - bytes : 0;
}

/* ---- the sorted array ------------------------------------------------------------------- */

static bool insert_region(struct vm *vm, size_t at, const struct vm_region *region)
{
    struct vm_region *grown = array_grow(vm->regions, vm->region_count, sizeof *grown);

    if (grown == NULL) {
        return false;
    }
    vm->regions = grown;
    memmove(&vm->regions[at + 1], &vm->regions[at],
            (vm->region_count - at) * sizeof *vm->regions);
    vm->regions[at] = *region;
    vm->region_count++;
    if (region->file != NULL) {
        region->file->users++;
    }
    return true;
}

static void remove_region(struct vm *vm, size_t at)
{
    vm_file_drop(vm->regions[at].file);
    vm->region_count--;
    memmove(&vm->regions[at], &vm->regions[at + 1],
            (vm->region_count - at) * sizeof *vm->regions);
}

/* Splits the region that contains va, so that va is a boundary. */
static bool split_at(struct vm *vm, uint64_t va)
{
    size_t i = first_above(vm, va);
    struct vm_region upper;

    if (i == vm->region_count || vm->regions[i].start >= va) {
        return true;
    }
    upper = vm->regions[i];
    upper.offset += va - upper.start;
    upper.start = va;
    if (!insert_region(vm, i + 1, &upper)) {
        return false;
    }
    vm->regions[i].end = va;
    return true;
}

static bool is_continued(const struct vm_region *a, const struct vm_region *b)
{
    return a->end == b->start && a->prot == b->prot && a->flags == b->flags && a->file == b->file &&
           !(a->flags & VM_LOADED) &&
           (a->file == NULL || a->offset + (a->end - a->start) == b->offset);
}

static void join_around(struct vm *vm, uint64_t va, uint64_t end)
{
    size_t i = first_above(vm, va);

    i = i > 0 ? i - 1 : 0;
    while (i + 1 < vm->region_count && vm->regions[i].start <= end) {
        if (is_continued(&vm->regions[i], &vm->regions[i + 1])) {
            vm->regions[i].end = vm->regions[i + 1].end;
            remove_region(vm, i + 1);
        } else {
            i++;
        }
    }
}

static bool split_range(struct vm *vm, uint64_t va, uint64_t bytes)
{
    return split_at(vm, va) && split_at(vm, va + bytes);
}

/* ---- pages of a range ------------------------------------------------------------------- */

/* The next address in [va, end) with a page, or end. */
static uint64_t next_present(const struct vm *vm, uint64_t va, uint64_t end, uint64_t *pte)
{
    while (va < end) {
        if (vm_table_is_bare(&vm->table, va)) {
            va = (va | (LEAF_TABLE_BYTES - 1)) + 1;
            continue;
        }
        *pte = vm_table_get(&vm->table, va);
        if (*pte != 0) {
            return va;
        }
        va += PHYS_PAGE_BYTES;
    }
    return end;
}

static void release_pages(struct vm *vm, const struct vm_region *region)
{
    uint64_t pte, va = next_present(vm, region->start, region->end, &pte);

    while (va < region->end) {
        vm_table_set(&vm->table, va, 0);
        if (!(region->flags & VM_LOADED)) {
            vm_page_free(&vm->table, vm_pte_pa(pte));
        }
        vm->changed = true;
        va = next_present(vm, va + PHYS_PAGE_BYTES, region->end, &pte);
    }
}

static void sync_region(struct vm *vm, uint64_t start, uint64_t end, const struct vm_region *region)
{
    uint64_t pte, va = next_present(vm, start, end, &pte);
    struct stat st;

    if (!(region->flags & VM_SHARED) || region->file == NULL ||
        fstat(region->file->fd, &st) != 0) {
        return;
    }
    for (; va < end; va = next_present(vm, va + PHYS_PAGE_BYTES, end, &pte)) {
        uint64_t offset = region->offset + (va - region->start), left;
        ssize_t written;

        if (offset >= (uint64_t)st.st_size) {
            continue;
        }
        left = (uint64_t)st.st_size - offset;
        do {
            written = pwrite(region->file->fd, phys_host(vm->table.phys, vm_pte_pa(pte)),
                             left < PHYS_PAGE_BYTES ? left : PHYS_PAGE_BYTES, (off_t)offset);
        } while (written < 0 && errno == EINTR);
    }
}

void vm_sync(struct vm *vm, uint64_t va, uint64_t bytes)
{
    size_t i;

    for (i = first_above(vm, va); i < vm->region_count && vm->regions[i].start < va + bytes; i++) {
        const struct vm_region *region = &vm->regions[i];

        sync_region(vm, va > region->start ? va : region->start,
                    va + bytes < region->end ? va + bytes : region->end, region);
    }
}

/* ---- operations ------------------------------------------------------------------------- */

static uint64_t committed_by(const struct vm_region *region)
{
    bool counts = (region->prot & VM_WRITE) &&
                  !(region->flags & (VM_SHARED | VM_RESERVE | VM_LOADED));

    return counts ? (region->end - region->start) / PHYS_PAGE_BYTES : 0;
}

static uint64_t committed_pages(const struct vm *vm)
{
    uint64_t pages = 0;
    size_t i;

    for (i = 0; i < vm->region_count; i++) {
        pages += committed_by(&vm->regions[i]);
    }
    return pages;
}

int vm_map(struct vm *vm, const struct vm_region *region)
{
    uint64_t bytes = region->end - region->start;

    if (!vm_is_range(region->start, bytes)) {
        return -EINVAL;
    }
    if (committed_by(region) > vm->pages ||
        committed_pages(vm) > vm->pages - committed_by(region)) {
        return -ENOMEM;
    }
    if (vm_unmap(vm, region->start, bytes) != 0 ||
        !insert_region(vm, first_above(vm, region->start), region)) {
        return -ENOMEM;
    }
    join_around(vm, region->start, region->end);
    return 0;
}

int vm_unmap(struct vm *vm, uint64_t va, uint64_t bytes)
{
    size_t i;

    vm_sync(vm, va, bytes);
    if (!split_range(vm, va, bytes)) {
        return -ENOMEM;
    }
    i = first_above(vm, va);
    while (i < vm->region_count && vm->regions[i].start < va + bytes) {
        release_pages(vm, &vm->regions[i]);
        remove_region(vm, i);
    }
    return 0;
}

static bool is_covered(const struct vm *vm, uint64_t va, uint64_t end)
{
    size_t i;

    for (i = first_above(vm, va); va < end; i++) {
        if (i == vm->region_count || vm->regions[i].start > va) {
            return false;
        }
        va = vm->regions[i].end;
    }
    return true;
}

/* Sets the rights in the entries to those of the region. */
static void protect_pages(struct vm *vm, const struct vm_region *region)
{
    uint64_t pte, va = next_present(vm, region->start, region->end, &pte);

    while (va < region->end) {
        vm_table_set(&vm->table, va, vm_pte(vm_pte_pa(pte), region->prot));
        vm->changed = true;
        va = next_present(vm, va + PHYS_PAGE_BYTES, region->end, &pte);
    }
}

int vm_protect(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot)
{
    size_t i;

    if (!is_covered(vm, va, va + bytes) || !split_range(vm, va, bytes)) {
        return -ENOMEM;
    }
    for (i = first_above(vm, va); i < vm->region_count && vm->regions[i].start < va + bytes; i++) {
        vm->regions[i].prot = prot;
        protect_pages(vm, &vm->regions[i]);
    }
    join_around(vm, va, va + bytes);
    return 0;
}

/* Makes the tables at `to` that the pages of [from, from + bytes) need. */
static bool prepare_move(struct vm *vm, uint64_t from, uint64_t to, uint64_t bytes)
{
    uint64_t pte, va;

    for (va = next_present(vm, from, from + bytes, &pte); va < from + bytes;
         va = next_present(vm, va + PHYS_PAGE_BYTES, from + bytes, &pte)) {
        if (!vm_table_set(&vm->table, to + (va - from), 0)) {
            return false;
        }
    }
    return true;
}

int vm_move(struct vm *vm, uint64_t from, uint64_t to, uint64_t bytes)
{
    uint64_t pte, va;
    struct vm_region moved;

    if (!split_range(vm, from, bytes) || !prepare_move(vm, from, to, bytes)) {
        return -ENOMEM;
    }
    moved = vm->regions[first_above(vm, from)];
    moved.start = to;
    moved.end = to + bytes;
    if (!insert_region(vm, first_above(vm, to), &moved)) {
        return -ENOMEM;
    }
    for (va = next_present(vm, from, from + bytes, &pte); va < from + bytes;
         va = next_present(vm, va + PHYS_PAGE_BYTES, from + bytes, &pte)) {
        vm_table_set(&vm->table, to + (va - from), pte);
        vm_table_set(&vm->table, va, 0);
        vm->changed = true;
    }
    remove_region(vm, first_above(vm, from));
    join_around(vm, to, to + bytes);
    return 0;
}

int vm_discard(struct vm *vm, uint64_t va, uint64_t bytes)
{
    size_t i;

    if (!is_covered(vm, va, va + bytes)) {
        return -ENOMEM;
    }
    vm_sync(vm, va, bytes);
    for (i = first_above(vm, va); i < vm->region_count && vm->regions[i].start < va + bytes; i++) {
        struct vm_region part = vm->regions[i];

        part.start = part.start < va ? va : part.start;
        part.end = part.end > va + bytes ? va + bytes : part.end;
        if (!(part.flags & VM_LOADED)) {
            release_pages(vm, &part);
        }
    }
    return 0;
}

int vm_load(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot, uint64_t pa)
{
    uint64_t page = va & ~PAGE_MASK, end = (va + bytes + PAGE_MASK) & ~PAGE_MASK;
    struct vm_region region = {.start = page, .end = end, .prot = prot, .flags = VM_LOADED};
    const struct vm_region *before = vm_region_at(vm, page);

    pa &= ~PAGE_MASK;
    if (before != NULL) {
        int err = vm_protect(vm, page, PHYS_PAGE_BYTES, before->prot | prot);

        if (err != 0) {
            return err;
        }
        region.start += PHYS_PAGE_BYTES;
    }
    if (region.start < end && !insert_region(vm, first_above(vm, region.start), &region)) {
        return -ENOMEM;
    }
    for (page = region.start, pa += region.start - (va & ~PAGE_MASK); page < end;
         page += PHYS_PAGE_BYTES, pa += PHYS_PAGE_BYTES) {
        if (!vm_table_set(&vm->table, page, vm_pte(pa, prot))) {
            return -ENOMEM;
        }
    }
    return 0;
}
