/* Bi-mode: a choice counter by pc selects one of two banks of counters indexed as gshare's, so that
 * mostly taken and mostly not-taken branches do not share a bank (Lee, Chen, Mudge, "The Bi-Mode
 * Branch Predictor", MICRO 1997). A history longer than the index is folded.
 *
 * With part_bimode_index = rows a bank is laid out as in the C910 (ct_ifu_bht.v): rows of 2^pc_bits
 * counters, at most the whole bank. The older history alone selects a row, so that it can be read
 * two branches ahead; pc and the youngest history select a counter in it. */
#include "sim/core/bpred/predictors.h"

#include <string.h>

void bimode_init(struct bimode *bimode, const struct config *config, struct arena *arena)
{
    struct bimode_shape *shape = &bimode->shape;
    uint32_t choices = config->part_bimode_choice, entries = config->bpred_entries;
    shape->bits = (uint8_t)config->bpred_counter_bits;
    shape->max = (uint8_t)((1u << shape->bits) - 1);
    shape->half = (uint8_t)(1u << (shape->bits - 1));
    shape->shift = (uint8_t)config->part_bimode_shift;
    shape->index_bits = (uint8_t)log2_of(entries);
    shape->choice_mask = choices - 1;
    shape->bank_mask = entries - 1;
    shape->history_mask = low_bits(UINT64_MAX, config->bpred_history);
    uint32_t columns = config->bpred_pc_bits < shape->index_bits ? config->bpred_pc_bits
                                                                  : shape->index_bits;
    shape->pc_mask = low_bits(UINT64_MAX, columns);
    shape->has_rows = config->part_bimode_index != 0;
    shape->column_bits = (uint8_t)(shape->has_rows ? columns : 0);
    shape->write_buffer = (uint8_t)config->part_write_buffer;
    shape->reads_rows = shape->has_rows && shape->write_buffer != 0 &&
                        shape->column_bits <= log2_of(BIMODE_COLUMNS);
    bimode->passed = bimode->choice_row = bimode->kept[0].pc = bimode->kept[1].pc = UINT64_MAX;
    bimode->choice = arena_take(arena, choices, 1);
    bimode->bank[0] = arena_take(arena, entries, 1);
    bimode->bank[1] = arena_take(arena, entries, 1);
    if (bimode->choice == NULL)
        return;
    bool is_strong = config->part_bimode_initial != 0;
    memset(bimode->choice, is_strong ? 0 : shape->half - 1, choices);
    memset(bimode->bank[0], is_strong ? 0 : shape->half - 1, entries);
    memset(bimode->bank[1], is_strong ? shape->max : shape->half, entries);
}

static uint8_t *choice_of(const struct bimode *bimode, uint64_t pc)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    return &bimode->choice[pc >> shape->shift & shape->choice_mask];
}

uint64_t bimode_row(const struct bimode *bimode, uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    unsigned row_bits = (unsigned)(shape->index_bits - shape->column_bits);
    uint64_t older = (history & shape->history_mask) >> shape->column_bits;
    uint64_t row = (older ^ older >> (row_bits + 2)) & low_bits(UINT64_MAX, row_bits);
    return row << shape->column_bits;
}

uint64_t bimode_choice_row(const struct bimode *bimode, uint64_t pc)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    return (pc >> shape->shift & shape->choice_mask) & ~(uint64_t)(BIMODE_CHOICES - 1);
}

static uint64_t index_in_row(const struct bimode *bimode, uint64_t pc, uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    uint64_t column = (pc >> shape->shift ^ history) & shape->pc_mask;
    return (bimode_row(bimode, history) | column) & shape->bank_mask;
}

static uint64_t bank_index(const struct bimode *bimode, uint64_t pc, uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    if (shape->has_rows)
        return index_in_row(bimode, pc, history);
    uint64_t hashed = folded(history & shape->history_mask, shape->index_bits);
    return ((pc >> shape->shift & shape->pc_mask) ^ hashed) & shape->bank_mask;
}

bool bimode_predict(const struct bimode *bimode, uint64_t pc, uint64_t history)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    bool choice = *choice_of(bimode, pc) >= shape->half;
    return bimode->bank[choice][bank_index(bimode, pc, history)] >= shape->half;
}

/* Only the selected bank learns. So does the choice counter, unless it was wrong but the bank's
 * prediction was right. */
void bimode_train(struct bimode *bimode, uint64_t pc, uint64_t history, bool taken)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    uint8_t *choice = choice_of(bimode, pc);
    bool chosen = *choice >= shape->half;
    uint8_t *counter = &bimode->bank[chosen][bank_index(bimode, pc, history)];
    bool predicted = *counter >= shape->half;
    if (chosen == taken || predicted != taken)
        counter_move(choice, taken, shape->max);
    counter_move(counter, taken, shape->max);
}

uint8_t bimode_counters(const struct bimode *bimode, uint64_t pc, uint64_t history)
{
    uint8_t choice = *choice_of(bimode, pc);
    uint64_t index = bank_index(bimode, pc, history);
    return bimode_pack(choice, bimode->bank[choice >= bimode_shape(bimode)->half][index]);
}

void bimode_put(struct bimode *bimode, const struct bimode_write *write, const uint64_t *row,
                const uint64_t *choices)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    uint8_t choice = bimode_choice_of(write->counters);
    uint8_t counter = bimode_counter_of(write->counters);
    uint64_t index = bank_index(bimode, write->pc, write->history);
    uint8_t *bank = bimode->bank[choice >= shape->half];
    if (row != NULL)
        index = bimode_row(bimode, *row) | (index & shape->pc_mask);
    counter_move(&choice, write->taken, shape->max);
    counter_move(&counter, write->taken, shape->max);
    if (choices != NULL)
        bimode->choice[bimode_choice_row(bimode, *choices) |
                       (write->pc >> shape->shift & (BIMODE_CHOICES - 1))] = choice;
    else
        *choice_of(bimode, write->pc) = choice;
    bank[index] = counter;
}

uint64_t bimode_storage(const struct bimode *bimode)
{
    const struct bimode_shape *shape = bimode_shape(bimode);
    return (uint64_t)shape->bits * (shape->choice_mask + 1 + 2 * (shape->bank_mask + 1));
}

/* ---- as predictor.h has it ------------------------------------------------------------------- */

static void init(void *self, const struct predictor_parts *parts)
{
    bimode_init(self, parts->config, parts->arena);
}

static bool predict(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record)
{
    (void)insn, (void)record;
    return bimode_predict(self, pc, history);
}

static void train(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken)
{
    (void)record;
    bimode_train(self, pc, snapshot->history, taken);
}

static uint64_t storage(const void *self)
{
    return bimode_storage(self);
}

static uint32_t reach(const struct config *config)
{
    return config->bpred_history;
}

const struct direction_predictor direction_bimode = {
    .state_bytes = sizeof(struct bimode),
    .init = init, .predict = predict, .train = train, .storage = storage, .reach = reach,
};
