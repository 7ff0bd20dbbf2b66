/* System calls: the table, the way to the host, and the calls too small for a file. */
#include "syscall/syscall.h"
#include "file/file.h"
#include "process/limit.h"
#include "process/process.h"

enum { CALL_SENDTO = 206, CALL_SENDMSG = 211, CALL_SENDMMSG = 269, MSG_NOSIGNAL = 0x4000 };

static int64_t dispatch(struct thread *thread, uint64_t number, const uint64_t arg[6])
{
    switch (number) {
#define KERNEL(number, name) case number: return sys_##name(thread, arg);
#define VALUE(number, name, value) case number: return value;
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE
    default: return syscall_forward(thread, number, arg);
    }
}

void syscall_serve(struct thread *thread)
{
    uint64_t *reg = thread->frame->reg, arg[6];
    int64_t result;

    memcpy(arg, &reg[REG_A0], sizeof arg);
    thread->first_argument = arg[0];
    if (!thread->is_restarted)
        thread->kept_deadline = 0;
    reg[REG_PC] += 4;
    result = dispatch(thread, reg[REG_A7], arg);
    if (result <= -ERESTART && result >= -ERESTART_NOHAND)
        thread->restart = (int)-result;
    else
        thread->frame->reg[REG_A0] = (uint64_t)result;
}

/* ---- the host -------------------------------------------------------------------------------- */

/* Makes pages present that the host found missing; false: the first address stays missing. */
static bool make_present(struct space *space, struct kernel_call *call)
{
    uint64_t va = page_of(call->fault_va), end = call->fault_va + call->fault_bytes;

    if (call->fault_va >= USER_END || end > USER_END) {     /* the sum may have wrapped */
        call->bad_va = call->fault_va;
        return false;
    }
    for (; va < end; va += PAGE_BYTES)
        if (user_page(space, va, (uint32_t)call->fault_prot) == NULL) {
            call->bad_va = (va > call->fault_va ? va : call->fault_va) | 1;    /* 0: none */
            return false;
        }
    return true;
}

/* The device answers after some time: the thread sleeps until then. */
static void wait_for_answer(const struct kernel_call *call)
{
    while (call->ready > now())
        thread_block(KERNEL_REASON_IO, UINT64_MAX, call->ready, HEARS_NONE);
}

/* False: user memory is missing for good. */
static bool ask(struct space *space, struct kernel_call *call)
{
    call->bad_va = 0;
    for (host_call(call); call->status == KERNEL_CALL_FAULT; host_call(call)) {
        bool was_bad = call->bad_va != 0;

        if (!make_present(space, call) && was_bad)
            return false;               /* a second bad page: the host remembers one */
    }
    return true;
}

int64_t syscall_host(struct thread *thread, struct kernel_call *call)
{
    struct space *space = thread->process->space;
    int64_t done = 0;

    call->context = thread->process->context;
    call->satp = UINT64_C(8) << 60 | space->root >> 12;
    for (;;) {
        if (!ask(space, call))
            return done > 0 ? done : -EFAULT;
        if (call->status != KERNEL_CALL_WAIT)
            break;
        if (call->result > 0) {
            done += call->result;
            call->argument[1] += (uint64_t)call->result;
            call->argument[2] -= (uint64_t)call->result;
        }
        if (outside_wait(call->argument[0], NEVER) == WAKE_SIGNAL)
            return done > 0 ? done : -ERESTART;
    }
    wait_for_answer(call);
    return done == 0 ? call->result : call->result > 0 ? done + call->result : done;
}

static bool has_no_signal(uint64_t number, const uint64_t arg[6])
{
    bool is_third = number == CALL_SENDTO || number == CALL_SENDMMSG;

    return (is_third && (arg[3] & MSG_NOSIGNAL)) ||
           (number == CALL_SENDMSG && (arg[2] & MSG_NOSIGNAL));
}

int64_t syscall_forward(struct thread *thread, uint64_t number, const uint64_t arg[6])
{
    struct kernel_call *call = &thread->call;
    int64_t result;

    *call = (struct kernel_call){.op = KERNEL_OP_SYSCALL, .number = number};
    memcpy(call->argument, arg, sizeof call->argument);
    result = syscall_host(thread, call);
    if (result == -EPIPE && !has_no_signal(number, arg))
        signal_simple(thread->process, thread, SIGPIPE, SI_TKILL);
    if (result == -EFBIG && limit_is_of_files(thread->process))
        signal_simple(thread->process, thread, SIGXFSZ, SI_KERNEL);
    return result;
}

/* ---- identity -------------------------------------------------------------------------------- */

int64_t sys_getpid(struct thread *thread, const uint64_t arg[6])
{
    (void)arg;
    return thread->process->pid;
}

int64_t sys_gettid(struct thread *thread, const uint64_t arg[6])
{
    (void)arg;
    return thread->tid;
}

int64_t sys_getppid(struct thread *thread, const uint64_t arg[6])
{
    (void)arg;
    return thread->process->parent != NULL ? thread->process->parent->pid : 1;
}

struct process *process_or_self(struct thread *thread, uint64_t pid)
{
    return (uint32_t)pid == 0 ? thread->process : process_find((uint32_t)pid);
}

static bool is_group(uint32_t group, uint32_t session)
{
    const struct list *at;

    for (at = processes.next; at != &processes; at = at->next) {
        const struct process *process = container_of(at, struct process, link);

        if (process->group == group && process->session == session)
            return true;
    }
    return false;
}

/* Of the process itself or of a child that has not called execve. Source: setpgid(2). */
int64_t sys_setpgid(struct thread *thread, const uint64_t arg[6])
{
    struct process *process = process_or_self(thread, arg[0]);

    uint32_t group = (uint32_t)arg[1];

    if ((int32_t)group < 0)
        return -EINVAL;
    if (process == NULL || (process != thread->process && process->parent != thread->process))
        return -ESRCH;
    group = group == 0 ? process->pid : group;
    if ((process->session == process->pid && process->pid != FIRST_PID) ||
        process->session != thread->process->session ||
        (group != process->pid && !is_group(group, process->session)))
        return -EPERM;
    if (process != thread->process && process->has_executed)
        return -EACCES;
    process->group = group;
    return 0;
}

int64_t sys_getpgid(struct thread *thread, const uint64_t arg[6])
{
    const struct process *process = process_or_self(thread, arg[0]);

    if ((uint32_t)arg[0] == INIT_PID)
        return INIT_PID;
    return process == NULL ? -ESRCH : (int64_t)process->group;
}

int64_t sys_getsid(struct thread *thread, const uint64_t arg[6])
{
    const struct process *process = process_or_self(thread, arg[0]);

    if ((uint32_t)arg[0] == INIT_PID)
        return INIT_PID;
    return process == NULL ? -ESRCH : (int64_t)process->session;
}

int64_t sys_setsid(struct thread *thread, const uint64_t arg[6])
{
    struct process *process = thread->process;

    (void)arg;
    if (process->group == process->pid && process->pid != FIRST_PID)
        return -EPERM;
    process->session = process->group = process->pid;
    return process->pid;
}

/* Names are a thread's; everything else is the host's to say. */
int64_t sys_prctl(struct thread *thread, const uint64_t arg[6])
{
    enum { SET_NAME = 15, GET_NAME = 16 };

    if (arg[0] == SET_NAME) {
        memset(thread->name, 0, sizeof thread->name);
        if (user_string(arg[1], thread->name, sizeof thread->name) == -EFAULT)
            return -EFAULT;
        thread->name[sizeof thread->name - 1] = 0;
        return 0;
    }
    if (arg[0] == GET_NAME)
        return user_write(arg[1], thread->name, sizeof thread->name) ? 0 : -EFAULT;
    return syscall_forward(thread, 167, arg);
}

/* ---- threads --------------------------------------------------------------------------------- */

int64_t sys_exit(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    thread_exit((int32_t)(arg[0] & 0xff) << 8);
}

int64_t sys_exit_group(struct thread *thread, const uint64_t arg[6])
{
    (void)thread;
    process_exit((int32_t)(arg[0] & 0xff) << 8);
}

int64_t sys_set_tid_address(struct thread *thread, const uint64_t arg[6])
{
    thread->clear_tid = arg[0];
    return thread->tid;
}

/* clone(flags | signal, stack, parent_tid, tls, child_tid) */
int64_t sys_clone(struct thread *thread, const uint64_t arg[6])
{
    const struct clone_request request = {
        .flags = arg[0] & ~UINT64_C(0xff), .exit_signal = (int)(arg[0] & 0xff), .stack = arg[1],
        .parent_tid = arg[2], .tls = arg[3], .child_tid = arg[4], .pidfd = arg[2],
    };
    enum { PIDFD = 0x1000, PARENT_SETTID = 0x100000, DETACHED = 0x400000 };

    (void)thread;
    if ((request.flags & PIDFD) && (request.flags & (PARENT_SETTID | DETACHED)))
        return -EINVAL;
    return process_clone(&request);
}

/* Tests a structure of `bytes` bytes for zeros beyond its known part: 0 or -errno. */
static int64_t rest_is_zero(uint64_t va, uint64_t known, uint64_t bytes)
{
    uint8_t byte;

    if (bytes > PAGE_BYTES)
        return -E2BIG;
    for (; known < bytes; known++) {
        if (!user_read(va + known, &byte, 1))
            return -EFAULT;
        if (byte != 0)
            return -E2BIG;
    }
    return 0;
}

int64_t sys_clone3(struct thread *thread, const uint64_t arg[6])
{
    enum { CLONE_THREAD = 0x10000 };
    enum { FLAGS, PIDFD, CHILD_TID, PARENT_TID, EXIT_SIGNAL, STACK, STACK_SIZE, TLS, WORDS };
    uint64_t word[WORDS];
    struct clone_request request;
    int64_t err;

    (void)thread;
    if (arg[1] < sizeof word)
        return -EINVAL;
    if (!user_read(arg[0], word, sizeof word))
        return -EFAULT;
    err = rest_is_zero(arg[0], sizeof word, arg[1]);
    if (err != 0)
        return err;
    if (word[EXIT_SIGNAL] > SIGNALS || (word[STACK] == 0) != (word[STACK_SIZE] == 0) ||
        ((word[FLAGS] & CLONE_THREAD) && word[EXIT_SIGNAL] != 0) ||
        (word[FLAGS] & 0xff))
        return -EINVAL;
    request = (struct clone_request){
        .flags = word[FLAGS], .exit_signal = (int)word[EXIT_SIGNAL],
        .stack = word[STACK] + word[STACK_SIZE], .parent_tid = word[PARENT_TID],
        .tls = word[TLS], .child_tid = word[CHILD_TID], .pidfd = word[PIDFD],
    };
    return process_clone(&request);
}

int64_t sys_execve(struct thread *thread, const uint64_t arg[6])
{
    int64_t err = exec_program(arg[0], arg[1], arg[2]);

    return err == 0 ? (int64_t)thread->frame->reg[REG_A0] : err;
}

int64_t sys_riscv_flush_icache(struct thread *thread, const uint64_t arg[6])
{
    (void)arg;
    ipi_flush(thread->process->space);
    return 0;
}

/* A process registers for the commands that are expedited in it alone. */
int64_t sys_membarrier(struct thread *thread, const uint64_t arg[6])
{
    enum { QUERY = 0, PRIVATE = 8, PRIVATE_SYNC = 32, SUPPORTED = 0x7f,
           REGISTRATIONS = 4 | 2 * PRIVATE | 2 * PRIVATE_SYNC };
    uint32_t command = (uint32_t)arg[0];

    if (arg[1] != 0 || (command & ~(uint32_t)SUPPORTED) != 0 || (command & (command - 1)) != 0)
        return -EINVAL;
    if (command == QUERY)
        return SUPPORTED;
    if ((command & (PRIVATE | PRIVATE_SYNC)) != 0 &&
        (thread->process->barriers & 2 * command) == 0)
        return -EPERM;
    thread->process->barriers |= command & REGISTRATIONS;
    if ((command & REGISTRATIONS) == 0)
        ipi_flush(NULL);
    return 0;
}
