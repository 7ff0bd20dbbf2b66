/* Making sockets: of which kinds there are some, and pairs. Source: socket(2), socketpair(2),
 * unix(7). */
#include "process/process.h"
#include "socket/message.h"
#include "syscall/syscall.h"

enum { CALL_SOCKET = 198, TYPES = 0xf,
       PACKETS_BYTES = 212992 };        /* of a datagram or packet, as Linux has it */

static bool is_inet(uint64_t family)
{
    return family == FAMILY_INET || family == FAMILY_INET6;
}

struct file *socket_new(uint16_t family, uint16_t type, uint64_t flags)
{
    uint32_t room = type == SOCKET_STREAM ? PIPE_BYTES : PACKETS_BYTES;
    struct file *file = file_new(FILE_SOCKET, (uint32_t)flags & O_NONBLOCK);
    struct socket *socket = file != NULL ? memory_new(sizeof *socket) : NULL;

    if (socket == NULL) {
        file_drop(file);
        return NULL;
    }
    *socket = (struct socket){.file = file, .family = family, .is_local = family == FAMILY_LOCAL,
                              .own = address_of(family, 0), .other = address_of(family, 0),
                              .type = type, .pid = current()->process->pid,
                              .is_datagram = type == SOCKET_DATAGRAM, .send_bytes = room,
                              .receive_bytes = room};
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
    struct file *file = socket_new((uint16_t)arg[0], arg[1] & TYPES, arg[1]);
    struct pipe *pipe;

    if (file == NULL || !file->socket->is_datagram)
        return file;
    pipe = pipe_new();
    if (pipe == NULL) {
        file_drop(file);
        return NULL;
    }
    pipe_resize(pipe, PIPE_MOST);
    pipe_join(file, pipe, PIPE_READS);
    return file;
}

int64_t socket_open(struct thread *thread, struct file *file, uint64_t flags)
{
    uint64_t kinds = flags & (O_NONBLOCK | O_CLOEXEC);
    const uint64_t arg[6] = {file->socket->family, SOCKET_STREAM | kinds, 0};
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
    uint64_t type = arg[1] & TYPES;

    if (arg[0] != FAMILY_LOCAL && !is_inet(arg[0]))
        return 1;
    if ((arg[1] & ~(uint64_t)(TYPES | O_NONBLOCK | O_CLOEXEC)) != 0)
        return -EINVAL;
    if (is_inet(arg[0]))
        return type != SOCKET_STREAM;
    if (arg[2] > 1)
        return -EPROTONOSUPPORT;
    return type == SOCKET_STREAM || type == SOCKET_DATAGRAM || type == SOCKET_PACKET
               ? 0 : -ESOCKTNOSUPPORT;
}

int64_t sys_socket(struct thread *thread, const uint64_t arg[6])
{
    int64_t err = check_kind(arg);
    struct file *file;

    if (err != 0)
        return err < 0 ? err : syscall_forward(thread, CALL_SOCKET, arg);
    file = new_of_type(arg);
    return file == NULL ? -ENOMEM : socket_open(thread, file, arg[1]);
}

bool socket_join(struct file *one, struct file *two)
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

/* There are no pairs but local ones; the call may be wrong in another way, too. */
static int64_t refuse_pair(const uint64_t arg[6])
{
    enum { RAW = 3, LAST_TYPE = 10, TCP = 6, UDP = 17 };
    uint64_t type = arg[1] & TYPES, protocol = type == SOCKET_STREAM ? TCP : UDP;

    if (!is_inet(arg[0]))
        return -EAFNOSUPPORT;
    if (type == 0 || type > LAST_TYPE)
        return -EINVAL;
    return type < RAW && (arg[2] == 0 || arg[2] == protocol) ? -EOPNOTSUPP : -EPROTONOSUPPORT;
}

int64_t sys_socketpair(struct thread *thread, const uint64_t arg[6])
{
    int64_t err = arg[0] == FAMILY_LOCAL ? check_kind(arg) : refuse_pair(arg);
    struct file *file[2];

    if (err != 0)
        return err;
    file[0] = new_of_type(arg);
    file[1] = new_of_type(arg);
    if (file[0] != NULL && file[1] != NULL && file[0]->socket->is_datagram) {
        datagram_connect(file[0]->socket, file[1]->socket);
        datagram_connect(file[1]->socket, file[0]->socket);
    } else if (file[0] != NULL && file[1] != NULL && !socket_join(file[0], file[1])) {
        file_drop(file[1]);
        file[1] = NULL;
    }
    return pipe_open_two(thread, file, arg[1], arg[3]);
}
