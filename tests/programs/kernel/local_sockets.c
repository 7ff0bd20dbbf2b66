/* Sockets between the threads and processes of one machine, case by case from the manual pages;
 * prints the faults, or "right". Native runs print the same. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "manual.h"

enum { BYTES = 300000 };
static char directory[] = "socketsXXXXXX", path[64];

static struct sockaddr_un local(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strcpy(address.sun_path, name);
    return address;
}

static int serve(int domain, struct sockaddr *address, socklen_t bytes)
{
    int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);

    check(fd >= 0 && bind(fd, address, bytes) == 0 && listen(fd, 4) == 0);
    return fd;
}

static int reach(const void *address, socklen_t bytes)
{
    int fd = socket(((const struct sockaddr *)address)->sa_family, SOCK_STREAM, 0);

    if (connect(fd, address, bytes) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Sends back every received byte plus one, until the end of the input. */
static void *echo(void *arg)
{
    int listener = *(int *)arg, fd = accept(listener, NULL, NULL);
    char part[1000];
    ssize_t got;

    while ((got = read(fd, part, sizeof part)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            part[i]++;
        if (send(fd, part, (size_t)got, MSG_NOSIGNAL) != got)
            break;
    }
    close(fd);
    return NULL;
}

static void *fill(void *arg)
{
    static char bytes[BYTES];

    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)(i % 100);
    check(write(*(int *)arg, bytes, BYTES) == BYTES);
    check(shutdown(*(int *)arg, SHUT_WR) == 0);
    return NULL;
}

static void talk(int listener, int fd)
{
    static char bytes[BYTES];
    pthread_t server, writer;

    pthread_create(&server, NULL, echo, &listener);
    pthread_create(&writer, NULL, fill, &fd);
    check(recv(fd, bytes, BYTES, MSG_WAITALL) == BYTES);
    for (int i = 0; i < BYTES; i++)
        if (bytes[i] != (char)(i % 100 + 1)) {
            check(!"a byte is another one");
            break;
        }
    check(read(fd, bytes, 1) == 0);
    pthread_join(server, NULL);
    pthread_join(writer, NULL);
    close(fd);
}

static void threads_talk_over_a_name(void)
{
    struct sockaddr_un address = local(path), got = {0};
    socklen_t bytes = sizeof got;
    int listener = serve(AF_UNIX, (void *)&address, sizeof address), other, on;


    check(getsockname(listener, (void *)&got, &bytes) == 0 && strcmp(got.sun_path, path) == 0);
    other = socket(AF_UNIX, SOCK_STREAM, 0);
    check(bind(other, (void *)&address, sizeof address) == -1 && errno == EADDRINUSE);
    check(listen(other, 1) == -1 && errno == EINVAL);
    check(accept(other, NULL, NULL) == -1 && errno == EINVAL);
    check(send(other, "x", 1, MSG_NOSIGNAL) == -1 && errno == ENOTCONN);
    bytes = sizeof on;
    check(getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &on, &bytes) == 0 && on == 1);
    check(getsockopt(other, SOL_SOCKET, SO_ACCEPTCONN, &on, &bytes) == 0 && on == 0);
    check(getsockopt(other, SOL_SOCKET, SO_TYPE, &on, &bytes) == 0 && on == SOCK_STREAM);
    close(other);
    talk(listener, reach(&address, sizeof address));
    talk(listener, reach(&address, sizeof address));
    close(listener);
    check(reach(&address, sizeof address) == -1 && errno == ECONNREFUSED);
    check(unlink(path) == 0);
    check(reach(&address, sizeof address) == -1 && errno == ENOENT);
}

static void a_name_may_be_abstract(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0some where"};
    socklen_t bytes = offsetof(struct sockaddr_un, sun_path) + 11;
    int listener = serve(AF_UNIX, (void *)&address, bytes);

    talk(listener, reach(&address, bytes));
    check(reach(&address, bytes - 1) == -1 && errno == ECONNREFUSED);
    close(listener);
    check(reach(&address, bytes) == -1 && errno == ECONNREFUSED);
}

static void processes_talk_over_the_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in peer, own;
    socklen_t bytes = sizeof address;
    int listener = serve(AF_INET, (void *)&address, sizeof address), fd, status, on = 1;
    pid_t child;

    check(getsockname(listener, (void *)&address, &bytes) == 0 && address.sin_port != 0);
    child = fork();
    if (child == 0) {
        fd = reach(&address, sizeof address);
        check(fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
        check(write(fd, "hello", 5) == 5);
        check(getsockname(fd, (void *)&own, &bytes) == 0);
        check(send(fd, &own.sin_port, 2, 0) == 2);
        _exit(mistakes);
    }
    bytes = sizeof peer;
    fd = accept4(listener, (void *)&peer, &bytes, SOCK_NONBLOCK);
    check(fd >= 0 && bytes == sizeof peer && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    check(waitpid(child, &status, 0) == child && status == 0);
    {
        char text[10] = "";
        struct iovec parts[2] = {{text, 5}, {&own.sin_port, 2}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

        check(recv(fd, text, 3, MSG_PEEK) == 3 && strcmp(text, "hel") == 0);
        check(recvmsg(fd, &message, 0) == 7 && strcmp(text, "hello") == 0);
        check(own.sin_port == peer.sin_port);
        check(read(fd, text, 1) == 0);
    }
    check(getpeername(fd, (void *)&own, &bytes) == 0 && own.sin_port == peer.sin_port);
    close(fd);
    close(listener);
}

static void a_second_server_finds_the_port_taken(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof address;
    int one = serve(AF_INET, (void *)&address, sizeof address);
    int two = socket(AF_INET, SOCK_STREAM, 0);

    check(getsockname(one, (void *)&address, &bytes) == 0);
    check(bind(two, (void *)&address, sizeof address) == -1 && errno == EADDRINUSE);
    close(one);
    check(bind(two, (void *)&address, sizeof address) == 0);
    check(bind(two, (void *)&address, sizeof address) == -1 && errno == EINVAL);
    address.sin_addr.s_addr = htonl(0x08080808);
    close(two);
    two = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(two, (void *)&address, sizeof address) == -1 && errno == EADDRNOTAVAIL);
    close(two);
}

static void readiness_is_told(void)
{
    struct sockaddr_un address = local(path);
    int listener = serve(AF_UNIX, (void *)&address, sizeof address), fd, other;
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET}, got;
    struct pollfd wait = {.fd = listener, .events = POLLIN};
    char byte;

    fcntl(listener, F_SETFL, O_NONBLOCK);
    check(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
    check(poll(&wait, 1, 0) == 0);
    fd = reach(&address, sizeof address);
    check(poll(&wait, 1, 0) == 1 && wait.revents == POLLIN);
    other = accept(listener, NULL, NULL);
    check(other >= 0 && poll(&wait, 1, 0) == 0);
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
    check(epoll_wait(epoll, &got, 1, 0) == 0);
    check(recv(fd, &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    check(write(other, "ab", 2) == 2);
    check(epoll_wait(epoll, &got, 1, 0) == 1 && got.events == EPOLLIN);
    check(epoll_wait(epoll, &got, 1, 0) == 0);
    close(other);
    check(epoll_wait(epoll, &got, 1, 0) == 1);
    check(got.events == (EPOLLIN | EPOLLRDHUP | EPOLLHUP));
    check(read(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 0);
    check(send(fd, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    close(fd);
    close(epoll);
    close(listener);
    unlink(path);
}

static int caught;

static void handle(int signo)
{
    caught = signo;
}

static void a_pair_ends(void)
{
    int fd[2];
    char bytes[4];

    signal(SIGPIPE, handle);
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    check(write(fd[0], "abc", 3) == 3 && read(fd[1], bytes, 4) == 3);
    check(shutdown(fd[1], SHUT_RD) == 0 && write(fd[0], "a", 1) == -1 && errno == EPIPE);
    check(caught == SIGPIPE);
    check(write(fd[1], "d", 1) == 1 && read(fd[0], bytes, 4) == 1);
    check(shutdown(fd[0], 3) == -1 && errno == EINVAL);
    close(fd[0]);
    close(fd[1]);
    check(socketpair(AF_INET, SOCK_STREAM, 0, fd) == -1 && errno == EOPNOTSUPP);
}

/* As many wait as the queue has no room for; each gets its turn. */
static void *come(void *arg)
{
    int fd = reach(arg, sizeof(struct sockaddr_un));
    char byte = 0;

    check(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x');
    close(fd);
    return NULL;
}

static void a_full_queue_waits(void)
{
    struct sockaddr_un address = local(path);
    int listener = serve(AF_UNIX, (void *)&address, sizeof address);
    pthread_t thread[12];

    listen(listener, 1);
    for (int i = 0; i < 12; i++)
        pthread_create(&thread[i], NULL, come, &address);
    for (int i = 0; i < 12; i++) {
        int fd = accept(listener, NULL, NULL);

        check(fd >= 0 && write(fd, "x", 1) == 1);
        close(fd);
    }
    for (int i = 0; i < 12; i++)
        pthread_join(thread[i], NULL);
    close(listener);
    unlink(path);
}

/* A small buffer of the sender is full soon. */
static void buffers_have_sizes(void)
{
    static char bytes[20000];
    int fd[2], value = 1;
    socklen_t room = sizeof value;

    check(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    check(setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &value, sizeof value) == 0);
    check(getsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &value, &room) == 0 && value == 4608);
    check(send(fd[0], bytes, sizeof bytes, MSG_DONTWAIT) == 8192);
    check(send(fd[0], bytes, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    check(send(fd[1], bytes, sizeof bytes, MSG_DONTWAIT) == sizeof bytes);
    check(read(fd[1], bytes, sizeof bytes) == 8192 && send(fd[0], bytes, 1, MSG_DONTWAIT) == 1);
    value = 5000;
    check(setsockopt(fd[1], SOL_SOCKET, SO_RCVBUF, &value, sizeof value) == 0);
    check(getsockopt(fd[1], SOL_SOCKET, SO_RCVBUF, &value, &room) == 0 && value == 10000);
    close(fd[0]);
    close(fd[1]);
}

/* epoll(7): closing the last descriptor of a file takes it out of every epoll, and closes it. */
static void an_epoll_keeps_no_file_open(void)
{
    struct epoll_event event = {.events = EPOLLIN}, got;
    struct timespec soon = {0, 1000000};
    int epoll = epoll_create1(0), fd[2];
    struct pollfd end;
    char byte;

    check(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[0], &event) == 0);
    close(fd[0]);
    end = (struct pollfd){.fd = fd[1], .events = POLLIN};
    check(ppoll(&end, 1, &soon, NULL) == 1 && read(fd[1], &byte, 1) == 0);
    check(epoll_wait(epoll, &got, 1, 0) == 0);
    close(fd[1]);
    close(epoll);
}

/* ---- sendfile(2) ----------------------------------------------------------------------------- */

static char text[BYTES];

/* Exits with 7 if it reads all but the first 1,000 bytes of the text. */
static pid_t reader_of(int fd)
{
    static char got[BYTES];
    pid_t pid = fork();
    size_t count = 0;
    ssize_t part;

    if (pid != 0)
        return pid;
    while ((part = read(fd, got + count, sizeof got - count)) > 0)
        count += (size_t)part;
    _exit(count == BYTES - 1000 && memcmp(got, text + 1000, count) == 0 ? 7 : 8);
}

static void a_file_goes_into_a_socket(void)
{
    int file = open(path, O_CREAT | O_RDWR, 0600), fd[2], status;
    off_t offset = 1000;
    pid_t reader;

    for (int i = 0; i < BYTES; i++)
        text[i] = (char)(i * 7 / 3);
    check(write(file, text, BYTES) == BYTES);
    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
    reader = reader_of(fd[1]);
    check(sendfile(fd[0], file, &offset, 100000) == 100000 && offset == 101000);
    check(lseek(file, 0, SEEK_CUR) == BYTES && sendfile(fd[0], file, NULL, 1) == 0);
    check(lseek(file, 101000, SEEK_SET) == 101000);
    check(sendfile(fd[0], file, NULL, BYTES) == BYTES - 101000);
    check(lseek(file, 0, SEEK_CUR) == BYTES && sendfile(fd[0], fd[1], NULL, 1) == -1);
    shutdown(fd[0], SHUT_WR);
    check(waitpid(reader, &status, 0) == reader && WEXITSTATUS(status) == 7);
    close(fd[0]);
    close(fd[1]);
    close(file);
    unlink(path);
}

int main(void)
{
    check(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/name", directory);
    threads_talk_over_a_name();
    a_name_may_be_abstract();
    processes_talk_over_the_loopback();
    a_second_server_finds_the_port_taken();
    readiness_is_told();
    a_pair_ends();
    a_full_queue_waits();
    buffers_have_sizes();
    an_epoll_keeps_no_file_open();
    a_file_goes_into_a_socket();
    check(rmdir(directory) == 0);
    return verdict();
}
