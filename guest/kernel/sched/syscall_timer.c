/* setitimer and timer_create: timers that send signals.
 *
 * A timer of processor time is due at a value of the process's or thread's busy_ticks, a virtual
 * one at a value of the process's time in user code. It looks again after the time in which all
 * harts together can reach that value, and at least POLL_NS. SIGEV_THREAD is a matter of the C
 * library: here it is a signal. */
#include "process/process.h"
#include "syscall/syscall.h"

enum { SIGEV_SIGNAL = 0, SIGEV_NONE = 1, SIGEV_THREAD = 2, SIGEV_THREAD_ID = 4, ABSOLUTE = 1,
       TIME_LIMIT = 3, POLL_NS = 100000, PROCESS_CPU = 2, THREAD_CPU = 3, PROCESS_USER = -1 };
#define US UINT64_C(1000000)

/* A timer that is always due would leave the hart no time for anything else. In cycles: a tick has
 * tick_ns_up / 1000 of them. */
static uint64_t least_ticks(void)
{
    enum { LEAST_CYCLES = 20000 };

    return LEAST_CYCLES * 1000 / boot->tick_ns_up + 1;
}

static bool is_cpu_timer(const struct process_timer *own)
{
    return own->clock == PROCESS_CPU || own->clock == THREAD_CPU || own->clock == PROCESS_USER;
}

/* The present, in the time that the timer runs by. */
static uint64_t own_now(const struct process_timer *own)
{
    const struct thread *thread = own->clock == THREAD_CPU ? thread_find(own->maker) : NULL;

    if (own->clock == THREAD_CPU)
        return thread != NULL ? thread_busy_ticks(thread) : 0;
    if (own->clock == PROCESS_USER)
        return process_user_ticks(own->process);
    return own->clock == PROCESS_CPU ? process_busy_ticks(own->process) : now();
}

static void look_again(struct process_timer *own)
{
    uint64_t at = own_now(own), wait = own->due > at ? (own->due - at) / boot->harts : 0;

    if (!is_cpu_timer(own))
        timer_arm(&own->timer, own->due);
    else
        timer_arm(&own->timer, now() + (wait > ns_to_ticks(POLL_NS) ? wait
                                                                    : ns_to_ticks(POLL_NS)));
}

static void add_overruns(struct process_timer *own, uint64_t times)
{
    uint64_t room = INT32_MAX - (uint64_t)own->overruns;

    own->overruns += (uint32_t)(times < room ? times : room);
}

/* Later times of an interval that has begun, up to the present and a little more, are overruns. */
static void arm_again(struct process_timer *own)
{
    uint64_t after = own_now(own) + least_ticks(), times = 1;

    if (own->interval < after - own->due)
        times = (after - own->due + own->interval - 1) / own->interval;
    add_overruns(own, times - 1);
    own->due += times * own->interval;
    look_again(own);
}

static void expire(struct timer *timer)
{
    struct process_timer *own = container_of(timer, struct process_timer, timer);
    struct siginfo info = {.signo = own->signo, .code = own->id < 0 ? SI_KERNEL : SI_TIMER};
    const struct signal_queue *queue = own->target != NULL ? &own->target->signals.queue
                                                           : &own->process->signals;

    if (is_cpu_timer(own) && own_now(own) < own->due) {
        look_again(own);
        return;
    }
    if (own == &own->process->itimer[TIME_LIMIT] && own_now(own) >= own->value)
        info.signo = SIGKILL;
    info.word[0] = (uint32_t)own->id;
    info.word[1] = own->value;
    if (own->signo != 0 && ((own->id >= 0 && signal_is_queued(queue, &info)) ||
                            signal_send(own->process, own->target, &info) != 0))
        add_overruns(own, 1);
    if (own->interval != 0)
        arm_again(own);
}

void process_timer_taken(struct process *process, struct siginfo *info)
{
    uint64_t id = (uint32_t)info->word[0];
    struct process_timer *timer = id < TIMERS_MAX ? process->timer[id] : NULL;

    if (timer == NULL)
        return;
    info->word[0] |= (uint64_t)timer->overruns << 32;
    timer->overruns_told = timer->overruns;
    timer->overruns = 0;
}

/* `due` in the timer's own time; NEVER stops it. */
static void arm(struct process_timer *timer, uint64_t due)
{
    timer->due = due;
    if (due == NEVER)
        timer_disarm(&timer->timer);
    else
        look_again(timer);
}

static uint64_t left(const struct process_timer *timer)
{
    uint64_t at = own_now(timer);

    return timer->timer.when == NEVER ? 0 : timer->due > at ? timer->due - at : 1;
}

/* ---- setitimer ------------------------------------------------------------------------------- */

static bool write_itimer(const struct process_timer *timer, uint64_t va)
{
    uint64_t interval = ticks_to_ns(timer->interval) / 1000;
    uint64_t value = timer->timer.when != NEVER && timer->is_used
                         ? ticks_to_ns(left(timer)) / 1000 : 0;
    uint64_t word[4] = {interval / US, interval % US, value / US, value % US};

    return user_write(va, word, sizeof word);
}

int64_t sys_getitimer(struct thread *thread, const uint64_t arg[6])
{
    if (arg[0] > 2)
        return -EINVAL;
    return write_itimer(&thread->process->itimer[arg[0]], arg[1]) ? 0 : -EFAULT;
}

int64_t sys_setitimer(struct thread *thread, const uint64_t arg[6])
{
    static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    static const int32_t clocks[] = {0, PROCESS_USER, PROCESS_CPU};
    struct process *process = thread->process;
    struct process_timer *timer;
    uint64_t word[4] = {0}, ticks;

    if (arg[0] > 2)
        return -EINVAL;
    if (arg[1] != 0 && !user_read(arg[1], word, sizeof word))
        return -EFAULT;
    if (word[1] >= US || word[3] >= US || (int64_t)word[0] < 0 || (int64_t)word[2] < 0)
        return -EINVAL;
    timer = &process->itimer[arg[0]];
    if (arg[2] != 0 && !write_itimer(timer, arg[2]))
        return -EFAULT;
    timer->process = process;
    timer->is_used = true;
    timer->id = -1;
    timer->signo = signals[arg[0]];
    timer->clock = clocks[arg[0]];
    timer->timer.fire = expire;
    timer->interval = ns_to_ticks((word[0] * US + word[1]) * 1000);
    ticks = ns_to_ticks((word[2] * US + word[3]) * 1000);
    arm(timer, ticks == 0 ? NEVER : own_now(timer) + ticks);
    return 0;
}

/* The timer's value is the hard limit. */
void process_time_limit(struct process *process, uint64_t soft, uint64_t hard)
{
    struct process_timer *timer = &process->itimer[TIME_LIMIT];
    uint64_t second = ns_to_ticks(US * 1000), first = soft < hard ? soft : hard;

    if (timer->process == NULL && first == NEVER)
        return;
    *timer = (struct process_timer){
        .timer = timer->timer, .process = process, .is_used = true, .id = -1, .signo = SIGXCPU,
        .clock = PROCESS_CPU, .interval = second,
        .value = hard < NEVER / second ? hard * second : NEVER};
    timer->timer.fire = expire;
    arm(timer, first < NEVER / second ? first * second : NEVER);
}

/* ---- timer_create ---------------------------------------------------------------------------- */

static struct process_timer *timer_at(const struct thread *thread, uint64_t id)
{
    return id < TIMERS_MAX ? thread->process->timer[id] : NULL;
}

static int64_t set_event(struct process_timer *timer, uint64_t va)
{
    struct { uint64_t value; int32_t signo, notify, tid, pad; } event = {0, SIGALRM, 0, 0, 0};

    if (va != 0 && !user_read(va, &event, sizeof event))
        return -EFAULT;
    if (va == 0)
        event.value = (uint32_t)timer->id;
    if (event.notify != SIGEV_NONE && (event.signo < 1 || event.signo > SIGNALS))
        return -EINVAL;
    if (event.notify != SIGEV_SIGNAL && event.notify != SIGEV_NONE &&
        event.notify != SIGEV_THREAD && event.notify != SIGEV_THREAD_ID)
        return -EINVAL;
    timer->value = event.value;
    timer->signo = event.notify == SIGEV_NONE ? 0 : event.signo;
    if (event.notify == SIGEV_THREAD_ID) {
        timer->target = thread_find((uint32_t)event.tid);
        if (timer->target == NULL || timer->target->process != timer->process)
            return -EINVAL;
    }
    return 0;
}

/* A clock of processor time by its thread or process: the number has the complement of theirs. */
static bool set_cpu_clock(struct process_timer *timer, int32_t clock)
{
    uint32_t id = ~(uint32_t)(clock >> 3);
    bool is_thread = (clock & 4) != 0;
    const struct thread *thread = is_thread && id != 0 ? thread_find(id) : NULL;

    timer->clock = is_thread ? THREAD_CPU : PROCESS_CPU;
    if (!is_thread)
        return id == 0 || id == timer->process->pid;
    if (id != 0)
        timer->maker = id;
    return id == 0 || (thread != NULL && thread->process == timer->process);
}

int64_t sys_timer_create(struct thread *thread, const uint64_t arg[6])
{
    struct process *process = thread->process;
    struct process_timer *timer;
    int32_t id;
    int64_t err;

    if ((int32_t)arg[0] >= 0 ? arg[0] > 11 || arg[0] == 10 : (arg[0] & 3) == 3)
        return -EINVAL;
    for (id = 0; id < TIMERS_MAX && process->timer[id] != NULL; id++)
        ;
    timer = id < TIMERS_MAX ? memory_new(sizeof *timer) : NULL;
    if (timer == NULL)
        return -EAGAIN;
    *timer = (struct process_timer){.process = process, .id = id, .clock = (int32_t)arg[0],
                                     .maker = thread->tid};
    timer->timer.when = NEVER;
    timer->timer.fire = expire;
    list_init(&timer->timer.link);
    err = (int32_t)arg[0] >= 0 || set_cpu_clock(timer, (int32_t)arg[0])
              ? set_event(timer, arg[1]) : -EINVAL;
    if (err == 0 && !user_write(arg[2], &id, sizeof id))
        err = -EFAULT;
    if (err != 0)
        memory_free(timer, sizeof *timer);
    else
        process->timer[id] = timer;
    return err;
}

static bool write_setting(const struct process_timer *timer, uint64_t va)
{
    return clock_write_time(va, ticks_to_ns(timer->interval)) &&
           clock_write_time(va + 16, ticks_to_ns(left(timer)));
}

int64_t sys_timer_gettime(struct thread *thread, const uint64_t arg[6])
{
    const struct process_timer *timer = timer_at(thread, arg[0]);

    if (timer == NULL)
        return -EINVAL;
    return write_setting(timer, arg[1]) ? 0 : -EFAULT;
}

/* A time of the timer's clock, in its own time. Elapsed periods are overruns. */
static uint64_t due_at(struct process_timer *timer, uint64_t value, uint64_t interval_ns)
{
    uint64_t reading = 0, at = own_now(timer), late;

    if (is_cpu_timer(timer))
        reading = ticks_to_ns(at);
    else
        clock_read((uint64_t)timer->clock, &reading);
    if (value > reading)
        return at + ns_to_ticks(value - reading);
    late = reading - value;
    if (interval_ns != 0) {
        add_overruns(timer, late / interval_ns);
        late %= interval_ns;
    }
    late = ns_to_ticks(late);
    return late < at ? at - late : 0;
}

int64_t sys_timer_settime(struct thread *thread, const uint64_t arg[6])
{
    struct process_timer *timer = timer_at(thread, arg[0]);
    uint64_t interval, value, due;
    int64_t err;

    if (timer == NULL || arg[2] == 0)
        return -EINVAL;
    err = clock_read_time(arg[2], &interval);
    err = err == 0 ? clock_read_time(arg[2] + 16, &value) : err;
    if (err != 0)
        return err;
    if (arg[3] != 0 && !write_setting(timer, arg[3]))
        return -EFAULT;
    timer->interval = ns_to_ticks(interval);
    timer->overruns = timer->overruns_told = 0;
    due = arg[1] & ABSOLUTE ? due_at(timer, value, interval) : own_now(timer) + ns_to_ticks(value);
    arm(timer, value == 0 ? NEVER : due);
    return 0;
}

int64_t sys_timer_getoverrun(struct thread *thread, const uint64_t arg[6])
{
    const struct process_timer *timer = timer_at(thread, arg[0]);

    return timer == NULL ? -EINVAL : (int64_t)timer->overruns_told;
}

int64_t sys_timer_delete(struct thread *thread, const uint64_t arg[6])
{
    struct process_timer *timer = timer_at(thread, arg[0]);

    if (timer == NULL)
        return -EINVAL;
    timer_disarm(&timer->timer);
    thread->process->timer[arg[0]] = NULL;
    memory_free(timer, sizeof *timer);
    return 0;
}

/* Their thread ends: they go on without a signal. */
void process_timers_forget(struct process *process, const struct thread *target)
{
    unsigned i;

    for (i = 0; i < TIMERS_MAX; i++)
        if (process->timer[i] != NULL && process->timer[i]->target == target) {
            process->timer[i]->target = NULL;
            process->timer[i]->signo = 0;
        }
}

void process_timers_free(struct process *process)
{
    unsigned i;

    for (i = 0; i <= TIME_LIMIT; i++)
        timer_disarm(&process->itimer[i].timer);
    for (i = 0; i < TIMERS_MAX; i++)
        if (process->timer[i] != NULL) {
            timer_disarm(&process->timer[i]->timer);
            memory_free(process->timer[i], sizeof *process->timer[i]);
            process->timer[i] = NULL;
        }
}
