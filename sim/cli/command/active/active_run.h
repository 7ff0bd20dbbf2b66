/* Active time of sections of a program under the guest kernel, measured in three ways. */
#ifndef SIM_CLI_COMMAND_ACTIVE_ACTIVE_RUN_H
#define SIM_CLI_COMMAND_ACTIVE_ACTIVE_RUN_H

#include "pmu/abi_kernel.h"
#include "prof/active/active.h"
#include "sim/cli/command/active/active_sections.h"
#include "sim/run/result.h"

enum active_way { ACTIVE_ORACLE, ACTIVE_PROBES, ACTIVE_HARDWARE, ACTIVE_WAYS };

/* One method's result for a section: sums over all threads; `spread`: of the active time. */
struct active_result {
    uint64_t entries;               /* including inner entries of a recursion */
    uint64_t part[ACTIVE_PARTS];    /* hardware: ACTIVE_ACTIVE alone */
    struct spread spread;           /* hardware: none */
    uint64_t cycles;                /* of the run */
    uint64_t truth;                 /* active time, by the oracle of the same run */
    uint64_t user;                  /* of the truth, in user mode; the rest is the kernel's */
    uint64_t incomplete;            /* entries that no exit follows, by the oracle: not in the
                                     * truth, but counted by the hardware */
    enum result_reason end;         /* of the run; before the program's end the hardware's counts
                                     * are unknown, because each thread reports them as it ends */
};

/* Cycles of a probe, by calibration; seen: the part that its own record has. The rest is the same
 * for each. */
struct active_probe_cost { uint64_t entry, exit, entry_seen, exit_seen; };

struct active_run_all {
    struct active_section section[ACTIVE_SECTIONS];
    unsigned sections;
    struct active_result result[ACTIVE_SECTIONS][ACTIVE_WAYS];
    struct active_probe_cost cost;
    struct timeline timeline[ACTIVE_HARDWARE];  /* of oracle and probes */
    struct active active[ACTIVE_HARDWARE];
    const struct tool *tool;        /* whose runs these are; after an interruption, ways without a
                                     * run have no cycles */
};

/* Calibrates with a program of known sections. */
enum err active_run_calibrate(struct tool *of, struct active_probe_cost *cost,
                              struct diag *diag);
/* For active_add_records: sets the overhead common to all probes. */
void active_run_set_cost(struct timeline *timeline, const struct active_probe_cost *cost);
/* Runs a program of known sections twice to calibrate the probes. Then runs the program once for
 * the oracle, once with probes in all sections, and with hardware marks in all sections, as many at
 * a time as there are counters. The oracle watches each of these runs too, as probes and marks
 * change the program's own time. The caller has set the sections' names; active_run_free is due
 * afterwards, also after an error. */
enum err active_run(struct active_run_all *all, struct tool *tool, struct diag *diag);
void active_run_free(struct active_run_all *all);

#endif
