/* Tournament predictor of the Alpha 21264: a local predictor of two levels, a global one, and a
 * choice between them, the last two indexed by global history alone (Kessler, "The Alpha 21264
 * Microprocessor", IEEE Micro 1999; sizes there: 1024 x 10 bits, 1024 x 3, 4096 x 2, 4096 x 2).
 * Local histories are those of committed branches, as in that processor. */
#include "sim/core/bpred/predictor.h"

#include <string.h>

enum { LOCAL_MAX = 7, LOCAL_HALF = 4, GLOBAL_MAX = 3, GLOBAL_HALF = 2 };

struct tournament {
    uint16_t *local_history;
    uint8_t *local, *global, *choice;
    uint64_t local_mask, global_mask;
    uint8_t shift;
};

static void init(void *self, const struct predictor_parts *parts)
{
    struct tournament *tournament = self;
    const struct config *config = parts->config;
    struct arena *arena = parts->arena;
    size_t local = (size_t)1 << config->bpred_tournament_local_history;
    size_t global = (size_t)1 << config->bpred_history;
    tournament->shift = (uint8_t)config->bpred_pc_shift;
    tournament->local_mask = local - 1;
    tournament->global_mask = global - 1;
    tournament->local_history = arena_take(arena, local, sizeof tournament->local_history[0]);
    tournament->local = arena_take(arena, local, 1);
    tournament->global = arena_take(arena, global, 1);
    tournament->choice = arena_take(arena, global, 1);
    if (tournament->local == NULL)
        return;
    memset(tournament->local, LOCAL_HALF - 1, local);
    memset(tournament->global, GLOBAL_HALF - 1, global);
    memset(tournament->choice, GLOBAL_HALF - 1, global);
}

static uint16_t *local_history(const struct tournament *tournament, uint64_t pc)
{
    return &tournament->local_history[pc >> tournament->shift & tournament->local_mask];
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    const struct tournament *tournament = self;
    (void)insn;
    uint64_t index = history & tournament->global_mask;
    record->local = *local_history(tournament, pc);
    if (tournament->choice[index] >= GLOBAL_HALF)
        return tournament->global[index] >= GLOBAL_HALF;
    return tournament->local[record->local] >= LOCAL_HALF;
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    struct tournament *tournament = self;
    uint64_t history = snapshot->history;
    uint64_t index = history & tournament->global_mask;
    uint8_t *local = &tournament->local[record->local], *global = &tournament->global[index];
    bool local_right = (*local >= LOCAL_HALF) == taken;
    bool global_right = (*global >= GLOBAL_HALF) == taken;
    if (local_right != global_right)
        counter_move(&tournament->choice[index], global_right, GLOBAL_MAX);
    counter_move(local, taken, LOCAL_MAX);
    counter_move(global, taken, GLOBAL_MAX);
    uint16_t *own = local_history(tournament, pc);
    *own = (uint16_t)(((uint64_t)*own << 1 | taken) & tournament->local_mask);
}

static uint64_t storage(const void *self)
{
    const struct tournament *tournament = self;
    return (tournament->local_mask + 1) * log2_of(tournament->local_mask + 1) +
           (tournament->local_mask + 1) * 3 + (tournament->global_mask + 1) * 4;
}

static uint32_t reach(const struct config *config)
{
    return config->bpred_history;
}

const struct direction_predictor direction_tournament = {
    .state_bytes = sizeof(struct tournament), .has_record = true,
    .init = init, .predict = predict, .train = train, .storage = storage, .reach = reach,
};
