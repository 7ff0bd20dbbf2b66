/* Software probes; see section.h. */
#include "profile/section.h"

#include "process/process.h"

/* ---- probes ---------------------------------------------------------------------------------- */

_Static_assert(TRAMPOLINE == PROBE_PAGE, "the page of the slots, pmu/abi_probe.h");

enum { PLACES = 512 };
static uint8_t places[PLACES];          /* number of a probe, plus 1, by its address */
static uint64_t armed;                  /* number of probes that have their breakpoints */
static uint64_t slots_pa;               /* the page with their slots; 0: not made yet */

/* The place of an address, or else the free place for it. */
static unsigned place_of(uint64_t address)
{
    unsigned at = (unsigned)(address >> 1) % PLACES;

    while (places[at] != 0 && boot->probe[places[at] - 1].address != address)
        at = (at + 1) % PLACES;
    return at;
}

void probes_init(void)
{
    for (; armed < boot->probes; armed++) {
        *(uint16_t *)at_pa(boot->probe[armed].pa) = PROBE_BREAKPOINT;
        places[place_of(boot->probe[armed].address)] = (uint8_t)(armed + 1);
    }
    __asm__ volatile("fence.i" : : : "memory");
}

void probes_follow(struct space *space)
{
    if (armed == boot->probes || slots_pa == 0)
        return;
    for (; armed < boot->probes; armed++)
        if (space_patch(space, boot->probe[armed].address, PROBE_BREAKPOINT))
            places[place_of(boot->probe[armed].address)] = (uint8_t)(armed + 1);
    probes_fill_page(slots_pa);
}

void probes_fill_page(uint64_t pa)
{
    uint8_t *page = at_pa(pa);
    uint64_t i;

    slots_pa = pa;
    *(uint16_t *)(page + PROBE_RETURN) = *(uint16_t *)(page + PROBE_LANDING) = PROBE_BREAKPOINT;
    for (i = 0; i < boot->probes; i++)
        memcpy(page + PROBE_SLOTS + i * PROBE_SLOT_BYTES, boot->probe[i].slot, PROBE_SLOT_BYTES);
    __asm__ volatile("fence.i" : : : "memory");
}

/* The innermost section; there must be one. */
static struct probe_frame *innermost(const struct thread *thread)
{
    return &thread->probe_page->frame[(thread->probe_depth - 1) % PROBE_FRAMES];
}

/* Number i of the open sections; 0 is the outermost. */
static struct probe_frame *frame_at(const struct thread *thread, uint32_t i)
{
    struct probe_page *page = thread->probe_page;
    uint32_t n;

    for (n = (thread->probe_depth - 1) / PROBE_FRAMES; n > i / PROBE_FRAMES; n--)
        page = page->below;
    return &page->frame[i % PROBE_FRAMES];
}

static void pop(struct thread *thread)
{
    thread->probe_depth--;
    if (thread->probe_depth != 0 && thread->probe_depth % PROBE_FRAMES == 0)
        thread->probe_page = thread->probe_page->below;
}

/* The page above this one, or the first; NULL: no memory. */
static struct probe_page *page_above(struct probe_page *page)
{
    struct probe_page *above = page != NULL ? page->above : NULL;

    if (above != NULL)
        return above;
    kernel_lock();
    above = memory_new(sizeof *above);
    kernel_unlock();
    if (above != NULL)
        above->below = page;
    if (page != NULL)
        page->above = above;
    return above;
}

/* NULL: no memory. */
static struct probe_frame *push(struct thread *thread)
{
    struct probe_page *page = thread->probe_page;

    if (page == NULL || (thread->probe_depth != 0 && thread->probe_depth % PROBE_FRAMES == 0))
        page = page_above(page);
    if (page == NULL)
        return NULL;
    thread->probe_page = page;
    thread->probe_depth++;
    return innermost(thread);
}

/* Makes the section that was entered last with that stack pointer the innermost one. Those entered
 * later are on other stacks (swapcontext), or were left without a return. newest: so many are
 * looked at. False: none of them. */
static bool bring_up(struct thread *thread, uint64_t sp, uint32_t newest)
{
    uint32_t depth = thread->probe_depth, i = depth;
    uint32_t oldest = depth > newest ? depth - newest : 0;
    struct probe_frame own;

    while (i > oldest && frame_at(thread, i - 1)->sp != sp)
        i--;
    if (i == oldest)
        return false;
    own = *frame_at(thread, i - 1);
    for (; i < depth; i++)
        *frame_at(thread, i - 1) = *frame_at(thread, i);
    *innermost(thread) = own;
    return true;
}

/* A section whose stack pointer is that of a new entry was left without a return. */
__attribute__((noinline)) static void drop_left(struct thread *thread)
{
    if (bring_up(thread, thread->frame->reg[REG_SP], PROBE_FRAMES))
        pop(thread);
}

/* The record has the time of the trap, and what the probe has taken until here. */
static void record_probe(enum kernel_event event, const struct thread *thread, uint64_t section,
                         uint64_t since)
{
    struct kernel_record *own = record(event, thread, 0, KERNEL_REASON_NONE, section);

    if (own == NULL)
        return;
    own->cycle = since;
    own->other = (uint32_t)(csr_read(cycle) - since);
}

static bool interrupt_is_due(void)
{
    return (csr_read(sip) & csr_read(sie)) != 0;
}

/* The exit is not seen where there is no memory. False: an interrupt that came meanwhile would be
 * taken in the section; it is taken first, and the thread comes here again. */
static bool enter(struct thread *thread, uint64_t section, uint64_t since)
{
    uint64_t *reg = thread->frame->reg;
    struct probe_frame *frame;

    if (thread->probe_depth != 0 && innermost(thread)->sp <= reg[REG_SP] &&
        reg[REG_RA] != TRAMPOLINE + PROBE_RETURN)
        drop_left(thread);
    if (interrupt_is_due()) {
        record_probe(KERNEL_UNWIND, thread, 0, since);
        return false;
    }
    frame = push(thread);
    if (frame != NULL) {
        *frame = (struct probe_frame){reg[REG_RA], reg[REG_SP], section, 0};
        reg[REG_RA] = TRAMPOLINE + PROBE_RETURN;
    }
    record_probe(KERNEL_ENTER, thread, section, since);
    return true;
}

static bool leave_outer(struct thread *thread, uint64_t since);

static bool leave(struct thread *thread, uint64_t since)
{
    uint64_t *reg = thread->frame->reg;
    const struct probe_frame *frame;

    if (thread->probe_depth == 0)
        return false;
    frame = innermost(thread);
    if (frame->sp != reg[REG_SP])
        return leave_outer(thread, since);
    reg[REG_PC] = frame->ret;
    pop(thread);
    record_probe(KERNEL_LEAVE, thread, frame->section, since);
    return true;
}

/* Apart, so that it costs nothing where sections return in order. */
__attribute__((noinline)) static bool leave_outer(struct thread *thread, uint64_t since)
{
    return bring_up(thread, thread->frame->reg[REG_SP], UINT32_MAX) && leave(thread, since);
}

/* ---- unwinding ------------------------------------------------------------------------------- */

/* Searches [low, high) of the stack for the saved return address of a section, downwards, as it is
 * saved at the upper end of the section's frame. Returns its address; 0: not found. */
static uint64_t find_saved(uint64_t low, uint64_t high)
{
    uint64_t at, value;

    for (at = high - sizeof value; at >= low && at < high; at -= sizeof value)
        if (!user_read(at, &value, sizeof value))
            return 0;
        else if (value == TRAMPOLINE + PROBE_RETURN)
            return at;
    return 0;
}

/* A section reached by a jump from another one returns to the return address of that one. */
static uint64_t return_of(const struct thread *thread, uint32_t i)
{
    while (i > 0 && frame_at(thread, i)->ret == TRAMPOLINE + PROBE_RETURN)
        i--;
    return frame_at(thread, i)->ret;
}

static void restore_returns(struct thread *thread)
{
    uint64_t low = thread->frame->reg[REG_SP], ret;
    uint32_t i;

    for (i = thread->probe_depth; i-- > 0;) {
        struct probe_frame *frame = frame_at(thread, i);

        frame->saved = find_saved(low, frame->sp);
        ret = return_of(thread, i);
        if (frame->saved != 0)
            user_write(frame->saved, &ret, sizeof ret);
        low = frame->sp > low ? frame->sp : low;
    }
}

/* The sections whose frames are at or below a stack pointer have ended, without a probe of their
 * own. */
static void end_below(struct thread *thread, uint64_t sp, uint64_t since)
{
    while (thread->probe_depth > 0 && innermost(thread)->sp <= sp) {
        struct kernel_record *own = record(KERNEL_LEAVE, thread, 0, KERNEL_REASON_NONE,
                                           innermost(thread)->section);

        if (own != NULL)
            own->cycle = since;
        pop(thread);
    }
}

/* An exception has landed: sections that it has not left return by their breakpoint again. */
static void land(struct thread *thread, uint64_t since)
{
    const uint64_t ret = TRAMPOLINE + PROBE_RETURN;
    uint32_t i;

    kernel_lock();
    end_below(thread, thread->frame->reg[REG_SP], since);
    for (i = 0; i < thread->probe_depth; i++) {
        struct probe_frame *frame = frame_at(thread, i);

        if (frame->saved != 0)
            user_write(frame->saved, &ret, sizeof ret);
        frame->saved = 0;
    }
    kernel_unlock();
    thread->frame->reg[REG_PC] = thread->probe_landing;
}

static void expect_landing(struct thread *thread)
{
    uint64_t *reg = thread->frame->reg;

    thread->probe_landing = reg[REG_A0 + 1];
    reg[REG_A0 + 1] = TRAMPOLINE + PROBE_LANDING;
}

static void jump_far(struct thread *thread, uint64_t since)
{
    enum { SP_AT = 13 * 8 };            /* in a jmp_buf of glibc */
    uint64_t sp;

    if (user_read(thread->frame->reg[REG_A0] + SP_AT, &sp, sizeof sp))
        end_below(thread, sp, since);
}

/* Of the unwinder: touches the program's memory, and takes the lock for that. */
static void unwind(struct thread *thread, enum kernel_probe_kind kind, uint64_t since)
{
    kernel_lock();
    if (thread->probe_depth != 0)
        switch (kind) {
        case KERNEL_PROBE_UNWIND: restore_returns(thread); break;
        case KERNEL_PROBE_LANDING: expect_landing(thread); break;
        default: jump_far(thread, since); break;
        }
    kernel_unlock();
    record_probe(KERNEL_UNWIND, thread, 0, since);
}

bool probe_hit(struct thread *thread, uint64_t since)
{
    uint64_t pc = thread->frame->reg[REG_PC];
    unsigned place;

    if (boot->probes != 0 && pc == TRAMPOLINE + PROBE_RETURN)
        return leave(thread, since);
    if (boot->probes != 0 && pc == TRAMPOLINE + PROBE_LANDING) {
        land(thread, since);
        record_probe(KERNEL_UNWIND, thread, 0, since);
        return true;
    }
    place = places[place_of(pc)];
    if (place == 0)
        return false;
    if (boot->probe[place - 1].kind != KERNEL_PROBE_SECTION)
        unwind(thread, (enum kernel_probe_kind)boot->probe[place - 1].kind, since);
    else if (!enter(thread, place - 1, since))
        return true;
    thread->frame->reg[REG_PC] = TRAMPOLINE + PROBE_SLOTS + (place - 1) * PROBE_SLOT_BYTES;
    return true;
}

/* The thread is about to execute the first instruction of the section that it has entered last. */
static bool is_at_start(const struct thread *thread, uint64_t section)
{
    const uint64_t *reg = thread->frame->reg;

    return section < boot->probes && boot->probe[section].kind == KERNEL_PROBE_SECTION &&
           thread->probe_depth != 0 && innermost(thread)->section == section &&
           innermost(thread)->sp == reg[REG_SP] && reg[REG_RA] == TRAMPOLINE + PROBE_RETURN;
}

void probe_interrupted(struct thread *thread, uint64_t since)
{
    uint64_t *reg = thread->frame->reg, offset = reg[REG_PC] - (TRAMPOLINE + PROBE_SLOTS);
    uint64_t section = offset / PROBE_SLOT_BYTES;

    if (reg[REG_PC] == TRAMPOLINE + PROBE_RETURN)
        leave(thread, since);
    if (offset % PROBE_SLOT_BYTES != 0 || !is_at_start(thread, section))
        return;
    reg[REG_PC] = boot->probe[section].address;
    reg[REG_RA] = innermost(thread)->ret;
    pop(thread);
    record(KERNEL_UNDO, thread, 0, KERNEL_REASON_NONE, section);
}

void probes_inherit(struct thread *child, const struct thread *parent)
{
    const struct probe_page *from = parent->probe_depth != 0 ? parent->probe_page : NULL;
    struct probe_page **into = &child->probe_page, *above = NULL;
    uint32_t i;

    for (; from != NULL; from = from->below) {
        struct probe_page *page = memory_new(sizeof *page);

        if (page == NULL)
            panic("no memory for the probes of a child");
        memcpy(page->frame, from->frame, sizeof page->frame);
        page->above = above;
        *into = above = page;
        into = &page->below;
    }
    child->probe_depth = parent->probe_depth;
    for (i = 0; i < child->probe_depth; i++)
        record(KERNEL_ENTER, child, 0, KERNEL_REASON_NONE, frame_at(child, i)->section);
}

void probes_free(struct thread *thread)
{
    struct probe_page *page = thread->probe_page, *below;

    while (page != NULL && page->above != NULL)
        page = page->above;
    for (; page != NULL; page = below) {
        below = page->below;
        memory_free(page, sizeof *page);
    }
    thread->probe_page = NULL;
}
