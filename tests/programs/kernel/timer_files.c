/* timerfd, case by case from the manual pages; prints the faults, or "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "manual.h"

static void set_fd(int fd, int flags, long value_ns, long interval_ns)
{
    const struct itimerspec setting = {{0, interval_ns}, {value_ns / 1000000000,
                                                          value_ns % 1000000000}};

    check(timerfd_settime(fd, flags, &setting, NULL) == 0);
}

/* timerfd_create(2): arguments that are refused, with the reasons. */
static void wrong_timer_files_are_refused(void)
{
    const struct itimerspec bad = {{0, 0}, {0, 1000000000}};
    struct itimerspec old;
    char byte;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

    check(fd >= 0);
    check(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0) == -1 && errno == EINVAL);
    check(timerfd_create(CLOCK_MONOTONIC, 1) == -1 && errno == EINVAL);
    check(timerfd_settime(fd, 0, &bad, NULL) == -1 && errno == EINVAL);
    check(timerfd_settime(fd, 8, &bad, NULL) == -1 && errno == EINVAL);
    check(timerfd_gettime(fd, NULL) == -1 && errno == EFAULT);
    check(timerfd_gettime(-1, &old) == -1 && errno == EBADF);
    check(timerfd_gettime(1, &old) == -1 && errno == EINVAL);
    check(read(fd, &byte, 1) == -1 && errno == EINVAL);
    check(write(fd, &old, 8) == -1 && errno == EINVAL);
    check(read(fd, &old, 8) == -1 && errno == EAGAIN);
    close(fd);
}

/* A read takes all expirations since the last one, and waits for the first. */
static void timer_files_count_expirations(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    struct itimerspec left;
    uint64_t count = 0;
    long start = now_ns(CLOCK_MONOTONIC);

    set_fd(fd, 0, 2 * MS, MS);
    check(poll(&ready, 1, 0) == 0);
    check(timerfd_gettime(fd, &left) == 0 && left.it_interval.tv_nsec == MS &&
          left.it_value.tv_nsec > MS && left.it_value.tv_nsec <= 2 * MS);
    check(read(fd, &count, sizeof count) == 8 && count == 1);
    check(now_ns(CLOCK_MONOTONIC) - start >= 2 * MS);
    wait_ms(5);
    check(poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
    check(read(fd, &count, sizeof count) == 8 && count >= 4 && count <= 6);
    set_fd(fd, 0, 0, 0);
    wait_ms(2);
    check(poll(&ready, 1, 0) == 0);
    set_fd(fd, TFD_TIMER_ABSTIME, start + MS, 0);
    check(poll(&ready, 1, -1) == 1 && read(fd, &count, sizeof count) == 8 && count == 1);
    check(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_nsec == 0);
    set_fd(fd, 0, MS, 0);
    close(fd);                          /* while it is armed */
    fd = timerfd_create(CLOCK_REALTIME, 0);
    set_fd(fd, TFD_TIMER_ABSTIME, now_ns(CLOCK_REALTIME) + MS, 0);
    check(read(fd, &count, sizeof count) == 8 && count == 1);
    close(fd);
}

int main(void)
{
    wrong_timer_files_are_refused();
    timer_files_count_expirations();
    return verdict();
}
