/* The prediction of TAGE (tage.c), inline for the predictors that it is a part of. */
#ifndef SIM_CORE_BPRED_TAGE_PREDICT_H
#define SIM_CORE_BPRED_TAGE_PREDICT_H

#include "sim/core/bpred/direction/tage_folds.h"

enum { TAGE_COUNTER_BITS = 3, TAGE_COUNTER_TOP = 3 };
/* Of the tag in the word that an entry is. */
enum { TAG_AT = 8 * offsetof(struct tage_entry, tag) };
_Static_assert((int)TAG_AT == (int)LANE_BITS, "the tag is the word's upper half");
/* The upper half of each product: a shift of the pc to the right, by 16 less the logarithm of the
 * factor. */
static ALWAYS_INLINE void tage_upper_products(uint16_t pc, const tage_lanes *factor,
                                              tage_lanes *upper)
{
    for (unsigned t = 0; t < TAGE_TABLES; t++)
        upper->of[t] = (uint16_t)((uint32_t)pc * factor->of[t] >> 16);
}

static inline void tage_wrap_indices(const struct tage *tage, struct record *record)
{
    for (uint32_t t = 0; t < TAGE_TABLES; t++)
        record->index.of[t] = (uint16_t)entry_at(record->index.of[t], tage->entries);
}

/* Index: pc ^ pc >> shift of the table ^ fold ^ path ^ path >> index_bits. Tag: pc ^ fold ^ the
 * other fold << 1. */
static ALWAYS_INLINE void tage_hash(const struct tage *tage, uint64_t pc, struct record *record,
                                    const struct lane_ops ops)
{
    const lane_vector zero = {0};
    tage_lanes fold[FOLDS];
    tage_folds(tage, fold, ops);
    pc >>= tage->shift;
    lane_vector low = zero + (uint16_t)pc, high = zero + (uint16_t)(pc >> 16);
    lane_vector path = (zero + (uint16_t)tage->history->at.path) & tage->path_mask.all;
    tage_lanes upper;
    tage_upper_products((uint16_t)pc, &tage->pc_up, &upper);
    record->index.all = (low ^ (upper.all | high * tage->pc_up.all) ^ path ^
                         path >> tage->index_bits ^ fold[0].all) & tage->index_mask.all;
    record->tag.all = (low ^ fold[1].all ^ fold[2].all << 1) & tage->tag_mask.all;
    if (tage->wraps)
        tage_wrap_indices(tage, record);
}

/* The tables with a match, two bits each. */
static ALWAYS_INLINE uint32_t tage_matches(const struct tage *tage, const struct record *record,
                                           const struct lane_ops ops)
{
    const lane_vector zero = {0};
    lane_vector index = record->index.all;
    word_vector even_at = (word_vector)LANES_OF(index, zero) + tage->first_even, even;
    word_vector odd_at = ((word_vector)index >> LANE_BITS) + tage->first_odd, odd;
    ops.gather(tage->entry, sizeof tage->entry[0], &even_at, &even);
    ops.gather(tage->entry, sizeof tage->entry[0], &odd_at, &odd);
    lane_vector tag = LANES_OF((lane_vector)(even >> TAG_AT), (lane_vector)odd);
    lane_vector found = (lane_vector)(tag == record->tag.all) & tage->is_table.all;
    return ops.mask(&found);
}

/* An entry that was never allocated has tag 0 and no useful bit, as hardware's has. */
static inline unsigned tage_longest(uint32_t tables)
{
    return tables == 0 ? NO_TABLE : (31u - (unsigned)__builtin_clz(tables)) / 2;
}

static ALWAYS_INLINE void tage_find_matches(const struct tage *tage, struct record *record,
                                            const struct lane_ops ops)
{
    uint32_t tables = tage_matches(tage, record, ops);
    unsigned provider = tage_longest(tables);
    record->provider = (uint8_t)provider;
    record->alternate = (uint8_t)tage_longest(tables & ~(UINT32_C(3) << (2 * provider & 31)));
}

static inline struct tage_entry *tage_entry_of(const struct tage *tage,
                                               const struct record *record, unsigned table)
{
    return &tage->entry[table * tage->entries + record->index.of[table]];
}

static inline uint8_t tage_confidence_of(int counter)
{
    int strength = counter < 0 ? -counter - 1 : counter;
    return (uint8_t)(strength == TAGE_COUNTER_TOP ? 2 : strength != 0 ? 1 : 0);
}

static inline uint8_t tage_base_confidence(const struct tage *tage, uint64_t pc)
{
    uint8_t counter = tage->base.counter[bimodal_place(&tage->base, pc >> tage->shift)];
    return counter == 0 || counter == bimodal_shape(&tage->base)->max ? 2 : 0;
}

static ALWAYS_INLINE bool tage_predict_by(const struct tage *tage, uint64_t pc,
                                          struct record *record, const struct lane_ops ops)
{
    tage_hash(tage, pc, record, ops);
    tage_find_matches(tage, record, ops);
    bool alternate = record->alternate != NO_TABLE
                         ? tage_entry_of(tage, record, record->alternate)->counter >= 0
                         : bimodal_predict(&tage->base, pc >> tage->shift, false);
    bool taken = alternate;
    record->flags = 0;
    if (record->provider == NO_TABLE) {
        record->confidence = tage_base_confidence(tage, pc);
    } else {
        int counter = tage_entry_of(tage, record, record->provider)->counter;
        record->confidence = tage_confidence_of(counter);
        if (counter >= 0)
            record->flags |= RECORD_PROVIDER_TAKEN;
        if (!weight_is_weak(counter) || tage->alternate_wins < 0)
            taken = counter >= 0;
    }
    if (alternate)
        record->flags |= RECORD_ALTERNATE_TAKEN;
    if (taken)
        record->flags |= RECORD_TAGE_TAKEN;
    return taken;
}

#endif
