/* Futexes, robust locks, threads and processes, case by case from the manual pages; prints the
 * faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

enum { WAITERS = 4 };

static uint32_t word, other;
static int awake[WAITERS];
static pid_t tid[WAITERS];

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * MS}, NULL); }

static struct timespec in_ms(clockid_t clock, long ms)
{
    long ns = now_ns(clock) + ms * MS;

    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

/* ---- waiting --------------------------------------------------------------------------------- */

struct wait { uint32_t index, bits; };

static void *wait_for_bits(void *arg)
{
    const struct wait *wait = arg;

    tid[wait->index] = gettid();
    while (futex(&word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, wait->bits) != 0)
        ;
    __atomic_store_n(&awake[wait->index], 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static int awake_now(void)
{
    int sum = 0, i;

    pause_ms(2);
    for (i = 0; i < WAITERS; i++)
        sum = sum * 10 + __atomic_load_n(&awake[i], __ATOMIC_SEQ_CST);
    return sum;
}

static void start_waiters(pthread_t *thread, struct wait *wait)
{
    uint32_t i;

    for (i = 0; i < WAITERS; i++) {
        awake[i] = 0;
        wait[i] = (struct wait){i, 1u << i};
        pthread_create(&thread[i], NULL, wait_for_bits, &wait[i]);
        pause_ms(1);                    /* they wait in this order */
    }
}

static void join(pthread_t *thread)
{
    int i;

    for (i = 0; i < WAITERS; i++)
        pthread_join(thread[i], NULL);
}

static void bits_choose_who_wakes(void)
{
    pthread_t thread[WAITERS];
    struct wait wait[WAITERS];

    start_waiters(thread, wait);
    check(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 16) == 0);
    check(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 4) == 1);
    check(awake_now() == 10);
    check(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 11) == 1);
    check(awake_now() == 1010);
    check(futex(&word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 2);
    join(thread);
    check(awake_now() == 1111);
    check(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
    check(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
}

static void waiters_move(void)
{
    pthread_t thread[WAITERS];
    struct wait wait[WAITERS];

    start_waiters(thread, wait);
    check(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)2, &other, 5) == -1 &&
          errno == EAGAIN);
    check(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)2, &other, 0) == 3);
    check(awake_now() == 1000);
    check(futex(&other, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 2);
    check(awake_now() == 1110);
    check(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)9, &other, 0) == 1);
    check(futex(&word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 0);
    check(futex(&other, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 1);
    join(thread);
    check(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, -1u, (void *)1, &other, 0) == -1 &&
          errno == EINVAL);
}

static void one_call_wakes_two(void)
{
    pthread_t thread[WAITERS];
    struct wait wait[WAITERS];

    start_waiters(thread, wait);
    check(futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)2, &other, 0) == 2);
    other = 5;      /* += 3; wake there if it was 5 */
    check(futex(&word, FUTEX_WAKE_OP_PRIVATE, 9, (void *)1, &other,
                FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5)) == 3 && other == 8);
    check(awake_now() == 1011);
    check(futex(&word, FUTEX_WAKE_OP_PRIVATE, 9, (void *)1, &other,
                FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_LT, 8)) == 0 && other == 0);
    check(futex(&other, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 1);
    join(thread);
}

static void waits_end_in_time(void)
{
    const struct timespec three = {0, 3 * MS}, bad = {0, 1000000000};
    struct timespec at;
    long began = now_ns(CLOCK_MONOTONIC), took;

    check(futex(&word, FUTEX_WAIT_PRIVATE, 0, &three, NULL, 0) == -1 && errno == ETIMEDOUT);
    took = now_ns(CLOCK_MONOTONIC) - began;
    check(took >= 3 * MS && took < 4 * MS);
    at = in_ms(CLOCK_MONOTONIC, 3);
    began = now_ns(CLOCK_MONOTONIC);
    check(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &at, NULL, ~0u) == -1 && errno == ETIMEDOUT);
    took = now_ns(CLOCK_MONOTONIC) - began;
    check(took >= 2 * MS && took < 4 * MS);
    at = in_ms(CLOCK_REALTIME, 3);
    began = now_ns(CLOCK_MONOTONIC);
    check(futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &at, NULL, ~0u) ==
              -1 && errno == ETIMEDOUT);
    took = now_ns(CLOCK_MONOTONIC) - began;
    check(took >= 2 * MS && took < 4 * MS);
    at = (struct timespec){0, 0};
    check(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &at, NULL, ~0u) == -1 && errno == ETIMEDOUT);
    check(futex(&word, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0) == -1 && errno == EINVAL);
    check(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == -1 && errno == EAGAIN);
    check(futex((uint32_t *)((char *)&word + 1), FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 &&
          errno == EINVAL);
    check(futex((uint32_t *)8, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 && errno == EFAULT);
    check(futex(&word, 77, 0, NULL, NULL, 0) == -1 && errno == ENOSYS);
}

/* ---- robust locks ---------------------------------------------------------------------------- */

static void *die_with(void *arg)
{
    pthread_mutex_lock(arg);
    pause_ms(2);
    return arg;
}

static pthread_mutex_t *new_robust(int is_shared)
{
    pthread_mutex_t *lock = mmap(NULL, sizeof *lock, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attribute;

    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attribute, is_shared);
    pthread_mutex_init(lock, &attribute);
    return lock;
}

static void locks_of_the_dead_are_told(void)
{
    pthread_mutex_t *lock = new_robust(PTHREAD_PROCESS_PRIVATE);
    struct timespec soon = in_ms(CLOCK_REALTIME, 900);
    pthread_t thread;
    pid_t child;

    pthread_create(&thread, NULL, die_with, lock);
    pause_ms(1);
    check(pthread_mutex_timedlock(lock, &soon) == EOWNERDEAD);      /* waits while it dies */
    check(pthread_mutex_consistent(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    check(pthread_mutex_lock(lock) == 0 && pthread_mutex_unlock(lock) == 0);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, die_with, lock);
    pthread_join(thread, NULL);
    check(pthread_mutex_trylock(lock) == EOWNERDEAD && pthread_mutex_unlock(lock) == 0);
    check(pthread_mutex_lock(lock) == ENOTRECOVERABLE);
    lock = new_robust(PTHREAD_PROCESS_SHARED);
    child = fork();
    if (child == 0) {
        pthread_mutex_lock(lock);
        pause_ms(3);
        raise(SIGKILL);
    }
    pause_ms(1);
    soon = in_ms(CLOCK_REALTIME, 900);
    check(pthread_mutex_timedlock(lock, &soon) == EOWNERDEAD);
    waitpid(child, NULL, 0);
}

/* ---- threads and processes ------------------------------------------------------------------- */

static void clone3_makes_a_process(void)
{
    struct clone_args args = {.flags = CLONE_CHILD_SETTID | CLONE_PARENT_SETTID,
                              .exit_signal = SIGCHLD};
    volatile pid_t in_child = 0, in_parent = 0;
    int status;
    long child;

    args.child_tid = (uint64_t)&in_child;
    args.parent_tid = (uint64_t)&in_parent;
    child = syscall(SYS_clone3, &args, sizeof args);
    if (child == 0)
        _exit(in_child == (pid_t)syscall(SYS_gettid) ? 41 : 1);
    check(in_parent == child && in_child == 0);
    check(waitpid((pid_t)child, &status, 0) == child && WEXITSTATUS(status) == 41);
    check(syscall(SYS_clone3, &args, 8) == -1 && errno == EINVAL);
    check(syscall(SYS_clone3, (void *)8, sizeof args) == -1 && errno == EFAULT);
    args.flags = CLONE_THREAD;
    check(syscall(SYS_clone3, &args, sizeof args) == -1 && errno == EINVAL);
    args.flags = CLONE_SIGHAND;
    check(syscall(SYS_clone3, &args, sizeof args) == -1 && errno == EINVAL);
}

static pid_t child_of_group(pid_t group, int code)
{
    pid_t child = fork();

    if (child == 0) {
        pause_ms(code);
        _exit(code);
    }
    setpgid(child, group);
    return child;
}

static void groups_are_waited_for(void)
{
    pid_t a = child_of_group(0, 9), b = child_of_group(a, 7), c = child_of_group(0, 1), d;
    int status;
    siginfo_t info;

    check(getpgid(a) == a && getpgid(b) == a && getpgid(c) == c && getpgid(0) == getpgrp());
    check(waitpid(-a, &status, 0) == b && WEXITSTATUS(status) == 7);
    check(waitid(P_PID, (id_t)c, &info, WEXITED | WNOWAIT) == 0 && info.si_status == 1 &&
          info.si_code == CLD_EXITED);
    check(waitpid(0, &status, WNOHANG) == -1 && errno == ECHILD);
    check(waitpid(-1, &status, 0) == c && WEXITSTATUS(status) == 1);
    check(waitpid(-1, &status, 0) == a && WEXITSTATUS(status) == 9);
    check(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    a = child_of_group(0, 500);
    b = child_of_group(a, 500);
    d = child_of_group(0, 2);
    check(kill(-a, SIGTERM) == 0);
    check(waitpid(-a, &status, 0) > 0 && WTERMSIG(status) == SIGTERM);
    check(waitpid(-a, &status, 0) > 0 && WTERMSIG(status) == SIGTERM);
    check(kill(-a, 0) == -1 && errno == ESRCH);
    check(waitpid(d, &status, 0) == d && WEXITSTATUS(status) == 2);
}

static void children_stop_and_go_on(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        pause_ms(4);
        _exit(3);
    }
    check(kill(child, SIGSTOP) == 0);
    check(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) &&
          WSTOPSIG(status) == SIGSTOP);
    pause_ms(5);
    check(waitpid(child, &status, WNOHANG) == 0);
    check(kill(child, SIGCONT) == 0);
    check(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}

/* A page is the writer's own from the first store on; bytes that no process wrote stay
 * unchanged. */
static void pages_are_copied(void)
{
    enum { PAGES = 16 };
    static int cell[PAGES][1024];
    int ends[2], i, sum = 0, status;
    pid_t child[3];

    for (i = 0; i < PAGES; i++)
        cell[i][0] = i;
    check(pipe(ends) == 0);
    for (i = 0; i < 3; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            int k, total = 0;

            for (k = i; k < PAGES; k += 3)
                cell[k][0] += 100 * (i + 1);
            for (k = 0; k < PAGES; k++)
                total += cell[k][0];
            check(write(ends[1], &total, sizeof total) == (ssize_t)sizeof total);
            _exit(total % 100);
        }
    }
    for (i = 0; i < 3; i++) {
        int total = 0;

        check(read(ends[0], &total, sizeof total) == (ssize_t)sizeof total);
        sum += total;
        check(waitpid(child[i], &status, 0) == child[i] && WEXITSTATUS(status) == 20);
    }
    check(sum == 3 * 120 + 6 * 100 + 5 * 200 + 5 * 300);
    for (i = 0; i < PAGES; i++)
        check(cell[i][0] == i);
}

/* ---- C11 threads, readers and writers -------------------------------------------------------- */

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int begun, freed, turns;

static void begin(void) { begun++; }
static void drop(void *value) { __atomic_fetch_add(&freed, (int)(long)value, __ATOMIC_SEQ_CST); }

static int run_c11(void *arg)
{
    int id = (int)(long)arg;

    call_once(&once, begin);
    tss_set(key, (void *)(long)(id + 1));
    mtx_lock(&mutex);
    while (turns != id)
        cnd_wait(&changed, &mutex);
    turns++;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
    thrd_yield();
    return id * 3;
}

static void c11_threads_work(void)
{
    thrd_t thread[WAITERS];
    struct timespec soon;
    int i, result, sum = 0;

    check(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&changed) == thrd_success &&
          tss_create(&key, drop) == thrd_success);
    for (i = WAITERS - 1; i >= 0; i--)
        thrd_create(&thread[i], run_c11, (void *)(long)i);
    for (i = 0; i < WAITERS; i++) {
        check(thrd_join(thread[i], &result) == thrd_success);
        sum += result;
    }
    check(begun == 1 && turns == WAITERS && sum == 18 && freed == 10);
    soon = in_ms(CLOCK_REALTIME, 2);
    mtx_lock(&mutex);
    check(cnd_timedwait(&changed, &mutex, &soon) == thrd_timedout);
    check(thrd_sleep(&(struct timespec){0, MS}, NULL) == 0);
}

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static int readers, most, inside, written;

static void *read_or_write(void *arg)
{
    int round, now;

    for (round = 0; round < 20; round++) {
        if ((round + (int)(long)arg) % 4 == 0) {
            pthread_rwlock_wrlock(&shared);
            check(inside == 0 && readers == 0);
            inside = 1;
            written++;
            thrd_yield();
            inside = 0;
        } else {
            pthread_rwlock_rdlock(&shared);
            now = __atomic_add_fetch(&readers, 1, __ATOMIC_SEQ_CST);
            check(inside == 0);
            if (now > most)
                most = now;
            thrd_yield();
            __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
        }
        pthread_rwlock_unlock(&shared);
    }
    return NULL;
}

static void readers_share_and_writers_do_not(void)
{
    struct timespec soon = in_ms(CLOCK_REALTIME, 2);
    pthread_t thread[8];
    long i;

    for (i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, read_or_write, (void *)i);
    for (i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    check(written == 40 && most > 1);
    pthread_rwlock_rdlock(&shared);
    check(pthread_rwlock_timedwrlock(&shared, &soon) == ETIMEDOUT);
    check(pthread_rwlock_tryrdlock(&shared) == 0);
}

/* futex(2): EFAULT, where memory of a shared mapping is beyond the end of its file. */
static void a_word_beyond_its_file_is_none(void)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    size_t bytes = ((size_t)lseek(fd, 0, SEEK_END) / 4096 + 2) * 4096;
    char *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    check(futex((uint32_t *)(void *)map, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
    check(futex((uint32_t *)(void *)(map + bytes - 4096), FUTEX_WAKE, 1, NULL, NULL, 0) == -1 &&
          errno == EFAULT);
    munmap(map, bytes);
    close(fd);
}

int main(void)
{
    a_word_beyond_its_file_is_none();
    bits_choose_who_wakes();
    waiters_move();
    one_call_wakes_two();
    waits_end_in_time();
    locks_of_the_dead_are_told();
    clone3_makes_a_process();
    groups_are_waited_for();
    children_stop_and_go_on();
    pages_are_copied();
    c11_threads_work();
    readers_share_and_writers_do_not();
    return verdict();
}
