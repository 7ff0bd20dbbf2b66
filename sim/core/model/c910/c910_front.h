/* State of the C910's front end from one cycle to the next; see c910_front.c, c910_freeze.c,
 * c910_predict.c and c910_recover.c. */
#ifndef SIM_CORE_MODEL_C910_C910_FRONT_H
#define SIM_CORE_MODEL_C910_C910_FRONT_H

#include <stdbool.h>
#include <stdint.h>

/* The place of fetch before a block is fetched. */
struct c910_place { uint64_t block, first; bool is_rest, was_in_loop; };

/* The instruction buffer: halfwords of the instructions from the next to be decoded up to the one
 * at `end`. */
struct c910_buffered { uint64_t end; uint32_t halfwords; };

struct c910_front {
    uint64_t jumps_until;       /* before this cycle no call, return or indirect jump is fetched
                                 * (c910.jumps_wait) */
    uint64_t jump_cycle;        /* in which the youngest such jump was fetched or began to wait */
    uint64_t jumps;             /* bit n: such a jump was fetched n cycles before jump_cycle */
    bool jump_waits;
    uint32_t branches;          /* conditional branches fetched in this group */
    uint64_t cut_cycle;         /* last cycle of fetch that c910.branches cut short */
    uint64_t rest_pc;           /* pc at which the rest of a block continues, or NEVER */
    struct c910_place place;    /* with has_group: of the group that is being fetched */
    bool has_group;
    uint64_t still_since;       /* first cycle in which the stages stand still; 0: they move */
    bool turns_again;           /* after that, one more cycle for the way to the next block */
    struct c910_buffered buffered;
    uint64_t recover_seq;       /* mispredicted branch for which dispatch waits, or NEVER */
};

#endif
