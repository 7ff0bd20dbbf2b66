/* Branch prediction; see bpred.h. Direction tables are two-bit counters; the target buffer is
 * set-associative with true LRU; the return stack is a ring repaired entry by entry.
 * Sources: McFarling, "Combining Branch Predictors", 1993 (bimodal, gshare); Skadron et al.,
 * "Improving Prediction for Procedure Returns with Return-Address-Stack Repair", 1998. */
#include "sim/core/bpred.h"

#include <stdlib.h>

enum direction { DIR_NOT_TAKEN, DIR_STATIC, DIR_BIMODAL, DIR_GSHARE };

struct btb_entry { uint64_t pc, target; uint32_t used; };

struct bpred {
    const struct config *config;
    uint64_t history, history_mask;
    uint8_t *counters;                  /* [bpred_entries], 0..3, taken from 2 */
    struct btb_entry *btb;              /* [sets][ways]; pc = ~0: empty */
    uint32_t btb_sets, btb_ways, btb_clock;
    uint64_t *ras;                      /* [ras_entries] */
    uint16_t ras_top;                   /* number of pushes; entry (top-1) % entries is next */
    uint64_t *indirect;                 /* [indirect_entries] target cache, hashed with history */
};

static void *table(uint64_t count, size_t size)
{
    return calloc(count == 0 ? 1 : count, size);
}

struct bpred *bpred_new(const struct config *config)
{
    struct bpred *bpred = calloc(1, sizeof *bpred);
    if (bpred == NULL)
        return NULL;
    bpred->config = config;
    bpred->history_mask = config->bpred_history >= 64 ? ~UINT64_C(0)
                                                      : (UINT64_C(1) << config->bpred_history) - 1;
    bpred->btb_ways = config->bpred_btb_ways;
    bpred->btb_sets = config->bpred_btb_entries / config->bpred_btb_ways;
    bpred->counters = table(config->bpred_entries, 1);
    bpred->btb = table(config->bpred_btb_entries, sizeof bpred->btb[0]);
    bpred->ras = table(config->bpred_ras_entries, sizeof bpred->ras[0]);
    bpred->indirect = table(config->bpred_indirect_entries, sizeof bpred->indirect[0]);
    if (!bpred->counters || !bpred->btb || !bpred->ras || !bpred->indirect) {
        bpred_free(bpred);
        return NULL;
    }
    for (uint32_t i = 0; i < config->bpred_entries; i++)
        bpred->counters[i] = 1;
    for (uint32_t i = 0; i < config->bpred_btb_entries; i++)
        bpred->btb[i].pc = UINT64_MAX;
    return bpred;
}

void bpred_free(struct bpred *bpred)
{
    if (bpred == NULL)
        return;
    free(bpred->counters);
    free(bpred->btb);
    free(bpred->ras);
    free(bpred->indirect);
    free(bpred);
}

/* ---- direction ------------------------------------------------------------------------------- */

static uint8_t *direction_counter(const struct bpred *bpred, uint64_t pc, uint64_t history)
{
    uint64_t index = pc >> 1;
    if (bpred->config->bpred_kind >= DIR_GSHARE)
        index ^= history & bpred->history_mask;
    return &bpred->counters[index & (bpred->config->bpred_entries - 1)];
}

static bool predict_direction(const struct bpred *bpred, uint64_t pc, const struct insn *insn)
{
    switch ((enum direction)bpred->config->bpred_kind) {
    case DIR_NOT_TAKEN:
        return false;
    case DIR_STATIC:
        return insn->imm < 0;
    default:
        return *direction_counter(bpred, pc, bpred->history) >= 2;
    }
}

static void train_direction(struct bpred *bpred, uint64_t pc, uint64_t history, bool taken)
{
    uint8_t *counter = direction_counter(bpred, pc, history);
    if (taken && *counter < 3)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
}

/* ---- targets --------------------------------------------------------------------------------- */

static struct btb_entry *btb_set(const struct bpred *bpred, uint64_t pc)
{
    return &bpred->btb[(pc >> 1) % bpred->btb_sets * bpred->btb_ways];
}

static struct btb_entry *btb_find(struct bpred *bpred, uint64_t pc)
{
    if (bpred->btb_sets == 0)
        return NULL;
    struct btb_entry *set = btb_set(bpred, pc);
    for (uint32_t way = 0; way < bpred->btb_ways; way++) {
        if (set[way].pc == pc) {
            set[way].used = ++bpred->btb_clock;
            return &set[way];
        }
    }
    return NULL;
}

static void btb_learn(struct bpred *bpred, uint64_t pc, uint64_t target)
{
    if (bpred->btb_sets == 0)
        return;
    struct btb_entry *entry = btb_find(bpred, pc);
    if (entry == NULL) {
        struct btb_entry *set = btb_set(bpred, pc);
        entry = set;
        for (uint32_t way = 1; way < bpred->btb_ways; way++)
            if (set[way].used < entry->used)
                entry = &set[way];
        entry->used = ++bpred->btb_clock;
        entry->pc = pc;
    }
    entry->target = target;
}

static uint64_t *indirect_entry(const struct bpred *bpred, uint64_t pc, uint64_t history)
{
    uint64_t index = (pc >> 1) ^ (history << 2) ^ (history >> 5);
    return &bpred->indirect[index & (bpred->config->bpred_indirect_entries - 1)];
}

static void ras_push(struct bpred *bpred, uint64_t value)
{
    if (bpred->config->bpred_ras_entries == 0)
        return;
    bpred->ras[bpred->ras_top % bpred->config->bpred_ras_entries] = value;
    bpred->ras_top++;
}

/* 0: nothing known. */
static uint64_t ras_pop(struct bpred *bpred)
{
    if (bpred->config->bpred_ras_entries == 0 || bpred->ras_top == 0)
        return 0;
    bpred->ras_top--;
    return bpred->ras[bpred->ras_top % bpred->config->bpred_ras_entries];
}

static void take_snapshot(const struct bpred *bpred, struct bpred_snapshot *snapshot)
{
    snapshot->history = bpred->history;
    snapshot->ras_top = bpred->ras_top;
    snapshot->ras_value = bpred->config->bpred_ras_entries == 0
        ? 0 : bpred->ras[bpred->ras_top % bpred->config->bpred_ras_entries];
    snapshot->predicted_taken = false;
}

void bpred_undo(struct bpred *bpred, const struct bpred_snapshot *snapshot)
{
    bpred->history = snapshot->history;
    bpred->ras_top = snapshot->ras_top;
    if (bpred->config->bpred_ras_entries != 0)
        bpred->ras[bpred->ras_top % bpred->config->bpred_ras_entries] = snapshot->ras_value;
}

/* ---- the three entry points ------------------------------------------------------------------ */

static void predict_branch(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                           struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    snapshot->predicted_taken = predict_direction(bpred, pc, insn);
    bpred->history = bpred->history << 1 | snapshot->predicted_taken;
    if (!snapshot->predicted_taken)
        return;
    prediction->next_pc = pc + (uint64_t)(int64_t)insn->imm;
    if (btb_find(bpred, pc) == NULL) {
        prediction->btb_miss = true;
        prediction->bubble = (uint8_t)bpred->config->bpred_btb_miss_stage;
    }
}

static void predict_jalr(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                         struct prediction *prediction)
{
    uint64_t target = 0;
    if (insn_is_return(insn)) {
        target = ras_pop(bpred);
        prediction->ras_underflow = target == 0;
    } else if (bpred->config->bpred_indirect_entries != 0) {
        target = *indirect_entry(bpred, pc, bpred->history);
    }
    const struct btb_entry *entry = btb_find(bpred, pc);
    prediction->btb_miss = entry == NULL;
    if (target == 0 && entry != NULL)
        target = entry->target;
    if (target != 0)
        prediction->next_pc = target;
}

void bpred_predict(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   struct bpred_snapshot *snapshot, struct prediction *prediction)
{
    take_snapshot(bpred, snapshot);
    *prediction = (struct prediction){.next_pc = pc + insn->length};
    if (kind == KIND_BRANCH) {
        predict_branch(bpred, pc, insn, snapshot, prediction);
    } else if (kind == KIND_JAL) {
        prediction->next_pc = pc + (uint64_t)(int64_t)insn->imm;
        if (btb_find(bpred, pc) == NULL) {
            prediction->btb_miss = true;
            prediction->bubble = (uint8_t)bpred->config->bpred_btb_miss_stage;
        }
    } else {
        predict_jalr(bpred, pc, insn, prediction);
    }
    if (insn_is_call(insn))
        ras_push(bpred, pc + insn->length);
    if (prediction->next_pc != pc + insn->length)
        prediction->bubble = (uint8_t)(prediction->bubble + bpred->config->bpred_taken_bubble);
}

void bpred_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   const struct bpred_snapshot *snapshot, bool taken)
{
    bpred_undo(bpred, snapshot);
    if (kind == KIND_BRANCH)
        bpred->history = bpred->history << 1 | taken;
    if (kind == KIND_JALR && insn_is_return(insn))
        ras_pop(bpred);
    if (insn_is_call(insn))
        ras_push(bpred, pc + insn->length);
}

void bpred_train(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                 const struct bpred_snapshot *snapshot, bool taken, uint64_t target)
{
    if (kind == KIND_BRANCH) {
        train_direction(bpred, pc, snapshot->history, taken);
        if (!taken)
            return;
    } else if (kind == KIND_JALR && !insn_is_return(insn) &&
               bpred->config->bpred_indirect_entries != 0) {
        *indirect_entry(bpred, pc, snapshot->history) = target;
    }
    btb_learn(bpred, pc, target);
}

uint64_t bpred_storage_bits(const struct bpred *bpred)
{
    const struct config *config = bpred->config;
    uint64_t direction =
        config->bpred_kind >= DIR_BIMODAL ? 2 * (uint64_t)config->bpred_entries : 0;
    return direction + config->bpred_history + 64 * (uint64_t)config->bpred_ras_entries +
           128 * (uint64_t)config->bpred_btb_entries +
           64 * (uint64_t)config->bpred_indirect_entries;
}
