/* Signals: sending, choice of the receiving thread, default actions. Handlers: signal_frame.c. */
#include "process/process.h"
#include "signal/signal_frame.h"

#define BIT(n) (UINT64_C(1) << ((n) - 1))
#define IGNORED (BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT))
#define STOPS (BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU))
/* Source: signal(7), "Core". */
#define DUMPS_CORE (BIT(SIGQUIT) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT) | BIT(SIGBUS) | \
                    BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGXCPU) | BIT(SIGXFSZ) | BIT(SIGSYS))
#define UNBLOCKABLE (BIT(SIGKILL) | BIT(SIGSTOP))
enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1, REAL_TIME = 32, QUEUED_MAX = 1024 };

static uint64_t queued;                 /* of all processes, which are one user's */

void signal_queue_init(struct signal_queue *queue)
{
    queue->bits = 0;
    queue->count = 0;
    list_init(&queue->items);
}

void signal_queue_free(struct signal_queue *queue, uint64_t bits)
{
    struct list *at = queue->items.next;

    while (at != &queue->items) {
        struct pending *pending = container_of(at, struct pending, link);

        at = at->next;
        if (bits & signal_bit(pending->info.signo)) {
            list_remove(&pending->link);
            memory_free(pending, sizeof *pending);
            queue->count--;
            queued--;
        }
    }
    queue->bits &= ~bits;
}

bool signal_is_queued(const struct signal_queue *queue, const struct siginfo *info)
{
    const struct list *at = (queue->bits & signal_bit(info->signo)) != 0 ? queue->items.next
                                                                         : &queue->items;

    for (; at != &queue->items; at = at->next) {
        const struct siginfo *other = &container_of(at, struct pending, link)->info;

        if (other->signo == info->signo && other->code == info->code &&
            (uint32_t)other->word[0] == (uint32_t)info->word[0])
            return true;
    }
    return false;
}

/* True if one more signal may be queued for the process; an ordinary one from the kernel always
 * may. */
static bool has_room(const struct process *process, const struct signal_queue *queue,
                     const struct siginfo *info)
{
    return queue->count < QUEUED_MAX && (queued < process->limit[LIMIT_PENDING].soft ||
                                         (info->signo < REAL_TIME && info->code >= 0));
}

/* 0, or -EAGAIN: the signal queues, and the queue or memory is full. A signal that does not queue
 * then arrives without its data. */
static int put(const struct process *process, struct signal_queue *queue,
               const struct siginfo *info)
{
    bool queues = info->signo >= REAL_TIME && info->code != SI_USER;
    struct pending *pending;

    if ((queue->bits & signal_bit(info->signo)) && info->signo < REAL_TIME)
        return 0;
    pending = has_room(process, queue, info) ? memory_new(sizeof *pending) : NULL;
    if (pending == NULL && queues)
        return -EAGAIN;
    queue->bits |= signal_bit(info->signo);
    if (pending == NULL)
        return 0;
    pending->info = *info;
    list_add(&queue->items, &pending->link);
    queue->count++;
    queued++;
    return 0;
}

/* The lowest of these; false: none. */
static bool take(struct signal_queue *queue, uint64_t bits, struct siginfo *info)
{
    struct list *at;
    struct pending *found = NULL;
    bool more = false;
    int signo;

    bits &= queue->bits;
    if (bits == 0)
        return false;
    for (signo = 1; !(bits & signal_bit(signo)); signo++)
        ;
    for (at = queue->items.next; at != &queue->items; at = at->next) {
        struct pending *pending = container_of(at, struct pending, link);

        if (pending->info.signo != signo)
            continue;
        more |= found != NULL;
        found = found != NULL ? found : pending;
    }
    *info = (struct siginfo){.signo = signo, .code = SI_USER};
    if (!more)
        queue->bits &= ~signal_bit(signo);
    if (found != NULL) {
        *info = found->info;
        list_remove(&found->link);
        memory_free(found, sizeof *found);
        queue->count--;
        queued--;
    }
    return true;
}

static bool is_ignored(const struct process *process, int signo)
{
    uint64_t handler = process->action[signo].handler;

    return handler == HANDLER_IGNORE ||
           (handler == HANDLER_DEFAULT && (IGNORED & signal_bit(signo)) != 0);
}

void signal_drop_ignored(struct process *process, int signo)
{
    struct list *at;

    if (!is_ignored(process, signo))
        return;
    signal_queue_free(&process->signals, signal_bit(signo));
    for (at = process->threads.next; at != &process->threads; at = at->next)
        signal_queue_free(&container_of(at, struct thread, sibling)->signals.queue,
                          signal_bit(signo));
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool takes(const struct thread *thread, int signo)
{
    return !(thread->signals.blocked & signal_bit(signo)) ||
           (thread->signals.waited & signal_bit(signo)) != 0;
}

static void interrupt_thread(struct thread *thread, int signo)
{
    thread->signals.is_told = true;
    if (thread->state == THREAD_BLOCKED)
        thread_wake(thread, WAKE_SIGNAL);
    else if (thread->state == THREAD_STOPPED && signo == SIGKILL)
        thread_start(thread);
    else if (thread->state == THREAD_RUNNING && thread->hart != this_hart()->id)
        ipi_send(thread->hart);
}

/* The first thread that takes the signal, preferably one that none is under way to; NULL: none. */
static struct thread *taker(const struct process *process, int signo)
{
    struct thread *found = NULL;
    struct list *at;

    for (at = process->threads.next; at != &process->threads; at = at->next) {
        struct thread *thread = container_of(at, struct thread, sibling);

        if (takes(thread, signo) && !thread->signals.is_told)
            return thread;
        if (found == NULL && takes(thread, signo))
            found = thread;
    }
    return found;
}

/* Threads that wait for it as for a file. */
static void wake_watchers(const struct process *process, const struct thread *only, int signo)
{
    struct list *at;

    for (at = process->threads.next; at != &process->threads; at = at->next) {
        struct thread *thread = container_of(at, struct thread, sibling);

        if ((only == NULL || only == thread) && (thread->signals.watched & signal_bit(signo)) != 0)
            thread_wake(thread, WAKE_EVENT);
    }
}

int signal_send(struct process *process, struct thread *thread, const struct siginfo *info)
{
    bool is_directed = thread != NULL;
    int signo = info->signo, err;

    if (process->is_zombie || signo == 0)
        return 0;
    if (signo == SIGCONT || signo == SIGKILL)
        process_continue(process);
    if (thread == NULL)
        thread = taker(process, signo);
    if (is_ignored(process, signo) && thread != NULL &&
        !((thread->signals.blocked | thread->signals.waited) & signal_bit(signo)))
        return 0;
    err = put(process, is_directed ? &thread->signals.queue : &process->signals, info);
    if (err == 0 && signal_files != 0)
        wake_watchers(process, is_directed ? thread : NULL, signo);
    if (err == 0 && thread != NULL && takes(thread, signo))
        interrupt_thread(thread, signo);
    return err;
}

void signal_pass_on(struct process *process, uint64_t bits)
{
    int signo;

    bits &= process->signals.bits;
    for (signo = 1; bits != 0 && signo <= SIGNALS; signo++) {
        struct thread *thread = bits & signal_bit(signo) ? taker(process, signo) : NULL;

        if (thread != NULL)
            interrupt_thread(thread, signo);
    }
}

void signal_simple(struct process *process, struct thread *thread, int signo, int code)
{
    const struct siginfo info = {
        .signo = signo, .code = code,
        .word = {current()->process != NULL ? current()->process->pid | (uint64_t)1000 << 32 : 0},
    };

    signal_send(process, thread, &info);
}

void signal_fault(struct thread *thread, int signo, int code, uint64_t address)
{
    struct process *process = thread->process;
    const struct siginfo info = {.signo = signo, .code = code, .word = {address}};
    uint64_t bit = signal_bit(signo);

    if (signo != SIGKILL && ((thread->signals.blocked & bit) ||
                             process->action[signo].handler == HANDLER_IGNORE)) {
        thread->signals.blocked &= ~bit;
        process->action[signo] = (struct signal_action){0};
    }
    thread->fault_pc = thread->frame->reg[REG_PC];
    thread->fault_va = address;
    thread->lacks_memory = signo == SIGKILL;
    put(process, &thread->signals.queue, &info);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static uint64_t due(const struct thread *thread)
{
    const struct process *process = thread->process;
    uint64_t pending = thread->signals.queue.bits | process->signals.bits;

    return pending & ~(thread->signals.blocked & ~UNBLOCKABLE);
}

bool signal_is_due(const struct thread *thread)
{
    return thread->must_end || due(thread) != 0 ||
           ((thread->signals.queue.bits | thread->process->signals.bits) &
            thread->signals.waited) != 0;
}

/* Those that dump core are not: they end it when it next comes to user code, as in Linux. */
bool signal_is_fatal(const struct thread *thread)
{
    uint64_t bits = due(thread) & ~(DUMPS_CORE | STOPS | IGNORED);
    int signo;

    for (signo = 1; bits != 0 && signo <= SIGNALS; signo++)
        if ((bits & signal_bit(signo)) &&
            thread->process->action[signo].handler == HANDLER_DEFAULT)
            return true;
    return thread->must_end;
}

bool signal_take(struct thread *thread, uint64_t bits, struct siginfo *info)
{
    if (!take(&thread->signals.queue, bits, info) &&
        !take(&thread->process->signals, bits, info))
        return false;
    if (info->code == SI_TIMER)
        process_timer_taken(thread->process, info);
    return true;
}

void process_stop(struct process *process, int signo)
{
    struct thread *thread = current();

    if (!process->is_stopped) {
        process->is_stopped = true;
        process->stop_told = false;
        process->status = signo << 8 | 0x7f;
        if (process->parent != NULL) {
            wake_waiters(process->parent);
            if (!(process->parent->action[SIGCHLD].flags & SA_NOCLDSTOP))
                signal_simple(process->parent, NULL, SIGCHLD, 5);
        }
    }
    thread->state = THREAD_STOPPED;
    thread->reason = KERNEL_REASON_SIGNAL;
    record(KERNEL_BLOCK, thread, 0, KERNEL_REASON_SIGNAL, (uint64_t)signo);
    schedule();
}

void process_continue(struct process *process)
{
    struct list *at;

    signal_queue_free(&process->signals, STOPS);
    if (!process->is_stopped)
        return;
    process->is_stopped = false;
    process->continue_told = true;
    for (at = process->threads.next; at != &process->threads; at = at->next) {
        struct thread *thread = container_of(at, struct thread, sibling);

        if (thread->state == THREAD_STOPPED)
            thread_start(thread);
    }
    if (process->parent != NULL)
        wake_waiters(process->parent);
}

/* The whole process ends as the signal says; the host reports it if the run ends so. */
static _Noreturn void die(struct thread *thread, const struct siginfo *info)
{
    struct process *process = thread->process;
    bool is_fault = info->code > 0 && info->code != SI_KERNEL && info->signo != SIGCHLD;
    bool is_run = process->pid == FIRST_PID && !process->is_exiting;

    if (!process->is_exiting && (DUMPS_CORE & signal_bit(info->signo)) && core_write(thread, info))
        process->status |= DUMPED_CORE;
    if (is_run)
        host_simple(KERNEL_OP_EXIT, (uint64_t)info->signo,
                    is_fault ? thread->fault_pc : thread->frame->reg[REG_PC],
                    is_fault ? thread->fault_va : 0,
                    thread->lacks_memory ? 3 : is_fault);
    process_exit(info->signo);
}

/* 0: nothing to do for user code; else a handler is to run. */
static bool act(struct thread *thread, const struct siginfo *info)
{
    struct process *process = thread->process;
    uint64_t handler = process->action[info->signo].handler;

    if (info->signo == SIGKILL)
        die(thread, info);
    if (info->signo == SIGSTOP || ((STOPS & signal_bit(info->signo)) &&
                                   handler == HANDLER_DEFAULT)) {
        process_stop(process, info->signo);
        return false;
    }
    if (is_ignored(process, info->signo))
        return false;
    if (handler == HANDLER_DEFAULT)
        die(thread, info);
    return true;
}

void signal_deliver(struct thread *thread)
{
    struct siginfo info;
    bool is_handled = false;

    thread->signals.is_told = false;
    if (thread->must_end || thread->process->is_exiting)
        process_exit_quietly();
    while (thread->process->is_stopped)
        process_stop(thread->process, SIGSTOP);
    while (!is_handled && due(thread) != 0 && signal_take(thread, due(thread), &info)) {
        is_handled = act(thread, &info);
        if (thread->must_end || thread->process->is_exiting)
            process_exit_quietly();
    }
    signal_restart(thread, is_handled ? &info : NULL);
    if (is_handled && !signal_enter(thread, &info))
        die(thread, &(struct siginfo){.signo = SIGSEGV, .code = SI_KERNEL});
    if (thread->signals.has_saved && !is_handled)
        signal_set_mask(thread, thread->signals.saved);
    thread->signals.has_saved = false;
}

void signal_set_mask(struct thread *thread, uint64_t mask)
{
    uint64_t fresh = mask & ~UNBLOCKABLE & ~thread->signals.blocked;

    thread->signals.blocked = mask & ~UNBLOCKABLE;
    signal_pass_on(thread->process, fresh);
}
