/* One run of the main job: shared by its steps. run.c is its course; each other part has a file.
 *
 * Measurement begins where detail begins: code that --fast-forward and --roi run before is neither
 * counted nor marked. */
#ifndef SIM_CLI_JOB_JOB_H
#define SIM_CLI_JOB_JOB_H

#include <signal.h>

#include "pmu/exact/calls.h"
#include "prof/profile/profile.h"
#include "sim/cli/tool/tool_watch.h"
#include "sim/cli/words/options.h"
#include "sim/host/target.h"
#include "sim/run/check/check.h"
#include "sim/run/profiler/profiler.h"
#include "sim/run/trace/trace.h"

struct job {
    const struct options *options;
    int argc;                       /* of the whole command */
    char **argv;
    struct target target;
    struct meta meta;
    size_t warned;                  /* number of its warnings already printed */
    enum monitor_kind monitor;      /* the monitor used */
    struct profiler *profiler;      /* NULL: no marks */
    struct machine machine;
    struct observed *observed;      /* [harts] calls traces and --check; NULL: none */
    struct trace **trace;           /* [traces] */
    unsigned traces;
    struct check *check;            /* --check; NULL: none */
    struct session *debugger;       /* --gdb; NULL: none */
    bool is_measured;               /* `profile` is valid */
    bool has_difference;            /* the check found a difference */
    double started, begun;          /* host seconds; begun: the measurement */
    uint64_t *before;               /* regions_snapshot at the begin of measurement */
    uint64_t *after;                /* the same at its end, if before that of the run; NULL */
    struct images *images;          /* the programs that run under the guest kernel; NULL */
    struct copies *copies;          /* their pages, for the profiler's marks; NULL */
    struct regions *regions;        /* that the program marks */
    struct intervals *over_time;    /* the course of the measurement; NULL: not recorded */
    struct kernel_records *threads; /* --threads; NULL: none */
    struct counts *counts;          /* of --count; NULL: none */
    uint64_t roi;                   /* key of --roi; awaits_roi: no file loaded so far has it */
    bool awaits_roi;
    uint64_t roi_end;               /* address of --roi-end */
    bool is_in_roi;                 /* --roi-end is set, and its begin was reached */
    uint64_t fast_forwarded;        /* instructions */
    bool has_progress_line;
    bool has_warned_of_monitor;     /* that it takes nearly all cycles */
    double progress_due;            /* seconds of the run until its next plain line; 0: the first */
    struct profile profile;         /* after collect_profile */
    /* requests of a tool in addition to the options */
    const char *marks;              /* text of a metadata file; NULL: none */
    struct frames_store *store;     /* as in struct target; NULL */
    const struct profile_image *known;  /* [knowns] programs of an earlier run; NULL */
    size_t knowns;
    struct profiler_counters counters;
    /* replaces machine_run; NULL */
    enum err (*slices)(void *arg, struct job *job, const struct limits *limits,
                       struct diag *diag);
    void *slices_arg;
    const struct kernel_wants *wants;   /* measurements by the guest kernel; NULL */
    struct faster *faster;          /* routines at a virtual speed; NULL: none */
    bool follows_calls;             /* also without --profile */
    bool counts_events;             /* also without --stats and --profile */
    bool divides_events;            /* profile.user_event is wanted */
    struct pmu_user *user_part;     /* [harts] then */
    bool is_shown;                  /* while it runs: it cannot begin again with the guest kernel */
    const struct calls_routine *routine;  /* with follows_calls: of the program; NULL */
    tool_watch *watch; void *watch_arg;     /* NULL: no observer */
    FILE *output;                   /* the program's output, both streams; NULL: the simulator's */
    int input;                      /* its standard input, if `output` is set */
};

/* One run, from opening the program to its measurements in job->profile; job_close is due
 * afterwards in any case. The caller sets options, argc, argv, started. */
enum err job_run(struct job *job, struct diag *diag);
void job_close(struct job *job);
/* The exit status of the run of a program that has ended. */
int job_status(const struct job *job);
double job_seconds(void);           /* of the host, from some moment on */

/* ---- progress.c, summary.c ------------------------------------------------------------------- */
/* A machine's progress function: shows the progress of the run, or of the command's stage, where it
 * is wanted; warns of a resident monitor that takes nearly all cycles. */
void progress_show(void *job, const struct machine *machine);
void progress_clear(struct job *job);
/* On stderr. */
void summary_print(const struct job *job);
/* Registers and cause after an unhandled trap. */
void summary_trap(const struct job *job);

/* ---- outputs.c ------------------------------------------------------------------------------- */

/* outputs_check, before the run: tests that its files can be written. Then: writes statistics and
 * profile. */
enum err outputs_check(const struct job *job, struct diag *diag);
enum err outputs_write(const struct job *job, struct diag *diag);
void stats_write_csv(const struct profile *profile, FILE *out);
void stats_write_gem5(const struct job *job, FILE *out);

#endif
