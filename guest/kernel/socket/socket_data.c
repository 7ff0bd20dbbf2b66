/* What sockets send and receive, and their options. Source: send(2), recv(2), socket(7). */
#include "process/process.h"
#include "socket/message.h"
#include "syscall/syscall.h"

enum { MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_DONTWAIT = 0x40, MSG_WAITALL = 0x100,
       MSG_NOSIGNAL = 0x4000, MSG_MORE = 0x8000, MSG_CMSG_CLOEXEC = 0x40000000,
       SENDS = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE,
       RECEIVES = MSG_PEEK | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC };

/* ---- streams --------------------------------------------------------------------------------- */

/* Another message begins with the next byte. */
static bool is_at_message(const struct file *file)
{
    struct pipe *pipe = file->pipe[PIPE_READS];
    const struct message *first = pipe != NULL ? message_first(pipe) : NULL;

    return first != NULL && first->at == pipe->taken;
}

/* Takes the control message that came with the bytes, for a caller that asked for it. True: there
 * was one. */
static bool take_message(const struct file *file, struct message **message)
{
    struct pipe *pipe = file->pipe[PIPE_READS];
    struct message *taken = pipe != NULL ? message_take(pipe) : NULL;

    if (taken == NULL)
        return false;
    if (message != NULL && *message == NULL)
        *message = taken;
    else
        message_free(taken);
    return true;
}

static int64_t receive(struct thread *thread, struct file *file, const struct parts *parts,
                       const uint64_t part[2], bool is_more)
{
    uint32_t flags = parts->flags;
    unsigned how = (flags & MSG_DONTWAIT ? PIPE_DONTWAIT : 0u) |
                   (flags & MSG_PEEK ? PIPE_KEEP : 0u);
    uint64_t done = 0;
    int64_t moved;

    do {
        if ((done > 0 || is_more) && is_at_message(file))
            break;
        moved = pipe_receive(thread, file, parts->fd, part[0] + done, part[1] - done, how);
        if (moved < 0)
            return done > 0 ? (int64_t)done : moved;
        done += (uint64_t)moved;
        if (!(flags & MSG_PEEK) && moved > 0 && take_message(file, parts->message))
            break;
    } while (moved > 0 && done < part[1] && (flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL);
    return (int64_t)done;
}

/* The other end asks who sends. */
static bool must_tell(const struct file *file)
{
    const struct pipe *pipe = file->pipe[PIPE_WRITES];

    return pipe != NULL && !list_is_empty(&pipe->ends[PIPE_READS]) &&
           container_of(pipe->ends[PIPE_READS].next, struct file, pipe_link[PIPE_READS])
               ->socket->tells_sender;
}

/* Until a write would not wait: 0 or -errno. */
static int64_t wait_for_room(struct thread *thread, struct file *file, const struct parts *parts)
{
    bool is_quick = (parts->flags & MSG_DONTWAIT) || file_is_quick(file);
    const struct pipe *pipe;
    int64_t err = 0;

    while (err == 0 && (pipe = file->pipe[PIPE_WRITES]) != NULL && !pipe_can_write(pipe) &&
           !list_is_empty(&pipe->ends[PIPE_READS]))
        err = file_wait(thread, file, parts->fd, is_quick);
    return err;
}

/* A message in front of the next byte has the sender's number; there may be one already. */
static int64_t tell_sender(struct thread *thread, struct file *file, const struct parts *parts,
                           uint64_t bytes)
{
    int64_t err = wait_for_room(thread, file, parts);
    struct pipe *pipe = file->pipe[PIPE_WRITES];
    struct message *message;

    if (err != 0 || pipe == NULL || message_is_next(pipe))
        return err;
    message = message_new();
    if (message == NULL)
        return -ENOMEM;
    message->bytes = (uint32_t)bytes;
    message_add(pipe, message);
    return 0;
}

int64_t socket_move_part(struct thread *thread, struct file *file, const struct parts *parts,
                         const uint64_t part[2], bool is_more)
{
    unsigned how = (parts->flags & MSG_DONTWAIT ? PIPE_DONTWAIT : 0u) |
                   (parts->flags & MSG_NOSIGNAL ? PIPE_NOSIGNAL : 0u);
    int64_t err;

    if ((parts->flags & ~(uint32_t)(parts->is_write ? SENDS : RECEIVES)) != 0)
        return -EOPNOTSUPP;
    if (file->socket->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    if (parts->is_write && part[1] > 0 && must_tell(file) &&
        (err = tell_sender(thread, file, parts, part[1])) != 0)
        return err;
    return parts->is_write ? pipe_send(thread, file, parts->fd, part[0], part[1], how)
                           : receive(thread, file, parts, part, is_more);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int64_t move_whole(struct thread *thread, struct file *file, const struct parts *parts)
{
    struct message *message = NULL;
    int64_t result;

    if ((parts->flags & ~(uint32_t)(parts->is_write ? SENDS : RECEIVES | MSG_TRUNC)) != 0)
        return -EOPNOTSUPP;
    if (parts->is_write)
        return datagram_send(thread, file, parts, NULL, NULL);
    result = datagram_receive(thread, file, parts, &message);
    if (result >= 0 && (parts->flags & MSG_TRUNC) && message != NULL)
        result = message->bytes;
    if (parts->message != NULL && message != NULL)
        *parts->message = message;
    else if (!(parts->flags & MSG_PEEK))
        message_free(message);
    return result;
}

int64_t socket_move(struct thread *thread, struct file *file, const struct parts *parts)
{
    const uint64_t part[2] = {parts->va, parts->count};

    return socket_has_bounds(file->socket) ? move_whole(thread, file, parts)
                                     : socket_move_part(thread, file, parts, part, false);
}

static int64_t transfer(struct thread *thread, struct file *file, const struct parts *parts)
{
    int64_t result;

    file_hold(file);
    result = socket_move(thread, file, parts);
    file_drop(file);
    return result;
}

/* Reads the target address of a datagram: 0 and *is_given, or -errno. Packets of a connection go to
 * its other end. */
static int64_t read_name(const struct socket *socket, uint64_t va, uint64_t bytes,
                         struct address *to, bool *is_given)
{
    int64_t err;

    *is_given = socket->is_datagram && va != 0 && bytes != 0;
    if (!*is_given)
        return 0;
    err = address_read(va, bytes, to);
    if (err == 0 && to->family != FAMILY_LOCAL)
        err = -EINVAL;
    return err != 0 ? err : address_find_node(to, false);
}

static int64_t send_to(struct thread *thread, struct file *file, const struct parts *parts,
                       const uint64_t name[2], struct message *message)
{
    struct address to;
    bool is_given;
    int64_t err = read_name(file->socket, name[0], (uint32_t)name[1], &to, &is_given);
    int64_t result;

    if (err == 0 && (parts->flags & ~(uint32_t)SENDS) != 0)
        err = -EOPNOTSUPP;
    if (err != 0) {
        message_free(message);
        return err;
    }
    file_hold(file);
    result = datagram_send(thread, file, parts, is_given ? &to : NULL, message);
    file_drop(file);
    return result;
}

int64_t sys_sendto(struct thread *thread, const uint64_t arg[6])
{
    const struct parts parts = {arg[0], arg[1], arg[2], (uint32_t)arg[3], true, true, NULL};
    int64_t result;
    struct file *file = socket_file(thread, 206, arg, SOCKET_OURS, &result);

    if (file == NULL)
        return result;
    if (socket_has_bounds(file->socket))
        return send_to(thread, file, &parts, arg + 4, NULL);
    return transfer(thread, file, &parts);
}

int64_t sys_recvfrom(struct thread *thread, const uint64_t arg[6])
{
    struct message *message = NULL;
    const struct parts parts = {arg[0], arg[1], arg[2], (uint32_t)arg[3], false, true, &message};
    const struct address nobody = {.bytes = 0};
    int64_t result, err;
    struct file *file = socket_file(thread, 207, arg, SOCKET_OURS, &result);

    if (file == NULL)
        return result;
    result = transfer(thread, file, &parts);
    if (result < 0)
        return result;
    err = address_write(message != NULL && message->from != NULL ? message->from : &nobody,
                        arg[4], arg[5]);
    if (!(parts.flags & MSG_PEEK))
        message_free(message);
    return err != 0 ? err : result;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* struct msghdr */
struct header { uint64_t name[2], parts_va, parts, control, control_bytes, flags; };

/* The message goes with the first byte, for which there is room then. */
static int64_t send_with(struct thread *thread, struct file *file, const struct parts *parts,
                         struct message *message)
{
    int64_t err = wait_for_room(thread, file, parts);

    if (err == 0 && file->pipe[PIPE_WRITES] != NULL) {
        int64_t bytes = datagram_bytes(parts);

        message->bytes = bytes > 0 ? (uint32_t)bytes : 0;
        message_add(file->pipe[PIPE_WRITES], message);
    }
    err = err == 0 ? parts_move(thread, file, parts) : err;
    if (err <= 0)
        message_free(message);
    return err;
}

int64_t sys_sendmsg(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    struct file *file = socket_file(thread, 211, arg, SOCKET_OURS, &result);
    struct message *message;
    struct header header;
    struct parts parts = {.fd = arg[0], .flags = (uint32_t)arg[2], .is_write = true};

    if (file == NULL)
        return result;
    if (!user_read(arg[1], &header, sizeof header))
        return -EFAULT;
    result = message_read_control(thread, header.control, header.control_bytes, &message);
    if (result != 0)
        return result;
    parts.va = header.parts_va;
    parts.count = header.parts;
    if (socket_has_bounds(file->socket))
        return send_to(thread, file, &parts, header.name, message);
    if (message == NULL)
        return parts_move(thread, file, &parts);
    file_hold(file);
    result = send_with(thread, file, &parts, message);
    file_drop(file);
    return result;
}

/* Copied from the socket, which may close while the thread waits. pid: the sender of bytes without
 * messages. */
struct sender { uint32_t pid; bool has_bounds, is_told; };

/* Writes the results of recvmsg beside the bytes: name, control messages, flags. 0 or -errno. */
static int64_t tell(struct thread *thread, const uint64_t arg[6], struct header *header,
                    const struct parts *parts, int64_t moved, const struct sender *sender)
{
    struct message *message = *parts->message;
    const struct address nobody = {.bytes = 0};
    int64_t err = 0;

    uint32_t pid = message != NULL ? message->pid : sender->pid;

    header->flags = sender->has_bounds && message != NULL && message->bytes > (uint64_t)moved
                        ? MSG_TRUNC : 0;
    if (header->name[0] != 0)
        err = address_write(message != NULL && message->from != NULL ? message->from : &nobody,
                            header->name[0], arg[1] + offsetof(struct header, name[1]));
    if (err == 0)
        err = message_write_control(thread, parts->flags & MSG_PEEK ? NULL : message,
                                    sender->is_told ? pid : 0, header->control,
                                    &header->control_bytes,
                                    (parts->flags & MSG_CMSG_CLOEXEC) != 0, &header->flags);
    return err == 0 && !user_write(arg[1] + offsetof(struct header, control_bytes),
                                   &header->control_bytes, 2 * sizeof header->flags)
               ? -EFAULT : err;
}

int64_t sys_recvmsg(struct thread *thread, const uint64_t arg[6])
{
    struct message *message = NULL;
    int64_t result, err;
    struct file *file = socket_file(thread, 212, arg, SOCKET_OURS, &result);
    struct header header;
    struct parts parts = {.fd = arg[0], .flags = (uint32_t)arg[2], .message = &message};
    struct sender sender;

    if (file == NULL)
        return result;
    if (!user_read(arg[1], &header, sizeof header))
        return -EFAULT;
    sender = (struct sender){file->socket->other_pid, socket_has_bounds(file->socket),
                             file->socket->tells_sender};
    parts.va = header.parts_va;
    parts.count = (arg[2] & MSG_PEEK) && header.parts > 1
                      ? 1 : header.parts;   /* a second part would be filled with the same bytes */
    result = parts_move(thread, file, &parts);
    if (result < 0)
        return result;
    err = tell(thread, arg, &header, &parts, result, &sender);
    if (!(arg[2] & MSG_PEEK))
        message_free(message);
    return err != 0 ? err : result;
}

/* ---- options --------------------------------------------------------------------------------- */

enum { SOL_SOCKET = 1, SO_REUSEADDR = 2, SO_TYPE, SO_ERROR, SO_SNDBUF = 7, SO_RCVBUF, SO_KEEPALIVE,
       SO_PASSCRED = 16, SO_PEERCRED = 17, SO_ACCEPTCONN = 30, SO_PROTOCOL = 38, SO_DOMAIN };

/* Of local sockets; those for TCP have a socket of the host, which keeps the others. */
static bool value_of(const struct socket *socket, uint64_t name, uint32_t value[3])
{
    bool is_tcp = socket->family != FAMILY_LOCAL;

    switch (name) {
    case SO_ERROR: value[0] = 0; return true;
    case SO_ACCEPTCONN: value[0] = socket->state == SOCKET_LISTENS; return true;
    case SO_TYPE: value[0] = socket->type; return !is_tcp;
    case SO_PROTOCOL: value[0] = 0; return !is_tcp;
    case SO_DOMAIN: value[0] = socket->family; return !is_tcp;
    case SO_SNDBUF: value[0] = socket->send_bytes; return !is_tcp;
    case SO_RCVBUF: value[0] = socket->receive_bytes; return !is_tcp;
    case SO_PASSCRED: value[0] = socket->tells_sender; return !is_tcp;
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
    uint32_t bytes = value > PIPE_MOST / 2 ? PIPE_MOST : 2 * value;

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
    if (arg[1] == SOL_SOCKET && arg[2] == SO_PASSCRED) {
        file->socket->tells_sender = value != 0;
        return 0;
    }
    return arg[1] == SOL_SOCKET && (arg[2] == SO_REUSEADDR || arg[2] == SO_KEEPALIVE)
               ? 0 : -ENOPROTOOPT;
}
