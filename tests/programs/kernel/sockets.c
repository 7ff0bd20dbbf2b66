/* Each word of the command line is a case; PORT and HOST name the address outside. Talks to a
 * server (tests/integration/kernel_sockets.py) that answers a line "N" by N bytes of the digits,
 * and "late N" by the same after 50 ms of the host. Prints what a native run prints. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in outside;

static const char *name_of(int result)
{
    return result >= 0 ? "ok" : strerrorname_np(errno);
}

static int make(int flags)
{
    return socket(AF_INET, SOCK_STREAM | flags, 0);
}

static int connected(void)
{
    int fd = make(0);

    if (connect(fd, (const struct sockaddr *)&outside, sizeof outside) != 0)
        printf("connect: %s\n", strerrorname_np(errno));
    return fd;
}

/* Reads `bytes`, each as the server writes them. */
static void expect(int fd, size_t bytes)
{
    char buffer[4096];
    size_t done = 0;
    int wrong = 0;

    while (done < bytes) {
        ssize_t got = read(fd, buffer, sizeof buffer);

        if (got <= 0) {
            printf("read: %s after %zu\n", got == 0 ? "end" : strerrorname_np(errno), done);
            return;
        }
        for (ssize_t i = 0; i < got; i++)
            wrong += buffer[i] != (char)('0' + (done + (size_t)i) % 10);
        done += (size_t)got;
    }
    printf("%zu bytes, %d wrong\n", done, wrong);
}

static void do_plain(void)
{
    int fd = connected(), value = 0;
    socklen_t bytes = sizeof value;
    struct sockaddr_in peer;
    struct stat st;

    printf("write %zd\n", write(fd, "1000\n", 5));
    expect(fd, 1000);
    printf("writev %zd\n", writev(fd, (struct iovec[]){{"20", 2}, {"00\n", 3}}, 2));
    expect(fd, 2000);
    printf("send %zd\n", send(fd, "late 10\n", 8, MSG_NOSIGNAL));
    printf("recv %zd\n", recv(fd, (char[10]){0}, 10, MSG_WAITALL));
    printf("getsockopt %s", name_of(getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &bytes)));
    printf(" %d\n", value);
    value = 1;
    printf("setsockopt %s\n", name_of(setsockopt(fd, 6, 1, &value, sizeof value)));
    bytes = sizeof peer;
    printf("getpeername %s", name_of(getpeername(fd, (struct sockaddr *)&peer, &bytes)));
    printf(" %s\n", peer.sin_port == outside.sin_port ? "the same port" : "another port");
    printf("fstat %s", name_of(fstat(fd, &st)));
    printf(" %s\n", S_ISSOCK(st.st_mode) ? "socket" : "other");
    printf("lseek %s\n", name_of((int)lseek(fd, 0, SEEK_SET)));
    printf("shutdown %s\n", name_of(shutdown(fd, SHUT_WR)));
    printf("read %zd\n", read(fd, &value, 1));
    close(fd);
    printf("closed: %s\n", name_of((int)send(fd, "", 0, 0)));
    printf("no socket: %s\n", name_of((int)send(1, "", 0, 0)));
}

/* sendmsg and its kin; the server's answer comes late, in one part for both of the reader's. */
static void do_messages(void)
{
    char first[4] = "", second[40] = "";
    struct sockaddr_in name = {0};
    struct iovec out[] = {{"late ", 5}, {"1", 1}, {"0\n", 2}};
    struct iovec in[] = {{first, 3}, {second, sizeof second}};
    struct msghdr send_header = {.msg_iov = out, .msg_iovlen = 3};
    struct msghdr header = {.msg_iov = in, .msg_iovlen = 2, .msg_name = &name,
                            .msg_namelen = sizeof name};
    struct mmsghdr many[] = {{.msg_hdr = {.msg_iov = out, .msg_iovlen = 2}},
                             {.msg_hdr = {.msg_iov = out + 2, .msg_iovlen = 1}}};
    int fd = connected(), value = 30;
    socklen_t bytes = sizeof value;

    printf("sendmsg %zd\n", sendmsg(fd, &send_header, MSG_NOSIGNAL));
    printf("peek %zd", recvmsg(fd, &header, MSG_PEEK));
    printf(" %.3s\n", first);
    printf("recvmsg %zd", recvmsg(fd, &header, 0));
    printf(" %.3s %.7s, name of %d bytes\n", first, second, (int)header.msg_namelen);
    printf("recvmsg %s\n", name_of((int)recvmsg(fd, &header, MSG_DONTWAIT)));
    printf("sendmmsg %d", sendmmsg(fd, many, 2, 0));
    printf(" %u %u\n", many[0].msg_len, many[1].msg_len);
    header.msg_iovlen = 1;
    printf("recvmsg %zd\n", recvmsg(fd, &header, MSG_WAITALL));
    expect(fd, 0);
    printf("recvmsg %s\n", name_of((int)recvmsg(1, &header, 0)));
    printf("bad address %s\n", name_of((int)sendmsg(fd, (void *)8, 0)));
    header.msg_iovlen = 1025;
    printf("too many %s\n", name_of((int)recvmsg(fd, &header, 0)));
    printf("keepalive %s", name_of(setsockopt(fd, 6, 4, &value, sizeof value)));
    value = 0;
    printf(" %s", name_of(getsockopt(fd, 6, 4, &value, &bytes)));
    printf(" %d\n", value);
    close(fd);
}

static void do_big(void)
{
    enum { BYTES = 3000000 };
    char *text = malloc(BYTES), answer[16] = "";
    int fd = connected();

    memset(text, 'x', BYTES);
    text[BYTES - 1] = '\n';
    printf("write %zd\n", write(fd, "sink\n", 5));
    printf("write %zd\n", write(fd, text, BYTES));
    printf("read %zd", read(fd, answer, sizeof answer - 1));
    printf(" %s\n", answer);
    close(fd);
}

static void do_refused(void)
{
    struct sockaddr_in other = outside;
    int fd = make(0);

    other.sin_port = htons((uint16_t)(ntohs(outside.sin_port) + 1));
    printf("another port: %s\n", name_of(connect(fd, (void *)&other, sizeof other)));
    other = outside;
    other.sin_addr.s_addr = htonl(0x7f000002);
    printf("another host: %s\n", name_of(connect(fd, (void *)&other, sizeof other)));
    printf("fast open: %s\n", name_of((int)sendto(fd, "x", 1, MSG_FASTOPEN, (void *)&other,
                                                  sizeof other)));
    printf("not connected: %s\n", name_of((int)send(fd, "x", 1, MSG_NOSIGNAL)));
    printf("cut short: %s\n", name_of(connect(fd, (void *)&outside, 4)));
    printf("bad address: %s\n", name_of(connect(fd, (void *)8, sizeof outside)));
    printf("udp: %s\n", name_of(socket(AF_INET, SOCK_DGRAM, 0)));
    close(fd);
}

/* Without a kernel no client could come. */
static void do_served(void)
{
    int fd = make(0);

    printf("unix: %s\n", name_of(socket(AF_UNIX, SOCK_STREAM, 0)));
    printf("bind: %s\n", name_of(bind(fd, (void *)&outside, sizeof outside)));
    printf("listen: %s\n", name_of(listen(fd, 1)));
    printf("accept: %s\n", name_of(accept(fd, NULL, NULL)));
    printf("bind of no socket: %s\n", name_of(bind(1, (void *)&outside, sizeof outside)));
    close(fd);
}

static void do_nonblocking(void)
{
    int fd = make(SOCK_NONBLOCK), error = -1, result, on = 0;
    socklen_t bytes = sizeof error;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    char byte;

    result = connect(fd, (void *)&outside, sizeof outside);
    printf("connect %s\n", result == 0 || errno == EINPROGRESS ? "begun" : strerrorname_np(errno));
    printf("poll %d", poll(&wait, 1, 10000));
    printf(" %x\n", (unsigned)wait.revents);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
    printf("error %d\n", error);
    printf("read %s\n", name_of((int)read(fd, &byte, 1)));
    printf("flags %s\n", fcntl(fd, F_GETFL) & O_NONBLOCK ? "nonblocking" : "blocking");
    printf("write %zd\n", write(fd, "late 100\n", 9));
    wait.events = POLLIN;
    printf("poll at once %d\n", poll(&wait, 1, 0));
    printf("poll %d", poll(&wait, 1, 10000));
    printf(" %x\n", (unsigned)wait.revents);
    printf("FIONBIO %s\n", name_of(ioctl(fd, FIONBIO, &on)));
    printf("flags %s\n", fcntl(fd, F_GETFL) & O_NONBLOCK ? "nonblocking" : "blocking");
    expect(fd, 100);
    printf("dontwait %s\n", name_of((int)recv(fd, &byte, 1, MSG_DONTWAIT)));
    printf("poll ends %d\n", poll(&wait, 1, 30));
    close(fd);
}

/* Edges are reported once for each event. */
static void do_epoll(void)
{
    int fd = connected(), epoll = epoll_create1(0), again;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = 7};

    printf("add %s\n", name_of(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)));
    printf("nothing %d\n", epoll_wait(epoll, &event, 1, 20));
    for (int i = 0; i < 2; i++) {
        write(fd, "late 50\n", 8);
        printf("event %d", epoll_wait(epoll, &event, 1, 10000));
        printf(" %x of %u\n", event.events, event.data.u32);
        printf("again %d\n", epoll_wait(epoll, &event, 1, 20));
        expect(fd, 50);
        printf("read %s\n", name_of((int)recv(fd, &again, 1, MSG_DONTWAIT)));
    }
    close(fd);
    again = connected();
    event.events = EPOLLOUT;
    printf("the same number: %s\n", again == fd ? "yes" : "no");
    printf("add %s\n", name_of(epoll_ctl(epoll, EPOLL_CTL_ADD, again, &event)));
    printf("writable %d\n", epoll_wait(epoll, &event, 1, 10000));
    close(again);
    close(epoll);
}

static volatile sig_atomic_t ticks;
static void tick(int signal) { ticks += signal == SIGALRM; }

/* A wait for the outside is interrupted by a signal, or goes on after it. */
static void do_signals(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 5000}};
    struct sigaction action = {.sa_handler = tick};
    int fd = connected();
    char byte;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    printf("read %s", name_of((int)read(fd, &byte, 1)));
    printf(", %d signals\n", (int)ticks);
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    write(fd, "late 10\n", 8);
    setitimer(ITIMER_REAL, &soon, NULL);
    expect(fd, 10);
    printf("%d signals\n", (int)ticks);
    close(fd);
}

static void *compute(void *stop)
{
    unsigned long rounds = 0;

    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
        rounds++;
    return (void *)rounds;
}

/* While one thread waits another runs. */
static void do_threads(void)
{
    int fd = connected(), stop = 0;
    pthread_t thread;
    void *rounds;

    pthread_create(&thread, NULL, compute, &stop);
    write(fd, "late 10\n", 8);
    expect(fd, 10);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, &rounds);
    printf("the other ran: %s\n", (unsigned long)rounds > 100 ? "yes" : "no");
    if (fork() == 0) {
        write(fd, "20\n", 3);
        expect(fd, 20);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    close(fd);
}

/* Five waits of 50 ms of the host. */
static void do_waits(void)
{
    int fd = connected();

    for (int i = 0; i < 5; i++) {
        write(fd, "late 10\n", 8);
        expect(fd, 10);
    }
    close(fd);
}

/* The server closes: end of file, then, as soon as its host gets to it, a broken pipe. */
static void do_broken(void)
{
    int fd = connected();
    char byte;

    write(fd, "close\n", 6);
    printf("read %zd\n", read(fd, &byte, 1));
    for (int i = 0; i < 100000 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
        usleep(1000);
    printf("send %s\n", name_of((int)send(fd, "x", 1, MSG_NOSIGNAL)));
    fflush(stdout);
    if (fork() == 0) {
        write(fd, "x", 1);
        printf("alive\n");
        fflush(stdout);
        _exit(0);
    }
    int status;
    wait(&status);
    printf("child: %s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE ? "SIGPIPE" : "other");
    close(fd);
}

static void do_nobody(void)
{
    int fd = make(0);

    printf("nobody there: %s\n", name_of(connect(fd, (void *)&outside, sizeof outside)));
    close(fd);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } cases[] = {
        {"plain", do_plain}, {"big", do_big}, {"messages", do_messages}, {"refused", do_refused},
        {"nonblocking", do_nonblocking}, {"epoll", do_epoll}, {"signals", do_signals},
        {"threads", do_threads}, {"waits", do_waits}, {"broken", do_broken}, {"nobody", do_nobody},
        {"served", do_served},
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    outside = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)atoi(argv[1])),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 2; i < argc; i++)
        for (size_t at = 0; at < sizeof cases / sizeof cases[0]; at++)
            if (strcmp(cases[at].name, argv[i]) == 0)
                cases[at].run();
    return 0;
}
