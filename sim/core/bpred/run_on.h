/* Fetch that runs on while the loop buffer feeds decode; see run_on.c. */
#ifndef SIM_CORE_BPRED_RUN_ON_H
#define SIM_CORE_BPRED_RUN_ON_H

#include "sim/core/bpred/target/chain.h"

/* BEHIND: number of blocks after the loop whose text is known. */
enum { RUN_ON_TRANSFERS = 24, RUN_ON_BEHIND = 2, RUN_ON_BLOCKS = 8, RUN_ON_BLOCK_BYTES = 16 };
enum run_on_kind { RUN_ON_BRANCH, RUN_ON_JUMP, RUN_ON_RETURN, RUN_ON_OTHER };
/* end: of its last parcel. OTHER: its target is not followed. target: of the target buffer during
 * this stay, if it knows the transfer. */
struct run_on_transfer {
    uint64_t pc, end, target;
    enum run_on_kind kind;
    bool is_known;
};
struct run_on_text {
    uint64_t start, end;                /* of the loop: its first and last instruction */
    struct run_on_transfer transfer[RUN_ON_TRANSFERS];
    uint8_t first[RUN_ON_BLOCKS + 1];   /* of each block from the loop's first one on */
    unsigned count;
};

/* The change of an entry of the chained first level, a cycle after the decision. */
enum run_on_change { CHANGE_NONE, CHANGE_DROP, CHANGE_READY, CHANGE_MAKE };
struct run_on_update {
    enum run_on_change change;
    uint8_t entry;
    bool is_return;
    uint64_t key, pc, target;
};

struct run_on {
    struct chain *chain;
    struct run_on_text text;
    uint64_t from, until;               /* cycles in which the loop buffer feeds decode */
    uint64_t history;
    uint64_t top, early_top;            /* of the return stack, 0: empty; and as seen by the chained
                                         * first level */
    uint64_t pc;                        /* in the first stage */
    uint8_t hit;                        /* entry found for it; number + 1, 0 = none */
    bool flows;                         /* reached sequentially from the previous block */
    struct {                            /* the second stage */
        uint64_t pc, led_to;
        uint8_t hit, counter;
        bool is_valid, is_led, flows;
    } second;
    bool returns;                       /* the third stage has a return to: */
    uint64_t returns_to;
    bool waits;                         /* for a flow to settle */
    struct run_on_update update;        /* takes effect after this cycle */
};
/* The look-ups of a cycle in the tables of directions, and its next address. */
struct run_on_cycle {
    bool has_branch;                    /* a branch is in the second stage */
    bool reads_choices, crosses;        /* crosses: into the next row */
    bool is_held;
    uint64_t choices_at;
    uint64_t next_pc;
    bool is_redirected, is_mistaken, is_taken, leads, returns;
    uint64_t led_to, returns_to;
    struct run_on_update update;
};

static inline bool run_on_feeds(const struct run_on *run_on, uint64_t cycle)
{
    return run_on->from <= cycle && cycle < run_on->until;
}

/* Transfers are added in the order of their pcs, and closed. */
void run_on_add(struct run_on_text *text, const struct run_on_transfer *transfer);
void run_on_close(struct run_on_text *text);
/* The loop buffer takes over after a branch predicted in cycle `now` to head, with `bubbles`; it
 * feeds decode from cycle `from` on. busy: cycles up to then in which fetch is redirected, counted
 * from now. */
struct run_on_busy { bool at[4]; };
struct run_on_busy run_on_begin(struct run_on *run_on, uint64_t from, uint64_t head,
                                unsigned bubble, bool is_taken);
/* The first branch in the block that fetch enters at pc, or NULL. */
const struct run_on_transfer *run_on_first_branch(const struct run_on *run_on, uint64_t pc);
struct run_on_cycle run_on_look(const struct run_on *run_on);
/* True if fetch stands still when a misprediction arrives now. */
bool run_on_is_held(const struct run_on *run_on);
/* counter: of the first stage's branch. */
void run_on_step(struct run_on *run_on, const struct run_on_cycle *cycle, uint8_t counter);

#endif
