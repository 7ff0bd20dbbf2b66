/* System calls of signals. */
#include "process/process.h"
#include "signal/signal_frame.h"
#include "syscall/syscall.h"

enum { SET_BYTES = 8, SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2, SS_ONSTACK = 1,
       SS_DISABLE = 2, STACK_MIN = 2048 };

int64_t sys_kill(struct thread *thread, const uint64_t arg[6])
{
    int64_t pid = (int32_t)arg[0];
    int signo = (int32_t)arg[1];
    uint64_t group = pid == 0 ? thread->process->group : (uint64_t)-pid;
    struct siginfo info = {.signo = signo, .word = {thread->process->pid | (uint64_t)1000 << 32}};
    struct list *at;
    bool any = false;

    if (signo < 0 || signo > SIGNALS)
        return -EINVAL;
    if (pid > 0) {
        struct process *process = process_find((uint32_t)pid);

        return process != NULL ? signal_send(process, NULL, &info)
                               : pid == INIT_PID ? -EPERM : -ESRCH;
    }
    for (at = processes.next; at != &processes; at = at->next) {
        struct process *process = container_of(at, struct process, link);

        if (pid == -1 ? process != thread->process : process->group == group) {
            any = true;
            signal_send(process, NULL, &info);
        }
    }
    return any ? 0 : -ESRCH;
}

static int64_t send_thread(struct thread *thread, uint64_t pid, uint64_t tid, uint64_t signo)
{
    struct thread *target = thread_find((uint32_t)tid);
    struct siginfo info = {.code = SI_TKILL,
                           .word = {thread->process->pid | (uint64_t)1000 << 32}};

    if (signo > SIGNALS || (int32_t)tid <= 0)
        return -EINVAL;
    if (target == NULL || (pid != 0 && target->process->pid != (uint32_t)pid))
        return -ESRCH;
    info.signo = (int32_t)signo;
    return signal_send(target->process, target, &info);
}

int64_t sys_tkill(struct thread *thread, const uint64_t arg[6])
{
    return send_thread(thread, 0, arg[0], (uint32_t)arg[1]);
}

int64_t sys_tgkill(struct thread *thread, const uint64_t arg[6])
{
    if ((int32_t)arg[0] <= 0)
        return -EINVAL;
    return send_thread(thread, arg[0], arg[1], (uint32_t)arg[2]);
}

/* To others nobody sends what only the kernel, kill or tgkill say. */
static bool is_forged(const struct thread *thread, const struct siginfo *info, uint64_t to)
{
    return (info->code >= 0 || info->code == SI_TKILL) && thread->process->pid != (uint32_t)to;
}

int64_t sys_rt_sigqueueinfo(struct thread *thread, const uint64_t arg[6])
{
    const struct thread *target = thread_find((uint32_t)arg[0]);
    struct process *process = target != NULL ? target->process : process_find((uint32_t)arg[0]);
    struct siginfo info;

    if (!user_read(arg[2], &info, sizeof info))
        return -EFAULT;
    if (is_forged(thread, &info, arg[0]))
        return -EPERM;
    if (process == NULL)
        return -ESRCH;
    if (arg[1] > SIGNALS)
        return -EINVAL;
    info.signo = (int32_t)arg[1];
    return signal_send(process, NULL, &info);
}

int64_t sys_rt_tgsigqueueinfo(struct thread *thread, const uint64_t arg[6])
{
    struct thread *target = thread_find((uint32_t)arg[1]);
    struct siginfo info;

    if (!user_read(arg[3], &info, sizeof info))
        return -EFAULT;
    if (is_forged(thread, &info, arg[0]))
        return -EPERM;
    if ((int32_t)arg[0] <= 0 || (int32_t)arg[1] <= 0 || arg[2] > SIGNALS)
        return -EINVAL;
    if (target == NULL || target->process->pid != (uint32_t)arg[0])
        return -ESRCH;
    info.signo = (int32_t)arg[2];
    return signal_send(target->process, target, &info);
}

int64_t sys_sigaltstack(struct thread *thread, const uint64_t arg[6])
{
    struct thread_signals *signals = &thread->signals;
    struct { uint64_t sp; int32_t flags, zero; uint64_t bytes; } old, new;
    bool is_on = signal_is_on_stack(signals, thread->frame->reg[REG_SP]);

    old.sp = signals->stack;
    old.flags = is_on ? SS_ONSTACK : signals->stack_flags;
    old.zero = 0;
    old.bytes = signals->stack_bytes;
    if (arg[0] != 0) {
        if (!user_read(arg[0], &new, sizeof new))
            return -EFAULT;
        if (is_on)
            return -EPERM;
        if ((new.flags & ~(SS_ONSTACK | SS_DISABLE)) != 0)
            return -EINVAL;
        if (!(new.flags & SS_DISABLE) && new.bytes < STACK_MIN)
            return -ENOMEM;
        signals->stack_flags = new.flags & SS_DISABLE;
        signals->stack = new.flags & SS_DISABLE ? 0 : new.sp;
        signals->stack_bytes = new.flags & SS_DISABLE ? 0 : new.bytes;
    }
    return arg[1] != 0 && !user_write(arg[1], &old, sizeof old) ? -EFAULT : 0;
}

int64_t sys_rt_sigaction(struct thread *thread, const uint64_t arg[6])
{
    struct signal_action *action, new;
    int signo = (int32_t)arg[0];

    if (signo < 1 || signo > SIGNALS || arg[3] != SET_BYTES)
        return -EINVAL;
    action = &thread->process->action[signo];
    if (arg[1] != 0 && (signo == SIGKILL || signo == SIGSTOP))
        return -EINVAL;
    if (arg[1] != 0 && !user_read(arg[1], &new, sizeof new))
        return -EFAULT;
    if (arg[2] != 0 && !user_write(arg[2], action, sizeof *action))
        return -EFAULT;
    if (arg[1] != 0) {
        *action = new;
        signal_drop_ignored(thread->process, signo);
    }
    return 0;
}

int64_t sys_rt_sigprocmask(struct thread *thread, const uint64_t arg[6])
{
    uint64_t old = thread->signals.blocked, set = 0;

    if (arg[3] != SET_BYTES)
        return -EINVAL;
    if (arg[1] != 0 && !user_read(arg[1], &set, sizeof set))
        return -EFAULT;
    if (arg[2] != 0 && !user_write(arg[2], &old, sizeof old))
        return -EFAULT;
    if (arg[1] == 0)
        return 0;
    switch (arg[0]) {
    case SIG_BLOCK: signal_set_mask(thread, old | set); return 0;
    case SIG_UNBLOCK: signal_set_mask(thread, old & ~set); return 0;
    case SIG_SETMASK: signal_set_mask(thread, set); return 0;
    default: return -EINVAL;
    }
}

int64_t sys_rt_sigpending(struct thread *thread, const uint64_t arg[6])
{
    uint64_t set = (thread->signals.queue.bits | thread->process->signals.bits) &
                   thread->signals.blocked;

    if (arg[1] > SET_BYTES)
        return -EINVAL;
    return user_write(arg[0], &set, arg[1]) ? 0 : -EFAULT;
}

int64_t sys_rt_sigsuspend(struct thread *thread, const uint64_t arg[6])
{
    uint64_t set;

    if (arg[1] != SET_BYTES)
        return -EINVAL;
    if (!user_read(arg[0], &set, sizeof set))
        return -EFAULT;
    thread->signals.saved = thread->signals.blocked;
    thread->signals.has_saved = true;
    signal_set_mask(thread, set);
    while (thread_block(KERNEL_REASON_SIGNAL, 0, NEVER, HEARS_ALL) != WAKE_SIGNAL)
        ;
    return -ERESTART_NOHAND;
}

int64_t sys_rt_sigtimedwait(struct thread *thread, const uint64_t arg[6])
{
    uint64_t set, deadline;
    struct siginfo info;
    int64_t err = clock_deadline(arg[2], &deadline);
    enum wake wake = WAKE_SIGNAL;

    if (arg[3] != SET_BYTES)
        return -EINVAL;
    if (err != 0)
        return err;
    if (!user_read(arg[0], &set, sizeof set))
        return -EFAULT;
    if (!signal_take(thread, set, &info)) {
        thread->signals.waited = set;
        wake = thread_block(KERNEL_REASON_SIGNAL, 0, deadline, HEARS_ALL);
        thread->signals.waited = 0;
        if (!signal_take(thread, set, &info))
            return wake == WAKE_TIMEOUT ? -EAGAIN : -EINTR;
    }
    if (arg[1] != 0 && !user_write(arg[1], &info, sizeof info))
        return -EFAULT;
    return info.signo;
}

int64_t sys_rt_sigreturn(struct thread *thread, const uint64_t arg[6])
{
    (void)arg;
    return signal_return(thread);
}
