/* Ctrl-C, SIGTERM and SIGHUP; see signals.h. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/terminal/signals.h"

#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/stop_signals.h"

enum { NS_PER_SECOND = 1000000000, END_SECONDS = 5 };

/* The only state outside a job, as a signal handler has no argument. */
static volatile sig_atomic_t stop_request, stops;
static struct timespec stop_time;

static void end_simulator(int number)
{
    (void)number;
    signal((int)stop_request, SIG_DFL);
    raise((int)stop_request);
}

/* The result is being written, most often; another signal need not destroy it. */
static void give_time_to_write(void)
{
    static const char text[] = "rvsim: interrupted again: at most 5 s are left to write what was "
                               "measured; a third signal ends at once\n";
    _Static_assert(END_SECONDS == 5, "as the text says");
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

    (void)written;
    alarm(END_SECONDS);
}

static void on_signal(int number);

/* flags: with SA_RESTART a signal does not interrupt system calls of the host. */
static void set_handler(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    int caught[STOP_SIGNALS];
    size_t count = stop_signals(caught);

    for (size_t i = 0; i < count; i++)
        sigaction(caught[i], &action, NULL);
}

static void on_signal(int number)
{
    struct timespec now;
    int64_t ns;

    clock_gettime(CLOCK_MONOTONIC, &now);
    ns = (int64_t)(now.tv_sec - stop_time.tv_sec) * NS_PER_SECOND + now.tv_nsec - stop_time.tv_nsec;
    if (stop_request != 0 && ns < NS_PER_SECOND)
        return;
    stop_time = now;
    stops = stop_request != 0 ? stops + 1 : 1;
    if (stops == 1) {
        stop_request = number;
        set_handler(on_signal, SA_RESTART);
    } else if (stops == 2) {
        give_time_to_write();
    } else {
        end_simulator(number);
    }
}

void signals_catch(void)
{
    struct sigaction end = {.sa_handler = end_simulator};

    set_handler(on_signal, 0);
    sigaction(SIGALRM, &end, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void signals_release(void)
{
    set_handler(SIG_DFL, 0);
}

volatile sig_atomic_t *signals_request(void)
{
    return &stop_request;
}
