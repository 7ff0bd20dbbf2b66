/* Gshare: counters indexed by pc and global history, exclusive-ored (McFarling, "Combining Branch
 * Predictors", DEC WRL TN-36, 1993). Without pc bits it is the two-level predictor GAg of Yeh and
 * Patt (1991). */
#include "sim/core/bpred/predictors.h"

void gshare_init(struct gshare *gshare, const struct config *config, struct arena *arena)
{
    struct gshare_shape *shape = &gshare->shape;
    bimodal_init(&gshare->table, config, arena);
    shape->history_mask = low_bits(UINT64_MAX, config->bpred_history);
    if (config->part_history_gap != 0) {
        shape->older_mask = shape->history_mask;
        shape->history_mask = low_bits(UINT64_MAX, config->part_history_gap);
        shape->older_mask = shape->older_mask >> 1 & ~shape->history_mask;
    }
    shape->pc_mask = low_bits(UINT64_MAX, config->bpred_pc_bits);
    shape->history_shift = (uint8_t)config->part_history_shift;
}

uint64_t gshare_storage(const struct gshare *gshare)
{
    return bimodal_storage(&gshare->table);
}

/* ---- as predictor.h has it ------------------------------------------------------------------- */

static void init(void *self, const struct predictor_parts *parts)
{
    gshare_init(self, parts->config, parts->arena);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    (void)record;
    return gshare_predict(self, pc, history, insn->imm < 0);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    (void)record;
    gshare_train(self, pc, snapshot->history, taken);
}

static uint64_t storage(const void *self)
{
    return gshare_storage(self);
}

static uint32_t reach(const struct config *config)
{
    return config->bpred_history;
}

const struct direction_predictor direction_gshare = {
    .state_bytes = sizeof(struct gshare),
    .init = init, .predict = predict, .train = train, .storage = storage, .reach = reach,
};
