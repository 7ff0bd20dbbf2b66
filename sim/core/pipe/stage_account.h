/* Interfaces of the files that account for slots and cycles, profiling schemes, isolation. */
#ifndef SIM_CORE_PIPE_STAGE_ACCOUNT_H
#define SIM_CORE_PIPE_STAGE_ACCOUNT_H

#include "pmu/event.h"
#include "sim/core/pipe/core_state.h"

struct core_trace_record;

/* account.c: causes of slots and cycles.
 * `cause`: the SLOTS_* event of the resource that the next instruction lacks, or the LOST_* event
 * of the reason that there is no instruction (account_starved). */
void account_slots(struct core *core, unsigned cause, uint64_t slots);
unsigned account_starved(const struct core *core);
/* The CPI_* event of a cycle without commit, in the present state. */
unsigned account_waiting(const struct core *core);
/* Counts lost slots whose events are both known. */
static inline void account_lost(struct core *core, struct lost lost, uint64_t slots)
{
    core->lost = lost;
    core->events[lost.slots] += slots;
    if (lost.leaf != EVENT_NONE)
        core->events[lost.leaf] += slots;
}
/* These cycles are idle, so their slots are lost to the cause of the cycle before. */
static inline void account_skipped(struct core *core, uint64_t cycles)
{
    account_lost(core, core->lost, cycles * core_config(core)->dispatch_width);
}
void account_squash(struct core *core, enum squash_reason reason, uint64_t slots);
/* Instructions from `first` to commit_seq committed in this cycle. waited: none did in the cycle
 * before; charge: for the oracle, which exists. */
void account_waited(struct core *core, uint64_t first);
void account_charge(struct core *core, uint64_t first);
static inline void account_commit(struct core *core, uint64_t first)
{
    if (core->counted_cycle + 1 != core->now)
        account_waited(core, first);
    core->events[EVENT_CPI_BASE]++;
    core->counted_cycle = core->now;
}
/* The hart waits now: in WFI, or in a system call, which is the instruction before commit_pc. */
void account_wait(struct core *core);
/* Cycles up to `cycle` passed, and the instructions in flight will not commit. `culprit`: the
 * instruction that trapped, or NULL. */
void account_flush(struct core *core, uint64_t cycle, const struct uop *culprit);
void account_idle(struct core *core, uint64_t cycles);

/* sampling.c: the profiling schemes (pmu/scheme/scheme.h) look on; only with core->sampling.
 * step: after the back end, before decode. skip: idle cycles, that many from `now` on.
 * flush: everything in flight will be squashed, as with account_flush. wait: the hart waits in the
 * instruction at `va`, as with account_wait. */
struct sampling *sampling_new(const struct config *config);
void sampling_free(struct sampling *sampling);
void sampling_step(struct core *core);
void sampling_skip(struct core *core, uint64_t cycles);
void sampling_flush(struct core *core, uint64_t cycle, const struct uop *culprit);
void sampling_wait(struct core *core, uint64_t va);

/* ---- events of the units: cycles in which they are occupied, counted at issue ---------------- */

/* An operation starts in its unit: the first cycle. */
static inline void issue_count(struct core *core, const struct uop *uop)
{
    _Static_assert(EVENT_UNIT_FP_BUSY - EVENT_UNIT_INT_BUSY == UNIT_FP - UNIT_INT,
                   "events of the units are in the order of the units");
    core->events[EVENT_UNIT_INT_BUSY + uop->unit]++;
}

/* The operation keeps the unit for that many more cycles. */
static inline void unit_count_more(struct core *core, const struct uop *uop, uint64_t cycles)
{
    core->events[EVENT_UNIT_INT_BUSY + uop->unit] += cycles;
}

/* Of the simple integer units the first two count by themselves, too. */
static inline void unit_count_port(struct core *core, const struct uop *uop, unsigned port)
{
    if (uop->unit == UNIT_INT && core->iq.int_event[port] != 0)
        core->events[core->iq.int_event[port]]++;
}

/* The iterative unit at the port is occupied until that cycle; NEVER: until the next call. */
static inline void unit_count_kept(struct core *core, const struct uop *uop, unsigned port,
                                   uint64_t until)
{
    uint64_t *from = &core->iq.kept_from[port][uop->unit_class];
    if (until == NEVER) {
        *from = core->now;
        return;
    }
    bool was_kept = core->iq.port_busy_until[port][uop->unit_class] == NEVER;
    unit_count_more(core, uop, until - (was_kept ? *from : core->now) - 1);
}

/* In trace.c: the record of an instruction at its present stage. */
struct core_trace_record trace_record_of(const struct core *core, const struct uop *uop,
                                         bool committed);

/* isolate.c: the monitor's own structures, if it has any. Follow: the monitor may have been entered
 * or left, and nothing is in flight. Apart: the monitor runs now on caches of its own, beside which
 * there are no shadow frames. */
bool isolation_init(struct core *core);
void isolation_free(struct isolation *isolation);
void isolation_follow(struct core *core);
bool isolation_is_apart(const struct core *core);
/* The core has this memory system from now on. */
void core_use_memory(struct core *core, struct memsys *mem);

#endif
