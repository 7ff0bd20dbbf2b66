/* TAGE: a bimodal base and tagged tables, indexed with geometrically longer histories; the longest
 * match predicts (Seznec, Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", JILP 2006). Useful bits are single, and age when allocation fails too often; a new
 * entry may lose to the alternate prediction (Seznec, "A New Case for the TAGE Branch Predictor",
 * MICRO 2011; "TAGE-SC-L Branch Predictors Again", CBP 2016). Entries of all tables have one size;
 * the banks that CBP 2016 shares between tables are left out. */
#include "sim/core/bpred/direction/lanes_wide.h"
#include "sim/core/bpred/direction/tage_train.h"

#include <assert.h>
#include <stdlib.h>

enum { TICK_LIMIT = 1024, NEW_ENTRIES = 2, PATH_MASK = 0xffff };
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

static FOR_WIDE_LANES bool predict_wide(const struct tage *tage, uint64_t pc,
                                        struct record *record)
{
    return tage_predict_by(tage, pc, record, lane_ops_of_wide);
}

bool tage_predict(const struct tage *tage, uint64_t pc, struct record *record)
{
    return tage->is_wide ? predict_wide(tage, pc, record)
                         : tage_predict_by(tage, pc, record, lane_ops_of_any);
}

/* ---- training -------------------------------------------------------------------------------- */

static void age_useful(struct tage *tage)
{
    for (size_t i = 0; i < tage->tables * (size_t)tage->entries; i++)
        tage->entry[i].useful >>= 1;
}

/* Allocates entries in tables with longer histories than the provider's, beginning at random at the
 * next or next but one, in places that are not useful. */
void tage_allocate(struct tage *tage, const struct record *record, bool taken)
{
    uint32_t first = record->provider == NO_TABLE ? 0 : record->provider + 1u;
    int found = 0, refused = 0;
    if ((noise_step(&tage->noise) & 127) < 32)
        first++;
    for (uint32_t t = first; t < tage->tables && found < NEW_ENTRIES; t++) {
        struct tage_entry *entry = tage_entry_of(tage, record, t);
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

void tage_train_alternate(struct tage *tage, uint64_t pc, const struct record *record, bool taken)
{
    if (record->alternate != NO_TABLE)
        weight_move(&tage_entry_of(tage, record, record->alternate)->counter, taken,
                    TAGE_COUNTER_BITS);
    else
        bimodal_train(&tage->base, pc >> tage->shift, taken);
}

uint64_t tage_storage(const struct tage *tage)
{
    uint64_t entry = TAGE_COUNTER_BITS + 1 + tage->tag_bits;
    return bimodal_storage(&tage->base) + tage->tables * (uint64_t)tage->entries * entry +
           TAGE_ALTERNATE_BITS + 10;
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
