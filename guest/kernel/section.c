/* Software probes and counters of a thread; see section.h. */
#include "section.h"

#include "process.h"

/* ---- probes ---------------------------------------------------------------------------------- */

enum { PLACES = 512 };
static uint8_t places[PLACES];          /* number of a probe, plus 1, by its address */

/* The place of an address, or the free one where it would be. */
static unsigned place_of(uint64_t address)
{
    unsigned at = (unsigned)(address >> 1) % PLACES;

    while (places[at] != 0 && boot->probe[places[at] - 1].address != address)
        at = (at + 1) % PLACES;
    return at;
}

void probes_init(void)
{
    uint64_t i;

    for (i = 0; i < boot->probes; i++) {
        *(uint16_t *)at_pa(boot->probe[i].pa) = PROBE_BREAKPOINT;
        places[place_of(boot->probe[i].address)] = (uint8_t)(i + 1);
    }
    __asm__ volatile("fence.i" : : : "memory");
}

void probes_fill_page(uint64_t pa)
{
    uint8_t *page = at_pa(pa);
    uint64_t i;

    *(uint16_t *)(page + PROBE_RETURN) = PROBE_BREAKPOINT;
    for (i = 0; i < boot->probes; i++)
        memcpy(page + PROBE_SLOTS + i * PROBE_SLOT_BYTES, boot->probe[i].slot, PROBE_SLOT_BYTES);
    __asm__ volatile("fence.i" : : : "memory");
}

/* Sections whose stack is gone have ended without a return: longjmp. */
static void drop_left(struct thread *thread, uint64_t sp)
{
    while (thread->probe_depth > 0 && thread->probe_frame[thread->probe_depth - 1].sp < sp)
        thread->probe_depth--;
}

/* The exit is not seen where there is no memory, or recursion is too deep. */
static void enter(struct thread *thread, uint64_t section)
{
    uint64_t *reg = thread->frame->reg;

    if (thread->probe_frame == NULL) {
        kernel_lock();
        thread->probe_frame = memory_new(PROBE_DEPTH * sizeof *thread->probe_frame);
        kernel_unlock();
    }
    drop_left(thread, reg[REG_SP]);
    if (thread->probe_frame != NULL && thread->probe_depth < PROBE_DEPTH) {
        thread->probe_frame[thread->probe_depth++] =
            (struct probe_frame){reg[REG_RA], reg[REG_SP], section};
        reg[REG_RA] = TRAMPOLINE + PROBE_RETURN;
    }
    reg[REG_PC] = TRAMPOLINE + PROBE_SLOTS + section * PROBE_SLOT_BYTES;
    record(KERNEL_ENTER, thread, 0, KERNEL_REASON_NONE, section);
}

static bool leave(struct thread *thread)
{
    uint64_t *reg = thread->frame->reg;
    const struct probe_frame *frame;

    drop_left(thread, reg[REG_SP]);
    if (thread->probe_depth == 0)
        return false;
    frame = &thread->probe_frame[--thread->probe_depth];
    record(KERNEL_LEAVE, thread, 0, KERNEL_REASON_NONE, frame->section);
    reg[REG_PC] = frame->ret;
    return true;
}

bool probe_hit(struct thread *thread)
{
    uint64_t pc = thread->frame->reg[REG_PC];
    unsigned place;

    if (boot->probes != 0 && pc == TRAMPOLINE + PROBE_RETURN)
        return leave(thread);
    place = places[place_of(pc)];
    if (place != 0)
        enter(thread, place - 1);
    return place != 0;
}

void probes_inherit(struct thread *child, const struct thread *parent)
{
    size_t bytes = PROBE_DEPTH * sizeof *child->probe_frame;

    if (parent->probe_depth == 0)
        return;
    child->probe_frame = memory_new(bytes);
    if (child->probe_frame == NULL)
        panic("no memory for the probes of a child");
    memcpy(child->probe_frame, parent->probe_frame, bytes);
    child->probe_depth = parent->probe_depth;
}

void probes_free(struct thread *thread)
{
    if (thread->probe_frame != NULL)
        memory_free(thread->probe_frame, PROBE_DEPTH * sizeof *thread->probe_frame);
    thread->probe_frame = NULL;
}

/* ---- counters of a thread -------------------------------------------------------------------- */

static uint64_t counter(unsigned index)
{
    return index == 0 ? csr_read(hpmcounter3) : csr_read(hpmcounter4);
}

static void add_counts(const struct hart *hart, struct thread *thread)
{
    unsigned i;

    for (i = 0; i < THREAD_COUNTERS; i++)
        thread->counted[i] += counter(i) - hart->counter_base[i];
}

void thread_counters_switch(struct hart *hart, struct thread *from, const struct thread *to)
{
    unsigned i;

    if ((boot->thread_counters & KERNEL_THREAD_LIMITS) != 0)
        limits_switch(from, to);
    if ((boot->thread_counters & KERNEL_THREAD_COUNTERS) == 0)
        return;
    from->toggle = csr_read(0x5c2);
    csr_write(0x5c2, 0);
    add_counts(hart, from);
    for (i = 0; i < THREAD_COUNTERS; i++)
        hart->counter_base[i] = counter(i);
    csr_write(0x5c2, to->toggle);
}

void thread_counters_end(struct thread *thread)
{
    unsigned i;

    limits_forget(thread);
    if ((boot->thread_counters & KERNEL_THREAD_COUNTERS) == 0)
        return;
    csr_write(0x5c2, 0);
    add_counts(this_hart(), thread);
    for (i = 0; i < THREAD_COUNTERS; i++)
        record(KERNEL_COUNT, thread, i, KERNEL_REASON_NONE, thread->counted[i]);
}
