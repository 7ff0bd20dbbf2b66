/* Naming and connecting sockets. A socket for TCP has a descriptor of the host under the same
 * number: it keeps the options, and goes where --connect says. What is bound, or connected to an
 * address of the loopback that somebody listens at, is the kernel's own. Source: bind(2),
 * listen(2), accept(2), connect(2), shutdown(2), unix(7). */
#include "process/process.h"
#include "socket/message.h"
#include "syscall/syscall.h"

enum { CALL_BIND = 200, CALL_LISTEN = 201, CALL_ACCEPT = 202,
       CALL_CONNECT = 203, CALL_OWN_NAME = 204, CALL_OTHER_NAME = 205, CALL_SET_OPTION = 208,
       CALL_GET_OPTION = 209, CALL_SHUTDOWN = 210, BACKLOG_MAX = 4096,
       FIRST_PORT = 32768, LAST_PORT = 60999, PRIVILEGED_PORTS = 1024 };

static struct list names = {&names, &names};

static struct socket *socket_at(struct list *link)
{
    return container_of(link, struct socket, link);
}

struct socket *socket_of(const struct thread *thread, uint64_t fd)
{
    const struct file *file = files_own(thread->process->files, fd);

    return file != NULL && file->kind == FILE_SOCKET ? file->socket : NULL;
}

struct file *socket_file(struct thread *thread, uint64_t number, const uint64_t arg[6],
                         enum socket_which which, int64_t *result)
{
    const struct files *files = thread->process->files;
    struct file *file = which == SOCKET_ANY ? files_get(files, arg[0]) : files_own(files, arg[0]);

    *result = 0;
    if (file != NULL && file->kind == FILE_SOCKET)
        return file;
    *result = file != NULL ? -ENOTSOCK : syscall_forward(thread, number, arg);
    return NULL;
}

static struct socket *own(struct thread *thread, uint64_t number, const uint64_t arg[6],
                          int64_t *result)
{
    const struct file *file = socket_file(thread, number, arg, SOCKET_OURS, result);

    return file != NULL ? file->socket : NULL;
}

void socket_close(struct file *file)
{
    struct socket *socket = file->socket;

    if (socket == NULL)
        return;
    list_remove(&socket->link);
    datagram_close(socket);
    while (!list_is_empty(&socket->queue))
        file_drop(socket_at(socket->queue.next)->file);
    memory_free(socket, sizeof *socket);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The socket that is bound to this name or listens there; NULL: none. */
struct socket *socket_find(const struct address *address)
{
    struct list *at;

    for (at = names.next; at != &names; at = at->next)
        if (address_is_same(&socket_at(at)->own, address))
            return socket_at(at);
    return NULL;
}

/* A port that nobody has; 0: none. */
static uint16_t free_port(void)
{
    static uint16_t last = LAST_PORT;
    struct address address;
    unsigned tries = 0;

    do {
        last = last == LAST_PORT ? FIRST_PORT : (uint16_t)(last + 1);
        address = address_of(FAMILY_INET, last);
        address.protocols = REACHES_V4 | REACHES_V6;
    } while (socket_find(&address) != NULL && ++tries <= LAST_PORT - FIRST_PORT);
    return tries > LAST_PORT - FIRST_PORT ? 0 : last;
}

static int64_t bind_port(struct socket *socket, struct address *address)
{
    if (socket->is_v6_only)
        address->protocols = REACHES_V6;
    if (address->port == 0)
        address_set_port(address, free_port());
    else if (socket_find(address) != NULL)
        return -EADDRINUSE;
    else if (address->port < PRIVILEGED_PORTS)
        return -EACCES;
    if (address->port == 0)
        return -EADDRINUSE;
    socket->is_local = true;
    return 0;
}

static int64_t bind_local(struct address *address)
{
    const struct socket *other;
    int64_t err = address_find_node(address, true);

    if (err != 0)
        return err;
    other = socket_find(address);
    if (other != NULL && address->node != 0)    /* its file is gone, and the number is used again */
        list_remove(&socket_find(address)->link);
    return other != NULL && address->node == 0 ? -EADDRINUSE : 0;
}

static int64_t bind_to(struct socket *socket, struct address *address)
{
    int64_t err = address->family == FAMILY_LOCAL ? bind_local(address)
                                                  : bind_port(socket, address);

    if (err != 0)
        return err;
    socket->own = *address;
    socket->state = SOCKET_BOUND;
    list_add(&names, &socket->link);
    return 0;
}

int64_t sys_bind(struct thread *thread, const uint64_t arg[6])
{
    struct address address;
    int64_t err;
    const struct file *file = socket_file(thread, CALL_BIND, arg, SOCKET_ANY, &err);

    if (file == NULL)
        return err;
    err = address_read(arg[1], arg[2], &address);
    if (err != 0)
        return err;
    if (address.family != file->socket->family)
        return -EINVAL;
    if (file->socket->state != SOCKET_NEW)
        return -EINVAL;
    return address_is_here(&address) ? bind_to(file->socket, &address) : -EADDRNOTAVAIL;
}

int64_t sys_getsockname(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    const struct socket *socket = own(thread, CALL_OWN_NAME, arg, &result);

    return socket == NULL ? result : address_write(&socket->own, arg[1], arg[2]);
}

int64_t sys_getpeername(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    const struct socket *socket = own(thread, CALL_OTHER_NAME, arg, &result);

    if (socket == NULL)
        return result;
    if (socket->state != SOCKET_CONNECTED && socket->target == NULL)
        return -ENOTCONN;
    return address_write(&socket->other, arg[1], arg[2]);
}

/* ---- connecting ------------------------------------------------------------------------------ */

int64_t sys_listen(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    const struct file *file = socket_file(thread, CALL_LISTEN, arg, SOCKET_ANY, &result);
    struct socket *socket = file != NULL ? file->socket : NULL;
    uint32_t backlog = (uint32_t)arg[1];

    if (socket == NULL)
        return result;
    if (socket->is_datagram)
        return -EOPNOTSUPP;
    if (socket->state == SOCKET_NEW && socket->family != FAMILY_LOCAL) {
        struct address any = address_of(socket->family, 0);
        int64_t err = bind_to(socket, &any);

        if (err != 0)
            return err;
    }
    if (socket->state == SOCKET_NEW || socket->state == SOCKET_CONNECTED)
        return -EINVAL;
    socket->state = SOCKET_LISTENS;
    socket->pid = thread->process->pid;
    socket->backlog = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
    return 0;
}

/* The other end of a new connection, in the listener's queue. */
static int64_t enqueue(struct file *file, struct socket *listener)
{
    struct file *other = socket_new(listener->family, listener->type, 0);
    struct socket *socket = file->socket;

    if (other == NULL || !socket_join(file, other)) {
        file_drop(other);
        return -ENOMEM;
    }
    if (socket->own.port == 0 && socket->family != FAMILY_LOCAL)
        socket->own = address_of(socket->family, free_port());
    socket->other_pid = listener->pid;
    socket->other = other->socket->own = listener->own;
    other->socket->other = socket->own;
    if (listener->family != FAMILY_LOCAL) {     /* as seen from there: never "any" */
        socket->other = address_of(socket->family, listener->own.port);
        other->socket->own = address_of(listener->family, listener->own.port);
        other->socket->other = address_of(listener->family, socket->own.port);
    }
    list_add(&listener->queue, &other->socket->link);
    listener->queued++;
    file_changed(listener->file);
    return 0;
}

/* Until the listener has room for one more. */
static int64_t connect_to(struct thread *thread, struct file *file, struct address *address,
                          uint64_t fd)
{
    struct socket *listener = socket_find(address);

    while (listener != NULL && listener->state == SOCKET_LISTENS &&
           listener->queued > listener->backlog) {
        int64_t err = file_wait(thread, listener->file, fd, (file->flags & O_NONBLOCK) != 0);

        if (err != 0)
            return err;
        listener = socket_find(address);
    }
    if (listener != NULL && listener->type != file->socket->type)
        return -EPROTOTYPE;
    if (listener == NULL || listener->state != SOCKET_LISTENS)
        return -ECONNREFUSED;
    return enqueue(file, listener);
}

/* Without a family: it has no target any more. */
static int64_t connect_datagram(struct socket *socket, struct address *address)
{
    struct socket *target;
    int64_t err;

    if (address->family == 0)
        return datagram_connect(socket, NULL);
    err = address->family == FAMILY_LOCAL ? address_find_node(address, false) : -EINVAL;
    if (err != 0)
        return err;
    target = socket_find(address);
    if (target == NULL)
        return -ECONNREFUSED;
    return target->is_datagram ? datagram_connect(socket, target) : -EPROTOTYPE;
}

int64_t sys_connect(struct thread *thread, const uint64_t arg[6])
{
    struct address address;
    int64_t err;
    struct file *file = socket_file(thread, CALL_CONNECT, arg, SOCKET_ANY, &err);

    if (file == NULL)
        return err;
    err = address_read(arg[1], arg[2], &address);
    if (file->socket->is_datagram)
        return err != 0 ? err : connect_datagram(file->socket, &address);
    if (file->socket->state == SOCKET_CONNECTED || file->socket->state == SOCKET_LISTENS)
        return file->socket->state == SOCKET_LISTENS ? -EINVAL : -EISCONN;
    if (file->socket->family != FAMILY_LOCAL &&
        (err != 0 || !address_is_here(&address) || socket_find(&address) == NULL)) {
        file->socket->is_local = false;
        return syscall_forward(thread, CALL_CONNECT, arg);
    }
    if (err == 0 && address.family != file->socket->family)
        err = -EINVAL;
    if (err == 0 && address.family == FAMILY_LOCAL)
        err = address_find_node(&address, false);
    return err != 0 ? err : connect_to(thread, file, &address, arg[0]);
}

/* The first in the queue: 0, or why there is none. */
static int64_t dequeue(struct thread *thread, struct socket *listener, uint64_t fd,
                       struct socket **first)
{
    struct file *file = file_hold(listener->file);
    int64_t err = 0;

    while (err == 0 && list_is_empty(&listener->queue))
        err = file_wait(thread, file, fd, (file->flags & O_NONBLOCK) != 0);
    if (err == 0) {
        *first = socket_at(listener->queue.next);
        list_remove(&(*first)->link);
        listener->queued--;
        file_changed(file);
    }
    file_drop(file);
    return err;
}

int64_t sys_accept4(struct thread *thread, const uint64_t arg[6])
{
    int64_t result;
    struct socket *listener = own(thread, CALL_ACCEPT, arg, &result), *socket;

    if (listener == NULL)
        return result;
    if (listener->state != SOCKET_LISTENS || (arg[3] & ~(uint64_t)(O_NONBLOCK | O_CLOEXEC)) != 0)
        return -EINVAL;
    result = dequeue(thread, listener, arg[0], &socket);
    if (result != 0)
        return result;
    socket->file->flags = (uint32_t)arg[3] & O_NONBLOCK;
    result = address_write(&socket->other, arg[1], arg[2]);
    if (result != 0) {
        file_drop(socket->file);
        return result;
    }
    return socket_open(thread, socket->file, arg[3]);
}

int64_t sys_accept(struct thread *thread, const uint64_t arg[6])
{
    const uint64_t four[6] = {arg[0], arg[1], arg[2], 0};

    return sys_accept4(thread, four);
}

int64_t sys_shutdown(struct thread *thread, const uint64_t arg[6])
{
    enum { READING, WRITING, BOTH };
    int64_t result;
    struct socket *socket = own(thread, CALL_SHUTDOWN, arg, &result);

    if (socket == NULL)
        return result;
    if (arg[1] > BOTH)
        return -EINVAL;
    if (socket->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    if (arg[1] != WRITING)
        pipe_leave(socket->file, PIPE_READS);
    if (arg[1] != READING)
        pipe_leave(socket->file, PIPE_WRITES);
    file_changed(socket->file);
    return 0;
}

unsigned socket_ready(const struct file *file)
{
    const struct pipe *in = file->pipe[PIPE_READS], *out = file->pipe[PIPE_WRITES];
    bool has_end = in == NULL || list_is_empty(&in->ends[PIPE_WRITES]);
    bool is_deaf = out == NULL || list_is_empty(&out->ends[PIPE_READS]);

    if (file->socket->is_datagram)
        return (in == NULL || message_first(file->pipe[PIPE_READS]) != NULL ? POLLIN : 0u) |
               (datagram_can_send(file->socket) ? POLLOUT : 0u);
    if (file->socket->state == SOCKET_LISTENS)
        return list_is_empty(&file->socket->queue) ? 0 : POLLIN;
    if (file->socket->state != SOCKET_CONNECTED)
        return POLLOUT | POLLHUP;
    return (has_end ? POLLIN | POLLRDHUP
                    : in->count > 0 || !list_is_empty(&in->messages) ? POLLIN : 0u) |
           (is_deaf || pipe_can_write(out) ? POLLOUT : 0u) |
           (has_end && is_deaf && (out == NULL || file->socket->family == FAMILY_LOCAL) ? POLLHUP
                                                                                        : 0u);
}
