/* State of the C910's dispatch and ports from one cycle to the next; see c910_balance.c and
 * c910_holds.c. */
#ifndef SIM_CORE_MODEL_C910_C910_QUEUES_H
#define SIM_CORE_MODEL_C910_C910_QUEUES_H

#include "sim/core/pipe/core_types.h"

/* Whether the first queue of a family is far fuller than the last: as seen last, and as dispatch
 * knows it in this cycle, which is the observation before. */
enum { QUEUE_FAMILIES = 2 };
struct lopsided { bool was, is; };
/* In one cycle: ports that take nothing, and ports that take no simple integer operation. */
enum { HELD_CYCLES = 256 };             /* more than a division and c910.mul_holds */
struct held_ports { uint64_t cycle; uint32_t all, simple; };
/* The first instruction of it, by its number and by the cycle in which it was decoded. */
struct group_rest { uint64_t seq, decode_cycle; };

struct c910_queues {
    uint32_t turn[QUEUE_FAMILIES];  /* dispatched in this cycle to one of several queues */
    struct lopsided lopsided[QUEUE_FAMILIES];
    bool is_group_held;             /* an arrived group could not be dispatched */
    uint8_t fixed[ISSUE_QUEUES_MAX];    /* of the group under dispatch, in this queue alone */
    struct group_rest rest;         /* of the group that went last, if it was split */
    struct held_ports held[HELD_CYCLES];    /* by cycle, modulo */
    uint64_t address[ISSUE_QUEUE_SIZE_MAX];     /* numbers of the jumps whose return addresses */
    uint32_t address_count;                     /* wait to be issued, the oldest first */
};

#endif
