/* The limits of a run, and its end. */
#ifndef SIM_RUN_RESULT_H
#define SIM_RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

struct limits { uint64_t max_insns, max_cycles; double timeout_seconds; };  /* 0 = none */

enum result_reason { RESULT_EXIT, RESULT_MAX_INSNS, RESULT_MAX_CYCLES, RESULT_TIMEOUT, RESULT_TRAP,
                     RESULT_INTERRUPTED, RESULT_FAILURE, RESULT_HALTED,
                     RESULT_HAND_OVER };
/* RESULT_HAND_OVER: a program that the host serves needs the guest kernel, and can begin again
 * under it without anybody outside noticing. */

/* True if a limit or a signal ended the run, so that it cannot be compared with another one. */
static inline bool result_is_cut(enum result_reason reason)
{
    return reason == RESULT_MAX_INSNS || reason == RESULT_MAX_CYCLES || reason == RESULT_TIMEOUT ||
           reason == RESULT_INTERRUPTED;
}

struct result {
    enum result_reason reason;
    int exit_code;              /* the guest's, or 128+n */
    char text[320];             /* RESULT_TRAP and _FAILURE: one line; RESULT_HAND_OVER: what
                                 * needs the guest kernel */
};

#endif
