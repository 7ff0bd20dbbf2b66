/* The scheduler: a run queue for each hart and priority, an idle thread a hart, wake-up, stealing.
 *
 * Real-time threads (1..99) run before all others (0), FIFO until they block, the rest in slices.
 * A thread that a higher one interrupts stays the first of its priority.
 * A thread that wakes goes where it ran last if that hart idles, else to another idle hart, else to
 * one that runs something of lower priority, else it waits where it ran last. A hart without work
 * takes the first thread that may move from the longest queue, but not the only one of a hart that
 * idles only until it runs that thread. A real-time thread that waits elsewhere comes before what
 * waits here with a lower priority. */
#include "file/file.h"
#include "process/process.h"
#include "profile/sampler.h"
#include "profile/section.h"

struct hart harts[HARTS_MAX];
static uint32_t real_time_ready;        /* threads in all queues with a priority above 0 */

/* ---- run queues ------------------------------------------------------------------------------ */

static void enqueue(struct hart *hart, struct thread *thread, bool is_first)
{
    struct list *queue = &hart->ready[thread->priority];

    list_add(is_first ? queue->next : queue, &thread->queue);
    hart->ready_bits[thread->priority / 64] |= UINT64_C(1) << thread->priority % 64;
    hart->ready_count++;
    real_time_ready += thread->priority > 0;
    thread->hart = hart->id;
    thread->state = THREAD_READY;
}

static void dequeue(struct thread *thread)
{
    struct hart *hart = &harts[thread->hart];

    list_remove(&thread->queue);
    hart->ready_count--;
    real_time_ready -= thread->priority > 0;
    if (list_is_empty(&hart->ready[thread->priority]))
        hart->ready_bits[thread->priority / 64] &= ~(UINT64_C(1) << thread->priority % 64);
}

static int highest_ready(const struct hart *hart)
{
    int priority;

    if (hart->ready_bits[1] == 0 && hart->ready_bits[0] <= 1)
        return (int)hart->ready_bits[0] - 1;
    for (priority = PRIORITIES - 1; list_is_empty(&hart->ready[priority]); priority--)
        ;
    return priority;
}

static bool may_run(const struct thread *thread, uint32_t hart)
{
    return (thread->affinity >> hart & 1) != 0;
}

/* The first on `from` that may run on the hart, of a priority higher than `above`. */
static struct thread *first_for(const struct hart *from, uint32_t hart, int above)
{
    int priority;

    for (priority = highest_ready(from); priority > above; priority--) {
        const struct list *queue = &from->ready[priority], *at;

        for (at = queue->next; at != queue; at = at->next)
            if (may_run(container_of(at, struct thread, queue), hart))
                return container_of(at, struct thread, queue);
    }
    return NULL;
}

static bool is_better(const struct thread *thread, const struct thread *than)
{
    return than == NULL || thread->priority > than->priority ||
           (thread->priority == than->priority &&
            harts[thread->hart].ready_count > harts[than->hart].ready_count);
}

/* An idle hart has been told to run the thread that it got. */
static bool will_run_all(const struct hart *hart)
{
    return hart->current == &hart->idle && hart->ready_count == 1;
}

static struct thread *steal(const struct hart *hart, int above)
{
    struct thread *best = NULL;
    uint32_t i;

    for (i = 1; i < boot->harts; i++) {
        const struct hart *other = &harts[(hart->id + i) % boot->harts];
        struct thread *thread = will_run_all(other) ? NULL : first_for(other, hart->id, above);

        if (thread != NULL && is_better(thread, best))
            best = thread;
    }
    return best;
}

static struct thread *choose(struct hart *hart)
{
    int priority = highest_ready(hart);
    struct thread *thread = priority < 0 || real_time_ready > 0 ? steal(hart, priority) : NULL;

    if (thread != NULL)
        record(KERNEL_MIGRATE, thread, 0, KERNEL_REASON_NONE, hart->id);
    else if (priority >= 0)
        thread = container_of(hart->ready[priority].next, struct thread, queue);
    else
        return &hart->idle;
    dequeue(thread);
    return thread;
}

/* ---- switching ------------------------------------------------------------------------------- */

static void slice_is_over(struct timer *timer)
{
    (void)timer;
    this_hart()->resched = this_hart()->turn_is_over = true;
}

static void arm_slice(struct hart *hart)
{
    const struct thread *thread = hart->current;
    bool is_sliced = thread != &hart->idle && thread->policy != POLICY_FIFO &&
                     highest_ready(hart) >= thread->priority;

    if (!is_sliced)
        timer_disarm(&hart->slice);
    else if (hart->slice.when == NEVER)
        timer_arm(&hart->slice, now() + ns_to_ticks(boot->slice_ns));
}

static void leave(struct hart *hart, struct thread *thread)
{
    enum { FS_DIRTY = 3 << 13, FS_CLEAN = 2 << 13 };

    thread->busy_ticks += now() - thread->began;
    thread_leaves(thread);
    if (thread != &hart->idle && (csr_read(sstatus) & FS_DIRTY) == FS_DIRTY) {
        fp_save(thread->fp);
        thread->fp_hart = hart->id;
        hart->fp_owner = thread;
        csr_clear(sstatus, FS_DIRTY & ~FS_CLEAN);
    }
}

static void enter(struct hart *hart, struct thread *thread)
{
    enum { FS_DIRTY = 3 << 13, FS_CLEAN = 2 << 13 };

    hart->current = thread;
    hart->resched = false;
    thread->state = THREAD_RUNNING;
    thread->hart = hart->id;
    thread->began = thread->entered = now();
    thread->switches++;
    csr_write(CSR_PROF_THREAD, thread->tid);
    timer_disarm(&hart->slice);
    if (thread->process == NULL) {
        space_use(NULL);
        return;
    }
    arm_slice(hart);
    hart->frame = thread->frame;
    space_use(thread->process->space);
    if (hart->fp_owner != thread || thread->fp_hart != hart->id) {
        csr_set(sstatus, FS_DIRTY);
        fp_restore(thread->fp);
        csr_clear(sstatus, FS_DIRTY & ~FS_CLEAN);
        hart->fp_owner = thread;
        thread->fp_hart = hart->id;
    }
}

void fp_keep(struct thread *thread)
{
    enum { FS_DIRTY = 3 << 13 };

    if ((csr_read(sstatus) & FS_DIRTY) == FS_DIRTY)
        fp_save(thread->fp);
}

static void free_dead(struct hart *hart)
{
    struct thread *dead = hart->dead;

    hart->dead = NULL;
    if (dead == NULL)
        return;
    probes_free(dead);
    stack_free(dead->stack);
    memory_free(dead, sizeof *dead);
}

static void switch_measurements(struct thread *from, const struct thread *to)
{
    uint64_t in_use = own_in_use();

    if (words_are_wanted())
        words_switch(from, to);
    if (in_use != 0 || from->own != NULL || to->own != NULL)
        own_switch(from, to, in_use);
}

void schedule(void)
{
    struct hart *hart = this_hart();
    struct thread *from = hart->current, *to;
    bool is_ready = from != &hart->idle && from->state == THREAD_RUNNING;

    if (is_ready && may_run(from, hart->id))
        enqueue(hart, from, !hart->turn_is_over);
    else if (is_ready)
        thread_start(from);
    hart->turn_is_over = false;
    to = choose(hart);
    if (to == from) {
        from->state = THREAD_RUNNING;
        hart->resched = false;
        timer_disarm(&hart->slice);
        arm_slice(hart);
        return;
    }
    if (hart->sampler != NULL && sampler_switch(hart, from, to)) {
        enqueue(hart, to, true);
        sampler_backend(hart);
        to = choose(hart);
    }
    record(KERNEL_SWITCH, from, to->tid,
           is_ready ? KERNEL_REASON_NONE : from->reason, 0);
    leave(hart, from);
    switch_measurements(from, to);
    enter(hart, to);
    context_switch(&from->context, &to->context);
    free_dead(this_hart());
}

void sched_exit(void)
{
    struct hart *hart = this_hart();

    hart->current->reason = KERNEL_REASON_EXIT;
    hart->dead = hart->current;
    if (hart->fp_owner == hart->current)
        hart->fp_owner = NULL;
    schedule();
    panic("a thread ran after its end");
}

void thread_began(void)
{
    free_dead(this_hart());
}

void thread_first_steps(void)
{
    thread_began();
    signal_deliver(current());
    thread_leaves(current());
    kernel_unlock();
    trap_return(current()->frame);
}

void thread_prepare(struct thread *thread)
{
    thread->context.ra = (uint64_t)thread_entry + THREAD_BEGIN;
    thread->context.sp = (uint64_t)thread->frame;
    thread->fp_hart = HARTS_MAX;
}

/* ---- waking ---------------------------------------------------------------------------------- */

/* Rates the hart for the thread: an idle one is best, then one that runs a lower priority; -1: the
 * thread may not run there. */
static int welcome(const struct thread *thread, const struct hart *hart)
{
    if (!may_run(thread, hart->id))
        return -1;
    if (hart->current == &hart->idle && hart->ready_count == 0)
        return 1000;
    return PRIORITIES + thread->priority - hart->current->priority - (int)hart->ready_count / 4;
}

static struct hart *place(const struct thread *thread)
{
    struct hart *best = &harts[thread->hart % boot->harts];
    int most = welcome(thread, best);
    uint32_t i;

    for (i = 1; i < boot->harts && most < 1000; i++) {
        struct hart *hart = &harts[(thread->hart + i) % boot->harts];
        int value = welcome(thread, hart);

        if (value > most) {
            most = value;
            best = hart;
        }
    }
    return best;
}

/* The hart runs a thread that must take turns with this one, and has no slices as yet. */
static bool begins_slices(const struct hart *hart, const struct thread *thread)
{
    return hart->slice.when == NEVER && hart->current->priority == thread->priority &&
           hart->current->policy != POLICY_FIFO;
}

static void make_ready(struct thread *thread, enum kernel_reason reason)
{
    struct hart *hart = place(thread);

    if (hart->id != thread->hart)
        record(KERNEL_MIGRATE, thread, 0, KERNEL_REASON_NONE, hart->id);
    enqueue(hart, thread, false);
    record(KERNEL_WAKE, thread, current()->tid, reason, hart->id);
    if (hart->current == &hart->idle || hart->current->priority < thread->priority) {
        hart->resched = true;
        if (hart != this_hart())
            ipi_send(hart->id);
    } else if (hart == this_hart()) {
        arm_slice(hart);
    } else if (begins_slices(hart, thread)) {
        ipi_send(hart->id);
    }
}

void thread_start(struct thread *thread)
{
    thread->state = THREAD_BLOCKED;
    make_ready(thread, KERNEL_REASON_NONE);
}

/* A signal that may end its block is due. */
static bool hears(const struct thread *thread)
{
    return thread->heard == HEARS_ALL ||
           (thread->heard == HEARS_FATAL && signal_is_fatal(thread));
}

void thread_wake(struct thread *thread, enum wake wake)
{
    if (thread->state != THREAD_BLOCKED || (wake == WAKE_SIGNAL && !hears(thread)))
        return;
    thread->wake = wake;
    timer_disarm(&thread->timeout);
    make_ready(thread, wake == WAKE_EVENT ? KERNEL_REASON_NONE
                       : wake == WAKE_TIMEOUT ? KERNEL_REASON_SLEEP : KERNEL_REASON_SIGNAL);
}

static void time_is_up(struct timer *timer)
{
    thread_wake(container_of(timer, struct thread, timeout), WAKE_TIMEOUT);
}

enum wake thread_block(enum kernel_reason reason, uint64_t value, uint64_t deadline,
                       enum heard heard)
{
    struct thread *thread = current();

    thread->heard = heard;
    if (hears(thread) && signal_is_due(thread))
        return WAKE_SIGNAL;
    if (deadline <= now())
        return WAKE_TIMEOUT;
    thread->reason = reason;
    thread->timeout.fire = time_is_up;
    timer_arm(&thread->timeout, deadline);
    thread->state = THREAD_BLOCKED;
    record(KERNEL_BLOCK, thread, 0, reason, value);
    schedule();
    return thread->wake;
}

void thread_yield(void)
{
    this_hart()->turn_is_over = true;
    schedule();
}

void thread_replace(struct thread *thread)
{
    if (thread->state == THREAD_READY) {
        dequeue(thread);
        thread_start(thread);
    } else if (thread->state == THREAD_RUNNING) {
        harts[thread->hart].resched = harts[thread->hart].turn_is_over = true;
        if (thread->hart != this_hart()->id)
            ipi_send(thread->hart);
    }
}

void thread_requeue(struct thread *thread, uint8_t policy, uint8_t priority)
{
    dequeue(thread);                    /* its count is of the old priority */
    thread->policy = policy;
    thread->priority = priority;
    thread_start(thread);
}

uint64_t thread_busy_ticks(const struct thread *thread)
{
    return thread->busy_ticks + (thread->state == THREAD_RUNNING ? now() - thread->began : 0);
}

/* Another hart's thread may be on its way in or out. */
uint64_t thread_user_ticks(const struct thread *thread)
{
    uint64_t busy = thread_busy_ticks(thread), entered = thread->entered;
    uint64_t kernel = thread->kernel_ticks;

    if (thread->state == THREAD_RUNNING && entered != 0)
        kernel += now() - entered;
    return busy > kernel ? busy - kernel : 0;
}

/* ---- harts ----------------------------------------------------------------------------------- */

void sched_init_hart(struct hart *hart, uint32_t id)
{
    unsigned i;

    hart->id = id;
    for (i = 0; i < PRIORITIES; i++)
        list_init(&hart->ready[i]);
    list_init(&hart->timers);
    list_init(&hart->slice.link);
    hart->slice.when = NEVER;
    hart->slice.fire = slice_is_over;
    hart->current = &hart->idle;
    hart->idle.state = THREAD_RUNNING;
    hart->idle.hart = id;
    hart->idle.reason = KERNEL_REASON_NONE;
    hart->alarm = NEVER;
    timer_set_sample(hart, NEVER);
    csr_write(sie, 0x2022);
}

/* A supervisor software, timer or counter interrupt is pending, or several. */
void interrupt(uint64_t cause)
{
    (void)cause;
    csr_clear(sip, 2);
    timers_run();
    outside_interrupt();
    if (this_hart()->sampler != NULL)
        sampler_interrupt(this_hart());
    arm_slice(this_hart());
}

_Noreturn void hart_idle(void)
{
    for (;;) {
        schedule();
        kernel_unlock();
        do
            __asm__ volatile("wfi" : : : "memory");
        while (sampler_alone(this_hart()));
        kernel_lock();
        interrupt(0);
    }
}
