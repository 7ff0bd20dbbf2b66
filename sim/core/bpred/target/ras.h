/* The return-address stack. */
#ifndef SIM_CORE_BPRED_RAS_H
#define SIM_CORE_BPRED_RAS_H

#include "isa/bits.h"
#include "sim/base/config.h"
#include "sim/core/bpred/shape.h"
#include "sim/core/bpred/tables.h"

/* In ras.c: a ring; `top` counts pushes, the entry below it is the next return address. */
enum ras_repair { RAS_FULL, RAS_TOP_ENTRY, RAS_TOP_POINTER, RAS_NONE, RAS_COMMITTED };
enum { RAS_OPS = 4, RAS_STAGE = 2 };
/* An action of fetch on the stack, with its cycle, and the stack before. */
struct ras_op { uint64_t cycle, replaced, pushed; uint16_t top, bottom; bool is_push; };
struct ras {
    uint64_t *entry;
    struct ras_shape shape;
    uint16_t top, bottom;               /* bottom: the oldest entry that pushes left intact */
    bool has_saved;                     /* top entry: written back when the last undo is known */
    uint64_t saved;
    /* committed: pointers count to twice the entries, and bottom is one of them; see ras.c */
    uint64_t *kept;
    uint16_t kept_top, last_call;
    struct ras_op op[RAS_OPS];          /* the last actions; op_count is their number */
    uint32_t op_count;
    uint64_t loaded, before, before_early;      /* cycle of the last load, and the entries that were
                                                 * read until then */
};

static inline const struct ras_shape *ras_shape(const struct ras *ras)
{
    return SHAPE_OF(ras, ras);
}

void ras_init(struct ras *ras, const struct config *config, struct arena *arena);
uint64_t ras_storage(const struct ras *ras);
/* With ras_repair = committed: the actions of fetch, the actions of commit, and the load from
 * commit's stack. */
void ras_push_unsaved(struct ras *ras, uint64_t value);
uint64_t ras_pop_unsaved(struct ras *ras);
/* The same for a transfer that is fetched in cycle `now`. A return gets the entry visible to it, 0:
 * nothing valid. */
void ras_push_at(struct ras *ras, uint64_t now, uint64_t value);
uint64_t ras_pop_at(struct ras *ras, uint64_t now);
/* The entry for a return that is fetched in this cycle and waits until the stack is loaded. */
uint64_t ras_read_at(const struct ras *ras, uint64_t now);
/* The top as seen by the first level of targets when fetch reads it in this cycle. */
uint64_t ras_early_top(const struct ras *ras, uint64_t now);
/* Transfers squashed in this cycle that have not reached the stack do not change it. */
void ras_squash(struct ras *ras, uint64_t now);
void ras_commit(struct ras *ras, bool is_call, bool is_return, uint64_t value);
void ras_load(struct ras *ras, uint64_t now);

/* The number modulo the entries, of which there are some. A host divides slowly; the low half of
 * the product with the inverse is the fraction that a division leaves (Lemire, Kaser and Kurz,
 * "Faster remainder by direct computation", 2019). */
static inline uint32_t ras_index(const struct ras *ras, uint32_t number)
{
    const struct ras_shape *shape = ras_shape(ras);
    if (shape->mask != 0)
        return number & shape->mask;
    return (uint32_t)((bits_u128)(shape->inverse * number) * shape->entries >> 64);
}

/* The place of the entry that this push wrote. */
static inline uint64_t *ras_place(const struct ras *ras, uint32_t number)
{
    return &ras->entry[ras_index(ras, number)];
}

/* An undo ends at the next other action: the top entry of the oldest snapshot is written back. */
static inline void ras_finish_undo(struct ras *ras)
{
    if (!ras->has_saved)
        return;
    ras->has_saved = false;
    if (ras->top != 0)
        *ras_place(ras, ras->top - 1u) = ras->saved;
}

static inline void ras_push(struct ras *ras, uint64_t value)
{
    const struct ras_shape *shape = ras_shape(ras);
    if (shape->entries == 0)
        return;
    if (shape->repair == RAS_COMMITTED) {
        ras_push_unsaved(ras, value);
        return;
    }
    ras_finish_undo(ras);
    *ras_place(ras, ras->top) = value;
    ras->top++;
    if (shape->drops && (uint16_t)(ras->top - ras->bottom) > shape->entries)
        ras->bottom++;
}

/* 0: unknown. */
static inline uint64_t ras_pop(struct ras *ras)
{
    const struct ras_shape *shape = ras_shape(ras);
    ras_finish_undo(ras);
    if (shape->entries == 0 || ras->top == ras->bottom)
        return 0;
    if (shape->repair == RAS_COMMITTED)
        return ras_pop_unsaved(ras);
    ras->top--;
    return *ras_place(ras, ras->top);
}

/* As ras_pop, but the entry stays. */
static inline uint64_t ras_peek(struct ras *ras)
{
    ras_finish_undo(ras);
    bool is_empty = ras_shape(ras)->entries == 0 || ras->top == ras->bottom;
    return is_empty ? 0 : *ras_place(ras, ras->top - 1u);
}

/* Stores data for a repair, before the instruction acts. The top entry of an empty stack is not
 * written back. */
static inline void ras_save(struct ras *ras, uint64_t *value, uint16_t *top)
{
    const struct ras_shape *shape = ras_shape(ras);
    ras_finish_undo(ras);
    *top = ras->top;
    *value = shape->entries == 0 ? 0 : *ras_place(ras, ras->top - (uint32_t)shape->saves_below);
}

static inline void ras_undo(struct ras *ras, uint64_t value, uint16_t top)
{
    const struct ras_shape *shape = ras_shape(ras);
    if (shape->entries == 0 || shape->repair >= RAS_NONE)
        return;
    ras->top = top;
    if (shape->drops && (uint16_t)(ras->top - ras->bottom) > shape->entries)
        ras->bottom = ras->top;         /* undone below the lost entries */
    if (shape->repair == RAS_FULL) {
        *ras_place(ras, top) = value;
    } else if (shape->repair == RAS_TOP_ENTRY) {
        ras->has_saved = true;
        ras->saved = value;
    }
}

#endif
