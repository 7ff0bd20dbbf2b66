/* The use of time by threads and harts, from the records of a scheduler (pmu/abi_kernel.h).
 *
 * At each moment a hart runs a thread or is idle, and a thread runs, is ready, or is blocked for a
 * reason, from its creation to its end. Records have the changes; the thread that ran on a hart
 * before its first record is found from that record. */
#ifndef PROF_SCHED_SCHED_H
#define PROF_SCHED_SCHED_H

#include "pmu/abi_kernel.h"
#include "prof/sched/course.h"
#include "prof/timeline/timeline.h"

enum { SCHED_REASONS = KERNEL_REASON_EXIT + 1 };

struct sched_thread {
    uint32_t tid;
    uint64_t running, ready, blocked[SCHED_REASONS];
    uint64_t switches, preempted, migrations;   /* times it left a hart; of these, while ready */
    uint64_t user;                              /* of running, in user mode: sched_add_user */
    uint64_t waits, longest_wait;               /* times it was ready before it ran; the longest
                                                 * such wait */
};

struct sched_hart { uint64_t running, idle, switches, user; };

struct sched {
    struct sched_thread *thread;        /* by tid */
    size_t threads, room;
    struct sched_hart *hart;
    size_t harts;
    uint64_t start, end;
    uint64_t paused;                    /* cycles of these without records */
    bool has_user;                      /* cycles in user mode are known */
};

/* The records are in order of time; start and end are those of the measurement. course: of `harts`
 * harts, to be filled in, or NULL. sched_free is due afterwards, also after an error. */
enum err sched_make(struct sched *sched, const struct kernel_record *record, size_t records,
                    size_t harts, uint64_t start, uint64_t end, struct course *course,
                    struct diag *diag);
void sched_free(struct sched *sched);
/* A hart has run a thread for these cycles in user mode. All are to be added, or none. */
void sched_add_user(struct sched *sched, size_t hart, uint32_t tid, uint64_t cycles);
/* Sorts the records of all harts by time; each hart's are already in order. */
enum err sched_sort(struct kernel_record *record, size_t records, struct diag *diag);
/* "lock", "sleep", ... */
const char *sched_reason_name(enum kernel_reason reason);
/* The same records as a time line. */
enum err sched_timeline(struct timeline *timeline, const struct kernel_record *record,
                        size_t records, struct diag *diag);

void sched_print(const struct sched *sched, FILE *out);
enum err sched_print_json(const struct sched *sched, FILE *out, struct diag *diag);

#endif
