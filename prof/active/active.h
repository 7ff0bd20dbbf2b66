/* Active time: the time that a processor spent in a section of code.
 *
 *   active = elapsed - swapped out - overhead
 *
 * Elapsed: from the time of a section's entry to that of its exit. Swapped out: the thread did not
 * run. Overhead: the thread ran to record an event, from the event's time on; any part that falls
 * after the exit, or into a time the thread was swapped out, does not count (again). A thread is
 * swapped out from its switch-out to its next switch-in; also before a first switch-in, and after a
 * last switch-out.
 *
 * An exit belongs to the last entry of its section in its thread that is open. An activation is
 * inner (recursion) if the thread has the section open already and no exit of an enclosing section
 * has left it. Sums and distributions are over the outermost ones, so that no cycle counts twice.
 * An activation with only an entry or only an exit has no time: it is counted as incomplete. */
#ifndef PROF_ACTIVE_ACTIVE_H
#define PROF_ACTIVE_ACTIVE_H

#include "prof/report/spread.h"
#include "prof/timeline/timeline.h"
#include "sim/base/err.h"

enum active_part {
    ACTIVE_ELAPSED,
    ACTIVE_SWAPPED_OUT,
    ACTIVE_OVERHEAD,
    ACTIVE_ACTIVE,
    ACTIVE_PARTS
};

/* One run through a section. An incomplete run has no times. */
struct active_run {
    uint64_t start, end;
    uint64_t part[ACTIVE_PARTS];
    uint32_t thread, section;       /* in timeline->thread, ->name */
    uint32_t depth;                 /* 0: outermost, 1: inside one other, ... */
    bool is_incomplete;
};

struct active_sum {
    uint64_t activations;           /* outermost */
    uint64_t inner;
    uint64_t incomplete;            /* number of entries without exit and exits without entry */
    uint64_t total[ACTIVE_PARTS];
};

struct active {
    struct active_run *run;         /* by section, then in order of their ends */
    size_t runs;
    size_t *first;                  /* [sections + 1] first run of each section */
    size_t threads, sections;
};

/* The time line is sorted. active_free is due afterwards, also after an error. */
enum err active_make(struct active *active, const struct timeline *timeline, struct diag *diag);
void active_free(struct active *active);

/* Sums of one section: for each thread in sum[threads], which may be NULL, and for all. */
void active_sum(const struct active *active, uint32_t section, struct active_sum *sum,
                struct active_sum *all);
/* The distribution of a part over the outermost activations of a section; all 0 if there are
 * none. */
enum err active_spread(const struct active *active, uint32_t section, enum active_part part,
                       struct spread *spread, struct diag *diag);

/* "elapsed", "swapped out", ... */
const char *active_part_name(enum active_part part);

/* ---- active_print.c: sections are `section[sections]`, in timeline->name --------------------- */

struct active_view {
    const struct active *active;
    const struct timeline *timeline;
    const uint32_t *section;
    size_t sections;
    bool lists;                     /* lists each activation too */
};

enum err active_print(const struct active_view *view, FILE *out, struct diag *diag);
enum err active_print_json(const struct active_view *view, FILE *out, struct diag *diag);

#endif
