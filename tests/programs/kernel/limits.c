/* Resource limits, case by case from getrlimit(2); prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

static int set(int resource, rlim_t soft, rlim_t hard)
{
    return setrlimit(resource, &(struct rlimit){soft, hard});
}

static void general(void)
{
    struct rlimit limit, old;

    check(set(RLIMIT_AS, 2, 1) == -1 && errno == EINVAL);
    getrlimit(RLIMIT_NOFILE, &limit);
    check(limit.rlim_cur == 1024 && limit.rlim_max >= 16384);
    check(set(RLIMIT_NOFILE, 10, limit.rlim_max + 1) == -1 && errno == EPERM);
    check(set(100, 1, 1) == -1 && errno == EINVAL);
    check(prlimit(0, RLIMIT_MSGQUEUE, &(struct rlimit){5, 6}, &old) == 0 &&
          old.rlim_cur == RLIM_INFINITY && getrlimit(RLIMIT_MSGQUEUE, &limit) == 0 &&
          limit.rlim_cur == 5 && limit.rlim_max == 6);
}

static int count_open(void)
{
    int fd, last = -1;

    while ((fd = open("/dev/null", O_RDONLY)) >= 0)
        last = fd;
    return last;
}

static void descriptors(void)
{
    int ends[2], fd;

    set(RLIMIT_NOFILE, 20, 16384);
    check(count_open() == 19 && errno == EMFILE);
    check(pipe(ends) == -1 && errno == EMFILE);
    check(dup2(0, 20) == -1 && errno == EBADF);
    check(fcntl(0, F_DUPFD, 20) == -1 && errno == EINVAL);
    close_range(3, ~0u, 0);
    fd = open("/dev/null", O_RDONLY);
    set(RLIMIT_NOFILE, 4, 16384);
    check(fd == 3 && read(fd, ends, 1) == 0);
    close(fd);
    set(RLIMIT_NOFILE, 16384, 16384);
    for (fd = 0; pipe(ends) == 0; fd++)
        ;
    check(fd == (16384 - 3) / 2 && errno == EMFILE);
    check(write(16382, "x", 1) == 1 && read(16381, ends, 1) == 1);
    close_range(3, ~0u, 0);
    check(pipe(ends) == 0 && ends[0] == 3);
    close_range(3, ~0u, 0);
    set(RLIMIT_NOFILE, 64, 16384);
    if (fork() == 0)
        _exit(count_open());
    wait(&fd);
    check(WEXITSTATUS(fd) == 63);
}

static void address_space(void)
{
    struct rlimit limit;
    char *more, *place = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    getrlimit(RLIMIT_AS, &limit);
    set(RLIMIT_AS, 32 << 20, limit.rlim_max);
    check(mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
                                            -1, 0) == MAP_FAILED && errno == ENOMEM);
    more = mmap(NULL, 4 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(more != MAP_FAILED);
    check(mremap(place, 1 << 20, 64 << 20, MREMAP_MAYMOVE) == MAP_FAILED &&
          errno == ENOMEM);
    check(sbrk(64 << 20) == (void *)-1 && errno == ENOMEM);
    set(RLIMIT_AS, RLIM_INFINITY, limit.rlim_max);
    check(sbrk(64 << 20) != (void *)-1);
    munmap(more, 4 << 20);
}

static int deep(int levels)
{
    volatile char space[4096];

    space[0] = (char)levels;
    return levels == 0 ? space[0] : deep(levels - 1) + space[0] * 0;
}

static int status_of(void (*run)(void))
{
    int status;

    if (fork() == 0) {
        run();
        _exit(0);
    }
    wait(&status);
    return status;
}

static void low_stack(void)
{
    set(RLIMIT_STACK, 256 << 10, 8 << 20);
    deep(100);
}

static void high_stack(void)
{
    set(RLIMIT_STACK, 1 << 20, 8 << 20);
    deep(100);
}

static volatile sig_atomic_t exceeded;

static void note_time(int signo)
{
    exceeded += signo == SIGXCPU;
    if (exceeded == 3)
        _exit(3);
}

static void spend(void)
{
    set(RLIMIT_CPU, 1, RLIM_INFINITY);
    signal(SIGXCPU, note_time);
    for (;;)
        ;
}

static void spend_all(void)
{
    signal(SIGXCPU, SIG_IGN);
    set(RLIMIT_CPU, 1, 2);
    for (;;)
        ;
}

static void spend_default(void)
{
    set(RLIMIT_CPU, 1, 2);
    for (;;)
        ;
}

static double spent_by(void (*run)(void), int *status)
{
    struct timespec from, to;

    clock_gettime(CLOCK_MONOTONIC, &from);
    *status = status_of(run);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static void processor_time(void)
{
    int status;
    double spent = spent_by(spend, &status);

    check(WIFEXITED(status) && WEXITSTATUS(status) == 3 && spent > 2.9 &&
          spent < 3.2);
    spent = spent_by(spend_all, &status);
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
          spent > 1.9 && spent < 2.2);
    spent = spent_by(spend_default, &status);
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU &&
          spent > 0.9 && spent < 1.2);
}

/* ---- files, data, threads -------------------------------------------------------------------- */

static int too_large;

static void note_too_large(int signal)
{
    (void)signal;
    too_large++;
}

static void file_sizes(void)
{
    char name[] = "limit-XXXXXX", bytes[100] = "";
    int fd = mkstemp(name), ends[2];

    unlink(name);
    signal(SIGXFSZ, note_too_large);
    set(RLIMIT_FSIZE, 150, RLIM_INFINITY);
    check(fd >= 0 && write(fd, bytes, 100) == 100 && write(fd, bytes, 100) == 50 &&
          too_large == 0);
    check(write(fd, bytes, 1) == -1 && errno == EFBIG && too_large == 1);
    check(pwrite(fd, bytes, 10, 145) == 5 && lseek(fd, 0, SEEK_SET) == 0 &&
          write(fd, bytes, 100) == 100);
    check(ftruncate(fd, 151) == -1 && errno == EFBIG && too_large == 2);
    check(ftruncate(fd, 20) == 0 && fallocate(fd, 0, 100, 51) == -1 && errno == EFBIG);
    check(pipe(ends) == 0 && write(ends[1], bytes, 100) == 100 &&
          write(ends[1], bytes, 100) == 100);
    signal(SIGXFSZ, SIG_DFL);
    lseek(fd, 150, SEEK_SET);
    check(write(fd, bytes, 1) == 0);    /* does not return */
}

static void data(void)
{
    enum { MIB = 1 << 20 };
    char *start = sbrk(0);
    void *map;

    set(RLIMIT_DATA, 8 * MIB, RLIM_INFINITY);
    check(sbrk(16 * MIB) == (void *)-1 && errno == ENOMEM && sbrk(0) == start);
    map = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(map == MAP_FAILED && errno == ENOMEM);
    check(mmap(NULL, 16 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    check(mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
          MAP_FAILED);
    check(mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
          MAP_FAILED);
}

/* The program, and this child of it. */
static void processes(void)
{
    pid_t child;
    int status;

    set(RLIMIT_NPROC, 3, RLIM_INFINITY);
    child = fork();
    if (child == 0)
        _exit(fork() != -1 || errno != EAGAIN);
    check(waitpid(child, &status, 0) == child && status == 0);
    set(RLIMIT_NPROC, 2, RLIM_INFINITY);
    check(fork() == -1 && errno == EAGAIN);
}

int main(void)
{
    general();
    descriptors();
    check(status_of(data) == 0 && status_of(processes) == 0);
    address_space();
    check(WIFSIGNALED(status_of(low_stack)) && status_of(high_stack) == 0);
    check(WTERMSIG(status_of(file_sizes)) == SIGXFSZ);
    processor_time();
    return verdict();
}
