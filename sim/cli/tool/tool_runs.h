/* Facts that a command keeps of its runs, to print them below its tables and in its JSON. For runs
 * under the guest kernel: the time of each run in user mode, in the kernel and idle, and the
 * programs of the first run. For all runs: the frames and routines of libraries, for reuse. */
#ifndef SIM_CLI_TOOL_TOOL_RUNS_H
#define SIM_CLI_TOOL_TOOL_RUNS_H

#include "prof/profile/profile_modes.h"
#include "sim/base/err.h"
#include "sim/run/frames/frames_store.h"

struct tool_run_modes { char *stage; struct profile_modes modes; };

struct tool_runs {
    struct tool_run_modes *run;         /* [runs] none: without the guest kernel, or no run yet */
    size_t runs;
    struct profile_image *image;        /* [images] if several programs ran in the first run */
    size_t images;
    struct profile_image *known;        /* [knowns] the programs of all runs up to now */
    size_t knowns;
    struct frames_store store;          /* of the libraries of all runs */
    bool tells_first;                   /* request: the command itself prints those of the first */
    bool tells_others;                  /* ... and of the other runs */
};

/* Copies from the profile of a run. ERR_NO_MEMORY; tool_runs_free is due in any case. */
enum err tool_runs_add(struct tool_runs *runs, const char *stage, const struct profile *profile,
                       struct diag *diag);
/* Copies only the programs of a run that is not printed. */
enum err tool_runs_know(struct tool_runs *runs, const struct profile *profile, struct diag *diag);
/* The times of the first run; NULL: without the guest kernel, or no run yet. */
const struct profile_modes *tool_runs_modes(const struct tool_runs *runs);
/* tool_runs_print: lines below a table, on standard output. tool_runs_write: members of a
 * document. */
void tool_runs_print(const struct tool_runs *runs);
void tool_runs_write(const struct tool_runs *runs, cJSON *root);
void tool_runs_free(struct tool_runs *runs);

/* Settings for runs with many marks, whatever the user sets: their metadata would fill the bus and
 * the caches, and the program wait for it, so that the run would show what its marks cost instead
 * of what it does without them. */
#define TOOL_FREE_METADATA "shadow.traffic=ideal", "shadow.latency=0", "shadow.placement=separate"
enum { TOOL_FREE_SETTINGS = 3 };

#endif
