/* Signals to a process and their queues, case by case from the manual pages; prints the faults, or
 * "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

static sigset_t only(int signo)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signo);
    return set;
}

static void block(int how, int signo)
{
    sigset_t set = only(signo);

    pthread_sigmask(how, &set, NULL);
}

static void handle(int signo, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigaction(signo, &action, NULL);
}

/* ---- sigqueue(3): EAGAIN at the limit of queued signals -------------------------------------- */

static void a_full_queue_refuses_and_loses_nothing(void)
{
    enum { MANY = 100000 };
    sigset_t set = only(SIGRTMIN);
    siginfo_t info;
    int sent, taken = 0, wrong_value = 0;

    block(SIG_BLOCK, SIGRTMIN);
    for (sent = 0; sent < MANY; sent++)
        if (sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = sent}) != 0)
            break;
    check(sent > 100 && sent < MANY && errno == EAGAIN);
    while (sigtimedwait(&set, &info, &(struct timespec){0, 0}) == SIGRTMIN)
        wrong_value += info.si_value.sival_int != taken++;
    check(taken == sent && wrong_value == 0);
    check(sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0);
    check(sigtimedwait(&set, &info, &(struct timespec){0, 0}) == SIGRTMIN);
    block(SIG_UNBLOCK, SIGRTMIN);
}

/* ---- signal(7): any thread that does not block it ---------------------------------------------
 * A thread that cannot take the signal now does not keep it from the others. */

static sem_t second_came;
static int inside, met;

static void wait_for_second(int signo)
{
    (void)signo;
    if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 2)
        sem_post(&second_came);
    else if (sem_timedwait(&second_came, &(struct timespec){time(NULL) + 10, 0}) == 0)
        met = 1;
}

static void *sleep_long(void *arg)
{
    nanosleep(&(struct timespec){20, 0}, NULL);
    return arg;
}

static void a_handler_that_waits_leaves_the_next_to_others(void)
{
    pthread_t sleeper;
    pid_t child;

    sem_init(&second_came, 0, 0);
    handle(SIGRTMIN + 1, wait_for_second);
    pthread_create(&sleeper, NULL, sleep_long, NULL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    child = fork();
    if (child == 0) {
        sigqueue(getppid(), SIGRTMIN + 1, (union sigval){.sival_int = 1});
        sigqueue(getppid(), SIGRTMIN + 1, (union sigval){.sival_int = 2});
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_join(sleeper, NULL);
    check(inside == 2 && met == 1);
}

static int came;

static void note(int signo)
{
    (void)signo;
    __atomic_add_fetch(&came, 1, __ATOMIC_SEQ_CST);
}

static void *send_after_block(void *arg)
{
    block(SIG_BLOCK, SIGUSR2);
    kill(getpid(), SIGUSR2);
    return arg;
}

/* The one thread blocks it at the time of kill or soon after: it comes, in whichever order. */
static void blocking_loses_none(void)
{
    pthread_t sleeper, sender;
    int i;

    handle(SIGUSR2, note);
    for (i = 0; i < 20; i++) {
        came = 0;
        pthread_create(&sleeper, NULL, sleep_long, NULL);
        pthread_create(&sender, NULL, send_after_block, NULL);
        block(SIG_BLOCK, SIGUSR2);
        pthread_join(sender, NULL);
        if (__atomic_load_n(&came, __ATOMIC_SEQ_CST) != 0)
            pthread_kill(sleeper, SIGUSR2);
        pthread_join(sleeper, NULL);
        block(SIG_UNBLOCK, SIGUSR2);
        check(came == 1 || came == 2);
    }
}

/* ---- signal(7), sigaction(2): blocked signals stay, ignored ones do not ---------------------- */

static void a_blocked_signal_waits_whatever_its_default(void)
{
    sigset_t set = only(SIGCHLD);
    pid_t child;

    block(SIG_BLOCK, SIGCHLD);
    child = fork();
    if (child == 0)
        _exit(0);
    check(waitpid(child, NULL, 0) == child);
    check(sigtimedwait(&set, NULL, &(struct timespec){0, 0}) == SIGCHLD);
    block(SIG_UNBLOCK, SIGCHLD);
}

/* sigaction(2), POSIX: SIG_IGN for a pending signal discards it, blocked or not. */
static void ignoring_discards_what_is_pending(void)
{
    sigset_t pending;

    block(SIG_BLOCK, SIGUSR1);
    handle(SIGUSR1, note);
    kill(getpid(), SIGUSR1);
    raise(SIGUSR1);
    sigpending(&pending);
    check(sigismember(&pending, SIGUSR1));
    signal(SIGUSR1, SIG_IGN);
    sigpending(&pending);
    check(!sigismember(&pending, SIGUSR1));
    came = 0;
    handle(SIGUSR1, note);
    block(SIG_UNBLOCK, SIGUSR1);
    check(came == 0);
}

/* ---- wait(2): EINTR if a signal came and no child has ended ---------------------------------- */

static void a_child_that_ended_comes_before_its_signal(void)
{
    pid_t child, late;

    handle(SIGCHLD, note);
    handle(SIGUSR1, note);
    came = 0;
    child = fork();
    if (child == 0)
        _exit(0);
    check(waitpid(child, NULL, 0) == child);
    late = fork();
    if (late == 0) {
        wait_ms(20);
        kill(getppid(), SIGUSR1);
        wait_ms(20);
        _exit(0);
    }
    check(waitpid(late, NULL, 0) == -1 && errno == EINTR);
    check(waitpid(late, NULL, 0) == late && came == 3);
    signal(SIGCHLD, SIG_DFL);
}

/* ---- read(2): EINTR if a signal came before there was anything to read ------------------------
 * On one hart the signal and the byte are both there when the reader runs again. */

static void what_has_come_is_read_before_its_signal(int harts)
{
    int ends[2];
    char byte;
    pid_t child;
    ssize_t got;

    check(pipe(ends) == 0);
    handle(SIGUSR1, note);
    came = 0;
    child = fork();
    if (child == 0) {
        wait_ms(20);
        kill(getppid(), SIGUSR1);
        _exit(write(ends[1], "x", 1) != 1);
    }
    got = read(ends[0], &byte, 1);
    check((got == 1 || (harts > 1 && errno == EINTR)) && came == 1);
    check(waitpid(child, NULL, 0) == child);
    close(ends[0]);
    close(ends[1]);
}

/* ---- fcntl(2), "Managing signals" ------------------------------------------------------------ */

static void the_owner_of_a_socket_is_told(void)
{
    int ends[2], is_on = 1;

    handle(SIGIO, note);
    came = 0;
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && fcntl(ends[0], F_GETOWN) == 0);
    check(ioctl(ends[0], FIOASYNC, &is_on) == 0 && write(ends[1], "x", 1) == 1 && came == 0);
    check(fcntl(ends[0], F_SETOWN, getpid()) == 0 && fcntl(ends[0], F_GETOWN) == getpid());
    check((fcntl(ends[0], F_GETFL) & O_ASYNC) != 0);
    check(write(ends[1], "x", 1) == 1 && came == 1);
    check(fcntl(ends[0], F_SETFL, 0) == 0 && write(ends[1], "x", 1) == 1 && came == 1);
    close(ends[0]);
    close(ends[1]);
    signal(SIGIO, SIG_DFL);
}

/* ---- vfork(2): the parent waits for its child; what kills it does not ------------------------ */

static void *leave_in_time(void *arg)
{
    wait_ms(1);
    _exit(3);
    return arg;
}

/* Its child reads `fd` to the end. */
static _Noreturn void lend_memory(int fd, int is_left)
{
    pthread_t thread;
    char byte;

    if (is_left)
        pthread_create(&thread, NULL, leave_in_time, NULL);
    if (vfork() == 0) {
        byte = 0;
        _exit(read(fd, &byte, 1) != 0);
    }
    _exit(1);
}

static int ends_soon(pid_t pid)
{
    int status = -1;

    for (int i = 0; i < 100 && waitpid(pid, &status, WNOHANG) == 0; i++)
        wait_ms(1);
    return status;
}

static void a_parent_that_lends_its_memory_can_end(void)
{
    enum { KILLED, HANDLED, LEFT };
    int ends[2], status;

    for (int how = KILLED; how <= LEFT; how++) {
        pid_t parent = pipe(ends) == 0 ? fork() : -1;

        handle(SIGUSR1, note);
        if (parent == 0) {
            close(ends[1]);
            lend_memory(ends[0], how == LEFT);
        }
        close(ends[0]);
        wait_ms(2);
        if (how != LEFT)
            kill(parent, how == KILLED ? SIGTERM : SIGUSR1);
        status = ends_soon(parent);
        if (how == KILLED)
            check(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
        else if (how == LEFT)
            check(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        else
            check(status == -1);        /* it goes on when the child does */
        close(ends[1]);
        if (how == HANDLED)
            check(waitpid(parent, &status, 0) == parent && WEXITSTATUS(status) == 1);
    }
}

/* ---- core(5): a file of at most RLIMIT_CORE bytes, none below a page ------------------------- */

static int cores_of(rlim_t limit, siginfo_t *info)
{
    struct rlimit core = {limit, RLIM_INFINITY};
    struct stat st;
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &core);
        abort();
    }
    check(waitid(P_PID, (id_t)child, info, WEXITED | WNOWAIT) == 0);
    check(info->si_status == SIGABRT && waitpid(child, &info->si_status, 0) == child);
    if (stat("core", &st) != 0)
        return -1;
    unlink("core");
    return (int)st.st_size;
}

static void an_end_with_a_core_file_is_told(void)
{
    char directory[] = "coresXXXXXX";
    siginfo_t info;

    check(mkdtemp(directory) != NULL && chdir(directory) == 0);
    check(cores_of(0, &info) == -1 && info.si_code == CLD_KILLED && !WCOREDUMP(info.si_status));
    check(cores_of(4095, &info) == -1 && !WCOREDUMP(info.si_status));
    check(cores_of(4096, &info) == 4096 && WCOREDUMP(info.si_status));
    check(cores_of(RLIM_INFINITY, &info) > 10000 && WCOREDUMP(info.si_status));
    check(WTERMSIG(info.si_status) == SIGABRT && info.si_code == CLD_DUMPED);
    check(mkdir("core", 0700) == 0 && cores_of(RLIM_INFINITY, &info) != -1);
    check(!WCOREDUMP(info.si_status) && rmdir("core") == 0);
    check(chdir("..") == 0 && rmdir(directory) == 0);
}

int main(int argc, char **argv)
{
    a_full_queue_refuses_and_loses_nothing();
    a_handler_that_waits_leaves_the_next_to_others();
    blocking_loses_none();
    a_blocked_signal_waits_whatever_its_default();
    ignoring_discards_what_is_pending();
    a_child_that_ended_comes_before_its_signal();
    the_owner_of_a_socket_is_told();
    what_has_come_is_read_before_its_signal(argc > 1 ? atoi(argv[1]) : 1);
    a_parent_that_lends_its_memory_can_end();
    an_end_with_a_core_file_is_told();
    return verdict();
}
