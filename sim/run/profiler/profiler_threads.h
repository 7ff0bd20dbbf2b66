/* Counts by thread: marks, ranges, counters and interrupts of a profiled run, under the guest
 * kernel. The simulator keeps them beside the hardware's; they cost the guest nothing. */
#ifndef SIM_RUN_PROFILER_PROFILER_THREADS_H
#define SIM_RUN_PROFILER_PROFILER_THREADS_H

#include "pmu/exact/ledger.h"
#include "sim/run/profiler/profiler.h"

/* The places and values of each kind.
 * MARKS: site->item, or the first physical byte of a granule of a work area: count, interrupts.
 * RANGES: code ranges from 0, data ranges from PROF_RANGES on: entries, executed. COUNTERS: their
 * index: their counts, without the sampling counter.
 * RECORDS: their slot: samples, count_sum, cycles_sum, insns_sum; of the host's monitor. */
enum profiler_book {
    PROFILER_MARKS, PROFILER_RANGES, PROFILER_COUNTERS, PROFILER_RECORDS, PROFILER_BOOKS
};

/* Counts by thread from now on; call after profiler_attach. ERR_NO_MEMORY. */
enum err profiler_follow_threads(struct profiler *profiler, struct diag *diag);

/* Forgets the shares of marks that others replace, or of range registers that start from 0. */
void profiler_threads_forget(struct profiler *profiler, enum profiler_book book);
/* True if counts by thread are on, and one thread, *thread, has run alone up to now. */
bool profiler_only_thread(const struct profiler *profiler, uint32_t *thread);

/* After profiler_collect: the rows of a place, by thread; *rows: their number. None if counts by
 * thread are off, or one thread ran alone on all harts. */
const struct ledger_row *profiler_thread_rows(const struct profiler *profiler,
                                              enum profiler_book book, uint64_t place,
                                              size_t *rows);

#endif
