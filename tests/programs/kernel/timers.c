/* Timers and signals, case by case from the manual pages; prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

static volatile sig_atomic_t taken, taken_here, value_taken, overrun_taken, is_on_alternate;
static char alternate[65536];
static sigjmp_buf back;

static void take(int signo, siginfo_t *info, void *context)
{
    (void)signo;
    (void)context;
    taken++;
    taken_here = (int)gettid();
    value_taken = info->si_value.sival_int;
    overrun_taken = info->si_code == SI_TIMER ? info->si_overrun : -1;
}

static void handle(int signo, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};

    sigaction(signo, &action, NULL);
}

/* ---- sigaltstack ----------------------------------------------------------------------------- */

static void overflowed(int signo, siginfo_t *info, void *context)
{
    char here;
    stack_t stack;

    (void)context;
    sigaltstack(NULL, &stack);
    is_on_alternate = &here >= alternate && &here < alternate + sizeof alternate &&
                      stack.ss_flags == SS_ONSTACK && signo == SIGSEGV && info->si_addr != NULL;
    siglongjmp(back, 1);
}

static int recurse(int depth)
{
    volatile char space[4096];

    space[0] = (char)depth;
    return recurse(depth + 1) + space[0];
}

static void stack_overflows(void)
{
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    const stack_t small = {.ss_sp = alternate, .ss_size = 16}, none = {.ss_flags = SS_DISABLE};
    stack_t old;
    int round;

    check(sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
    check(sigaltstack(&stack, &old) == 0 && old.ss_flags == SS_DISABLE);
    handle(SIGSEGV, overflowed, SA_ONSTACK);
    for (round = 0; round < 2; round++) {
        is_on_alternate = 0;
        if (sigsetjmp(back, 1) == 0)
            recurse(0);
        check(is_on_alternate);
    }
    check(sigaltstack(&none, &old) == 0 && old.ss_flags == 0 && old.ss_sp == alternate);
    signal(SIGSEGV, SIG_DFL);
}

/* ---- timer_create ---------------------------------------------------------------------------- */

static timer_t new_timer(clockid_t clock, int notify, int signo, int value, pid_t tid)
{
    struct sigevent event = {.sigev_notify = notify, .sigev_signo = signo};
    timer_t timer = NULL;

    event.sigev_value.sival_int = value;
    event._sigev_un._tid = tid;
    check(timer_create(clock, &event, &timer) == 0);
    return timer;
}

static void set(timer_t timer, int flags, long ns, long interval, struct itimerspec *old)
{
    const struct itimerspec spec = {{interval / 1000000000, interval % 1000000000},
                                    {ns / 1000000000, ns % 1000000000}};

    check(timer_settime(timer, flags, &spec, old) == 0);
}

static void timers_run(void)
{
    timer_t once = new_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, 77, 0);
    struct itimerspec spec;
    long began = now_ns(CLOCK_MONOTONIC);

    handle(SIGRTMIN, take, 0);
    taken = 0;
    check(timer_gettime(once, &spec) == 0 && spec.it_value.tv_sec == 0 &&
          spec.it_value.tv_nsec == 0);
    set(once, 0, 5 * MS, 0, NULL);
    check(timer_gettime(once, &spec) == 0 && spec.it_value.tv_nsec > 4 * MS &&
          spec.it_value.tv_nsec <= 5 * MS && spec.it_interval.tv_nsec == 0);
    while (taken == 0)
        wait_ms(1);
    check(now_ns(CLOCK_MONOTONIC) - began >= 5 * MS && now_ns(CLOCK_MONOTONIC) - began < 6 * MS);
    check(taken == 1 && value_taken == 77 && overrun_taken == 0);
    set(once, 0, 50 * MS, 7 * MS, NULL);
    set(once, 0, 0, 0, &spec);
    check(spec.it_value.tv_nsec > 49 * MS && spec.it_interval.tv_nsec == 7 * MS);
    began = now_ns(CLOCK_MONOTONIC);
    set(once, TIMER_ABSTIME, began + 3 * MS, 0, NULL);
    while (taken == 1)
        wait_ms(1);
    check(now_ns(CLOCK_MONOTONIC) - began >= 3 * MS && now_ns(CLOCK_MONOTONIC) - began < 4 * MS);
    set(once, TIMER_ABSTIME, began, 0, NULL);       /* in the past: at once */
    while (taken == 2)
        wait_ms(1);
    check(timer_delete(once) == 0);
    check(syscall(SYS_timer_gettime, 0, &spec) == -1 && errno == EINVAL);
}

static void overruns_are_counted(void)
{
    timer_t timer = new_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, 3, 0);
    sigset_t set_of, old;

    handle(SIGRTMIN, take, 0);
    sigemptyset(&set_of);
    sigaddset(&set_of, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set_of, &old);
    taken = 0;
    set(timer, 0, 1 * MS, 1 * MS, NULL);
    wait_ms(10);
    sigprocmask(SIG_SETMASK, &old, NULL);
    check(taken == 1);
    check(overrun_taken >= 8 && overrun_taken <= 10 &&
          timer_getoverrun(timer) == overrun_taken);
    set(timer, 0, 0, 0, NULL);
    taken = 0;
    set(timer, 0, 1 * MS, 0, NULL);
    while (taken == 0)
        wait_ms(1);
    check(overrun_taken == 0 && timer_getoverrun(timer) == 0);
    timer_delete(timer);
}

/* Two timers with one signal: each has an entry of its own in the queue. */
static void two_timers_share_a_signal(void)
{
    timer_t first = new_timer(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, 1, 0);
    timer_t second = new_timer(CLOCK_REALTIME, SIGEV_SIGNAL, SIGRTMIN, 2, 0);
    siginfo_t info;
    sigset_t set_of, old;
    int sum = 0, round;

    sigemptyset(&set_of);
    sigaddset(&set_of, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set_of, &old);
    set(first, 0, 1 * MS, 0, NULL);
    set(second, 0, 2 * MS, 0, NULL);
    wait_ms(5);
    for (round = 0; round < 2; round++)
        if (sigtimedwait(&set_of, &info, &(struct timespec){0, 0}) == SIGRTMIN)
            sum = sum * 10 + info.si_value.sival_int;
    check(sum == 12);
    check(sigtimedwait(&set_of, &info, &(struct timespec){0, MS}) == -1 && errno == EAGAIN);
    sigprocmask(SIG_SETMASK, &old, NULL);
    timer_delete(first);
    timer_delete(second);
}

static void *wait_here(void *arg)
{
    timer_t timer = new_timer(CLOCK_MONOTONIC, SIGEV_THREAD_ID, SIGRTMIN + 1, 9, gettid());

    (void)arg;
    taken = 0;
    set(timer, 0, 2 * MS, 0, NULL);
    while (taken == 0)
        wait_ms(1);
    check(taken_here == (int)gettid());
    timer_delete(timer);
    return NULL;
}

static void timers_aim_at_a_thread(void)
{
    pthread_t thread;

    handle(SIGRTMIN + 1, take, 0);
    pthread_create(&thread, NULL, wait_here, NULL);
    pthread_join(thread, NULL);
}

static volatile int notified;
static void notify(union sigval value)
{
    __atomic_fetch_add(&notified, value.sival_int, __ATOMIC_SEQ_CST);
}

static void timers_start_threads(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    timer_t timer;

    event.sigev_value.sival_int = 5;
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    set(timer, 0, 1 * MS, 1 * MS, NULL);
    while (__atomic_load_n(&notified, __ATOMIC_SEQ_CST) < 15)
        wait_ms(1);
    timer_delete(timer);
}

static void timers_refuse(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99};
    struct itimerspec spec = {{0, 0}, {0, 1000000000}};
    timer_t timer;
    int number;

    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
    check(timer_create(77, NULL, &timer) == -1 && errno == EINVAL);
    event.sigev_signo = SIGUSR1;        /* the system call itself takes it for a signal */
    event.sigev_notify = SIGEV_THREAD;
    check(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &number) == 0);
    check(syscall(SYS_timer_delete, number) == 0);
    timer = new_timer(CLOCK_MONOTONIC, SIGEV_NONE, 0, 0, 0);
    check(timer_settime(timer, 0, &spec, NULL) == -1 && errno == EINVAL);
    set(timer, 0, 1 * MS, 0, NULL);
    wait_ms(2);
    check(timer_gettime(timer, &spec) == 0 && spec.it_value.tv_nsec == 0);
    timer_delete(timer);
}

/* ---- setitimer ------------------------------------------------------------------------------- */

static void interval_timers_are_three(void)
{
    const struct itimerval soon = {{0, 0}, {0, 2000}}, late = {{3, 0}, {7, 500}}, none = {0};
    struct itimerval old;

    handle(SIGALRM, take, 0);
    taken = 0;
    check(setitimer(ITIMER_VIRTUAL, &late, NULL) == 0);
    check(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    check(getitimer(ITIMER_VIRTUAL, &old) == 0 && old.it_value.tv_sec >= 6 &&
          old.it_interval.tv_sec == 3);
    while (taken == 0)
        wait_ms(1);
    check(getitimer(ITIMER_REAL, &old) == 0 && old.it_value.tv_usec == 0);
    check(setitimer(ITIMER_VIRTUAL, &none, &old) == 0 && old.it_value.tv_sec >= 6);
    check(setitimer(5, &none, NULL) == -1 && errno == EINVAL);
    check(alarm(10) == 0 && alarm(0) == 10);
}

/* ---- timers of processor time ---------------------------------------------------------------- */

static void work_until_taken(clockid_t clock, long at_most_ms)
{
    const long end = now_ns(clock) + at_most_ms * MS;

    while (taken == 0 && now_ns(clock) < end)
        ;
}

static void processor_time_stands_while_sleeping(void)
{
    const struct itimerval soon = {{0, 0}, {0, 2000}};
    struct itimerval old;
    timer_t timer;
    long start;

    handle(SIGVTALRM, take, 0);
    taken = 0;
    start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
    wait_ms(8);
    check(taken == 0 && getitimer(ITIMER_VIRTUAL, &old) == 0 && old.it_value.tv_usec > 500);
    work_until_taken(CLOCK_PROCESS_CPUTIME_ID, 30);
    check(taken == 1 && now_ns(CLOCK_PROCESS_CPUTIME_ID) - start >= 2 * MS);
    check(getitimer(ITIMER_VIRTUAL, &old) == 0 && old.it_value.tv_usec == 0);
    handle(SIGUSR1, take, 0);
    taken = 0;
    timer = new_timer(CLOCK_THREAD_CPUTIME_ID, SIGEV_SIGNAL, SIGUSR1, 0, 0);
    set(timer, 0, 2 * MS, 0, NULL);
    wait_ms(8);
    check(taken == 0);
    work_until_taken(CLOCK_THREAD_CPUTIME_ID, 30);
    check(taken == 1);
    timer_delete(timer);
}

/* setitimer(2): ITIMER_VIRTUAL counts user code alone, ITIMER_PROF the kernel, too; getrusage(2)
 * tells them apart. */
static void kernel_time_is_not_virtual(void)
{
    const struct itimerval soon = {{0, 0}, {0, 3000}}, none = {{0, 0}, {0, 0}};
    struct itimerval user, both;
    struct rusage before, after;
    long user_us, kernel_us;

    handle(SIGVTALRM, take, 0);
    handle(SIGPROF, take, 0);
    taken = 0;
    getrusage(RUSAGE_SELF, &before);
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
    setitimer(ITIMER_PROF, &soon, NULL);
    for (int i = 0; taken == 0 && i < 1000000; i++)
        syscall(SYS_getppid);
    getrusage(RUSAGE_SELF, &after);
    setitimer(ITIMER_VIRTUAL, &none, &user);
    setitimer(ITIMER_PROF, &none, &both);
    check(taken == 1 && both.it_value.tv_usec == 0 && user.it_value.tv_usec > 500);
    user_us = after.ru_utime.tv_usec - before.ru_utime.tv_usec;
    kernel_us = after.ru_stime.tv_usec - before.ru_stime.tv_usec;
    check(after.ru_utime.tv_sec == 0 && after.ru_stime.tv_sec == 0);
    check(user_us + kernel_us >= 2990 && kernel_us > 100 && user_us > 100);
}

/* timer_getoverrun(2): the count stays at INT_MAX; periods before timer_settime are among it. */
static void overruns_end_at_the_largest_int(void)
{
    struct itimerspec spec = {{0, 1}, {0, 0}};
    timer_t timer;

    handle(SIGUSR1, take, 0);
    taken = 0;
    timer = new_timer(CLOCK_REALTIME, SIGEV_SIGNAL, SIGUSR1, 0, 0);
    clock_gettime(CLOCK_REALTIME, &spec.it_value);
    spec.it_value.tv_sec -= 100;
    timer_settime(timer, TIMER_ABSTIME, &spec, NULL);
    while (taken == 0)
        ;
    check(timer_getoverrun(timer) == 2147483647);
    timer_delete(timer);
}

/* ---- tgkill ---------------------------------------------------------------------------------- */

static volatile int is_ready, is_done;
static volatile pid_t target;

static void *be_target(void *arg)
{
    (void)arg;
    target = gettid();
    __atomic_store_n(&is_ready, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&is_done, __ATOMIC_SEQ_CST))
        wait_ms(1);
    return NULL;
}

static void signals_reach_one_thread(void)
{
    pthread_t thread;

    handle(SIGUSR1, take, 0);
    taken = 0;
    pthread_create(&thread, NULL, be_target, NULL);
    while (!__atomic_load_n(&is_ready, __ATOMIC_SEQ_CST))
        wait_ms(1);
    check(tgkill(getpid(), target, 0) == 0);
    check(tgkill(getpid(), target, SIGUSR1) == 0);
    while (taken == 0)
        wait_ms(1);
    check(taken_here == target && taken == 1);
    check(tgkill(getpid() + 5, target, SIGUSR1) == -1 && errno == ESRCH);
    check(tgkill(-1, target, SIGUSR1) == -1 && errno == EINVAL);
    check(tgkill(getpid(), target, 65) == -1 && errno == EINVAL);
    __atomic_store_n(&is_done, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    check(tgkill(getpid(), target, SIGUSR1) == -1 && errno == ESRCH);
}

/* Of real-time signals each arrives, the lowest number first, one number in order. */
static void real_time_signals_queue(void)
{
    sigset_t set_of, old;
    siginfo_t info;
    int sum = 0, i;

    sigemptyset(&set_of);
    sigaddset(&set_of, SIGRTMIN + 2);
    sigaddset(&set_of, SIGRTMIN + 3);
    sigaddset(&set_of, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set_of, &old);
    for (i = 1; i <= 3; i++) {
        sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = i + 3});
        sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = i});
        kill(getpid(), SIGUSR2);
    }
    check(sigwaitinfo(&set_of, &info) == SIGUSR2 && info.si_pid == getpid());
    for (i = 0; i < 6; i++) {
        sigwaitinfo(&set_of, &info);
        check(info.si_code == SI_QUEUE);
        sum = sum * 10 + info.si_value.sival_int;
    }
    check(sum == 123456);
    check(sigtimedwait(&set_of, &info, &(struct timespec){0, 0}) == -1 && errno == EAGAIN);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

static void wrong_clocks_are_refused(void)
{
    struct timespec soon = {0, 1};

    check(syscall(SYS_timer_getoverrun, 31) == -1 && errno == EINVAL);
    check(clock_nanosleep(99, 0, &soon, NULL) == EINVAL);
    check(syscall(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &soon, NULL) == -1 &&
          errno == EOPNOTSUPP);
}

int main(void)
{
    wrong_clocks_are_refused();
    stack_overflows();
    timers_run();
    overruns_are_counted();
    two_timers_share_a_signal();
    timers_aim_at_a_thread();
    timers_start_threads();
    timers_refuse();
    interval_timers_are_three();
    processor_time_stands_while_sleeping();
    kernel_time_is_not_virtual();
    overruns_end_at_the_largest_int();
    signals_reach_one_thread();
    real_time_signals_queue();
    return verdict();
}
