/* The chained first level of targets; see chain.c. */
#ifndef SIM_CORE_BPRED_CHAIN_H
#define SIM_CORE_BPRED_CHAIN_H

#include "sim/base/config.h"
#include "sim/core/bpred/shape.h"
#include "sim/core/bpred/tables.h"

/* In chain.c: the next address of fetch after the block entered at `key`. */
#define NO_FLOW UINT64_MAX
struct chain_entry {
    uint64_t key, pc, target;
    uint8_t next;                       /* in the list of its hash; number + 1, 0 = the end */
    bool is_return, is_ready;           /* ready: the entry is followed */
};
/* The prediction of a transfer in cycle `now`. end: of its last parcel. is_sure: the counter of the
 * branch is saturated. is_last: no other branch or direct jump follows in its block. is_cut: the
 * next of them is a branch, and the rest of the block comes in another cycle. is_unknown: the
 * target buffers missed. bubble: in cycles, without this level. back_bubble: when fetch returns for
 * the rest of a block. early_top: of the return stack, when this level reads it. */
struct chain_step {
    uint64_t now, pc, end, next_pc, early_top;
    uint8_t bubble, back_bubble;
    bool is_taken, is_return, is_branch, is_sure, is_last, is_cut, is_unknown, may_enter;
};
/* The last entry made: the old content of its place, and the cycle. */
struct chain_made { struct chain_entry was; uint64_t cycle; };
enum { CHAIN_LISTS = 64 };
struct chain {
    struct chain_entry *entry;
    struct chain_shape shape;
    uint32_t next;                      /* index of the entry to be replaced next */
    uint8_t list[CHAIN_LISTS];          /* first entry of a hash of keys; numbered as `next` in an
                                         * entry */
    uint64_t led_to;                    /* the target of a wrong entry */
    uint64_t led_at;                    /* cycle of the last taken transfer that had an entry */
    uint64_t flow;                      /* target of the last change of flow */
    uint64_t settled;                   /* cycle from which a misprediction opens a flow */
    bool is_masked;                     /* the first block of the flow is fetched without this
                                         * level */
    bool is_open;                       /* the flow may get an entry */
    bool has_branch;                    /* the block had a branch */
    struct chain_step last;             /* the transfer seen last, and the key of its block */
    uint64_t last_key;
    struct chain_made made;
};
static inline const struct chain_shape *chain_shape(const struct chain *chain)
{
    return SHAPE_OF(chain, chain);
}

/* WRONG: fetch was redirected before the prediction, wrongly. BACK: also wrong, but only the stage
 * of returns notices. AHEAD: fetch was redirected, and the rest of the block decides whether
 * rightly. */
enum chain_verdict { CHAIN_MISS, CHAIN_HIT, CHAIN_WRONG, CHAIN_BACK, CHAIN_AHEAD };
void chain_init(struct chain *chain, const struct config *config, struct arena *arena);
enum chain_verdict chain_take(struct chain *chain, const struct chain_step *step);
/* Fetch continues at pc after a misprediction of this cycle, or another squash. */
void chain_restart(struct chain *chain, uint64_t now, uint64_t pc, bool is_branch);
/* The loop buffer is left for pc, which fetch requests in `cycle`. */
void chain_leave_loop(struct chain *chain, uint64_t cycle, uint64_t pc);
/* Fetch stands still while the last transfer, if it was in that cycle, waits. True if fetch was
 * already redirected to this target, so that the redirect would be repeated. */
bool chain_waits(struct chain *chain, uint64_t cycle);
/* True if fetch follows a return entry out of the block of the return that ends there. */
bool chain_returns(const struct chain *chain, uint64_t end);
/* The number of the entry with the key, counted from 1; 0: none. */
uint8_t chain_number(const struct chain *chain, uint64_t key);
void chain_drop(struct chain *chain, struct chain_entry *entry);
/* Replaces the oldest entry; a branch's new entry is not followed yet. */
void chain_make(struct chain *chain, uint64_t key, uint64_t pc, uint64_t target, bool is_return);
uint64_t chain_storage(const struct chain *chain);

#endif
