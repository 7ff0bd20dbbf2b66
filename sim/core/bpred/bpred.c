/* Branch prediction as a whole; see bpred.h. What fetch sees of a transfer, and what a squash
 * undoes; train.c says when tables learn, and the predictors themselves are a file each.
 *
 * Undo runs from the youngest instruction back. The return stack and the loop predictor are undone
 * one by one; of the long history only the oldest snapshot matters, so it is copied back once, when
 * something is predicted next. */
#include "sim/core/bpred/bpred_internal.h"

#include <stdlib.h>

enum { NO_LOOP = 0xffff };
#define TARGET_HASH UINT32_C(0x9e3779b1)        /* odd, 2^32 over the golden ratio */

/* ---- construction ---------------------------------------------------------------------------- */

static void set_policy(struct bpred *bpred, const struct config *config)
{
    bpred->indirect = (enum indirect)config->bpred_indirect;
    bpred->btb_miss = (enum btb_miss_policy)config->bpred_btb_miss;
    bpred->btb_allocate = (enum btb_allocate)config->bpred_btb_allocate;
    bpred->is_speculative = config->bpred_history_update == 0;
    bpred->learns_at_resolve = config->bpred_train != 0;
    bpred->taken_bubble = (uint8_t)config->bpred_taken_bubble;
    bpred->btb_leads = config->bpred_btb_leads != 0;
    bpred->jump_bubble = (uint8_t)config->bpred_jump_bubble;
    bpred->miss_bubble = (uint8_t)config->bpred_btb_miss_stage;
    bpred->main_bubble = (uint8_t)config->bpred_btb_bubble;
    bpred->ras_bubble = (uint8_t)config->bpred_ras_bubble;
    bpred->return_bubble = (uint8_t)config->bpred_return_bubble;
    bpred->indirect_bubble = (uint8_t)config->bpred_indirect_bubble;
    bpred->indirect_wait = (uint8_t)config->bpred_indirect_wait;
    bpred->ras_miss_block = (uint8_t)(config->bpred_ras_miss != 0 ? config->fetch_bytes : 0);
    bpred->ras_at_decode = config->bpred_ras_place != 0;
    bpred->is_at_decode = config->fetch_lock_step != 0;
    bpred->jumps_ask = config->bpred_jumps_ask != 0 && config->fetch_lock_step != 0;
    bpred->jumps_turn = config->bpred_jumps_turn != 0;
    bpred->ras_first = config->bpred_ras_first != 0;
    bpred->moves_ras = true;
    bpred->transfer_cycle = bpred->asked = BPRED_UNKNOWN;
    bpred->reads_ahead = config->bpred_row_ahead != 0 && config->bpred_kind == DIR_GSHARE &&
                         config->bpred_history_gap == 3 && bpred->learns_at_resolve;
    bpred->runs_past = config->bpred_indirect_runs != 0 && bpred->indirect == INDIRECT_NONE;
    bpred->carries_counters = config->bpred_carried_counters != 0 &&
                              config->bpred_kind == DIR_GSHARE;
}

/* Everything but the struct itself goes to the arena. */
static void lay_out(struct bpred *bpred, const struct config *config, uint32_t in_flight,
                    struct arena *arena)
{
    set_policy(bpred, config);
    direction_init(bpred, config, arena);
    if (bpred->reads_ahead)
        gshare_port_init(bpred, config);
    bpred->buffers_writes = bpred->direction == DIR_BIMODE && bpred->learns_at_resolve &&
                            config->bpred_write_buffer != 0;
    chain_init(&bpred->chain, config, arena);
    if (config->bpred_lookup != 0) {
        rows_init(&bpred->rows, config, arena);
    } else {
        btb_init(&bpred->btb, config, arena);
        ras_init(&bpred->ras, config, arena);
        ras_delay_init(&bpred->ras_delay, config, arena);
    }
    if (bpred->indirect == INDIRECT_TARGET_CACHE)
        target_cache_init(&bpred->target_cache, config, arena);
    if (bpred->indirect == INDIRECT_ITTAGE) {
        ittage_init(&bpred->ittage, config, &bpred->long_history, arena);
        bpred->has_records = bpred->has_long_history = true;
    }
    if (bpred->has_long_history)
        history_place(&bpred->long_history, in_flight, arena);
    if (bpred->has_records)
        bpred->record = arena_take(arena, in_flight, sizeof bpred->record[0]);
    if (bpred->learns_at_resolve)
        bpred->lesson = arena_take(arena, in_flight, sizeof bpred->lesson[0]);
    bpred->write_slots = config->bpred_write_slots;
    if (bpred->write_slots != 0)
        bpred->queue = arena_take(arena, WRITES_TABLES, sizeof bpred->queue[0]);
    bpred->record_mask = in_flight - 1;
    bpred->is_plain = !bpred->has_records && !bpred->learns_at_resolve &&
                      !bpred->carries_counters && !bpred->target_cache.by_path;
    flow_init(bpred);
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

/* ---- histories ------------------------------------------------------------------------------- */

/* Directions of branches; two bits of the target of an indirect jump; a bit of every pc. */
static __attribute__((noinline)) void advance_long(struct history *history, uint64_t pc,
                                                   const struct insn *insn, unsigned kind,
                                                   bool taken, uint64_t next_pc)
{
    if (kind == KIND_BRANCH) {
        history_push(history, taken);
        if (insn->imm < 0)
            history->at.inner = taken ? (uint16_t)((history->at.inner + 1) & 1023) : 0;
    } else if (kind == KIND_JALR && !insn_is_return(insn)) {
        uint32_t hash = (uint32_t)(next_pc >> 1) * TARGET_HASH;
        history_push(history, hash >> 31 & 1);
        history_push(history, hash >> 30 & 1);
    }
    history_path(history, pc);
}

static inline void advance(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                    bool taken, uint64_t next_pc)
{
    if (kind == KIND_BRANCH)
        bpred->history = bpred->history << 1 | taken;
    else if (kind == KIND_JALR && !insn_is_return(insn))
        bpred->path = target_cache_path(bpred->path, next_pc);
    if (bpred->has_long_history)
        advance_long(&bpred->long_history, pc, insn, kind, taken, next_pc);
}

void bpred_advance(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   bool taken, uint64_t next_pc)
{
    advance(bpred, pc, insn, kind, taken, next_pc);
}

static void restore(struct bpred *bpred)
{
    uint32_t slot = bpred->next_record & bpred->record_mask;
    bpred->must_restore = false;
    history_restore(&bpred->long_history, slot, &bpred->record[slot].point);
}

/* The rest of what an instruction needs to be undone, where the snapshot is not enough. */
__attribute__((noinline)) struct record *
bpred_begin_record(struct bpred *bpred, struct bpred_snapshot *snapshot)
{
    if (bpred->must_restore)
        restore(bpred);
    snapshot->record = (uint16_t)bpred->next_record++;
    struct record *record = record_of(bpred, snapshot);
    if (record != NULL)
        record->loop_entry = NO_LOOP;
    if (bpred->has_long_history)
        history_save(&bpred->long_history, snapshot->record & bpred->record_mask, &record->point);
    return record;
}

static void repair(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    if (bpred->is_at_decode) {
        bpred->next_record = snapshot->record;
        return;
    }
    ras_undo(&bpred->ras, snapshot->ras_value, snapshot->ras_top);
    if (bpred->is_speculative) {
        bpred->history = snapshot->history;
        bpred->path = snapshot->path;
    }
    if (bpred->is_plain)
        return;
    bpred->next_record = snapshot->record;
    bpred->must_restore = bpred->is_speculative && bpred->has_long_history;
    if (bpred->direction == DIR_TAGE_SC_L)
        loop_undo(&bpred->by.tage_sc_l.loop, record_of(bpred, snapshot));
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* What fetch knows of the instruction before it is decoded. */
struct sight { enum btb_level level; uint64_t target; };

static struct sight look(struct bpred *bpred, uint64_t pc)
{
    struct sight sight = {.target = 0};
    sight.level = btb_find(&bpred->btb, pc, &sight.target);
    return sight;
}

/* A transfer to pc + imm that is taken, or thought to be. */
static void predict_direct(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                           const struct sight *sight, struct prediction *prediction)
{
    uint64_t target = pc + (uint64_t)(int64_t)insn->imm;
    bool lies = sight->level != BTB_MISS && sight->target != target && btb_may_lie(&bpred->btb);
    if (sight->level != BTB_MISS && !lies) {
        prediction->next_pc = target;
        prediction->bubble = sight->level == BTB_MAIN ? bpred->main_bubble : 0;
        return;
    }
    prediction->btb_miss = true;
    if (bpred->btb.has_buffer && !bpred->in_loop)
        btb_refill(&bpred->btb, now, pc, target, !lies);
    if (bpred->btb_miss != MISS_NONE) {
        prediction->next_pc = target;
        prediction->bubble = bpred->miss_bubble;
        prediction->wrong_pc = lies ? sight->target : pc + insn->length;
    } else if (lies) {
        prediction->next_pc = sight->target;
    }
}

/* Gshare, the default, without a detour. */
static inline bool predict_taken(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                 struct record *record)
{
    return bpred->direction == DIR_GSHARE
               ? gshare_predict(&bpred->by.gshare, pc, bpred->history, insn->imm < 0)
               : direction_predict(bpred, pc, insn, record);
}

/* Fetch followed the BTB before the direction was known, and comes back. */
static void recall(struct bpred *bpred, uint64_t pc, struct prediction *prediction)
{
    btb_forget(&bpred->btb, pc);
    prediction->bubble = bpred->miss_bubble;
}

/* True when fetch knows it for a branch. Where only the BTB tells, the branch that it misses is
 * none to fetch and leaves no history. */
static bool predict_branch(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                           struct bpred_snapshot *snapshot, struct record *record,
                           struct prediction *prediction)
{
    struct sight sight;
    bool taken = !bpred->has_port ? predict_taken(bpred, pc, insn, record)
                 : bpred->reads_ahead
                     ? snapshot->counter > bpred->by.gshare.table.max / 2
                     : bimode_counter_of(snapshot->counter) >= bpred->by.bimode.half;
    if (taken || bpred->btb_miss != MISS_DECODE || bpred->btb_leads) {
        sight = look(bpred, pc);
        if (sight.level == BTB_MISS && bpred->btb_miss != MISS_DECODE)
            return false;
    }
    snapshot->predicted_taken = taken;
    if (taken)
        predict_direct(bpred, now, pc, insn, &sight, prediction);
    /* cppcheck-suppress uninitvar ; where the BTB leads it has been looked at */
    else if (bpred->btb_leads && sight.level != BTB_MISS)
        recall(bpred, pc, prediction);
    return true;
}

static uint64_t indirect_target(struct bpred *bpred, uint64_t pc, struct record *record)
{
    if (bpred->indirect == INDIRECT_ITTAGE)
        return ittage_predict(&bpred->ittage, pc, record);
    if (bpred->indirect != INDIRECT_TARGET_CACHE)
        return 0;
    return bpred->target_cache.by_path ? path_target(bpred)
               : target_cache_predict(&bpred->target_cache, pc, bpred->history, bpred->path);
}

/* A return asks when such as it can be there. */
static bool asks_btb(const struct bpred *bpred, const struct insn *insn)
{
    if (bpred->target_cache.by_path)
        return false;
    return bpred->btb_allocate != ALLOCATE_INDIRECT || !insn_is_return(insn) ||
           bpred->ras.entries == 0;
}

static uint64_t pop_return(struct bpred *bpred, uint64_t now)
{
    if (bpred->ras.repair == RAS_COMMITTED && bpred->ras.entries != 0) {
        bpred->early_top = ras_early_top(&bpred->ras, now);
        uint64_t seen = ras_pop_at(&bpred->ras, now);
        return bpred->asked == BPRED_UNKNOWN ? seen : bpred->held_target;
    }
    if (!bpred->moves_ras)
        return ras_peek(&bpred->ras);
    if (bpred->ras_delay.stage != 0)
        ras_delay_note(&bpred->ras_delay, now, 0);
    return ras_pop(&bpred->ras);
}

static void push_return(struct bpred *bpred, uint64_t now, uint64_t value)
{
    if (bpred->ras.repair == RAS_COMMITTED && bpred->ras.entries != 0) {
        ras_push_at(&bpred->ras, now, value);
        return;
    }
    if (bpred->ras_delay.stage != 0)
        ras_delay_note(&bpred->ras_delay, now, value);
    ras_push(&bpred->ras, value);
}

static bool predict_jalr(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                         struct record *record, struct prediction *prediction)
{
    uint64_t target = 0;
    const struct sight sight = look(bpred, pc);
    bool is_seen = bpred->btb_miss != MISS_NONE || sight.level != BTB_MISS;
    prediction->btb_miss = sight.level == BTB_MISS;
    if (!insn_is_return(insn)) {
        target = indirect_target(bpred, pc, record);
    } else if (is_seen) {
        target = pop_return(bpred, now);
        prediction->ras_underflow = target == 0;
    }
    if (!is_seen)
        return false;
    if (target == 0 && bpred->runs_past && !insn_is_return(insn))
        return true;
    if (target == 0 && bpred->indirect == INDIRECT_NONE)
        target = BPRED_UNKNOWN;
    else if (target == 0 && sight.level != BTB_MISS && asks_btb(bpred, insn))
        target = sight.target;
    if (target == 0 && bpred->ras_miss_block != 0 &&
        (insn_is_return(insn) || bpred->target_cache.by_path))
        target = path_block_start(bpred, pc);
    if (target == 0)
        return true;
    prediction->next_pc = target;
    if (bpred->target_cache.by_path && !insn_is_return(insn))
        path_follow(bpred, now, target);
    if (bpred->ras_at_decode && insn_is_return(insn)) {
        bool follows = sight.level != BTB_MISS && sight.target == target;
        prediction->bubble = follows ? 0 : bpred->miss_bubble;
        prediction->wrong_pc = follows ? 0 : sight.level != BTB_MISS ? sight.target
                                                                     : pc + insn->length;
        return true;
    }
    prediction->bubble = sight.level == BTB_MISS ? bpred->ras_bubble
                         : sight.level == BTB_MAIN ? bpred->main_bubble : 0;
    if (!insn_is_return(insn) && bpred->asked == BPRED_UNKNOWN)
        prediction->wait = bpred->indirect_wait;
    prediction->bubble = (uint8_t)(prediction->bubble + prediction->wait +
                                   (insn_is_return(insn) ? bpred->return_bubble
                                                         : bpred->indirect_bubble));
    return true;
}

static bool predict_jal(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                        struct prediction *prediction)
{
    const struct sight sight = look(bpred, pc);
    predict_direct(bpred, now, pc, insn, &sight, prediction);
    prediction->bubble = (uint8_t)(prediction->bubble + bpred->jump_bubble);
    bool is_seen = bpred->btb_miss != MISS_NONE || sight.level != BTB_MISS;
    prediction->turns = is_seen && bpred->jumps_turn;
    return is_seen;
}

void bpred_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                   unsigned kind, struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    struct record *record = NULL;
    bool is_seen;
    if (!bpred->is_plain) {
        if (bpred->rows.entries != 0) {
            rows_predict(bpred, now, pc, insn, snapshot, prediction);
            return;
        }
        bpred_learn_due(bpred, now + (bpred->reads_ahead || bpred->in_loop));
        record = bpred_begin_record(bpred, snapshot);
        if (bpred->target_cache.by_path)
            path_begin_block(bpred, now);
        if (bpred->carries_counters && kind == KIND_BRANCH)
            snapshot->counter = gshare_counter(&bpred->by.gshare, pc, bpred->history);
    }
    snapshot->history = bpred->history;
    snapshot->path = bpred->path;
    snapshot->predicted_taken = snapshot->stays_out = false;
    ras_save(&bpred->ras, &snapshot->ras_value, &snapshot->ras_top);
    *prediction = (struct prediction){.next_pc = pc + insn->length};
    if (bpred->ras_first) {
        bpred->moves_ras = bpred->transfer_cycle != now;
        bpred->transfer_cycle = now;
    }
    if (bpred->has_port && kind == KIND_BRANCH)
        snapshot->counter = flow_counter(bpred, now, pc);
    if (kind == KIND_BRANCH) {
        is_seen = predict_branch(bpred, now, pc, insn, snapshot, record, prediction);
        if (bpred->direction == DIR_TAGE_SC_L)
            loop_advance(&bpred->by.tage_sc_l.loop, record, snapshot->predicted_taken);
    } else if (kind == KIND_JAL) {
        is_seen = predict_jal(bpred, now, pc, insn, prediction);
    } else {
        is_seen = predict_jalr(bpred, now, pc, insn, record, prediction);
    }
    if (is_seen && bpred->is_speculative)
        advance(bpred, pc, insn, kind, snapshot->predicted_taken, prediction->next_pc);
    if (kind != KIND_BRANCH && is_seen && bpred->moves_ras && insn_is_call(insn))
        push_return(bpred, now, pc + insn->length);
    bpred->live_top = bpred->ras.top;
    if (kind != KIND_BRANCH)
        bpred->asked = BPRED_UNKNOWN;
    if (prediction->next_pc != pc + insn->length || prediction->turns) {
        prediction->turns = true;
        prediction->bubble = (uint8_t)(prediction->bubble + bpred->taken_bubble);
        bpred->entered = prediction->next_pc;
    }
    if (bpred->has_flow)
        flow_note(bpred, now, pc, insn, kind, snapshot, prediction);
}

/* ---- repair ---------------------------------------------------------------------------------- */

/* Of an instruction thrown away before it had executed. */
static void drop_lesson(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    uint32_t kept = bpred->lesson_head;
    for (uint32_t i = bpred->lesson_head; i != bpred->lesson_tail; i++)
        if (lesson_at(bpred, i)->snapshot.record != snapshot->record)
            *lesson_at(bpred, kept++) = *lesson_at(bpred, i);
    bpred->lesson_tail = kept;
}

void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    if (bpred->lesson_head != bpred->lesson_tail)
        drop_lesson(bpred, snapshot);
    repair(bpred, snapshot);
}

void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken, uint64_t next_pc)
{
    if (bpred->rows.entries != 0) {
        rows_correct(bpred, pc, insn, kind, taken, next_pc);
        return;
    }
    repair(bpred, snapshot);
    if (bpred->must_restore)
        restore(bpred);
    if (!bpred->is_plain)
        bpred->next_record++;
    if (bpred->is_at_decode) {
        bpred_correct_history(bpred, kind, snapshot, taken);
        return;
    }
    if (bpred->is_speculative)
        advance(bpred, pc, insn, kind, taken, next_pc);
    if (bpred->reads_ahead && kind == KIND_BRANCH)
        gshare_port_restart(bpred);
    if (bpred->direction == DIR_TAGE_SC_L && kind == KIND_BRANCH)
        loop_advance(&bpred->by.tage_sc_l.loop, record_of(bpred, snapshot), taken);
    if (bpred->ras.repair >= RAS_NONE)
        return;
    if (kind == KIND_JALR && insn_is_return(insn))
        ras_pop(&bpred->ras);
    if (insn_is_call(insn))
        ras_push(&bpred->ras, pc + insn->length);
    if (bpred->runs_past && kind == KIND_JALR && !insn_is_return(insn) && insn_is_call(insn))
        bpred->ras.top = bpred->live_top;
}

/* ---- storage --------------------------------------------------------------------------------- */

bool bpred_storage(const struct config *config, struct bpred_storage *storage)
{
    struct arena arena = {0};
    struct bpred *bpred = calloc(1, sizeof *bpred);
    if (bpred == NULL)
        return false;
    lay_out(bpred, config, 1, &arena);
    *storage = (struct bpred_storage){
        .direction = direction_storage(bpred),
        .history = direction_history(bpred, config) + history_storage(&bpred->long_history),
        .btb = btb_storage(&bpred->btb) + chain_storage(&bpred->chain) + rows_storage(&bpred->rows),
        .ras = ras_storage(&bpred->ras) + rows_stack_storage(&bpred->rows),
        .indirect = bpred->indirect == INDIRECT_TARGET_CACHE
                        ? target_cache_storage(&bpred->target_cache)
                    : bpred->indirect == INDIRECT_ITTAGE ? ittage_storage(&bpred->ittage) : 0,
    };
    if (bpred_is_perfect(config))
        *storage = (struct bpred_storage){0};
    free(bpred);
    return true;
}
