/* A time line in the formats of trace viewers: a track a thread with its sections, waits, wakes and
 * samples, and a track a hart with the threads that ran there. If harts are unknown, each thread's
 * running times have a track of their own. Another track a hart has the causes of its idle times,
 * with their cycles in WFI. Each count over time has a track. */
#ifndef PROF_TIMELINE_TIMELINE_TRACE_H
#define PROF_TIMELINE_TIMELINE_TRACE_H

#include "prof/timeline/timeline.h"

/* Chrome's JSON (about:tracing, speedscope). */
enum err timeline_write_chrome(const struct timeline *timeline, FILE *out, struct diag *diag);
/* Perfetto's protocol buffer, with flat nanoseconds. */
enum err timeline_write_perfetto(const struct timeline *timeline, FILE *out, struct diag *diag);

/* ---- internal to the writers ----------------------------------------------------------------- */

enum trace_phase { TRACE_BEGIN, TRACE_END, TRACE_INSTANT };
enum trace_group { TRACE_THREAD, TRACE_RUNNING, TRACE_HART, TRACE_IDLE, TRACE_COUNT, TRACE_GROUPS };

/* Operations of a format, called for each track in order of time, but all idle times after all
 * events, and all counts after these. A track is a group and a number within it. */
struct trace_format {
    void (*track)(void *arg, enum trace_group group, uint32_t number, const char *name);
    void (*event)(void *arg, enum trace_phase phase, enum trace_group group, uint32_t number,
                  uint64_t picoseconds, const char *name);
    void (*idle)(void *arg, uint32_t hart, uint64_t from, uint64_t to, const char *name,
                 uint64_t cycles);      /* picoseconds; a track of TRACE_IDLE */
    void (*count)(void *arg, uint32_t number, uint64_t picoseconds, const char *name,
                  uint64_t value);     /* from then on; a track of TRACE_COUNT */
};

/* Begins and ends on a track nest. A unit that is no time (cycles) counts as a nanosecond. */
enum err timeline_walk(const struct timeline *timeline, const struct trace_format *format,
                       void *arg, struct diag *diag);

#endif
