/* One branch's direction, from whichever predictor was configured: a switch, so that the calls are
 * direct. Static: backward taken, forward not taken. Perfect prediction is fetch's
 * (sim/core/fetch/ahead.c): it does not ask. */
#include "sim/core/bpred/bpred_internal.h"

bool bpred_is_perfect(const struct config *config)
{
    return config->bpred_kind == DIR_PERFECT;
}

void direction_init(struct bpred *bpred, const struct config *config, struct arena *arena)
{
    bpred->direction = (enum direction)config->bpred_kind;
    switch (bpred->direction) {
    case DIR_NOT_TAKEN:
    case DIR_PERFECT:
    case DIR_STATIC: break;
    case DIR_BIMODAL: bimodal_init(&bpred->by.bimodal, config, arena); break;
    case DIR_GSHARE: gshare_init(&bpred->by.gshare, config, arena); break;
    case DIR_BIMODE: bimode_init(&bpred->by.bimode, config, arena); break;
    case DIR_TOURNAMENT: tournament_init(&bpred->by.tournament, config, arena); break;
    case DIR_PERCEPTRON: perceptron_init(&bpred->by.perceptron, config, arena); break;
    case DIR_TAGE:
        tage_init(&bpred->by.tage, config, &bpred->long_history, arena);
        break;
    case DIR_TAGE_SC_L:
        tage_sc_l_init(&bpred->by.tage_sc_l, config, &bpred->long_history, arena);
        break;
    }
    bpred->has_long_history |=
        bpred->direction == DIR_TAGE || bpred->direction == DIR_TAGE_SC_L;
    bpred->has_records |= bpred->has_long_history || bpred->direction == DIR_TOURNAMENT ||
                          bpred->direction == DIR_PERCEPTRON;
}

bool direction_predict(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                       struct record *record)
{
    uint64_t history = bpred->history;
    switch (bpred->direction) {
    case DIR_NOT_TAKEN:
    case DIR_PERFECT: return false;
    case DIR_STATIC: return insn->imm < 0;
    case DIR_BIMODAL:
        return bimodal_predict(&bpred->by.bimodal, pc >> bpred->by.bimodal.shift, insn->imm < 0);
    case DIR_GSHARE: return gshare_predict(&bpred->by.gshare, pc, history, insn->imm < 0);
    case DIR_BIMODE: return bimode_predict(&bpred->by.bimode, pc, history);
    case DIR_TOURNAMENT:
        return tournament_predict(&bpred->by.tournament, pc, history, record);
    case DIR_PERCEPTRON:
        return perceptron_predict(&bpred->by.perceptron, pc, history, record);
    case DIR_TAGE: return tage_predict(&bpred->by.tage, pc, record);
    case DIR_TAGE_SC_L: return tage_sc_l_predict(&bpred->by.tage_sc_l, pc, history, record);
    }
    return false;
}

/* A misprediction has the tables read in this cycle and the next, for what fetch goes back to. */
static void learn_in_turn(struct bpred *bpred, uint64_t pc, const struct bpred_snapshot *snapshot,
                          bool taken)
{
    struct bimode *bimode = &bpred->by.bimode;
    const struct bimode_write write = {
        .pc = pc, .history = snapshot->history, .counters = snapshot->counter, .taken = taken,
    };
    if (!bimode->reads_rows && snapshot->predicted_taken != taken) {
        bimode_reads(bimode, bpred->lesson_cycle);
        bimode_reads(bimode, bpred->lesson_cycle + 1);
    }
    bimode_learn(bimode, bpred->lesson_cycle, &write);
}

void direction_train(struct bpred *bpred, uint64_t pc, const struct bpred_snapshot *snapshot,
                     const struct record *record, bool taken)
{
    uint64_t history = snapshot->history;
    switch (bpred->direction) {
    case DIR_NOT_TAKEN:
    case DIR_PERFECT:
    case DIR_STATIC: break;
    case DIR_BIMODAL:
        bimodal_train(&bpred->by.bimodal, pc >> bpred->by.bimodal.shift, taken);
        break;
    case DIR_GSHARE: gshare_train(&bpred->by.gshare, pc, history, taken); break;
    case DIR_BIMODE:
        if (bpred->buffers_writes)
            learn_in_turn(bpred, pc, snapshot, taken);
        else
            bimode_train(&bpred->by.bimode, pc, history, taken);
        break;
    case DIR_TOURNAMENT:
        tournament_train(&bpred->by.tournament, pc, history, record, taken);
        break;
    case DIR_PERCEPTRON:
        perceptron_train(&bpred->by.perceptron, pc, history, record, taken);
        break;
    case DIR_TAGE: tage_train(&bpred->by.tage, pc, record, taken); break;
    case DIR_TAGE_SC_L:
        tage_sc_l_train(&bpred->by.tage_sc_l, pc, history, record, snapshot->predicted_taken,
                        taken);
        break;
    }
}

uint64_t direction_storage(const struct bpred *bpred)
{
    switch (bpred->direction) {
    case DIR_NOT_TAKEN:
    case DIR_PERFECT:
    case DIR_STATIC: return 0;
    case DIR_BIMODAL: return bimodal_storage(&bpred->by.bimodal);
    case DIR_GSHARE: return gshare_storage(&bpred->by.gshare);
    case DIR_BIMODE: return bimode_storage(&bpred->by.bimode);
    case DIR_TOURNAMENT: return tournament_storage(&bpred->by.tournament);
    case DIR_PERCEPTRON: return perceptron_storage(&bpred->by.perceptron);
    case DIR_TAGE: return tage_storage(&bpred->by.tage);
    case DIR_TAGE_SC_L: return tage_sc_l_storage(&bpred->by.tage_sc_l);
    }
    return 0;
}

uint64_t direction_history(const struct bpred *bpred, const struct config *config)
{
    uint64_t bits = 0, targets = log2_of(bpred->target_cache.entries);
    if (bpred->direction == DIR_GSHARE || bpred->direction == DIR_BIMODE)
        bits = config->bpred_history;
    else if (bpred->direction == DIR_TOURNAMENT)
        bits = config->bpred_tournament_history;
    else if (bpred->direction == DIR_PERCEPTRON)
        bits = config->bpred_perceptron_history;
    return targets != 0 && targets + 5 > bits ? targets + 5 : bits;
}
