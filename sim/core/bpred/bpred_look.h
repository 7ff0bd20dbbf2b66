/* The branch predictor for observers: reads, and changes nothing. */
#ifndef SIM_CORE_BPRED_BPRED_LOOK_H
#define SIM_CORE_BPRED_BPRED_LOOK_H

#include "sim/core/bpred/bpred.h"

enum { BPRED_LOOK_STACK = 16 };

struct bpred_seen {
    uint64_t history;               /* directions of branches, newest in bit 0 */
    uint32_t btb_used, btb_entries; /* of the branch target buffer */
    unsigned stack;                 /* entries of `top` */
    uint64_t top[BPRED_LOOK_STACK]; /* return addresses, that of the next return first */
    const uint8_t *counter;         /* of the direction predictor, if it has one table of counters;
                                     * NULL */
    uint32_t counters;
    unsigned counter_max;
};

void bpred_look(const struct bpred *bpred, struct bpred_seen *seen);

#endif
