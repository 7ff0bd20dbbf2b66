/* Ctrl-C and the other signals that end a run (sim/base/stop_signals.h).
 *
 * The first signal ends the run, and the host's system call in which the program waits; the second
 * leaves five seconds to write what was measured; the third ends the simulator. Signals within a
 * second count once: wrappers such as timeout(1) send each signal twice. */
#ifndef SIM_CLI_TERMINAL_SIGNALS_H
#define SIM_CLI_TERMINAL_SIGNALS_H

#include <signal.h>

/* From now on these signals act as above. */
void signals_catch(void);
/* From now on each of them ends the process at once. */
void signals_release(void);
/* 0, or the signal that ends the run: a machine's stop_request. */
volatile sig_atomic_t *signals_request(void);

#endif
