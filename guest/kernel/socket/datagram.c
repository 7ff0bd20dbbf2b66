/* Local sockets whose messages keep their bounds: datagrams, each socket having a pipe for those it
 * gets, and packets, which go through the two pipes of a connection. Each is a message in the pipe.
 * Source: unix(7), send(2), recv(2). */
#include "process/process.h"
#include "socket/message.h"
#include "syscall/syscall.h"

enum { MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000, QUEUE_MAX = 10 };

static unsigned queued(const struct pipe *pipe)
{
    const struct list *at;
    unsigned count = 0;

    for (at = pipe->messages.next; at != &pipe->messages; at = at->next)
        count++;
    return count;
}

static bool has_room(const struct pipe *pipe, uint64_t bytes)
{
    return queued(pipe) <= QUEUE_MAX && pipe->room - pipe->count >= bytes;
}

bool datagram_can_send(const struct socket *socket)
{
    const struct socket *target = socket->target;

    return target == NULL || target->file->pipe[PIPE_READS] == NULL ||
           has_room(target->file->pipe[PIPE_READS], 1);
}

int64_t datagram_connect(struct socket *socket, struct socket *target)
{
    if (target != NULL && target->target != NULL && target->target != socket)
        return -EPERM;
    list_remove(&socket->peer);
    socket->target = target;
    socket->is_lost = false;
    if (target == NULL)
        return 0;
    socket->other = target->own;
    list_add(&target->peers, &socket->peer);
    return 0;
}

/* Sockets connected to this one lose their target. */
void datagram_close(struct socket *socket)
{
    list_remove(&socket->peer);
    while (!list_is_empty(&socket->peers)) {
        struct socket *other = container_of(socket->peers.next, struct socket, peer);

        list_remove(&other->peer);
        other->target = NULL;
        other->is_lost = true;
        file_changed(other->file);
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Bytes of all parts; -errno. */
int64_t datagram_bytes(const struct parts *parts)
{
    int64_t bytes = 0;
    uint64_t i, part[2];

    for (i = 0; i < parts_number(parts); i++) {
        if (!parts_get(parts, i, part))
            return -EFAULT;
        if (part[1] > PIPE_MOST)
            return -EMSGSIZE;
        bytes += (int64_t)part[1];
    }
    return bytes > PIPE_MOST ? -EMSGSIZE : bytes;
}

static bool put_parts(struct pipe *pipe, const struct parts *parts)
{
    uint64_t i, part[2];

    for (i = 0; i < parts_number(parts); i++)
        if (!parts_get(parts, i, part) ||
            pipe_put_user(pipe, part[0], part[1]) != (int64_t)part[1])
            return false;
    return true;
}

/* The pipe that takes a message, and the file that changes when it has room. Found before the
 * sender waits, because the other end may close meanwhile. */
struct target { struct pipe *pipe; struct file *file; bool is_queue; };

static int64_t find_target(const struct socket *socket, const struct address *to,
                           struct target *target)
{
    const struct socket *other = to != NULL ? socket_find(to) : socket->target;

    if (to == NULL && other == NULL)
        return socket->is_lost ? -ECONNREFUSED : -ENOTCONN;
    if (other == NULL || other->file->pipe[PIPE_READS] == NULL)
        return -ECONNREFUSED;
    if (!other->is_datagram)
        return -EPROTOTYPE;
    *target = (struct target){other->file->pipe[PIPE_READS], other->file, true};
    return other->target != NULL && other->target != socket ? -EPERM : 0;
}

static int64_t find_connection(const struct socket *socket, struct target *target)
{
    struct pipe *pipe = socket->file->pipe[PIPE_WRITES];

    *target = (struct target){pipe, socket->file, false};
    if (socket->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    return pipe == NULL || list_is_empty(&pipe->ends[PIPE_READS]) ? -EPIPE : 0;
}

static int64_t find(const struct file *file, const struct address *to, struct target *target)
{
    return file->socket->is_datagram ? find_target(file->socket, to, target)
                                     : find_connection(file->socket, target);
}

static bool fits(const struct target *target, uint64_t bytes)
{
    return target->is_queue ? has_room(target->pipe, bytes)
                            : target->pipe->room - target->pipe->count >= bytes;
}

static int64_t put(const struct socket *socket, struct pipe *pipe, const struct parts *parts,
                   uint32_t bytes, struct message *message)
{
    uint32_t count = pipe->count;
    uint64_t at = pipe->taken + count;

    if (!put_parts(pipe, parts)) {
        pipe->count = count;
        return -EFAULT;
    }
    message->bytes = bytes;
    if (socket->is_datagram && socket->state != SOCKET_NEW)
        message->from = memory_new(sizeof *message->from);
    if (message->from != NULL)
        *message->from = socket->own;
    message_add(pipe, message);
    message->at = at;
    pipe_tell(pipe, PIPE_READS);
    return bytes;
}

int64_t datagram_send(struct thread *thread, struct file *file, const struct parts *parts,
                      const struct address *to, struct message *message)
{
    bool is_quick = (parts->flags & MSG_DONTWAIT) || file_is_quick(file);
    int64_t bytes = datagram_bytes(parts), err;
    struct target target;

    if (bytes > file->socket->send_bytes)
        bytes = -EMSGSIZE;
    err = bytes < 0 ? bytes : find(file, to, &target);
    while (err == 0 && !fits(&target, (uint64_t)bytes)) {
        struct file *other = file_hold(target.file);

        err = file_wait(thread, other, parts->fd, is_quick);
        file_drop(other);
        err = err == 0 ? find(file, to, &target) : err;
    }
    if (err == -EPIPE && (parts->flags & MSG_NOSIGNAL) == 0)
        signal_simple(thread->process, thread, SIGPIPE, SI_TKILL);
    message = err == 0 && message == NULL ? message_new() : message;
    if (err == 0)
        err = message == NULL ? -ENOMEM
                              : put(file->socket, target.pipe, parts, (uint32_t)bytes, message);
    if (err < 0)
        message_free(message);
    return err;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static int64_t take_parts(struct pipe *pipe, const struct parts *parts, uint32_t bytes)
{
    bool is_kept = (parts->flags & MSG_PEEK) != 0;
    uint64_t i, part[2], done = 0;

    for (i = 0; i < parts_number(parts) && done < bytes && (i == 0 || !is_kept); i++) {
        uint64_t left = bytes - done;

        if (!parts_get(parts, i, part))
            return -EFAULT;
        left = part[1] < left ? part[1] : left;
        if (pipe_take(pipe, part[0], left, is_kept) != (int64_t)left)
            return -EFAULT;
        done += left;
    }
    return (int64_t)done;
}

/* Room has come for those that wait to send. */
static void tell_senders(struct socket *socket, const struct pipe *pipe)
{
    struct list *at;

    if (!socket->is_datagram) {
        pipe_tell(pipe, PIPE_WRITES);
        return;
    }
    file_changed(socket->file);
    for (at = socket->peers.next; at != &socket->peers; at = at->next)
        file_changed(container_of(at, struct socket, peer)->file);
}

int64_t datagram_receive(struct thread *thread, struct file *file, const struct parts *parts,
                         struct message **message)
{
    bool is_quick = (parts->flags & MSG_DONTWAIT) || file_is_quick(file);
    struct pipe *pipe;
    int64_t done, err;

    if (!file->socket->is_datagram && file->socket->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    while ((pipe = file->pipe[PIPE_READS]) != NULL && message_first(pipe) == NULL) {
        if (!file->socket->is_datagram && list_is_empty(&pipe->ends[PIPE_WRITES]))
            return 0;
        err = file_wait(thread, file, parts->fd, is_quick);
        if (err != 0)
            return err;
    }
    *message = pipe != NULL ? message_first(pipe) : NULL;
    if (pipe == NULL)
        return 0;
    done = take_parts(pipe, parts, (*message)->bytes);
    if (done >= 0 && (parts->flags & MSG_PEEK) == 0) {
        pipe_skip(pipe, (*message)->at + (*message)->bytes - pipe->taken);
        list_remove(&(*message)->link);
        tell_senders(file->socket, pipe);
    }
    return done;
}
