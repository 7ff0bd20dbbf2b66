/* Loop buffer: a short loop, once it has gone round a few times, is fed to decode from a buffer;
 * the instruction cache rests and the taken branch back costs no bubble. A cycle ends after each
 * branch.
 *
 * The buffer holds one loop: the addresses from the target of a backward branch to that branch,
 * within one page. Only branches may be inside, and of those that do not close it, forward ones
 * that stay in it, as many as are allowed; no auipc. Two loops are remembered, the oldest met is
 * forgotten. One that is met is recorded; the next time its branch is taken the buffer is filled,
 * during the round that follows; from the third time on it feeds decode, and when fetch comes back
 * later, from the first, as long as no other loop was recorded or filled. A loop that cannot be
 * filled, or ends in the round in which it should be, is not tried again while it is remembered;
 * nor is one around the loop that was met before. It is left when fetch goes anywhere else.
 *
 * It hands on what decode takes: no more is fetched ahead than is on its way there.
 *
 * Code skipped by a taken forward branch in the round of filling is missing: the first
 * time that branch is not taken, fetch leaves the buffer, which takes in the code after it.
 * Sources: C910, ct_ifu_lbuf.v (record_fifo, fill_not_under_rule, states IDLE, FILL, ACTIVE,
 * FRONT_FILL); loop stream detector ("Intel 64 and IA-32 Architectures Optimization Reference
 * Manual", 2.6.2).
 * Left out: of several forward branches, what others than the last one taken skipped. */
#ifndef SIM_CORE_MODEL_C910_C910_LOOP_H
#define SIM_CORE_MODEL_C910_C910_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_PAGE_BITS = 12, LOOP_RECORDS = 2 };

enum loop_state { LOOP_NONE, LOOP_MET, LOOP_FILLED, LOOP_BANNED };
struct loop_record { uint64_t start, end; enum loop_state state; };

/* State before a branch of that cycle. */
enum { LOOP_CHANGES = 4, LOOP_STAGES = 2 };
struct loop_change { uint64_t cycle; struct loop_record record[LOOP_RECORDS]; unsigned newest; };

struct c910_loop {
    struct loop_record record[LOOP_RECORDS];
    unsigned newest, current;   /* current: that is being filled, or feeds decode */
    uint32_t branches;          /* others seen inside while it is filled */
    uint64_t gap, gap_end;      /* a forward branch, and its target: code between is missing */
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

/* False: remembered loops stay as they are. */
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

/* True if the buffer continues to supply at pc; else it is left. */
static inline bool c910_loop_supplies(struct c910_loop *loop, uint64_t pc)
{
    return loop->is_active = loop->is_active && c910_loop_has(loop, pc);
}

/* Fetched instructions are discarded. */
static inline void c910_loop_squash(struct c910_loop *loop)
{
    loop->is_filling = loop->is_active = loop->is_closing = false;
}

/* `before` is from before a branch that has been predicted in this cycle. */
void c910_loop_note(struct c910_loop *loop, const struct loop_change *before);
/* Changes by a branch take effect LOOP_STAGES cycles later; a misprediction of this cycle
 * forestalls it. */
void c910_loop_undo(struct c910_loop *loop, uint64_t cycle);
/* The pipeline begins anew. */
static inline void c910_loop_flush(struct c910_loop *loop)
{
    *loop = (struct c910_loop){.is_active = false};
}

/* Something that cannot be held, at pc: another transfer, or auipc. */
void c910_loop_refuse(struct c910_loop *loop, uint64_t pc);
/* bytes: longest loop that fits; others: number of branches allowed beside the closing one. */
void c910_loop_branch(struct c910_loop *loop, const struct loop_branch *branch, uint32_t bytes,
                        uint32_t others);

#endif
