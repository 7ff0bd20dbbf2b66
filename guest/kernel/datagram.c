/* Local datagrams: each socket has a pipe for those it gets, with a message for each.
 * Source: unix(7), send(2), recv(2). */
#include "message.h"
#include "process.h"
#include "syscall.h"

enum { MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_DONTWAIT = 0x40, QUEUE_MAX = 10 };

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

/* Those that send there lose their target. */
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
        if (part[1] > PIPE_BYTES)
            return -EMSGSIZE;
        bytes += (int64_t)part[1];
    }
    return bytes > PIPE_BYTES ? -EMSGSIZE : bytes;
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

/* The socket that a datagram goes to, now: it may close while the sender waits. */
static int64_t find_target(const struct socket *socket, const struct address *to,
                           struct socket **target)
{
    *target = to != NULL ? socket_find(to) : socket->target;
    if (to == NULL && *target == NULL)
        return socket->is_lost ? -ECONNREFUSED : -ENOTCONN;
    if (*target == NULL || (*target)->file->pipe[PIPE_READS] == NULL)
        return -ECONNREFUSED;
    if (!(*target)->is_datagram)
        return -EPROTOTYPE;
    return (*target)->target != NULL && (*target)->target != socket ? -EPERM : 0;
}

static int64_t put(struct socket *socket, struct socket *target, const struct parts *parts,
                   uint32_t bytes, struct message *message)
{
    struct pipe *pipe = target->file->pipe[PIPE_READS];
    uint32_t count = pipe->count;
    uint64_t at = pipe->taken + count;

    if (!put_parts(pipe, parts)) {
        pipe->count = count;
        return -EFAULT;
    }
    message->bytes = bytes;
    if (socket->state != SOCKET_NEW)
        message->from = memory_new(sizeof *message->from);
    if (message->from != NULL)
        *message->from = socket->own;
    message_add(pipe, message);
    message->at = at;
    file_changed(target->file);
    return bytes;
}

int64_t datagram_send(struct thread *thread, struct file *file, const struct parts *parts,
                      const struct address *to, struct message *message)
{
    bool is_quick = (parts->flags & MSG_DONTWAIT) || file_is_quick(file);
    int64_t bytes = datagram_bytes(parts), err;
    struct socket *target;

    if (bytes > file->socket->send_bytes)
        bytes = -EMSGSIZE;
    err = bytes < 0 ? bytes : find_target(file->socket, to, &target);
    while (err == 0 && !has_room(target->file->pipe[PIPE_READS], (uint64_t)bytes)) {
        struct file *other = file_hold(target->file);

        err = file_wait(thread, other, parts->fd, is_quick);
        file_drop(other);
        err = err == 0 ? find_target(file->socket, to, &target) : err;
    }
    message = err == 0 && message == NULL ? message_new() : message;
    if (err == 0)
        err = message == NULL ? -ENOMEM
                              : put(file->socket, target, parts, (uint32_t)bytes, message);
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
static void tell_senders(struct socket *socket)
{
    struct list *at;

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

    while ((pipe = file->pipe[PIPE_READS]) != NULL && message_first(pipe) == NULL) {
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
        tell_senders(file->socket);
    }
    return done;
}
