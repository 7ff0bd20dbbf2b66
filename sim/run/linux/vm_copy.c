/* Demand paging, and the kernel's copies to and from user memory; see vm.h. */
#include "sim/run/linux/vm.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)

/* Reads the file's part of the page into it; the rest stays zero. */
static enum vm_fault fill_from_file(struct vm *vm, const struct vm_region *region, uint64_t va,
                                    uint64_t pa)
{
    uint64_t offset = region->offset + (va - region->start);
    uint8_t bytes[PHYS_PAGE_BYTES];
    struct stat st;
    size_t got = 0;

    if (fstat(region->file->fd, &st) != 0 || offset >= (uint64_t)st.st_size) {
        return VM_BEYOND_FILE;
    }
    while (got < sizeof bytes) {
        ssize_t now = pread(region->file->fd, bytes + got, sizeof bytes - got,
                            (off_t)(offset + got));

        if (now < 0 && errno == EINTR) {
            continue;
        }
        if (now <= 0) {
            break;
        }
        got += (size_t)now;
    }
    phys_copy_in(vm->table.phys, pa, bytes, got);
    return VM_OK;
}

static enum vm_fault make_page(struct vm *vm, const struct vm_region *region, uint64_t va)
{
    uint64_t pa = vm_page_new(&vm->table);
    enum vm_fault fault = VM_OK;

    if (pa == 0) {
        return VM_NO_PAGE;
    }
    if (region->file != NULL) {
        fault = fill_from_file(vm, region, va, pa);
    }
    if (fault == VM_OK && !vm_table_set(&vm->table, va, vm_pte(pa, region->prot))) {
        fault = VM_NO_PAGE;
    }
    if (fault != VM_OK) {
        vm_page_free(&vm->table, pa);
    }
    return fault;
}

/* As in vm_pte, write permission implies read permission. */
static bool is_allowed(const struct vm_region *region, unsigned prot)
{
    unsigned rights = region->prot & VM_WRITE ? region->prot | VM_READ : region->prot;

    return (rights & prot) == prot;
}

/* ---- tables of a guest kernel ------------------------------------------------------------ */

static bool is_there(const struct vm *vm, uint64_t va, unsigned prot)
{
    uint64_t pte = va < VM_USER_END ? vm_table_get(&vm->table, va) : 0;
    uint64_t wanted = VM_PTE_VALID | VM_PTE_USER;

    wanted |= prot & VM_WRITE ? VM_PTE_WRITE : prot & VM_READ ? VM_PTE_READ : 0;
    return (pte & wanted) == wanted;
}

static bool is_known_bad(const struct vm *vm, uint64_t va)
{
    return vm->bad_va != 0 && (va & ~PAGE_MASK) == (vm->bad_va & ~PAGE_MASK);
}

static enum vm_fault touch_guest(struct vm *vm, uint64_t va, unsigned prot)
{
    if (is_there(vm, va, prot)) {
        return VM_OK;
    }
    if (!is_known_bad(vm, va) && !vm->has_fault) {
        vm->has_fault = true;
        vm->fault_va = va;
        vm->fault_bytes = 1;
        vm->fault_prot = prot;
    }
    return VM_NO_REGION;
}

bool vm_prepare(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot)
{
    enum { AT_ONCE = 1 << 20 };
    uint64_t at = va, end = bytes < VM_USER_END ? va + bytes : VM_USER_END;

    if (!vm->is_guest) {
        return true;
    }
    while (at < end && is_there(vm, at, prot)) {
        at = (at & ~PAGE_MASK) + PHYS_PAGE_BYTES;
    }
    if (at >= end || touch_guest(vm, at, prot) == VM_OK || !vm->has_fault) {
        return true;
    }
    vm->fault_bytes = end - at < AT_ONCE ? end - at : AT_ONCE;
    return false;
}

/* ---- access ------------------------------------------------------------------------------ */

enum vm_fault vm_touch(struct vm *vm, uint64_t va, unsigned prot)
{
    const struct vm_region *region;

    if (vm->is_guest) {
        return touch_guest(vm, va, prot);
    }
    region = vm_region_at(vm, va);
    if (region == NULL) {
        return VM_NO_REGION;
    }
    if (!is_allowed(region, prot)) {
        return VM_FORBIDDEN;
    }
    va &= ~PAGE_MASK;
    return vm_table_get(&vm->table, va) != 0 ? VM_OK : make_page(vm, region, va);
}

bool vm_translate(const struct vm *vm, uint64_t va, uint64_t *pa)
{
    uint64_t pte = va < VM_USER_END ? vm_table_get(&vm->table, va) : 0;

    *pa = vm_pte_pa(pte) | (va & PAGE_MASK);
    return (pte & VM_PTE_VALID) != 0;
}

static uint64_t page_part(uint64_t va, uint64_t bytes)
{
    uint64_t left = PHYS_PAGE_BYTES - (va & PAGE_MASK);

    return bytes < left ? bytes : left;
}

bool vm_read(struct vm *vm, uint64_t va, void *to, uint64_t bytes)
{
    uint8_t *at = to;

    while (bytes > 0) {
        uint64_t part = page_part(va, bytes), pa;

        if (vm_touch(vm, va, VM_READ) != VM_OK || !vm_translate(vm, va, &pa)) {
            return false;
        }
        phys_copy_out(vm->table.phys, pa, at, part);
        va += part;
        at += part;
        bytes -= part;
    }
    return true;
}

bool vm_write(struct vm *vm, uint64_t va, const void *from, uint64_t bytes)
{
    const uint8_t *at = from;

    while (bytes > 0) {
        uint64_t part = page_part(va, bytes), pa;

        if (vm_touch(vm, va, VM_WRITE) != VM_OK || !vm_translate(vm, va, &pa)) {
            return false;
        }
        phys_copy_in(vm->table.phys, pa, at, part);
        va += part;
        at += part;
        bytes -= part;
    }
    return true;
}

uint64_t vm_accessible(struct vm *vm, uint64_t va, uint64_t bytes, unsigned prot)
{
    uint64_t done = 0;

    while (done < bytes && vm_touch(vm, va + done, prot) == VM_OK) {
        done += page_part(va + done, bytes - done);
    }
    return done;
}

int vm_read_string(struct vm *vm, uint64_t va, char *text, size_t size)
{
    size_t length = 0;

    while (length < size) {
        size_t part = (size_t)page_part(va + length, size - length);
        char *end;

        if (!vm_read(vm, va + length, text + length, part)) {
            return -EFAULT;
        }
        end = memchr(text + length, '\0', part);
        if (end != NULL) {
            return (int)(end - text);
        }
        length += part;
    }
    return -ENAMETOOLONG;
}
