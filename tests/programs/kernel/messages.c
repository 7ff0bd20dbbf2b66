/* Local datagrams and packets, credentials, and descriptors that go over sockets, case by case from
 * unix(7), send(2), recv(2) and cmsg(3); prints the faults, or "right". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "manual.h"

static char directory[] = "tmp-XXXXXX", path[64], other_path[64];

static struct sockaddr_un local(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strcpy(address.sun_path, name);
    return address;
}

static int bound(const char *name)
{
    struct sockaddr_un address = local(name);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    check(fd >= 0 && bind(fd, (void *)&address, sizeof address) == 0);
    return fd;
}

/* ---- datagrams ------------------------------------------------------------------------------- */

static void a_pair_keeps_messages_apart(void)
{
    struct iovec out[2] = {{"ab", 2}, {"cde", 3}}, in[2];
    struct msghdr header = {.msg_iov = out, .msg_iovlen = 2};
    char bytes[8] = "", more[8] = "";
    int fd[2], type = 0;
    socklen_t room = sizeof type;

    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) == 0);
    check(getsockopt(fd[0], SOL_SOCKET, SO_TYPE, &type, &room) == 0 && type == SOCK_DGRAM);
    check(send(fd[0], "one", 3, 0) == 3 && write(fd[0], "", 0) == 0);
    check(sendmsg(fd[0], &header, 0) == 5 && send(fd[0], "last", 4, 0) == 4);
    check(recv(fd[1], bytes, 2, MSG_PEEK | MSG_TRUNC) == 3 && memcmp(bytes, "on", 2) == 0);
    check(recv(fd[1], bytes, sizeof bytes, 0) == 3 && memcmp(bytes, "one", 3) == 0);
    check(recv(fd[1], bytes, sizeof bytes, 0) == 0);
    in[0] = (struct iovec){bytes, 1};
    in[1] = (struct iovec){more, 3};
    header = (struct msghdr){.msg_iov = in, .msg_iovlen = 2};
    check(recvmsg(fd[1], &header, 0) == 4 && header.msg_flags == MSG_TRUNC);
    check(bytes[0] == 'a' && memcmp(more, "bcd", 3) == 0);
    check(read(fd[1], bytes, sizeof bytes) == 4 && memcmp(bytes, "last", 4) == 0);
    check(recv(fd[1], bytes, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    close(fd[1]);
    check(send(fd[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == ECONNREFUSED);
    close(fd[0]);
}

static void names_are_told(void)
{
    struct sockaddr_un there = local(path), from = {0};
    socklen_t room = sizeof from;
    int server = bound(path), client = bound(other_path), unnamed = socket(AF_UNIX, SOCK_DGRAM, 0);
    char bytes[8];

    check(sendto(client, "hi", 2, 0, (void *)&there, sizeof there) == 2);
    check(recvfrom(server, bytes, sizeof bytes, 0, (void *)&from, &room) == 2);
    check(strcmp(from.sun_path, other_path) == 0);
    check(sendto(server, "back", 4, 0, (void *)&from, room) == 4 && read(client, bytes, 8) == 4);
    check(send(unnamed, "x", 1, 0) == -1 && errno == ENOTCONN);
    check(connect(unnamed, (void *)&there, sizeof there) == 0 && send(unnamed, "y", 1, 0) == 1);
    room = sizeof from;
    check(recvfrom(server, bytes, sizeof bytes, 0, (void *)&from, &room) == 1 && room == 0);
    room = sizeof from;
    check(getpeername(unnamed, (void *)&from, &room) == 0 && strcmp(from.sun_path, path) == 0);
    from = (struct sockaddr_un){.sun_family = AF_UNSPEC};
    check(connect(unnamed, (void *)&from, sizeof from) == 0);
    check(send(unnamed, "x", 1, 0) == -1 && errno == ENOTCONN);
    check(listen(server, 1) == -1 && errno == EOPNOTSUPP);
    close(unnamed);
    unnamed = socket(AF_UNIX, SOCK_STREAM, 0);
    check(connect(unnamed, (void *)&there, sizeof there) == -1 && errno == EPROTOTYPE);
    close(unnamed);
    close(server);
    check(sendto(client, "x", 1, 0, (void *)&there, sizeof there) == -1 && errno == ECONNREFUSED);
    close(client);
    unlink(path);
    unlink(other_path);
    check(sendto(client = socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (void *)&there,
                 sizeof there) == -1 && errno == ENOENT);
    close(client);
}

static int wanted;

static void *drain(void *arg)
{
    char bytes[2];
    int count = 0;

    wait_ms(2);
    while (count < wanted && recv(*(int *)arg, bytes, 2, 0) == 2)
        count += bytes[0] == (char)count;
    return (void *)(long)count;
}

static void a_full_queue_waits(void)
{
    static char large[300000];
    struct pollfd poll_of = {.events = POLLOUT};
    pthread_t thread;
    void *count;
    int fd[2], sent = 0;

    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) == 0);
    check(send(fd[0], large, sizeof large, 0) == -1 && errno == EMSGSIZE);
    check(send(fd[0], large, 30000, 0) == 30000 && recv(fd[1], large, sizeof large, 0) == 30000);
    while (send(fd[0], (char[2]){(char)sent}, 2, MSG_DONTWAIT) == 2)
        sent++;
    check(errno == EAGAIN && sent >= 10);
    poll_of.fd = fd[0];
    check(poll(&poll_of, 1, 0) == 0);
    wanted = sent + 40;
    pthread_create(&thread, NULL, drain, &fd[1]);
    check(poll(&poll_of, 1, -1) == 1);
    for (; sent < wanted; sent++)
        check(send(fd[0], (char[2]){(char)sent}, 2, 0) == 2);
    pthread_join(thread, &count);
    check((long)count == wanted);
    close(fd[0]);
    close(fd[1]);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Sends `text` with descriptors; returns as sendmsg. */
static long pass(int to, const char *text, const int *fd, unsigned count)
{
    union { char bytes[CMSG_SPACE(8 * sizeof *fd)]; struct cmsghdr align; } control = {{0}};
    struct iovec part = {(void *)(uintptr_t)text, strlen(text)};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                            .msg_controllen = CMSG_SPACE(count * sizeof *fd)};
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);

    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(count * sizeof *fd);
    memcpy(CMSG_DATA(first), fd, count * sizeof *fd);
    return sendmsg(to, &header, 0);
}

/* Takes up to `room` descriptors; their number, and the bytes in `text`. */
static int take(int from, char text[32], int *fd, unsigned room, int flags, int *got_flags)
{
    union { char bytes[CMSG_SPACE(8 * sizeof *fd)]; struct cmsghdr align; } control = {{0}};
    struct iovec part = {text, 31};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                            .msg_controllen = room == 0 ? 0 : CMSG_LEN(room * sizeof *fd)};
    struct cmsghdr *first;
    long bytes = recvmsg(from, &header, flags);
    unsigned count;

    text[bytes < 0 ? 0 : bytes] = 0;
    *got_flags = header.msg_flags;
    first = CMSG_FIRSTHDR(&header);
    if (bytes < 0 || first == NULL || first->cmsg_type != SCM_RIGHTS)
        return bytes < 0 ? -1 : 0;
    count = (unsigned)((first->cmsg_len - CMSG_LEN(0)) / sizeof *fd);
    memcpy(fd, CMSG_DATA(first), count * sizeof *fd);
    return (int)count;
}

static int open_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 64; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void files_of_all_kinds_go_over(int type)
{
    int fd[2], ends[2], passed[4], got[8], flags, file, event = eventfd(3, 0);
    int before, status;
    char text[32], bytes[16];
    uint64_t value;

    check(socketpair(AF_UNIX, type, 0, fd) == 0 && pipe(ends) == 0);
    file = open(path, O_CREAT | O_RDWR, 0600);
    check(write(file, "content", 7) == 7);
    if (fork() == 0) {
        close(fd[0]);
        check(take(fd[1], text, got, 8, 0, &flags) == 3 && strcmp(text, "three") == 0);
        check(lseek(got[0], 0, SEEK_CUR) == 7 && pread(got[0], bytes, 16, 0) == 7);
        check(write(got[1], "through", 7) == 7 && read(got[2], &value, 8) == 8 && value == 3);
        _exit(mistakes);
    }
    passed[0] = file;
    passed[1] = ends[1];
    passed[2] = event;
    check(pass(fd[0], "three", passed, 3) == 5);
    close(ends[1]);
    close(event);
    check(read(ends[0], bytes, 16) == 7 && read(ends[0], bytes, 16) == 0);
    wait(&status);
    check(status == 0);
    close(ends[0]);
    before = open_descriptors();
    check(pass(fd[0], "a", &file, 1) == 1 && pass(fd[0], "b", &file, 1) == 1);
    check(write(fd[0], "c", 1) == 1);
    check(take(fd[1], text, got, 1, MSG_CMSG_CLOEXEC, &flags) == 1 && strcmp(text, "a") == 0);
    check(fcntl(got[0], F_GETFD) == FD_CLOEXEC);
    close(got[0]);
    check(take(fd[1], text, got, 0, 0, &flags) == 0 && text[0] == 'b' && (flags & MSG_CTRUNC));
    check(take(fd[1], text, got, 1, 0, &flags) == 0 && strcmp(text, "c") == 0 && flags == 0);
    check(pass(fd[0], "d", &file, 1) == 1 && read(fd[1], bytes, 1) == 1);
    check(open_descriptors() == before);
    passed[0] = 63;
    check(pass(fd[0], "e", passed, 1) == -1 && errno == EBADF);
    close(fd[0]);
    close(fd[1]);
    close(file);
    unlink(path);
}

/* The other end of a pipe that is on its way, and is never taken, closes with the socket. */
static void what_nobody_takes_is_closed(void)
{
    int fd[2], ends[2];
    char byte;

    check(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0 && pipe(ends) == 0);
    check(pass(fd[0], "x", &ends[1], 1) == 1);
    close(ends[1]);
    close(fd[0]);
    check(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && read(ends[0], &byte, 1) == -1);
    close(fd[1]);
    check(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
}

/* ---- packets of a connection ----------------------------------------------------------------- */

/* Listens at the name; *client connects, the result is the other end. */
static int connect_packets(const char *name, int *client)
{
    struct sockaddr_un address = local(name);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), stream = socket(AF_UNIX, SOCK_STREAM, 0);
    int fd;

    *client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    check(send(*client, "x", 1, MSG_NOSIGNAL) == -1 && errno == ENOTCONN);
    check(bind(listener, (void *)&address, sizeof address) == 0 && listen(listener, 2) == 0);
    check(connect(stream, (void *)&address, sizeof address) == -1 && errno == EPROTOTYPE);
    check(connect(*client, (void *)&address, sizeof address) == 0);
    fd = accept(listener, NULL, NULL);
    close(listener);
    close(stream);
    unlink(name);
    return fd;
}

static void packets_keep_their_bounds_and_have_an_end(void)
{
    static char large[200000], back[200000];
    struct pollfd poll_in = {.events = POLLIN};
    int client, server = connect_packets(path, &client), type;
    socklen_t room = sizeof type;
    char bytes[8] = "";

    poll_in.fd = server;
    check(getsockopt(server, SOL_SOCKET, SO_TYPE, &type, &room) == 0 && type == SOCK_SEQPACKET);
    check(poll(&poll_in, 1, 0) == 0);
    check(send(client, "one", 3, 0) == 3 && write(client, "second", 6) == 6);
    check(poll(&poll_in, 1, 0) == 1 && poll_in.revents == POLLIN);
    check(recv(server, bytes, 2, MSG_TRUNC) == 3 && memcmp(bytes, "on", 2) == 0);
    check(read(server, bytes, sizeof bytes) == 6 && memcmp(bytes, "second", 6) == 0);
    memset(large, 7, sizeof large);
    check(send(client, large, sizeof large, 0) == sizeof large);
    check(send(client, large, sizeof large, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    check(recv(server, back, sizeof back, 0) == sizeof back && back[sizeof back - 1] == 7);
    check(send(client, "end", 3, 0) == 3);
    close(client);
    check(read(server, bytes, sizeof bytes) == 3 && read(server, bytes, sizeof bytes) == 0);
    check(send(server, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    close(server);
}

static void *send_three(void *arg)
{
    static char part[150000];
    const int *fd = arg;
    int i;

    for (i = 0; i < 3; i++)
        check(send(*fd, part, sizeof part, 0) == sizeof part);
    close(*fd);
    return NULL;
}

static void a_packet_waits_for_room(void)
{
    static char part[150000];
    int fd[2], packets = 0;
    pthread_t thread;

    check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd) == 0);
    pthread_create(&thread, NULL, send_three, &fd[0]);
    while (recv(fd[1], part, sizeof part, 0) == sizeof part)
        packets++;
    pthread_join(thread, NULL);
    check(packets == 3);
    close(fd[1]);
}

static void a_datagram_may_be_large(void)
{
    static char large[213000];
    int fd[2];

    check(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) == 0);
    check(send(fd[0], large, sizeof large, 0) == -1 && errno == EMSGSIZE);
    check(send(fd[0], large, 200000, 0) == 200000 && recv(fd[1], large, sizeof large, 0) == 200000);
    close(fd[0]);
    close(fd[1]);
}

/* ---- who sent it ----------------------------------------------------------------------------- */

/* Receives a byte; returns the sender's number, or 0 if the message has none. */
static pid_t sender(int fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(struct ucred))]; } control;
    char byte;
    struct iovec in = {&byte, 1};
    struct msghdr header = {.msg_iov = &in, .msg_iovlen = 1, .msg_control = &control,
                            .msg_controllen = sizeof control};
    struct cmsghdr *first;
    struct ucred who;

    check(recvmsg(fd, &header, 0) == 1);
    first = CMSG_FIRSTHDR(&header);
    if (first == NULL)
        return 0;
    check(first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_CREDENTIALS);
    memcpy(&who, CMSG_DATA(first), sizeof who);
    check(who.uid == getuid() && who.gid == getgid());
    return who.pid;
}

static int64_t send_as(int fd, pid_t pid)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(struct ucred))]; } control;
    struct ucred who = {pid, getuid(), getgid()};
    struct iovec out = {"x", 1};
    struct msghdr header = {.msg_iov = &out, .msg_iovlen = 1, .msg_control = &control,
                            .msg_controllen = sizeof control};

    memset(&control, 0, sizeof control);
    *CMSG_FIRSTHDR(&header) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof who),
                                               .cmsg_level = SOL_SOCKET,
                                               .cmsg_type = SCM_CREDENTIALS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&header)), &who, sizeof who);
    return sendmsg(fd, &header, 0);
}

static void who_sends_is_told(int type)
{
    int fd[2], on = 1, value = 0;
    socklen_t room = sizeof value;
    pid_t child;

    check(socketpair(AF_UNIX, type, 0, fd) == 0);
    check(send(fd[0], "x", 1, 0) == 1 && sender(fd[1]) == 0);
    check(setsockopt(fd[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
    check(getsockopt(fd[1], SOL_SOCKET, SO_PASSCRED, &value, &room) == 0 && value == 1);
    check(send(fd[0], "x", 1, 0) == 1 && sender(fd[1]) == getpid());
    check(send_as(fd[0], getpid()) == 1 && sender(fd[1]) == getpid());
    check(send_as(fd[0], getpid() + 1) == -1 && errno == EPERM);
    child = fork();
    if (child == 0)
        _exit(send_as(fd[0], getpid()) != 1);
    check(sender(fd[1]) == child && waitpid(child, NULL, 0) == child);
    close(fd[0]);
    close(fd[1]);
}

/* The server's and the client's numbers, of two processes. */
static void both_ends_know_each_other(void)
{
    struct sockaddr_un address = local(path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd, status;
    struct ucred peer;
    socklen_t room = sizeof peer;
    pid_t child, server = getpid();

    check(bind(listener, (void *)&address, sizeof address) == 0 && listen(listener, 1) == 0);
    child = fork();
    if (child == 0) {
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(connect(fd, (void *)&address, sizeof address) != 0 ||
              getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &room) != 0 || peer.pid != server);
    }
    fd = accept(listener, NULL, NULL);
    check(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &room) == 0 && peer.pid == child &&
          peer.uid == getuid());
    check(waitpid(child, &status, 0) == child && status == 0);
    close(fd);
    close(listener);
    unlink(path);
}

int main(void)
{
    check(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/name", directory);
    snprintf(other_path, sizeof other_path, "%s/other", directory);
    a_pair_keeps_messages_apart();
    names_are_told();
    a_full_queue_waits();
    files_of_all_kinds_go_over(SOCK_STREAM);
    files_of_all_kinds_go_over(SOCK_DGRAM);
    what_nobody_takes_is_closed();
    packets_keep_their_bounds_and_have_an_end();
    a_packet_waits_for_room();
    a_datagram_may_be_large();
    who_sends_is_told(SOCK_STREAM);
    who_sends_is_told(SOCK_DGRAM);
    who_sends_is_told(SOCK_SEQPACKET);
    both_ends_know_each_other();
    check(rmdir(directory) == 0);
    return verdict();
}
