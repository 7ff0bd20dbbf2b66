/* Progress of a run, or of a command with several: on a terminal, one line that is rewritten;
 * otherwise plain lines, one after the first second of a run or stage and one every ten seconds. */
#ifndef SIM_CLI_TERMINAL_PROGRESS_H
#define SIM_CLI_TERMINAL_PROGRESS_H

#include <stdbool.h>

struct machine;

struct progress {
    const char *command, *stage;    /* stage: "counting" */
    unsigned run;                   /* of the command, from 1 */
    bool is_on, is_plain;
    bool is_timed;                  /* cycles are simulated, and shown */
    bool is_said;                   /* the stage was named in a plain line */
    bool has_line;                  /* the terminal shows a line */
    double begun, said;             /* begin of the stage; time of the last output */
};

/* --no-progress and --quiet silence it; --progress does not override --quiet. */
struct options;
bool progress_is_wanted(const struct options *options);
void progress_open(struct progress *progress, const char *command, const struct options *options);
void progress_stage(struct progress *progress, const char *stage, unsigned run);
void progress_run(struct progress *progress, const struct machine *machine);
/* Clears the line on the terminal. */
void progress_end(struct progress *progress);

#endif
