/* System calls of the scheduler. */
#include "process.h"
#include "syscall.h"

static struct thread *find(struct thread *thread, uint64_t tid)
{
    return (uint32_t)tid == 0 ? thread : thread_find((uint32_t)tid);
}

static bool is_real_time(int64_t policy)
{
    return policy == POLICY_FIFO || policy == POLICY_RR;
}

static int64_t set_policy(struct thread *thread, uint64_t tid, int64_t policy, uint64_t va)
{
    struct thread *target = find(thread, tid);
    int32_t priority;

    if ((int32_t)tid < 0 || va == 0)
        return -EINVAL;
    if (target == NULL)
        return -ESRCH;
    if (!user_read(va, &priority, sizeof priority))
        return -EFAULT;
    policy = policy < 0 ? target->policy : policy & ~INT64_C(0x40000000);
    if (policy > POLICY_IDLE || policy == 4 || priority < 0 || priority >= PRIORITIES ||
        is_real_time(policy) != (priority > 0))
        return -EINVAL;
    if (target->state == THREAD_READY) {
        thread_requeue(target, (uint8_t)policy, (uint8_t)priority);
        return 0;
    }
    target->policy = (uint8_t)policy;
    target->priority = (uint8_t)priority;
    thread_replace(target);
    return 0;
}

int64_t sys_sched_setparam(struct thread *thread, const uint64_t arg[6])
{
    return set_policy(thread, arg[0], -1, arg[1]);
}

int64_t sys_sched_setscheduler(struct thread *thread, const uint64_t arg[6])
{
    return (int32_t)arg[1] < 0 ? -EINVAL : set_policy(thread, arg[0], (int32_t)arg[1], arg[2]);
}

int64_t sys_sched_getscheduler(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = find(thread, arg[0]);

    return (int32_t)arg[0] < 0 ? -EINVAL : target == NULL ? -ESRCH : target->policy;
}

int64_t sys_sched_getparam(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = find(thread, arg[0]);
    int32_t priority;

    if ((int32_t)arg[0] < 0 || arg[1] == 0)
        return -EINVAL;
    if (target == NULL)
        return -ESRCH;
    priority = target->priority;
    return user_write(arg[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

static uint64_t all_harts(void)
{
    return boot->harts == 64 ? ~UINT64_C(0) : (UINT64_C(1) << boot->harts) - 1;
}

int64_t sys_sched_setaffinity(struct thread *thread, const uint64_t arg[6])
{
    struct thread *target = find(thread, arg[0]);
    uint64_t mask = 0;

    if (target == NULL)
        return -ESRCH;
    if (!user_read(arg[2], &mask, arg[1] < sizeof mask ? arg[1] : sizeof mask))
        return -EFAULT;
    mask &= all_harts();
    if (mask == 0)
        return -EINVAL;
    target->affinity = mask;
    if ((mask >> target->hart & 1) == 0)
        thread_replace(target);
    return 0;
}

int64_t sys_sched_getaffinity(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = find(thread, arg[0]);

    if (target == NULL)
        return -ESRCH;
    if (arg[1] < sizeof target->affinity || arg[1] % 8 != 0)
        return -EINVAL;
    return user_write(arg[2], &target->affinity, sizeof target->affinity)
               ? (int64_t)sizeof target->affinity : -EFAULT;
}

int64_t sys_sched_yield(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    (void)arg;
    thread_yield();
    return 0;
}

int64_t sys_sched_get_priority_max(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    return arg[0] > POLICY_IDLE || arg[0] == 4 ? -EINVAL
                                              : is_real_time((int64_t)arg[0]) ? 99 : 0;
}

int64_t sys_sched_get_priority_min(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    return arg[0] > POLICY_IDLE || arg[0] == 4 ? -EINVAL : is_real_time((int64_t)arg[0]);
}

int64_t sys_sched_rr_get_interval(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = find(thread, arg[0]);

    if ((int32_t)arg[0] < 0)
        return -EINVAL;
    if (target == NULL)
        return -ESRCH;
    return clock_write_time(arg[1], target->policy == POLICY_FIFO ? 0 : boot->slice_ns)
               ? 0 : -EFAULT;
}

int64_t sys_getcpu(struct thread *thread, const uint64_t arg[6])
{
    uint32_t hart = thread->hart, node = 0;

    return (arg[0] == 0 || user_write(arg[0], &hart, sizeof hart)) &&
           (arg[1] == 0 || user_write(arg[1], &node, sizeof node)) ? 0 : -EFAULT;
}

/* Nice values are kept, and change nothing. */
int64_t sys_setpriority(struct thread *thread, const uint64_t arg[6])
{
    struct thread *target = arg[0] == 0 ? find(thread, arg[1]) : thread;
    int64_t nice = (int32_t)arg[2];

    if (arg[0] > 2)
        return -EINVAL;
    if (target == NULL)
        return -ESRCH;
    target->nice = (int8_t)(nice < -20 ? -20 : nice > 19 ? 19 : nice);
    return 0;
}

int64_t sys_getpriority(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = arg[0] == 0 ? find(thread, arg[1]) : thread;

    return arg[0] > 2 ? -EINVAL : target == NULL ? -ESRCH : 20 - target->nice;
}
