/* Priorities, affinity, clocks, epoll and poll between threads, case by case from the manual pages;
 * prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

static int order[64], ordered;
static pthread_barrier_t barrier;

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * MS}, NULL); }

static void spin_ms(long ms)
{
    long until = now_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static void pin(int hart)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(hart, &set);
    check(sched_setaffinity(0, sizeof set, &set) == 0);
}

static int policy(int kind, int priority)
{
    const struct sched_param param = {.sched_priority = priority};

    return sched_setscheduler(0, kind, &param);
}

static void say(int who)
{
    order[__atomic_fetch_add(&ordered, 1, __ATOMIC_SEQ_CST)] = who;
}

static long long said(void)
{
    long long sum = 0;
    int i;

    for (i = 0; i < ordered; i++)
        sum = sum * 10 + order[i];
    return sum;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct role { int kind, priority, number, rounds, is_yielding; };

static void *act(void *arg)
{
    const struct role *role = arg;
    int i;

    pin(0);
    check(policy(role->kind, role->priority) == 0);
    pthread_barrier_wait(&barrier);     /* from here on in the order of priorities */
    for (i = 0; i < role->rounds; i++) {
        say(role->number);
        if (role->is_yielding)
            sched_yield();
        else
            spin_ms(4);
    }
    return NULL;
}

/* All threads are on one hart; the thread that starts them has the highest priority until all
 * exist. */
static long long play(struct role *role, int roles)
{
    pthread_t thread[8];
    int i;

    ordered = 0;
    pin(0);
    check(policy(SCHED_FIFO, 50) == 0);
    pthread_barrier_init(&barrier, NULL, (unsigned)roles + 1);
    for (i = 0; i < roles; i++)
        pthread_create(&thread[i], NULL, act, &role[i]);
    pthread_barrier_wait(&barrier);
    for (i = 0; i < roles; i++)
        pthread_join(thread[i], NULL);
    check(policy(SCHED_OTHER, 0) == 0);
    return said();
}

static void higher_priorities_run_first(void)
{
    struct role role[] = {{SCHED_FIFO, 10, 1, 2, 0}, {SCHED_FIFO, 30, 3, 2, 0},
                          {SCHED_OTHER, 0, 9, 2, 0}, {SCHED_RR, 20, 2, 2, 0}};

    check(play(role, 4) == 33221199);
}

/* FIFO threads of one priority give way only when they yield; round-robin threads take turns. */
static void equal_priorities_take_turns(void)
{
    struct role fifo[] = {{SCHED_FIFO, 10, 1, 3, 0}, {SCHED_FIFO, 10, 2, 3, 0}};
    struct role yield[] = {{SCHED_FIFO, 10, 1, 3, 1}, {SCHED_FIFO, 10, 2, 3, 1}};
    struct role turns[] = {{SCHED_RR, 10, 1, 3, 0}, {SCHED_RR, 10, 2, 3, 0}};
    long long got;

    got = play(fifo, 2);
    check(got == 111222 || got == 222111);
    got = play(yield, 2);
    check(got == 121212 || got == 212121);
    got = play(turns, 2);
    check(got == 121212 || got == 212121);
}

static int wake_up;
static void *interrupt_it(void *arg)
{
    pin(0);
    check(policy(SCHED_FIFO, 40) == 0);
    while (__atomic_load_n(&wake_up, __ATOMIC_SEQ_CST) == 0) {
        pause_ms(1);
        say(4);
        if (ordered >= 20)
            break;
    }
    return arg;
}

/* A thread that a higher one interrupts stays the first of its priority. */
static void interrupted_threads_stay_first(void)
{
    struct role role[] = {{SCHED_FIFO, 10, 1, 2, 0}, {SCHED_FIFO, 10, 2, 2, 0}};
    pthread_t other;
    int i, count = 0;

    wake_up = 0;
    pthread_create(&other, NULL, interrupt_it, NULL);
    pause_ms(1);
    play(role, 2);
    __atomic_store_n(&wake_up, 1, __ATOMIC_SEQ_CST);
    pthread_join(other, NULL);
    for (i = 0; i < ordered; i++)       /* without the interruptions */
        if (order[i] != 4)
            order[count++] = order[i];
    check(count < ordered);
    ordered = count;
    check(said() == 1122 || said() == 2211);
}

static void scheduling_calls_answer(void)
{
    struct sched_param param = {.sched_priority = 5};
    struct timespec slice;

    check(sched_getscheduler(0) == SCHED_OTHER);
    check(policy(SCHED_FIFO, 0) == -1 && errno == EINVAL);
    check(policy(SCHED_OTHER, 1) == -1 && errno == EINVAL);
    check(policy(SCHED_RR, 100) == -1 && errno == EINVAL);
    check(policy(77, 0) == -1 && errno == EINVAL);
    check(sched_setscheduler(99999, SCHED_RR, &param) == -1 && errno == ESRCH);
    check(sched_setscheduler(-1, SCHED_RR, &param) == -1 && errno == EINVAL);
    check(policy(SCHED_RR, 5) == 0 && sched_getscheduler(0) == SCHED_RR);
    check(sched_getparam(0, &param) == 0 && param.sched_priority == 5);
    check(sched_rr_get_interval(0, &slice) == 0 && slice.tv_nsec > 0);
    param.sched_priority = 7;
    check(sched_setparam(0, &param) == 0 && sched_getparam(0, &param) == 0 &&
          param.sched_priority == 7);
    check(policy(SCHED_OTHER, 0) == 0);
    check(sched_get_priority_max(SCHED_FIFO) == 99 && sched_get_priority_min(SCHED_FIFO) == 1 &&
          sched_get_priority_max(SCHED_OTHER) == 0 && sched_get_priority_max(9) == -1);
}

static void affinity_moves_threads(int harts)
{
    cpu_set_t set, all;
    unsigned cpu, node;
    int hart;

    CPU_ZERO(&all);
    for (hart = 0; hart < harts; hart++)
        CPU_SET(hart, &all);
    CPU_ZERO(&set);
    check(sched_setaffinity(0, sizeof all, &all) == 0);
    check(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_EQUAL(&set, &all));
    for (hart = harts - 1; hart >= 0; hart--) {
        pin(hart);
        check(sched_getcpu() == hart);
        check(getcpu(&cpu, &node) == 0 && (int)cpu == hart && node == 0);
        pause_ms(1);
        check(sched_getcpu() == hart);
        check(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1);
    }
    CPU_ZERO(&set);
    check(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    CPU_SET(100, &set);
    check(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
    check(sched_setaffinity(99999, sizeof all, &all) == -1 && errno == ESRCH);
    check(syscall(SYS_sched_getaffinity, 0, 1, &set) == -1 && errno == EINVAL);
    check(sched_setaffinity(0, sizeof all, &all) == 0);
}

/* ---- epoll, poll, eventfd, pipes ------------------------------------------------------------- */

static int event, ends[2];

static void *write_later(void *arg)
{
    const uint64_t three = 3;

    pause_ms(2);
    check(write(event, &three, sizeof three) == 8);
    pause_ms(2);
    check(write(ends[1], "ab", 2) == 2);
    pause_ms(2);
    close(ends[1]);
    return arg;
}

static void events_arrive(void)
{
    struct epoll_event want = {.events = EPOLLIN}, got[4];
    int epoll = epoll_create1(0);
    uint64_t value;
    char text[4];
    pthread_t thread;

    event = eventfd(0, EFD_NONBLOCK);
    check(pipe(ends) == 0);
    want.data.u64 = 1;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &want) == 0);
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &want) == -1 && errno == EEXIST);
    want.data.u64 = 2;
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, ends[0], &want) == -1 && errno == ENOENT);
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &want) == 0);
    check(epoll_wait(epoll, got, 4, 0) == 0 && epoll_wait(epoll, got, 4, 1) == 0);
    check(epoll_wait(epoll, got, 0, 0) == -1 && errno == EINVAL);
    check(read(event, &value, sizeof value) == -1 && errno == EAGAIN);
    pthread_create(&thread, NULL, write_later, NULL);
    check(epoll_wait(epoll, got, 4, -1) == 1 && got[0].data.u64 == 1 && got[0].events == EPOLLIN);
    check(epoll_wait(epoll, got, 4, -1) == 1 && got[0].data.u64 == 1);      /* level */
    check(read(event, &value, sizeof value) == 8 && value == 3);
    check(epoll_wait(epoll, got, 4, 900) == 1 && got[0].data.u64 == 2);
    check(read(ends[0], text, 4) == 2 && memcmp(text, "ab", 2) == 0);
    check(epoll_wait(epoll, got, 4, 900) == 1 && got[0].data.u64 == 2 &&
          (got[0].events & EPOLLHUP) != 0);
    check(read(ends[0], text, 4) == 0);
    check(epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL) == 0);
    check(epoll_wait(epoll, got, 4, 0) == 0);
    pthread_join(thread, NULL);
    /* edge and one shot */
    want.events = EPOLLIN | EPOLLET;
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, event, &want) == 0);
    value = 1;
    check(write(event, &value, 8) == 8);
    check(epoll_wait(epoll, got, 4, 0) == 1 && epoll_wait(epoll, got, 4, 0) == 0);
    want.events = EPOLLIN | EPOLLONESHOT;
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, event, &want) == 0);
    check(epoll_wait(epoll, got, 4, 0) == 1 && epoll_wait(epoll, got, 4, 0) == 0);
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, event, &want) == 0);
    check(epoll_wait(epoll, got, 4, 0) == 1);
    close(ends[0]);
    close(epoll);
    close(event);
}

static void *count_events(void *arg)
{
    uint64_t value, sum = 0;

    while (sum < 100) {
        check(read(event, &value, sizeof value) == 8 && value == 1);
        sum += value;
    }
    return arg;
}

static void event_counts_are_semaphores(void)
{
    const uint64_t five = 5, much = UINT64_MAX - 1;
    struct pollfd poll_for;
    pthread_t thread;
    int i;

    event = eventfd(0, EFD_SEMAPHORE);
    pthread_create(&thread, NULL, count_events, NULL);
    for (i = 0; i < 20; i++)
        check(write(event, &five, sizeof five) == 8);
    pthread_join(thread, NULL);
    close(event);
    event = eventfd(0, EFD_NONBLOCK);
    check(write(event, &much, 8) == 8 && write(event, &five, 8) == -1 && errno == EAGAIN);
    poll_for = (struct pollfd){event, POLLIN | POLLOUT, 0};
    check(poll(&poll_for, 1, 0) == 1 && poll_for.revents == POLLIN);
    close(event);
}

static void *fill(void *arg)
{
    static char block[1000];
    int i;

    for (i = 0; i < 200; i++)
        check(write(ends[1], block, sizeof block) == (ssize_t)sizeof block);
    close(ends[1]);
    return arg;
}

static void pipes_fill_and_drain(void)
{
    char block[777];
    struct pollfd both[2];
    struct timespec soon = {0, MS};
    pthread_t thread;
    fd_set set;
    long sum = 0, got;

    check(pipe(ends) == 0);
    both[0] = (struct pollfd){ends[0], POLLIN, 0};
    both[1] = (struct pollfd){ends[1], POLLOUT, 0};
    check(poll(both, 2, -1) == 1 && both[0].revents == 0 && both[1].revents == POLLOUT);
    check(poll(both, 1, 1) == 0 && ppoll(both, 1, &soon, NULL) == 0);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    check(select(ends[0] + 1, &set, NULL, NULL, &(struct timeval){0, 500}) == 0 &&
          !FD_ISSET(ends[0], &set));
    pthread_create(&thread, NULL, fill, NULL);
    while (poll(both, 1, -1) == 1 && (got = read(ends[0], block, sizeof block)) > 0)
        sum += got;
    check(sum == 200000);
    pthread_join(thread, NULL);
    check(poll(both, 1, 0) == 1 && (both[0].revents & POLLHUP) != 0);
    close(ends[0]);
    both[0].fd = ends[0];
    check(poll(both, 1, 0) == 1 && both[0].revents == POLLNVAL);
    check(pipe(ends) == 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    check(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    close(ends[1]);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void *burn(void *arg)
{
    long began = now_ns(CLOCK_THREAD_CPUTIME_ID);
    clockid_t own;
    struct timespec at;

    check(began < 2 * MS);              /* of this thread alone */
    spin_ms(6);
    check(pthread_getcpuclockid(pthread_self(), &own) == 0 && clock_gettime(own, &at) == 0 &&
          at.tv_nsec >= 6 * MS && at.tv_nsec < 9 * MS);
    return arg;
}

static void processor_time_is_counted(void)
{
    struct rusage usage, all;
    long thread_before, process_before, thread_used, process_used;
    pthread_t thread;
    volatile int i;
    pid_t child;

    thread_before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    process_before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    pthread_create(&thread, NULL, burn, NULL);
    pthread_join(thread, NULL);
    pause_ms(10);                       /* sleep is no processor time */
    thread_used = now_ns(CLOCK_THREAD_CPUTIME_ID) - thread_before;
    process_used = now_ns(CLOCK_PROCESS_CPUTIME_ID) - process_before;
    check(thread_used < 2 * MS && process_used >= 6 * MS && process_used < 10 * MS);
    check(getrusage(RUSAGE_SELF, &usage) == 0);
    check(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec +
              (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 >= 6000);
    check(getrusage(RUSAGE_THREAD, &usage) == 0 && usage.ru_nvcsw + usage.ru_nivcsw > 0);
    check(getrusage(9, &usage) == -1 && errno == EINVAL);
    child = fork();
    if (child == 0) {
        spin_ms(5);
        _exit(0);
    }
    check(wait4(child, NULL, 0, &usage) == child &&
          usage.ru_utime.tv_usec + usage.ru_stime.tv_usec >= 5000);
    check(getrusage(RUSAGE_CHILDREN, &all) == 0 &&
          all.ru_utime.tv_usec + all.ru_stime.tv_usec >= 5000);
    check(all.ru_utime.tv_usec == usage.ru_utime.tv_usec);
    check(usage.ru_stime.tv_usec > usage.ru_utime.tv_usec);     /* it asked for the time */
    child = fork();
    if (child == 0) {
        for (i = 0; i < 1000000; i++)
            ;
        _exit(0);
    }
    check(wait4(child, NULL, 0, &usage) == child &&
          usage.ru_utime.tv_usec > 4 * usage.ru_stime.tv_usec);
}

/* ---- membarrier ------------------------------------------------------------------------------ */

static volatile int x, y;
static int both_zero, done;

static void *other_side(void *arg)
{
    int round;

    for (round = 0; round < 200; round++) {
        pthread_barrier_wait(&barrier);
        x = 1;
        __asm__ volatile("" : : : "memory");
        done = y;
        pthread_barrier_wait(&barrier);
    }
    return arg;
}

/* With a barrier of the whole process on one side, the other needs none. */
static void one_side_can_have_the_barrier(void)
{
    pthread_t thread;
    int round, seen;

    check((syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) &
           MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0);
    check(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
    check(syscall(SYS_membarrier, 3, 0, 0) == -1 && errno == EINVAL);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, other_side, NULL);
    for (round = 0; round < 200; round++) {
        x = y = 0;
        pthread_barrier_wait(&barrier);
        y = 1;
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        seen = x;
        pthread_barrier_wait(&barrier);
        both_zero += seen == 0 && done == 0;
    }
    pthread_join(thread, NULL);
    check(both_zero == 0);
}

int main(int argc, char **argv)
{
    scheduling_calls_answer();
    affinity_moves_threads(argc > 1 ? atoi(argv[1]) : 1);
    higher_priorities_run_first();
    equal_priorities_take_turns();
    interrupted_threads_stay_first();
    affinity_moves_threads(argc > 1 ? atoi(argv[1]) : 1);
    events_arrive();
    event_counts_are_semaphores();
    pipes_fill_and_drain();
    processor_time_is_counted();
    one_side_can_have_the_barrier();
    return verdict();
}
