/* random_threads SEED: threads with operations drawn from the seed: locks, condition variables,
 * barriers, semaphores, signals, children, ends at odd moments. Their sums do not depend on their
 * order. Built with -DEXPECTED it draws the same operations, without any thread, and prints the
 * sums that are due. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 12, ROUNDS = 6, STEPS = 5, LOCKS = 3,
       LOCK, TRY, WRITE, READ, PASS, SIGNAL, CHILD, SLEEP, YIELD, WORK, MAP, ACTS };

struct plan {
    unsigned threads, rounds;
    unsigned last[THREADS];             /* the round after which a thread ends */
    struct { unsigned act, to; uint32_t value; } step[THREADS][ROUNDS][STEPS];
};

static struct plan plan;
static uint64_t random_state, sums[ACTS];

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

static void make_plan(uint64_t seed)
{
    unsigned i, round, step;

    random_state = seed * 2 + 1;
    plan.threads = 2 + draw(THREADS - 1);
    plan.rounds = 2 + draw(ROUNDS - 1);
    for (i = 0; i < plan.threads; i++) {
        plan.last[i] = draw(3) == 0 ? draw(plan.rounds) : plan.rounds - 1;
        for (round = 0; round < plan.rounds; round++)
            for (step = 0; step < STEPS; step++) {
                unsigned act = LOCK + draw(ACTS - LOCK);

                plan.step[i][round][step].act = act == CHILD && draw(3) != 0 ? WORK : act;
                plan.step[i][round][step].to = draw(plan.threads);
                plan.step[i][round][step].value = 1 + draw(99);
            }
    }
}

/* A thread that has ended takes no signal: then no thread gets it. */
static int is_counted(unsigned act, unsigned to, unsigned round)
{
    return act < SLEEP && (act != SIGNAL || plan.last[to] >= round);
}

static void print_sums(void)
{
    unsigned act;

    for (act = LOCK; act < SLEEP; act++)
        printf("%llu ", (unsigned long long)sums[act]);
    puts("");
}

#ifdef EXPECTED

int main(int argc, char **argv)
{
    unsigned i, round, step;

    make_plan(argc > 1 ? strtoull(argv[1], NULL, 10) : 0);
    for (i = 0; i < plan.threads; i++)
        for (round = 0; round <= plan.last[i]; round++)
            for (step = 0; step < STEPS; step++)
                if (is_counted(plan.step[i][round][step].act, plan.step[i][round][step].to, round))
                    sums[plan.step[i][round][step].act] += plan.step[i][round][step].value;
    print_sums();
    return 0;
}

#else

static pthread_mutex_t lock[LOCKS], gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t taken[THREADS], tokens[THREADS];
static uint64_t locked[LOCKS], written;
static unsigned arrived, round_now;
static pthread_t thread[THREADS];

static void add(unsigned act, uint64_t value)
{
    __atomic_fetch_add(&sums[act], value, __ATOMIC_RELAXED);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ;
}

static unsigned living(unsigned round)
{
    unsigned i, number = 0;

    for (i = 0; i < plan.threads; i++)
        number += plan.last[i] >= round;
    return number;
}

/* The value names the sender, who waits until its signal has been taken. */
static void take(int signo, siginfo_t *info, void *context)
{
    int err = errno;

    (void)signo;
    (void)context;
    add(SIGNAL, (uint64_t)info->si_value.sival_int & 0xff);
    sem_post(&taken[info->si_value.sival_int >> 8]);
    errno = err;
}

static void send(unsigned from, unsigned to, uint32_t value)
{
    const union sigval word = {.sival_int = (int)(from << 8 | value)};

    while (pthread_sigqueue(thread[to], SIGRTMIN, word) == EAGAIN)
        sched_yield();
    wait_for(&taken[from]);
}

static void bear_child(uint32_t value)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit((int)value);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    add(CHILD, (uint64_t)WEXITSTATUS(status));
}

static void touch_page(uint32_t value)
{
    volatile char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                               0);

    page[0] = page[4096] = (char)value;
    munmap((void *)page, 8192);
}

static void do_locked(unsigned act, unsigned which, uint32_t value)
{
    if (act == LOCK)
        pthread_mutex_lock(&lock[which]);
    else
        while (pthread_mutex_trylock(&lock[which]) != 0)
            sched_yield();
    locked[which] += value;             /* not atomic: the lock is */
    pthread_mutex_unlock(&lock[which]);
    add(act, value);
}

static void do_shared(unsigned act, uint32_t value)
{
    if (act == WRITE) {
        pthread_rwlock_wrlock(&shared);
        written += value;
    } else {
        pthread_rwlock_rdlock(&shared);
    }
    pthread_rwlock_unlock(&shared);
    add(act, value);
}

static void act(unsigned self, unsigned round, unsigned step)
{
    unsigned to = plan.step[self][round][step].to, what = plan.step[self][round][step].act;
    uint32_t value = plan.step[self][round][step].value, i;
    volatile uint32_t work = 0;

    switch (what) {
    case LOCK: case TRY: do_locked(what, to % LOCKS, value); break;
    case WRITE: case READ: do_shared(what, value); break;
    case PASS: sem_post(&tokens[to]); wait_for(&tokens[to]); add(PASS, value); break;
    case SIGNAL: if (is_counted(SIGNAL, to, round)) send(self, to, value); break;
    case CHILD: bear_child(value); break;
    case SLEEP: nanosleep(&(struct timespec){0, value * 700}, NULL); break;
    case YIELD: sched_yield(); break;
    case MAP: touch_page(value); break;
    default:
        for (i = 0; i < value * 20; i++)
            work += i;
        break;
    }
}

/* All that still live meet at the end of a round. */
static void meet(unsigned round)
{
    pthread_mutex_lock(&gate);
    if (++arrived == living(round)) {
        arrived = 0;
        round_now = round + 1;
        pthread_cond_broadcast(&opened);
    }
    while (round_now == round)
        pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
}

static void *live(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg, round, step;

    pthread_mutex_lock(&gate);          /* until all have a number in `thread` */
    pthread_mutex_unlock(&gate);
    for (round = 0; round <= plan.last[self]; round++) {
        for (step = 0; step < STEPS; step++)
            act(self, round, step);
        meet(round);
    }
    if (self % 2 != 0)
        pthread_exit(arg);
    return arg;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART};
    uint64_t all = 0;
    unsigned i;

    make_plan(argc > 1 ? strtoull(argv[1], NULL, 10) : 0);
    sigaction(SIGRTMIN, &action, NULL);
    for (i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    pthread_mutex_lock(&gate);
    for (i = 0; i < plan.threads; i++) {
        sem_init(&taken[i], 0, 0);
        sem_init(&tokens[i], 0, 0);
    }
    for (i = 0; i < plan.threads; i++)
        pthread_create(&thread[i], NULL, live, (void *)(uintptr_t)i);
    pthread_mutex_unlock(&gate);
    for (i = 0; i < plan.threads; i++)
        pthread_join(thread[i], NULL);
    for (i = 0; i < LOCKS; i++)
        all += locked[i];
    if (all != sums[LOCK] + sums[TRY] || written != sums[WRITE])
        puts("a lock let two in");
    print_sums();
    return 0;
}

#endif
