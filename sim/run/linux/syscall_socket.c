/* System calls on sockets: TCP to the one address outside (outside.h), as a client. Their bytes are
 * moved in syscall_io.c and syscall_message.c, their readiness is found in syscall_fd.c.
 *
 * Under a guest kernel no call of a socket blocks the host: the kernel's thread sleeps, and the
 * call is made again (syscall_waits). */
#define _GNU_SOURCE     /* SOCK_NONBLOCK */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "sim/run/linux/process_internal.h"

/* Values of the asm-generic interface. */
enum { GUEST_INET = 2, GUEST_INET6 = 10, GUEST_STREAM = 1, GUEST_TYPES = 0xf, GUEST_TCP = 6,
       GUEST_IP = 0, GUEST_IPV6 = 41,
       GUEST_SOCK_NONBLOCK = 04000, GUEST_SOCK_CLOEXEC = 02000000, GUEST_SOL_SOCKET = 1,
       GUEST_DONTWAIT = 0x40, GUEST_PEEK = 2, GUEST_WAITALL = 0x100 };
enum { CALL_SOCKET = 198, CALL_CONNECT = 203, CALL_READ = 63, CALL_WRITE = 64, CALL_READV = 65,
       CALL_SENDTO = 206, CALL_RECVFROM = 207, CALL_SENDMSG = 211, CALL_RECVMSG = 212,
       CALL_SENDMMSG = 269, CALL_BIND = 200, CALL_LISTEN = 201 };

static struct open_file *socket_of(const struct process *process, uint64_t fd, int64_t *err)
{
    struct open_file *file = files_get(&process->files, fd);

    *err = file == NULL ? -EBADF : file->kind != OPEN_SOCKET ? -ENOTSOCK : 0;
    return *err == 0 ? file : NULL;
}

static bool is_first_time(struct process *process, unsigned number)
{
    bool was_noted = process->noted[number];

    process->noted[number] = true;
    return !was_noted;
}

/* ---- making and connecting -------------------------------------------------------------- */

static int64_t check_kind(struct process *process, const uint64_t arg[6])
{
    uint64_t flags = arg[1] & ~(uint64_t)GUEST_TYPES;

    if ((flags & ~(uint64_t)(GUEST_SOCK_NONBLOCK | GUEST_SOCK_CLOEXEC)) != 0) {
        return -EINVAL;
    }
    if ((arg[0] == GUEST_INET || arg[0] == GUEST_INET6) &&
        (arg[1] & GUEST_TYPES) == GUEST_STREAM && (arg[2] == 0 || arg[2] == GUEST_TCP)) {
        return 0;
    }
    if (is_first_time(process, CALL_SOCKET)) {
        process_note(process, "a socket of domain %" PRIu64 " and type %" PRIu64 ": there are "
                     "sockets for TCP alone; the program gets an error", arg[0],
                     arg[1] & GUEST_TYPES);
    }
    return arg[0] == GUEST_INET || arg[0] == GUEST_INET6 ? -EPROTONOSUPPORT : -EAFNOSUPPORT;
}

int64_t sys_socket(struct process *process, const uint64_t arg[6])
{
    bool waits = (arg[1] & GUEST_SOCK_NONBLOCK) == 0;
    int64_t err = check_kind(process, arg);
    int host, fd;

    if (err != 0) {
        return err;
    }
    host = socket(arg[0] == GUEST_INET ? AF_INET : AF_INET6,
                  SOCK_STREAM | SOCK_CLOEXEC |
                      (waits && !process->vm.is_guest ? 0 : SOCK_NONBLOCK), 0);
    if (host < 0) {
        return syscall_host_error();
    }
    fd = files_open(&process->files, OPEN_SOCKET, host, NULL,
                    (arg[1] & GUEST_SOCK_CLOEXEC) != 0);
    if (fd >= 0) {
        files_get(&process->files, (uint64_t)fd)->waits = waits;
    }
    return fd;
}

int64_t syscall_set_waits(struct process *process, struct open_file *file, bool waits)
{
    file->waits = waits;
    if (process->vm.is_guest) {
        return 0;
    }
    return fcntl(file->fd, F_SETFL, O_RDWR | (waits ? 0 : O_NONBLOCK)) != 0 ? syscall_host_error()
                                                                            : 0;
}

static int64_t refuse(struct process *process, const void *address, size_t bytes)
{
    char text[OUTSIDE_TEXT];

    outside_text(address, bytes, text);
    if (is_first_time(process, CALL_CONNECT)) {
        process_note(process, "connect to %s: sockets reach the address of --connect alone; the "
                     "program gets ENETUNREACH", text);
    }
    return -ENETUNREACH;
}

/* A repeated call returns the result of a connection in progress. */
int64_t sys_connect(struct process *process, const uint64_t arg[6])
{
    struct sockaddr_storage address;
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);

    if (file == NULL) {
        return err;
    }
    if (arg[2] > sizeof address) {
        return -EINVAL;
    }
    if (!vm_read(&process->vm, arg[1], &address, arg[2])) {
        return -EFAULT;
    }
    if (!outside_is(process->outside, &address, arg[2])) {
        return refuse(process, &address, arg[2]);
    }
    if (connect(file->fd, (const struct sockaddr *)&address, (socklen_t)arg[2]) == 0) {
        return 0;
    }
    if (file->waits && process->vm.is_guest && (errno == EINPROGRESS || errno == EALREADY)) {
        return -EAGAIN;
    }
    return syscall_host_error();
}

int64_t sys_shutdown(struct process *process, const uint64_t arg[6])
{
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);

    if (file == NULL) {
        return err;
    }
    if (arg[1] > 2) {                   /* SHUT_RDWR */
        return -EINVAL;
    }
    return shutdown(file->fd, (int)arg[1]) != 0 ? syscall_host_error() : 0;
}

/* Calls of a server, which no socket is. */
static int64_t refuse_server(struct process *process, unsigned number, const char *name,
                             uint64_t fd)
{
    int64_t err;

    if (socket_of(process, fd, &err) == NULL) {
        return err;
    }
    if (process_hand_over(process, "the system call %s", name)) {
        return -EACCES;
    }
    if (is_first_time(process, number)) {
        process_note(process, "%s: sockets are there for clients alone; the program gets EACCES",
                     name);
    }
    return -EACCES;
}

int64_t sys_bind(struct process *process, const uint64_t arg[6])
{
    return refuse_server(process, CALL_BIND, "bind", arg[0]);
}

int64_t sys_listen(struct process *process, const uint64_t arg[6])
{
    return refuse_server(process, CALL_LISTEN, "listen", arg[0]);
}

/* Result as of a socket that does not listen. */
int64_t sys_accept(struct process *process, const uint64_t arg[6])
{
    int64_t err;

    return socket_of(process, arg[0], &err) == NULL ? err : -EINVAL;
}

int64_t sys_accept4(struct process *process, const uint64_t arg[6])
{
    return sys_accept(process, arg);
}

/* MSG_* flags of a call. */
static uint64_t flags_of(uint64_t number, const uint64_t arg[6])
{
    switch (number) {
    case CALL_SENDTO:
    case CALL_RECVFROM:
    case CALL_SENDMMSG:
        return arg[3];
    case CALL_SENDMSG:
    case CALL_RECVMSG:
        return arg[2];
    default:
        return 0;
    }
}

bool syscall_waits(const struct process *process, uint64_t number, const uint64_t arg[6],
                   int64_t result, unsigned long long *events)
{
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);
    uint64_t flags = flags_of(number, arg);
    bool takes = number == CALL_READ || number == CALL_READV || number == CALL_RECVFROM ||
                 number == CALL_RECVMSG;
    bool moves_all = number == CALL_WRITE || number == CALL_SENDTO ||
                     (number == CALL_RECVFROM &&
                      (flags & (GUEST_WAITALL | GUEST_PEEK)) == GUEST_WAITALL);

    if (file == NULL || !file->waits || (flags & GUEST_DONTWAIT) != 0) {
        return false;
    }
    *events = takes ? POLLIN : POLLOUT;
    return result == -EAGAIN || (moves_all && result > 0 && (uint64_t)result < arg[2]);
}

/* ---- names and options ------------------------------------------------------------------ */

/* Writes at most the length at length_va, and stores the whole length there. */
static int64_t write_sized(struct process *process, const void *value, uint32_t bytes, uint64_t va,
                           uint64_t length_va)
{
    uint32_t room;

    if (!vm_read(&process->vm, length_va, &room, sizeof room)) {
        return -EFAULT;
    }
    if ((int32_t)room < 0) {
        return -EINVAL;
    }
    return vm_write(&process->vm, va, value, room < bytes ? room : bytes) &&
                   vm_write(&process->vm, length_va, &bytes, sizeof bytes) ? 0 : -EFAULT;
}

static int64_t get_name(struct process *process, const uint64_t arg[6],
                        int (*get)(int, struct sockaddr *, socklen_t *))
{
    struct sockaddr_storage address = {0};
    socklen_t bytes = sizeof address;
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);

    if (file == NULL) {
        return err;
    }
    if (get(file->fd, (struct sockaddr *)&address, &bytes) != 0) {
        return syscall_host_error();
    }
    return write_sized(process, &address, bytes, arg[1], arg[2]);
}

static int own_name(int fd, struct sockaddr *address, socklen_t *bytes)
{
    return getsockname(fd, address, bytes);
}

static int peer_name(int fd, struct sockaddr *address, socklen_t *bytes)
{
    return getpeername(fd, address, bytes);
}

int64_t sys_getsockname(struct process *process, const uint64_t arg[6])
{
    return get_name(process, arg, own_name);
}

int64_t sys_getpeername(struct process *process, const uint64_t arg[6])
{
    return get_name(process, arg, peer_name);
}

/* Options that are passed on, each one int; none of them affects anything outside. */
static const struct { unsigned level, name; int host_level, host_name; bool is_settable; }
options[] = {
    {GUEST_SOL_SOCKET, 2, SOL_SOCKET, SO_REUSEADDR, true},
    {GUEST_SOL_SOCKET, 3, SOL_SOCKET, SO_TYPE, false},
    {GUEST_SOL_SOCKET, 4, SOL_SOCKET, SO_ERROR, false},
    {GUEST_SOL_SOCKET, 7, SOL_SOCKET, SO_SNDBUF, true},
    {GUEST_SOL_SOCKET, 8, SOL_SOCKET, SO_RCVBUF, true},
    {GUEST_SOL_SOCKET, 9, SOL_SOCKET, SO_KEEPALIVE, true},
    {GUEST_SOL_SOCKET, 38, SOL_SOCKET, SO_PROTOCOL, false},
    {GUEST_SOL_SOCKET, 30, SOL_SOCKET, SO_ACCEPTCONN, false},
    {GUEST_SOL_SOCKET, 39, SOL_SOCKET, SO_DOMAIN, false},
    {GUEST_TCP, 1, IPPROTO_TCP, TCP_NODELAY, true},
    {GUEST_TCP, 2, IPPROTO_TCP, TCP_MAXSEG, false},
    {GUEST_TCP, 4, IPPROTO_TCP, TCP_KEEPIDLE, true},
    {GUEST_TCP, 5, IPPROTO_TCP, TCP_KEEPINTVL, true},
    {GUEST_TCP, 6, IPPROTO_TCP, TCP_KEEPCNT, true},
    {GUEST_TCP, 12, IPPROTO_TCP, TCP_QUICKACK, true},
    {GUEST_TCP, 18, IPPROTO_TCP, TCP_USER_TIMEOUT, true},
    {GUEST_IP, 1, IPPROTO_IP, IP_TOS, true},
    {GUEST_IPV6, 26, IPPROTO_IPV6, IPV6_V6ONLY, true},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static unsigned find_option(uint64_t level, uint64_t name)
{
    unsigned i = 0;

    while (i < OPTIONS && (options[i].level != level || options[i].name != name)) {
        i++;
    }
    return i;
}

int64_t sys_setsockopt(struct process *process, const uint64_t arg[6])
{
    unsigned i = find_option(arg[1], arg[2]);
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);
    int32_t value;

    if (file == NULL) {
        return err;
    }
    if (i == OPTIONS || !options[i].is_settable) {
        return -ENOPROTOOPT;
    }
    if (arg[4] < sizeof value) {
        return -EINVAL;
    }
    if (!vm_read(&process->vm, arg[3], &value, sizeof value)) {
        return -EFAULT;
    }
    return setsockopt(file->fd, options[i].host_level, options[i].host_name, &value,
                      sizeof value) != 0 ? syscall_host_error() : 0;
}

int64_t sys_getsockopt(struct process *process, const uint64_t arg[6])
{
    unsigned i = find_option(arg[1], arg[2]);
    int64_t err;
    const struct open_file *file = socket_of(process, arg[0], &err);
    int32_t value = 0;
    socklen_t bytes = sizeof value;

    if (file == NULL) {
        return err;
    }
    if (i == OPTIONS) {
        return -ENOPROTOOPT;
    }
    if (!vm_prepare(&process->vm, arg[3], sizeof value, VM_WRITE) ||
        !vm_prepare(&process->vm, arg[4], sizeof bytes, VM_WRITE)) {
        return -EFAULT;                 /* tested before SO_ERROR is read, which clears it */
    }
    if (getsockopt(file->fd, options[i].host_level, options[i].host_name, &value, &bytes) != 0) {
        return syscall_host_error();
    }
    return write_sized(process, &value, sizeof value, arg[3], arg[4]);
}
