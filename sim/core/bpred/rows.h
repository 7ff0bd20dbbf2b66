/* Prediction by rows: see rows.c. */
#ifndef SIM_CORE_BPRED_ROWS_H
#define SIM_CORE_BPRED_ROWS_H

#include "sim/base/config.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/tables.h"

enum { ROW_SHELVES = 256, ROW_OUTCOMES = 8 };

struct row_entry { uint64_t pc, target; bool is_call, is_return, is_jump; };

struct rows {
    struct row_entry *entry;            /* [entries]; pc = ~0: empty */
    uint64_t *stack;                    /* [depth], a ring */
    uint32_t entries, depth;            /* entries 0: off */
    uint32_t bytes, insn_bytes;         /* of a row, of an instruction */
    uint32_t noise;
    uint32_t top, real;                 /* position in the stack: as moved by fetch; as moved by
                                         * mispredictions */
    uint64_t now;                       /* cycle of the last squash */
    uint8_t shelf[ROW_SHELVES];         /* number of entries whose pc has this hash */
    struct row_sight { uint64_t cycle, end, pc, next_pc; bool is_taken; } seen;
    struct row_lesson {
        uint64_t cycle, pc, target;
        uint8_t length;
        bool is_taken, is_call, is_return, is_jump;
    } lesson;
    bool has_lesson;
    uint32_t outcomes;
    struct row_outcome { uint64_t cycle, pc; bool is_taken; } outcome[ROW_OUTCOMES];
};

void rows_init(struct rows *rows, const struct config *config, struct arena *arena);
uint64_t rows_storage(const struct rows *rows);
uint64_t rows_stack_storage(const struct rows *rows);

/* As bpred_predict, bpred_resolve and bpred_correct. */
void rows_predict(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
                  struct bpred_snapshot *snapshot, struct prediction *prediction);
void rows_resolve(struct bpred *bpred, uint64_t cycle, uint64_t pc, bool is_taken);
void rows_correct(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                  bool is_taken, uint64_t next_pc);

#endif
