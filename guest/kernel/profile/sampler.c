/* Sampling of idle harts; see sampler.h. The parts, in order of a sample: the interrupt handler,
 * the scheduler monitor, the notification and its second-level handler, the sampler thread. */
#include "profile/sampler.h"

#include "pmu/monitor/monitor.h"
#include "process/process.h"

enum {
    SELECT_COUNTER = 0x40 + SAMPLER_COUNTER,    /* siselect; Smcdeleg */
    SOFTWARE = 1 << 1, LCOFI = 1 << 13,
    THREADS_SHARE = 4,                          /* of what a sample takes */
};

static struct sampler samplers[HARTS_MAX];
bool samples_are_off;

static bool is_monitored(const struct kernel_sampler *area, const struct thread *thread)
{
    uint64_t i;

    if (thread->process == NULL)
        return false;                   /* the idle thread, a sampler, one that ends */
    for (i = 0; i < area->threads; i++)
        if (area->thread[i] == thread->tid)
            return true;
    return area->threads == 0;
}

/* ---- the next sample ------------------------------------------------------------------------- */

/* The part of the period that a sample took, up to now. If it leaves less than a quarter, periods
 * are left out until the next sample: the threads then have several times what samples take. */
static uint64_t periods_after(struct kernel_sampler *area, uint64_t taken)
{
    uint64_t periods;

    if (taken == 0 || !monitor_took_period(taken, area->period))
        return 1;
    taken = taken < area->handler_most ? taken : area->handler_most;
    periods = (THREADS_SHARE * taken - 1) / area->period + 1;
    area->throttled += periods - 1;
    return periods;
}

static void rearm_event(struct kernel_sampler *area)
{
    uint64_t periods;

    csr_write(0x150, SELECT_COUNTER);           /* siselect, sireg, sireg2 */
    periods = periods_after(area, csr_read(0x151));
    if (periods == 1)                           /* it has counted on */
        csr_write(0x151, monitor_next_period(csr_read(0x151), area->period));
    else
        csr_write(0x151, 0 - periods * area->period);
    csr_write(0x152, area->event);
}

/* The next sample is due one period after the last was due, however late that was taken; if that
 * time has passed, one period from now. */
static void rearm(struct sampler *sampler)
{
    struct kernel_sampler *area = sampler->area;
    uint64_t time = now(), periods;

    if (sampler->is_armed)
        return;
    sampler->is_armed = true;
    if (area->event != 0) {
        rearm_event(area);
        return;
    }
    periods = time > sampler->due ? periods_after(area, time - sampler->due) : 1;
    sampler->due += area->period;
    if (periods > 1 || sampler->due <= time)
        sampler->due = time + periods * area->period;
    timer_set_sample(this_hart(), sampler->due);
}

/* ---- the notification ------------------------------------------------------------------------ */

/* From now on the thread runs on this hart only; a target does not run at present. */
static void pin(struct thread *thread, const struct hart *hart)
{
    thread->kept_affinity = thread->affinity;
    thread->affinity = UINT64_C(1) << hart->id;
    thread->is_pinned = true;
    if (thread->hart != hart->id)
        thread_replace(thread);
}

static void unpin(struct thread *thread)
{
    thread->affinity = thread->kept_affinity;
    thread->is_pinned = false;
    if ((thread->affinity >> thread->hart & 1) == 0)
        thread_replace(thread);         /* somebody set another affinity meanwhile */
}

static bool has_kept_stack(const struct thread *thread)
{
    return thread->sample_leaf != 0 && thread->sample_switches == thread->switches;
}

/* The thread's process has left the session that it was started in, as daemon(3) does. */
static bool is_daemon(const struct thread *thread)
{
    return thread->process->session != FIRST_PID;
}

/* Threads that may come next on this hart: they ran here last, and wait; their stacks are not yet
 * kept, and those taken before could be walked. */
static void choose_ahead(struct sampler *sampler, const struct hart *hart)
{
    const struct list *at, *each;

    sampler->ahead_count = 0;
    for (at = processes.next; at != &processes; at = at->next) {
        const struct process *process = container_of(at, struct process, link);

        for (each = process->threads.next; each != &process->threads; each = each->next) {
            struct thread *thread = container_of(each, struct thread, sibling);

            if (sampler->ahead_count < AHEAD_MAX && thread->state == THREAD_BLOCKED &&
                thread->hart == hart->id && !thread->is_pinned && !thread->has_no_stack &&
                !has_kept_stack(thread) && is_monitored(sampler->area, thread) &&
                !((sampler->area->modes & SAMPLER_NO_DAEMONS) && is_daemon(thread)))
                sampler->ahead[sampler->ahead_count++] = thread;
        }
    }
}

static void second_level(struct hart *hart)
{
    struct sampler *sampler = hart->sampler;
    unsigned i;

    if (sampler->takes_ahead)
        choose_ahead(sampler, hart);
    if (sampler->target == NULL && sampler->ahead_count == 0) {
        rearm(sampler);
        return;
    }
    sampler->is_outstanding = true;
    if (sampler->target != NULL)
        pin(sampler->target, hart);
    for (i = 0; i < sampler->ahead_count; i++)
        if (sampler->ahead[i] != sampler->target)
            pin(sampler->ahead[i], hart);
    thread_wake(sampler->thread, WAKE_EVENT);
}

static void notify(struct sampler *sampler, struct thread *target, enum sampler_kind kind)
{
    sampler->target = target;
    sampler->target_switches = target->switches;
    sampler->kind = kind;
    sampler->backend = second_level;
}

void sampler_backend(struct hart *hart)
{
    void (*backend)(struct hart *) = hart->sampler->backend;

    hart->sampler->backend = NULL;
    if (backend != NULL)
        backend(hart);
}

/* ---- the interrupt handler ------------------------------------------------------------------- */

/* The thread whose stack a sample of the idle hart needs. NULL: none; *leaf is then that of a stack
 * taken before, or 0, where there is no thread or it has gone on elsewhere. */
static struct thread *wanted(const struct sampler *sampler, uint32_t *leaf)
{
    struct thread *last = sampler->last;

    *leaf = 0;
    if (!(sampler->area->modes & SAMPLER_TO_IDLE) || last == NULL ||
        last->state == THREAD_RUNNING || last->is_pinned)
        return NULL;
    *leaf = sampler->last_leaf;
    return *leaf == 0 ? last : NULL;
}

static void sample_to_idle(struct sampler *sampler, struct thread *thread, uint32_t leaf)
{
    if (thread != NULL) {
        notify(sampler, thread, SAMPLER_KIND_TO);
    } else if (leaf != 0) {
        sampler->node[leaf].count[SAMPLER_KIND_TO]++;
        sampler->area->repeated++;
    } else {
        sampler->area->no_thread++;
    }
}

/* Counts the stack of the thread that ran first after the idle hart's last sample, kept then. */
static void count_first(struct sampler *sampler)
{
    if (!sampler->has_first)
        return;
    sampler->has_first = false;
    if (sampler->first_leaf != 0)
        sampler->node[sampler->first_leaf].count[SAMPLER_KIND_FROM]++;
    else
        sampler->area->missed++;
}

static void sample_idle(struct sampler *sampler, struct thread *thread, uint32_t leaf)
{
    uint64_t modes = sampler->area->modes;

    sampler->area->idle++;
    if (modes & SAMPLER_TO_IDLE)
        sample_to_idle(sampler, thread, leaf);
    if (modes & SAMPLER_FROM_IDLE)
        sampler->is_deferred = true;
    if (modes & SAMPLER_AHEAD) {
        sampler->takes_ahead = true;
        sampler->backend = second_level;
    }
}

/* thread, leaf: of `wanted`, for an idle hart. */
static void sample(struct hart *hart, struct thread *thread, uint32_t leaf)
{
    struct sampler *sampler = hart->sampler;

    sampler->is_armed = false;
    timer_set_sample(hart, NEVER);
    if (samples_are_off) {
        sampler->has_first = sampler->is_deferred = false;
        rearm(sampler);
        return;
    }
    sampler->area->samples++;
    count_first(sampler);
    if (hart->current == &hart->idle)
        sample_idle(sampler, thread, leaf);
    else
        sampler->area->busy++;
    if (sampler->backend == NULL)
        rearm(sampler);                 /* else when the stack has been taken */
}

static void sample_with_lock(struct hart *hart)
{
    uint32_t leaf;
    struct thread *thread = wanted(hart->sampler, &leaf);

    sample(hart, thread, leaf);
}

/* Harts sample in turn. */
static void start(struct hart *hart)
{
    struct sampler *sampler = hart->sampler;

    sampler->is_started = true;
    sampler->due = now() + sampler->area->period * hart->id / boot->harts;
    rearm(sampler);
}

/* Other harts clear `last` and change its thread meanwhile: what is read is true of one moment. */
bool sampler_take_alone(struct hart *hart)
{
    const struct sampler *sampler = hart->sampler;
    bool is_idle = hart->current == &hart->idle;
    struct thread *thread = NULL;
    uint32_t leaf = 0;

    if (!sampler->is_started && is_idle) {      /* all at once, and the first thread wants to run */
        csr_clear(sip, SOFTWARE);
        start(hart);
        return !hart->resched;
    }
    if (!sampler->is_started)
        return false;
    if (hart->sample_due > now() || hart->alarm <= now() || hart->resched ||
        (csr_read(sip) & (SOFTWARE | LCOFI)) != 0)
        return false;
    if (is_idle && (sampler->area->modes & SAMPLER_AHEAD))
        return false;
    if (is_idle)
        thread = wanted(sampler, &leaf);
    if (thread != NULL)
        return false;
    sample(hart, NULL, leaf);
    return true;
}

void sampler_interrupt(struct hart *hart)
{
    struct sampler *sampler = hart->sampler;

    if (!sampler->is_started) {
        start(hart);
    } else if (sampler->area->event != 0 && (csr_read(sip) & LCOFI) != 0) {
        csr_clear(sip, LCOFI);
        sample_with_lock(hart);
    } else if (hart->sample_due <= now()) {
        sample_with_lock(hart);
    }
    sampler_backend(hart);
}

/* ---- the scheduler monitor ------------------------------------------------------------------- */

static void remember(struct hart *hart, struct thread *thread)
{
    uint32_t i;

    for (i = 0; i < boot->harts; i++)
        if (samplers[i].last == thread)
            samplers[i].last = NULL;
    hart->sampler->last = thread;
    hart->sampler->last_leaf = 0;
}

bool sampler_switch(struct hart *hart, struct thread *from, struct thread *to)
{
    struct sampler *sampler = hart->sampler;

    if (is_monitored(sampler->area, from))
        remember(hart, from);
    if (!sampler->is_deferred || sampler->is_outstanding || !is_monitored(sampler->area, to))
        return false;
    sampler->is_deferred = false;
    if (sampler->area->modes & SAMPLER_AHEAD) {
        sampler->has_first = true;
        sampler->first_leaf = has_kept_stack(to) && to->sample_hart == hart->id ? to->sample_leaf
                                                                               : 0;
        return false;
    }
    notify(sampler, to, SAMPLER_KIND_FROM);
    return true;
}

void sampler_forget(const struct thread *thread)
{
    uint32_t i;

    for (i = 0; i < boot->harts; i++)
        if (samplers[i].last == thread)
            samplers[i].last = NULL;
    this_hart()->sampler->last = NULL;  /* the thread that ran last has no stack any more */
}

/* ---- the sampler thread ---------------------------------------------------------------------- */

/* Takes all requested stacks. Without the lock: other harts go on. */
static void take_stacks(struct sampler *sampler, const struct hart *hart)
{
    bool is_whole;
    unsigned i;

    if (sampler->target != NULL) {
        uint32_t leaf = sample_tree_add(sampler, sampler->target, &is_whole);

        if (leaf != 0)
            sampler->node[leaf].count[sampler->kind]++;
        if (sampler->kind == SAMPLER_KIND_TO)
            sampler->last_leaf = leaf;
    }
    for (i = 0; i < sampler->ahead_count; i++) {
        struct thread *thread = sampler->ahead[i];

        thread->sample_leaf = sample_tree_add(sampler, thread, &is_whole);
        thread->sample_switches = thread->switches;
        thread->sample_hart = hart->id;
        thread->has_no_stack = !is_whole;
    }
}

/* Frees the targets to run anywhere, and then lets the next sample come. */
static void complete(struct sampler *sampler)
{
    unsigned i;

    if (sampler->target != NULL) {
        if (sampler->target->switches != sampler->target_switches)
            panic("a thread ran while its stack was taken");
        record(KERNEL_SAMPLE, sampler->target, sampler->thread->tid, KERNEL_REASON_NONE,
               sampler->kind);
        unpin(sampler->target);
    }
    for (i = 0; i < sampler->ahead_count; i++)
        if (sampler->ahead[i]->is_pinned)
            unpin(sampler->ahead[i]);
    sampler->target = NULL;
    sampler->ahead_count = 0;
    sampler->takes_ahead = false;
    sampler->is_outstanding = false;
    rearm(sampler);
}

static _Noreturn void sampler_main(void)
{
    struct hart *hart = this_hart();
    struct sampler *sampler = hart->sampler;

    thread_began();
    for (;;) {
        kernel_unlock();
        take_stacks(sampler, hart);
        kernel_lock();
        complete(sampler);
        thread_block(KERNEL_REASON_NONE, 0, NEVER, HEARS_NONE);
    }
}

/* ---- the start ------------------------------------------------------------------------------- */

static struct thread *new_thread(uint32_t hart)
{
    struct thread *thread = memory_new(sizeof *thread);
    uint8_t *stack = stack_new();

    if (thread == NULL || stack == NULL)
        return NULL;
    thread->stack = stack;
    thread->tid = KERNEL_SAMPLER_TID + hart;
    thread->state = THREAD_BLOCKED;
    thread->policy = POLICY_FIFO;
    thread->priority = PRIORITY_SAMPLER;
    thread->hart = hart;
    thread->affinity = UINT64_C(1) << hart;
    list_init(&thread->queue);
    list_init(&thread->wait);
    list_init(&thread->timeout.link);
    thread->context.ra = (uint64_t)sampler_main;
    thread->context.sp = (uint64_t)(stack + STACK_BYTES);
    return thread;
}

bool sampler_init(void)
{
    struct kernel_sampler *area = at_pa(boot->sampler_pa);
    uint32_t i;

    samples_are_off = (area->modes & SAMPLER_PAUSED) != 0;
    for (i = 0; i < boot->harts; i++) {
        struct sampler *sampler = &samplers[i];

        sampler->area = &area[i];
        sampler->node = at_pa(area[i].nodes_pa);
        area[i].used = 1;
        sampler->thread = new_thread(i);
        if (sampler->thread == NULL)
            return false;
        harts[i].sampler = sampler;
    }
    return true;
}

void sampler_begin(void)
{
    uint32_t i;

    for (i = 0; i < boot->harts; i++)
        ipi_send(i);
}
