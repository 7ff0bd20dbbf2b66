/* Tables of the kernel's own files, and the calls that work on descriptors. */
#include "file.h"
#include "process.h"
#include "syscall.h"

enum { CALL_DUP = 23, CALL_DUP3 = 24, CALL_FCNTL = 25, CALL_CLOSE = 57, CALL_RANGE = 436,
       F_DUPFD = 0, F_GETFD = 1, F_GETFL = 3, F_SETFL = 4, F_DUPFD_CLOEXEC = 1030,
       F_SETPIPE_SZ = 1031, F_GETPIPE_SZ = 1032, IOVECS_MAX = 1024 };

/* ---- tables ---------------------------------------------------------------------------------- */

struct files *files_new(void)
{
    return memory_new(sizeof(struct files));
}

struct file *files_get(const struct files *files, uint64_t fd)
{
    struct file **part = fd < FILES_MAX ? files->part[fd / FILES_PART] : NULL;

    return part != NULL ? part[fd % FILES_PART] : NULL;
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
    return 0;
}

void files_copy(struct files *to, const struct files *from)
{
    uint64_t fd;

    for (fd = 0; fd < FILES_MAX; fd++) {
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

    for (i = 0; i < FILES_MAX / FILES_PART; i++) {
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

    for (fd = 0; fd < FILES_MAX; fd++) {
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
    }
    return file;
}

void file_drop(struct file *file)
{
    if (file == NULL || --file->users > 0)
        return;
    if (file->pipe != NULL)
        pipe_close(file);
    if (file->kind == FILE_EPOLL)
        epoll_close(file);
    process_file_close(file);
    signal_file_close(file);
    timer_file_close(file);
    memory_free(file, sizeof *file);
}

void file_changed(struct file *file)
{
    bool has_woken_one = false;
    struct list *at;

    file->changes++;
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

int64_t file_wait(struct thread *thread, struct file *file, uint64_t fd)
{
    struct file_waiter waiter = {.thread = thread};
    enum wake wake;

    if (file->flags & O_NONBLOCK)
        return -EAGAIN;
    file->users++;
    list_add(&file->waiters, &waiter.link);
    thread->signals.watched = file->signals;
    wake = thread_block(KERNEL_REASON_IO, fd, NEVER, true);
    thread->signals.watched = 0;
    list_remove(&waiter.link);
    file_drop(file);
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

int64_t sys_fcntl(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);

    if (arg[1] == F_DUPFD || arg[1] == F_DUPFD_CLOEXEC)
        return follow(thread, arg[0], syscall_forward(thread, CALL_FCNTL, arg));
    if (file != NULL && arg[1] == F_GETFL)
        return file->flags | (file->kind == FILE_PIPE_READ ? 0
                              : file->kind == FILE_PIPE_WRITE ? 1 : 2);
    if (file != NULL && arg[1] == F_SETFL) {
        file->flags = (uint32_t)arg[2] & O_NONBLOCK;
        return 0;
    }
    if (file != NULL && arg[1] == F_GETPIPE_SZ)
        return PAGE_BYTES;
    if (file != NULL && arg[1] == F_SETPIPE_SZ)
        return (uint32_t)arg[2] <= PAGE_BYTES ? PAGE_BYTES : -EPERM;
    return syscall_forward(thread, CALL_FCNTL, arg);
}

static void close_one(struct files *files, uint64_t fd)
{
    if (files_get(files, fd) == NULL)
        epoll_forget(files, fd);
    files_put(files, fd, NULL);
}

int64_t sys_close(struct thread *thread, const uint64_t arg[6])
{
    if (arg[0] < FILES_MAX)
        close_one(thread->process->files, arg[0]);
    return syscall_forward(thread, CALL_CLOSE, arg);
}

int64_t sys_close_range(struct thread *thread, const uint64_t arg[6])
{
    enum { ONLY_CLOEXEC = 4 };
    uint64_t fd;

    for (fd = (uint32_t)arg[0]; fd <= (uint32_t)arg[1] && fd < FILES_MAX; fd++)
        if (!(arg[2] & ONLY_CLOEXEC))
            close_one(thread->process->files, fd);
    return syscall_forward(thread, CALL_RANGE, arg);
}

int64_t sys_ioctl(struct thread *thread, const uint64_t arg[6])
{
    const struct file *file = files_get(thread->process->files, arg[0]);
    enum { FIONREAD = 0x541b };
    int32_t count;

    if (file == NULL)
        return syscall_forward(thread, 29, arg);
    if (arg[1] != FIONREAD || file->pipe == NULL)
        return -ENOTTY;
    count = (int32_t)file->pipe->count;
    return user_write(arg[2], &count, sizeof count) ? 0 : -EFAULT;
}

int64_t sys_lseek(struct thread *thread, const uint64_t arg[6])
{
    return files_get(thread->process->files, arg[0]) != NULL ? -ESPIPE
                                                             : syscall_forward(thread, 62, arg);
}

int64_t sys_fstat(struct thread *thread, const uint64_t arg[6])
{
    enum { FIFO = 0010600, SOCKET = 0140600, DIRECTORY = 0040500, WORDS = 16 };
    const struct file *file = files_get(thread->process->files, arg[0]);
    uint64_t stat[WORDS] = {0};

    if (file == NULL)
        return syscall_forward(thread, 80, arg);
    stat[1] = arg[0] + 1;
    stat[2] = (file->kind == FILE_DIRECTORY ? DIRECTORY : file->kind == FILE_PAIR ? SOCKET : FIFO) |
              UINT64_C(1) << 32;
    stat[3] = 1000 | UINT64_C(1000) << 32;
    stat[7] = PAGE_BYTES;
    return user_write(arg[1], stat, sizeof stat) ? 0 : -EFAULT;
}

/* Of a descriptor alone, as fstat. */
int64_t sys_newfstatat(struct thread *thread, const uint64_t arg[6])
{
    enum { EMPTY_PATH = 0x1000 };
    const uint64_t own[6] = {arg[0], arg[2]};
    char first = 0;

    if (!(arg[3] & EMPTY_PATH) || files_get(thread->process->files, arg[0]) == NULL ||
        !user_read(arg[1], &first, 1) || first != 0)
        return syscall_forward(thread, 79, arg);
    return sys_fstat(thread, own);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

int64_t sys_read(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);

    return file != NULL ? file_read(thread, file, arg[0], arg[1], arg[2])
                        : syscall_forward(thread, 63, arg);
}

int64_t sys_write(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);

    return file != NULL ? file_write(thread, file, arg[0], arg[1], arg[2])
                        : syscall_forward(thread, 64, arg);
}

/* Only the first part may block. */
static int64_t move_many(struct thread *thread, struct file *file, const uint64_t arg[6],
                         bool is_write)
{
    int64_t done = 0;
    uint64_t i;

    if (arg[2] > IOVECS_MAX)
        return -EINVAL;
    for (i = 0; i < arg[2]; i++) {
        uint64_t part[2];
        int64_t moved;

        if (!user_read(arg[1] + 16 * i, part, sizeof part))
            return done > 0 ? done : -EFAULT;
        if (part[1] == 0)
            continue;
        if (done > 0 && !(file_ready(file) & (is_write ? POLLOUT : POLLIN)))
            break;
        moved = is_write ? file_write(thread, file, arg[0], part[0], part[1])
                         : file_read(thread, file, arg[0], part[0], part[1]);
        if (moved < 0)
            return done > 0 ? done : moved;
        done += moved;
        if ((uint64_t)moved < part[1])
            break;
    }
    return done;
}

int64_t sys_readv(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);

    return file != NULL ? move_many(thread, file, arg, false) : syscall_forward(thread, 65, arg);
}

int64_t sys_writev(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);

    return file != NULL ? move_many(thread, file, arg, true) : syscall_forward(thread, 66, arg);
}

/* Programs then copy by read and write. */
int64_t sys_sendfile(struct thread *thread, const uint64_t arg[6])
{
    const struct files *files = thread->process->files;

    if (files_get(files, arg[0]) != NULL || files_get(files, arg[1]) != NULL)
        return -EINVAL;
    return syscall_forward(thread, 71, arg);
}
