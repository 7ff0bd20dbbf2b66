/* What sockets send and receive, and their options. Source: send(2), recv(2), socket(7). */
#include "process.h"
#include "socket.h"
#include "syscall.h"

enum { MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_DONTWAIT = 0x40, MSG_WAITALL = 0x100,
       MSG_NOSIGNAL = 0x4000, MSG_MORE = 0x8000, MSG_CMSG_CLOEXEC = 0x40000000,
       SENDS = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE,
       RECEIVES = MSG_PEEK | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC };

/* ---- bytes ----------------------------------------------------------------------------------- */

static int64_t receive(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                       uint64_t bytes, uint64_t flags)
{
    unsigned how = (flags & MSG_DONTWAIT ? PIPE_DONTWAIT : 0u) |
                   (flags & MSG_PEEK ? PIPE_KEEP : 0u);
    uint64_t done = 0;
    int64_t moved;

    do {
        moved = pipe_receive(thread, file, fd, va + done, bytes - done, how);
        if (moved < 0)
            return done > 0 ? (int64_t)done : moved;
        done += (uint64_t)moved;
    } while (moved > 0 && done < bytes && (flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL);
    return (int64_t)done;
}

int64_t socket_move(struct thread *thread, struct file *file, uint64_t fd, uint64_t va,
                    uint64_t bytes, uint64_t flags, bool is_write)
{
    unsigned how = (flags & MSG_DONTWAIT ? PIPE_DONTWAIT : 0u) |
                   (flags & MSG_NOSIGNAL ? PIPE_NOSIGNAL : 0u);

    if ((flags & ~(uint64_t)(is_write ? SENDS : RECEIVES)) != 0)
        return -EOPNOTSUPP;
    if (file->socket->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    return is_write ? pipe_send(thread, file, fd, va, bytes, how)
                    : receive(thread, file, fd, va, bytes, flags);
}

static int64_t transfer(struct thread *thread, uint64_t number, const uint64_t arg[6],
                        bool is_write)
{
    int64_t result;
    struct file *file = socket_file(thread, number, arg, SOCKET_OURS, &result);

    if (file == NULL)
        return result;
    file_hold(file);
    result = socket_move(thread, file, arg[0], arg[1], arg[2], arg[3], is_write);
    file_drop(file);
    return result;
}

int64_t sys_sendto(struct thread *thread, const uint64_t arg[6])
{
    return transfer(thread, 206, arg, true);
}

int64_t sys_recvfrom(struct thread *thread, const uint64_t arg[6])
{
    const uint32_t no_address = 0;

    if (socket_of(thread, arg[0]) != NULL && arg[4] != 0 &&
        !user_write(arg[5], &no_address, sizeof no_address))
        return -EFAULT;
    return transfer(thread, 207, arg, false);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* struct msghdr */
struct message { uint64_t name, name_bytes, parts_va, parts, control, control_bytes, flags; };

int64_t sys_sendmsg(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    struct file *file = socket_file(thread, 211, arg, SOCKET_OURS, &result);
    struct message message;

    if (file == NULL)
        return result;
    if (!user_read(arg[1], &message, sizeof message))
        return -EFAULT;
    if (message.control_bytes != 0)
        return -EINVAL;
    return file_move_parts(thread, file, &(struct parts){arg[0], message.parts_va, message.parts,
                                                         (uint32_t)arg[2], true});
}

int64_t sys_recvmsg(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    struct file *file = socket_file(thread, 212, arg, SOCKET_OURS, &result);
    struct message message;

    if (file == NULL)
        return result;
    if (!user_read(arg[1], &message, sizeof message))
        return -EFAULT;
    if ((arg[2] & MSG_PEEK) && message.parts > 1)
        message.parts = 1;              /* a second part would be filled with the same bytes */
    result = file_move_parts(thread, file, &(struct parts){arg[0], message.parts_va, message.parts,
                                                           (uint32_t)arg[2], false});
    if (result < 0)
        return result;
    message.name_bytes = message.control_bytes = message.flags = 0;
    return user_write(arg[1] + offsetof(struct message, name_bytes), &message.name_bytes, 4) &&
                   user_write(arg[1] + offsetof(struct message, control_bytes),
                              &message.control_bytes, 2 * sizeof message.flags)
               ? result : -EFAULT;
}

/* ---- options --------------------------------------------------------------------------------- */

enum { SOL_SOCKET = 1, SO_REUSEADDR = 2, SO_TYPE, SO_ERROR, SO_SNDBUF = 7, SO_RCVBUF, SO_KEEPALIVE,
       SO_PEERCRED = 17, SO_ACCEPTCONN = 30, SO_PROTOCOL = 38, SO_DOMAIN };

/* Of local sockets; those for TCP have a socket of the host, which keeps the others. */
static bool value_of(const struct socket *socket, uint64_t name, uint32_t value[3])
{
    bool is_tcp = socket->family != FAMILY_LOCAL;

    switch (name) {
    case SO_ERROR: value[0] = 0; return true;
    case SO_ACCEPTCONN: value[0] = socket->state == SOCKET_LISTENS; return true;
    case SO_TYPE: value[0] = 1; return !is_tcp;
    case SO_PROTOCOL: value[0] = 0; return !is_tcp;
    case SO_DOMAIN: value[0] = socket->family; return !is_tcp;
    case SO_SNDBUF: value[0] = socket->send_bytes; return !is_tcp;
    case SO_RCVBUF: value[0] = socket->receive_bytes; return !is_tcp;
    case SO_PEERCRED:
        value[0] = socket->other_pid;
        value[1] = value[2] = 1000;
        return !is_tcp;
    default: return false;
    }
}

int64_t sys_getsockopt(struct thread *thread, const uint64_t arg[6])
{
    const struct socket *socket = socket_of(thread, arg[0]);
    uint32_t value[3] = {0}, room, bytes;

    if (socket == NULL || arg[1] != SOL_SOCKET || !value_of(socket, arg[2], value))
        return socket == NULL && files_own(thread->process->files, arg[0]) != NULL
                   ? -ENOTSOCK
               : socket != NULL && socket->family == FAMILY_LOCAL
                   ? -ENOPROTOOPT : syscall_forward(thread, 209, arg);
    if (!user_read(arg[4], &room, sizeof room))
        return -EFAULT;
    bytes = arg[2] == SO_PEERCRED ? sizeof value : sizeof value[0];
    if ((int32_t)room < 0)
        return -EINVAL;
    bytes = bytes < room ? bytes : room;
    return user_write(arg[3], value, bytes) && user_write(arg[4], &bytes, sizeof bytes) ? 0
                                                                                       : -EFAULT;
}

/* Of a socket for TCP the host keeps the option, and this one matters here, too. */
static void note_v6_only(const struct thread *thread, const uint64_t arg[6])
{
    enum { IPV6 = 41, V6ONLY = 26 };
    const struct file *file = files_get(thread->process->files, arg[0]);
    uint32_t value;

    if (arg[1] == IPV6 && arg[2] == V6ONLY && file != NULL && file->kind == FILE_SOCKET &&
        user_read(arg[3], &value, sizeof value))
        file->socket->is_v6_only = value != 0;
}

/* As Linux: twice what was asked for, within bounds. The receiver's has no effect; that of a sender
 * is rounded up to pages, as a power of two. */
static void set_buffer(const struct file *file, bool sends, uint32_t value)
{
    enum { LEAST_BYTES = 4608 };
    uint32_t bytes = value > PIPE_BYTES / 2 ? PIPE_BYTES : 2 * value;

    bytes = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
    if (!sends) {
        file->socket->receive_bytes = bytes;
        return;
    }
    file->socket->send_bytes = bytes;
    if (file->pipe[PIPE_WRITES] != NULL)
        pipe_resize(file->pipe[PIPE_WRITES], bytes);
}

/* Of a local socket: the buffers, and what changes nothing between processes of one machine. */
int64_t sys_setsockopt(struct thread *thread, const uint64_t arg[6])
{
    const struct file *file = files_own(thread->process->files, arg[0]);
    uint32_t value;

    note_v6_only(thread, arg);
    if (file == NULL || (file->kind == FILE_SOCKET && file->socket->family != FAMILY_LOCAL))
        return syscall_forward(thread, 208, arg);
    if (file->kind != FILE_SOCKET)
        return -ENOTSOCK;
    if (arg[4] < sizeof value)
        return -EINVAL;
    if (!user_read(arg[3], &value, sizeof value))
        return -EFAULT;
    if (arg[1] == SOL_SOCKET && (arg[2] == SO_SNDBUF || arg[2] == SO_RCVBUF)) {
        set_buffer(file, arg[2] == SO_SNDBUF, value);
        return 0;
    }
    return arg[1] == SOL_SOCKET && (arg[2] == SO_REUSEADDR || arg[2] == SO_KEEPALIVE)
               ? 0 : -ENOPROTOOPT;
}
