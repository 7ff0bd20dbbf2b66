/* The chained first level of targets; see chain.c. */
#ifndef SIM_CORE_BPRED_CHAIN_H
#define SIM_CORE_BPRED_CHAIN_H

#include "sim/base/config.h"
#include "sim/core/bpred/tables.h"

/* chain.c: where fetch goes from the block that it enters at `key`. */
#define NO_FLOW UINT64_MAX
struct chain_entry {
    uint64_t key, pc, target;
    uint8_t next;                       /* in the list of its hash; number + 1, 0 = the end */
    bool is_return, is_ready;           /* ready: it is followed */
};
/* A transfer as it is predicted in cycle `now`. end: of its last parcel. is_sure: the counter of
 * the branch is at its end. is_last: no other branch or direct jump follows it in its block.
 * is_cut: a branch is the next of them, and the block goes on in another cycle.
 * is_unknown: the target buffers do not know it. bubble: of cycles, were it not for this level.
 * back_bubble: when fetch comes back for the rest of a block. early_top: of the return stack, when
 * this level reads it. */
struct chain_step {
    uint64_t now, pc, end, next_pc, early_top;
    uint8_t bubble, back_bubble;
    bool is_taken, is_return, is_branch, is_sure, is_last, is_cut, is_unknown, may_enter;
};
/* The entry made last: the old content of its place, and the cycle. */
struct chain_made { struct chain_entry was; uint64_t cycle; };
enum { CHAIN_LISTS = 64 };
struct chain {
    struct chain_entry *entry;
    uint32_t entries, next;             /* next: the one that a new entry takes */
    uint64_t block_mask;
    uint8_t list[CHAIN_LISTS];          /* the first entry of a hash of keys; as `next` there */
    uint64_t led_to;                    /* the target of the entry that was wrong */
    uint64_t led_at;                    /* cycle of the last taken transfer that had an entry */
    uint64_t flow;                      /* where the last change of flow went */
    uint64_t settled;                   /* cycle from which a misprediction opens a flow */
    bool is_masked;                     /* the first block of the flow is fetched without */
    bool is_open;                       /* it may get an entry */
    bool has_branch;                    /* there was a branch in its block */
    struct chain_step last;             /* the transfer seen last, and the key of its block */
    uint64_t last_key;
    struct chain_made made;
};
/* WRONG: fetch went elsewhere before it was predicted. BACK: that, and only the stage of returns
 * sees it. AHEAD: fetch went elsewhere, and the rest of the block tells whether that was right. */
enum chain_verdict { CHAIN_MISS, CHAIN_HIT, CHAIN_WRONG, CHAIN_BACK, CHAIN_AHEAD };
void chain_init(struct chain *chain, const struct config *config, struct arena *arena);
enum chain_verdict chain_take(struct chain *chain, const struct chain_step *step);
/* Fetch continues at pc after a misprediction of this cycle, or another squash. */
void chain_restart(struct chain *chain, uint64_t now, uint64_t pc, bool is_branch);
/* The loop buffer is left for pc, which is asked for in `cycle`. */
void chain_leave_loop(struct chain *chain, uint64_t cycle, uint64_t pc);
/* Fetch stands still; the transfer of that cycle, if it was the last, waits for it. Is it led to
 * its target once more, where it was led before? */
bool chain_waits(struct chain *chain, uint64_t cycle);
/* Does fetch follow a return out of the block of a return that ends there? */
bool chain_returns(const struct chain *chain, uint64_t end);
/* Of the entry with the key, counted from 1; 0: none. */
uint8_t chain_number(const struct chain *chain, uint64_t key);
void chain_drop(struct chain *chain, struct chain_entry *entry);
/* In the place of the oldest; that of a branch is not followed yet. */
void chain_make(struct chain *chain, uint64_t key, uint64_t pc, uint64_t target, bool is_return);
uint64_t chain_storage(const struct chain *chain);

#endif
