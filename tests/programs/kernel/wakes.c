/* Wake-ups that must not be lost: of a thread that something else has made ready at the same time,
 * and by a process that ends; and the turn of a thread that waits for its hart. Prints the faults,
 * or "right". */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "manual.h"

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * MS}, NULL); }

/* ---- futexes --------------------------------------------------------------------------------- */

static uint32_t word;
static pid_t waiter;

static void ignore(int signo) { (void)signo; }

static void *wait_once(void *arg)
{
    const struct timespec two = {0, 2 * MS};

    waiter = gettid();
    return (void *)(futex(&word, FUTEX_WAIT_PRIVATE, 0, arg == NULL ? NULL : &two, NULL, 0) == 0
                        ? 0 : (long)errno);
}

/* futex(2): the result is 0 if FUTEX_WAKE woke the thread. FUTEX_WAKE says whether it woke a
 * thread, even if a signal or the end of its time has made that thread ready before. */
static void who_is_woken_says_so(void)
{
    const struct sigaction action = {.sa_handler = ignore};
    pthread_t thread;
    void *result;
    long woken, until;

    sigaction(SIGUSR2, &action, NULL);
    pthread_create(&thread, NULL, wait_once, NULL);
    pause_ms(1);
    tgkill(getpid(), waiter, SIGUSR2);
    woken = futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(thread, &result);
    check((long)result == (woken == 1 ? 0 : EINTR));
    pthread_create(&thread, NULL, wait_once, &word);
    pause_ms(1);
    for (until = now_ns(CLOCK_MONOTONIC) + 3 * MS / 2; now_ns(CLOCK_MONOTONIC) < until;)
        ;
    woken = futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(thread, &result);
    check((long)result == (woken == 1 ? 0 : ETIMEDOUT));
}

/* set_robust_list(2): a process that ends between giving a lock back and waking its waiter has
 * named the lock as pending; the kernel wakes in its place. */
static void a_wake_up_that_the_dead_owed_is_made(void)
{
    struct lock { struct robust_list link; uint32_t word; };
    struct lock *lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct robust_list_head head = {.list = {&head.list}, .list_op_pending = &lock->link,
                                    .futex_offset = offsetof(struct lock, word)};
    const struct timespec long_time = {0, 500 * MS};
    pid_t child = fork();

    if (child == 0) {
        syscall(SYS_set_robust_list, &head, sizeof head);
        pause_ms(2);
        _exit(0);
    }
    check(futex(&lock->word, FUTEX_WAIT, 0, &long_time, NULL, 0) == 0);
    waitpid(child, NULL, 0);
    munmap(lock, 4096);
}

/* ---- turns ----------------------------------------------------------------------------------- */

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

static volatile int is_turn;

static void *take_part(void *arg)
{
    const int kind = *(const int *)arg;
    int i;

    pin(1);
    if (kind == SCHED_OTHER) {
        while (!is_turn)
            ;
        return arg;
    }
    check(policy(SCHED_RR, 5) == 0);
    for (i = 0; i < 20000000 && !is_turn; i++)
        ;
    is_turn = 1;
    return i < 20000000 ? NULL : arg;
}

static void *come_last(void *arg)
{
    check(policy(SCHED_RR, 5) == 0);
    pin(1);
    is_turn = 1;
    return arg;
}

/* sched(7): SCHED_RR threads of one priority take turns, whatever threads of lower priority
 * wait. */
static void turns_are_taken_on_another_hart(void)
{
    static const int kinds[2] = {SCHED_OTHER, SCHED_RR};
    pthread_t thread[3];
    void *result = NULL;
    int i;

    pin(0);
    for (i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, take_part, (void *)&kinds[i]);
        pause_ms(2);
    }
    pause_ms(20);                       /* the earlier slices are over */
    pthread_create(&thread[2], NULL, come_last, NULL);
    pthread_join(thread[1], &result);
    check(result == NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[2], NULL);
}

int main(int argc, char **argv)
{
    who_is_woken_says_so();
    a_wake_up_that_the_dead_owed_is_made();
    if (argc > 1 && atoi(argv[1]) > 1)
        turns_are_taken_on_another_hart();
    return verdict();
}
