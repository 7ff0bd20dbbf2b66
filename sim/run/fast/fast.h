/* The fast engine: predecoded blocks of threaded code on the functional state of one cpu.
 *
 * Counts instructions exactly; a cycle is an instruction, so counters and the clock are
 * deterministic. It counts the events INSNS_RETIRED, CYCLES, their monitor twins, TRAPS, INTERRUPTS
 * and signals of marks, and on request (fast_count_events, or a counter of the PMU that selects
 * one) the others of event_architectural.def; events of a pipeline stay zero. Applies marks
 * exactly, with a latency of one cycle. */
#ifndef SIM_RUN_FAST_H
#define SIM_RUN_FAST_H

#include "sim/core/cpu.h"

struct fast;

/* NULL: no memory. */
struct fast *fast_new(struct cpu *cpu);
void fast_free(struct fast *fast);
/* Runs until a stop or exactly `insns` more instructions (STOP_QUOTA). hart->pc is then that of the
 * next instruction. */
enum stop fast_run(struct fast *fast, uint64_t insns);
/* The instruction at hart->pc alone; interrupts stay pending. *retired: it did not trap. */
enum stop fast_single(struct fast *fast, bool *retired);
/* fast_run returns with STOP_MARKER in front of the instruction at this virtual pc, once each time;
 * 1: never. */
void fast_stop_at(struct fast *fast, uint64_t pc);
/* Drops every decoded block (the host changed memory, marks or translation). */
void fast_flush(struct fast *fast);
/* The host changed the page tables, or wrote code: fence.i semantics. */
void fast_translation_changed(struct fast *fast);
void fast_code_changed(struct fast *fast);

/* Sets the engines of all harts on the same memory. The array stays the caller's, may have NULL
 * entries, and includes `fast`. Blocks dropped at one hart's fence.i are dropped in all. */
void fast_set_peers(struct fast *fast, struct fast *const *peer, unsigned peers);
/* leave: other engines hold decoded code too, so stale pages are left for them to take as well. */
void fast_leave_stale(struct fast *fast, bool leave);

/* Every executed instruction also warms this core (core_warm); they then run one at a time. NULL =
 * none. */
struct core;
void fast_set_warming(struct fast *fast, struct core *core);

/* on: counts loads, branches and the other events of event_architectural.def from now on. */
void fast_count_events(struct fast *fast, bool on);

/* The observer sees every executed instruction (commit trace, lock-step). While set, instructions
 * run one at a time. NULL = none. */
struct fast_record {
    uint64_t pc;
    const struct insn *insn;
    uint64_t va, pa, store_value;   /* of the data access, if the instruction made one */
    uint8_t priv;               /* mode in which it executed */
    uint8_t fflags;             /* exception flags raised */
    uint8_t mem_bytes;          /* bytes accessed; 0: no data access */
};
struct fast_observer {
    void *arg;
    void (*step)(void *arg, const struct fast_record *record);
};
void fast_set_observer(struct fast *fast, const struct fast_observer *observer);

#endif
