/* State of the C910's dispatch and ports from one cycle to the next; see c910_balance.c and
 * c910_holds.c. */
#ifndef SIM_CORE_MODEL_C910_C910_QUEUES_H
#define SIM_CORE_MODEL_C910_C910_QUEUES_H

#include "sim/core/pipe/core_types.h"

/* Instructions of a cycle, or of a group, that the queues get. count: of each queue, those that
 * only this queue takes and those dealt out to it so far. to_last: of each family, the number that
 * still goes to its last queue. */
enum { QUEUE_FAMILIES = 2 };
struct c910_dealt { uint8_t count[ISSUE_QUEUES_MAX], to_last[QUEUE_FAMILIES]; };
/* How a group of `size` instructions with these ways (see c910_balance.c) enters the queues while
 * the families are `lopsided`. The first `count` of them dispatch, each to its one of `queues`, if
 * all queues listed in `place` have room. dealt: the counts before the instructions that several
 * queues take were dealt out. */
enum { GROUP_MOST = 8, SHAPES_LOG2 = 8 };
/* A queue that is asked for places, and the most of its places that may be used before. */
struct c910_place_asked { uint8_t queue; uint16_t most_used; };
struct c910_shape {
    uint64_t ways;
    uint8_t size, lopsided, count, places;
    bool is_split;
    uint8_t queues[GROUP_MOST];
    struct c910_place_asked place[GROUP_MOST];
    struct c910_dealt dealt;
};
/* Of the instructions decoded together: the first; groups_decoded of the next one, unless it is a
 * CSR instruction. */
struct c910_row { uint64_t first; uint32_t groups; };
/* In one cycle: ports that take no operation (all), and ports that take no simple integer one. */
enum { HELD_CYCLES = 256 };             /* more than a division and c910.mul_holds */
struct held_ports { uint64_t cycle; uint32_t all, simple; };
/* The first instruction of the rest of a group, by its number and its cycle of decode. */
struct group_rest { uint64_t seq, decode_cycle; };

struct c910_queues {
    struct c910_dealt dealt;        /* of this cycle, unless groups are dealt out as a whole */
    uint8_t was_lopsided, lopsided; /* bit masks of the families whose first queue is far fuller
                                     * than the last: as last observed, and the observation before,
                                     * which dispatch uses in this cycle */
    bool is_group_held;             /* an arrived group could not be dispatched */
    struct group_rest rest;         /* of the group that dispatched last, if it was split */
    uint64_t chosen_from;           /* the first of the dispatching group, whose queues follow */
    uint8_t chosen[GROUP_MOST];
    uint8_t class_way[CLASS_COUNT];
    uint8_t way[RING_MAX + GROUP_MOST];     /* of instructions past decode; see c910_balance.c */
    struct c910_shape shape[1 << SHAPES_LOG2];      /* by a hash; size 0: none */
    struct held_ports held[HELD_CYCLES];    /* by cycle % HELD_CYCLES */
    uint64_t held_until;            /* the last cycle in which a port is held */
    uint64_t address[ISSUE_QUEUE_SIZE_MAX];     /* numbers of the jumps whose return addresses */
    uint32_t address_count;                     /* wait to be issued, the oldest first */
};

#endif
