/* The measurements of a profile at each instruction, by address: the base of annotated code, of
 * differences between profiles and of pages.
 *
 * A measure is one number for each instruction: cycles and events of the oracle profile, samples,
 * counts of marks. Its sum over all points, the monitor and time without an instruction is its
 * total. Cycles are in profile->units_per_cycle, so that sums are exact. */
#ifndef PROF_PROFILE_POINTS_H
#define PROF_PROFILE_POINTS_H

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum { POINTS_MEASURES = 12 };

enum points_kind {
    POINTS_CYCLES,                  /* of the oracle profile */
    POINTS_INSNS,                   /* executions, of the oracle profile */
    POINTS_WORD,                    /* cycles of a word of the top-down tree, of the oracle
                                     * profile */
    POINTS_EVENT,                   /* an event of committed instructions, or cycles of a cause, of
                                     * the oracle profile */
    POINTS_SAMPLES,                 /* interrupts that the monitor recorded */
    POINTS_COUNT,                   /* own counters of marks */
    POINTS_INTERRUPTS,              /* of marks */
};

struct points_measure {
    enum points_kind kind;
    const char *name;               /* "cycles", "back_end", "l2_miss", "samples", "count" */
    size_t event;                   /* place in profile->event_name */
    unsigned word;                  /* enum topdown */
};

struct point { uint64_t address, value[POINTS_MEASURES]; };

struct points {
    struct points_measure measure[POINTS_MEASURES];
    unsigned measures;
    uint64_t unit;                  /* of cycles */
    struct point *point;            /* [points] of the program, by address */
    size_t points;
    uint64_t monitor[POINTS_MEASURES], outside[POINTS_MEASURES];    /* outside: no instruction */
    uint64_t total[POINTS_MEASURES];
};

/* The names of all measures that a profile can have: for nearest_name, state is an unsigned. */
const char *points_next(void *state);
/* list: "cycles,l2_miss"; NULL: the measures that the profile has, the best first. A measure that
 * the profile lacks is an error that lists the available ones. points_free is due afterwards. */
enum err points_make(struct points *points, const struct profile *profile, const char *list,
                     struct diag *diag);
/* The same measures as of `whole`, of a part of its profile (profile_part). */
enum err points_make_part(struct points *points, const struct points *whole,
                          const struct profile *part, struct diag *diag);
void points_free(struct points *points);

/* True if the measure is in 1/unit of a cycle. */
bool points_is_time(const struct points *points, unsigned measure);

/* The index of the first point at or after the address. */
size_t points_from(const struct points *points, uint64_t address);
/* A value formatted for people: "1,234.5" cycles, "1,234". Returns text. */
enum { POINTS_TEXT = 32 };
const char *points_text(const struct points *points, unsigned measure, uint64_t value,
                        char text[POINTS_TEXT]);
/* In cycles, or the number itself. */
double points_real(const struct points *points, unsigned measure, uint64_t value);

#endif
