/* Physical pages with their owners, small pieces of them for the kernel itself, and its stacks.
 *
 * Pages are given out in order of address until none is left untouched; those given back come
 * first. Untouched memory is zero out of reset. An owner count is stored less one, so that memory
 * out of reset says "one owner". */
#include "kernel.h"

enum { SMALLEST_LOG2 = 5, CLASSES = 8 };        /* 32 .. 4096 bytes */

struct piece { struct piece *next; };

static struct {
    uint64_t first, next, end;          /* physical addresses */
    struct piece *free;                 /* pages given back */
    uint64_t free_count;
    uint32_t *others;                   /* [page] owners besides the first */
    struct piece *pieces[CLASSES], *stacks;
} memory;

void memory_init(const struct kernel_boot *from)
{
    uint64_t pages = (from->memory_end - KERNEL_PA) / PAGE_BYTES;

    memory.others = at_pa(from->memory_pa);
    memory.first = memory.next = from->memory_pa + page_up(pages * sizeof *memory.others);
    memory.end = from->memory_end;
}

static uint32_t *others_of(uint64_t pa)
{
    return &memory.others[(pa - KERNEL_PA) / PAGE_BYTES];
}

static uint64_t take(bool *is_clean)
{
    struct piece *page = memory.free;

    *is_clean = page == NULL;
    if (page != NULL) {
        memory.free = page->next;
        memory.free_count--;
        return pa_of(page);
    }
    if (memory.next == memory.end)
        return 0;
    memory.next += PAGE_BYTES;
    return memory.next - PAGE_BYTES;
}

uint64_t frame_new_dirty(void)
{
    bool is_clean;

    return take(&is_clean);
}

uint64_t frame_new(void)
{
    bool is_clean;
    uint64_t pa = take(&is_clean);

    if (pa != 0 && !is_clean)
        memset(at_pa(pa), 0, PAGE_BYTES);
    return pa;
}

void frame_share(uint64_t pa)
{
    ++*others_of(pa);
}

bool frame_is_shared(uint64_t pa)
{
    return *others_of(pa) != 0;
}

/* Apart, so that frame_free without it needs no stack. */
static __attribute__((noinline)) void tell_free(uint64_t pa)
{
    host_simple(KERNEL_OP_PAGE_FREED, pa, 0, 0, 0);
}

/* Pages of the program's image came from the loader; freed ones are like all others. */
void frame_free(uint64_t pa)
{
    struct piece *page = at_pa(pa);

    if (*others_of(pa) != 0) {
        --*others_of(pa);
        return;
    }
    page->next = memory.free;
    memory.free = page;
    memory.free_count++;
    if (boot->follows_pages)
        tell_free(pa);
}

uint64_t frames_left(void)
{
    return memory.free_count + (memory.end - memory.next) / PAGE_BYTES;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;

    while ((size_t)1 << (class + SMALLEST_LOG2) < bytes)
        class++;
    return class;
}

static bool refill(unsigned class)
{
    size_t bytes = (size_t)1 << (class + SMALLEST_LOG2), at;
    uint64_t pa = frame_new_dirty();

    for (at = 0; pa != 0 && at < PAGE_BYTES; at += bytes) {
        struct piece *piece = at_pa(pa + at);

        piece->next = memory.pieces[class];
        memory.pieces[class] = piece;
    }
    return pa != 0;
}

void *memory_new(size_t bytes)
{
    unsigned class = class_of(bytes);
    struct piece *piece;

    if (class >= CLASSES)
        panic("a piece of memory larger than a page");
    if (memory.pieces[class] == NULL && !refill(class))
        return NULL;
    piece = memory.pieces[class];
    memory.pieces[class] = piece->next;
    memset(piece, 0, bytes);
    return piece;
}

void memory_free(void *at, size_t bytes)
{
    struct piece *piece = at;
    unsigned class = class_of(bytes);

    piece->next = memory.pieces[class];
    memory.pieces[class] = piece;
}

/* Of untouched memory, where pages follow each other. */
void *stack_new(void)
{
    struct piece *stack = memory.stacks;

    if (stack != NULL) {
        memory.stacks = stack->next;
        return stack;
    }
    if (memory.end - memory.next < STACK_BYTES)
        return NULL;
    memory.next += STACK_BYTES;
    return at_pa(memory.next - STACK_BYTES);
}

void stack_free(void *stack)
{
    struct piece *piece = stack;

    piece->next = memory.stacks;
    memory.stacks = piece;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void *memcpy(void *to, const void *from, size_t bytes)
{
    uint8_t *at = to;
    const uint8_t *source = from;

    if ((((uintptr_t)to | (uintptr_t)from) & 7) == 0)
        for (; bytes >= 8; bytes -= 8, at += 8, source += 8)
            *(uint64_t *)(void *)at = *(const uint64_t *)(const void *)source;
    while (bytes-- > 0)
        *at++ = *source++;
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *at = to;
    uint64_t word = (uint8_t)value * UINT64_C(0x0101010101010101);

    if (((uintptr_t)to & 7) == 0)
        for (; bytes >= 8; bytes -= 8, at += 8)
            *(uint64_t *)(void *)at = word;
    while (bytes-- > 0)
        *at++ = (uint8_t)value;
    return to;
}
