/* One resource whose turns are promised in advance to instruction fetch or data.
 *
 * Every request gets its turn at once, as if no other request followed. Unless the order is first
 * come, first served, a later request can overtake promises whose turn has not begun; these move,
 * and are listed in `moved` so that the waiters can be told. Among the requests that have arrived
 * by then, the favoured kind goes first, or with round robin the kind that was not served last;
 * within a kind the older request goes first. Promises older than the last ARBITER_PROMISES are
 * forgotten. */
#ifndef SIM_MEM_ARBITER_H
#define SIM_MEM_ARBITER_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the setting rsd.arbitration. */
enum arbitration { ARBITER_FCFS, ARBITER_FETCH_FIRST, ARBITER_DATA_FIRST, ARBITER_ROUND_ROBIN };

enum { ARBITER_PROMISES = 16 };

struct promise {
    uint64_t asked, start, end;
    uint32_t number;        /* by order of arrival */
    bool is_fetch;
    bool is_told;           /* a requester waits for the line of `pa`, which arrives at `arrival` */
    uint64_t pa, arrival;
};

struct promise_move { uint64_t pa, from, to; };     /* of an arrival */

struct arbiter {
    enum arbitration kind;
    uint32_t next;          /* number of the next promise */
    uint64_t free;          /* cycle from which no turn is promised */
    struct promise promise[ARBITER_PROMISES];
    uint32_t moves;         /* by the last request */
    struct promise_move moved[ARBITER_PROMISES];
};

/* The first cycle from `now` on at which such a request would have its turn. Changes nothing. */
uint64_t arbiter_start(const struct arbiter *arbiter, uint64_t now, bool is_fetch);
/* A request at `now` takes the resource for `cycles` from `start` on, the result of
 * arbiter_start. Returns the promise where it is kept, or NULL. */
struct promise *arbiter_take(struct arbiter *arbiter, uint64_t now, uint64_t start,
                             uint64_t cycles, bool is_fetch);

/* arbiter_start and arbiter_take, for a request without a waiter; returns the start. */
static inline uint64_t arbiter_occupy(struct arbiter *arbiter, uint64_t now, uint64_t cycles,
                                      bool is_fetch)
{
    uint64_t start = arbiter_start(arbiter, now, is_fetch);
    arbiter_take(arbiter, now, start, cycles, is_fetch);
    return start;
}

#endif
