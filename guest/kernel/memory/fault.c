/* Page faults, and the kernel's way to user memory, which resolves them as the user would. */
#include "process/process.h"

static uint64_t entry_of(uint64_t pa, uint32_t prot)
{
    uint64_t bits = PTE_V | PTE_U | PTE_A | PTE_D;

    bits |= prot & (PROT_READ | PROT_WRITE) ? PTE_R : 0;
    bits |= prot & PROT_WRITE ? PTE_W : 0;
    bits |= prot & PROT_EXEC ? PTE_X : 0;
    return pa >> 12 << 10 | bits;
}

uint64_t page_bits(uint64_t pa, uint32_t prot)
{
    return prot == 0 ? pa >> 12 << 10 | PTE_U : entry_of(pa, prot);
}

static bool is_allowed(uint32_t rights, uint32_t prot)
{
    rights |= rights & PROT_WRITE ? PROT_READ : 0;
    return (rights & prot) == prot;
}

/* Apart, so that a fault without it needs no more stack. */
__attribute__((noinline)) void page_follow(const struct space *space, uint32_t flags,
                                           uint64_t va, uint64_t pa)
{
    if (!(flags & REGION_SHARED) && space->program != PROGRAM_UNKNOWN)
        host_simple(KERNEL_OP_PAGE_CAME, pa, page_of(va), space->program, 0);
}

/* The address has this page from now on: the host hears of it before any hart can use it. */
static inline void give(const struct space *space, const struct region *region, uint64_t va,
                        uint64_t *entry, uint64_t value)
{
    if (boot->follows_pages)
        page_follow(space, region->flags, va, value >> 10 << 12);
    page_set(entry, value);
}

/* The page is there, but was shared until this store. No other hart may store to the copy while
 * some load still finds the old page: the old translation goes everywhere before the new one comes.
 * A page that stays where it is needs none of that: a hart that still may not write it asks. */
static enum fault make_own(struct space *space, const struct region *region, uint64_t va,
                           uint64_t *entry)
{
    uint64_t pa = *entry >> 10 << 12, copy;

    if (frame_is_shared(pa) && !(region->flags & REGION_SHARED)) {
        copy = frame_new_dirty();
        if (copy == 0)
            return FAULT_MEMORY;
        *entry &= ~(uint64_t)PTE_V;
        ipi_flush(space);
        memcpy(at_pa(copy), at_pa(pa), PAGE_BYTES);
        frame_free(pa);
        give(space, region, va, entry, entry_of(copy, region->prot));
        return FAULT_NONE;
    }
    page_set(entry, entry_of(pa, region->prot));
    return FAULT_NONE;
}

/* A page of the program's own segments that was there, and was discarded. */
__attribute__((noinline)) static void load_again(uint64_t va, uint64_t pa)
{
    host_simple(KERNEL_OP_IMAGE_PAGE, pa, page_of(va), 0, 0);
}

/* The first touch of a page; a page that others share may not be written yet. */
static enum fault make_page(const struct space *space, const struct region *region, uint64_t va,
                            uint32_t prot, uint64_t *entry)
{
    uint32_t rights = region->prot;
    enum fault fault = FAULT_MEMORY;
    uint64_t pa, copy;

    if (region->object == NULL) {
        pa = frame_new();
        if (pa == 0)
            return FAULT_MEMORY;
        if (region->flags & REGION_IMAGE)
            load_again(va, pa);
        give(space, region, va, entry, entry_of(pa, rights));
        return FAULT_NONE;
    }
    pa = object_page(region->object, region->offset + (page_of(va) - region->start), &fault);
    if (pa == 0)
        return fault;
    if (!(region->flags & REGION_SHARED) && (prot & PROT_WRITE)) {
        copy = frame_new_dirty();
        if (copy == 0)
            return FAULT_MEMORY;
        memcpy(at_pa(copy), at_pa(pa), PAGE_BYTES);
        give(space, region, va, entry, entry_of(copy, rights));
        return FAULT_NONE;
    }
    frame_share(pa);
    if (!(region->flags & REGION_SHARED))
        rights = (rights & ~(uint32_t)PROT_WRITE) | (rights & PROT_WRITE ? PROT_READ : 0);
    give(space, region, va, entry, entry_of(pa, rights));
    return FAULT_NONE;
}

enum fault space_fault(struct space *space, uint64_t va, uint32_t prot)
{
    const struct region *region = va < USER_END ? space_region(space, va) : NULL;
    uint64_t *entry;
    enum fault fault = FAULT_NONE;

    if (region == NULL && va < USER_END)
        region = region_grown(space, va);
    if (region == NULL || ((region->flags & REGION_STACK) && va < STACK_TOP - space->stack_limit))
        return FAULT_UNMAPPED;
    if (!is_allowed(region->prot, prot))
        return FAULT_FORBIDDEN;
    entry = page_entry(space->root, va, true);
    if (entry == NULL)
        return FAULT_MEMORY;
    if (*entry == 0)
        fault = make_page(space, region, va, prot, entry);
    else if (!(*entry & PTE_V))
        *entry = page_bits(*entry >> 10 << 12, region->prot);
    else if ((prot & PROT_WRITE) && !(*entry & PTE_W))
        fault = make_own(space, region, va, entry);
    if (fault == FAULT_NONE && this_hart()->space == space)
        __asm__ volatile("sfence.vma %0" : : "r"(va) : "memory");
    return fault;
}

bool space_patch(struct space *space, uint64_t va, uint16_t code)
{
    const struct region *region = va < USER_END ? space_region(space, va) : NULL;
    uint64_t *entry = NULL;
    enum fault fault;

    if (region != NULL && !(region->flags & REGION_SHARED))
        entry = page_entry(space->root, va, true);
    if (entry == NULL || (*entry != 0 && !(*entry & PTE_V)))
        return false;
    fault = *entry == 0 ? make_page(space, region, va, PROT_WRITE, entry)
                        : make_own(space, region, va, entry);
    if (fault != FAULT_NONE)
        return false;
    *(uint16_t *)((uint8_t *)at_pa(*entry >> 10 << 12) + (va & PAGE_MASK)) = code;
    ipi_flush(space);
    return true;
}

static bool has_rights(uint64_t entry, uint32_t prot)
{
    uint64_t wanted = PTE_V | PTE_U;

    wanted |= prot & PROT_WRITE ? PTE_W : prot & PROT_READ ? PTE_R : 0;
    wanted |= prot & PROT_EXEC ? PTE_X : 0;
    return (entry & wanted) == wanted;
}

void *user_page(struct space *space, uint64_t va, uint32_t prot)
{
    uint64_t *entry;

    if (va >= USER_END)
        return NULL;
    entry = page_entry(space->root, va, false);
    if (entry == NULL || !has_rights(*entry, prot)) {
        if (space_fault(space, va, prot) != FAULT_NONE)
            return NULL;
        entry = page_entry(space->root, va, false);
    }
    return (uint8_t *)at_pa(*entry >> 10 << 12) + (va & PAGE_MASK);
}

/* Bytes from user memory (`from` NULL) or into it, page by page. */
static inline bool move(struct space *space, uint64_t va, uint8_t *to, const uint8_t *from,
                        uint64_t bytes)
{
    uint64_t done, part;

    for (done = 0; done < bytes; done += part) {
        uint64_t at = va + done, left = PAGE_BYTES - (at & PAGE_MASK);
        void *page = user_page(space, at, from == NULL ? PROT_READ : PROT_WRITE);

        if (page == NULL)
            return false;
        part = bytes - done < left ? bytes - done : left;
        memcpy(from == NULL ? to + done : page, from == NULL ? page : from + done, part);
    }
    return true;
}

bool user_read(uint64_t va, void *to, uint64_t bytes)
{
    return move(current()->process->space, va, to, NULL, bytes);
}

bool user_write_in(struct space *space, uint64_t va, const void *from, uint64_t bytes)
{
    return move(space, va, NULL, from, bytes);
}

bool user_write(uint64_t va, const void *from, uint64_t bytes)
{
    return user_write_in(current()->process->space, va, from, bytes);
}

int64_t user_string(uint64_t va, char *text, uint64_t size)
{
    uint64_t i;

    for (i = 0; i < size; i++) {
        const char *from = user_page(current()->process->space, va + i, PROT_READ);

        if (from == NULL)
            return -EFAULT;
        text[i] = *from;
        if (*from == 0)
            return (int64_t)i;
    }
    return -ERANGE;
}
