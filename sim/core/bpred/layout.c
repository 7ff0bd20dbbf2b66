/* Construction of a predictor: its settings, one block of memory for all its tables, and their
 * storage in hardware bits. */
#include "sim/core/bpred/bpred_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool bpred_is_perfect(const struct config *config)
{
    return config->bpred_kind == DIR_PERFECT;
}

static void set_policy(struct bpred *bpred, const struct config *config)
{
    struct bpred_shape *shape = &bpred->shape;
    shape->direction = (uint8_t)config->bpred_kind;
    shape->indirect = (uint8_t)config->bpred_indirect;
    shape->by_path = shape->indirect == INDIRECT_TARGET_CACHE && config->part_indirect_index != 0;
    shape->btb_miss = (uint8_t)config->bpred_btb_miss;
    shape->btb_allocate = (uint8_t)config->bpred_btb_allocate;
    shape->is_speculative = config->bpred_history_update == 0;
    shape->learns_at_resolve = config->bpred_train != 0;
    shape->taken_bubble = (uint8_t)config->bpred_taken_bubble;
    shape->btb_leads = config->part_btb_leads != 0;
    shape->miss_bubble = (uint8_t)config->bpred_btb_miss_stage;
    shape->main_bubble = (uint8_t)config->bpred_btb_bubble;
    shape->ras_bubble = (uint8_t)config->bpred_ras_bubble;
    shape->return_bubble = (uint8_t)config->part_return_bubble;
    shape->indirect_bubble = (uint8_t)config->part_indirect_bubble;
    shape->indirect_wait = (uint8_t)config->part_indirect_wait;
    shape->ras_miss_block = (uint8_t)(config->part_ras_miss != 0 ? config->fetch_bytes : 0);
    shape->ras_at_decode = config->part_ras_at_decode != 0;
    shape->is_at_decode = config->part_at_decode != 0;
    shape->jumps_ask = config->part_jumps_ask != 0 && config->part_at_decode != 0;
    shape->jumps_turn = config->part_jumps_turn != 0;
    shape->ras_first = config->part_ras_first != 0;
    bpred->moves_ras = true;
    bpred->transfer_cycle = bpred->asked = BPRED_UNKNOWN;
    shape->reads_ahead = config->part_row_ahead != 0 && config->bpred_kind == DIR_GSHARE &&
                         config->part_history_gap == 3 && shape->learns_at_resolve;
    shape->runs_past = config->part_indirect_runs != 0 && shape->indirect == INDIRECT_NONE;
    shape->carries_counters = config->part_carried_counters != 0 &&
                              config->bpred_kind == DIR_GSHARE;
}

static void make_direction(struct bpred *bpred, const struct predictor_parts *parts)
{
    struct bpred_shape *shape = &bpred->shape;
    const struct direction_predictor *predictor = direction_predictor_at(parts->config->bpred_kind);
    assert(predictor->state_bytes <= sizeof bpred->by);
    bpred->predictor = predictor;
    shape->has_long_history |= predictor->has_long_history;
    shape->has_records |= predictor->has_record;
    if (predictor->init != NULL)
        predictor->init(&bpred->by, parts);
}

static void make_indirect(struct bpred *bpred, const struct predictor_parts *parts)
{
    struct bpred_shape *shape = &bpred->shape;
    const struct indirect_predictor *predictor =
        indirect_predictor_at(parts->config->bpred_indirect);
    assert(predictor->state_bytes <= sizeof bpred->to);
    bpred->target_predictor = predictor;
    shape->has_long_history |= predictor->has_long_history;
    shape->has_records |= predictor->has_record;
    if (predictor->init != NULL)
        predictor->init(&bpred->to, parts);
}

/* Puts everything except the struct itself into the arena. */
static void lay_out(struct bpred *bpred, const struct config *config, uint32_t in_flight,
                    struct arena *arena)
{
    struct bpred_shape *shape = &bpred->shape;
    set_policy(bpred, config);
    const struct predictor_parts parts = {config, &bpred->long_history, arena};
    make_direction(bpred, &parts);
    if (shape->reads_ahead)
        gshare_port_init(bpred, config);
    shape->buffers_writes = shape->direction == DIR_BIMODE && shape->learns_at_resolve &&
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
    if (shape->has_long_history)
        history_place(&bpred->long_history, arena);
    if (shape->has_records)
        bpred->record = arena_take(arena, in_flight, sizeof bpred->record[0]);
    if (shape->learns_at_resolve)
        bpred->lesson = arena_take(arena, in_flight, sizeof bpred->lesson[0]);
    shape->write_slots = config->part_write_slots;
    if (shape->write_slots != 0)
        bpred->queue = arena_take(arena, WRITES_TABLES, sizeof bpred->queue[0]);
    bpred->record_mask = in_flight - 1;
    shape->is_plain = !shape->has_records && !shape->learns_at_resolve &&
                      !shape->carries_counters && !shape->by_path;
    shape->asks_first = !shape->is_plain &&
                        (bpred->rows.entries != 0 || shape->learns_at_resolve ||
                         shape->write_slots != 0 || shape->by_path || shape->carries_counters);
    flow_init(bpred);
    bool is_direct = !shape->asks_first && shape->is_speculative &&
                     shape->btb_miss == MISS_DECODE && !shape->btb_leads && !shape->has_port &&
                     !shape->has_flow && !shape->ras_first && !shape->is_at_decode &&
                     bpred->ras.shape.repair != RAS_COMMITTED && !bpred->btb.shape.has_buffer &&
                     shape->btb_allocate == ALLOCATE_TAKEN;
    shape->is_usual = is_direct && shape->has_records && shape->has_long_history;
    shape->is_simple = is_direct && shape->is_plain && shape->direction == DIR_GSHARE &&
                       !shape->has_long_history && !shape->reads_ahead;
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

void bpred_shape_of(const struct bpred *bpred, struct predictor_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    memcpy(&shape->bpred, &bpred->shape, sizeof shape->bpred);
    memcpy(&shape->btb, &bpred->btb.shape, sizeof shape->btb);
    memcpy(&shape->ras, &bpred->ras.shape, sizeof shape->ras);
    memcpy(&shape->chain, &bpred->chain.shape, sizeof shape->chain);
    if (bpred->shape.direction == DIR_GSHARE) {
        memcpy(&shape->bimodal, &bpred->by.gshare.table.shape, sizeof shape->bimodal);
        memcpy(&shape->gshare, &bpred->by.gshare.shape, sizeof shape->gshare);
    } else if (bpred->shape.direction == DIR_BIMODE) {
        memcpy(&shape->bimode, &bpred->by.bimode.shape, sizeof shape->bimode);
    }
}

bool bpred_set_instance(struct bpred *bpred, const struct predictor_shape *constant)
{
    struct predictor_shape own;
    bpred_shape_of(bpred, &own);
    bool is_its = constant != NULL && memcmp(&own, constant, sizeof own) == 0;
    bpred->instance = is_its ? constant : NULL;
    return is_its;
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
