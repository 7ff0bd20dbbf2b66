/* Routines that run faster than they are: what their speed-up would gain, without writing it.
 *
 * While commit waits for an instruction of such a routine, or commits it, the hart's clock runs N
 * times as fast as that of the machine. The oracle profile (pmu/oracle.h) charges exactly these
 * cycles to the instruction, so a hart's time is its cycles less (1 - 1/N) of those charged to the
 * routine. Harts meet in time: another one, which waits for a lock that the routine holds, waits
 * for so much less. Timers, clocks and limits follow time; mcycle counts the hart's own cycles.
 * What harts share answers in its own time (memsys_set_ahead).
 *
 * Cycles that are not charged yet, because nothing has committed, are taken for those of the oldest
 * instruction in flight. Needs pmu.oracle, and means something in the detailed engine only. */
#ifndef SIM_RUN_FASTER_H
#define SIM_RUN_FASTER_H

#include <stdbool.h>
#include <stdint.h>

#define FASTER_INFINITE UINT64_MAX      /* its cycles take no time */
enum { FASTER_SPEEDS = 96 };

struct core;
struct faster_hart;

struct faster {
    /* chosen: N in thousandths of each speed, above 1000, and which one an address has, or -1 */
    uint64_t thousandths[FASTER_SPEEDS];
    unsigned speeds;
    int (*speed_of)(void *arg, uint64_t va);
    void *arg;
    struct faster_hart *hart;           /* of each; NULL: faster_begin is yet to come */
    unsigned harts;
};

/* Before the run of a machine with so many harts. False: no memory. */
bool faster_begin(struct faster *faster, unsigned harts);
void faster_end(struct faster *faster);
/* The cycles, in whole ones, by which the hart's clock is ahead of time. core NULL: it has none. */
uint64_t faster_ahead(struct faster *faster, unsigned hart, struct core *core);
/* The same of what was charged so far. */
uint64_t faster_saved(struct faster *faster, unsigned hart, const struct core *core);

#endif
