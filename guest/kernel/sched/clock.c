/* Clocks, sleeping, and times used. */
#include "process/process.h"
#include "syscall/syscall.h"

#define NS UINT64_C(1000000000)
enum { REALTIME = 0, MONOTONIC = 1, PROCESS_CPU = 2, THREAD_CPU = 3, MONOTONIC_RAW = 4,
       REALTIME_COARSE = 5, MONOTONIC_COARSE = 6, BOOTTIME = 7, REALTIME_ALARM = 8,
       BOOTTIME_ALARM = 9, TAI = 11, ABSOLUTE = 1 };

int64_t clock_read_time(uint64_t va, uint64_t *ns)
{
    int64_t time[2];

    if (!user_read(va, time, sizeof time))
        return -EFAULT;
    if (time[0] < 0 || time[1] < 0 || time[1] >= (int64_t)NS)
        return -EINVAL;
    *ns = time[0] > INT64_MAX / (int64_t)NS - 1 ? INT64_MAX
                                                : (uint64_t)time[0] * NS + (uint64_t)time[1];
    return 0;
}

bool clock_write_time(uint64_t va, uint64_t ns)
{
    uint64_t time[2] = {ns / NS, ns % NS};

    return user_write(va, time, sizeof time);
}

uint64_t process_busy_ticks(const struct process *process)
{
    const struct list *at;
    uint64_t ticks = process->busy_ticks;

    for (at = process->threads.next; at != &process->threads; at = at->next)
        ticks += thread_busy_ticks(container_of(at, struct thread, sibling));
    return ticks;
}

uint64_t process_user_ticks(const struct process *process)
{
    const struct list *at;
    uint64_t ticks = process->user_ticks;

    for (at = process->threads.next; at != &process->threads; at = at->next)
        ticks += thread_user_ticks(container_of(at, struct thread, sibling));
    return ticks;
}

/* pthread_getcpuclockid: the number names the thread or process of the time. */
static bool read_other_clock(uint64_t clock, uint64_t *ns)
{
    uint32_t id = ~(uint32_t)((int32_t)clock >> 3);
    const struct thread *thread;
    const struct process *process;

    if ((int32_t)clock >= 0 || (clock & 3) == 3)
        return false;
    if (clock & 4) {
        thread = id == 0 ? current() : thread_find(id);
        *ns = thread != NULL ? ticks_to_ns(thread_busy_ticks(thread)) : 0;
        return thread != NULL;
    }
    process = id == 0 ? current()->process : process_find(id);
    *ns = process != NULL ? ticks_to_ns(process_busy_ticks(process)) : 0;
    return process != NULL;
}

bool clock_read(uint64_t clock, uint64_t *ns)
{
    switch (clock) {
    case REALTIME:
    case REALTIME_COARSE:
    case REALTIME_ALARM:
    case TAI: *ns = boot->epoch_seconds * NS + ticks_to_ns(now()); return true;
    case MONOTONIC:
    case MONOTONIC_RAW:
    case MONOTONIC_COARSE:
    case BOOTTIME:
    case BOOTTIME_ALARM: *ns = ticks_to_ns(now()); return true;
    case PROCESS_CPU: *ns = ticks_to_ns(process_busy_ticks(current()->process)); return true;
    case THREAD_CPU: *ns = ticks_to_ns(thread_busy_ticks(current())); return true;
    default: return read_other_clock(clock, ns);
    }
}

static uint64_t later(uint64_t ticks)
{
    uint64_t from = now();

    return ticks > (uint64_t)INT64_MAX - from ? NEVER - 1 : from + ticks;
}

int64_t clock_deadline(uint64_t va, uint64_t *deadline)
{
    uint64_t ns;
    int64_t err = va != 0 ? clock_read_time(va, &ns) : 0;

    *deadline = NEVER;
    if (err == 0 && va != 0)
        *deadline = later(ns_to_ticks(ns));
    return err;
}

int64_t clock_absolute(uint64_t clock, uint64_t ns, uint64_t *deadline)
{
    uint64_t value;

    if (!clock_read(clock, &value))
        return -EINVAL;
    *deadline = ns <= value ? now() : later(ns_to_ticks(ns - value));
    return 0;
}

int64_t sys_clock_gettime(struct thread *thread, const uint64_t arg[6])
{
    uint64_t ns;

    (void)thread;
    if (!clock_read((uint32_t)arg[0], &ns) && !clock_read(arg[0], &ns))
        return -EINVAL;
    return clock_write_time(arg[1], ns) ? 0 : -EFAULT;
}

int64_t sys_clock_getres(struct thread *thread, const uint64_t arg[6])
{
    uint64_t ns;

    (void)thread;
    if (!clock_read(arg[0], &ns))
        return -EINVAL;
    ns = boot->tick_ns_up / boot->tick_ns_down;
    return arg[1] == 0 || clock_write_time(arg[1], ns > 0 ? ns : 1) ? 0 : -EFAULT;
}

int64_t sys_gettimeofday(struct thread *thread, const uint64_t arg[6])
{
    uint64_t ns = 0, time[2], zone = 0;

    (void)thread;
    clock_read(REALTIME, &ns);
    time[0] = ns / NS;
    time[1] = ns % NS / 1000;
    return (arg[0] == 0 || user_write(arg[0], time, sizeof time)) &&
           (arg[1] == 0 || user_write(arg[1], &zone, sizeof zone)) ? 0 : -EFAULT;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static int64_t sleep_until(struct thread *thread, uint64_t deadline, uint64_t left_va)
{
    uint64_t at;

    if (thread->kept_deadline != 0)
        deadline = thread->kept_deadline;
    if (thread_block(KERNEL_REASON_SLEEP, deadline, deadline, HEARS_ALL) != WAKE_SIGNAL)
        return 0;
    thread->kept_deadline = deadline;
    at = now();
    if (left_va != 0 && !clock_write_time(left_va, at < deadline ? ticks_to_ns(deadline - at) : 0))
        return -EFAULT;
    return -ERESTART_NOHAND;
}

int64_t sys_nanosleep(struct thread *thread, const uint64_t arg[6])
{
    uint64_t deadline;
    int64_t err = arg[0] == 0 ? -EFAULT : clock_deadline(arg[0], &deadline);

    return err != 0 ? err : sleep_until(thread, deadline, arg[1]);
}

int64_t sys_clock_nanosleep(struct thread *thread, const uint64_t arg[6])
{
    uint64_t ns, deadline, value;
    int64_t err = clock_read_time(arg[2], &ns);

    if (!clock_read(arg[0], &value))
        return -EINVAL;
    if (arg[0] == THREAD_CPU)
        return -EOPNOTSUPP;
    if (err != 0)
        return err;
    if (!(arg[1] & ABSOLUTE))
        return sleep_until(thread, later(ns_to_ticks(ns)), arg[3]);
    err = clock_absolute(arg[0], ns, &deadline);
    return err != 0 ? err : sleep_until(thread, deadline, 0);
}

/* ---- times used ------------------------------------------------------------------------------ */

int64_t sys_times(struct thread *thread, const uint64_t arg[6])
{
    uint64_t tick = NS / 100;
    uint64_t user = process_user_ticks(thread->process);
    uint64_t kernel = process_busy_ticks(thread->process) - user;
    uint64_t child_user = thread->process->child_user_ticks;
    uint64_t child_kernel = thread->process->child_ticks - child_user;
    uint64_t tms[4] = {ticks_to_ns(user) / tick, ticks_to_ns(kernel) / tick,
                       ticks_to_ns(child_user) / tick, ticks_to_ns(child_kernel) / tick};

    if (arg[0] != 0 && !user_write(arg[0], tms, sizeof tms))
        return -EFAULT;
    return (int64_t)(ticks_to_ns(now()) / tick);
}

/* As a struct timeval. */
static void put_time(uint64_t time[2], uint64_t ticks)
{
    uint64_t us = ticks_to_ns(ticks) / 1000;

    time[0] = us / 1000000;
    time[1] = us % 1000000;
}

bool clock_write_usage(uint64_t va, uint64_t busy, uint64_t user, uint64_t switches)
{
    uint64_t usage[18] = {[16] = switches};

    put_time(usage, user);
    put_time(usage + 2, busy - user);
    return user_write(va, usage, sizeof usage);
}

int64_t sys_getrusage(struct thread *thread, const uint64_t arg[6])
{
    const struct process *process = thread->process;
    uint64_t user, busy;

    switch ((int32_t)arg[0]) {
    case 0: user = process_user_ticks(process); busy = process_busy_ticks(process); break;
    case -1: user = process->child_user_ticks; busy = process->child_ticks; break;
    case 1: user = thread_user_ticks(thread); busy = thread_busy_ticks(thread); break;
    default: return -EINVAL;
    }
    return clock_write_usage(arg[1], busy, user, thread->switches) ? 0 : -EFAULT;
}
