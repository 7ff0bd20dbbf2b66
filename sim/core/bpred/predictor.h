/* A predictor of directions, or of the targets of indirect jumps, as the rest of the front end
 * knows it: one object in the predictor's own file, named by a row of sim/base/direction.def or
 * indirect.def (docs/extending.md makes one of each).
 *
 * self: its state, state_bytes of zeros at first; NULL if it has none. The state is small: tables
 * are taken from the arena. pc: of the branch or jump. history: the last 64 directions before it,
 * newest in bit 0. record: data of this prediction, kept until the instruction has left; with
 * has_record it is not NULL, and train, advance and undo read the data that predict wrote. A
 * predictor may use every field of it but `point`. */
#ifndef SIM_CORE_BPRED_PREDICTOR_H
#define SIM_CORE_BPRED_PREDICTOR_H

#include "sim/base/config.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/history.h"
#include "sim/core/bpred/record.h"

/* Choices by name, for the parts that only some of them have. */
#define DIRECTION(id, name, settings, meaning) DIR_##id,
enum direction {
#include "sim/base/direction.def"
};
#undef DIRECTION
#define INDIRECT(id, name, settings, meaning) INDIRECT_##id,
enum indirect {
#include "sim/base/indirect.def"
};
#undef INDIRECT

/* Inputs of init. history: the long history, to which a predictor may add tables. */
struct predictor_parts {
    const struct config *config;
    struct history *history;
    struct arena *arena;
};

struct direction_predictor {
    size_t state_bytes;                 /* size of *self, at most DIRECTION_STATE_BYTES */
    bool has_record, has_long_history;  /* the latter includes the former */
    /* Sets shape and tables; called twice, see tables.h. NULL: nothing to do. */
    void (*init)(void *self, const struct predictor_parts *parts);
    /* True: taken. Changes no table; may write the record. */
    bool (*predict)(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                    struct record *record);
    /* Learns. The snapshot has the history and the direction of the prediction. NULL: the predictor
     * learns nothing. */
    void (*train)(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, bool taken);
    /* advance: the branch was fetched, or corrected to, taken or not; undo: takes that back, from
     * the youngest back. NULL: no state of uncommitted branches. follow: predict, and then advance
     * as predicted; NULL: no function does both. */
    void (*advance)(void *self, const struct record *record, bool taken);
    void (*undo)(void *self, const struct record *record);
    bool (*follow)(void *self, uint64_t pc, uint64_t history, const struct insn *insn,
                   struct record *record);
    /* Bits of its tables. NULL: none. */
    uint64_t (*storage)(const void *self);
    /* Number of branches in `history` that an index uses. NULL: none. */
    uint32_t (*reach)(const struct config *config);
};

struct indirect_predictor {
    size_t state_bytes;                 /* size of *self, at most INDIRECT_STATE_BYTES */
    bool has_record, has_long_history;
    void (*init)(void *self, const struct predictor_parts *parts);
    /* The target, or 0: unknown, and the branch target buffer's is used. path: one byte for each of
     * the last four targets of indirect jumps, the last in the lowest. NULL: always 0. */
    uint64_t (*predict)(void *self, uint64_t pc, uint64_t history, uint32_t path,
                        struct record *record);
    /* Learns. The snapshot has the history and the path of the prediction. */
    void (*train)(void *self, uint64_t pc, const struct bpred_snapshot *snapshot,
                  const struct record *record, uint64_t target);
    uint64_t (*storage)(const void *self);
    uint32_t (*reach)(const struct config *config);
};

enum { DIRECTION_STATE_BYTES = 1024, INDIRECT_STATE_BYTES = 512 };

/* In direction.c, indirect.c: the predictor at a place in the table. */
const struct direction_predictor *direction_predictor_at(uint32_t choice);
const struct indirect_predictor *indirect_predictor_at(uint32_t choice);

#endif
