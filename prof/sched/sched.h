/* The use of time by threads and harts, from the records of a scheduler (pmu/abi_kernel.h).
 *
 * At each moment a hart runs a thread or is idle, and a thread runs, is ready, or is blocked for a
 * reason, from its first wake to its end. Records have the changes; the thread that ran on a hart
 * before its first record is found from that record.
 *
 * Harts do not count cycles in step. What a thread does is therefore taken in the order in which it
 * happened, not in that of the cycles. Running time is exact, by one hart's cycles. A time between
 * two harts is as exact as these agree; it is 0 where the later record has the smaller cycle. */
#ifndef PROF_SCHED_SCHED_H
#define PROF_SCHED_SCHED_H

#include <cjson/cJSON.h>

#include "pmu/abi_kernel.h"
#include "prof/report/spread.h"
#include "prof/sched/course.h"
#include "prof/sched/sched_log.h"
#include "prof/timeline/timeline.h"

enum { SCHED_REASONS = KERNEL_REASON_EXIT + 1 };

struct sched_thread {
    uint32_t tid;
    const char *name;                           /* the caller's; NULL: unknown */
    uint64_t running, ready, blocked[SCHED_REASONS];
    uint64_t *on_hart;                          /* [harts] of running */
    uint64_t switches;                          /* times it left a hart; */
    uint64_t left[SCHED_REASONS];               /* of these, by reason; NONE: while ready */
    uint64_t migrations;                        /* times it ran on another hart than before */
    uint64_t user;                              /* of running, in user mode: sched_add_modes */
    uint64_t waits, waited;                     /* times it was ready before it ran, and cycles */
    struct spread wait;                         /* of these waits */
};

/* A wait of a thread until it ran. */
struct sched_wait { uint32_t tid; uint64_t cycles; };

struct sched_hart {
    uint64_t cycles;                    /* of the measurement */
    uint64_t running, away, paused;     /* of these, with a thread, without, and without records */
    uint64_t user, idle;                /* of running, in user mode; of away, in WFI:
                                         * sched_add_modes */
    uint64_t switches;
};

struct sched {
    struct sched_thread *thread;        /* by tid */
    size_t threads, room;
    struct sched_wait *wait;            /* by tid, then in order of time */
    size_t waits;
    struct spread all_waits;            /* of all threads */
    struct sched_hart *hart;
    size_t harts;
    uint64_t start, end;
    uint64_t paused;                    /* cycles of these without records, on the hart with most */
};

struct sched_limits { uint64_t begin, end; };

struct sched_run {
    const struct kernel_record *record;         /* in the order of sched_sort */
    size_t records, harts;
    uint64_t start, end;                        /* of the measurement, in cycles */
    const struct sched_limits *limits;          /* [harts] by each hart's own cycles; NULL: the
                                                 * same for all */
};

/* course: of as many harts, to be filled in, or NULL; the run has then no limits of harts.
 * sched_free is due afterwards, also after an error. */
enum err sched_make(struct sched *sched, const struct sched_run *run, struct course *course,
                    struct diag *diag);
void sched_free(struct sched *sched);
/* Adds cycles in user mode and in WFI to a hart, and to the thread that it ran (0: none). */
void sched_add_modes(struct sched *sched, size_t hart, uint32_t tid, uint64_t user, uint64_t idle);
/* "lock", "sleep", ... */
const char *sched_reason_name(enum kernel_reason reason);
/* The same records as a time line. */
enum err sched_timeline(struct timeline *timeline, const struct kernel_record *record,
                        size_t records, struct diag *diag);

/* Text; shares: also which threads each hart ran. */
void sched_print(const struct sched *sched, bool shares, FILE *out);
/* root: a document of prof/profile/json.h with what the caller has in it; it is freed. */
enum err sched_print_json(const struct sched *sched, cJSON *root, FILE *out,
                          struct diag *diag);

#endif
