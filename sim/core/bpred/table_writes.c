/* Tables with one write port: of the transfers that execute in a cycle, only that of the lowest
 * issue port is learned; in the BTB, of the taken ones.
 *
 * The others are put into a ring, to be written in cycles without another write. The ring of RSD
 * exchanges its read and write positions: the outcome read is not the last one written, but one
 * written almost a whole turn before. So the outcome is practically lost, and an old one is written
 * instead.
 * Source: rsd-devel/rsd, Gshare.sv (phtQueue) and BTB.sv (btbQueue).
 * Leaves out: slots that were never filled are written like the others. */
#include "sim/core/bpred/table_writes.h"

#include "sim/core/bpred/bpred_internal.h"

static inline void write_outcome(struct bpred *bpred, enum written_table table, uint64_t pc,
                                 uint64_t target, uint64_t history, uint8_t counter, bool taken)
{
    if (table == WRITES_TARGET)
        btb_learn(&bpred->btb, pc, target);
    else
        gshare_write(&bpred->by.gshare, pc, history, counter, taken);
}

static void write_entry(struct bpred *bpred, enum written_table table,
                        const struct late_write *entry)
{
    if (entry->pc != 0)                         /* it was filled */
        write_outcome(bpred, table, entry->pc, entry->target, entry->history, entry->counter,
                      entry->taken);
}

static inline bool has_due(const struct table_writes *queue, uint64_t until)
{
    return queue->head != queue->tail && queue->written + 1 < until;
}

/* Writes one outcome in each cycle before `until` without another write; at least one outcome
 * waits. */
static NOT_INLINE void take_write_out(struct bpred *bpred, enum written_table table, uint64_t until)
{
    struct table_writes *queue = &bpred->queue[table];
    do {
        queue->written++;
        write_entry(bpred, table, &queue->slot[queue->tail % bpred_shape(bpred)->write_slots]);
        queue->head++;
    } while (has_due(queue, until));
}

static inline void take_out_due(struct bpred *bpred, enum written_table table, uint64_t until)
{
    if (has_due(&bpred->queue[table], until))
        take_write_out(bpred, table, until);
}

static NOT_INLINE void queue_write(struct bpred *bpred, struct table_writes *queue,
                                   const struct lesson *lesson)
{
    queue->slot[queue->head % bpred_shape(bpred)->write_slots] = (struct late_write){
        .pc = lesson->pc, .history = lesson->snapshot.history, .target = lesson->target,
        .counter = lesson->snapshot.counter, .taken = lesson->taken,
    };
    queue->tail++;
}

void table_writes_put(struct bpred *bpred, enum written_table table, const struct lesson *lesson)
{
    struct table_writes *queue = &bpred->queue[table];
    const struct bpred_snapshot *snapshot = &lesson->snapshot;
    take_out_due(bpred, table, lesson->cycle);
    if (queue->written == lesson->cycle) {
        queue_write(bpred, queue, lesson);
        return;
    }
    queue->written = lesson->cycle;
    if (lesson->pc != 0)
        write_outcome(bpred, table, lesson->pc, lesson->target, snapshot->history,
                      snapshot->counter, lesson->taken);
}

void table_writes_settle(struct bpred *bpred, uint64_t now)
{
    take_out_due(bpred, WRITES_COUNTER, now + 1);
    take_out_due(bpred, WRITES_TARGET, now + 1);
}
