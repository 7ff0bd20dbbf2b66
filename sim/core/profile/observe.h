/* Instructions and traps as seen by units of standard extensions, in both engines: control transfer
 * records and debug triggers.
 *
 * cpu->observers has the active units; while it is zero no function of this file need be called. */
#ifndef SIM_CORE_PROFILE_OBSERVE_H
#define SIM_CORE_PROFILE_OBSERVE_H

#include "isa/op.h"
#include "sim/core/cpu.h"

enum {
    CPU_OBSERVES_TRANSFERS = 1,
    CPU_OBSERVES_RETIRED = 2,       /* triggers that signal or count */
    CPU_OBSERVES_NEXT = 4,          /* triggers that look at an instruction before it executes */
    CPU_OBSERVES_TRAPS = 8,
};

/* Registers of such a unit were written: recomputes cpu->observers. */
void cpu_observers_changed(struct cpu *cpu);

/* CPU_OBSERVES_NEXT: called before an instruction does anything irreversible, with all older ones
 * complete. True: it traps instead, with a breakpoint and *tval. insn_bytes 0: it could not be
 * fetched; va: of its access, if it has one. */
struct cpu_next { const struct insn *insn; uint64_t pc, va; bool is_fetched, has_address; };
bool cpu_breaks(struct cpu *cpu, const struct cpu_next *next, uint64_t *tval);
/* As cpu_breaks, for an instruction at hart->pc whose address is not computed yet. */
bool cpu_breaks_at_pc(struct cpu *cpu, const struct insn *insn, uint64_t *tval);

/* An instruction fetched in `priv` commits: after its marks, before pmu_retire. Adds TRIGGER_* to
 * retire->events. */
void cpu_observe(struct cpu *cpu, struct retire *retire, const struct insn *insn, unsigned priv);

/* A trap was taken from mode `from` at `epc`; the hart is in the handler already. True: a trigger
 * wants a breakpoint before its first instruction. */
bool cpu_observe_trap(struct cpu *cpu, uint64_t cause, uint64_t epc, unsigned from);

/* The key of an address that the hart's program uses (pmu/key.h). */
static inline uint64_t cpu_key(const struct cpu *cpu, uint64_t va)
{
    return pmu_thread_key(&cpu->pmu.thread, va);
}

/* With cpu->calls, outside the monitor: the instruction, a transfer of control or a return from a
 * trap, is about to be counted; a trap was taken, or the host is about to serve it. */
void cpu_show_transfer(const struct cpu *cpu, const struct insn *insn, uint64_t pc,
                       uint64_t next_pc, uint64_t sp);
void cpu_show_trap(const struct cpu *cpu, uint64_t cause, uint64_t pc, bool is_served);
/* With cpu->calls: the number of the thread was written. */
void cpu_show_thread(const struct cpu *cpu);

/* The instruction is the return of a function; limits may end with it (pmu/limit.h). */
static inline bool cpu_is_return(const struct insn *insn)
{
    enum { REG_RA = 1 };

    return insn->op == OP_jalr && insn->rs1 == REG_RA && insn->rd == REG_SINK;
}

#endif
