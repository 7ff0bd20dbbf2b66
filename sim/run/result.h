/* The limits of a run, and its end. */
#ifndef SIM_RUN_RESULT_H
#define SIM_RUN_RESULT_H

#include <stdint.h>

struct limits { uint64_t max_insns, max_cycles; double timeout_seconds; };  /* 0 = none */

enum result_reason { RESULT_EXIT, RESULT_MAX_INSNS, RESULT_MAX_CYCLES, RESULT_TIMEOUT, RESULT_TRAP,
                     RESULT_INTERRUPTED, RESULT_FAILURE, RESULT_HALTED };

struct result {
    enum result_reason reason;
    int exit_code;              /* the guest's, or 128+n */
    char text[320];             /* RESULT_TRAP and RESULT_FAILURE: one line */
};

#endif
