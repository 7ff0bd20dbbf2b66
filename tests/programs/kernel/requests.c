/* Attributes of threads, parents of processes, and the requests that the kernel refuses, case by
 * case from the manual pages; says what went wrong, else "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manual.h"

/* sched_setattr(2) */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period, more;
};

static long set_attributes(struct attributes *attributes, unsigned flags)
{
    return syscall(SYS_sched_setattr, 0, attributes, flags);
}

static void attributes_are_kept(void)
{
    struct attributes set = {.size = 48, .policy = SCHED_RR, .priority = 7}, got = {0};

    check(syscall(SYS_sched_getattr, 0, &got, 48, 0) == 0);
    check(got.size == 48 && got.policy == SCHED_NORMAL && got.priority == 0 && got.nice == 0);
    check(set_attributes(&set, 0) == 0 && syscall(SYS_sched_getscheduler, 0) == SCHED_RR);
    check(syscall(SYS_sched_getattr, 0, &got, 56, 0) == 0);
    check(got.policy == SCHED_RR && got.priority == 7);
    set = (struct attributes){.size = 48, .policy = SCHED_NORMAL, .nice = 3};
    check(set_attributes(&set, 0) == 0 && getpriority(PRIO_PROCESS, 0) == 3);
    set.nice = 0;
    check(set_attributes(&set, 0) == 0 && getpriority(PRIO_PROCESS, 0) == 0);
    check(set_attributes(&set, 1) == -1 && errno == EINVAL);
    check(set_attributes(NULL, 0) == -1 && errno == EINVAL);
    set.policy = 99;
    check(set_attributes(&set, 0) == -1 && errno == EINVAL);
    set.size = 8;
    check(set_attributes(&set, 0) == -1 && errno == E2BIG);
    check(syscall(SYS_sched_getattr, 0, &got, 8, 0) == -1 && errno == EINVAL);
    check(syscall(SYS_sched_getattr, 4000000, &got, 48, 0) == -1 && errno == ESRCH);
    check(syscall(SYS_sched_get_priority_max, SCHED_DEADLINE) == 0);
    check(syscall(SYS_sched_get_priority_max, 7) == -1 && errno == EINVAL);
    check(syscall(SYS_sched_setscheduler, 4000000, SCHED_FIFO, 8) == -1 && errno == EFAULT);
}

/* A futex that other processes may share is looked for in memory, a private one by its address. */
static void shared_words_are_readable(void)
{
    uint32_t *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t word = 5;

    check(futex(hidden, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EFAULT);
    check(futex(hidden, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) == 0);
    check(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, hidden, word) == -1 && errno == EFAULT);
    munmap(hidden, 4096);
    check(futex(hidden, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EFAULT);
}

/* The child's child is a child of this process, which waits for it. */
static void siblings_are_children(void)
{
    pid_t child = fork(), sibling;
    int status;

    if (child == 0) {
        pid_t parent = getppid();

        sibling = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (sibling == 0)
            _exit(getppid() == parent ? 7 : 8);
        _exit(sibling > 0 && waitpid(-1, &status, 0) == -1 && errno == ECHILD ? 6 : 9);
    }
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 6);
    check(waitpid(-1, &status, 0) > 0 && WEXITSTATUS(status) == 7);
    check(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
    check(syscall(SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0) == -1);
}

/* A structure that is larger than the kernel's may have zeros there, and nothing else. */
static void larger_requests_are_read(void)
{
    uint64_t request[12] = {[4] = SIGCHLD};
    int status;
    pid_t child = (pid_t)syscall(SYS_clone3, request, sizeof request);

    if (child == 0)
        _exit(3);
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    request[11] = 1;
    check(syscall(SYS_clone3, request, sizeof request) == -1 && errno == E2BIG);
    check(syscall(SYS_clone3, request, 8192) == -1 && errno == E2BIG);
}

/* proc_pid_stat(5): number, name, state, parent, group, ... number of threads. */
static char state_of(pid_t pid, int *parent, long *threads)
{
    char path[32], state = 0, rest[256];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d (%*[^)]) %c %d", &state, parent) != 2 &&
        fscanf(file, ") %c %d", &state, parent) != 2)
        state = 0;
    if (fgets(rest, sizeof rest, file) == NULL ||
        sscanf(rest, " %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld",
               threads) != 1)
        state = 0;
    fclose(file);
    return state;
}

/* proc_pid_status(5), proc_pid_task(5): of a process and of one of its threads. */
static void *see_itself(void *arg)
{
    char path[64], line[128];
    int rows = 0, tid = (int)syscall(SYS_gettid);
    FILE *file;

    prctl(PR_SET_NAME, "other");
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        rows += strcmp(line, "Name:\tother\n") == 0 ||
                strcmp(line, "State:\tR (running)\n") == 0 ||
                strcmp(line, "Threads:\t2\n") == 0;
        snprintf(path, sizeof path, "Pid:\t%d\n", tid);
        rows += strcmp(line, path) == 0;
        snprintf(path, sizeof path, "Tgid:\t%d\n", (int)getpid());
        rows += strcmp(line, path) == 0;
    }
    check(rows == 5);
    check(file != NULL && fclose(file) == 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)getpid(), tid);
    file = fopen(path, "r");
    check(file != NULL && fgets(line, sizeof line, file) != NULL &&
          strcmp(line, "other\n") == 0 && fclose(file) == 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)getppid(), tid);
    check(fopen(path, "r") == NULL && errno == ENOENT);
    check(fopen("/proc/self/task/1/stat", "r") == NULL && errno == ENOENT);
    return arg;
}

static void threads_are_told(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, see_itself, NULL);
    pthread_join(thread, NULL);
}

static void states_are_told(void)
{
    int parent = 0, i;
    long threads = 0;
    pid_t child;

    check(state_of(getpid(), &parent, &threads) == 'R' && parent == getppid() && threads == 1);
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    for (i = 0; i < 1000 && state_of(child, &parent, &threads) != 'S'; i++)
        usleep(100);
    check(state_of(child, &parent, &threads) == 'S' && parent == getpid());
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    check(state_of(child, &parent, &threads) == 'T');
    kill(child, SIGKILL);
    waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
    check(state_of(child, &parent, &threads) == 'Z');
    waitpid(child, NULL, 0);
    check(state_of(child, &parent, &threads) == 0 && errno == ENOENT);
}

int main(void)
{
    states_are_told();
    threads_are_told();
    attributes_are_kept();
    shared_words_are_readable();
    siblings_are_children();
    larger_requests_are_read();
    return verdict();
}
