/* Processes and threads come and go: clone, exit, wait. */
#include "process.h"
#include "sampler.h"
#include "section.h"
#include "signal_frame.h"
#include "syscall.h"

struct list processes = {&processes, &processes};
static uint32_t last_id = FIRST_PID - 1;

enum {
    CLONE_VM = 0x100, CLONE_SIGHAND = 0x800, CLONE_VFORK = 0x4000, CLONE_PARENT = 0x8000,
    CLONE_THREAD = 0x10000, CLONE_SETTLS = 0x80000, CLONE_PARENT_SETTID = 0x100000,
    CLONE_CHILD_CLEARTID = 0x200000, CLONE_CHILD_SETTID = 0x1000000,
    CLONE_NAMESPACES = 0x7e020000,
    WNOHANG = 1, WUNTRACED = 2, WCONTINUED = 8, CONTINUED = 0xffff,
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

static void process_free(struct process *process)
{
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
    struct process *parent = current()->process, *child = process_new();

    if (child == NULL)
        return NULL;
    child->group = parent->group;
    child->session = parent->session;
    adopt(child, parent, request);
    memcpy(child->action, parent->action, sizeof child->action);
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

static void inherit(struct thread *child, const struct thread *parent,
                    const struct clone_request *request)
{
    enum { FS_DIRTY = 3 << 13 };

    child->signals.blocked = parent->signals.blocked;
    child->policy = parent->policy;
    child->priority = parent->priority;
    child->nice = parent->nice;
    child->affinity = parent->affinity;
    child->hart = parent->hart;
    memcpy(child->name, parent->name, sizeof child->name);
    if ((csr_read(sstatus) & FS_DIRTY) == FS_DIRTY)
        fp_save(child->fp);
    else
        memcpy(child->fp, parent->fp, sizeof child->fp);
    child->frame->reg[REG_A0] = 0;
    if (request->stack != 0)
        child->frame->reg[REG_SP] = request->stack;
    if (request->flags & CLONE_SETTLS)
        child->frame->reg[REG_TP] = request->tls;
    if (request->flags & CLONE_CHILD_CLEARTID)
        child->clear_tid = request->child_tid;
}

int64_t process_clone(const struct clone_request *request)
{
    struct thread *parent = current(), *child;
    bool is_thread = (request->flags & CLONE_THREAD) != 0;
    struct process *process = parent->process;
    uint32_t tid;

    if ((request->flags & CLONE_NAMESPACES) ||
        ((request->flags & CLONE_PARENT) && !is_thread && process->parent == NULL) ||
        (is_thread && (request->flags & CLONE_SIGHAND) == 0) ||
        ((request->flags & CLONE_SIGHAND) && (request->flags & CLONE_VM) == 0))
        return -EINVAL;
    if (!is_thread)
        process = fork_process(request);
    if (process == NULL)
        return -ENOMEM;
    child = thread_new(process, parent->frame);
    if (child == NULL) {
        if (!is_thread) {
            host_simple(KERNEL_OP_DROP, process->context, 0, 0, 0);
            files_drop(process->files);
            space_drop(process->space);
            process_free(process);
        }
        return -EAGAIN;
    }
    tid = child->tid;
    inherit(child, parent, request);
    if (request->stack == 0)
        probes_inherit(child, parent);
    if (request->flags & CLONE_PARENT_SETTID)
        user_write(request->parent_tid, &tid, sizeof tid);
    if (request->flags & CLONE_CHILD_SETTID)
        user_write_in(process->space, request->child_tid, &tid, sizeof tid);
    record(KERNEL_CREATE, child, parent->tid, KERNEL_REASON_NONE, process->pid);
    if (request->flags & CLONE_VFORK)
        child->vfork_waiter = parent;
    thread_start(child);
    if (request->flags & CLONE_VFORK)
        thread_block(KERNEL_REASON_CHILD, tid, NEVER, false);
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
    info.code = (process->status & 0x7f) != 0 ? 2 : 1;
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
    space_use(NULL);
    space_drop(process->space);
    process->space = NULL;
    give_children_away(process);
    process->is_zombie = true;
    tell_parent(process);
}

_Noreturn void thread_exit(int32_t status)
{
    struct thread *thread = current();
    struct process *process = thread->process;

    leave_memory(thread);
    signal_queue_free(&thread->signals.queue, ~UINT64_C(0));
    if (words_are_wanted())
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

/* They notice on their way to user code. */
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

void process_kill_others(struct process *process)
{
    ask_to_end(process);
    while (process->thread_count > 1)
        thread_block(KERNEL_REASON_CHILD, 0, now() + 1, false);
}

_Noreturn void process_exit_quietly(void)
{
    thread_exit(current()->process->status);
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

/* ---- waiting --------------------------------------------------------------------------------- */

struct wait_request { int64_t pid; uint64_t options; bool wants_exit, keeps; };

static bool is_wanted(const struct process *child, int64_t pid)
{
    return pid == -1 || (pid > 0 && child->pid == (uint64_t)pid) ||
           (pid == 0 && child->group == current()->process->group) ||
           (pid < -1 && child->group == (uint64_t)-pid);
}

/* A child with news: 0: none, -ECHILD: nobody to wait for. */
static int64_t find_news(const struct wait_request *request, struct process **found,
                         int32_t *status)
{
    struct process *self = current()->process;
    struct list *at;
    bool any = false;

    for (at = self->children.next; at != &self->children; at = at->next) {
        struct process *child = container_of(at, struct process, sibling);

        if (!is_wanted(child, request->pid))
            continue;
        any = true;
        *found = child;
        *status = child->status;
        if (child->is_zombie && request->wants_exit)
            return 1;
        if ((request->options & WUNTRACED) && child->is_stopped && !child->stop_told) {
            child->stop_told = !request->keeps;
            return 2;
        }
        if ((request->options & WCONTINUED) && child->continue_told) {
            child->continue_told = request->keeps;
            *status = CONTINUED;
            return 2;
        }
    }
    return any ? 0 : -ECHILD;
}

/* The child's number, 0 with WNOHANG, or an error; *busy: its processor time. */
static int64_t wait_child(const struct wait_request *request, int32_t *status, uint64_t *busy)
{
    struct thread *thread = current();
    struct process *child;
    int64_t news, pid;

    while ((news = find_news(request, &child, status)) == 0) {
        if (request->options & WNOHANG)
            return 0;
        list_add(&thread->process->waiters, &thread->wait);
        if (thread_block(KERNEL_REASON_CHILD, (uint64_t)request->pid, NEVER, true) ==
            WAKE_SIGNAL) {
            list_remove(&thread->wait);
            return -ERESTART;
        }
        list_remove(&thread->wait);
    }
    if (news < 0)
        return news;
    pid = child->pid;
    *busy = child->busy_ticks + child->child_ticks;
    if (news == 1 && !request->keeps) {
        thread->process->child_ticks += *busy;
        process_free(child);
    }
    return pid;
}

int64_t sys_wait4(struct thread *thread, const uint64_t arg[6])
{
    const struct wait_request request = {(int32_t)arg[0], arg[2], true, false};
    int32_t status;
    uint64_t busy, usage[18] = {0};
    int64_t pid = wait_child(&request, &status, &busy);

    (void)thread;
    if (pid <= 0)
        return pid;
    busy = ticks_to_ns(busy) / 1000;
    usage[0] = busy / 1000000;
    usage[1] = busy % 1000000;
    if ((arg[1] != 0 && !user_write(arg[1], &status, sizeof status)) ||
        (arg[3] != 0 && !user_write(arg[3], usage, sizeof usage)))
        return -EFAULT;
    return pid;
}

int64_t sys_waitid(struct thread *thread, const uint64_t arg[6])
{
    enum { P_ALL, P_PID, P_PGID, WEXITED = 4, WNOWAIT = 0x1000000 };
    struct wait_request request = {-1, arg[3], (arg[3] & WEXITED) != 0,
                                   (arg[3] & WNOWAIT) != 0};
    struct siginfo info = {0};
    int32_t status = 0;
    uint64_t busy;
    int64_t pid;

    (void)thread;
    if (arg[0] == P_PID)
        request.pid = (int32_t)arg[1];
    else if (arg[0] == P_PGID)
        request.pid = arg[1] == 0 ? 0 : -(int64_t)(int32_t)arg[1];
    else if (arg[0] != P_ALL)
        return -EINVAL;
    if ((arg[3] & (WEXITED | WUNTRACED | WCONTINUED)) == 0)
        return -EINVAL;
    pid = wait_child(&request, &status, &busy);
    if (pid < 0)
        return pid;
    if (pid > 0) {
        bool is_killed = (status & 0x7f) != 0, is_stopped = (status & 0xff) == 0x7f;

        info.signo = SIGCHLD;
        info.code = status == CONTINUED ? 6 : is_stopped ? 5 : is_killed ? 2 : 1;
        info.word[0] = (uint64_t)pid | (uint64_t)1000 << 32;
        info.word[1] = (uint64_t)(status == CONTINUED ? SIGCONT
                                  : is_killed && !is_stopped ? status & 0x7f : status >> 8 & 0xff);
    }
    return arg[2] != 0 && !user_write(arg[2], &info, sizeof info) ? -EFAULT : 0;
}
