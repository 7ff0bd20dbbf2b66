/* Questions to the pipeline's state (core_internal.h) that all stages ask. */
#ifndef SIM_CORE_PIPE_CORE_STATE_H
#define SIM_CORE_PIPE_CORE_STATE_H

#include "sim/base/config.h"
#include "sim/core/pipe/core_internal.h"

/* Settings of the pipeline, the parts that it has, and the layout of its bitmaps. In an instance of
 * the pipe (instance/instance.h) all are constants that the compiler folds, but for the parts that
 * other settings, marks and debuggers ask for. */
#ifdef INSTANCE
static inline const struct config *core_config(const struct core *core)
{
    (void)core;
    return &instance_config;
}
static inline uint64_t core_extras(const struct core *core)
{
    return (core->extras & EXTRAS_FREE) | (INSTANCE_EXTRAS & ~EXTRAS_FREE);
}
static inline const struct ring_shape *core_shape(const struct core *core)
{
    (void)core;
    return &instance_shape;
}
static inline uint32_t core_ring_mask(const struct core *core)
{
    (void)core;
    return INSTANCE_RING_MASK;
}
#else
static inline const struct config *core_config(const struct core *core)
{
    return core->config;
}
static inline uint64_t core_extras(const struct core *core)
{
    return core->extras;
}
static inline const struct ring_shape *core_shape(const struct core *core)
{
    return &core->iq.shape;
}
static inline uint32_t core_ring_mask(const struct core *core)
{
    return core->ring_mask;
}
#endif

/* True if this instance is of a machine that has one of these parts independently of marks and
 * debuggers. Then the code for these parts is on the usual path, and is not a separate function. */
static inline bool core_always_has(const struct core *core, uint64_t parts)
{
    (void)core, (void)parts;
#ifdef INSTANCE
    return (INSTANCE_EXTRAS & ~EXTRAS_FREE & parts) != 0;
#else
    return false;
#endif
}

static inline bool core_is_in_order(const struct core *core)
{
#ifdef INSTANCE_KIND                    /* of a model whose settings need this back end */
    (void)core;
    return INSTANCE_KIND == CORE_IN_ORDER;
#else
    return core_config(core)->core_kind == CORE_IN_ORDER;
#endif
}

/* At a place of the ring. A table answers faster than a product with the size of an entry. */
static inline struct uop *core_at(const struct core *core, uint32_t index)
{
    return core->at[index];
}

static inline struct uop *core_uop(const struct core *core, uint64_t seq)
{
    return core_at(core, (uint32_t)seq & core_ring_mask(core));
}

/* The number of the instruction at a place of the ring. */
static inline uint64_t core_seq_at(const struct core *core, uint64_t index)
{
    return core->commit_seq + ((index - core->commit_seq) & core_ring_mask(core));
}

static inline uint64_t core_seq_of(const struct core *core, const struct uop *uop)
{
    return core_seq_at(core, (uint64_t)(uop - core->ring));
}

/* The bit of an instruction in bitmaps of its queue. index: its place in the ring. */
static inline uint32_t core_queue_bit(const struct core *core, const struct uop *uop,
                                      uint32_t index)
{
    return core_shape(core)->by_slot ? uop->slot : index;
}

/* The place in the ring of the instruction with that bit in a word of these bitmaps. */
static inline uint32_t core_ring_place(const struct core *core, uint32_t word, unsigned bit)
{
    if (core_shape(core)->by_slot)
        return core->iq.owner[word * 64 + bit];
    return (word & ((1u << core_shape(core)->words_log2) - 1)) * 64 + bit;
}

/* The bits of this queue's groups among those of all queues. */
static inline uint64_t core_groups_of(const struct core *core, uint64_t groups, unsigned queue)
{
    const struct ring_shape *shape = core_shape(core);
    return groups >> (queue << shape->queue_groups_log2) & shape->queue_groups;
}

/* The groups of a queue that have ready instructions. */
static inline uint64_t core_ready_groups(const struct core *core, unsigned queue)
{
    return core_groups_of(core, core->iq.ready_groups, queue);
}

/* The instruction of that number, or NULL when it has committed or was squashed since. */
static inline struct uop *core_living(const struct core *core, uint64_t seq, uint64_t id)
{
    struct uop *uop = core_uop(core, seq);
    bool is_it = seq >= core->commit_seq && seq < core->dispatch_seq && uop->id == id;
    return is_it ? uop : NULL;
}

/* True if rename, dispatch, issue and wake-up have none of the parts that most machines lack. */
static inline bool core_is_plain(const struct core *core)
{
    return (core_extras(core) & ~EXTRAS_ELSEWHERE) == 0;
}

static inline bool core_is_empty(const struct core *core)
{
    return core->commit_seq == core->dispatch_seq;
}

/* True if the next instruction is past decode and rename. */
static inline bool core_has_come(const struct core *core)
{
    return core->dispatch_seq != core->decode_seq &&
           core_uop(core, core->dispatch_seq)->decode_cycle + core_config(core)->decode_stages +
                   core_config(core)->rename_stages <= core->now;
}

#endif
