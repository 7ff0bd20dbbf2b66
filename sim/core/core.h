/* The detailed engine: an out-of-order superscalar pipeline, cycle by cycle.
 * Internals are in core_internal.h and one file a stage. */
#ifndef SIM_CORE_CORE_H
#define SIM_CORE_CORE_H

#include <stdio.h>

#include "sim/core/cpu.h"
#include "sim/mem/memsys.h"

struct core;

struct core *core_new(struct cpu *cpu, struct memshared *shared);
void core_free(struct core *core);
/* The harts of one machine decode each page once: this core, which has not run, uses the decoded
 * pages of `owner`, which must live longer. A fence.i of one of them drops stale pages for both. */
void core_share_code(struct core *core, const struct core *owner);

/* Runs until a stop, or until this many more instructions committed or cycles passed (whichever
 * first; UINT64_MAX = no limit). Returning with STOP_QUOTA disturbs nothing: instructions stay
 * in flight, so hart->reg is ahead of commit; every other stop leaves the hart precise and the
 * pipeline empty, and the next call fetches from hart->pc. With skip, cycles in which nothing
 * can happen are taken in one step; statistics are identical either way. */
enum stop core_run(struct core *core, uint64_t insns, uint64_t cycles, bool skip);

/* Discards the instructions in flight: the hart is precise, and hart->pc is the next instruction to
 * commit. Needed before registers are read or changed after STOP_QUOTA; costs simulated time. */
void core_settle(struct core *core);

/* True if thresholds of marks wait until the line of a committed store is written. */
bool core_awaits_lines(const struct core *core);

/* True if the invariants of the pipeline (core_internal.h) hold. Valid between calls of
 * core_run. */
bool core_is_sane(const struct core *core);

/* core_run returns with STOP_MARKER when the instruction at this virtual address is about to
 * commit, once each time, with the pipeline as it is, like STOP_QUOTA; 1: never. */
void core_stop_at(struct core *core, uint64_t pc);

/* The hart's state after the committed instructions, without those in flight; one that acted at the
 * head of the reorder buffer counts as committed. */
void core_view(const struct core *core, struct hart *view);

/* Cycles, up to now, in which nothing committed; while the hart waits in WFI there are none. */
uint64_t core_stuck_cycles(struct core *core);
/* The oldest instruction of a core that commits nothing: its place, itself (NULL: not fetched), how
 * far it is, and the CPI_* event of its wait. */
struct core_oldest { uint64_t pc; const struct insn *insn; const char *stage; unsigned event; };
struct core_oldest core_oldest(const struct core *core);

/* The host changed pc, memory, translation or marks of a settled core: discards cached state. */
void core_restart(struct core *core);

/* True if every dispatch slot and every cycle up to now has exactly one cause; slots of
 * instructions in flight and cycles since the last commit have none yet. False: `text` tells the
 * error. */
bool core_accounts_are_exact(const struct core *core, char *text, size_t bytes);

/* The oracle profile, or NULL when pmu.oracle is off; exact when its units are all cycles'. */
struct oracle;
const struct oracle *core_oracle(const struct core *core);
bool core_oracle_is_exact(const struct core *core, char *text, size_t bytes);

/* From now on `accesses`, which the caller keeps, receives the data accesses that commit; only with
 * pmu.oracle. */
struct accesses;
void core_follow_accesses(struct core *core, struct accesses *accesses);

/* The reports of the profiling schemes up to now, or NULL when sampling.period is 0. */
struct schemes;
const struct schemes *core_schemes(const struct core *core);

/* Functional warming: an instruction that another engine executed on the hart passes caches, TLBs
 * and predictors; their events are counted. core_warm_begin comes before the first of a run. */
struct core_warm {
    uint64_t pc, next_pc, va, pa;
    const struct insn *insn;
    uint8_t mem_bytes, priv;        /* 0: no access; it was executed in */
};
void core_warm_begin(struct core *core);
void core_warm(struct core *core, const struct core_warm *insn);

/* The caches and TLBs of this core: for frame counts. */
struct memsys *core_memsys(struct core *core);

/* Observes every instruction that leaves the pipeline; NULL = none (costs nothing). */
struct core_trace_record {
    uint64_t seq, pc;
    const struct insn *insn;
    /* cycles; 0: never */
    uint64_t fetch, decode, rename, dispatch, issue, complete, retire, store_done;
    uint64_t leave;                 /* cycle in which it committed or was thrown away */
    uint64_t store_number;          /* UINT64_MAX: nothing of it waits for the cache any more */
    uint64_t rd_value, va, pa, store_value;
    uint64_t producer_seq[3];       /* of the sources; 0 = none in flight */
    uint8_t priv, fflags;
    bool committed, is_marked, is_mispredicted;
    bool is_monitor;                /* it is the resident monitor's */
    unsigned mem_bytes;
    uint8_t trap;                   /* enum trap_cause that ended it, or TRAP_NONE */
};
struct core_observer {
    void *arg;
    void (*leave)(void *arg, const struct core_trace_record *record);
    /* The data cache has a committed store at this cycle; NULL: not reported. */
    void (*stored)(void *arg, uint64_t store_number, uint64_t cycle);
};
void core_set_observer(struct core *core, const struct core_observer *observer);

#endif
