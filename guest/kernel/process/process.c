/* Creation and end of processes and threads: clone, exit. */
#include "process/limit.h"
#include "process/process.h"
#include "profile/sampler.h"
#include "profile/section.h"
#include "signal/signal_frame.h"
#include "syscall/syscall.h"

struct list processes = {&processes, &processes};
static uint32_t last_id = FIRST_PID - 1;

enum { FORK_PAGES = 32 };

enum {
    CLONE_VM = 0x100, CLONE_SIGHAND = 0x800, CLONE_PIDFD = 0x1000, CLONE_VFORK = 0x4000,
    CLONE_PARENT = 0x8000,
    CLONE_THREAD = 0x10000, CLONE_SETTLS = 0x80000, CLONE_PARENT_SETTID = 0x100000,
    CLONE_CHILD_CLEARTID = 0x200000, CLONE_CHILD_SETTID = 0x1000000,
    CLONE_NAMESPACES = 0x7e020000,
};

static struct process *process_at(struct list *link)
{
    return container_of(link, struct process, link);
}

struct process *process_find(uint32_t pid)
{
    struct list *at;

    for (at = processes.next; at != &processes; at = at->next)
        if (process_at(at)->pid == pid)
            return process_at(at);
    return NULL;
}

struct thread *thread_find(uint32_t tid)
{
    struct list *at, *each;

    for (at = processes.next; at != &processes; at = at->next) {
        struct process *process = process_at(at);

        for (each = process->threads.next; each != &process->threads; each = each->next) {
            struct thread *thread = container_of(each, struct thread, sibling);

            if (thread->tid == tid)
                return thread;
        }
    }
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

struct process *process_new(void)
{
    struct process *process = memory_new(sizeof *process);

    if (process == NULL)
        return NULL;
    process->pid = process->group = process->session = last_id + 1;
    list_init(&process->children);
    list_init(&process->sibling);
    list_init(&process->threads);
    list_init(&process->waiters);
    list_init(&process->watchers);
    signal_queue_init(&process->signals);
    process->files = files_new();
    if (process->files == NULL) {
        memory_free(process, sizeof *process);
        return NULL;
    }
    list_add(&processes, &process->link);
    return process;
}

struct thread *thread_new(struct process *process, const struct frame *frame)
{
    struct thread *thread = memory_new(sizeof *thread);
    uint8_t *stack = stack_new();

    if (thread == NULL || stack == NULL || !words_new(thread)) {
        if (thread != NULL)
            memory_free(thread, sizeof *thread);
        if (stack != NULL)
            stack_free(stack);
        return NULL;
    }
    thread->stack = stack;
    thread->frame = (struct frame *)(void *)(stack + STACK_BYTES - FRAME_BYTES);
    *thread->frame = *frame;
    thread->process = process;
    thread->tid = ++last_id;
    thread->state = THREAD_BLOCKED;
    thread->affinity = boot->harts == 64 ? ~UINT64_C(0) : (UINT64_C(1) << boot->harts) - 1;
    thread->signals.stack_flags = 2;
    list_init(&thread->queue);
    list_init(&thread->wait);
    list_init(&thread->timeout.link);
    signal_queue_init(&thread->signals.queue);
    list_add(&process->threads, &thread->sibling);
    process->thread_count++;
    thread_prepare(thread);
    return thread;
}

void process_free(struct process *process)
{
    process_files_forget(process);
    list_remove(&process->link);
    list_remove(&process->sibling);
    memory_free(process, sizeof *process);
}

/* CLONE_PARENT: the child of its creator's parent, whom it tells of its end as its creator does. */
static void adopt(struct process *child, struct process *creator,
                  const struct clone_request *request)
{
    bool is_sibling = (request->flags & CLONE_PARENT) != 0;

    child->parent = is_sibling ? creator->parent : creator;
    child->exit_signal = is_sibling ? creator->exit_signal : request->exit_signal;
    list_add(&child->parent->children, &child->sibling);
}

/* A new process around a copy of, or the same, address space. */
static struct process *fork_process(const struct clone_request *request)
{
    struct process *parent = current()->process, *child;

    /* Parent and child must be able to go on: they copy pages as soon as they write. */
    child = frames_left() > FORK_PAGES ? process_new() : NULL;
    if (child == NULL)
        return NULL;
    child->group = parent->group;
    child->program = parent->program;
    child->session = parent->session;
    adopt(child, parent, request);
    memcpy(child->action, parent->action, sizeof child->action);
    limits_inherit(child, parent);
    if (request->flags & CLONE_VM) {
        child->space = parent->space;
        child->space->users++;
    } else {
        child->space = space_clone(parent->space);
    }
    child->context = child->pid;
    files_copy(child->files, parent->files);
    if (child->space == NULL ||
        host_simple(KERNEL_OP_CLONE, child->context, 0, 0, 0) < 0) {
        files_drop(child->files);
        space_drop(child->space);
        process_free(child);
        return NULL;
    }
    return child;
}

static void inherit(struct thread *child, struct thread *parent,
                    const struct clone_request *request)
{
    child->signals.blocked = parent->signals.blocked;
    child->policy = parent->policy;
    child->priority = parent->priority;
    child->nice = parent->nice;
    child->affinity = parent->affinity;
    child->hart = parent->hart;
    memcpy(child->name, parent->name, sizeof child->name);
    fp_keep(parent);
    memcpy(child->fp, parent->fp, sizeof child->fp);
    child->frame->reg[REG_A0] = 0;
    if (request->stack != 0)
        child->frame->reg[REG_SP] = request->stack;
    if (request->flags & CLONE_SETTLS)
        child->frame->reg[REG_TP] = request->tls;
    if (request->flags & CLONE_CHILD_CLEARTID)
        child->clear_tid = request->child_tid;
}

/* Frees a process without memory for its first thread. */
static void give_up(struct process *process)
{
    host_simple(KERNEL_OP_DROP, process->context, 0, 0, 0);
    files_drop(process->files);
    space_drop(process->space);
    process_free(process);
}

/* Until the child has left the address space. A thread that is killed meanwhile waits no longer. */
static void wait_for_vfork(const struct thread *parent, uint32_t tid)
{
    struct thread *child;

    if (thread_block(KERNEL_REASON_CHILD, tid, NEVER, HEARS_FATAL) != WAKE_SIGNAL)
        return;
    child = thread_find(tid);
    if (child != NULL && child->vfork_waiter == parent)
        child->vfork_waiter = NULL;
}

int64_t process_clone(const struct clone_request *request)
{
    struct thread *parent = current(), *child;
    bool is_thread = (request->flags & CLONE_THREAD) != 0;
    struct process *process = parent->process;
    int64_t pidfd = 0;
    uint32_t tid;

    if ((request->flags & CLONE_NAMESPACES) ||
        ((request->flags & CLONE_PARENT) && !is_thread && process->parent == NULL) ||
        (is_thread && (request->flags & (CLONE_SIGHAND | CLONE_PIDFD)) != CLONE_SIGHAND) ||
        ((request->flags & CLONE_SIGHAND) && (request->flags & CLONE_VM) == 0))
        return -EINVAL;
    if (!limit_allows_thread(process))
        return -EAGAIN;
    if (!is_thread)
        process = fork_process(request);
    if (process == NULL)
        return -ENOMEM;
    if (request->flags & CLONE_PIDFD)
        pidfd = process_file_open(parent, process, request->pidfd);
    child = pidfd >= 0 ? thread_new(process, parent->frame) : NULL;
    if (child == NULL) {
        if (!is_thread)
            give_up(process);
        if (pidfd >= 0 && (request->flags & CLONE_PIDFD))
            process_file_drop(parent, pidfd);
        return pidfd < 0 ? pidfd : -EAGAIN;
    }
    tid = child->tid;
    inherit(child, parent, request);
    if (request->stack == 0) {
        probes_inherit(child, parent);
        words_inherit(child);
    }
    if (request->flags & CLONE_PARENT_SETTID)
        user_write(request->parent_tid, &tid, sizeof tid);
    if (request->flags & CLONE_CHILD_SETTID)
        user_write_in(process->space, request->child_tid, &tid, sizeof tid);
    record(KERNEL_CREATE, child, parent->tid, KERNEL_REASON_NONE, process->pid);
    if (request->flags & CLONE_VFORK)
        child->vfork_waiter = parent;
    thread_start(child);
    if (request->flags & CLONE_VFORK)
        wait_for_vfork(parent, tid);
    return tid;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* In front of the thread's end, while its memory is still there. */
static void leave_memory(struct thread *thread)
{
    static const uint32_t zero;

    futex_exit(thread);
    if (thread->clear_tid != 0 && user_write(thread->clear_tid, &zero, sizeof zero))
        futex_wake_one(thread->clear_tid);
    if (thread->vfork_waiter != NULL)
        thread_wake(thread->vfork_waiter, WAKE_EVENT);
}

static void tell_parent(struct process *process)
{
    struct process *parent = process->parent;
    struct siginfo info = {.signo = process->exit_signal};
    bool is_ignored;

    if (parent == NULL)
        return;
    is_ignored = parent->action[SIGCHLD].handler == 1 ||
                 (parent->action[SIGCHLD].flags & SA_NOCLDWAIT) != 0;
    info.code = (process->status & DUMPED_CORE) != 0 ? 3 : (process->status & 0x7f) != 0 ? 2 : 1;
    info.word[0] = process->pid | (uint64_t)1000 << 32;
    info.word[1] = (uint64_t)((process->status & 0x7f) != 0 ? process->status & 0x7f
                                                            : process->status >> 8);
    if (process->exit_signal != 0)
        signal_send(parent, NULL, &info);
    wake_waiters(parent);
    if (is_ignored && process->exit_signal == SIGCHLD)
        process_free(process);
}

void wake_waiters(struct process *process)
{
    while (!list_is_empty(&process->waiters)) {
        struct thread *thread = container_of(process->waiters.next, struct thread, wait);

        list_remove(&thread->wait);
        thread_wake(thread, WAKE_EVENT);
    }
}

/* Children of a process that ended belong to the first. */
static void give_children_away(struct process *process)
{
    struct process *first = process_find(FIRST_PID);

    while (!list_is_empty(&process->children)) {
        struct process *child = container_of(process->children.next, struct process, sibling);

        list_remove(&child->sibling);
        child->parent = first;
        list_add(&first->children, &child->sibling);
        if (child->is_zombie)
            wake_waiters(first);
    }
}

/* The run ends with the first process, whatever the others do. */
static void end_process(struct process *process)
{
    if (process->pid == FIRST_PID)
        host_simple(KERNEL_OP_EXIT, (uint64_t)(process->status & 0x7f),
                    (uint64_t)(process->status >> 8 & 0xff), 0, 0);
    process_timers_free(process);
    signal_queue_free(&process->signals, ~UINT64_C(0));
    files_drop(process->files);
    process->files = NULL;
    host_simple(KERNEL_OP_DROP, process->context, 0, 0, 0);
    locks_changed();
    space_use(NULL);
    space_drop(process->space);
    process->space = NULL;
    give_children_away(process);
    process->is_zombie = true;
    process_files_tell(process);
    tell_parent(process);
}

_Noreturn void thread_exit(int32_t status)
{
    struct thread *thread = current();
    struct process *process = thread->process;

    leave_memory(thread);
    signal_queue_free(&thread->signals.queue, ~UINT64_C(0));
    words_end(thread);
    record(KERNEL_EXIT, thread, 0, KERNEL_REASON_EXIT, 0);
    process->busy_ticks += thread_busy_ticks(thread);
    process->user_ticks += thread_user_ticks(thread);
    list_remove(&thread->sibling);
    process_timers_forget(process, thread);
    signal_pass_on(process, ~thread->signals.blocked);
    thread->state = THREAD_DEAD;
    if (!process->is_exiting)
        process->status = status;
    if (--process->thread_count == 0)
        end_process(process);
    thread->process = NULL;
    if (this_hart()->sampler != NULL)
        sampler_forget(thread);
    sched_exit();
    __builtin_unreachable();
}

/* The threads notice it on their way to user code. */
static void ask_to_end(struct process *process)
{
    struct list *each;

    for (each = process->threads.next; each != &process->threads; each = each->next) {
        struct thread *thread = container_of(each, struct thread, sibling);

        if (thread == current())
            continue;
        thread->must_end = true;
        if (thread->state == THREAD_STOPPED)
            thread_start(thread);
        else if (thread->state == THREAD_BLOCKED)
            thread_wake(thread, WAKE_SIGNAL);
        else if (thread->state == THREAD_RUNNING && thread->hart != this_hart()->id)
            ipi_send(thread->hart);
    }
}

/* The only thread has its process's number; the one that had it before has ended. */
static void take_number(struct thread *thread)
{
    uint32_t number = thread->process->pid;

    if (thread->tid == number)
        return;
    record(KERNEL_EXIT, thread, 0, KERNEL_REASON_EXIT, 0);
    record(KERNEL_SWITCH, thread, number, KERNEL_REASON_EXIT, 0);
    thread->tid = number;
    csr_write(CSR_PROF_THREAD, number);
}

void process_kill_others(struct process *process)
{
    ask_to_end(process);
    while (process->thread_count > 1)
        thread_block(KERNEL_REASON_CHILD, 0, now() + 1, HEARS_NONE);
    take_number(current());
}

_Noreturn void process_exit_quietly(void)
{
    struct process *process = current()->process;

    if (process->is_parking) {
        process->parked++;
        thread_block(KERNEL_REASON_EXIT, 0, NEVER, HEARS_NONE);
    }
    thread_exit(process->status);
}

void process_park_others(struct process *process, int32_t status)
{
    process->is_exiting = process->is_parking = true;
    process->status = status;
    ask_to_end(process);
    while (process->parked + 1 < process->thread_count)
        thread_block(KERNEL_REASON_CHILD, 0, now() + 1, HEARS_NONE);
}

void process_unpark_others(struct process *process)
{
    struct list *at;

    process->is_parking = false;
    for (at = process->threads.next; at != &process->threads; at = at->next)
        thread_wake(container_of(at, struct thread, sibling), WAKE_EVENT);
}

_Noreturn void process_exit(int32_t status)
{
    struct process *process = current()->process;

    if (!process->is_exiting) {
        process->is_exiting = true;
        process->status = status;
        ask_to_end(process);
    }
    thread_exit(status);
}
