/* Requests of the hart's state to the pipeline: interrupts, counters near their overflow, the end
 * of the run. */
#ifndef SIM_CORE_PIPE_STAGE_MODE_H
#define SIM_CORE_PIPE_STAGE_MODE_H

#include "sim/core/cpu.h"
#include "sim/core/pipe/tally.h"
#include "sim/core/privilege.h"

/* The run ends before the next cycle. */
static inline void core_end(struct core *core, enum stop stop)
{
    core->stop = (uint8_t)stop;
    core->attend_at = 0;
}

static inline uint8_t core_mode(const struct core *core)
{
    return (uint8_t)((privilege_masks_interrupts(core->hart) ? CYCLES_IRQ_OFF : 0) |
                     (core->hart->in_monitor ? CYCLES_MONITOR : 0) |
                     (core->cpu->marks_on ? HAS_MARKS : 0));
}

/* A counter may be near its overflow now. */
static inline void core_note_counters(struct core *core)
{
    if (core->cpu->pmu.armed != 0)
        core->attend_at = 0;
}

/* The hart's privilege, mstatus, monitor state, marks or counters may have changed. */
static inline void core_note_mode(struct core *core)
{
    tally_settle_mode(core);
    core->mode = core_mode(core);
    core_note_counters(core);
}

/* The next timer interrupt may have moved, or the hart waits for one. */
static inline void core_touch_clock(struct core *core)
{
    core->clock_touched = true;
    core->attend_at = 0;
}

/* An interrupt or an indicator may come before the next instruction. commit_interrupt: true when
 * one was taken, so that nothing commits in this cycle. */
static inline bool commit_is_interrupted(const struct core *core)
{
    const struct cpu *cpu = core->cpu;
    return (trap_mip(&cpu->hart) | cpu->pmu.queue_length) != 0 && !core->serial_in_flight &&
           (cpu_interrupts(cpu) != 0 || cpu->pmu.queue_length != 0);
}
bool commit_interrupt(struct core *core);
/* The monitor interrupts a wait. STOP_NONE: the wait is not over, and commit_interrupt will enter
 * the monitor. */
enum stop commit_interrupt_wait(struct core *core);

/* A counter may have overflowed in the cycles up to now: then its interrupt is pending. */
void core_note_overflow(struct core *core);

/* Marks and PMU filters may have changed: decides whether commit has to build retire records. */
void core_profiling_changed(struct core *core);
/* With cpu->calls: the head commits. cpu_take_interrupt for it, before others are squashed. */
void core_show_transfer(const struct core *core, const struct uop *uop);
bool core_take_interrupt(struct core *core, enum stop *stop);
uint64_t core_committed_sp(const struct core *core);    /* before the head */

#endif
