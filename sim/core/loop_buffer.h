/* Loop buffer: a short loop, once it has gone round a few times, is fed to decode from a buffer;
 * the instruction cache rests and the taken branch back costs no bubble. A cycle still ends at it.
 *
 * The buffer holds one loop: the addresses from the target of a backward branch to that branch,
 * within one page. Only branches may be inside, and of those that do not close it, forward ones, as
 * many as are allowed. Two loops are remembered. One that is met is recorded; the next time its
 * branch is taken the buffer is filled, during the round that follows; from the third time on it
 * feeds decode, and when fetch comes back later, from the first. A loop that cannot be filled, or
 * ends in the round in which it should be, is not tried again while it is remembered; nor is one
 * around the loop that was met before. It is left when fetch goes anywhere else.
 * Sources: C910, ct_ifu_lbuf.v (record_fifo, fill_not_under_rule, states IDLE, FILL, ACTIVE); loop
 * stream detector ("Intel 64 and IA-32 Architectures Optimization Reference Manual", 2.6.2). */
#ifndef SIM_CORE_LOOP_BUFFER_H
#define SIM_CORE_LOOP_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_PAGE_BITS = 12, LOOP_RECORDS = 2 };

enum loop_state { LOOP_NONE, LOOP_MET, LOOP_FILLED, LOOP_BANNED };
struct loop_record { uint64_t start, end; enum loop_state state; };

struct loop_buffer {
    struct loop_record record[LOOP_RECORDS];
    unsigned newest, current;   /* current: that is being filled, or feeds decode */
    uint32_t branches;          /* others seen inside while it is filled */
    bool is_filling, is_active;
};

static inline bool loop_buffer_has(const struct loop_buffer *loop, uint64_t pc)
{
    const struct loop_record *record = &loop->record[loop->current];
    return record->start <= pc && pc <= record->end;
}

/* Does the buffer go on supplying at pc? If not, it is left. */
static inline bool loop_buffer_supplies(struct loop_buffer *loop, uint64_t pc)
{
    return loop->is_active = loop->is_active && loop_buffer_has(loop, pc);
}

/* What is fetched is thrown away. */
static inline void loop_buffer_squash(struct loop_buffer *loop)
{
    loop->is_filling = loop->is_active = false;
}

/* A transfer that is no branch: the loop in which it is cannot be held. */
static inline void loop_buffer_jump(struct loop_buffer *loop)
{
    if (loop->is_filling)
        loop->record[loop->current].state = LOOP_BANNED;
    loop_buffer_squash(loop);
}

static inline void loop_buffer_fill(struct loop_buffer *loop, uint64_t pc, uint64_t target,
                                    bool taken, uint32_t others)
{
    struct loop_record *record = &loop->record[loop->current];
    if (pc == record->end && taken) {
        record->state = LOOP_FILLED;
        loop->is_filling = false;
        loop->is_active = true;
    } else if (target <= pc || loop->branches++ == others) {
        loop_buffer_jump(loop);
    }
}

static inline void loop_buffer_record(struct loop_buffer *loop, uint64_t pc, uint64_t target)
{
    const struct loop_record *before = &loop->record[loop->newest];
    bool is_around = before->state != LOOP_NONE && target < before->end && before->end < pc;
    loop->newest = (loop->newest + 1) % LOOP_RECORDS;
    loop->record[loop->newest] = (struct loop_record){
        .start = target, .end = pc, .state = is_around ? LOOP_BANNED : LOOP_MET,
    };
}

/* The branch back of a loop that is remembered was taken. */
static inline void loop_buffer_meet(struct loop_buffer *loop, unsigned number)
{
    loop->current = number;
    loop->is_active = loop->record[number].state == LOOP_FILLED;
    loop->is_filling = loop->record[number].state == LOOP_MET;
    loop->branches = 0;
    for (unsigned i = 0; loop->is_filling && i < LOOP_RECORDS; i++)
        if (loop->record[i].state == LOOP_FILLED)
            loop->record[i].state = LOOP_MET;           /* there is room for one */
}

/* A branch of `length` bytes was predicted, taken or not. bytes: longest loop that fits; others:
 * branches allowed beside the one that closes it. */
static inline void loop_buffer_branch(struct loop_buffer *loop, uint64_t pc, unsigned length,
                                      uint64_t target, bool taken, uint32_t bytes, uint32_t others)
{
    if (loop->is_filling)
        loop_buffer_fill(loop, pc, target, taken, others);
    if (loop->is_active || loop->is_filling || !taken || target > pc)
        return;
    for (unsigned i = 0; i < LOOP_RECORDS; i++) {
        if (loop->record[i].state != LOOP_NONE && loop->record[i].end == pc) {
            loop_buffer_meet(loop, i);
            return;
        }
    }
    if (pc + length - target <= bytes && pc >> LOOP_PAGE_BITS == target >> LOOP_PAGE_BITS)
        loop_buffer_record(loop, pc, target);
}

#endif
