/* Several pieces of user memory that one call reads or writes. Source: readv(2), pipe(7). */
#include "file/file.h"
#include "file/pipe.h"
#include "process/process.h"
#include "socket/socket.h"
#include "syscall/syscall.h"

enum { CALL_READV = 65, CALL_WRITEV = 66, IOVECS_MAX = 1024 };

uint64_t parts_number(const struct parts *parts)
{
    return parts->is_single ? 1 : parts->count;
}

bool parts_get(const struct parts *parts, uint64_t i, uint64_t part[2])
{
    if (!parts->is_single)
        return user_read(parts->va + 16 * i, part, 2 * sizeof *part);
    part[0] = parts->va;
    part[1] = parts->count;
    return true;
}

static int64_t move_part(struct thread *thread, struct file *file, const struct parts *parts,
                         const uint64_t part[2], bool is_more)
{
    if (file->kind == FILE_SOCKET)
        return socket_move_part(thread, file, parts, part, is_more);
    return parts->is_write ? file_write(thread, file, parts->fd, part[0], part[1])
                           : file_read(thread, file, parts->fd, part[0], part[1]);
}

/* Until all parts together fit into a pipe, if they are few bytes. 0 or -errno. */
static int64_t wait_for_room(struct thread *thread, struct file *file, const struct parts *parts)
{
    uint64_t bytes = 0, part[2], i;

    if (file->kind != FILE_PIPE || file->pipe[PIPE_WRITES] == NULL)
        return 0;
    for (i = 0; i < parts_number(parts); i++)
        bytes += parts_get(parts, i, part) ? part[1] : 0;
    return pipe_reserve(thread, file, parts->fd, bytes);
}

/* Of a read, only the first part may block. */
static int64_t move_parts(struct thread *thread, struct file *file, const struct parts *parts)
{
    int64_t done = parts->is_write ? wait_for_room(thread, file, parts) : 0;
    uint64_t i;

    for (i = 0; done >= 0 && i < parts_number(parts); i++) {
        uint64_t part[2];
        int64_t moved;

        if (!parts_get(parts, i, part))
            return done > 0 ? done : -EFAULT;
        if (part[1] == 0)
            continue;
        if (done > 0 && !parts->is_write && !(file_ready(file) & POLLIN))
            break;
        moved = move_part(thread, file, parts, part, done > 0);
        if (moved < 0)
            return done > 0 ? done : moved;
        done += moved;
        if ((uint64_t)moved < part[1])
            break;
    }
    return done;
}

int64_t parts_move(struct thread *thread, struct file *file, const struct parts *parts)
{
    bool is_whole = file->kind == FILE_SOCKET && socket_has_bounds(file->socket);
    int64_t result;

    if (!parts->is_single && parts->count > IOVECS_MAX)
        return -EINVAL;
    file_hold(file);
    result = is_whole ? socket_move(thread, file, parts) : move_parts(thread, file, parts);
    file_drop(file);
    return result;
}

int64_t sys_readv(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);
    const struct parts parts = {arg[0], arg[1], arg[2], .is_write = false};

    return file != NULL ? parts_move(thread, file, &parts)
                        : syscall_forward(thread, CALL_READV, arg);
}

int64_t sys_writev(struct thread *thread, const uint64_t arg[6])
{
    struct file *file = files_own(thread->process->files, arg[0]);
    const struct parts parts = {arg[0], arg[1], arg[2], .is_write = true};

    return file != NULL ? parts_move(thread, file, &parts)
                        : syscall_forward(thread, CALL_WRITEV, arg);
}
