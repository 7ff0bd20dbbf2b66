/* Tables of the kernel's own files, and the calls that work on descriptors. */
#include "process/process.h"
#include "socket/socket.h"
#include "syscall/syscall.h"

enum { CALL_DUP = 23, CALL_DUP3 = 24, CALL_FCNTL = 25, CALL_CLOSE = 57, CALL_RANGE = 436,
       F_DUPFD = 0, F_GETFD = 1, F_GETFL = 3, F_SETFL = 4, F_SETOWN = 8, F_GETOWN_EX = 16,
       F_DUPFD_CLOEXEC = 1030, F_SETPIPE_SZ = 1031, F_GETPIPE_SZ = 1032 };

/* ---- tables ---------------------------------------------------------------------------------- */

struct files *files_new(void)
{
    return memory_new(sizeof(struct files));
}

struct file *files_get(const struct files *files, uint64_t fd)
{
    struct file **part = fd < files->end ? files->part[fd / FILES_PART] : NULL;

    return part != NULL ? part[fd % FILES_PART] : NULL;
}

struct file *files_own(const struct files *files, uint64_t fd)
{
    struct file *file = files_get(files, fd);

    return file != NULL && file->kind == FILE_SOCKET && !file->socket->is_local ? NULL : file;
}

int files_put(struct files *files, uint64_t fd, struct file *file)
{
    struct file ***part = &files->part[fd / FILES_PART];

    if (file_drop(files_get(files, fd)), *part == NULL && file == NULL)
        return 0;
    if (*part == NULL)
        *part = memory_new(FILES_PART * sizeof **part);
    if (*part == NULL) {
        file_drop(file);
        return -ENOMEM;
    }
    (*part)[fd % FILES_PART] = file;
    if (fd >= files->end)
        files->end = (uint32_t)fd + 1;
    return 0;
}

void files_copy(struct files *to, const struct files *from)
{
    uint64_t fd;

    for (fd = 0; fd < from->end; fd++) {
        struct file *file = files_get(from, fd);

        if (from->part[fd / FILES_PART] == NULL) {
            fd |= FILES_PART - 1;
        } else if (file != NULL) {
            file->users++;
            files_put(to, fd, file);
        }
    }
}

void files_drop(struct files *files)
{
    uint64_t fd;
    unsigned i;

    for (i = 0; i < (files->end + FILES_PART - 1) / FILES_PART; i++) {
        if (files->part[i] == NULL)
            continue;
        for (fd = i * FILES_PART; fd < (i + 1) * FILES_PART; fd++)
            file_drop(files_get(files, fd));
        memory_free(files->part[i], FILES_PART * sizeof *files->part[i]);
    }
    memory_free(files, sizeof *files);
}

void files_exec(struct files *files)
{
    uint64_t fd;

    for (fd = 0; fd < files->end; fd++) {
        const uint64_t arg[6] = {fd, F_GETFD};

        if (files->part[fd / FILES_PART] == NULL)
            fd |= FILES_PART - 1;
        else if (files_get(files, fd) != NULL && syscall_forward(current(), CALL_FCNTL, arg) < 0)
            files_put(files, fd, NULL);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

struct file *file_new(enum file_kind kind, uint32_t flags)
{
    struct file *file = memory_new(sizeof *file);

    if (file != NULL) {
        *file = (struct file){.users = 1, .kind = kind, .flags = flags};
        list_init(&file->waiters);
        list_init(&file->items);
        list_init(&file->items_of);
    }
    return file;
}

void file_drop(struct file *file)
{
    if (file == NULL || --file->users > 0)
        return;
    epoll_leave(file);
    pipe_leave(file, PIPE_READS);
    pipe_leave(file, PIPE_WRITES);
    socket_close(file);
    if (file->kind == FILE_EPOLL)
        epoll_close(file);
    process_file_close(file);
    signal_file_close(file);
    timer_file_close(file);
    while (!list_is_empty(&file->waiters)) {
        struct file_waiter *waiter = container_of(file->waiters.next, struct file_waiter, link);

        list_remove(&waiter->link);
        thread_wake(waiter->thread, WAKE_EVENT);
    }
    memory_free(file, sizeof *file);
}

/* Something may be read or written that could not before. */
static void tell_owner(const struct file *file)
{
    enum { POLL_IN = 1, POLL_OUT = 2 };
    unsigned ready = file_ready(file);
    const struct siginfo info = {.signo = SIGIO, .code = ready & POLLIN ? POLL_IN : POLL_OUT,
                                 .word = {ready}};
    struct list *at;

    for (at = processes.next; ready != 0 && at != &processes; at = at->next) {
        struct process *process = container_of(at, struct process, link);

        if ((int32_t)process->pid == file->owner || (int32_t)process->group == -file->owner)
            signal_send(process, NULL, &info);
    }
}

void file_changed(struct file *file)
{
    bool has_woken_one = false;
    struct list *at;

    file->changes++;
    if ((file->flags & O_ASYNC) && file->owner != 0)
        tell_owner(file);
    for (at = file->waiters.next; at != &file->waiters; at = at->next) {
        const struct file_waiter *waiter = container_of(at, struct file_waiter, link);
        bool sleeps = waiter->thread->state == THREAD_BLOCKED;

        if (!waiter->is_exclusive || (sleeps && !has_woken_one))
            thread_wake(waiter->thread, WAKE_EVENT);
        has_woken_one |= waiter->is_exclusive && sleeps;
    }
}

int64_t file_open(struct thread *thread, struct file *file, bool is_cloexec)
{
    int64_t fd = host_simple(KERNEL_OP_NEW_FD, is_cloexec, 0, 0, 0);
    int err;

    if (fd < 0) {
        file_drop(file);
        return fd;
    }
    err = files_put(thread->process->files, (uint64_t)fd, file);
    return err != 0 ? err : fd;
}

enum wake waiters_wait(struct list *waiters, enum kernel_reason reason, uint64_t value,
                       uint64_t deadline)
{
    struct file_waiter waiter = {.thread = current()};
    enum wake wake;

    if (signal_is_due(current()))
        return WAKE_SIGNAL;
    list_add(waiters, &waiter.link);
    wake = thread_block(reason, value, deadline, HEARS_ALL);
    list_remove(&waiter.link);
    return wake == WAKE_SIGNAL ? WAKE_EVENT : wake;
}

void waiters_wake(const struct list *waiters)
{
    struct list *at;

    for (at = waiters->next; at != waiters; at = at->next)
        thread_wake(container_of(at, struct file_waiter, link)->thread, WAKE_EVENT);
}

int64_t file_wait(struct thread *thread, struct file *file, uint64_t fd, bool is_quick)
{
    enum wake wake;

    if (is_quick)
        return -EAGAIN;
    thread->signals.watched = file->signals;
    wake = waiters_wait(&file->waiters, KERNEL_REASON_IO, fd, NEVER);
    thread->signals.watched = 0;
    return wake == WAKE_SIGNAL ? -ERESTART : 0;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* The host made `to` a second name of `from`. */
static int64_t follow(struct thread *thread, uint64_t from, int64_t to)
{
    struct file *file = files_get(thread->process->files, from);

    if (to < 0)
        return to;
    if (file != NULL)
        file->users++;
    files_put(thread->process->files, (uint64_t)to, file);
    return to;
}

int64_t sys_dup(struct thread *thread, const uint64_t arg[6])
{
    return follow(thread, arg[0], syscall_forward(thread, CALL_DUP, arg));
}

int64_t sys_dup3(struct thread *thread, const uint64_t arg[6])
{
    return follow(thread, arg[0], syscall_forward(thread, CALL_DUP3, arg));
}

static struct pipe *pipe_of(const struct file *file)
{
    return file->pipe[file->pipe[PIPE_READS] == NULL];
}

/* struct f_owner_ex, which the C library asks for. */
static int64_t own(struct file *file, uint64_t command, uint64_t value)
{
    enum { OF_PROCESS = 1, OF_GROUP = 2 };
    int32_t owner = file->owner;
    const int32_t told[2] = {owner < 0 ? OF_GROUP : OF_PROCESS, owner < 0 ? -owner : owner};

    if (command == F_GETOWN_EX)
        return user_write(value, told, sizeof told) ? 0 : -EFAULT;
    file->owner = (int32_t)value;
    return 0;
}

int64_t sys_fcntl(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);

    if (file == NULL && lock_is_command(arg[1]))
        return lock_fcntl(thread, arg);
    if (arg[1] == F_DUPFD || arg[1] == F_DUPFD_CLOEXEC)
        return follow(thread, arg[0], syscall_forward(thread, CALL_FCNTL, arg));
    if (file != NULL && arg[1] == F_GETFL)
        return file->flags | (file->kind != FILE_PIPE ? 2u : file->pipe[PIPE_WRITES] == NULL ? 0u
                              : file->pipe[PIPE_READS] == NULL ? 1u : 2u);
    if (file != NULL && arg[1] == F_SETFL) {
        file->flags = (uint32_t)arg[2] & (O_NONBLOCK | O_ASYNC);
        return 0;
    }
    if (file != NULL && (arg[1] == F_SETOWN || arg[1] == F_GETOWN_EX))
        return own(file, arg[1], arg[2]);
    if (file != NULL && file->kind == FILE_PIPE && arg[1] == F_GETPIPE_SZ)
        return pipe_of(file)->room;
    if (file != NULL && file->kind == FILE_PIPE && arg[1] == F_SETPIPE_SZ)
        return pipe_resize(pipe_of(file), (uint32_t)arg[2]);
    return syscall_forward(thread, CALL_FCNTL, arg);
}

static void close_one(struct files *files, uint64_t fd)
{
    if (files_get(files, fd) == NULL)
        epoll_forget(files, fd, fd);
    files_put(files, fd, NULL);
}

int64_t sys_close(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;

    if (arg[0] < FILES_MAX)
        close_one(thread->process->files, arg[0]);
    result = syscall_forward(thread, CALL_CLOSE, arg);
    locks_changed();
    return result;
}

int64_t sys_close_range(struct thread *thread, const uint64_t arg[6])
{
    enum { ONLY_CLOEXEC = 4 };
    struct files *files = thread->process->files;
    uint64_t fd;

    if (!(arg[2] & ONLY_CLOEXEC))
        epoll_forget(files, (uint32_t)arg[0], (uint32_t)arg[1]);
    for (fd = (uint32_t)arg[0]; fd <= (uint32_t)arg[1] && fd < files->end; fd++)
        if (!(arg[2] & ONLY_CLOEXEC))
            files_put(files, fd, NULL);
    locks_changed();
    return syscall_forward(thread, CALL_RANGE, arg);
}

int64_t sys_ioctl(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);
    enum { FIONREAD = 0x541b, FIONBIO = 0x5421, FIOASYNC = 0x5452 };
    uint32_t flag = arg[1] == FIOASYNC ? O_ASYNC : O_NONBLOCK;
    int32_t count;

    if (file == NULL)
        return syscall_forward(thread, 29, arg);
    if (arg[1] == FIONBIO || arg[1] == FIOASYNC) {
        if (!user_read(arg[2], &count, sizeof count))
            return -EFAULT;
        file->flags = count != 0 ? file->flags | flag : file->flags & ~flag;
        return 0;
    }
    if (arg[1] != FIONREAD || pipe_of(file) == NULL)
        return -ENOTTY;
    count = (int32_t)pipe_of(file)->count;
    return user_write(arg[2], &count, sizeof count) ? 0 : -EFAULT;
}

int64_t sys_lseek(struct thread *thread, const uint64_t arg[6])
{
    return files_own(thread->process->files, arg[0]) != NULL ? -ESPIPE
                                                             : syscall_forward(thread, 62, arg);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int64_t read_any(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                        uint64_t bytes)
{
    switch (file->kind) {
    case FILE_SOCKET:
        return socket_move(thread, file, &(struct parts){fd, va, bytes, .is_single = true});
    case FILE_TEXT: return pipe_read(thread, file, fd, va, bytes);
    case FILE_PIPE: return file->pipe[PIPE_READS] == NULL
                               ? -EBADF : pipe_read(thread, file, fd, va, bytes);
    case FILE_EVENT: return event_read(thread, file, fd, va, bytes);
    case FILE_TIMER: return timer_file_read(thread, file, fd, va, bytes);
    case FILE_SIGNAL: return signal_file_read(thread, file, fd, va, bytes);
    case FILE_DIRECTORY: return -EISDIR;
    default: return -EINVAL;
    }
}

static int64_t write_any(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                         uint64_t bytes)
{
    switch (file->kind) {
    case FILE_SOCKET:
        return socket_move(thread, file, &(struct parts){fd, va, bytes, .is_single = true,
                                                         .is_write = true});
    case FILE_PIPE: return pipe_write(thread, file, fd, va, bytes);
    case FILE_EVENT: return event_write(thread, file, fd, va, bytes);
    case FILE_TEXT:
        return file->subject.what == PROC_TRACING ? records_write(va, bytes) : -EBADF;
    case FILE_DIRECTORY: return -EBADF;
    default: return -EINVAL;
    }
}

int64_t file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes)
{
    int64_t result = read_any(thread, file_hold(file), fd, va, bytes);

    file_drop(file);
    return result;
}

int64_t file_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes)
{
    int64_t result = write_any(thread, file_hold(file), fd, va, bytes);

    file_drop(file);
    return result;
}

unsigned file_ready(const struct file *file)
{
    switch (file->kind) {
    case FILE_SOCKET: return socket_ready(file);
    case FILE_SIGNAL: return signal_file_ready(current(), file) ? POLLIN : 0;
    case FILE_TEXT:
    case FILE_DIRECTORY: return POLLIN;
    case FILE_PIPE: return pipe_ready(file);
    case FILE_EVENT:
        return (file->event.value > 0 ? POLLIN : 0u) |
               (file->event.value < UINT64_MAX - 1 ? POLLOUT : 0u);
    case FILE_TIMER: return timer_file_ready(file) ? POLLIN : 0;
    case FILE_PROCESS: return process_file_ready(file);
    default: return epoll_ready(file) ? POLLIN : 0;
    }
}

int64_t sys_read(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);

    return file != NULL ? file_read(thread, file, arg[0], arg[1], arg[2])
                        : syscall_forward(thread, 63, arg);
}

int64_t sys_write(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);

    return file != NULL ? file_write(thread, file, arg[0], arg[1], arg[2])
                        : syscall_forward(thread, 64, arg);
}
