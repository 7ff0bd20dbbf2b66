/* The fetch-target queue's state; see ftq.c. */
#ifndef SIM_CORE_FETCH_FTQ_H
#define SIM_CORE_FETCH_FTQ_H

#include <stdint.h>

#define NOT_YET (UINT64_C(1) << 62)     /* fetch cycle of an instruction that is in the queue */

/* A predicted block: the instructions from first_seq to the next block, and their lines. */
enum { FTQ_MAX = 32, FTQ_LINES = 2 };
struct ftq_entry {
    uint64_t first_seq, va[FTQ_LINES], pa[FTQ_LINES];
    uint8_t lines, ready;
};

struct ftq {
    uint32_t wait_bubble;
    uint64_t head, tail;            /* oldest block, next to open */
    uint64_t read_seq;              /* instructions before it were read from the cache */
    uint64_t stall_until;           /* the cache side waits; prediction does not */
    uint64_t events;                /* EVENT_BIT mask for the next instruction read */
    uint64_t wait_seq;              /* a jump for which the predictor waits until decode has seen
                                     * it, or NEVER */
    struct ftq_entry block[FTQ_MAX];
    uint8_t cause;                  /* LOST_*: delay of the oldest block; or 0 */
};

#endif
