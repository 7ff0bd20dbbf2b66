/* The whole predictor, as its own files see it. */
#ifndef SIM_CORE_BPRED_BPRED_INTERNAL_H
#define SIM_CORE_BPRED_BPRED_INTERNAL_H

#include "sim/core/bpred/bpred.h"
#include "sim/core/bpred/direction/corrector.h"
#include "sim/core/bpred/predictor.h"
#include "sim/core/bpred/rows.h"
#include "sim/core/bpred/table_writes.h"
#include "sim/core/bpred/target/targets.h"

enum btb_miss_policy { MISS_DECODE, MISS_JUMPS, MISS_NONE };
enum btb_allocate { ALLOCATE_TAKEN, ALLOCATE_ALL, ALLOCATE_INDIRECT, ALLOCATE_DIRECT };

/* An executed transfer that tables learn from in `cycle`. */
struct lesson {
    uint64_t cycle, pc, target;
    struct insn insn;
    struct bpred_snapshot snapshot;
    uint8_t kind;
    bool taken;
};

struct bpred {
    uint64_t history;                   /* directions of branches, newest in bit 0 */
    struct bpred_shape shape;
    const struct predictor_shape *instance;     /* bpred_set_instance() */
    const struct direction_predictor *predictor;
    const struct indirect_predictor *target_predictor;
    bool must_restore;                  /* first call bpred_restore() */
    uint16_t live_top;                  /* of the return stack, including wrong paths */
    bool moves_ras;                     /* this transfer may move the return stack */
    uint64_t transfer_cycle;            /* of the last transfer predicted */
    uint64_t lesson_cycle;              /* cycle of the lesson being learned */
    uint32_t path;                      /* a byte of each of the last targets of indirect jumps */
    uint64_t group_history, group_cycle;    /* before the group being fetched */
    struct jump_path jump_path;
    uint64_t asked, held_target;        /* a jump waits since then; its target, or BPRED_UNKNOWN */
    uint64_t reaches;                   /* the instruction in front of the jump's block */
    uint64_t entered;                   /* target of the last change of flow */
    uint64_t early_top;                 /* of the return stack, for the chained level */
    enum bpred_rest rest;           /* transfers after the predicted one in its block */
    bool in_loop, fills_loop;           /* the loop buffer feeds decode; or is being filled */
    struct chain chain;
    struct run_on run_on;
    struct btb btb;
    struct rows rows;                   /* part_lookup = row: instead of both */
    struct ras ras;
    struct ras_delay ras_delay;
    /* State of any predictor, possibly with vectors. */
    _Alignas(max_align_t) union {
        struct bimodal bimodal;
        struct gshare gshare;
        struct bimode bimode;
        uint64_t other[DIRECTION_STATE_BYTES / sizeof(uint64_t)];
    } by;                               /* of `predictor` */
    struct gshare_port port;
    _Alignas(max_align_t) union {
        struct target_cache target_cache;
        uint64_t other[INDIRECT_STATE_BYTES / sizeof(uint64_t)];
    } to;                               /* of `target_predictor` */
    struct history long_history;
    uint32_t record_mask, next_record;
    struct record *record;
    struct lesson *lesson;              /* ring, oldest at lesson_head */
    uint32_t lesson_head, lesson_tail;
    struct table_writes *queue;         /* [WRITES_TABLES] */
};

static inline const struct bpred_shape *bpred_shape(const struct bpred *bpred)
{
    return SHAPE_OF(bpred, bpred);
}

static inline struct record *record_of(const struct bpred *bpred,
                                       const struct bpred_snapshot *snapshot)
{
    return bpred_shape(bpred)->has_records
               ? &bpred->record[snapshot->record & bpred->record_mask]
               : NULL;
}

/* The long history goes back to the point of the next record. */
static inline void bpred_restore(struct bpred *bpred)
{
    uint32_t slot = bpred->next_record & bpred->record_mask;
    bpred->must_restore = false;
    history_restore(&bpred->long_history, &bpred->record[slot].point);
}

/* In bpred.c. Known outcomes enter the histories. */
void bpred_advance(struct bpred *bpred, uint64_t pc, const struct insn *insn, unsigned kind,
                   bool taken, uint64_t next_pc);
struct record *bpred_begin_record(struct bpred *bpred, struct bpred_snapshot *snapshot);

/* In flow.c: the counter for the prediction of a branch, if tables have a port. note: a transfer
 * has been predicted; may change the bubble */
void flow_init(struct bpred *bpred);
uint8_t flow_counter(struct bpred *bpred, uint64_t now, uint64_t pc);
void flow_note(struct bpred *bpred, uint64_t now, uint64_t pc, const struct insn *insn,
               unsigned kind, const struct bpred_snapshot *snapshot,
               struct prediction *prediction);

/* In path.c. begin_block: a transfer is fetched. target: of the jump being fetched, 0: none.
 * follow: it goes there. block_start: the target of a jump or return without a prediction. */
void path_begin_block(struct bpred *bpred, uint64_t now);
uint64_t path_target(const struct bpred *bpred);
void path_follow(struct bpred *bpred, uint64_t now, uint64_t target);
void path_squash(struct bpred *bpred, uint64_t now);
uint64_t path_block_start(const struct bpred *bpred, uint64_t pc);

/* In gshare_port.c: the counter for a prediction in cycle `now`; the lesson of bpred->lesson_cycle
 * is learned; it was a misprediction, and the history is corrected. */
void gshare_port_init(struct bpred *bpred, const struct config *config);
uint8_t gshare_port_see(struct bpred *bpred, uint64_t now);
void gshare_port_learn(struct bpred *bpred, const struct bpred_snapshot *snapshot, bool taken);
void gshare_port_restart(struct bpred *bpred);

static inline struct lesson *lesson_at(const struct bpred *bpred, uint32_t number)
{
    return &bpred->lesson[number & bpred->record_mask];
}

/* In train.c. Tables learn the lessons of cycles up to `now`, at least one of which waits, and make
 * the writes that are due by then. */
void lessons_learn(struct bpred *bpred, uint64_t now);

/* The same, if there are any. */
static inline void lessons_learn_due(struct bpred *bpred, uint64_t now)
{
    bool is_due = bpred->lesson_head != bpred->lesson_tail &&
                  lesson_at(bpred, bpred->lesson_head)->cycle <= now;
    if (is_due || (bpred_shape(bpred)->write_slots != 0 && table_writes_wait(bpred->queue)))
        lessons_learn(bpred, now);
}

static inline bool direction_predict(struct bpred *bpred, uint64_t pc, const struct insn *insn,
                                     struct record *record)
{
    return bpred->predictor->predict(&bpred->by, pc, bpred->history, insn, record);
}

#endif
