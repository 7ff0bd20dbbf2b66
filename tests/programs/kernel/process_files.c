/* Descriptors of processes, case by case from the manual pages, and waiting on several futexes;
 * prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

enum { PIDFD_OPEN = 434, PIDFD_SEND_SIGNAL = 424, CLONE3 = 435, WAITV = 449,
       PRIVATE_32 = 2 | 128 };

static int open_process(pid_t pid, unsigned flags)
{
    return (int)syscall(PIDFD_OPEN, pid, flags);
}

static int send(int fd, int signo, siginfo_t *info)
{
    return (int)syscall(PIDFD_SEND_SIGNAL, fd, signo, info, 0);
}

/* A child that sleeps until a signal ends it. */
static pid_t sleeper(void)
{
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

/* ---- descriptors of processes ---------------------------------------------------------------- */

static void wrong_processes_are_refused(void)
{
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_USER};
    pid_t pid = sleeper();
    int fd = open_process(pid, 0);
    char byte;

    check(open_process(-1, 0) == -1 && errno == EINVAL);
    check(open_process(pid, 1) == -1 && errno == EINVAL);
    check(open_process(999999, 0) == -1 && errno == ESRCH);
    check(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    check(read(fd, &byte, 1) == -1 && errno == EINVAL);
    check(write(fd, &byte, 1) == -1 && errno == EINVAL);
    check(send(fd, 65, NULL) == -1 && errno == EINVAL);
    check(send(fd, SIGUSR2, &info) == -1 && errno == EINVAL);
    check(send(fd, SIGUSR1, &info) == -1 && errno == EPERM);
    check(send(fd, SIGUSR1, (siginfo_t *)8) == -1 && errno == EFAULT);
    check(syscall(PIDFD_SEND_SIGNAL, fd, SIGUSR1, NULL, 1) == -1 && errno == EINVAL);
    check(send(1, 0, NULL) == -1 && errno == EBADF);
    check(waitid(P_PIDFD, 1, &info, WEXITED) == -1 && errno == EBADF);
    check(send(fd, 0, NULL) == 0 && send(fd, SIGKILL, NULL) == 0);
    check(waitpid(pid, NULL, 0) == pid);
    check(send(fd, 0, NULL) == -1 && errno == ESRCH);
    check(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == -1 && errno == ECHILD);
    close(fd);
}

/* It becomes readable when the process ends, and stays so. */
static void a_process_that_ends_is_readable(void)
{
    pid_t pid = sleeper();
    int fd = open_process(pid, O_NONBLOCK);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    siginfo_t info = {.si_pid = 1};

    check(poll(&ready, 1, 0) == 0);
    check(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == -1 && errno == EAGAIN);
    check(waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0);
    kill(pid, SIGTERM);
    check(poll(&ready, 1, -1) == 1 && ready.revents == POLLIN);
    check(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0);
    check(info.si_pid == pid && info.si_code == CLD_KILLED && info.si_status == SIGTERM);
    check(poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
    close(fd);
}

static void clone_gives_a_descriptor(void)
{
    unsigned long args[8] = {0x1000};
    siginfo_t info;
    int fd = -1;
    pid_t pid;

    args[1] = (unsigned long)&fd;
    args[4] = SIGCHLD;
    pid = (pid_t)syscall(CLONE3, args, sizeof args);
    if (pid == 0)
        _exit(fcntl(3, F_GETFD) == -1 ? 7 : 8);     /* the child has none */
    check(pid > 0 && fd == 3);
    check(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0 && info.si_pid == pid);
    check(info.si_code == CLD_EXITED && info.si_status == 7);
    close(fd);
    args[1] = 8;
    check(syscall(CLONE3, args, sizeof args) == -1 && errno == EFAULT);
    check(open("/", O_RDONLY) == 3 && close(3) == 0);
    check(syscall(SYS_clone, 0x1000 | 0x10000 | 0x900, 0, &fd, 0, 0) == -1 && errno == EINVAL);
    check(syscall(SYS_clone, 0x1000 | 0x100000 | SIGCHLD, 0, &fd, 0, 0) == -1 && errno == EINVAL);
}

/* ---- several futexes ------------------------------------------------------------------------- */

struct waitv { uint64_t value; uint32_t *at; uint64_t flags; };
enum { WORDS = 128 };
static uint32_t word[WORDS];

static void fill(struct waitv *waitv)
{
    for (unsigned i = 0; i < WORDS; i++)
        waitv[i] = (struct waitv){0, &word[i], PRIVATE_32};
}

static long wait_many(struct waitv *waitv, unsigned count, const struct timespec *until, int clock)
{
    return syscall(WAITV, waitv, count, 0, until, clock);
}

static void *wait_on_all(void *arg)
{
    struct waitv waitv[WORDS];

    fill(waitv);
    *(long *)arg = wait_many(waitv, WORDS, NULL, 0);
    return NULL;
}

static void wrong_waits_are_refused(void)
{
    struct waitv waitv[WORDS + 1];
    struct timespec until = {0, 1000000000};

    fill(waitv);
    check(wait_many(waitv, 0, NULL, 0) == -1 && errno == EINVAL);
    check(wait_many(waitv, WORDS + 1, NULL, 0) == -1 && errno == EINVAL);
    check(wait_many(NULL, 1, NULL, 0) == -1 && errno == EINVAL);
    check(wait_many((struct waitv *)8, 1, NULL, 0) == -1 && errno == EFAULT);
    check(wait_many(waitv, 1, &until, 1) == -1 && errno == EINVAL);
    until.tv_nsec = 0;
    check(wait_many(waitv, 1, &until, 7) == -1 && errno == EINVAL);
    check(wait_many(waitv, WORDS, &until, 1) == -1 && errno == ETIMEDOUT);
    check(syscall(WAITV, waitv, 1, 1, NULL, 0) == -1 && errno == EINVAL);
    waitv[1].flags = 128;
    check(wait_many(waitv, 2, NULL, 0) == -1 && errno == EINVAL);
    waitv[1] = (struct waitv){1, &word[1], PRIVATE_32};
    check(wait_many(waitv, 2, NULL, 0) == -1 && errno == EAGAIN);
    waitv[1] = (struct waitv){0, (uint32_t *)((char *)word + 1), PRIVATE_32};
    check(wait_many(waitv, 2, NULL, 0) == -1 && errno == EINVAL);
    waitv[1] = (struct waitv){0, (uint32_t *)8, PRIVATE_32};
    check(wait_many(waitv, 2, NULL, 0) == -1 && errno == EFAULT);
}

/* The result is the number of a word that was woken; afterwards no word has a waiter. */
static void one_of_many_wakes(void)
{
    for (unsigned which = 0; which < WORDS; which += 63) {
        pthread_t thread;
        long result = -2;

        pthread_create(&thread, NULL, wait_on_all, &result);
        while (futex(&word[which], 1 | 128, 1, NULL, NULL, 0) == 0)
            sched_yield();
        pthread_join(thread, NULL);
        check(result == (long)which);
        for (unsigned i = 0; i < WORDS; i++)
            check(futex(&word[i], 1 | 128, 1, NULL, NULL, 0) == 0);
    }
}

/* ---- execve(2) ------------------------------------------------------------------------------- */

/* getauxval(3), AT_RANDOM: as text. */
static const char *random_number(void)
{
    static char text[20];
    unsigned long number;

    memcpy(&number, (void *)getauxval(AT_RANDOM), sizeof number);
    snprintf(text, sizeof text, "%lx", number);
    return text;
}

static void *execute(void *path)
{
    execl("/proc/self/exe", path, "again", random_number(), (char *)NULL);
    return path;
}

/* The thread that executes gets the number of the first one, and is the only one. */
static void any_thread_becomes_the_first(char *name)
{
    pid_t child = fork();
    pthread_t thread;
    int status;

    if (child == 0) {
        pthread_create(&thread, NULL, execute, name);
        for (;;)
            pause();
    }
    check(waitpid(child, &status, 0) == child && status == 0);
}

static int is_first_and_only(void)
{
    return syscall(SYS_gettid) == getpid() && syscall(SYS_tgkill, getpid(), getpid(), 0) == 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "again") == 0)
        return !is_first_and_only() || strcmp(argv[2], random_number()) == 0;
    wrong_processes_are_refused();
    a_process_that_ends_is_readable();
    clone_gives_a_descriptor();
    wrong_waits_are_refused();
    one_of_many_wakes();
    any_thread_becomes_the_first(argv[0]);
    return verdict();
}
