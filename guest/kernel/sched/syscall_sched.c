/* System calls of the scheduler. */
#include "process/process.h"
#include "syscall/syscall.h"

static struct thread *find(struct thread *thread, uint64_t tid)
{
    return (uint32_t)tid == 0 ? thread : thread_find((uint32_t)tid);
}

static bool is_real_time(int64_t policy)
{
    return policy == POLICY_FIFO || policy == POLICY_RR;
}

enum { RESET_ON_FORK = 0x40000000 };

static bool is_policy(int64_t policy)
{
    return policy >= POLICY_OTHER && policy <= POLICY_IDLE && policy != 4;
}

static int64_t set_policy(struct thread *target, int64_t policy, int32_t priority)
{
    if (!is_policy(policy) || priority < 0 || priority > PRIORITY_MAX ||
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

/* policy: negative for that which the thread has. */
static int64_t set_param(struct thread *thread, uint64_t tid, int64_t policy, uint64_t va)
{
    struct thread *target = find(thread, tid);
    int32_t priority;

    if ((int32_t)tid < 0 || va == 0)
        return -EINVAL;
    if (!user_read(va, &priority, sizeof priority))
        return -EFAULT;
    if (target == NULL)
        return -ESRCH;
    return set_policy(target, policy < 0 ? target->policy : policy & ~(int64_t)RESET_ON_FORK,
                      priority);
}

int64_t sys_sched_setparam(struct thread *thread, const uint64_t arg[6])
{
    return set_param(thread, arg[0], -1, arg[1]);
}

int64_t sys_sched_setscheduler(struct thread *thread, const uint64_t arg[6])
{
    return !is_policy((int32_t)arg[1] & ~RESET_ON_FORK)
               ? -EINVAL : set_param(thread, arg[0], (int32_t)arg[1], arg[2]);
}

/* struct sched_attr of sched_setattr(2), its first version. */
struct attributes {
    uint32_t bytes, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static int8_t nice_within(int64_t nice)
{
    return (int8_t)(nice < -20 ? -20 : nice > 19 ? 19 : nice);
}

int64_t sys_sched_setattr(struct thread *thread, const uint64_t arg[6])
{
    struct thread *target = find(thread, arg[0]);
    struct attributes attributes;
    int64_t err;

    if ((int32_t)arg[0] < 0 || arg[1] == 0 || arg[2] != 0)
        return -EINVAL;
    if (!user_read(arg[1], &attributes, sizeof attributes))
        return -EFAULT;
    if (attributes.bytes != 0 && attributes.bytes < sizeof attributes)
        return -E2BIG;
    if (target == NULL)
        return -ESRCH;
    if (attributes.priority > PRIORITY_MAX || (attributes.flags & ~UINT64_C(0x7f)) != 0)
        return -EINVAL;
    err = set_policy(target, attributes.policy, (int32_t)attributes.priority);
    if (err == 0 && !is_real_time(attributes.policy))
        target->nice = nice_within(attributes.nice);
    return err;
}

int64_t sys_sched_getattr(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = find(thread, arg[0]);
    struct attributes attributes = {.bytes = sizeof attributes};

    if ((int32_t)arg[0] < 0 || arg[1] == 0 || arg[3] != 0 || arg[2] < sizeof attributes ||
        arg[2] > PAGE_BYTES)
        return -EINVAL;
    if (target == NULL)
        return -ESRCH;
    attributes.policy = target->policy;
    if (is_real_time(target->policy))
        attributes.priority = target->priority;
    else
        attributes.nice = target->nice;
    return user_write(arg[1], &attributes, sizeof attributes) ? 0 : -EFAULT;
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
    if (target->is_pinned) {
        target->kept_affinity = mask;   /* from the end of its sample on */
        return 0;
    }
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
    return user_write(arg[2], target->is_pinned ? &target->kept_affinity : &target->affinity,
                      sizeof target->affinity)
               ? (int64_t)sizeof target->affinity : -EFAULT;
}

int64_t sys_sched_yield(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    (void)arg;
    thread_yield();
    return 0;
}

/* Deadlines have a policy's number and no priorities; no thread can have it. */
static bool has_number(uint64_t policy)
{
    return is_policy((int64_t)policy) || policy == POLICY_DEADLINE;
}

int64_t sys_sched_get_priority_max(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    return !has_number(arg[0]) ? -EINVAL : is_real_time((int64_t)arg[0]) ? PRIORITY_MAX : 0;
}

int64_t sys_sched_get_priority_min(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    return !has_number(arg[0]) ? -EINVAL : is_real_time((int64_t)arg[0]);
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
    target->nice = nice_within(nice);
    return 0;
}

int64_t sys_getpriority(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = arg[0] == 0 ? find(thread, arg[1]) : thread;

    return arg[0] > 2 ? -EINVAL : target == NULL ? -ESRCH : 20 - target->nice;
}
