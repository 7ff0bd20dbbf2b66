/* Waiting for children: those that ended, stopped or go on. Source: wait4(2), waitid(2). */
#include "process/process.h"
#include "syscall/syscall.h"

/* THREAD_OPTIONS: __WNOTHREAD, __WALL, __WCLONE, which change nothing here. */
enum { WNOHANG = 1, WUNTRACED = 2, WCONTINUED = 8, CONTINUED = 0xffff };
#define THREAD_OPTIONS UINT32_C(0xe0000000)

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

/* Processor time of a child and its children, and what of it was in user code; in ticks. */
struct used { uint64_t busy, user; };

/* The child's number, 0 with WNOHANG, or an error. */
static int64_t wait_child(const struct wait_request *request, int32_t *status, struct used *used)
{
    struct thread *thread = current();
    struct process *child;
    int64_t news, pid;
    bool is_interrupted = false;

    while ((news = find_news(request, &child, status)) == 0) {
        if (request->options & WNOHANG)
            return 0;
        if (is_interrupted)
            return -ERESTART;           /* only now: news may have come with the signal */
        list_add(&thread->process->waiters, &thread->wait);
        is_interrupted = thread_block(KERNEL_REASON_CHILD, (uint64_t)request->pid, NEVER,
                                      HEARS_ALL) == WAKE_SIGNAL;
        list_remove(&thread->wait);
    }
    if (news < 0)
        return news;
    pid = child->pid;
    used->busy = child->busy_ticks + child->child_ticks;
    used->user = child->user_ticks + child->child_user_ticks;
    if (news == 1 && !request->keeps) {
        thread->process->child_ticks += used->busy;
        thread->process->child_user_ticks += used->user;
        process_free(child);
    }
    return pid;
}

int64_t sys_wait4(struct thread *thread, const uint64_t arg[6])
{
    const struct wait_request request = {(int32_t)arg[0], arg[2], true, false};
    int32_t status;
    struct used used;
    int64_t pid;

    (void)thread;
    if (((uint32_t)arg[2] & ~(WNOHANG | WUNTRACED | WCONTINUED | THREAD_OPTIONS)) != 0)
        return -EINVAL;
    if (request.pid == INT32_MIN)
        return -ESRCH;
    pid = wait_child(&request, &status, &used);
    if (pid <= 0)
        return pid;
    if ((arg[1] != 0 && !user_write(arg[1], &status, sizeof status)) ||
        (arg[3] != 0 && !clock_write_usage(arg[3], used.busy, used.user, 0)))
        return -EFAULT;
    return pid;
}

int64_t sys_waitid(struct thread *thread, const uint64_t arg[6])
{
    enum { P_ALL, P_PID, P_PGID, P_PIDFD, WEXITED = 4, WNOWAIT = 0x1000000 };
    struct wait_request request = {-1, arg[3], (arg[3] & WEXITED) != 0,
                                   (arg[3] & WNOWAIT) != 0};
    struct siginfo info = {0};
    const struct file *file = NULL;
    int32_t status = 0;
    struct used used;
    int64_t pid;

    if (arg[0] == P_PIDFD && (file = process_file_of(thread, arg[1])) == NULL)
        return -EBADF;
    if (file != NULL && file->process == NULL)
        return -ECHILD;
    if (file != NULL && (file->flags & O_NONBLOCK))
        request.options |= WNOHANG;
    if (file != NULL)
        request.pid = file->process->pid;
    else if (arg[0] == P_PID)
        request.pid = (int32_t)arg[1];
    else if (arg[0] == P_PGID)
        request.pid = arg[1] == 0 ? 0 : -(int64_t)(int32_t)arg[1];
    else if (arg[0] != P_ALL)
        return -EINVAL;
    if ((arg[3] & (WEXITED | WUNTRACED | WCONTINUED)) == 0)
        return -EINVAL;
    pid = wait_child(&request, &status, &used);
    if (pid == 0 && file != NULL && (arg[3] & WNOHANG) == 0)
        return -EAGAIN;
    if (pid < 0)
        return pid;
    if (pid > 0) {
        bool is_killed = (status & 0x7f) != 0, is_stopped = (status & 0xff) == 0x7f;
        int killed = (status & DUMPED_CORE) != 0 ? 3 : 2;

        info.signo = SIGCHLD;
        info.code = status == CONTINUED ? 6 : is_stopped ? 5 : is_killed ? killed : 1;
        info.word[0] = (uint64_t)pid | (uint64_t)1000 << 32;
        info.word[1] = (uint64_t)(status == CONTINUED ? SIGCONT
                                  : is_killed && !is_stopped ? status & 0x7f : status >> 8 & 0xff);
    }
    return arg[2] != 0 && !user_write(arg[2], &info, sizeof info) ? -EFAULT : 0;
}
