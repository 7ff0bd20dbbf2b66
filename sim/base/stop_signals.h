/* The signals that end a run, a view or a server in good order: SIGINT (Ctrl-C), SIGTERM, and
 * SIGHUP, the end of the terminal, unless it is ignored, as under nohup(1). */
#ifndef SIM_BASE_STOP_SIGNALS_H
#define SIM_BASE_STOP_SIGNALS_H

#include <signal.h>
#include <stddef.h>

enum { STOP_SIGNALS = 3 };

/* Lists the signals that end the process now (SIGHUP only if it is not ignored); returns their
 * number. Safe in a signal handler. */
static inline size_t stop_signals(int number[STOP_SIGNALS])
{
    struct sigaction hangup;
    size_t count = 0;

    number[count++] = SIGINT;
    number[count++] = SIGTERM;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        number[count++] = SIGHUP;
    return count;
}

/* Blocks these signals, for sigwait. Threads created from now on inherit that. */
static inline void stop_signals_hold(sigset_t *signals)
{
    int number[STOP_SIGNALS];
    size_t count = stop_signals(number);

    sigemptyset(signals);
    for (size_t i = 0; i < count; i++)
        sigaddset(signals, number[i]);
    sigprocmask(SIG_BLOCK, signals, NULL);
}

#endif
