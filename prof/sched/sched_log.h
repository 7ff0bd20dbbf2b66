/* What a scheduler did in a run: its records, and the cycles of each hart by mode whenever the
 * thread of the hart changed. */
#ifndef PROF_SCHED_SCHED_LOG_H
#define PROF_SCHED_SCHED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pmu/abi_kernel.h"
#include "sim/base/err.h"

/* A change of a hart's thread: the hart's cycles up to then, those in the program, those in WFI. */
struct sched_change {
    uint64_t cycles, user, idle;
    uint32_t thread;                    /* from now on; 0: the idle thread */
    uint32_t hart;
    bool is_off;                        /* from now on there are no records */
};

/* Records are in the order of sched_sort. Changes of each hart are in order. Its first has the
 * thread and the counts with which it begins, its last those at the end of the run; each other one
 * comes shortly after the record of the same switch, or in the cycle of a record that records were
 * switched off or on. */
struct sched_log {
    const struct kernel_record *record;
    size_t records;
    const struct sched_change *change;
    size_t changes;
    unsigned harts;
};

/* Sorts the records of all harts into the order in which they happened; each hart's are already in
 * order. Cycles may go back from one hart's to another's. */
enum err sched_sort(struct kernel_record *record, size_t records, struct diag *diag);

/* The changes by hart, and a place in those of each hart. */
struct sched_places {
    const struct sched_change **change;
    size_t *first, *at, *last;          /* [harts] places in `change` */
};

/* sched_places_free is due afterwards, also without memory (false). Each hart has at least two
 * changes. */
bool sched_places_make(struct sched_places *places, const struct sched_log *log);
void sched_places_free(struct sched_places *places);
/* The change that belongs to a hart's record of `cycle`; the last one if the run ended in between.
 * Successive calls for one hart have cycles that do not fall. */
const struct sched_change *sched_log_at(struct sched_places *places, unsigned hart,
                                        uint64_t cycle);

/* "switch" of KERNEL_SWITCH; "unknown" of a number that is no event. */
const char *sched_event_name(unsigned event);
/* Records and changes as comma-separated values: docs/reference/csv.md. */
enum err sched_log_write(const struct sched_log *log, FILE *out, struct diag *diag);

#endif
