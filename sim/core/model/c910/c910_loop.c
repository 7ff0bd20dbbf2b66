/* The loops taken into the loop buffer; see c910_loop.h. */
#include "sim/core/model/c910/c910_loop.h"
#include "sim/core/pipe/core_types.h"

RARELY static void ban(struct c910_loop *loop)
{
    loop->record[loop->current].state = LOOP_BANNED;
    c910_loop_squash(loop);
}

static bool is_in_gap(const struct c910_loop *loop, uint64_t pc)
{
    return loop->gap < pc && pc < loop->gap_end;
}

void c910_loop_refuse(struct c910_loop *loop, uint64_t pc)
{
    if (loop->is_filling || (loop->is_closing && is_in_gap(loop, pc)))
        ban(loop);
}

/* A branch in the round in which the buffer is filled. */
RARELY static void fill(struct c910_loop *loop, const struct loop_branch *branch, uint32_t others)
{
    struct loop_record *record = &loop->record[loop->current];
    if (branch->pc == record->end && branch->is_taken) {
        record->state = LOOP_FILLED;
        loop->is_filling = false;
        loop->is_active = true;
    } else if (branch->target <= branch->pc || branch->target > record->end ||
               loop->branches++ == others) {
        ban(loop);
    } else if (branch->is_taken) {
        loop->gap = branch->pc;
        loop->gap_end = branch->target;
        loop->has_gap = true;
    }
}

/* A branch in the round in which the gap is closed. */
RARELY static void close(struct c910_loop *loop, const struct loop_branch *branch)
{
    bool is_end = branch->pc == loop->record[loop->current].end;
    if (is_end && branch->is_taken) {
        loop->has_gap = loop->is_closing = false;
        loop->is_active = true;
    } else if (is_end || is_in_gap(loop, branch->pc)) {
        ban(loop);
    }
}

/* Empties the buffer: filled loops count as only met. */
static void empty(struct c910_loop *loop)
{
    for (unsigned i = 0; i < LOOP_RECORDS; i++)
        if (loop->record[i].state == LOOP_FILLED)
            loop->record[i].state = LOOP_MET;
}

static void record(struct c910_loop *loop, const struct loop_branch *branch)
{
    const struct loop_record *before = &loop->record[loop->newest];
    bool is_around = before->state != LOOP_NONE && branch->target < before->end &&
                     before->end < branch->pc;
    empty(loop);
    loop->newest = (loop->newest + 1) % LOOP_RECORDS;
    loop->record[loop->newest] = (struct loop_record){
        .start = branch->target, .end = branch->pc, .state = is_around ? LOOP_BANNED : LOOP_MET,
    };
}

/* The backward branch of a remembered loop was taken. */
static void meet(struct c910_loop *loop, unsigned number)
{
    enum loop_state state = loop->record[number].state;
    if (state == LOOP_BANNED)
        return;
    loop->current = loop->newest = number;
    loop->is_active = state == LOOP_FILLED;
    loop->is_filling = state == LOOP_MET;
    if (state == LOOP_FILLED)
        return;
    empty(loop);
    loop->branches = 0;
    loop->has_gap = false;
}

SELDOM static void look_for(struct c910_loop *loop, const struct loop_branch *branch,
                            uint32_t bytes)
{
    for (unsigned i = 0; i < LOOP_RECORDS; i++) {
        if (loop->record[i].state != LOOP_NONE && loop->record[i].end == branch->pc) {
            meet(loop, i);
            return;
        }
    }
    if (branch->pc + branch->length - branch->target <= bytes &&
        branch->pc >> LOOP_PAGE_BITS == branch->target >> LOOP_PAGE_BITS)
        record(loop, branch);
}

void c910_loop_note(struct c910_loop *loop, const struct loop_change *before)
{
    bool is_same = loop->newest == before->newest;
    for (unsigned i = 0; i < LOOP_RECORDS; i++)
        is_same = is_same && loop->record[i].end == before->record[i].end &&
                  loop->record[i].start == before->record[i].start &&
                  loop->record[i].state == before->record[i].state;
    if (!is_same)
        loop->change[loop->next_change++ % LOOP_CHANGES] = *before;
}

void c910_loop_undo(struct c910_loop *loop, uint64_t cycle)
{
    for (unsigned i = 0; i < LOOP_CHANGES; i++) {
        struct loop_change *change = &loop->change[--loop->next_change % LOOP_CHANGES];
        if (change->cycle + LOOP_STAGES < cycle || change->cycle == 0) {
            loop->next_change++;
            return;
        }
        for (unsigned k = 0; k < LOOP_RECORDS; k++)
            loop->record[k] = change->record[k];
        loop->newest = change->newest;
        change->cycle = 0;
    }
}

void c910_loop_branch(struct c910_loop *loop, const struct loop_branch *branch, uint32_t bytes,
                        uint32_t others)
{
    if (loop->is_active) {
        loop->is_closing = loop->has_gap && branch->pc == loop->gap && !branch->is_taken;
        loop->is_active = !loop->is_closing;
    } else if (loop->is_filling) {
        fill(loop, branch, others);
    } else if (loop->is_closing) {
        close(loop, branch);
    } else if (branch->is_taken && branch->target <= branch->pc) {
        look_for(loop, branch, bytes);
    }
}
