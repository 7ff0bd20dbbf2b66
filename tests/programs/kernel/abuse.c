/* abuse CASE: acts that no program should do, and that the kernel must survive. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static void pause_ms(long ms)
{
    struct timespec left = {0, ms * MS};

    while (nanosleep(&left, &left) != 0)
        ;
}

static pthread_t start(void *(*run)(void *), void *arg)
{
    pthread_attr_t attribute;
    pthread_t thread = 0;

    pthread_attr_init(&attribute);
    pthread_attr_setstacksize(&attribute, 32768);
    if (pthread_create(&thread, &attribute, run, arg) != 0)
        thread = 0;
    return thread;
}

/* ---- threads that never yield, threads that sleep for ever ----------------------------------- */

static void *spin(void *arg)
{
    for (;;)
        __asm__ volatile("");
    return arg;
}

static int never_yield(void)
{
    long i;

    for (i = 0; i < 6; i++)
        start(spin, NULL);
    pause_ms(20);
    puts("the others get their turn");
    return 4;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *sleep_for_ever(void *arg)
{
    struct epoll_event event;
    sigset_t none;
    char byte;

    sigemptyset(&none);
    switch ((long)arg) {
    case 0: for (;;) pause_ms(900);
    case 1: pthread_mutex_lock(&held); break;
    case 2: byte = (char)read(ends[0], &byte, 1); break;
    case 3: poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, -1); break;
    case 4: sigsuspend(&none); break;
    case 5: epoll_wait(epoll_create1(0), &event, 1, -1); break;
    case 6: sigwaitinfo(&none, NULL); break;
    default: if (fork() == 0) for (;;) pause(); wait(NULL); break;
    }
    puts("woken");
    return arg;
}

static int exit_while_others_sleep(int how)
{
    long i;

    if (pipe(ends) != 0)
        return 1;
    pthread_mutex_lock(&held);
    for (i = 0; i < 8; i++)
        start(sleep_for_ever, (void *)i);
    pause_ms(5);
    puts("they sleep");
    fflush(stdout);
    if (how == 0)
        exit(6);
    if (how == 1)
        raise(SIGTERM);
    *(volatile int *)(how + 6l) = 0;
    return 1;
}

/* ---- many threads ---------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static long sum, is_open;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    sum += (long)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int many_threads(long number)
{
    pthread_t *thread = calloc((size_t)number, sizeof *thread);
    long i;

    for (i = 0; i < number; i++) {
        thread[i] = start(add, (void *)(i + 1));
        if (thread[i] == 0) {
            printf("no thread %ld\n", i);
            break;
        }
    }
    number = i;
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (i = 0; i < number; i++)
        pthread_join(thread[i], NULL);
    printf("%s\n", sum == number * (number + 1) / 2 ? "all added" : "wrong");
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Each of the regions fits into memory, both together do not. */
static void touch_all(void)
{
    enum { REGION = 20 << 20 };
    char *block[2];
    int i, at;

    for (i = 0; i < 2; i++)
        block[i] = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (i = 0; i < 2; i++)
        for (at = 0; at < REGION; at += 4096)
            block[i][at] = 1;
    _exit(12);
}

static int no_room(void)
{
    void *block = mmap(NULL, 1ul << 34, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);

    printf("%s\n", block == MAP_FAILED && errno == ENOMEM ? "no room" : "room");
    return 0;
}

static int child_takes_all_memory(void)
{
    int round, status;
    pid_t child;

    for (round = 0; round < 3; round++) {
        child = fork();
        if (child == 0)
            touch_all();
        waitpid(child, &status, 0);
        printf("killed by %d\n", WTERMSIG(status));
    }
    memset(malloc(8 << 20), 1, 8 << 20);        /* it has come back */
    puts("memory is there again");
    return 0;
}

static int forks_without_end(void)
{
    int children = 0, status, ended = 0;
    pid_t child;

    while (children < 3000 && (child = fork()) >= 0) {
        if (child == 0) {
            pause();
            _exit(0);
        }
        children++;
    }
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    while (waitpid(-1, &status, 0) > 0)
        ended += WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM ||
                                         WTERMSIG(status) == SIGKILL);
    printf("%s\n", children > 100 && ended == children ? "all gone" : "wrong");
    return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

static int signals, queued;

/* Several threads at a time. */
static void count(int signo)
{
    __atomic_fetch_add(signo == SIGALRM ? &signals : &queued, 1, __ATOMIC_RELAXED);
}

static void *send_many(void *arg)
{
    int i;

    for (i = 0; i < 500; i++)
        while (sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) != 0)
            sched_yield();
    return arg;
}

static int signal_storm(void)
{
    const struct itimerspec spec = {{0, 1}, {0, 1}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    const struct itimerval often = {{0, 1}, {0, 1}};
    pthread_t thread[4];
    timer_t timer;
    long i;

    signal(SIGALRM, count);
    signal(SIGRTMIN, count);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &spec, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (i = 0; i < 4; i++)
        thread[i] = start(send_many, NULL);
    for (i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    timer_delete(timer);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%s, queued %d\n", signals > 10 ? "alarms" : "no alarms", queued);
    return 0;
}

/* ---- bad pointers ---------------------------------------------------------------------------- */

#define KERNEL 0xffffffc080000000ul
static const unsigned long bad[] = {8, KERNEL, -1ul, -4096ul, 1ul << 38, (1ul << 38) - 4};

/* Numbers as asm-generic has them; B is the pointer. */
enum { B = -99 };
static const struct { long number, arg[6]; } calls[] = {
    {SYS_getcwd, {B, 100}}, {SYS_epoll_ctl, {5, 1, 3, B}}, {SYS_openat, {-100, B, 0}},
    {SYS_pipe2, {B, 0}}, {SYS_read, {3, B, 1}}, {SYS_write, {4, B, 1}},
    {SYS_readv, {3, B, 1}}, {SYS_writev, {4, B, 1}}, {SYS_ppoll, {B, 1, 0, 0}},
    {SYS_fstat, {0, B}}, {SYS_newfstatat, {-100, B, B, 0}}, {SYS_futex, {B, 0, 0, 0}},
    {SYS_futex, {B, 9, 0, 0, 0, 1}}, {SYS_get_robust_list, {0, B, B}}, {SYS_nanosleep, {B, 0}},
    {SYS_getitimer, {0, B}}, {SYS_setitimer, {0, B, 0}}, {SYS_timer_create, {0, B, B}},
    {SYS_clock_gettime, {1, B}}, {SYS_clock_getres, {1, B}}, {SYS_clock_nanosleep, {1, 0, B, 0}},
    {SYS_sched_setparam, {0, B}}, {SYS_sched_setscheduler, {0, 1, B}},
    {SYS_sched_getparam, {0, B}}, {SYS_sched_setaffinity, {0, 8, B}},
    {SYS_sched_getaffinity, {0, 8, B}}, {SYS_sched_rr_get_interval, {0, B}},
    {SYS_sigaltstack, {B, 0}}, {SYS_sigaltstack, {0, B}}, {SYS_rt_sigsuspend, {B, 8}},
    {SYS_rt_sigaction, {10, B, 0, 8}}, {SYS_rt_sigaction, {10, 0, B, 8}},
    {SYS_rt_sigprocmask, {0, B, 0, 8}}, {SYS_rt_sigprocmask, {0, 0, B, 8}},
    {SYS_rt_sigpending, {B, 8}}, {SYS_rt_sigtimedwait, {B, 0, 0, 8}},
    {SYS_rt_sigqueueinfo, {1000, 10, B}}, {SYS_times, {B}}, {SYS_uname, {B}},
    {SYS_getrusage, {0, B}}, {SYS_getcpu, {B, 0}}, {SYS_getcpu, {0, B}},
    {SYS_gettimeofday, {B, 0}}, {SYS_clone3, {B, 88}}, {SYS_execve, {B, 0, 0}},
    {SYS_prlimit64, {0, 7, 0, B}}, {SYS_getrandom, {B, 8, 0}}, {SYS_wait4, {B, 0}},
    {SYS_prctl, {16, B}}, {SYS_getdents64, {6, B, 1000}}, {SYS_readlinkat, {-100, B, B, 9}},
    {SYS_timerfd_settime, {7, 0, B, 0}}, {SYS_timerfd_gettime, {7, B}}, {SYS_read, {7, B, 8}},
};

static int pointers_are_bad(void)
{
    const long once[] = {0, 0, 0, 1};
    unsigned i, j, k, wrong = 0;

    if (pipe(ends) != 0 || epoll_create1(0) != 5 || write(ends[1], "abc", 3) != 3 ||
        syscall(SYS_openat, -100, ".", 0200000) != 6 || syscall(SYS_timerfd_create, 1, 0) != 7 ||
        syscall(SYS_timerfd_settime, 7, 0, &once, 0) != 0)
        return 1;
    for (i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (j = 0; j < sizeof bad / sizeof bad[0]; j++) {
            unsigned long arg[6];
            long result;

            for (k = 0; k < 6; k++)
                arg[k] = calls[i].arg[k] == B ? bad[j] : (unsigned long)calls[i].arg[k];
            if (calls[i].number == SYS_wait4)
                arg[0] = -1ul, arg[1] = bad[j];
            result = syscall(calls[i].number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
            if (result != -1 || (errno != EFAULT && calls[i].number != SYS_wait4 &&
                                 !(calls[i].number == SYS_futex && errno == EINVAL))) {
                printf("call %ld (%lx): %ld, error %d\n", calls[i].number, bad[j], result, errno);
                wrong++;
            }
        }
    wrong += syscall(SYS_openat, -100, 0, 0) != -1 || errno != EFAULT;
    printf("%u wrong\n", wrong);
    return 0;
}

enum { VALUES = 7 };
static const unsigned long nonsense[VALUES] = {8, KERNEL, -1ul, 0, 1, 1ul << 63, 4096};

/* The calls of a number, from the value *next on; *next says how many have begun. */
static void call_with_nonsense(long number, volatile unsigned *next)
{
    while (*next < VALUES) {
        unsigned long n = nonsense[(*next)++];

        if (number == SYS_clone && (n & 0x4100) != 0x4100)
            continue;
        alarm(1);
        syscall(number, n, n, n, n, n, n);
    }
    _exit(0);
}

/* Calls every number with meaningless arguments: a call comes back, or ends the child by a signal,
 * and another child goes on. */
static int every_call_gets_nonsense(void)
{
    volatile unsigned *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned ended = 0;
    long number;
    int status;

    for (number = 0; number < 512; number++)
        for (*next = 0; *next < VALUES;) {
            unsigned before = *next;
            pid_t child = fork();

            if (child == 0)
                call_with_nonsense(number, next);
            if (waitpid(child, &status, 0) == child)
                ended += *next - before;
        }
    printf("%d\n", ended == 512 * VALUES);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long number = argc > 2 ? atol(argv[2]) : 0;

    if (strcmp(what, "spin") == 0)
        return never_yield();
    if (strcmp(what, "asleep") == 0)
        return exit_while_others_sleep((int)number);
    if (strcmp(what, "many") == 0)
        return many_threads(number);
    if (strcmp(what, "all") == 0)
        touch_all();
    if (strcmp(what, "huge") == 0)
        return no_room();
    if (strcmp(what, "memory") == 0)
        return child_takes_all_memory();
    if (strcmp(what, "forks") == 0)
        return forks_without_end();
    if (strcmp(what, "storm") == 0)
        return signal_storm();
    if (strcmp(what, "pointers") == 0)
        return pointers_are_bad();
    return every_call_gets_nonsense();
}
