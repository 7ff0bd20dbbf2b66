/* One resource that is promised in advance: who gets it next, instruction fetch or data.
 *
 * Every request is told at once when its turn is, so a promise once given is kept. What arbitration
 * can do within that: a request of the favoured kind is put before promises whose turn has not
 * come; those keep the time they were told, and the time they should have lost is taken from
 * whoever asks next. So bandwidth is exact, the latency of the favoured kind is exact, and that of
 * an overtaken request too short by one transfer. Promises older than the last ARBITER_PROMISES
 * are forgotten: they count as before any newcomer. */
#ifndef SIM_MEM_ARBITER_H
#define SIM_MEM_ARBITER_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the setting bus.arbitration. */
enum arbitration { ARBITER_FCFS, ARBITER_FETCH_FIRST, ARBITER_DATA_FIRST, ARBITER_ROUND_ROBIN };

enum { ARBITER_PROMISES = 16 };

struct promise {
    uint64_t start, end;
    bool is_fetch;
};

struct arbiter {
    enum arbitration kind;
    uint32_t next;          /* place of the next promise */
    uint64_t free;          /* cycle from which nothing is promised */
    struct promise promise[ARBITER_PROMISES];
};

/* The cycle, not before `now`, at which the turn of such a request is. Changes nothing. */
uint64_t arbiter_start(const struct arbiter *arbiter, uint64_t now, bool is_fetch);
/* It takes the resource at `start`, as arbiter_start said, for so many cycles. */
void arbiter_take(struct arbiter *arbiter, uint64_t start, uint64_t cycles, bool is_fetch);

/* Both at once; returns the start. */
static inline uint64_t arbiter_occupy(struct arbiter *arbiter, uint64_t now, uint64_t cycles,
                                      bool is_fetch)
{
    uint64_t start;
    if (arbiter->kind == ARBITER_FCFS) {
        start = now > arbiter->free ? now : arbiter->free;
        arbiter->free = start + cycles;
        return start;
    }
    start = arbiter_start(arbiter, now, is_fetch);
    arbiter_take(arbiter, start, cycles, is_fetch);
    return start;
}

#endif
