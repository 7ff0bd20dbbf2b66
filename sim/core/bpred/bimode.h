/* Bi-mode: its tables (bimode.c), and outcomes on their way into them (bimode_write.c). One of the
 * predictors of predictors.h. */
#ifndef SIM_CORE_BPRED_BIMODE_H
#define SIM_CORE_BPRED_BIMODE_H

#include "sim/base/config.h"
#include "sim/core/bpred/tables.h"

enum { BIMODE_WRITES = 8 };
struct bimode_write { uint64_t pc, history; uint8_t counters; bool taken; };
struct bimode {
    uint8_t *choice, *bank[2];          /* bank[1]: of branches that are mostly taken */
    uint64_t choice_mask, bank_mask, history_mask, pc_mask;
    uint8_t shift, bits, max, half, index_bits, column_bits;
    bool has_rows;
    /* with bpred.write_buffer */
    uint64_t busy_from, busy;           /* bit i: a table is read in cycle busy_from + i */
    struct bimode_write write[BIMODE_WRITES];   /* a queue of write_count */
    uint8_t write_buffer, write_count;
};
void bimode_init(struct bimode *bimode, const struct config *config, struct arena *arena);
bool bimode_predict(const struct bimode *bimode, uint64_t pc, uint64_t history);
void bimode_train(struct bimode *bimode, uint64_t pc, uint64_t history, bool taken);
/* The counters that a prediction goes by: choice, and that of the bank it chooses, of at most
 * BIMODE_CARRIED bits. */
enum { BIMODE_CARRIED = 4 };
static inline uint8_t bimode_pack(uint8_t choice, uint8_t counter)
{
    return (uint8_t)(choice << BIMODE_CARRIED | counter);
}
static inline uint8_t bimode_choice_of(uint8_t counters)
{
    return counters >> BIMODE_CARRIED;
}
static inline uint8_t bimode_counter_of(uint8_t counters)
{
    return counters & ((1u << BIMODE_CARRIED) - 1);
}
uint8_t bimode_counters(const struct bimode *bimode, uint64_t pc, uint64_t history);
/* Writes what becomes of the counters that the prediction saw. */
void bimode_put(struct bimode *bimode, const struct bimode_write *write);
/* A table is read for a prediction in this cycle, of those that have not gone by. */
void bimode_reads(struct bimode *bimode, uint64_t cycle);
/* The outcome comes in this cycle; cycles only go up. */
void bimode_learn(struct bimode *bimode, uint64_t cycle, const struct bimode_write *write);
uint64_t bimode_storage(const struct bimode *bimode);

#endif
