/* Lessons that wait for their cycle: see train.c. */
#ifndef SIM_CORE_BPRED_LESSONS_H
#define SIM_CORE_BPRED_LESSONS_H

#include "sim/core/bpred/bpred_internal.h"
#include "sim/core/bpred/table_writes.h"

static inline struct lesson *lesson_at(const struct bpred *bpred, uint32_t number)
{
    return &bpred->lesson[number & bpred->record_mask];
}

/* Tables learn the lessons of cycles up to `now`, of which there are some, and make the writes that
 * are due by then. */
void lessons_learn(struct bpred *bpred, uint64_t now);

/* The same, if there are any. */
static inline void lessons_learn_due(struct bpred *bpred, uint64_t now)
{
    bool is_due = bpred->lesson_head != bpred->lesson_tail &&
                  lesson_at(bpred, bpred->lesson_head)->cycle <= now;
    if (is_due || (bpred->write_slots != 0 && table_writes_wait(bpred->queue)))
        lessons_learn(bpred, now);
}

#endif
