/* signalfd, socketpair, epoll of epolls, shared mappings of a file, /proc/PID/task, membarrier:
 * case by case from the manual pages; prints the faults, or "right". */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "manual.h"

static void *send_later(void *arg)
{
    wait_ms(2);
    kill(getpid(), *(int *)arg);
    return NULL;
}

/* signalfd(2) */
static void blocked_signals_are_read(void)
{
    struct signalfd_siginfo info[3];
    const union sigval word = {.sival_int = 77};
    struct epoll_event event = {.events = EPOLLIN};
    int fd, usr1 = SIGUSR1, queue = epoll_create1(0);
    struct pollfd ready = {.events = POLLIN};
    pthread_t sender;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    fd = ready.fd = signalfd(-1, &set, SFD_NONBLOCK);
    check(fd >= 0 && read(fd, info, sizeof info) == -1 && errno == EAGAIN);
    check(read(fd, info, sizeof info[0] - 1) == -1 && errno == EINVAL);
    check(signalfd(-1, &set, 1) == -1 && errno == EINVAL);
    check(signalfd(1, &set, 0) == -1 && errno == EINVAL);
    check(signalfd(999, &set, 0) == -1 && errno == EBADF);
    check(poll(&ready, 1, 0) == 0);
    sigqueue(getpid(), SIGRTMIN, word);
    raise(SIGUSR1);
    check(poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
    check(read(fd, info, sizeof info) == 2 * sizeof info[0]);
    check(info[0].ssi_signo == (unsigned)SIGUSR1 && info[0].ssi_pid == (unsigned)getpid());
    check(info[1].ssi_signo == (unsigned)SIGRTMIN && info[1].ssi_int == 77 &&
          info[1].ssi_code == SI_QUEUE);
    check(epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event) == 0);
    pthread_create(&sender, NULL, send_later, &usr1);
    check(epoll_wait(queue, &event, 1, 1000) == 1 && event.events == EPOLLIN);
    pthread_join(sender, NULL);
    fcntl(fd, F_SETFL, 0);
    check(read(fd, info, sizeof info) == sizeof info[0]);
    pthread_create(&sender, NULL, send_later, &usr1);
    check(read(fd, info, sizeof info) == sizeof info[0] && info[0].ssi_signo == (unsigned)usr1);
    pthread_join(sender, NULL);
    sigdelset(&set, SIGUSR1);
    check(signalfd(fd, &set, 0) == fd);
    raise(SIGUSR1);
    check(poll(&ready, 1, 0) == 0);
    signal(SIGUSR1, SIG_IGN);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    close(fd);
    close(queue);
}

/* socketpair(2), unix(7) */
static void pairs_carry_bytes_both_ways(void)
{
    struct pollfd ready = {.events = POLLIN | POLLOUT};
    struct stat stat;
    char text[8] = "";
    int fd[2];

    check(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    check(fstat(fd[0], &stat) == 0 && S_ISSOCK(stat.st_mode));
    check(write(fd[0], "there", 5) == 5 && send(fd[1], "back", 4, 0) == 4);
    check(read(fd[1], text, sizeof text) == 5 && memcmp(text, "there", 5) == 0);
    check(recv(fd[0], text, sizeof text, 0) == 4 && memcmp(text, "back", 4) == 0);
    check(recv(fd[0], text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    ready.fd = fd[0];
    check(poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT);
    close(fd[1]);
    check(poll(&ready, 1, 0) == 1 && (ready.revents & (POLLIN | POLLHUP)) == (POLLIN | POLLHUP));
    check(read(fd[0], text, sizeof text) == 0);
    check(send(fd[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    close(fd[0]);
    check(socketpair(AF_INET, SOCK_STREAM, 0, fd) == -1);
}

/* epoll_ctl(2) */
static void epolls_take_what_can_be_waited_for(void)
{
    struct epoll_event event = {.events = EPOLLIN}, got[2];
    int chain[6], fd[2][2], file = open("own.file", O_CREAT | O_RDWR | O_TRUNC, 0600), i;
    int seen[2] = {0, 0}, queue = epoll_create1(0);

    check(epoll_create1(1) == -1 && errno == EINVAL);
    check(epoll_ctl(queue, EPOLL_CTL_ADD, file, &event) == -1 && errno == EPERM);
    check(epoll_wait(file, got, 1, 0) == -1 && errno == EINVAL);
    check(epoll_ctl(queue, 9, file, &event) == -1 && errno == EINVAL);
    for (i = 0; i < 6; i++) {
        chain[i] = epoll_create1(0);
        if (i > 0 && i < 5)
            check(epoll_ctl(chain[i], EPOLL_CTL_ADD, chain[i - 1], &event) == 0);
    }
    check(epoll_ctl(chain[5], EPOLL_CTL_ADD, chain[4], &event) == -1 && errno == ELOOP);
    check(epoll_ctl(chain[0], EPOLL_CTL_ADD, chain[2], &event) == -1 && errno == ELOOP);
    for (i = 0; i < 6; i++)
        close(chain[i]);
    for (i = 0; i < 2; i++) {
        check(pipe(fd[i]) == 0 && write(fd[i][1], "x", 1) == 1);
        event.data.fd = i;
        check(epoll_ctl(queue, EPOLL_CTL_ADD, fd[i][0], &event) == 0);
    }
    for (i = 0; i < 10; i++) {
        check(epoll_wait(queue, got, 1, 0) == 1);
        seen[got[0].data.fd]++;
    }
    check(seen[0] == 5 && seen[1] == 5);
    for (i = 0; i < 2; i++) {
        close(fd[i][0]);
        close(fd[i][1]);
    }
    close(queue);
    close(file);
}

/* mmap(2): two shared mappings of a file are the same memory, in whichever process; so are the
 * words of a futex there. */
static void shared_mappings_of_a_file_are_one(void)
{
    int fd = open("own.file", O_CREAT | O_RDWR | O_TRUNC, 0600);
    uint32_t *here, *again;
    char text[4] = "";

    check(ftruncate(fd, 4096) == 0);
    here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fork() == 0) {
        again = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        wait_ms(2);
        again[1] = 42;
        futex(again, 1, 1, NULL, NULL, 0);
        _exit(0);
    }
    while (__atomic_load_n(&here[1], __ATOMIC_RELAXED) == 0)
        check(futex(here, 0, 0, &(struct timespec){5, 0}, NULL, 0) == 0 || errno == EAGAIN);
    check(here[1] == 42);
    wait(NULL);
    again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    memcpy(here, "one", 4);
    check(memcmp(again, "one", 4) == 0);
    munmap(again, 4096);
    munmap(here, 4096);
    check(pread(fd, text, sizeof text, 0) == 4 && memcmp(text, "one", 4) == 0);
    close(fd);
    unlink("own.file");
}

/* proc_pid_task(5) */
static void a_process_lists_its_threads(void)
{
    int entries = 0, is_own = 0;
    struct dirent *entry;
    DIR *tasks = opendir("/proc/self/task");

    check(tasks != NULL);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        entries += entry->d_name[0] != '.';
        is_own |= atoi(entry->d_name) == gettid();
    }
    check(entries == 1 && is_own);
    if (tasks != NULL)
        closedir(tasks);
}

/* membarrier(2); sched_setscheduler(2) */
static void who_has_not_registered_is_refused(void)
{
    const struct sched_param param = {0};

    check(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 1, 0) == -1 && errno == EINVAL);
    check(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == -1 &&
          errno == EPERM);
    check(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
    check(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
    check(sched_setscheduler(1, 99, &param) == -1 && errno == EINVAL);
}

int main(void)
{
    blocked_signals_are_read();
    pairs_carry_bytes_both_ways();
    epolls_take_what_can_be_waited_for();
    shared_mappings_of_a_file_are_one();
    a_process_lists_its_threads();
    who_has_not_registered_is_refused();
    return verdict();
}
