/* Routines that run at a virtual speed: the gain of a speed-up, without writing it.
 *
 * While commit waits for an instruction of such a routine, or commits it, the hart's clock runs N
 * times as fast as the machine's. The oracle profile (pmu/exact/oracle.h) charges exactly these
 * cycles to the instruction, so a hart's time is its cycles less (1 - 1/N) of those charged to the
 * routine. Harts meet in time: one that waits for a lock held by the routine waits correspondingly
 * less. Timers, clocks and limits follow time; mcycle counts the hart's own cycles. Structures
 * shared by harts answer in the hart's own time (memsys_set_ahead).
 *
 * Cycles that are not charged yet, because nothing has committed, are taken for those of the oldest
 * instruction in flight. Needs pmu.oracle, and is meaningful in the detailed engine only. */
#ifndef SIM_RUN_FASTER_H
#define SIM_RUN_FASTER_H

#include <stdbool.h>
#include <stdint.h>

#define FASTER_INFINITE UINT64_MAX      /* the cycles of the routine take no time */
enum { FASTER_SPEEDS = 96 };

struct core;
struct cpu;
struct faster_hart;

struct faster {
    /* Chosen by the user: N of each speed in thousandths, above 1000; and the speed of an address,
     * or -1 */
    uint64_t thousandths[FASTER_SPEEDS];
    unsigned speeds;
    int (*speed_of)(void *arg, uint64_t va);
    void *arg;
    struct faster_hart *hart;           /* [hart]; NULL before faster_begin */
    unsigned harts;
};

/* Called before the run of a machine of that many harts. False: no memory. */
bool faster_begin(struct faster *faster, unsigned harts);
void faster_end(struct faster *faster);
/* The whole cycles by which the hart's clock is ahead of time. core NULL: the hart has no core. */
uint64_t faster_ahead(struct faster *faster, unsigned hart, struct core *core,
                      const struct cpu *cpu);
/* As faster_ahead, of the cycles charged so far: all; the part saved by routines of programs under
 * the guest kernel, not its own; and the part in WFI, which belongs to neither. */
struct faster_parts { uint64_t all, by_user, idle; };
struct faster_parts faster_saved(struct faster *faster, unsigned hart, const struct core *core);

#endif
