/* Bimodal: a saturating counter for each pc, without tags (Smith, "A Study of Branch Prediction
 * Strategies", ISCA 1981). The counters are the table of gshare too, and the base of TAGE; the
 * lookup is in predictors.h, as it is on the hot path of fetch. */
#include "sim/core/bpred/predictors.h"

#include <string.h>

enum { UNSEEN_STATIC = 1 };

void bimodal_init(struct bimodal *bimodal, const struct config *config, struct arena *arena)
{
    struct bimodal_shape *shape = &bimodal->shape;
    uint32_t entries = config->bpred_entries;
    shape->bits = (uint8_t)config->bpred_counter_bits;
    shape->max = (uint8_t)((1u << shape->bits) - 1);
    shape->half = (uint8_t)(1u << (shape->bits - 1));
    shape->mask = low_bits(UINT64_MAX, index_bits_of(entries));
    shape->entries = entries;
    shape->shift = (uint8_t)config->bpred_pc_shift;
    bimodal->counter = arena_take(arena, entries, sizeof bimodal->counter[0]);
    bimodal->has_seen = config->part_unseen == UNSEEN_STATIC;
    if (bimodal->has_seen)
        bimodal->seen = arena_take(arena, entries, sizeof bimodal->seen[0]);
    if (bimodal->counter != NULL)
        memset(bimodal->counter, (int)config->bpred_counter_initial, entries);
}

uint64_t bimodal_storage(const struct bimodal *bimodal)
{
    const struct bimodal_shape *shape = bimodal_shape(bimodal);
    return shape->entries * (shape->bits + (bimodal->has_seen ? 1u : 0u));
}

/* ---- as predictor.h has it ------------------------------------------------------------------- */

static void init(void *self, const struct predictor_parts *parts)
{
    bimodal_init(self, parts->config, parts->arena);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    const struct bimodal *bimodal = self;
    (void)history, (void)record;
    return bimodal_predict(bimodal, pc >> bimodal_shape(bimodal)->shift, insn->imm < 0);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    struct bimodal *bimodal = self;
    (void)snapshot, (void)record;
    bimodal_train(bimodal, pc >> bimodal_shape(bimodal)->shift, taken);
}

static uint64_t storage(const void *self)
{
    return bimodal_storage(self);
}

const struct direction_predictor direction_bimodal = {
    .state_bytes = sizeof(struct bimodal),
    .init = init, .predict = predict, .train = train, .storage = storage,
};
