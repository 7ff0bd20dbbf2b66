/* The prediction of the loop predictor (loop.c), inline for the predictor that it is a part of. */
#ifndef SIM_CORE_BPRED_LOOP_PREDICT_H
#define SIM_CORE_BPRED_LOOP_PREDICT_H

#include "sim/core/bpred/direction/corrector.h"

enum { LOOP_WAYS = 4, LOOP_TAG_BITS = 10, LOOP_CONFIDENT = 15, LOOP_CONFIDENT_COUNT = 128,
       LOOP_LANE = 16 };
_Static_assert(LOOP_WAYS * LOOP_LANE == 64, "the tags of a set are a word");
#define LOOP_EACH_WAY UINT64_C(0x0001000100010001)

static inline uint32_t loop_set_of(const struct loop *loop, uint64_t pc)
{
    uint64_t index = pc >> loop->shift & loop->index_mask;
    return (uint32_t)entry_at(index, loop->sets);
}

static inline uint16_t loop_tag_of(const struct loop *loop, uint64_t pc)
{
    return (uint16_t)low_bits(pc >> loop->tag_shift, LOOP_TAG_BITS);
}

/* The first entry of the set with this tag, or NO_LOOP. A lane that is zero borrows from the
 * highest bit; so may the lanes above it, but not those below. */
static inline uint32_t loop_find(const struct loop *loop, uint32_t set, uint16_t tag)
{
    uint64_t differs = loop->tags[set] ^ tag * LOOP_EACH_WAY;
    uint64_t zero = (differs - LOOP_EACH_WAY) & ~differs & LOOP_EACH_WAY << (LOOP_LANE - 1);
    return zero == 0 ? NO_LOOP : set * LOOP_WAYS + (unsigned)__builtin_ctzll(zero) / LOOP_LANE;
}

static inline bool loop_is_valid(const struct loop_entry *entry)
{
    return entry->length != 0 && (entry->confidence == LOOP_CONFIDENT ||
                                  entry->confidence * entry->length > LOOP_CONFIDENT_COUNT);
}

/* Sets loop_entry, loop_count and the flags LOOP_* of the record. */
static inline void loop_predict(const struct loop *loop, uint64_t pc, struct record *record)
{
    record->loop_entry = NO_LOOP;
    if (loop->sets == 0)
        return;
    uint32_t i = loop_find(loop, loop_set_of(loop, pc), loop_tag_of(loop, pc));
    if (i == NO_LOOP)
        return;
    const struct loop_entry *entry = &loop->entry[i];
    record->loop_entry = (uint16_t)i;
    record->loop_count = entry->fetched;
    bool is_last = entry->fetched + 1 == entry->length;
    if (loop_is_valid(entry))
        record->flags |= RECORD_LOOP_VALID;
    if (entry->body != is_last)
        record->flags |= RECORD_LOOP_TAKEN;
}

#endif
