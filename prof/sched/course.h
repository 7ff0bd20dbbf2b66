/* The course of harts and threads: the states of each over time.
 *
 * Spans are exact until there are too many. Then neighbours shorter than the grain are merged into
 * one with the cycles of each state; if that does not suffice, the grain grows. So the size is
 * bounded for runs of any length, and sums stay exact. */
#ifndef PROF_SCHED_COURSE_H
#define PROF_SCHED_COURSE_H

#include "prof/profile/profile.h"
#include "sim/base/err.h"

enum {
    COURSE_SPANS = 12000,           /* most spans of all tracks, approximately */
    COURSE_THREADS = 200,           /* most tracks */
};

struct course_track {
    uint32_t number;
    uint64_t begin, end;            /* of its spans */
    struct profile_span *span;
    size_t spans;
};

struct course {
    struct course_track *hart;      /* [harts] */
    size_t harts;
    struct course_track **thread;   /* [threads] in the order of their first records */
    size_t threads;
    size_t spans, due;              /* of all tracks; merging is due at `due` */
    uint64_t grain;                 /* cycles; 0: no spans were merged */
    bool lacks_memory;
};

/* course_free is due afterwards, also after an error. */
enum err course_init(struct course *course, size_t harts, struct diag *diag);
void course_free(struct course *course);
/* Times are cycles since measurement began. NULL: no memory. */
struct course_track *course_add_thread(struct course *course, uint32_t number, uint64_t begin);
/* The track was in this state from its previous end to `end`. Without memory, lacks_memory is
 * set. */
void course_add(struct course *course, struct course_track *track, enum profile_thread_state state,
                uint32_t who, uint64_t end);

struct sched;
/* Stores the course in profile->threads, with the sums of sched. */
enum err course_keep(struct course *course, const struct sched *sched, struct profile *profile,
                     struct diag *diag);

#endif
