/* Loop buffer: a short loop that has gone round a few times is fed to decode from a buffer.
 * Meanwhile the instruction cache rests, and the taken branch back costs no bubble. A cycle of
 * fetch ends after each branch.
 *
 * The buffer holds one loop: the code from the target of a backward branch to that branch, within
 * one page. Inside, only a limited number of forward branches with a target in the loop are
 * allowed; no other transfer, and no AUIPC. Two loops are remembered; a new one replaces the one
 * met less recently. The first time its backward branch is taken, a loop is recorded (LOOP_MET).
 * The second time, the buffer is filled during the round that follows (LOOP_FILLED). From the third
 * time on the buffer feeds decode. When fetch comes back to a filled loop later, the buffer feeds
 * decode from the first round on, if no other loop was recorded or filled meanwhile. A loop that
 * cannot be filled, or that ends in the round of filling, is not tried again while it is remembered
 * (LOOP_BANNED); nor is a loop around the loop met before it. Fetch leaves the buffer when it goes
 * to an address outside the loop.
 *
 * While the buffer feeds decode, no more is fetched than is on its way to decode.
 *
 * Code that a taken forward branch skipped in the round of filling is missing in the buffer (the
 * gap). The first time that this branch is not taken, fetch leaves the buffer, which takes in the
 * missing code.
 * Sources: C910, ct_ifu_lbuf.v (record_fifo, fill_not_under_rule, states IDLE, FILL, ACTIVE,
 * FRONT_FILL); loop stream detector ("Intel 64 and IA-32 Architectures Optimization Reference
 * Manual", 2.6.2).
 * Left out: when several forward branches are taken, only the gap of the last is known. */
#ifndef SIM_CORE_MODEL_C910_C910_LOOP_H
#define SIM_CORE_MODEL_C910_C910_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_PAGE_BITS = 12, LOOP_RECORDS = 2 };

enum loop_state { LOOP_NONE, LOOP_MET, LOOP_FILLED, LOOP_BANNED };
struct loop_record { uint64_t start, end; enum loop_state state; };

/* The state before a branch that was predicted in `cycle`. */
enum { LOOP_CHANGES = 4, LOOP_STAGES = 2 };
struct loop_change { uint64_t cycle; struct loop_record record[LOOP_RECORDS]; unsigned newest; };

struct c910_loop {
    struct loop_record record[LOOP_RECORDS];
    unsigned newest, current;   /* current: the loop that is being filled, or feeds decode */
    uint32_t branches;          /* other branches seen in the loop while it is filled */
    uint64_t gap, gap_end;      /* a taken forward branch and its target: the code between is
                                 * missing */
    bool has_gap;
    bool is_filling, is_active, is_closing;     /* closing: the gap is being filled */
    struct loop_change change[LOOP_CHANGES];
    unsigned next_change;
};

/* A branch as it is predicted. */
struct loop_branch {
    uint64_t pc, target;
    unsigned length;
    bool is_taken;
};

/* False: the branch leaves the remembered loops as they are. */
static inline bool c910_loop_may_learn(const struct c910_loop *loop,
                                         const struct loop_branch *branch)
{
    return loop->is_filling || loop->is_closing ||
           (!loop->is_active && branch->is_taken && branch->target <= branch->pc);
}

static inline bool c910_loop_has(const struct c910_loop *loop, uint64_t pc)
{
    const struct loop_record *record = &loop->record[loop->current];
    return record->start <= pc && pc <= record->end;
}

/* True if the buffer also supplies the instruction at pc; if not, fetch leaves the buffer. */
static inline bool c910_loop_supplies(struct c910_loop *loop, uint64_t pc)
{
    return loop->is_active = loop->is_active && c910_loop_has(loop, pc);
}

/* Fetched instructions have been squashed. */
static inline void c910_loop_squash(struct c910_loop *loop)
{
    loop->is_filling = loop->is_active = loop->is_closing = false;
}

/* A branch has been predicted in this cycle; `before` is the state before it. */
void c910_loop_note(struct c910_loop *loop, const struct loop_change *before);
/* A branch changes the records LOOP_STAGES cycles after its prediction. A misprediction in `cycle`
 * cancels the changes that are still to come. */
void c910_loop_undo(struct c910_loop *loop, uint64_t cycle);
/* The pipeline is flushed: all loops are forgotten. */
static inline void c910_loop_flush(struct c910_loop *loop)
{
    *loop = (struct c910_loop){.is_active = false};
}

/* The instruction at pc cannot be held in the buffer: AUIPC, or a transfer other than a branch. */
void c910_loop_refuse(struct c910_loop *loop, uint64_t pc);
/* bytes: size of the longest loop that fits; others: branches allowed beside the closing one. */
void c910_loop_branch(struct c910_loop *loop, const struct loop_branch *branch, uint32_t bytes,
                        uint32_t others);

#endif
