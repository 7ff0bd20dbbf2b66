/* Pipes, whose pages come when they are needed. Source: pipe(7), fcntl(2). */
#include "file/pipe.h"
#include "socket/message.h"
#include "process/process.h"
#include "syscall/syscall.h"

enum { PIPE_BUF = 4096 };

/* ---- coming and going ------------------------------------------------------------------------ */

struct pipe *pipe_new(void)
{
    struct pipe *pipe = memory_new(sizeof *pipe);

    if (pipe == NULL)
        return NULL;
    pipe->room = PIPE_BYTES;
    list_init(&pipe->ends[PIPE_READS]);
    list_init(&pipe->ends[PIPE_WRITES]);
    list_init(&pipe->link);
    list_init(&pipe->messages);
    return pipe;
}

void pipe_free(struct pipe *pipe)
{
    unsigned i;

    for (i = 0; i < PIPE_PAGES; i++)
        if (pipe->page[i] != 0)
            frame_free(pipe->page[i]);
    while (!list_is_empty(&pipe->messages))
        message_free(message_first(pipe));
    fifo_forget(pipe);
    memory_free(pipe, sizeof *pipe);
}

void pipe_tell(const struct pipe *pipe, unsigned end)
{
    struct list *at;

    for (at = pipe->ends[end].next; at != &pipe->ends[end]; at = at->next)
        file_changed(container_of(at, struct file, pipe_link[end]));
}

void pipe_join(struct file *file, struct pipe *pipe, unsigned end)
{
    file->pipe[end] = pipe;
    pipe->opened[end]++;
    list_add(&pipe->ends[end], &file->pipe_link[end]);
}

void pipe_leave(struct file *file, unsigned end)
{
    struct pipe *pipe = file->pipe[end];

    if (pipe == NULL)
        return;
    file->pipe[end] = NULL;
    list_remove(&file->pipe_link[end]);
    if (!list_is_empty(&pipe->ends[!end])) {
        if (list_is_empty(&pipe->ends[end]))
            pipe_tell(pipe, !end);
    } else if (list_is_empty(&pipe->ends[end])) {
        pipe_free(pipe);
    }
}

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

int64_t pipe_open_two(struct thread *thread, struct file *const file[2], uint64_t flags,
                      uint64_t va)
{
    if (file[0] != NULL && file[1] != NULL)
        return open_two(thread, file, (flags & O_CLOEXEC) != 0, va);
    file_drop(file[0]);
    file_drop(file[1]);
    return -ENOMEM;
}

int64_t sys_pipe2(struct thread *thread, const uint64_t arg[6])
{
    uint32_t flags = (uint32_t)arg[1] & O_NONBLOCK;
    struct pipe *pipe = pipe_new();
    struct file *const file[2] = {file_new(FILE_PIPE, flags), file_new(FILE_PIPE, flags)};
    unsigned end;

    if (pipe == NULL) {
        file_drop(file[0]);
        file_drop(file[1]);
        return -ENOMEM;
    }
    for (end = 0; end < 2; end++)
        if (file[end] != NULL)
            pipe_join(file[end], pipe, end);
    if (file[0] == NULL && file[1] == NULL)
        pipe_free(pipe);
    return pipe_open_two(thread, file, arg[1], arg[0]);
}

struct file *pipe_text(enum file_kind kind)
{
    struct file *file = file_new(kind, 0);
    struct pipe *pipe = file != NULL ? pipe_new() : NULL;

    if (pipe == NULL) {
        file_drop(file);
        return NULL;
    }
    pipe_join(file, pipe, PIPE_READS);
    return file;
}

int64_t pipe_resize(struct pipe *pipe, uint64_t bytes)
{
    uint32_t room = PAGE_BYTES;

    if (bytes > PIPE_MOST)
        return bytes > INT32_MAX ? -EINVAL : -EPERM;
    while (room < bytes)
        room *= 2;
    if (pipe->head + pipe->count > (room < pipe->room ? room : pipe->room))
        return -EBUSY;                  /* what is in it goes round the end */
    pipe->room = room;
    return room;
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* A piece of the ring to put bytes into, or to take them from; NULL: no memory. */
static uint8_t *piece(struct pipe *pipe, bool is_write, uint64_t most, uint64_t skipped,
                      uint64_t *bytes)
{
    uint64_t used = is_write ? pipe->count : skipped;
    uint64_t at = (pipe->head + used) % pipe->room, left = PAGE_BYTES - at % PAGE_BYTES;
    uint64_t *page = &pipe->page[at / PAGE_BYTES];

    *bytes = is_write ? pipe->room - pipe->count : pipe->count - skipped;
    *bytes = *bytes < left ? *bytes : left;
    *bytes = *bytes < most ? *bytes : most;
    if (*bytes != 0 && *page == 0)
        *page = frame_new_dirty();
    return *page == 0 ? NULL : (uint8_t *)at_pa(*page) + at % PAGE_BYTES;
}

bool pipe_put(struct pipe *pipe, const void *from, uint32_t bytes)
{
    const uint8_t *at = from;

    while (bytes > 0) {
        uint64_t part;
        uint8_t *to = piece(pipe, true, bytes, 0, &part);

        if (part == 0 || to == NULL)
            return false;
        memcpy(to, at, part);
        pipe->count += (uint32_t)part;
        at += part;
        bytes -= (uint32_t)part;
    }
    return true;
}

int64_t pipe_put_user(struct pipe *pipe, uint64_t va, uint64_t bytes)
{
    uint64_t done = 0, part;

    while (done < bytes) {
        uint8_t *to = piece(pipe, true, bytes - done, 0, &part);

        if (part == 0)
            break;
        if (to == NULL || !user_read(va + done, to, part))
            return done > 0 ? (int64_t)done : to == NULL ? -ENOMEM : -EFAULT;
        pipe->count += (uint32_t)part;
        done += part;
    }
    return (int64_t)done;
}

int64_t pipe_take(struct pipe *pipe, uint64_t va, uint64_t bytes, bool is_kept)
{
    uint64_t done = 0, part;

    while (done < bytes) {
        const uint8_t *from = piece(pipe, false, bytes - done, done, &part);

        if (part == 0 || from == NULL)
            break;
        if (!user_write(va + done, from, part))
            break;
        done += part;
    }
    if (done == 0 && bytes != 0 && pipe->count != 0)
        return -EFAULT;
    if (!is_kept)
        pipe_skip(pipe, done);
    return (int64_t)done;
}

void pipe_skip(struct pipe *pipe, uint64_t bytes)
{
    bool could_write = pipe_can_write(pipe);

    pipe->count -= (uint32_t)bytes;
    pipe->taken += bytes;
    pipe->head = pipe->count == 0 ? 0 : (pipe->head + (uint32_t)bytes) % pipe->room;
    if (!could_write && pipe_can_write(pipe))
        pipe_tell(pipe, PIPE_WRITES);
}

/* ---- reading and writing --------------------------------------------------------------------- */

bool pipe_can_write(const struct pipe *pipe)
{
    return pipe->room - pipe->count >= PIPE_BUF;
}

int64_t pipe_receive(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                     uint64_t bytes, unsigned how)
{
    bool is_quick = (how & PIPE_DONTWAIT) || file_is_quick(file);
    const struct pipe *pipe;

    while ((pipe = file->pipe[PIPE_READS]) != NULL && pipe->count == 0) {
        int64_t err;

        if (list_is_empty(&pipe->ends[PIPE_WRITES]) || bytes == 0)
            return 0;
        err = file_wait(thread, file, fd, is_quick);
        if (err != 0)
            return err;
    }
    if (pipe == NULL)
        return 0;
    if (!list_is_empty(&pipe->messages))
        bytes = message_bound(file->pipe[PIPE_READS], bytes);
    return pipe_take(file->pipe[PIPE_READS], va, bytes, (how & PIPE_KEEP) != 0);
}

int64_t pipe_read(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes)
{
    return pipe_receive(thread, file, fd, va, bytes, 0);
}

int64_t pipe_reserve(struct thread *thread, struct file *file, uint64_t fd, uint64_t bytes)
{
    const struct pipe *pipe = file->pipe[PIPE_WRITES];
    int64_t err = 0;

    while (err == 0 && bytes <= PIPE_BUF && file->pipe[PIPE_WRITES] != NULL &&
           !list_is_empty(&pipe->ends[PIPE_READS]) && pipe->room - pipe->count < bytes)
        err = file_wait(thread, file, fd, file_is_quick(file));
    return err;
}

/* Up to PIPE_BUF bytes are not torn; all are written unless the file does not block. */
int64_t pipe_send(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                  uint64_t bytes, unsigned how)
{
    bool is_quick = (how & PIPE_DONTWAIT) || file_is_quick(file);
    struct pipe *pipe = file->pipe[PIPE_WRITES];
    uint64_t done = 0, needed = bytes <= PIPE_BUF ? bytes : 1;
    int64_t moved;

    while (done < bytes) {
        if (file->pipe[PIPE_WRITES] == NULL || list_is_empty(&pipe->ends[PIPE_READS])) {
            if (!(how & PIPE_NOSIGNAL))
                signal_simple(thread->process, thread, SIGPIPE, SI_TKILL);
            return done > 0 ? (int64_t)done : -EPIPE;
        }
        if (pipe->room - pipe->count < needed) {
            moved = file_wait(thread, file, fd, is_quick);
            if (moved != 0)
                return done > 0 ? (int64_t)done : moved;
            continue;
        }
        moved = pipe_put_user(pipe, va + done, bytes - done);
        if (moved < 0)
            return done > 0 ? (int64_t)done : moved;
        done += (uint64_t)moved;
        pipe_tell(pipe, PIPE_READS);
    }
    return (int64_t)done;
}

int64_t pipe_write(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                   uint64_t bytes)
{
    return file->pipe[PIPE_WRITES] == NULL ? -EBADF
                                           : pipe_send(thread, file, fd, va, bytes, 0);
}

/* A reader that opened a named pipe before any writer did sees no end of file. */
unsigned pipe_ready(const struct file *file)
{
    const struct pipe *in = file->pipe[PIPE_READS], *out = file->pipe[PIPE_WRITES];
    unsigned ready = 0;

    if (in != NULL)
        ready |= (in->count > 0 ? POLLIN : 0u) |
                 (list_is_empty(&in->ends[PIPE_WRITES]) &&
                  in->opened[PIPE_WRITES] != file->writers_seen ? POLLHUP : 0u);
    if (out != NULL)
        ready |= (pipe_can_write(out) ? POLLOUT : 0u) |
                 (list_is_empty(&out->ends[PIPE_READS]) ? POLLERR : 0u);
    return ready;
}
