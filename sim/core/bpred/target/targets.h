/* The targets of transfers: target buffers, return-address stack, targets of indirect jumps. */
#ifndef SIM_CORE_BPRED_TARGETS_H
#define SIM_CORE_BPRED_TARGETS_H

#include "sim/base/config.h"
#include "sim/core/bpred/target/chain.h"
#include "sim/core/bpred/predictor.h"
#include "sim/core/bpred/shape.h"
#include "sim/core/bpred/target/ras.h"

enum { ADDRESS_BITS = 38 };             /* an even Sv39 address */

/* In btb.c: a set-associative buffer, after a small fully associative one. */
struct btb_entry { uint64_t pc, target; uint32_t used; };
/* The last refill, which a squash soon after undoes: the held entry, and the place to which it was
 * written. */
struct btb_refill { uint64_t cycle; struct btb_entry held, was, *entry; };
enum { BTB_HINTS = 256 };
/* Of some entries: the number whose pc has these low bits. */
struct btb_names { uint32_t count[BTB_HINTS]; };
enum btb_level { BTB_MISS, BTB_FIRST, BTB_MAIN };
enum btb_replacement { BTB_LRU, BTB_FIFO, BTB_RANDOM, BTB_LFSR };
struct btb {
    struct btb_entry *entry;            /* [sets][ways]; pc = ~0: empty */
    struct btb_entry *first;            /* [first_entries] */
    struct btb_shape shape;
    uint32_t clock;
    uint32_t noise;
    struct btb_entry held;              /* with has_buffer: the entry written next; pc = ~0: none */
    struct btb_refill refill;
    struct btb_names in_first, in_main;
    uint32_t hint[BTB_HINTS];           /* entry in which a pc with these low bits was found last */
    uint16_t first_hint[BTB_HINTS];     /* the same of `first` */
};
void btb_init(struct btb *btb, const struct config *config, struct arena *arena);
/* *target: of the entry; unchanged on a miss. Search: without the hint of btb_find. */
enum btb_level btb_search(struct btb *btb, uint64_t pc, uint64_t *target);
/* Drops the entry of the main buffer. */
void btb_forget(struct btb *btb, uint64_t pc);
void btb_learn(struct btb *btb, uint64_t pc, uint64_t target);
/* With has_buffer: the transfer at pc, fetched in cycle `now`, missed or had a wrong target.
 * btb_squash: everything fetched is squashed in that cycle. */
void btb_refill(struct btb *btb, uint64_t now, uint64_t pc, uint64_t target, bool is_unknown);
void btb_squash(struct btb *btb, uint64_t now);
uint64_t btb_storage(const struct btb *btb);

static inline const struct btb_shape *btb_shape(const struct btb *btb)
{
    return SHAPE_OF(btb, btb);
}

static inline unsigned btb_low_bits(uint64_t pc)
{
    return pc >> 1 & (BTB_HINTS - 1);
}

static inline uint32_t *btb_hint(struct btb *btb, uint64_t pc)
{
    return &btb->hint[btb_low_bits(pc)];
}

/* The entry of pc where one like it was found last, as the last one used; or NULL. */
static inline struct btb_entry *btb_use_last(struct btb *btb, uint64_t pc)
{
    const struct btb_shape *shape = btb_shape(btb);
    struct btb_entry *entry = &btb->entry[*btb_hint(btb, pc)];
    if (entry->pc != (pc & shape->name_mask))
        return NULL;
    if (shape->replacement == BTB_LRU)
        entry->used = ++btb->clock;
    return entry;
}

static inline enum btb_level btb_find(struct btb *btb, uint64_t pc, uint64_t *target)
{
    const struct btb_entry *entry = btb_shape(btb)->is_quick ? btb_use_last(btb, pc) : NULL;
    if (entry == NULL)
        return btb_search(btb, pc, target);
    *target = entry->target;
    return BTB_MAIN;
}

static inline bool btb_learns_at_once(struct btb *btb, uint64_t pc, uint64_t target)
{
    struct btb_entry *entry = btb_shape(btb)->is_quick ? btb_use_last(btb, pc) : NULL;
    if (entry != NULL)
        entry->target = target;
    return entry != NULL;
}

/* True if an entry can match another transfer than its own. */
static inline bool btb_may_lie(const struct btb *btb)
{
    const struct btb_shape *shape = btb_shape(btb);
    return shape->tag_bits != 0 || !shape->has_tags;
}

/* In ras.c. State after a squash of a stack that transfers move `stage` cycles after their fetch:
 * the stack as moved up to now, and the moves on their way, oldest first. stage 0: off. */
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
/* path: one byte for each of the last four targets of indirect jumps, the last in the lowest. */
uint64_t target_cache_predict(const struct target_cache *cache, uint64_t pc, uint64_t history,
                              uint32_t path);
void target_cache_train(struct target_cache *cache, uint64_t pc, uint64_t history, uint32_t path,
                        uint64_t target);
/* The path after an indirect jump to `target`. */
static inline uint32_t target_cache_path(uint32_t path, uint64_t target)
{
    return path << 8 | (target >> 4 & 0xff);
}

/* In path.c: the last targets of indirect jumps as seen by fetch, including wrong paths. */
struct jump_path {
    uint64_t turned, loaded;            /* cycles: last jump fetched; path corrected */
    uint64_t last_read;                 /* last read of the target cache */
    uint32_t live, before;              /* before: the path without the last jump */
    bool is_written;                    /* the target cache was written when the path was loaded */
};

#endif
