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
enum { USUAL_TABLES = 12 };            /* no more are read where there are no more */

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
        tage->back.of[t] = (uint16_t)(length[t] * HISTORY_WIDTHS);
        tage->bit.of[t] = (uint16_t)(1u << t);
        tage->path_mask.of[t] = (uint16_t)low_bits(PATH_MASK, length[t]);
        tage->pc_up.of[t] = (uint16_t)(1u << (16 - tage->index_bits + t % tage->index_bits));
        tage->entry[t] = arena_take(arena, tage->entries, sizeof tage->entry[t][0]);
    }
    for (uint32_t t = tage->tables; t < TAGE_TABLES; t++)
        tage->entry[t] = tage->entry[0];        /* read like the others, but not used */
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

/* Of the sums after which the histories of some tables begin: those of the first two widths. */
static ALWAYS_INLINE void read_sums(const struct tage *tage, const tage_lanes *at, unsigned first,
                                    unsigned end, lane_vector *low, lane_vector *high)
{
    const uint16_t *sum = tage->history->sum[0].of;
#pragma GCC unroll 12
    for (unsigned t = first; t < end; t++) {
        (*low)[t] = sum[at->of[t]];
        (*high)[t] = sum[at->of[t] + 1];
    }
}

/* The bits of every history, turned to be its fold. */
static ALWAYS_INLINE void turn(const struct history *history, unsigned column, lane_vector *bits)
{
    unsigned width = history->width[column], left = history_turn(history, column);
    *bits ^= history_sum(history, history->at.position)->of[column];
    *bits = (*bits << left | *bits >> (width - left)) & (uint16_t)((1u << width) - 1);
}

static ALWAYS_INLINE void read_third_sums(const struct tage *tage, const tage_lanes *at,
                                          unsigned first, unsigned end, lane_vector *bits)
{
    const uint16_t *sum = tage->history->sum[0].of + 2;
#pragma GCC unroll 8
    for (unsigned t = first; t < end; t++)
        (*bits)[t] = sum[at->of[t]];
}

/* The fold of one bit less than the tag is that of the index in tables of the usual size. */
FOR_WIDE_VECTORS static void short_tag_folds(const struct tage *tage, const tage_lanes *at,
                                             tage_lanes *fold)
{
    lane_vector bits = {0};
    read_third_sums(tage, at, 0, TAGE_TABLES / 2, &bits);
    if (tage->tables > TAGE_TABLES / 2)
        read_third_sums(tage, at, TAGE_TABLES / 2, TAGE_TABLES, &bits);
    turn(tage->history, 2, &bits);
    fold->all = bits;
}

static ALWAYS_INLINE void folds(const struct tage *tage, tage_lanes fold[FOLDS])
{
    const struct history *history = tage->history;
    const uint16_t ring_mask = HISTORY_BITS * HISTORY_WIDTHS - 1;
    uint16_t now = (uint16_t)(history->at.position * HISTORY_WIDTHS);
    tage_lanes at = {.all = (now - tage->back.all) & ring_mask};
    lane_vector low = {0}, high = {0};
    read_sums(tage, &at, 0, USUAL_TABLES, &low, &high);
    if (tage->tables > USUAL_TABLES)
        read_sums(tage, &at, USUAL_TABLES, TAGE_TABLES, &low, &high);
    turn(history, 0, &low);
    turn(history, 1, &high);
    fold[0].all = fold[2].all = low;
    fold[1].all = high;
    if (history->width[2] != history->width[0])
        short_tag_folds(tage, &at, &fold[2]);
}

/* Index: pc ^ pc >> shift of the table ^ fold ^ path ^ path >> index_bits. Tag: pc ^ fold ^ the
 * other fold << 1. */
static ALWAYS_INLINE void hash(const struct tage *tage, uint64_t pc, struct record *record)
{
    const lane_vector zero = {0};
    uint16_t index_mask = (uint16_t)((1u << tage->index_bits) - 1);
    uint16_t tag_mask = (uint16_t)((1u << tage->tag_bits) - 1);
    tage_lanes fold[FOLDS];
    folds(tage, fold);
    pc >>= tage->shift;
    lane_vector low = zero + (uint16_t)pc, high = zero + (uint16_t)(pc >> 16);
    lane_vector path = (zero + (uint16_t)tage->history->at.path) & tage->path_mask.all;
    tage_lanes upper;
    upper_products((uint16_t)pc, &tage->pc_up, &upper);
    record->index.all = ((low ^ (upper.all | high * tage->pc_up.all) ^ path ^
                          path >> tage->index_bits) & index_mask) ^ fold[0].all;
    record->tag.all = (low & tag_mask) ^ fold[1].all ^ fold[2].all << 1;
    if (tage->wraps)
        wrap_indices(tage, record);
}

static ALWAYS_INLINE void read_tags(const struct tage *tage, const struct record *record,
                                    unsigned first, unsigned end, lane_vector *tag)
{
#pragma GCC unroll 12
    for (unsigned t = first; t < end; t++)
        (*tag)[t] = tage->entry[t][record->index.of[t]].tag;
}

/* The tables with a match, as a bit mask. */
static ALWAYS_INLINE uint32_t matches(const struct tage *tage, const struct record *record)
{
    lane_vector tag = {0};
    read_tags(tage, record, 0, USUAL_TABLES, &tag);
    if (tage->tables > USUAL_TABLES)
        read_tags(tage, record, USUAL_TABLES, TAGE_TABLES, &tag);
    lane_vector found = (lane_vector)(tag == record->tag.all) & tage->bit.all;
    wide_lanes halves = (wide_lanes)found;
    uint64_t tables = halves[0] | halves[1] | halves[2] | halves[3];
    tables |= tables >> 2 * LANE_BITS;
    return (uint32_t)low_bits(tables | tables >> LANE_BITS, LANE_BITS);
}

/* An entry that was never allocated has tag 0 and no useful bit, as hardware's has. */
static inline unsigned longest(uint32_t tables)
{
    return tables == 0 ? NO_TABLE : 31u - (unsigned)__builtin_clz(tables);
}

static ALWAYS_INLINE void find_matches(const struct tage *tage, struct record *record)
{
    uint32_t tables = matches(tage, record);
    unsigned provider = longest(tables);
    record->provider = (uint8_t)provider;
    record->alternate = (uint8_t)longest(tables & ~(UINT32_C(1) << (provider & 31)));
}

static struct tage_entry *entry_of(const struct tage *tage, const struct record *record,
                                   unsigned table)
{
    return &tage->entry[table][record->index.of[table]];
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

FOR_WIDE_VECTORS bool tage_predict(const struct tage *tage, uint64_t pc, struct record *record)
{
    hash(tage, pc, record);
    find_matches(tage, record);
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

/* ---- training -------------------------------------------------------------------------------- */

static void age_useful(struct tage *tage)
{
    for (uint32_t t = 0; t < tage->tables; t++)
        for (uint32_t i = 0; i < tage->entries; i++)
            tage->entry[t][i].useful >>= 1;
}

/* Allocates entries in tables with longer histories than the provider's, beginning at random at the
 * next or next but one, in places that are not useful. */
static void allocate(struct tage *tage, const struct record *record, bool taken)
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

static void train_alternate(struct tage *tage, uint64_t pc, const struct record *record, bool taken)
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
