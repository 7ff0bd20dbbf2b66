/* Data of a prediction, stored from fetch until the transfer has left: training must use the same
 * entries although histories have changed. Only predictors whose indices cannot be recomputed from
 * pc and history write one. */
#ifndef SIM_CORE_BPRED_RECORD_H
#define SIM_CORE_BPRED_RECORD_H

#include "sim/core/bpred/history.h"
#include "sim/core/bpred/direction/lanes.h"

enum { TAGE_TABLES = 16, ITTAGE_TABLES = 8, NO_TABLE = 0xff, NO_LOOP = 0xffff };
_Static_assert(TAGE_TABLES + ITTAGE_TABLES <= HISTORY_TABLES, "a fold for each tagged table");
_Static_assert((int)TAGE_TABLES == (int)LANES, "one vector holds a value of each");

/* A value of each TAGE table. */
typedef union {
    uint16_t of[TAGE_TABLES];
    lane_vector all;
} tage_lanes;

enum record_flag {
    RECORD_PROVIDER_TAKEN = 1 << 0,     /* prediction of the longest match */
    RECORD_ALTERNATE_TAKEN = 1 << 1,    /* prediction without it */
    RECORD_TAGE_TAKEN = 1 << 2,         /* the choice between them */
    RECORD_LOOP_VALID = 1 << 3,
    RECORD_LOOP_TAKEN = 1 << 4,
    RECORD_INNER_TAKEN = 1 << 5,        /* before the statistical corrector */
    RECORD_CORRECTOR_TAKEN = 1 << 6,
};

struct record {
    tage_lanes index, tag;
    uint8_t provider, alternate;        /* tagged table, or NO_TABLE */
    uint8_t flags;                      /* enum record_flag */
    uint8_t confidence;                 /* of TAGE: 0 low, 1 medium, 2 high */
    int16_t sum;                        /* of perceptron or statistical corrector */
    uint16_t local;                     /* local history */
    uint16_t loop_entry, loop_count;    /* entry or NO_LOOP; iterations before the instruction */
    struct history_point point;         /* history before the instruction */
    uint64_t target;                    /* ITTAGE: target of the longest match */
};

#endif
