/* Perceptron predictor with global history (Jimenez, Lin, "Dynamic Branch Prediction with
 * Perceptrons", HPCA 2001). Weights have 8 bits; the threshold is the paper's,
 * floor(1.93 h + 14). */
#include "sim/core/bpred/predictors.h"

#include <stdlib.h>

enum { WEIGHT_BITS = 8 };

void perceptron_init(struct perceptron *perceptron, const struct config *config,
                     struct arena *arena)
{
    perceptron->length = (uint8_t)config->bpred_perceptron_history;
    perceptron->mask = config->bpred_perceptron_entries - 1;
    perceptron->shift = (uint8_t)config->bpred_pc_shift;
    perceptron->threshold = (193 * perceptron->length + 1400) / 100;
    perceptron->weight = arena_take(arena, (size_t)config->bpred_perceptron_entries,
                                    perceptron->length + 1u);
}

static int8_t *weights_of(const struct perceptron *perceptron, uint64_t pc)
{
    return perceptron->weight +
           (pc >> perceptron->shift & perceptron->mask) * (perceptron->length + 1u);
}

bool perceptron_predict(const struct perceptron *perceptron, uint64_t pc, uint64_t history,
                        struct record *record)
{
    const int8_t *weight = weights_of(perceptron, pc);
    int sum = weight[0];
    for (unsigned i = 1; i <= perceptron->length; i++, history >>= 1)
        sum += history & 1 ? weight[i] : -weight[i];
    record->sum = (int16_t)sum;
    return sum >= 0;
}

void perceptron_train(struct perceptron *perceptron, uint64_t pc, uint64_t history,
                      const struct record *record, bool taken)
{
    if ((record->sum >= 0) == taken && abs(record->sum) > perceptron->threshold)
        return;
    int8_t *weight = weights_of(perceptron, pc);
    weight_move(&weight[0], taken, WEIGHT_BITS);
    for (unsigned i = 1; i <= perceptron->length; i++, history >>= 1)
        weight_move(&weight[i], (history & 1) == taken, WEIGHT_BITS);
}

uint64_t perceptron_storage(const struct perceptron *perceptron)
{
    return (perceptron->mask + 1) * (perceptron->length + 1u) * WEIGHT_BITS;
}
