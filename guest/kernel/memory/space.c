/* The regions of an address space and the pages that go with them; see space.h. */
#include "memory/space.h"
#include "process/thread.h"

extern const uint64_t kernel_root[512];

/* ---- making and ending ----------------------------------------------------------------------- */

/* Takes the tables of a root page, and adds the kernel's half. */
static struct space *new_over(uint64_t root)
{
    struct space *space = memory_new(sizeof *space);

    if (space == NULL || root == 0) {
        if (space != NULL)
            memory_free(space, sizeof *space);
        if (root != 0)
            frame_free(root);
        return NULL;
    }
    *space = (struct space){.users = 1, .root = root, .stack_limit = STACK_SPACE,
                            .program = PROGRAM_UNKNOWN};
    list_init(&space->regions);
    memcpy((uint64_t *)at_pa(root) + 256, kernel_root + 256, 256 * sizeof(uint64_t));
    return space;
}

struct space *space_new(void)
{
    return new_over(frame_new());
}

struct space *space_of_image(void)
{
    struct space *space = new_over(boot->image_root_pa);

    if (space != NULL)
        space->program = 0;
    return space;
}

void space_drop(struct space *space)
{
    if (space == NULL || --space->users > 0)
        return;
    space_unmap(space, 0, USER_END);
    page_tables_free(space->root);
    memory_free(space, sizeof *space);
}

void space_use(struct space *space)
{
    struct hart *hart = this_hart();
    uint64_t root = space != NULL ? space->root : pa_of(kernel_root);

    if (hart->space == space)
        return;
    hart->space = space;
    csr_write(satp, UINT64_C(8) << 60 | root >> 12);
    __asm__ volatile("sfence.vma" : : : "memory");
}

/* ---- regions --------------------------------------------------------------------------------- */

static struct region *region_at(struct list *link)
{
    return container_of(link, struct region, link);
}

bool space_is_range(uint64_t va, uint64_t bytes)
{
    return ((va | bytes) & PAGE_MASK) == 0 && bytes != 0 && va >= USER_START && va < USER_END &&
           bytes <= USER_END - va;
}

static void insert(struct space *space, struct region *region)
{
    region_add(space, region);
    if (region->object != NULL)
        region->object->users++;
}

static void forget(struct space *space, struct region *region)
{
    region_remove(space, region);
    object_drop(region->object);
    memory_free(region, sizeof *region);
}

/* Makes va a boundary. */
static bool split(struct space *space, uint64_t va)
{
    struct region *region = space_region(space, va), *upper;

    if (region == NULL || region->start == va)
        return true;
    upper = memory_new(sizeof *upper);
    if (upper == NULL)
        return false;
    *upper = *region;
    upper->start = va;
    upper->offset += va - region->start;
    region->end = va;
    insert(space, upper);
    return true;
}

static bool continues(const struct region *a, const struct region *b)
{
    return a->end == b->start && a->prot == b->prot && a->flags == b->flags &&
           a->object == NULL && b->object == NULL;
}

static void join(struct space *space, uint64_t va, uint64_t end)
{
    struct region *region = space_next(space, va > 0 ? va - 1 : 0);

    while (region != NULL && region->start <= end && region->link.next != &space->regions) {
        struct region *next = region_at(region->link.next);

        if (continues(region, next)) {
            region->end = next->end;
            forget(space, next);
        } else {
            region = next;
        }
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The entry of the first page that is there in [*va, end), *va being moved to it; NULL: none. */
static uint64_t *next_entry_of(uint64_t root, uint64_t *va, uint64_t end)
{
    while (*va < end) {
        uint64_t *entry = page_entry(root, *va, false);

        if (entry == NULL) {
            *va = (*va | ((1 << 21) - 1)) + 1;
            continue;
        }
        for (; *va < end; *va += PAGE_BYTES, entry++) {
            if (*entry != 0)
                return entry;
            if (((*va + PAGE_BYTES) & ((1 << 21) - 1)) == 0) {
                *va += PAGE_BYTES;
                break;
            }
        }
    }
    return NULL;
}

uint64_t *space_next_page(const struct space *space, uint64_t *va, uint64_t end)
{
    return next_entry_of(space->root, va, end);
}

static bool free_pages(struct space *space, uint64_t va, uint64_t end)
{
    uint64_t *entry, at = va;
    bool any = false;

    /* Nobody may reach a page once it is another's: first the entries go, then the pages. */
    while ((entry = space_next_page(space, &at, end)) != NULL) {
        *entry &= ~(uint64_t)PTE_V;
        at += PAGE_BYTES;
        any = true;
    }
    if (!any)
        return false;
    ipi_flush(space);
    at = va;
    while ((entry = space_next_page(space, &at, end)) != NULL) {
        frame_free(*entry >> 10 << 12);
        *entry = 0;
        at += PAGE_BYTES;
    }
    return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

int space_map(struct space *space, const struct region *from)
{
    struct region *region;

    if (!(from->flags & REGION_RESERVE) && from->object == NULL && (from->prot & PROT_WRITE) &&
        (from->end - from->start) / PAGE_BYTES > frames_left())
        return -ENOMEM;
    region = memory_new(sizeof *region);
    if (region == NULL || space_unmap(space, from->start, from->end - from->start) != 0)
        return -ENOMEM;
    *region = *from;
    insert(space, region);
    join(space, region->start, region->end);
    return 0;
}

/* All pages that the object has there: another process may have written some. */
static void write_back(const struct region *region)
{
    uint64_t at = region->offset, end = region->offset + (region->end - region->start);

    for (; next_entry_of(region->object->root, &at, end) != NULL; at += PAGE_BYTES)
        object_write_back(region->object, at);
}

void space_sync(struct space *space, uint64_t va, uint64_t bytes)
{
    struct region *region = space_next(space, va);

    while (region != NULL && region->start < va + bytes) {
        if ((region->flags & REGION_SHARED) && (region->prot & PROT_WRITE) &&
            region->object != NULL && region->object->handle > 0)
            write_back(region);
        region = region->link.next != &space->regions ? region_at(region->link.next) : NULL;
    }
}

int space_unmap(struct space *space, uint64_t va, uint64_t bytes)
{
    struct region *region;

    if (!split(space, va) || !split(space, va + bytes))
        return -ENOMEM;
    space_sync(space, va, bytes);
    for (region = space_next(space, va); region != NULL && region->start < va + bytes;
         region = space_next(space, va)) {
        free_pages(space, region->start, region->end);
        forget(space, region);
    }
    return 0;
}

bool space_is_mapped(struct space *space, uint64_t va, uint64_t bytes)
{
    uint64_t end = va + bytes;

    while (va < end) {
        const struct region *region = space_region(space, va);

        if (region == NULL)
            return false;
        va = region->end;
    }
    return true;
}

/* A part of it is of a file that was not opened to be written. */
static bool is_read_only(struct space *space, uint64_t va, uint64_t end)
{
    const struct region *region;

    for (; va < end; va = region->end) {
        region = space_region(space, va);
        if (region->flags & REGION_READ_ONLY)
            return true;
    }
    return false;
}

/* A page that is shared, or an object's, stays read-only until it is written. */
static void protect_pages(const struct space *space, const struct region *region)
{
    uint64_t at = region->start, *entry;

    while ((entry = space_next_page(space, &at, region->end)) != NULL) {
        uint64_t pa = *entry >> 10 << 12;
        uint32_t prot = region->prot;

        if (!(region->flags & REGION_SHARED) && frame_is_shared(pa) && (prot & PROT_WRITE))
            prot = (prot & ~(uint32_t)PROT_WRITE) | PROT_READ;
        *entry = page_bits(pa, prot);
        at += PAGE_BYTES;
    }
}

int space_protect(struct space *space, uint64_t va, uint64_t bytes, uint32_t prot)
{
    struct region *region;

    if (!space_is_mapped(space, va, bytes))
        return -ENOMEM;
    if ((prot & PROT_WRITE) && is_read_only(space, va, va + bytes))
        return -EACCES;
    if (!split(space, va) || !split(space, va + bytes))
        return -ENOMEM;
    for (region = space_next(space, va); region != NULL && region->start < va + bytes;
         region = space_next(space, region->end)) {
        region->prot = prot;
        protect_pages(space, region);
    }
    ipi_flush(space);
    join(space, va, va + bytes);
    return 0;
}

int space_discard(struct space *space, uint64_t va, uint64_t bytes)
{
    if (!space_is_mapped(space, va, bytes))
        return -ENOMEM;
    space_sync(space, va, bytes);
    free_pages(space, va, va + bytes);
    return 0;
}

int space_move(struct space *space, uint64_t from, uint64_t to, uint64_t bytes)
{
    struct region *region, *moved = memory_new(sizeof *moved);
    uint64_t at = from, *entry, *target;

    if (moved == NULL || !split(space, from) || !split(space, from + bytes))
        return -ENOMEM;
    region = space_region(space, from);
    *moved = *region;
    moved->start = to;
    moved->end = to + bytes;
    insert(space, moved);
    while ((entry = space_next_page(space, &at, from + bytes)) != NULL) {
        target = page_entry(space->root, to + (at - from), true);
        if (target == NULL)
            return -ENOMEM;
        if (boot->follows_pages)
            page_follow(space, moved->flags, to + (at - from), *entry >> 10 << 12);
        *target = *entry;
        *entry = 0;
        at += PAGE_BYTES;
    }
    ipi_flush(space);
    forget(space, space_region(space, from));
    return 0;
}

int space_load(struct space *space, const struct kernel_segment *segment, uint32_t flags)
{
    uint32_t prot = (uint32_t)segment->prot;
    struct region region = {.start = page_of(segment->va), .offset = page_of(segment->offset),
                            .end = page_up(segment->va + segment->bytes), .prot = prot,
                            .flags = REGION_RESERVE | flags}, *before;

    before = space_region(space, region.start);
    if (before != NULL) {   /* two segments in one page: it gets the rights of both */
        space_protect(space, region.start, PAGE_BYTES, before->prot | prot);
        region.start += PAGE_BYTES;
        region.offset += PAGE_BYTES;
    }
    return region.start < region.end ? space_map(space, &region) : 0;
}

/* Those that came before the program had its number. */
static void follow_pages(const struct space *space)
{
    const struct list *at;

    for (at = space->regions.next; at != &space->regions; at = at->next) {
        const struct region *region = container_of(at, struct region, link);
        uint64_t va = region->start, *entry;

        for (; (entry = space_next_page(space, &va, region->end)) != NULL; va += PAGE_BYTES)
            page_follow(space, region->flags, va, *entry >> 10 << 12);
    }
}

void space_set_program(struct space *space, uint32_t program)
{
    space->program = program;
    if (boot->follows_pages)
        follow_pages(space);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static bool clone_pages(struct space *space, struct space *clone, const struct region *region)
{
    uint64_t at = region->start, *entry, *target;

    while ((entry = space_next_page(space, &at, region->end)) != NULL) {
        target = page_entry(clone->root, at, true);
        if (target == NULL)
            return false;
        frame_share(*entry >> 10 << 12);
        if (!(region->flags & REGION_SHARED))
            *entry &= ~(uint64_t)PTE_W;
        *target = *entry;
        at += PAGE_BYTES;
    }
    return true;
}

struct space *space_clone(struct space *space)
{
    struct space *clone = space_new();
    struct list *at;
    bool is_whole = clone != NULL;

    if (clone == NULL)
        return NULL;
    clone->brk_start = space->brk_start;
    clone->brk = space->brk;
    clone->stack_limit = space->stack_limit;
    clone->args_va = space->args_va;
    clone->args_end = space->args_end;
    clone->vector = space->vector;
    clone->program = space->program;
    for (at = space->regions.next; is_whole && at != &space->regions; at = at->next) {
        struct region *copy = memory_new(sizeof *copy);

        is_whole = copy != NULL;
        if (is_whole) {
            *copy = *region_at(at);
            insert(clone, copy);
            is_whole = clone_pages(space, clone, copy);
        }
    }
    ipi_flush(space);
    if (is_whole)
        return clone;
    space_drop(clone);
    return NULL;
}
