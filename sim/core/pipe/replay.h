/* The replay queue as a FIFO (issue.replay = fifo); replay.c. */
#ifndef SIM_CORE_PIPE_REPLAY_H
#define SIM_CORE_PIPE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct uop;

enum { REPLAY_ENTRIES_MAX = 128, REPLAY_LANES = 16, REPLAY_DELAYS = 64, NO_REGISTER = 0xff };

/* Operations issued in vain in one cycle. */
struct replay_entry {
    uint64_t cycle, seq[REPLAY_LANES], id[REPLAY_LANES];
    uint32_t gap;                   /* cycles after the entry before it */
    uint8_t count;
};

struct replay_fifo {
    uint32_t head, tail, flushing;  /* flushing: entries that were there at the last squash */
    uint64_t last_push, last_pop;
    uint64_t held_from;             /* issue queues have stood still since then; 0: they do not */
    uint64_t ready_by;              /* the issue queues give what was ready in this cycle */
    struct replay_entry failed[REPLAY_DELAYS];          /* on their way, by cycle of issue modulo */
    struct replay_entry entry[REPLAY_ENTRIES_MAX];
};

/* A cycle of the queue, before the issue queues'. True: these issue nothing. */
bool replay_step(struct core *core);
/* An operation got a port; of the queue's, `port` is -1. */
void replay_issue(struct core *core, struct uop *uop, uint32_t index, int port);
void replay_squash(struct core *core, const struct uop *uop);
void replay_end_of_squash(struct core *core);
/* When the queue does something, or NEVER. */
uint64_t replay_next(const struct core *core);

#endif
