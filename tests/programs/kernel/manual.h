/* Programs that compare the guest kernel with the manual pages: a count of failed cases, and
 * requests to the kernel that several programs make. Each program prints the cases that failed,
 * else "right". */
#ifndef TESTS_PROGRAMS_KERNEL_MANUAL_H
#define TESTS_PROGRAMS_KERNEL_MANUAL_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define check(is) ((is) ? (void)0 : wrong(__func__, #is))
enum { MS = 1000000 };

static int mistakes;

static void wrong(const char *where, const char *what)
{
    printf("%s: not %s\n", where, what);
    fflush(stdout);
    mistakes++;
}

/* At the end of main: the exit status. */
static int verdict(void)
{
    if (mistakes == 0)
        puts("right");
    return mistakes != 0;
}

static inline long futex(uint32_t *at, int op, uint32_t value, const void *time, uint32_t *at2,
                         uint32_t value3)
{
    return syscall(SYS_futex, at, op, value, time, at2, value3);
}

static inline long now_ns(clockid_t clock)
{
    struct timespec at;

    clock_gettime(clock, &at);
    return at.tv_sec * 1000000000 + at.tv_nsec;
}

/* Signals do not end it. */
static inline void wait_ms(long ms)
{
    struct timespec until = {0, 0};
    long ns = now_ns(CLOCK_MONOTONIC) + ms * MS;

    until.tv_sec = ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

#endif
