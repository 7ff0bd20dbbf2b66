/* Construction of a predictor: its settings, one block of memory for all its tables, and their
 * storage in hardware bits. */
#include "sim/core/bpred/bpred_internal.h"

#include <assert.h>
#include <stdlib.h>

bool bpred_is_perfect(const struct config *config)
{
    return config->bpred_kind == DIR_PERFECT;
}

static void set_policy(struct bpred *bpred, const struct config *config)
{
    bpred->direction = (enum direction)config->bpred_kind;
    bpred->indirect = (enum indirect)config->bpred_indirect;
    bpred->by_path = bpred->indirect == INDIRECT_TARGET_CACHE && config->part_indirect_index != 0;
    bpred->btb_miss = (enum btb_miss_policy)config->bpred_btb_miss;
    bpred->btb_allocate = (enum btb_allocate)config->bpred_btb_allocate;
    bpred->is_speculative = config->bpred_history_update == 0;
    bpred->learns_at_resolve = config->bpred_train != 0;
    bpred->taken_bubble = (uint8_t)config->bpred_taken_bubble;
    bpred->btb_leads = config->part_btb_leads != 0;
    bpred->miss_bubble = (uint8_t)config->bpred_btb_miss_stage;
    bpred->main_bubble = (uint8_t)config->bpred_btb_bubble;
    bpred->ras_bubble = (uint8_t)config->bpred_ras_bubble;
    bpred->return_bubble = (uint8_t)config->part_return_bubble;
    bpred->indirect_bubble = (uint8_t)config->part_indirect_bubble;
    bpred->indirect_wait = (uint8_t)config->part_indirect_wait;
    bpred->ras_miss_block = (uint8_t)(config->part_ras_miss != 0 ? config->fetch_bytes : 0);
    bpred->ras_at_decode = config->part_ras_at_decode != 0;
    bpred->is_at_decode = config->part_at_decode != 0;
    bpred->jumps_ask = config->part_jumps_ask != 0 && config->part_at_decode != 0;
    bpred->jumps_turn = config->part_jumps_turn != 0;
    bpred->ras_first = config->part_ras_first != 0;
    bpred->moves_ras = true;
    bpred->transfer_cycle = bpred->asked = BPRED_UNKNOWN;
    bpred->reads_ahead = config->part_row_ahead != 0 && config->bpred_kind == DIR_GSHARE &&
                         config->part_history_gap == 3 && bpred->learns_at_resolve;
    bpred->runs_past = config->part_indirect_runs != 0 && bpred->indirect == INDIRECT_NONE;
    bpred->carries_counters = config->part_carried_counters != 0 &&
                              config->bpred_kind == DIR_GSHARE;
}

static void make_direction(struct bpred *bpred, const struct predictor_parts *parts)
{
    const struct direction_predictor *predictor = direction_predictor_at(parts->config->bpred_kind);
    assert(predictor->state_bytes <= sizeof bpred->by);
    bpred->predictor = predictor;
    bpred->has_long_history |= predictor->has_long_history;
    bpred->has_records |= predictor->has_record;
    if (predictor->init != NULL)
        predictor->init(&bpred->by, parts);
}

static void make_indirect(struct bpred *bpred, const struct predictor_parts *parts)
{
    const struct indirect_predictor *predictor =
        indirect_predictor_at(parts->config->bpred_indirect);
    assert(predictor->state_bytes <= sizeof bpred->to);
    bpred->target_predictor = predictor;
    bpred->has_long_history |= predictor->has_long_history;
    bpred->has_records |= predictor->has_record;
    if (predictor->init != NULL)
        predictor->init(&bpred->to, parts);
}

/* Puts everything except the struct itself into the arena. */
static void lay_out(struct bpred *bpred, const struct config *config, uint32_t in_flight,
                    struct arena *arena)
{
    set_policy(bpred, config);
    const struct predictor_parts parts = {config, &bpred->long_history, arena};
    make_direction(bpred, &parts);
    if (bpred->reads_ahead)
        gshare_port_init(bpred, config);
    bpred->buffers_writes = bpred->direction == DIR_BIMODE && bpred->learns_at_resolve &&
                            config->part_write_buffer != 0;
    chain_init(&bpred->chain, config, arena);
    if (config->part_lookup != 0) {
        rows_init(&bpred->rows, config, arena);
    } else {
        btb_init(&bpred->btb, config, arena);
        ras_init(&bpred->ras, config, arena);
        ras_delay_init(&bpred->ras_delay, config, arena);
    }
    make_indirect(bpred, &parts);
    if (bpred->has_long_history)
        history_place(&bpred->long_history, arena);
    if (bpred->has_records)
        bpred->record = arena_take(arena, in_flight, sizeof bpred->record[0]);
    if (bpred->learns_at_resolve)
        bpred->lesson = arena_take(arena, in_flight, sizeof bpred->lesson[0]);
    bpred->write_slots = config->part_write_slots;
    if (bpred->write_slots != 0)
        bpred->queue = arena_take(arena, WRITES_TABLES, sizeof bpred->queue[0]);
    bpred->record_mask = in_flight - 1;
    bpred->is_plain = !bpred->has_records && !bpred->learns_at_resolve &&
                      !bpred->carries_counters && !bpred->by_path;
    bpred->asks_first = !bpred->is_plain &&
                        (bpred->rows.entries != 0 || bpred->learns_at_resolve ||
                         bpred->write_slots != 0 || bpred->by_path || bpred->carries_counters);
    flow_init(bpred);
    bool is_direct = !bpred->asks_first && bpred->is_speculative &&
                     bpred->btb_miss == MISS_DECODE && !bpred->btb_leads && !bpred->has_port &&
                     !bpred->has_flow && !bpred->ras_first && !bpred->is_at_decode &&
                     bpred->ras.repair != RAS_COMMITTED && !bpred->btb.has_buffer &&
                     bpred->btb_allocate == ALLOCATE_TAKEN;
    bpred->is_usual = is_direct && bpred->has_records && bpred->has_long_history;
    bpred->is_simple = is_direct && bpred->is_plain && bpred->direction == DIR_GSHARE &&
                       !bpred->has_long_history && !bpred->reads_ahead;
}

struct bpred *bpred_new(const struct config *config, uint32_t in_flight)
{
    struct arena arena = {0};
    struct bpred *bpred = calloc(1, sizeof *bpred);
    if (bpred == NULL)
        return NULL;
    size_t own = (sizeof *bpred + 63) & ~(size_t)63;
    lay_out(bpred, config, in_flight, &arena);
    free(bpred);
    uint8_t *block = calloc(1, own + arena.used);
    if (block == NULL)
        return NULL;
    bpred = (struct bpred *)(void *)block;
    arena = (struct arena){.base = block + own};
    lay_out(bpred, config, in_flight, &arena);
    return bpred;
}

void bpred_free(struct bpred *bpred)
{
    free(bpred);
}

/* ---- storage --------------------------------------------------------------------------------- */

/* The longer of the two predictors' reaches. */
static uint32_t plain_history(const struct bpred *bpred, const struct config *config)
{
    uint32_t directions = bpred->predictor->reach != NULL ? bpred->predictor->reach(config) : 0;
    uint32_t targets =
        bpred->target_predictor->reach != NULL ? bpred->target_predictor->reach(config) : 0;
    return targets > directions ? targets : directions;
}

bool bpred_storage(const struct config *config, struct bpred_storage *storage)
{
    struct arena arena = {0};
    struct bpred *bpred = calloc(1, sizeof *bpred);
    if (bpred == NULL)
        return false;
    lay_out(bpred, config, 1, &arena);
    const struct direction_predictor *direction = bpred->predictor;
    const struct indirect_predictor *indirect = bpred->target_predictor;
    *storage = (struct bpred_storage){
        .direction = direction->storage != NULL ? direction->storage(&bpred->by) : 0,
        .history = plain_history(bpred, config) + history_storage(&bpred->long_history),
        .btb = btb_storage(&bpred->btb) + chain_storage(&bpred->chain) + rows_storage(&bpred->rows),
        .ras = ras_storage(&bpred->ras) + rows_stack_storage(&bpred->rows),
        .indirect = indirect->storage != NULL ? indirect->storage(&bpred->to) : 0,
    };
    if (bpred_is_perfect(config))
        *storage = (struct bpred_storage){0};
    free(bpred);
    return true;
}
