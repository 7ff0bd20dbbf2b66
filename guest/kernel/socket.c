/* Making, naming and connecting sockets. A socket for TCP has a descriptor of the host under the
 * same number: it keeps the options, and goes where --connect says. What is bound, or connected to
 * an address of the loopback that somebody listens at, is the kernel's own. Source: socket(2),
 * bind(2), listen(2), accept(2), connect(2), shutdown(2), unix(7). */
#include "message.h"
#include "process.h"
#include "syscall.h"

enum { CALL_SOCKET = 198, CALL_BIND = 200, CALL_LISTEN = 201, CALL_ACCEPT = 202,
       CALL_CONNECT = 203, CALL_OWN_NAME = 204, CALL_OTHER_NAME = 205, CALL_SET_OPTION = 208,
       CALL_GET_OPTION = 209, CALL_SHUTDOWN = 210, TYPES = 0xf, STREAM = 1, DATAGRAM = 2,
       BACKLOG_MAX = 4096,
       FIRST_PORT = 32768, LAST_PORT = 60999, PRIVILEGED_PORTS = 1024 };

static struct list names = {&names, &names};

static struct socket *socket_at(struct list *link)
{
    return container_of(link, struct socket, link);
}

static bool is_inet(uint64_t family)
{
    return family == FAMILY_INET || family == FAMILY_INET6;
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

/* ---- making ---------------------------------------------------------------------------------- */

static struct file *socket_new(uint16_t family, uint64_t flags)
{
    struct file *file = file_new(FILE_SOCKET, (uint32_t)flags & O_NONBLOCK);
    struct socket *socket = file != NULL ? memory_new(sizeof *socket) : NULL;

    if (socket == NULL) {
        file_drop(file);
        return NULL;
    }
    *socket = (struct socket){.file = file, .family = family, .is_local = family == FAMILY_LOCAL,
                              .own = address_of(family, 0), .other = address_of(family, 0),
                              .send_bytes = PIPE_BYTES, .receive_bytes = PIPE_BYTES};
    list_init(&socket->link);
    list_init(&socket->queue);
    list_init(&socket->peers);
    list_init(&socket->peer);
    file->socket = socket;
    return file;
}

/* A socket of the type that socket and socketpair ask for; NULL: no memory. */
static struct file *new_of_type(const uint64_t arg[6])
{
    struct file *file = socket_new((uint16_t)arg[0], arg[1]);
    struct pipe *pipe;

    if (file == NULL || arg[0] != FAMILY_LOCAL || (arg[1] & TYPES) != DATAGRAM)
        return file;
    file->socket->is_datagram = true;
    pipe = pipe_new();
    if (pipe == NULL) {
        file_drop(file);
        return NULL;
    }
    pipe_join(file, pipe, PIPE_READS);
    return file;
}

/* A descriptor for it, which is also one of the host's for TCP; takes the user over. */
static int64_t open_socket(struct thread *thread, struct file *file, uint64_t flags)
{
    uint64_t kinds = flags & (O_NONBLOCK | O_CLOEXEC);
    const uint64_t arg[6] = {file->socket->family, STREAM | kinds, 0};
    int64_t fd;

    if (file->socket->family == FAMILY_LOCAL)
        return file_open(thread, file, (flags & O_CLOEXEC) != 0);
    if ((fd = syscall_forward(thread, CALL_SOCKET, arg)) < 0)
        file_drop(file);
    else if (files_put(thread->process->files, (uint64_t)fd, file) != 0)
        return -ENOMEM;
    return fd;
}

/* 0: the kernel has such sockets; 1: the host answers. */
static int64_t check_kind(const uint64_t arg[6])
{
    if (arg[0] != FAMILY_LOCAL && !is_inet(arg[0]))
        return 1;
    if ((arg[1] & ~(uint64_t)(TYPES | O_NONBLOCK | O_CLOEXEC)) != 0)
        return -EINVAL;
    if (is_inet(arg[0]))
        return (arg[1] & TYPES) != STREAM;
    if (arg[2] > 1)
        return -EPROTONOSUPPORT;
    return (arg[1] & TYPES) == STREAM || (arg[1] & TYPES) == DATAGRAM ? 0 : -ESOCKTNOSUPPORT;
}

int64_t sys_socket(struct thread *thread, const uint64_t arg[6])
{
    int64_t err = check_kind(arg);
    struct file *file;

    if (err != 0)
        return err < 0 ? err : syscall_forward(thread, CALL_SOCKET, arg);
    file = new_of_type(arg);
    return file == NULL ? -ENOMEM : open_socket(thread, file, arg[1]);
}

/* Two sockets become the ends of two pipes; false: no memory. */
static bool join(struct file *one, struct file *two)
{
    struct pipe *there = pipe_new(), *back = pipe_new();

    if (there == NULL || back == NULL) {
        if (there != NULL)
            pipe_free(there);
        if (back != NULL)
            pipe_free(back);
        return false;
    }
    pipe_resize(there, one->socket->send_bytes);
    pipe_resize(back, two->socket->send_bytes);
    pipe_join(one, there, PIPE_WRITES);
    pipe_join(two, there, PIPE_READS);
    pipe_join(two, back, PIPE_WRITES);
    pipe_join(one, back, PIPE_READS);
    one->socket->state = two->socket->state = SOCKET_CONNECTED;
    one->socket->is_local = two->socket->is_local = true;
    one->socket->other_pid = two->socket->other_pid = current()->process->pid;
    return true;
}

int64_t sys_socketpair(struct thread *thread, const uint64_t arg[6])
{
    int64_t err = arg[0] == FAMILY_LOCAL ? check_kind(arg)
                  : is_inet(arg[0]) ? -EOPNOTSUPP : -EAFNOSUPPORT;
    struct file *file[2];

    if (err != 0)
        return err;
    file[0] = new_of_type(arg);
    file[1] = new_of_type(arg);
    if (file[0] != NULL && file[1] != NULL && file[0]->socket->is_datagram) {
        datagram_connect(file[0]->socket, file[1]->socket);
        datagram_connect(file[1]->socket, file[0]->socket);
    } else if (file[0] != NULL && file[1] != NULL && !join(file[0], file[1])) {
        file_drop(file[1]);
        file[1] = NULL;
    }
    return pipe_open_two(thread, file, arg[1], arg[3]);
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

/* Who has this name, bound to it or listening there. */
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
    socket->backlog = backlog < BACKLOG_MAX ? backlog : BACKLOG_MAX;
    return 0;
}

/* The other end of a new connection, in the listener's queue. */
static int64_t enqueue(struct file *file, struct socket *listener)
{
    struct file *other = socket_new(listener->family, 0);
    struct socket *socket = file->socket;

    if (other == NULL || !join(file, other)) {
        file_drop(other);
        return -ENOMEM;
    }
    if (socket->own.port == 0 && socket->family != FAMILY_LOCAL)
        socket->own = address_of(socket->family, free_port());
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
    if (listener != NULL && listener->is_datagram)
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
    return open_socket(thread, socket->file, arg[3]);
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
    return (has_end ? POLLIN | POLLRDHUP : in->count > 0 ? POLLIN : 0u) |
           (is_deaf || pipe_can_write(out) ? POLLOUT : 0u) |
           (has_end && is_deaf && (out == NULL || file->socket->family == FAMILY_LOCAL) ? POLLHUP
                                                                                        : 0u);
}
