/* Shared by commands that run the program several times themselves, such as `tune`.
 *
 * Every run starts from the beginning, and differs only by its trial. The program's output is shown
 * for the first run, if at all. Each run gets standard input from its start if it is a file,
 * otherwise none. Files written by the program are overwritten. */
#ifndef SIM_CLI_TOOL_TOOL_H
#define SIM_CLI_TOOL_TOOL_H

#include "sim/cli/command/commands.h"
#include "sim/cli/terminal/progress.h"
#include "sim/cli/tool/survey.h"
#include "sim/cli/tool/tool_parts.h"
#include "sim/cli/tool/tool_runs.h"
#include "sim/cli/tool/tool_watch.h"
#include "sim/host/target.h"
#include "sim/run/profiler/profiler.h"

enum { TOOL_SETTINGS = 8, TOOL_STAGE = 64, TOOL_STOP_TEXT = 160 };

struct job;

/* Where a signal such as Ctrl-C, or --timeout, ended the last run; cycles: as in a result; status:
 * for it. */
struct tool_stop {
    unsigned run;                   /* from 1 */
    char stage[TOOL_STAGE];         /* the trial's `what` */
    uint64_t instructions, cycles;
    int status;
    bool is_late;                   /* --timeout */
};

struct tool {
    const char *name;               /* of the command */
    const struct command_line *line;
    struct options options;         /* of the main job */
    struct target target;
    unsigned runs;                  /* runs up to now */
    bool shows_output;
    bool follows_calls;             /* of every run: the exact call tree */
    bool counts_events;             /* of every run: events that the fast engine counts if asked */
    bool divides_events;            /* of every run: profile.user_event */
    struct survey survey;           /* files whose code is counted */
    struct progress progress;
    bool is_interrupted;            /* a signal or --timeout ended the last run; none follows */
    struct tool_stop stop;          /* with is_interrupted */
    bool shows_nothing;             /* with is_interrupted: too early for a result */
    bool prints_nothing;            /* there is no table that could be marked */
    struct tool_runs told;
    struct diag end;                /* the trap that ended the first run; else empty */
    int status;                     /* of the program, in the first run */
    int failure;                    /* the status that an end other than an exit has; else 0 */
};

/* The differences of one run. */
struct trial {
    const char *what;               /* for the progress line: "sampling" */
    const char *marks;              /* text of a metadata file; NULL: nothing is marked */
    struct profiler_counters counters;
    bool on_host;                   /* --monitor host */
    bool no_monitor;                /* --monitor none */
    uint64_t max_cycles;            /* a limit besides the user's; 0: none */
    const char *set[TOOL_SETTINGS]; /* settings besides the user's */
    const struct config *config;    /* the machine in place of the user's; NULL */
    /* replaces machine_run (job.h); NULL */
    enum err (*slices)(void *arg, struct job *job, const struct limits *limits, struct diag *diag);
    void *slices_arg;
    const struct kernel_wants *wants;   /* measurements by the guest kernel; NULL */
    struct faster *faster;          /* routines at a virtual speed (sim/run/faster.h); NULL */
    tool_watch *watch; void *watch_arg;     /* NULL: no observer */
    bool is_shown;                  /* while it runs: it cannot begin again with the guest kernel */
    FILE *output;                   /* the program's, closed afterwards; NULL: as the tool says */
};

struct trial_result {
    struct profile profile;         /* with oracle profile */
    uint64_t cycles;                /* of the hart that took longest, as its time */
    struct tool_parts parts;        /* of these */
    uint64_t counter[PMU_COUNTERS_MAX];
    bool was_limited;               /* max_cycles of the trial ended it */
    enum result_reason end;         /* of the run */
};

/* The needs of a tool in its runs. */
enum tool_needs {
    TOOL_CYCLES,                    /* the detailed engine, with the oracle profile */
    TOOL_EITHER,                    /* as TOOL_CYCLES, or --mode fast without the oracle profile */
    TOOL_EVENTS,                    /* the chosen engine, without oracle profile */
    TOOL_COUNTS,                    /* either engine; fast unless --mode or --monitor is given */
    TOOL_BESIDE,                    /* as TOOL_CYCLES; another run of the command writes files */
    TOOL_AGAIN,                     /* as TOOL_EVENTS, of a run that has written its files */
    TOOL_DEBUGGED,                  /* as TOOL_COUNTS; a run may be debugged */
    TOOL_KERNEL,                    /* as TOOL_COUNTS; under the guest kernel without --os host */
};

/* Reads the words of the run and opens the program. After an error nothing is left to close. */
enum err tool_open(struct tool *tool, const char *name, const struct command_line *line,
                   enum tool_needs needs, struct diag *diag);
/* As tool_open with TOOL_AGAIN, to repeat an earlier run. file: the present path of the program. */
enum err tool_open_again(struct tool *tool, const char *name, const struct command_line *line,
                         const char *file, struct diag *diag);
/* True if no run has time: cycles, caches and predictors are unknown. */
bool tool_is_fast(const struct tool *tool);
/* The exit status: the program's, in the first run; 130 after Ctrl-C, 143 after SIGTERM, 129 after
 * SIGHUP and 124 after --timeout, which is said on stderr.
 * After an error: that of `rvsim APP` if a trap ended a later run, else that of command_error. */
int tool_status(const struct tool *tool, enum err err, const struct diag *diag);
void tool_close(struct tool *tool);
/* The end of a command: closes, with the report on standard output, and a line after it that marks
 * it as partial if it is. Returns tool_status. */
int tool_end(struct tool *tool, enum err err, const struct diag *diag);

/* "run 2 (counting) ended after 12 instructions, 30 cycles" */
const char *tool_stop_text(const struct tool *tool, char text[TOOL_STOP_TEXT]);

/* Runs the program once. If a limit of the user or a signal ends the run, the result is that of the
 * executed part. A trap that ends the program is an end as an exit is, and an error if the first
 * run ended otherwise. The caller frees the profile; after an error there is none. Interrupted
 * before the program's first instruction: an error in the first run, later an empty result. */
enum err tool_run(struct tool *tool, const struct trial *trial, struct trial_result *result,
                  struct diag *diag);

/* The number given for an option, or `value`; within `least` and `most`. */
enum err tool_number(const struct tool *tool, enum command_option_id id, uint64_t least,
                     uint64_t most, uint64_t *value, struct diag *diag);
/* The event named by the option; *event is unchanged if it is not given. */
enum err tool_event(const struct tool *tool, enum command_option_id id, unsigned *event,
                    struct diag *diag);
/* Checks that the engine counts it, as not all need a pipeline. EVENT_NONE: no event. */
enum err tool_event_check(const struct tool *tool, unsigned event, struct diag *diag);
/* The event of samples of time: cycles, or instructions where no time is simulated. */
unsigned tool_usual_event(const struct tool *tool);
/* Adds to a command's JSON the members of tool_runs_write and, after one, the interruption. */
void tool_describe(const struct tool *tool, struct cJSON *root);
/* A document with the program's name and tool_describe; for a run also cycles and instructions. */
struct cJSON *tool_document(const struct tool *tool);
struct cJSON *tool_run_document(const struct tool *tool, uint64_t cycles, uint64_t instructions);
typedef enum err tool_writer(void *arg, FILE *out, struct diag *diag);
/* Writes a file with `write`; - is standard output. */
enum err tool_write(const char *path, tool_writer *write, void *arg, struct diag *diag);

/* The files of a command's --csv and --json; NULL: not requested. */
struct tool_files { const char *csv, *json; };
/* Before the first run: tests that they can be written. */
enum err tool_files_check(const struct tool_files *files, struct diag *diag);
/* True if one of them is standard output, which then has no other text. */
bool tool_files_take_output(const struct tool_files *files);
enum err tool_files_write(const struct tool_files *files, tool_writer *csv, tool_writer *json,
                          void *arg, struct diag *diag);

#endif
