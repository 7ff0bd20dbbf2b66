/* Tables with one write port (part_write_slots); table_writes.c. */
#ifndef SIM_CORE_BPRED_TABLE_WRITES_H
#define SIM_CORE_BPRED_TABLE_WRITES_H

#include <stdbool.h>
#include <stdint.h>

struct bpred;
struct lesson;

enum { WRITE_SLOTS_MAX = 64 };
enum written_table { WRITES_COUNTER, WRITES_TARGET, WRITES_TABLES };

struct late_write { uint64_t pc, history, target; uint8_t counter; bool taken; };

struct table_writes {
    uint64_t written;               /* last cycle in which the port was taken */
    uint32_t head, tail;
    struct late_write slot[WRITE_SLOTS_MAX];
};

/* True if outcomes wait for their write. queue: of the tables. */
static inline bool table_writes_wait(const struct table_writes queue[WRITES_TABLES])
{
    return queue[WRITES_COUNTER].head != queue[WRITES_COUNTER].tail ||
           queue[WRITES_TARGET].head != queue[WRITES_TARGET].tail;
}

void table_writes_put(struct bpred *bpred, enum written_table table, const struct lesson *lesson);
/* Waiting outcomes are written in cycles up to `now` without another write. */
void table_writes_settle(struct bpred *bpred, uint64_t now);

#endif
