/* Events with time, thread and hart: probes of code sections, context switches,
 * wakes, blocks, migrations, samples. One model for records of a file and of a run, and for every
 * report and export over time.
 *
 * Times are whole numbers of 10^-digits units, so that "0.5" is exact. They need not start at 0. */
#ifndef PROF_TIMELINE_TIMELINE_H
#define PROF_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "prof/records/names.h"
#include "sim/base/err.h"

enum timeline_kind {
#define TIMELINE_KIND(id, name, meaning) TIMELINE_##id,
#include "prof/timeline/kind.def"
    TIMELINE_KINDS
};

enum { TIMELINE_NO_HART = UINT16_MAX };
#define TIMELINE_NO_NAME UINT32_MAX
enum { TIMELINE_DIGITS_MAX = 9, TIMELINE_TEXT = 40 };

struct timeline_event {
    uint64_t time;
    uint64_t order;                 /* larger: happened later, whatever the times of two harts that
                                     * do not agree; 0: by time alone */
    uint64_t overhead;              /* duration of the recording, after `time`, in the same unit */
    uint32_t thread;                /* in timeline->thread */
    uint32_t name;                  /* in timeline->name: section, reason; TIMELINE_NO_NAME */
    uint16_t hart;                  /* TIMELINE_NO_HART: not known */
    uint8_t kind;                   /* enum timeline_kind */
    bool has_overhead;              /* otherwise the overhead of its kind holds */
};

/* A number that changes over time: its value from `time` on. */
struct timeline_count { uint64_t time, value; uint32_t name; };

/* A hart without a thread of the program, by cause; of this time it waited `cycles` in WFI. */
struct timeline_idle {
    uint64_t start, end, cycles;
    uint32_t name;                  /* of the cause, in timeline->name */
    uint16_t hart;
};

struct timeline {
    struct timeline_event *event;
    size_t events;
    struct timeline_count *count;   /* by time */
    size_t counts;
    struct names count_name;
    struct timeline_idle *idle;     /* of each hart by time, without overlap */
    size_t idles;
    bool has_limits;                /* traces go from `start` to `end`, not from the first event to
                                     * the last */
    uint64_t start, end;            /* end 0: that of the last event */
    uint64_t *hart_end;             /* [harts] end of the thread that runs there last;
                                     * NULL: `end` */
    size_t harts;
    struct names thread, name;
    uint64_t overhead[TIMELINE_KINDS];  /* measured beforehand */
    unsigned digits;
    const char *unit;               /* "cycles" */
};

void timeline_init(struct timeline *timeline);
void timeline_free(struct timeline *timeline);
enum err timeline_add(struct timeline *timeline, const struct timeline_event *event,
                      struct diag *diag);
enum err timeline_add_count(struct timeline *timeline, const char *name, uint64_t time,
                            uint64_t value, struct diag *diag);
/* The name is added, and idle->name is ignored. */
enum err timeline_add_idle(struct timeline *timeline, const struct timeline_idle *idle,
                           const char *name, struct diag *diag);
/* Orders events by `order`, then by time; events of one time keep their order. */
enum err timeline_sort(struct timeline *timeline, struct diag *diag);
/* Duration of recording an event. */
uint64_t timeline_overhead(const struct timeline *timeline, const struct timeline_event *event);

/* Adds the records of a file, a table with commas. The first line may name the columns, which are
 * otherwise time,thread,event and perhaps overhead:
 *   time,thread,event[,overhead][,hart]   events: F-entry, F-exit of a section F, else names of
 *                                         kind.def
 *   time,old,new[,hart]                   a context switch; no thread: empty or -
 * Either may have a column `order`, as in struct timeline_event.
 *   event,overhead                        duration of a kind of event, measured beforehand
 * Times and overheads are decimal numbers without sign. Errors name file and line. */
enum err timeline_read(struct timeline *timeline, const char *path, struct diag *diag);
/* Writes all events as such a table, with every column of the first kind. */
enum err timeline_write(const struct timeline *timeline, FILE *out, struct diag *diag);
/* Sets overheads by kind: "entry=3,exit=2". */
enum err timeline_set_overheads(struct timeline *timeline, const char *text, struct diag *diag);

/* A time formatted for people. Returns text. */
const char *timeline_text(const struct timeline *timeline, uint64_t time,
                          char text[TIMELINE_TEXT]);

#endif
