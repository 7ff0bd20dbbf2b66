/* The cost of monitoring a program, in cycles, split by cause: with paired runs.
 *
 * Each share is the difference of two runs that differ in one feature:
 *   monitor instructions   the monitor on the machine, but without influence on the program's
 *                          caches, TLBs and predictors, against the monitor on the host
 *   pipeline flushes       the monitor on the host against no interrupts
 *   cache, TLB, predictor  with and without influence of the monitor on that structure
 *   metadata traffic       with and without time for it
 * The rest of the whole is the interaction, so the shares add up to it exactly. */
#ifndef SIM_CLI_TOOL_MONITORING_H
#define SIM_CLI_TOOL_MONITORING_H

#include <cjson/cJSON.h>

#include "sim/cli/tool/tool.h"

enum monitoring_share {
    MONITORING_INSNS, MONITORING_FLUSHES, MONITORING_CACHES, MONITORING_TLBS,
    MONITORING_PREDICTOR, MONITORING_TRAFFIC, MONITORING_INTERACTION, MONITORING_SHARES,
};

struct monitoring {
    uint64_t base, full;                    /* cycles without monitoring, and with */
    uint64_t interrupts;
    int64_t share[MONITORING_SHARES];       /* cycles */
};

/* Before the runs: ERR_USAGE with --max-cycles, which ends all runs at the same cycle, so that
 * nothing would seem to cost any. */
enum err monitoring_check(const struct tool *tool, struct diag *diag);
/* The trial has been run, and gave `full`; `base` is from a run without monitoring. */
enum err monitoring_measure(struct tool *tool, const struct trial *trial,
                            const struct profile *full, const struct profile *base,
                            struct monitoring *cost, struct diag *diag);
/* Prints `count` of them side by side, each with its name. */
void monitoring_print(const struct monitoring *cost, const char *const *name, size_t count,
                      FILE *out);
/* "monitoring": the same as an array. */
void monitoring_add_json(cJSON *root, const struct monitoring *cost, const char *const *name,
                         size_t count);

#endif
