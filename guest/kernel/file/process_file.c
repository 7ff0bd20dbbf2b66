/* A process as a file: pidfd_open, CLONE_PIDFD, pidfd_send_signal. Readable once it has ended. The
 * file does not keep it: a process that was waited for is gone. A directory /proc/NUMBER sends
 * signals, too.
 * Source: pidfd_open(2), clone(2), pidfd_send_signal(2). */
#include "file/file.h"
#include "process/process.h"
#include "syscall/syscall.h"

/* Descriptors of processes are closed by execve. */
static int64_t open_process(struct thread *thread, struct process *process, uint32_t flags)
{
    struct file *file = file_new(FILE_PROCESS, flags);

    if (file == NULL)
        return -ENOMEM;
    file->process = process;
    list_add(&process->watchers, &file->of_process);
    return file_open(thread, file, true);
}

int64_t process_file_open(struct thread *thread, struct process *process, uint64_t va)
{
    int64_t fd = open_process(thread, process, 0);
    int32_t number = (int32_t)fd;

    if (fd < 0 || user_write(va, &number, sizeof number))
        return fd;
    process_file_drop(thread, fd);
    return -EFAULT;
}

void process_file_drop(struct thread *thread, int64_t fd)
{
    const uint64_t close[6] = {(uint64_t)fd};

    sys_close(thread, close);
}

void process_file_close(struct file *file)
{
    if (file->process != NULL)
        list_remove(&file->of_process);
}

unsigned process_file_ready(const struct file *file)
{
    return file->process == NULL || file->process->is_zombie ? POLLIN : 0;
}

void process_files_tell(struct process *process)
{
    struct list *at;

    for (at = process->watchers.next; at != &process->watchers; at = at->next)
        file_changed(container_of(at, struct file, of_process));
}

void process_files_forget(struct process *process)
{
    while (!list_is_empty(&process->watchers)) {
        struct file *file = container_of(process->watchers.next, struct file, of_process);

        list_remove(&file->of_process);
        file->process = NULL;
    }
}

struct file *process_file_of(const struct thread *thread, uint64_t fd)
{
    struct file *file = files_get(thread->process->files, (uint32_t)fd);

    return file != NULL && file->kind == FILE_PROCESS ? file : NULL;
}

int64_t sys_pidfd_open(struct thread *thread, const uint64_t arg[6])
{
    uint32_t pid = (uint32_t)arg[0];
    struct process *process = process_find(pid);

    if ((int32_t)pid <= 0 || (arg[1] & ~(uint64_t)O_NONBLOCK) != 0)
        return -EINVAL;
    if (process == NULL)
        return thread_find(pid) != NULL ? -EINVAL : -ESRCH;
    return open_process(thread, process, (uint32_t)arg[1]);
}

/* Nobody else's number may be pretended to have sent it. */
int64_t sys_pidfd_send_signal(struct thread *thread, const uint64_t arg[6])
{
    const struct file *file = files_get(thread->process->files, arg[0]);
    bool is_process = file != NULL && (file->kind == FILE_PROCESS ||
                                       file->subject.what == PROC_SELF);
    struct siginfo info = {.word = {thread->process->pid | (uint64_t)1000 << 32}};

    if (arg[3] != 0)
        return -EINVAL;
    if (!is_process)
        return -EBADF;
    if (arg[2] != 0 && !user_read(arg[2], &info, sizeof info))
        return -EFAULT;
    if (arg[1] > SIGNALS || (arg[2] != 0 && info.signo != (int32_t)arg[1]))
        return -EINVAL;
    info.signo = (int32_t)arg[1];
    if (file->process == NULL)
        return file->subject.thread == INIT_PID ? -EPERM : -ESRCH;
    if (arg[2] != 0 && file->process != thread->process &&
        (info.code >= 0 || info.code == SI_TKILL))
        return -EPERM;
    return signal_send(file->process, NULL, &info);
}
