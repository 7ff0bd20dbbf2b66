/* TAGE: a bimodal base and tagged tables, indexed with geometrically longer histories; the longest
 * match predicts (Seznec, Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", JILP 2006). Useful bits are single, and age when allocation fails too often; a new
 * entry may lose to the alternate prediction (Seznec, "A New Case for the TAGE Branch Predictor",
 * MICRO 2011; "TAGE-SC-L Branch Predictors Again", CBP 2016). Entries of all tables have one size;
 * the banks that CBP 2016 shares between tables are left out. */
#include "sim/core/bpred/predictors.h"

#include <assert.h>
#include <stdlib.h>

enum { COUNTER_BITS = 3, COUNTER_TOP = 3, ALTERNATE_BITS = 4, TICK_LIMIT = 1024, NEW_ENTRIES = 2,
       PATH_MASK = 0xffff };
/* Of the tag in the word that an entry is. */
enum { TAG_AT = 8 * offsetof(struct tage_entry, tag) };
_Static_assert((int)TAG_AT == (int)LANE_BITS, "the tag is the word's upper half");
/* A ring of sums that is as long as 16 bits count: lanes with offsets in it wrap around by
 * themselves. */
_Static_assert(HISTORY_BITS * sizeof(history_sums) == 1 << LANE_BITS, "offsets wrap around");

void tage_init(struct tage *tage, const struct config *config, struct history *history,
               struct arena *arena)
{
    uint16_t length[TAGE_TABLES];
    bimodal_init(&tage->base, config, arena);
    tage->history = history;
    tage->tables = config->bpred_tage_tables;
    tage->entries = config->bpred_tage_entries;
    tage->index_bits = index_bits_of(config->bpred_tage_entries);
    tage->tag_bits = config->bpred_tage_tag_bits;
    tage->shift = (uint8_t)config->bpred_pc_shift;
    tage->noise = config->machine_seed * 2 + 1;
    assert(history->tables == 0);       /* the first table decides where sums of its folds are */
    tage->wraps = (tage->entries & (tage->entries - 1)) != 0;
    history_lengths(tage->tables, config->bpred_tage_min_history, config->bpred_tage_max_history,
                    length);
    for (uint32_t t = 0; t < tage->tables; t++) {
        history_add(history, length[t], tage->index_bits, tage->tag_bits);
        tage->back.of[t] = (uint16_t)(length[t] * sizeof(history_sums));
        tage->is_table.of[t] = UINT16_MAX;
        tage->path_mask.of[t] = (uint16_t)low_bits(PATH_MASK, length[t]);
        tage->pc_up.of[t] = (uint16_t)(1u << (16 - tage->index_bits + t % tage->index_bits));
    }
    for (uint32_t t = 0; t < TAGE_TABLES; t++) {
        uint32_t first = t < tage->tables ? t * tage->entries : 0;  /* read, but not used */
        if (t % 2 == 0)
            tage->first_even[t / 2] = first;
        else
            tage->first_odd[t / 2] = first;
        tage->index_mask.of[t] = (uint16_t)low_bits(UINT16_MAX, tage->index_bits);
        tage->tag_mask.of[t] = (uint16_t)low_bits(UINT16_MAX, tage->tag_bits);
    }
    tage->is_wide = lanes_are_wide();
    tage->entry = arena_take(arena, tage->tables * (size_t)tage->entries, sizeof tage->entry[0]);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* The upper half of each product: a shift of the pc to the right, by 16 less the logarithm of the
 * factor. */
static ALWAYS_INLINE void upper_products(uint16_t pc, const tage_lanes *factor, tage_lanes *upper)
{
    for (unsigned t = 0; t < TAGE_TABLES; t++)
        upper->of[t] = (uint16_t)((uint32_t)pc * factor->of[t] >> 16);
}

static void wrap_indices(const struct tage *tage, struct record *record)
{
    for (uint32_t t = 0; t < TAGE_TABLES; t++)
        record->index.of[t] = (uint16_t)entry_at(record->index.of[t], tage->entries);
}

/* Sums of a column of the history, as the folds of the bits since; bits above the width are
 * undefined. */
static ALWAYS_INLINE void turn(const struct history *history, unsigned column, lane_vector *bits)
{
    unsigned width = history->width[column], left = history_turn(history, column);
    *bits ^= history_sum(history, history->at.position)->of[column];
    *bits = *bits << left | *bits >> (width - left);
}

/* Folds of the histories of all tables, as turn() has them: of two columns from the first on, whose
 * sums are read at the places after which the histories begin. */
static ALWAYS_INLINE void read_folds(const struct tage *tage, unsigned first, lane_vector *low,
                                     lane_vector *high, const struct lane_ops ops)
{
    const struct history *history = tage->history;
    uint16_t now = (uint16_t)(history->at.position * sizeof(history_sums));
    lane_vector at = now - tage->back.all, zero = {0};
    word_vector even_at = (word_vector)LANES_OF(at, zero);
    word_vector odd_at = (word_vector)at >> LANE_BITS, even, odd;
    ops.gather(&history->sum[0].of[first], 1, &even_at, &even);
    ops.gather(&history->sum[0].of[first], 1, &odd_at, &odd);
    *low = LANES_OF((lane_vector)even, (lane_vector)(odd << LANE_BITS));
    *high = LANES_OF((lane_vector)(even >> LANE_BITS), (lane_vector)odd);
    turn(history, first, low);
    turn(history, first + 1, high);
}

static ALWAYS_INLINE void folds(const struct tage *tage, tage_lanes fold[FOLDS],
                                const struct lane_ops ops)
{
    lane_vector low, high;
    read_folds(tage, 0, &low, &high, ops);
    fold[0].all = fold[2].all = low;
    fold[1].all = high;
    if (tage->history->width[2] != tage->history->width[0]) {
        read_folds(tage, 1, &high, &low, ops);
        fold[2].all = low;
    }
}

/* Index: pc ^ pc >> shift of the table ^ fold ^ path ^ path >> index_bits. Tag: pc ^ fold ^ the
 * other fold << 1. */
static ALWAYS_INLINE void hash(const struct tage *tage, uint64_t pc, struct record *record,
                               const struct lane_ops ops)
{
    const lane_vector zero = {0};
    tage_lanes fold[FOLDS];
    folds(tage, fold, ops);
    pc >>= tage->shift;
    lane_vector low = zero + (uint16_t)pc, high = zero + (uint16_t)(pc >> 16);
    lane_vector path = (zero + (uint16_t)tage->history->at.path) & tage->path_mask.all;
    tage_lanes upper;
    upper_products((uint16_t)pc, &tage->pc_up, &upper);
    record->index.all = (low ^ (upper.all | high * tage->pc_up.all) ^ path ^
                         path >> tage->index_bits ^ fold[0].all) & tage->index_mask.all;
    record->tag.all = (low ^ fold[1].all ^ fold[2].all << 1) & tage->tag_mask.all;
    if (tage->wraps)
        wrap_indices(tage, record);
}

/* The tables with a match, two bits each. */
static ALWAYS_INLINE uint32_t matches(const struct tage *tage, const struct record *record,
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
static inline unsigned longest(uint32_t tables)
{
    return tables == 0 ? NO_TABLE : (31u - (unsigned)__builtin_clz(tables)) / 2;
}

static ALWAYS_INLINE void find_matches(const struct tage *tage, struct record *record,
                                       const struct lane_ops ops)
{
    uint32_t tables = matches(tage, record, ops);
    unsigned provider = longest(tables);
    record->provider = (uint8_t)provider;
    record->alternate = (uint8_t)longest(tables & ~(UINT32_C(3) << (2 * provider & 31)));
}

static struct tage_entry *entry_of(const struct tage *tage, const struct record *record,
                                   unsigned table)
{
    return &tage->entry[table * tage->entries + record->index.of[table]];
}

static uint8_t confidence_of(int counter)
{
    int strength = counter < 0 ? -counter - 1 : counter;
    return (uint8_t)(strength == COUNTER_TOP ? 2 : strength != 0 ? 1 : 0);
}

static uint8_t base_confidence(const struct tage *tage, uint64_t pc)
{
    uint8_t counter = tage->base.counter[bimodal_place(&tage->base, pc >> tage->shift)];
    return counter == 0 || counter == tage->base.max ? 2 : 0;
}

static ALWAYS_INLINE bool predict_by(const struct tage *tage, uint64_t pc, struct record *record,
                                     const struct lane_ops ops)
{
    hash(tage, pc, record, ops);
    find_matches(tage, record, ops);
    bool alternate = record->alternate != NO_TABLE
                         ? entry_of(tage, record, record->alternate)->counter >= 0
                         : bimodal_predict(&tage->base, pc >> tage->shift, false);
    bool taken = alternate;
    record->flags = 0;
    if (record->provider == NO_TABLE) {
        record->confidence = base_confidence(tage, pc);
    } else {
        int counter = entry_of(tage, record, record->provider)->counter;
        record->confidence = confidence_of(counter);
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

static FOR_WIDE_LANES bool predict_wide(const struct tage *tage, uint64_t pc,
                                        struct record *record)
{
    return predict_by(tage, pc, record, lane_ops_of_wide);
}

bool tage_predict(const struct tage *tage, uint64_t pc, struct record *record)
{
    return tage->is_wide ? predict_wide(tage, pc, record)
                         : predict_by(tage, pc, record, lane_ops_of_any);
}

/* ---- training -------------------------------------------------------------------------------- */

static void age_useful(struct tage *tage)
{
    for (size_t i = 0; i < tage->tables * (size_t)tage->entries; i++)
        tage->entry[i].useful >>= 1;
}

/* Allocates entries in tables with longer histories than the provider's, beginning at random at the
 * next or next but one, in places that are not useful. */
static NOT_INLINE void allocate(struct tage *tage, const struct record *record, bool taken)
{
    uint32_t first = record->provider == NO_TABLE ? 0 : record->provider + 1u;
    int found = 0, refused = 0;
    if ((noise_step(&tage->noise) & 127) < 32)
        first++;
    for (uint32_t t = first; t < tage->tables && found < NEW_ENTRIES; t++) {
        struct tage_entry *entry = entry_of(tage, record, t);
        if (entry->useful != 0) {
            refused++;
            continue;
        }
        *entry = (struct tage_entry){.counter = taken ? 0 : -1, .tag = record->tag.of[t]};
        found++;
        t++;
    }
    tage->tick += refused - 2 * found;
    if (tage->tick < 0)
        tage->tick = 0;
    if (tage->tick >= TICK_LIMIT) {
        tage->tick = 0;
        age_useful(tage);
    }
}

static NOT_INLINE void train_alternate(struct tage *tage, uint64_t pc,
                                       const struct record *record, bool taken)
{
    if (record->alternate != NO_TABLE)
        weight_move(&entry_of(tage, record, record->alternate)->counter, taken, COUNTER_BITS);
    else
        bimodal_train(&tage->base, pc >> tage->shift, taken);
}

static void train_provider(struct tage *tage, uint64_t pc, const struct record *record, bool taken)
{
    struct tage_entry *entry = entry_of(tage, record, record->provider);
    bool provider_right = ((record->flags & RECORD_PROVIDER_TAKEN) != 0) == taken;
    bool alternate_right = ((record->flags & RECORD_ALTERNATE_TAKEN) != 0) == taken;
    bool was_weak = weight_is_weak(entry->counter);
    if (was_weak && provider_right != alternate_right)
        weight_move(&tage->alternate_wins, alternate_right, ALTERNATE_BITS);
    if (was_weak && !provider_right)
        train_alternate(tage, pc, record, taken);
    weight_move(&entry->counter, taken, COUNTER_BITS);
    if (weight_is_weak(entry->counter))     /* it was wrong */
        entry->useful = 0;
    if (provider_right && !alternate_right)
        entry->useful = 1;
}

/* If a new entry is already right, no longer history is allocated, even if the alternate was
 * chosen. */
void tage_train(struct tage *tage, uint64_t pc, const struct record *record, bool taken)
{
    bool wrong = ((record->flags & RECORD_TAGE_TAKEN) != 0) != taken;
    if (wrong && record->provider != NO_TABLE &&
        weight_is_weak(entry_of(tage, record, record->provider)->counter) &&
        ((record->flags & RECORD_PROVIDER_TAKEN) != 0) == taken)
        wrong = false;
    if (record->provider != NO_TABLE)
        train_provider(tage, pc, record, taken);
    else
        bimodal_train(&tage->base, pc >> tage->shift, taken);
    if (wrong)
        allocate(tage, record, taken);
}

uint64_t tage_storage(const struct tage *tage)
{
    uint64_t entry = COUNTER_BITS + 1 + tage->tag_bits;
    return bimodal_storage(&tage->base) + tage->tables * (uint64_t)tage->entries * entry +
           ALTERNATE_BITS + 10;
}

/* ---- as predictor.h has it ------------------------------------------------------------------- */

static void init(void *self, const struct predictor_parts *parts)
{
    tage_init(self, parts->config, parts->history, parts->arena);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    (void)history, (void)insn;
    return tage_predict(self, pc, record);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    (void)snapshot;
    tage_train(self, pc, record, taken);
}

static uint64_t storage(const void *self)
{
    return tage_storage(self);
}

const struct direction_predictor direction_tage = {
    .state_bytes = sizeof(struct tage), .has_record = true, .has_long_history = true,
    .init = init, .predict = predict, .train = train, .storage = storage,
};
