/* Spike's log from a pipe, sorted by hart: in the log the harts take turns of many instructions,
 * while a lock-step check asks for the next line of a given hart.
 *
 * Owns the lines not yet taken. */
#ifndef SIM_RUN_SPIKE_LOG_H
#define SIM_RUN_SPIKE_LOG_H

#include <stdio.h>

#include "sim/run/check/spike_line.h"

enum { SPIKE_SAYS = 112 };

struct spike_queue;
enum spike_end { SPIKE_GOES_ON, SPIKE_ENDS, SPIKE_FAR_AHEAD };  /* _FAR_: too many lines wait */

struct spike_log {
    FILE *file;
    unsigned harts;
    struct spike_queue *queue;      /* [harts] */
    enum spike_end end;             /* reason if no line was returned */
    char says[SPIKE_SAYS];          /* the first line that is not part of the log: Spike's message,
                                     * if it fails */
};

/* file: closed with the log. False: no memory. */
bool spike_log_init(struct spike_log *log, FILE *file, unsigned harts);
void spike_log_free(struct spike_log *log);

/* The next relevant line of the hart; waits for it. NULL: see log->end. Valid until the next
 * call. */
const struct spike_line *spike_log_peek(struct spike_log *log, unsigned hart);
void spike_log_take(struct spike_log *log, unsigned hart);

#endif
