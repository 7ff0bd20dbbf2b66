/* System calls on time. Guest time is the machine's, from a fixed date on: nothing outside the
 * simulation affects it. A call that sleeps makes the machine let time pass with the hart idle.
 * Processor time excludes sleep. */
#include <errno.h>

#include "sim/run/linux/process_internal.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/* Clock numbers of Linux. */
enum {
    GUEST_REALTIME = 0, GUEST_MONOTONIC = 1, GUEST_PROCESS_CPU = 2, GUEST_THREAD_CPU = 3,
    GUEST_MONOTONIC_RAW = 4, GUEST_REALTIME_COARSE = 5, GUEST_MONOTONIC_COARSE = 6,
    GUEST_BOOTTIME = 7, GUEST_TAI = 11, GUEST_TIMER_ABSTIME = 1, TICKS_PER_SECOND = 100,
};

void process_set_clock(struct process *process, const struct process_options *options)
{
    process->time_ns = options->time_ns;
    process->time_arg = options->time_arg;
    process->epoch_seconds = options->epoch_seconds != 0 ? options->epoch_seconds
                                                         : PROCESS_EPOCH_SECONDS;
}

uint64_t process_now_ns(const struct process *process)
{
    return process->time_ns(process->time_arg);
}

static uint64_t busy_ns(const struct process *process)
{
    uint64_t now = process_now_ns(process);

    return now > process->slept_ns ? now - process->slept_ns : 0;
}

uint64_t process_take_sleep_ns(struct process *process)
{
    uint64_t ns = process->sleep_ns;

    process->sleep_ns = 0;
    return ns;
}

int syscall_read_time(struct process *process, uint64_t va, uint64_t *ns)
{
    int64_t time[2];

    if (!vm_read(&process->vm, va, time, sizeof time)) {
        return -EFAULT;
    }
    if (time[0] < 0 || time[1] < 0 || time[1] >= (int64_t)NS_PER_SECOND) {
        return -EINVAL;
    }
    *ns = time[0] > INT64_MAX / (int64_t)NS_PER_SECOND - 1
              ? INT64_MAX
              : (uint64_t)time[0] * NS_PER_SECOND + (uint64_t)time[1];
    return 0;
}

int64_t syscall_write_time(struct process *process, uint64_t va, uint64_t ns)
{
    uint64_t time[2] = {ns / NS_PER_SECOND, ns % NS_PER_SECOND};

    return vm_write(&process->vm, va, time, sizeof time) ? 0 : -EFAULT;
}


/* False: no such clock. */
static bool read_clock(const struct process *process, uint64_t clock, uint64_t *ns)
{
    switch (clock) {
    case GUEST_REALTIME:
    case GUEST_REALTIME_COARSE:
    case GUEST_TAI: *ns = process->epoch_seconds * NS_PER_SECOND + process_now_ns(process); break;
    case GUEST_MONOTONIC:
    case GUEST_MONOTONIC_RAW:
    case GUEST_MONOTONIC_COARSE:
    case GUEST_BOOTTIME: *ns = process_now_ns(process); break;
    case GUEST_PROCESS_CPU:
    case GUEST_THREAD_CPU: *ns = busy_ns(process); break;
    default: return false;
    }
    return true;
}

int64_t sys_clock_gettime(struct process *process, const uint64_t arg[6])
{
    uint64_t ns;

    return read_clock(process, arg[0], &ns) ? syscall_write_time(process, arg[1], ns) : -EINVAL;
}

int64_t sys_clock_getres(struct process *process, const uint64_t arg[6])
{
    uint64_t ns;

    if (!read_clock(process, arg[0], &ns)) {
        return -EINVAL;
    }
    return arg[1] == 0 ? 0 : syscall_write_time(process, arg[1], 1);
}

int64_t sys_gettimeofday(struct process *process, const uint64_t arg[6])
{
    uint64_t ns, time[2], zone = 0;

    read_clock(process, GUEST_REALTIME, &ns);
    time[0] = ns / NS_PER_SECOND;
    time[1] = ns % NS_PER_SECOND / 1000;
    if ((arg[0] != 0 && !vm_write(&process->vm, arg[0], time, sizeof time)) ||
        (arg[1] != 0 && !vm_write(&process->vm, arg[1], &zone, sizeof zone))) {
        return -EFAULT;
    }
    return 0;
}

/* Time stops before it wraps. */
void process_sleep(struct process *process, uint64_t ns)
{
    uint64_t room = INT64_MAX - process->slept_ns;

    process->sleep_ns = ns < room ? ns : room;
    process->slept_ns += process->sleep_ns;
}

int64_t sys_nanosleep(struct process *process, const uint64_t arg[6])
{
    uint64_t ns;
    int err = syscall_read_time(process, arg[0], &ns);

    if (err == 0) {
        process_sleep(process, ns);
    }
    return err;
}

int64_t sys_clock_nanosleep(struct process *process, const uint64_t arg[6])
{
    uint64_t ns, now;
    int err = syscall_read_time(process, arg[2], &ns);

    if (err != 0) {
        return err;
    }
    if (!read_clock(process, arg[0], &now) || arg[0] == GUEST_THREAD_CPU) {
        return -EINVAL;
    }
    if (arg[1] & GUEST_TIMER_ABSTIME) {
        ns = ns > now ? ns - now : 0;
    }
    process_sleep(process, ns);
    return 0;
}

/* struct tms: user, system, children's user and system, in ticks. */
int64_t sys_times(struct process *process, const uint64_t arg[6])
{
    uint64_t tick_ns = NS_PER_SECOND / TICKS_PER_SECOND;
    uint64_t tms[4] = {busy_ns(process) / tick_ns, 0, 0, 0};

    if (arg[0] != 0 && !vm_write(&process->vm, arg[0], tms, sizeof tms)) {
        return -EFAULT;
    }
    return (int64_t)(process_now_ns(process) / tick_ns);
}

/* struct rusage: user time, system time, then fourteen numbers of which the first is the largest
 * resident size in KiB; only times are kept. */
int64_t sys_getrusage(struct process *process, const uint64_t arg[6])
{
    uint64_t usage[18] = {0};

    if ((int64_t)arg[0] == 0 || (int64_t)arg[0] == 1) {
        usage[0] = busy_ns(process) / NS_PER_SECOND;
        usage[1] = busy_ns(process) % NS_PER_SECOND / 1000;
    } else if ((int32_t)arg[0] != -1) {
        return -EINVAL;
    }
    return vm_write(&process->vm, arg[1], usage, sizeof usage) ? 0 : -EFAULT;
}

/* The only thread: a wait for another thread's wake-up ends only by its time limit. */
int64_t sys_futex(struct process *process, const uint64_t arg[6])
{
    enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET = 10,
           FUTEX_CLOCK_REALTIME = 256, FUTEX_COMMAND = 127 };
    uint64_t command = arg[1] & FUTEX_COMMAND, ns, now;
    uint32_t value;

    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
        return 0;
    }
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) {
        return -ENOSYS;
    }
    if (!vm_read(&process->vm, arg[0], &value, sizeof value)) {
        return -EFAULT;
    }
    if (value != (uint32_t)arg[2]) {
        return -EAGAIN;
    }
    if (arg[3] == 0) {
        process_kill(process, 9, "its only thread waits for ever on the futex at 0x%llx",
                     (unsigned long long)arg[0]);
        return 0;
    }
    if (syscall_read_time(process, arg[3], &ns) != 0) {
        return -EINVAL;
    }
    if (command == FUTEX_WAIT_BITSET) {
        read_clock(process, arg[1] & FUTEX_CLOCK_REALTIME ? GUEST_REALTIME : GUEST_MONOTONIC, &now);
        ns = ns > now ? ns - now : 0;
    }
    process_sleep(process, ns);
    return -ETIMEDOUT;
}
