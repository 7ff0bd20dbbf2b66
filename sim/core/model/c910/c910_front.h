/* State of the C910's front end from one cycle to the next; see c910_front.c, c910_freeze.c,
 * c910_predict.c and c910_recover.c. */
#ifndef SIM_CORE_MODEL_C910_C910_FRONT_H
#define SIM_CORE_MODEL_C910_C910_FRONT_H

#include <stdbool.h>
#include <stdint.h>

/* The place of fetch before a block is fetched. */
struct c910_place { uint64_t block, first; bool is_rest, was_in_loop; };

/* Halfwords in the instruction buffer, of instructions from the next to be decoded to `end`. */
struct c910_buffered { uint64_t end; uint32_t halfwords; };

struct c910_front {
    uint64_t jumps_until;       /* jumps_wait: they are not fetched before */
    uint64_t jump_cycle;        /* the youngest of them was fetched, or began to wait */
    uint64_t jumps;             /* bit n: one was n cycles before jump_cycle */
    bool jump_waits;
    uint32_t branches;          /* fetched in this group */
    uint64_t cut_cycle;         /* they ended a cycle of fetch */
    uint64_t rest_pc;           /* the rest of a block continues here */
    struct c910_place place;    /* has_group: of the group that is being fetched */
    bool has_group;
    uint64_t still_since;       /* the stages stand still; 0: they do not */
    bool turns_again;           /* then: the way to the next block is taken a second time */
    struct c910_buffered buffered;
    uint64_t recover_seq;       /* mispredicted branch that dispatch waits for, or NEVER */
};

#endif
