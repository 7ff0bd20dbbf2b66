/* System calls on signals. Actions, masks and pending signals are stored; a signal has its default
 * action or no effect. Handlers are not called. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/run/linux/process_internal.h"

/* Numbers of the asm-generic interface. */
enum {
    SIG_KILL = 9, SIG_CHLD = 17, SIG_CONT = 18, SIG_STOP = 19, SIG_TSTP = 20, SIG_TTIN = 21,
    SIG_TTOU = 22, SIG_URG = 23, SIG_WINCH = 28,
    HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1,
    SIGSET_BYTES = 8,
};

static const char *const signal_names[] = {
    NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
    "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
    "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
    "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
};

const char *process_signal_name(int signal)
{
    bool is_named = signal > 0 && signal < (int)(sizeof signal_names / sizeof signal_names[0]);

    return is_named ? signal_names[signal] : "real-time signal";
}

static bool hand_over_for(struct process *process, int signal)
{
    return process->actions[signal].handler > HANDLER_IGNORE &&
           process_hand_over(process, "its handler for %s", process_signal_name(signal));
}

void process_kill(struct process *process, int signal, const char *format, ...)
{
    va_list arguments;
    int length;

    if (hand_over_for(process, signal)) {
        return;
    }
    length = snprintf(process->text, sizeof process->text, "%s (signal %d): ",
                      process_signal_name(signal), signal);
    va_start(arguments, format);
    vsnprintf(process->text + length, sizeof process->text - (size_t)length, format, arguments);
    va_end(arguments);
    process->action = PROCESS_KILLED;
    process->signal = signal;
    process->exit_code = 128 + signal;
}

static uint64_t bit_of(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

/* Stopping does nothing, as no process could continue a stopped program. */
static bool is_harmless(int signal)
{
    return signal == SIG_CHLD || signal == SIG_CONT || signal == SIG_URG || signal == SIG_WINCH ||
           (signal >= SIG_STOP && signal <= SIG_TTOU);
}

static void miss_handler(struct process *process, int signal)
{
    if (!hand_over_for(process, signal) && !process->noted_handler) {
        process->noted_handler = true;
        process_note(process, "the program's handler for %s is not called: --os kernel delivers "
                     "signals", process_signal_name(signal));
    }
}

void process_raise(struct process *process, int signal)
{
    uint64_t handler = process->actions[signal].handler;

    if (process->vm.is_guest) {
        return;         /* the guest kernel sends it */
    }
    if ((process->blocked & bit_of(signal)) && signal != SIG_KILL && signal != SIG_STOP) {
        process->pending |= bit_of(signal);
    } else if (handler > HANDLER_IGNORE) {
        miss_handler(process, signal);
    } else if (handler == HANDLER_DEFAULT && !is_harmless(signal)) {
        process_kill(process, signal, "the program sent it to itself");
    }
}

static int64_t send_to_self(struct process *process, uint64_t number)
{
    if (number >= SIGNAL_COUNT) {
        return -EINVAL;
    }
    if (number != 0) {
        process_raise(process, (int)number);
    }
    return 0;
}

/* Accepts the process itself, its process group, or everybody. */
int64_t sys_kill(struct process *process, const uint64_t arg[6])
{
    int32_t pid = (int32_t)arg[0];
    bool is_self = pid == GUEST_PID || pid == -GUEST_PID || pid == 0 || pid == -1;

    return is_self ? send_to_self(process, arg[1]) : -ESRCH;
}

int64_t sys_tkill(struct process *process, const uint64_t arg[6])
{
    return arg[0] == GUEST_PID ? send_to_self(process, arg[1]) : -ESRCH;
}

int64_t sys_tgkill(struct process *process, const uint64_t arg[6])
{
    return arg[0] == GUEST_PID && arg[1] == GUEST_PID ? send_to_self(process, arg[2]) : -ESRCH;
}

int64_t sys_rt_sigaction(struct process *process, const uint64_t arg[6])
{
    struct signal_action *action, new_action;

    if (arg[0] == 0 || arg[0] >= SIGNAL_COUNT || arg[3] != SIGSET_BYTES ||
        (arg[1] != 0 && (arg[0] == SIG_KILL || arg[0] == SIG_STOP))) {
        return -EINVAL;
    }
    action = &process->actions[arg[0]];
    if (arg[1] != 0 && !vm_read(&process->vm, arg[1], &new_action, sizeof new_action)) {
        return -EFAULT;
    }
    if (arg[2] != 0 && !vm_write(&process->vm, arg[2], action, sizeof *action)) {
        return -EFAULT;
    }
    if (arg[1] != 0) {
        *action = new_action;
    }
    return 0;
}

/* Pending signals that are no longer blocked take effect, lowest first. */
static void release_pending(struct process *process)
{
    int signal;

    for (signal = 1; signal < SIGNAL_COUNT && process->action == PROCESS_CONTINUE; signal++) {
        if (process->pending & ~process->blocked & bit_of(signal)) {
            process->pending &= ~bit_of(signal);
            process_raise(process, signal);
        }
    }
}

int64_t sys_rt_sigprocmask(struct process *process, const uint64_t arg[6])
{
    enum { BLOCK, UNBLOCK, SET };
    uint64_t set = 0, old = process->blocked;

    if (arg[3] != SIGSET_BYTES || (arg[1] != 0 && arg[0] > SET)) {
        return -EINVAL;
    }
    if ((arg[1] != 0 && !vm_read(&process->vm, arg[1], &set, sizeof set)) ||
        (arg[2] != 0 && !vm_write(&process->vm, arg[2], &old, sizeof old))) {
        return -EFAULT;
    }
    if (arg[1] != 0) {
        process->blocked = arg[0] == BLOCK ? old | set : arg[0] == UNBLOCK ? old & ~set : set;
        process->blocked &= ~(bit_of(SIG_KILL) | bit_of(SIG_STOP));
        release_pending(process);
    }
    return 0;
}

int64_t sys_rt_sigpending(struct process *process, const uint64_t arg[6])
{
    uint64_t pending = process->pending & process->blocked;

    return vm_write(&process->vm, arg[0], &pending, sizeof pending) ? 0 : -EFAULT;
}

/* No other process sends signals: unless one is already pending, the wait would never end. */
int64_t sys_rt_sigsuspend(struct process *process, const uint64_t arg[6])
{
    uint64_t old = process->blocked, set;

    if (!vm_read(&process->vm, arg[0], &set, sizeof set)) {
        return -EFAULT;
    }
    if ((process->pending & ~set) == 0) {
        process_kill(process, SIG_KILL, "the program waits for ever for a signal");
        return 0;
    }
    process->blocked = set;
    release_pending(process);
    process->blocked = old;
    return -EINTR;
}

int64_t sys_sigaltstack(struct process *process, const uint64_t arg[6])
{
    uint64_t stack[3];

    if (arg[0] != 0 && !vm_read(&process->vm, arg[0], stack, sizeof stack)) {
        return -EFAULT;
    }
    if (arg[1] != 0 &&
        !vm_write(&process->vm, arg[1], process->stack_info, sizeof process->stack_info)) {
        return -EFAULT;
    }
    if (arg[0] != 0) {
        memcpy(process->stack_info, stack, sizeof stack);
    }
    return 0;
}

/* No handler was entered, so there is no frame to return from; Linux kills the program too. */
int64_t sys_rt_sigreturn(struct process *process, const uint64_t arg[6])
{
    (void)arg;
    process_kill(process, 11, "rt_sigreturn outside a signal handler");
    return 0;
}
