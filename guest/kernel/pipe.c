/* Pipes of one page, pairs of sockets, which are two pipes, and eventfd. */
#include "file.h"
#include "process.h"
#include "syscall.h"

enum { PIPE_BYTES = PAGE_BYTES, SEMAPHORE = 1 };

/* ---- pipes ----------------------------------------------------------------------------------- */

static struct pipe *pipe_new(void)
{
    struct pipe *pipe = memory_new(sizeof *pipe);
    uint64_t page = frame_new_dirty();

    if (pipe == NULL || page == 0) {
        if (pipe != NULL)
            memory_free(pipe, sizeof *pipe);
        if (page != 0)
            frame_free(page);
        return NULL;
    }
    *pipe = (struct pipe){.page = page};
    return pipe;
}

static void leave_pipe(struct pipe *pipe, const struct file *file)
{
    unsigned own = pipe->end[1] == file;
    struct file *other = pipe->end[!own];

    pipe->end[own] = NULL;
    if (other != NULL) {
        file_changed(other);
        return;
    }
    frame_free(pipe->page);
    memory_free(pipe, sizeof *pipe);
}

void pipe_close(struct file *file)
{
    leave_pipe(file->pipe, file);
    if (file->out != NULL)
        leave_pipe(file->out, file);
}

/* Descriptors for both, written to va; the files are taken over. */
static int64_t open_two(struct thread *thread, struct file *const file[2], bool is_cloexec,
                        uint64_t va)
{
    int64_t fd[2] = {file_open(thread, file[0], is_cloexec), file_open(thread, file[1],
                                                                       is_cloexec)};
    const int32_t pair[2] = {(int32_t)fd[0], (int32_t)fd[1]};
    unsigned i;

    if (fd[0] >= 0 && fd[1] >= 0 && user_write(va, pair, sizeof pair))
        return 0;
    for (i = 0; i < 2; i++)
        if (fd[i] >= 0)
            sys_close(thread, (const uint64_t[6]){(uint64_t)fd[i]});
    return fd[0] < 0 || fd[1] < 0 ? -EMFILE : -EFAULT;
}

int64_t sys_pipe2(struct thread *thread, const uint64_t arg[6])
{
    uint32_t flags = (uint32_t)arg[1] & O_NONBLOCK;
    struct file *in = file_new(FILE_PIPE_READ, flags), *out = file_new(FILE_PIPE_WRITE, flags);
    struct pipe *pipe = pipe_new();

    if (in == NULL || out == NULL || pipe == NULL)
        return -ENOMEM;
    in->pipe = pipe;
    pipe->end[0] = in;
    out->pipe = pipe;
    pipe->end[1] = out;
    return open_two(thread, (struct file *const[2]){in, out}, (arg[1] & O_CLOEXEC) != 0, arg[0]);
}

int64_t sys_socketpair(struct thread *thread, const uint64_t arg[6])
{
    enum { LOCAL = 1, STREAM = 1, TYPE = 0xf };
    uint32_t flags = (uint32_t)arg[1] & O_NONBLOCK;
    struct file *file[2];
    unsigned i;

    if (arg[0] != LOCAL || (arg[1] & ~(uint64_t)(TYPE | O_NONBLOCK | O_CLOEXEC)) != 0)
        return arg[0] != LOCAL ? -EAFNOSUPPORT : -EINVAL;
    if ((arg[1] & TYPE) != STREAM || arg[2] > 1)
        return arg[2] > 1 ? -EPROTONOSUPPORT : -ESOCKTNOSUPPORT;
    for (i = 0; i < 2; i++) {
        file[i] = file_new(FILE_PAIR, flags);
        if (file[i] == NULL || (file[i]->pipe = pipe_new()) == NULL)
            return -ENOMEM;
        file[i]->pipe->end[0] = file[i];
    }
    for (i = 0; i < 2; i++) {
        file[i]->out = file[!i]->pipe;
        file[i]->out->end[1] = file[i];
    }
    return open_two(thread, file, (arg[1] & O_CLOEXEC) != 0, arg[3]);
}

int64_t pipe_open_text(struct thread *thread, enum file_kind kind, const void *text,
                       uint32_t bytes, bool is_cloexec)
{
    struct file *file = file_new(kind, 0);
    struct pipe *pipe = pipe_new();

    if (file == NULL || pipe == NULL)
        return -ENOMEM;
    file->pipe = pipe;
    pipe->end[0] = file;
    pipe->count = bytes;
    memcpy(at_pa(pipe->page), text, bytes);
    return file_open(thread, file, is_cloexec);
}

/* Moves between user memory and the ring; bytes moved, or -EFAULT if none could be. */
static int64_t copy(struct pipe *pipe, uint64_t va, uint64_t bytes, bool is_write)
{
    uint8_t *ring = at_pa(pipe->page);
    uint64_t done = 0;

    while (done < bytes) {
        uint32_t at = (pipe->head + (is_write ? pipe->count : 0)) % PIPE_BYTES;
        uint32_t room = is_write ? PIPE_BYTES - pipe->count : pipe->count;
        uint64_t part = PIPE_BYTES - at;

        part = part < room ? part : room;
        part = part < bytes - done ? part : bytes - done;
        if (part == 0)
            break;
        if (!(is_write ? user_read(va + done, ring + at, part)
                       : user_write(va + done, ring + at, part)))
            return done > 0 ? (int64_t)done : -EFAULT;
        pipe->count = is_write ? pipe->count + (uint32_t)part : pipe->count - (uint32_t)part;
        if (!is_write)
            pipe->head = (pipe->head + (uint32_t)part) % PIPE_BYTES;
        done += part;
    }
    return (int64_t)done;
}

static int64_t pipe_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                         uint64_t bytes)
{
    struct pipe *pipe = file->pipe;
    int64_t moved;

    while (pipe->count == 0) {
        if (pipe->end[1] == NULL || bytes == 0)
            return 0;
        moved = file_wait(thread, file, fd);
        if (moved != 0)
            return moved;
    }
    moved = copy(pipe, va, bytes, false);
    if (pipe->end[1] != NULL)
        file_changed(pipe->end[1]);
    return moved;
}

/* Up to a page at once is not torn; all of it is written unless the file does not block. */
static int64_t pipe_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                          uint64_t bytes)
{
    struct pipe *pipe = file->kind == FILE_PAIR ? file->out : file->pipe;
    uint64_t done = 0, needed;
    int64_t moved;

    while (done < bytes) {
        needed = bytes - done <= PIPE_BYTES && done == 0 ? bytes : 1;
        if (pipe->end[0] == NULL) {
            signal_simple(thread->process, thread, SIGPIPE, SI_TKILL);
            return done > 0 ? (int64_t)done : -EPIPE;
        }
        if (PIPE_BYTES - pipe->count < needed) {
            moved = file_wait(thread, file, fd);
            if (moved != 0)
                return done > 0 ? (int64_t)done : moved;
            continue;
        }
        moved = copy(pipe, va + done, bytes - done, true);
        if (moved < 0)
            return done > 0 ? (int64_t)done : moved;
        done += (uint64_t)moved;
        file_changed(pipe->end[0]);
    }
    return (int64_t)done;
}

/* Whole entries of a directory. */
int64_t sys_getdents64(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);
    uint64_t bytes = (uint32_t)arg[2] / DIRECTORY_ENTRY * DIRECTORY_ENTRY;

    if (file == NULL)
        return syscall_forward(thread, 61, arg);
    if (file->kind != FILE_DIRECTORY)
        return -ENOTDIR;
    return bytes == 0 ? -EINVAL : copy(file->pipe, arg[1], bytes, false);
}

/* Checks a transfer to or from one of a pair: 0 or -errno. */
static int64_t check_pair(const struct file *file, uint64_t flags, unsigned wanted)
{
    enum { DONTWAIT = 0x40, NOSIGNAL = 0x4000 };

    if (file->kind != FILE_PAIR)
        return -ENOTSOCK;
    if ((flags & ~(uint64_t)(DONTWAIT | NOSIGNAL)) != 0)
        return -EOPNOTSUPP;
    if (wanted == POLLOUT && (flags & NOSIGNAL) && file->out->end[0] == NULL)
        return -EPIPE;
    return (flags & DONTWAIT) && !(file_ready(file) & wanted) ? -EAGAIN : 0;
}

int64_t sys_sendto(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);
    int64_t err = file != NULL ? check_pair(file, arg[3], POLLOUT) : 0;

    if (file == NULL)
        return syscall_forward(thread, 206, arg);
    return err != 0 ? err : pipe_write(thread, file, arg[0], arg[1], arg[2]);
}

int64_t sys_recvfrom(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_get(thread->process->files, arg[0]);
    int64_t err = file != NULL ? check_pair(file, arg[3], POLLIN) : 0;

    if (file == NULL)
        return syscall_forward(thread, 207, arg);
    return err != 0 ? err : pipe_read(thread, file, arg[0], arg[1], arg[2]);
}

/* ---- eventfd --------------------------------------------------------------------------------- */

int64_t sys_eventfd2(struct thread *thread, const uint64_t arg[6])
{
    struct file *file;

    if ((arg[1] & ~(uint64_t)(O_NONBLOCK | O_CLOEXEC | SEMAPHORE)) != 0)
        return -EINVAL;
    file = file_new(FILE_EVENT, (uint32_t)arg[1] & O_NONBLOCK);
    if (file == NULL)
        return -ENOMEM;
    file->event = (struct event){(uint32_t)arg[0], (arg[1] & SEMAPHORE) != 0};
    return file_open(thread, file, (arg[1] & O_CLOEXEC) != 0);
}

static int64_t event_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                          uint64_t bytes)
{
    uint64_t value;
    int64_t err;

    if (bytes < sizeof value)
        return -EINVAL;
    while (file->event.value == 0) {
        err = file_wait(thread, file, fd);
        if (err != 0)
            return err;
    }
    value = file->event.is_semaphore ? 1 : file->event.value;
    if (!user_write(va, &value, sizeof value))
        return -EFAULT;
    file->event.value -= value;
    file_changed(file);
    return sizeof value;
}

static int64_t event_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                           uint64_t bytes)
{
    uint64_t value;
    int64_t err;

    if (bytes < sizeof value)
        return -EINVAL;
    if (!user_read(va, &value, sizeof value))
        return -EFAULT;
    if (value == UINT64_MAX)
        return -EINVAL;
    while (UINT64_MAX - 1 - file->event.value < value) {
        err = file_wait(thread, file, fd);
        if (err != 0)
            return err;
    }
    file->event.value += value;
    file_changed(file);
    return sizeof value;
}

/* ---- either ---------------------------------------------------------------------------------- */

int64_t file_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes)
{
    switch (file->kind) {
    case FILE_PAIR:
    case FILE_PIPE_READ: return pipe_read(thread, file, fd, va, bytes);
    case FILE_EVENT: return event_read(thread, file, fd, va, bytes);
    case FILE_TIMER: return timer_file_read(thread, file, fd, va, bytes);
    case FILE_SIGNAL: return signal_file_read(thread, file, fd, va, bytes);
    case FILE_DIRECTORY: return -EISDIR;
    case FILE_EPOLL:
    case FILE_PROCESS: return -EINVAL;
    default: return -EBADF;
    }
}

int64_t file_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes)
{
    switch (file->kind) {
    case FILE_PAIR:
    case FILE_PIPE_WRITE: return pipe_write(thread, file, fd, va, bytes);
    case FILE_EVENT: return event_write(thread, file, fd, va, bytes);
    case FILE_EPOLL:
    case FILE_TIMER:
    case FILE_SIGNAL:
    case FILE_PROCESS: return -EINVAL;
    default: return -EBADF;
    }
}

static unsigned pair_ready(const struct file *file)
{
    return (file->pipe->count > 0 ? POLLIN : 0u) |
           (file->pipe->end[1] == NULL ? POLLIN | POLLHUP : 0u) |
           (file->out->count < PIPE_BYTES ? POLLOUT : 0u);
}

unsigned file_ready(const struct file *file)
{
    const struct pipe *pipe = file->pipe;

    switch (file->kind) {
    case FILE_PAIR: return pair_ready(file);
    case FILE_SIGNAL: return signal_file_ready(current(), file) ? POLLIN : 0;
    case FILE_DIRECTORY: return POLLIN;
    case FILE_PIPE_READ:
        return (pipe->count > 0 ? POLLIN : 0u) | (pipe->end[1] == NULL ? POLLHUP : 0u);
    case FILE_PIPE_WRITE:
        return (pipe->count < PIPE_BYTES ? POLLOUT : 0u) | (pipe->end[0] == NULL ? POLLERR : 0u);
    case FILE_EVENT:
        return (file->event.value > 0 ? POLLIN : 0u) |
               (file->event.value < UINT64_MAX - 1 ? POLLOUT : 0u);
    case FILE_TIMER: return timer_file_ready(file) ? POLLIN : 0;
    case FILE_PROCESS: return process_file_ready(file);
    default: return epoll_ready(file) ? POLLIN : 0;
    }
}
