/* Marks with their counts while the program runs, for observers: reads, and changes nothing. */
#ifndef SIM_RUN_PROFILER_PROFILER_LOOK_H
#define SIM_RUN_PROFILER_PROFILER_LOOK_H

#include "sim/run/profiler/profiler.h"

/* The number of marks of the metadata; `profiler` may be NULL. */
size_t profiler_look_marks(const struct profiler *profiler);
/* count: value of the own counter since it was last cleared, which is compared with the limit. */
struct profiler_seen { const struct perfinst_site *site; uint64_t count, interrupts; };
struct profiler_seen profiler_look_mark(const struct profiler *profiler, size_t index);

#endif
