/* Effects of marks and hints when an instruction commits, in both engines: counters, toggles,
 * labels, thresholds, indicators. */
#ifndef SIM_CORE_PROFILE_MARKS_H
#define SIM_CORE_PROFILE_MARKS_H

#include "shadowcache/shadow.h"
#include "sim/core/cpu.h"

/* The marks of one committed instruction: by hints, its own, that of the first marked datum it
 * accessed; NULL: none. Frames: where the marks were found, SHADOW_NO_FRAME from the fast
 * engine. */
struct marking {
    const struct mark *hint, *insn, *datum;
    uint32_t iframe, dframe;
};
/* Applies them to counters, toggle, PMU and indicator queue. Adds MARKED_* and *_EXCEEDED bits to
 * retire->events. Returns true if an indicator is now pending. */
bool cpu_apply_marks(struct cpu *cpu, struct retire *retire, const struct marking *marking);
/* The line of a store is written, `cycles` after its commit: its marks with thresholds act.
 * committed: its record from cpu_apply_marks, with RETIRE_COMMITS. Counts the events. */
void cpu_apply_written_marks(struct cpu *cpu, const struct retire *committed, uint32_t cycles,
                             const struct marking *marking);
/* True if the instruction at pc is an ecall or ebreak whose marks have not acted yet. They act
 * before its trap is taken. An interrupt raised by them also comes before the trap; then the
 * instruction is executed again. */
bool cpu_signals_trap(struct cpu *cpu, const struct insn *insn, uint64_t pc);
/* Applies these marks; retire->events is without INSNS_RETIRED. Counts new events of
 * retire->events. True: an interrupt is due before the trap. */
bool cpu_apply_trap_marks(struct cpu *cpu, struct retire *retire, const struct marking *marking);
/* True if marks on data act on accesses of this privilege. */
static inline bool cpu_marks_data(const struct cpu *cpu, unsigned priv)
{
    return cpu->marks_on && ((cpu->pmu.mode & PROF_MODE_USER_DATA) == 0 || priv == PRIV_U);
}
/* Bytes of data that a committed instruction accessed. bytes: from its encoding; result: its
 * rd. A store conditional that failed accessed none. */
static inline unsigned cpu_accessed_bytes(unsigned kind, unsigned bytes, uint64_t result)
{
    return kind == KIND_SC && result != 0 ? 0 : bytes;
}
/* The number of bytes of an access in the page after its first. */
static inline unsigned cpu_bytes_past_page(uint64_t va, unsigned bytes)
{
    unsigned in_page = PHYS_PAGE_BYTES - (unsigned)(va & (PHYS_PAGE_BYTES - 1));
    return bytes > in_page ? bytes - in_page : 0;
}
/* With hints_on, outside the monitor: the instruction at `address` with this encoding commits.
 * bundle: its bundle hint. *mark, if true: its mark by hints. A hint itself counts as
 * EVENT_HINT_MARKS in *events. */
bool cpu_take_hint(struct cpu *cpu, uint32_t bits, uint64_t address, uint32_t bundle,
                   struct mark *mark, uint64_t *events);

/* Merges counts of other harts in the line around pa into memory. */
void cpu_merge_counts(const struct cpu *cpu, bool is_data, uint64_t pa);
/* Handler for shadow_on_near; arg: the cpu. A merge brought a count near its overflow. */
void cpu_merged_near(void *arg, const struct shadow_near *near);
/* Queues an indicator, counts it, drives its line. */
void cpu_raise_indicator(struct cpu *cpu, const struct indicator *indicator);
/* mret, sret and the monitor's return, by HINT_AT_*, just before the instruction at pc counts. */
void cpu_leave_handler(struct cpu *cpu, unsigned place, uint64_t pc);
/* The instruction that will commit next wrote this profiling register, perhaps the thread's. */
void cpu_watch_thread(struct cpu *cpu, unsigned number);
/* True if a pending profiling interrupt must wait until one more instruction has retired. */
static inline bool cpu_holds_back(const struct cpu *cpu)
{
    return cpu->pmu.events[EVENT_INSNS_RETIRED] == cpu->left_monitor;
}

#endif
