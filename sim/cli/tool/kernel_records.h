/* The records of the guest kernel's scheduler of one run, for the commands that show them. */
#ifndef SIM_CLI_TOOL_KERNEL_RECORDS_H
#define SIM_CLI_TOOL_KERNEL_RECORDS_H

#include "pmu/abi_kernel.h"
#include "prof/idle/idle_charge.h"
#include "prof/timeline/timeline.h"
#include "sim/cli/tool/tool.h"

struct hart_changes;
struct kernel_host;

struct kernel_records {
    struct kernel_record *record;   /* of all harts, in the order of sched_sort */
    size_t records, room;
    size_t harts;
    uint64_t start, end;            /* of the measured part of the run, in cycles */
    uint64_t cycles;                /* result: those that the longest hart took in it */
    bool is_cut;                    /* result: a limit ended the run before the program */
    bool has_failed;
    /* request, with wants_changes: cycles without a switch, all harts idle, after which the run is
     * given up; 0: never. Samples keep waking a program that waits for ever. */
    uint64_t patience;
    bool is_given_up;               /* result */
    const char *stage;              /* request: purpose of the run, as in trial.what; NULL */
    bool is_silent;                 /* request: no records except counts of threads */
    /* request: the program may switch them off and on, and they begin switched off. */
    bool may_pause, starts_paused;
    /* request: the thread of each hart, with its cycles by mode, at the start, at every change and
     * where records are switched off or on, and at the end. The simulator notes these at no cost to
     * the guest. */
    bool wants_changes;
    struct hart_changes *following; /* with wants_changes, while they are taken */
    bool was_asked;                 /* result: the program wanted to, without may_pause */
    struct sched_change *change;
    size_t changes;
    /* request: measurements by the kernel; marks and counters. */
    const struct kernel_wants *wants;
    const char *marks;
    struct profiler_counters counters;
    /* Called by kernel_records_command with the program open, then with the machine before and
     * after the run; NULL. */
    enum err (*prepare)(struct kernel_records *records, const struct tool *tool,
                        struct diag *diag);
    enum err (*begins)(void *arg, struct machine *machine, struct diag *diag);
    enum err (*ended)(void *arg, const struct machine *machine, struct diag *diag);
    void *arg;
    struct profile_thread_name *name;   /* [names] result: threads with their names, by number */
    size_t names;
    const struct kernel_host *host; /* while they are taken */
    const struct target *target;    /* of the run, from `begins` on: with the libraries that it has
                                     * loaded by then */
};

/* The scheduler's records of a machine, from begin to end. Begin: ERR_USAGE: it runs without the
 * guest kernel. End: sorts the records. */
enum err kernel_records_begin(struct kernel_records *records, struct machine *machine,
                              struct diag *diag);
enum err kernel_records_end(struct kernel_records *records, struct machine *machine,
                            struct diag *diag);

/* Runs the program once with the records on. The caller sets the requests, all else is 0.
 * ERR_USAGE: it runs without the guest kernel.
 * kernel_records_free is due afterwards, also after an error. */
enum err kernel_records_take(struct kernel_records *records, struct tool *tool, struct diag *diag);
void kernel_records_free(struct kernel_records *records);

/* The causes of idle times, of a run that was recorded as a whole, with `wants_changes`.
 * idle_charge_free is due afterwards, also after an error. */
enum err kernel_records_charge(const struct kernel_records *records, struct idle_charge *charge,
                               struct diag *diag);
/* The records and changes of a run with `wants_changes` as comma-separated values; path: NULL: not
 * wanted. */
enum err kernel_records_write(const struct kernel_records *records, const char *path,
                              struct diag *diag);
/* A time line of the run from the cycle `start` on, with its threads and switches. timeline_free is
 * due afterwards, also after an error. */
enum err kernel_records_timeline(const struct kernel_records *records, uint64_t start,
                                 struct timeline *timeline, struct diag *diag);

/* A complete command about the records: opens the program, takes them as requested, shows them.
 * Returns the exit status. */
typedef enum err kernel_records_show(const struct kernel_records *records, struct tool *tool,
                                     struct diag *diag);
int kernel_records_command(const struct command_line *line, const char *name, bool shows_output,
                           struct kernel_records *records, kernel_records_show *show);

#endif
