/* Where a transfer goes: target buffers, return-address stack, targets of indirect jumps. */
#ifndef SIM_CORE_BPRED_TARGETS_H
#define SIM_CORE_BPRED_TARGETS_H

#include "sim/base/config.h"
#include "sim/core/bpred/history.h"
#include "sim/core/bpred/record.h"

enum { ADDRESS_BITS = 38 };             /* an even Sv39 address */

/* btb.c: a set-associative buffer, behind a small fully associative one. */
struct btb_entry { uint64_t pc, target; uint32_t used; };
enum btb_level { BTB_MISS, BTB_FIRST, BTB_MAIN };
struct btb {
    struct btb_entry *entry;            /* [sets][ways]; pc = ~0: empty */
    struct btb_entry *first;            /* [first_entries] */
    uint32_t sets, ways, clock, first_entries;
    uint32_t noise;
    uint8_t replacement, block_bits, set_bits, tag_bits;
    bool has_tags;
};
void btb_init(struct btb *btb, const struct config *config, struct arena *arena);
/* *target: what the entry says; unchanged on a miss. */
enum btb_level btb_find(struct btb *btb, uint64_t pc, uint64_t *target);
/* Drops the entry of the main buffer. */
void btb_forget(struct btb *btb, uint64_t pc);
void btb_learn(struct btb *btb, uint64_t pc, uint64_t target);
uint64_t btb_storage(const struct btb *btb);

/* Can an entry belong to another transfer than the one it was found for? */
static inline bool btb_may_lie(const struct btb *btb)
{
    return btb->tag_bits != 0 || !btb->has_tags;
}

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

/* ras.c: a ring; `top` counts pushes, the entry below it is the next to return to. */
enum ras_repair { RAS_FULL, RAS_TOP_ENTRY, RAS_TOP_POINTER, RAS_NONE, RAS_COMMITTED };
struct ras {
    uint64_t *entry;
    uint32_t entries;
    uint16_t top, bottom;               /* bottom: the oldest entry that pushes left intact */
    bool drops;                         /* below it nothing is known */
    uint8_t repair;
    bool has_saved;                     /* top entry: written back when the last undo is known */
    uint64_t saved;
    /* committed: pointers count to twice the entries, and bottom is one of them; see ras.c */
    uint64_t *kept;
    uint16_t kept_entries, kept_top, last_call;
};
void ras_init(struct ras *ras, const struct config *config, struct arena *arena);
uint64_t ras_storage(const struct ras *ras);
/* With ras_repair = committed: what fetch does, what commit does, and the stack loaded from what
 * commit has kept. */
void ras_push_unsaved(struct ras *ras, uint64_t value);
uint64_t ras_pop_unsaved(struct ras *ras);
void ras_commit(struct ras *ras, bool is_call, bool is_return, uint64_t value);
void ras_load(struct ras *ras);

/* An undo ends when something else happens: the oldest snapshot's top entry is written back. */
static inline void ras_finish_undo(struct ras *ras)
{
    if (!ras->has_saved)
        return;
    ras->has_saved = false;
    if (ras->top != 0)
        ras->entry[(ras->top - 1u) % ras->entries] = ras->saved;
}

static inline void ras_push(struct ras *ras, uint64_t value)
{
    if (ras->entries == 0)
        return;
    if (ras->repair == RAS_COMMITTED) {
        ras_push_unsaved(ras, value);
        return;
    }
    ras_finish_undo(ras);
    ras->entry[ras->top % ras->entries] = value;
    ras->top++;
    if (ras->drops && (uint16_t)(ras->top - ras->bottom) > ras->entries)
        ras->bottom++;
}

/* 0: nothing known. */
static inline uint64_t ras_pop(struct ras *ras)
{
    ras_finish_undo(ras);
    if (ras->entries == 0 || ras->top == ras->bottom)
        return 0;
    if (ras->repair == RAS_COMMITTED)
        return ras_pop_unsaved(ras);
    ras->top--;
    return ras->entry[ras->top % ras->entries];
}

/* The same, and it stays. */
static inline uint64_t ras_peek(struct ras *ras)
{
    ras_finish_undo(ras);
    bool is_empty = ras->entries == 0 || ras->top == ras->bottom;
    uint32_t below = ras->top + (ras->repair == RAS_COMMITTED ? 2 * ras->entries : 0) - 1u;
    return is_empty ? 0 : ras->entry[below % ras->entries];
}

/* What repair will need, before the instruction acts. */
static inline void ras_save(struct ras *ras, uint64_t *value, uint16_t *top)
{
    ras_finish_undo(ras);
    *top = ras->top;
    if (ras->entries == 0)
        *value = 0;
    else if (ras->repair == RAS_TOP_ENTRY)
        *value = ras->top == 0 ? 0 : ras->entry[(ras->top - 1u) % ras->entries];
    else
        *value = ras->entry[ras->top % ras->entries];
}

static inline void ras_undo(struct ras *ras, uint64_t value, uint16_t top)
{
    if (ras->entries == 0 || ras->repair >= RAS_NONE)
        return;
    ras->top = top;
    if (ras->drops && (uint16_t)(ras->top - ras->bottom) > ras->entries)
        ras->bottom = ras->top;         /* undone below what was lost */
    if (ras->repair == RAS_FULL) {
        ras->entry[top % ras->entries] = value;
    } else if (ras->repair == RAS_TOP_ENTRY) {
        ras->has_saved = true;
        ras->saved = value;
    }
}

/* What a squash leaves of a stack that transfers move `stage` cycles after their fetch: the stack
 * that they have moved, and those on their way, oldest first. stage 0: off. */
enum { RAS_MOVES = 32 };
struct ras_delay {
    struct ras moved;
    struct ras_move { uint64_t cycle, value; } move[RAS_MOVES];     /* value 0: a pop */
    uint32_t stage, moves;
};
void ras_delay_init(struct ras_delay *delay, const struct config *config, struct arena *arena);
void ras_delay_note(struct ras_delay *delay, uint64_t now, uint64_t value);
void ras_delay_squash(struct ras_delay *delay, uint64_t now, struct ras *ras);

/* target_cache.c: the last target for pc and history, without tags. */
struct target_cache { uint64_t *target; uint64_t mask; uint32_t entries; bool by_path; };
void target_cache_init(struct target_cache *cache, const struct config *config,
                       struct arena *arena);
/* path: a byte of each of the last four targets of indirect jumps, of the last in the lowest. */
uint64_t target_cache_predict(const struct target_cache *cache, uint64_t pc, uint64_t history,
                              uint32_t path);
void target_cache_train(struct target_cache *cache, uint64_t pc, uint64_t history, uint32_t path,
                        uint64_t target);
/* The path behind an indirect jump to `target`. */
static inline uint32_t target_cache_path(uint32_t path, uint64_t target)
{
    return path << 8 | (target >> 4 & 0xff);
}
uint64_t target_cache_storage(const struct target_cache *cache);

/* ittage.c: tagged targets with geometrically longer histories. */
struct ittage_entry { uint64_t target; uint16_t tag; uint8_t confidence, useful; };
struct ittage {
    uint64_t *base;                     /* [base_entries] by pc; NULL: none */
    struct ittage_entry *entry[ITTAGE_TABLES];
    struct history *history;
    uint32_t base_entries, tables, first_fold, index_bits, tag_bits, entries;
    int tick;
    uint32_t noise;
};
void ittage_init(struct ittage *ittage, const struct config *config, struct history *history,
                 struct arena *arena);
uint64_t ittage_predict(const struct ittage *ittage, uint64_t pc, struct record *record);
void ittage_train(struct ittage *ittage, uint64_t pc, const struct record *record,
                  uint64_t target);
uint64_t ittage_storage(const struct ittage *ittage);

#endif
