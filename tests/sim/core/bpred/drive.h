/* A predictor driven by hand: instructions that are fetched, corrected and trained in order, as a
 * core with one branch in flight does it. */
#ifndef TESTS_SIM_CORE_BPRED_DRIVE_H
#define TESTS_SIM_CORE_BPRED_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/op.h"
#include "sim/base/config_read.h"
#include "sim/core/bpred/bpred.h"
#include "tests/sim/core/part.h"

enum { IN_FLIGHT = 64, PC = 0x10000 };

struct drive {
    struct config config;
    struct bpred *bpred;
    uint64_t now;
    unsigned branches, wrong;
};

static inline void drive_set(struct drive *drive, const char *assignment)
{
    struct diag diag;
    if (!part_set(&drive->config, assignment) &&
        config_set(&drive->config, assignment, &diag) != ERR_OK)
        fail_msg("%s", diag.text);
}

/* settings: NULL ends them. */
static inline void drive_open(struct drive *drive, const char *const *settings)
{
    *drive = (struct drive){.now = 1};
    config_init(&drive->config);
    for (; *settings != NULL; settings++)
        drive_set(drive, *settings);
    drive->bpred = bpred_new(&drive->config, IN_FLIGHT);
    assert_non_null(drive->bpred);
}

#define OPEN(drive, ...) drive_open((drive), (const char *const[]){__VA_ARGS__, NULL})

static inline void drive_close(struct drive *drive)
{
    bpred_free(drive->bpred);
}

static inline struct insn branch_by(int32_t distance)
{
    return (struct insn){.imm = distance, .length = 4, .op = OP_bne};
}

static inline struct insn jal_by(int32_t distance, uint8_t rd)
{
    return (struct insn){.imm = distance, .length = 4, .rd = rd, .op = OP_jal};
}

static inline struct insn jalr_through(uint8_t rs1, uint8_t rd)
{
    return (struct insn){.length = 4, .rs1 = rs1, .rd = rd, .op = OP_jalr};
}

/* Fetches, resolves, commits. Returns the predicted next pc. */
static inline struct prediction step(struct drive *drive, uint64_t pc, const struct insn *insn,
                                     unsigned kind, bool taken, uint64_t target)
{
    struct bpred_snapshot snapshot;
    struct prediction prediction;
    uint64_t next = taken ? target : pc + insn->length;
    drive->now++;
    bpred_predict(drive->bpred, drive->now, pc, insn, kind, &snapshot, &prediction);
    bpred_resolve(drive->bpred, drive->now, pc, insn, kind, &snapshot, taken, target);
    if (prediction.next_pc != next)
        bpred_correct(drive->bpred, pc, insn, kind, &snapshot, taken, next);
    bpred_train(drive->bpred, pc, insn, kind, &snapshot, taken, target);
    if (prediction.next_pc != next)
        bpred_mispredicted(drive->bpred, drive->now, insn, kind, &snapshot, target);
    return prediction;
}

/* One branch; returns true if it was predicted taken. */
static inline bool branch_at(struct drive *drive, uint64_t pc, int32_t distance, bool taken)
{
    const struct insn insn = branch_by(distance);
    uint64_t target = pc + (uint64_t)(int64_t)distance;
    bool predicted = step(drive, pc, &insn, KIND_BRANCH, taken, target).next_pc == target;
    drive->branches++;
    drive->wrong += predicted != taken;
    return predicted;
}

/* Misses among the last `counted` outcomes of a pattern of 'T' and 'N' at one branch. */
static inline unsigned misses_of(struct drive *drive, const char *pattern, unsigned length,
                                 unsigned warm, unsigned counted)
{
    for (unsigned i = 0; i < warm + counted; i++) {
        if (i == warm)
            drive->wrong = 0;
        branch_at(drive, PC, -64, pattern[i % length] == 'T');
    }
    return drive->wrong;
}

#endif
