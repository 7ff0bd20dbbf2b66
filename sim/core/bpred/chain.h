/* The chained first level of targets; see chain.c. */
#ifndef SIM_CORE_BPRED_CHAIN_H
#define SIM_CORE_BPRED_CHAIN_H

#include "sim/base/config.h"
#include "sim/core/bpred/tables.h"

/* chain.c: where fetch goes from the block that it enters at `key`. */
#define NO_FLOW UINT64_MAX
struct chain_entry { uint64_t key, pc, target; bool is_return; };
struct chain {
    struct chain_entry *entry;
    uint32_t entries, next;             /* next: the one that a new entry takes */
    uint64_t block_mask;
    uint64_t flow;                      /* where the last change of flow went */
    bool is_masked;                     /* that was a misprediction's */
    bool has_branch;                    /* there was a branch behind it */
    bool is_stale;                      /* the return stack does not have it yet */
    bool is_closed;                     /* a return that hit led to flow: no entry for it */
};
/* A transfer as it is predicted. may_enter: its direction is certain. is_lost: a return, and the
 * return stack had nothing valid. */
struct chain_step {
    uint64_t pc, next_pc;
    bool is_taken, is_return, is_call, may_enter, is_lost;
};
/* WRONG: fetch went elsewhere before it was predicted. */
enum chain_verdict { CHAIN_MISS, CHAIN_HIT, CHAIN_WRONG };
void chain_init(struct chain *chain, const struct config *config, struct arena *arena);
enum chain_verdict chain_take(struct chain *chain, const struct chain_step *step);
/* Fetch goes on at pc behind a misprediction, or another squash. */
void chain_restart(struct chain *chain, uint64_t pc);
uint64_t chain_storage(const struct chain *chain);

#endif
