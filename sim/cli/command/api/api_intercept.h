/* Calls timed from inside: each function by a probe of the guest kernel. Each run has a group of
 * functions that are never on one stack, so that no probe is in the time of another function. A
 * real machine has to measure in this way; the costs that api_run measures from outside are the
 * truth. */
#ifndef SIM_CLI_COMMAND_API_API_INTERCEPT_H
#define SIM_CLI_COMMAND_API_API_INTERCEPT_H

#include "prof/api/api.h"
#include "sim/cli/command/active/active_run.h"
#include "sim/cli/tool/tool.h"

#define API_INTERCEPTED "intercepted"   /* the cost: cycles of the thread, without the probe's */

struct api_interception {
    uint64_t cycles;                /* of the run without probes */
    bool is_cut;                    /* a limit ended a run, so that runs cannot be compared */
    struct active_probe_cost cost;
    struct api_intercept_run { uint64_t cycles; size_t group; unsigned functions; } *run;
    size_t runs, groups;
    uint32_t *run_of;               /* [functions] 1 + number of the run for each; 0: not timed */
    size_t functions;
};

/* Times the functions of the table, and adds their costs to it. The program has the guest kernel,
 * and api has the stacks of a run of it. api_intercept_free is due afterwards, also after an error.
 */
enum err api_intercept(struct api_interception *interception, struct api *api, struct tool *tool,
                       struct diag *diag);
void api_intercept_free(struct api_interception *interception);
/* Prints the runs, and each function beside the truth. */
void api_intercept_print(const struct api_interception *interception, const struct api *api,
                         FILE *out);

#endif
