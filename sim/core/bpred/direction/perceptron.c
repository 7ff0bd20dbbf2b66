/* Perceptron predictor with global history (Jimenez, Lin, "Dynamic Branch Prediction with
 * Perceptrons", HPCA 2001). Weights have 8 bits; the threshold is the paper's,
 * floor(1.93 h + 14). */
#include "sim/core/bpred/predictor.h"

#include <stdlib.h>

enum { WEIGHT_BITS = 8 };

struct perceptron {
    int8_t *weight;                     /* [entries][history + 1], the first is the bias */
    uint64_t mask, entries;
    int threshold;
    uint8_t shift, length;
};

static void init(void *self, const struct predictor_parts *parts)
{
    struct perceptron *perceptron = self;
    const struct config *config = parts->config;
    perceptron->length = (uint8_t)config->bpred_history;
    perceptron->entries = config->bpred_perceptron_entries;
    perceptron->mask = low_bits(UINT64_MAX, index_bits_of(perceptron->entries));
    perceptron->shift = (uint8_t)config->bpred_pc_shift;
    perceptron->threshold = (193 * perceptron->length + 1400) / 100;
    perceptron->weight = arena_take(parts->arena, perceptron->entries,
                                    perceptron->length + 1u);
}

static int8_t *weights_of(const struct perceptron *perceptron, uint64_t pc)
{
    uint64_t at = entry_at(pc >> perceptron->shift & perceptron->mask, perceptron->entries);
    return perceptron->weight + at * (perceptron->length + 1u);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    const struct perceptron *perceptron = self;
    (void)insn;
    const int8_t *weight = weights_of(perceptron, pc);
    int sum = weight[0];
    for (unsigned i = 1; i <= perceptron->length; i++, history >>= 1)
        sum += history & 1 ? weight[i] : -weight[i];
    record->sum = (int16_t)sum;
    return sum >= 0;
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    const struct perceptron *perceptron = self;
    uint64_t history = snapshot->history;
    if ((record->sum >= 0) == taken && abs(record->sum) > perceptron->threshold)
        return;
    int8_t *weight = weights_of(perceptron, pc);
    weight_move(&weight[0], taken, WEIGHT_BITS);
    for (unsigned i = 1; i <= perceptron->length; i++, history >>= 1)
        weight_move(&weight[i], (history & 1) == taken, WEIGHT_BITS);
}

static uint64_t storage(const void *self)
{
    const struct perceptron *perceptron = self;
    return perceptron->entries * (perceptron->length + 1u) * WEIGHT_BITS;
}

static uint32_t reach(const struct config *config)
{
    return config->bpred_history;
}

const struct direction_predictor direction_perceptron = {
    .state_bytes = sizeof(struct perceptron), .has_record = true,
    .init = init, .predict = predict, .train = train, .storage = storage, .reach = reach,
};
