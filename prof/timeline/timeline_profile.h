/* A profile as a time line, for trace viewers; times are cycles since measurement began.
 *
 * * With `--threads`: one track for each hart, with the threads that ran there, and one for each
 *   thread, with the reasons of its waits. A span that the profile merged from short ones shows the
 *   state with most of its cycles.
 * * Samples of `rvsim record`: their stacks, on a track for each thread (or hart, where there was
 *   one thread). A sample's stack stays until the next one.
 * * Without such samples, or with the oracle beside them: the stacks of prof/export/stacks.h,
 *   nested on one track, as wide as their cost. This track has no order of time, and its name says
 *   so.
 * * Events over time, as counts of each interval. */
#ifndef PROF_TIMELINE_TIMELINE_PROFILE_H
#define PROF_TIMELINE_TIMELINE_PROFILE_H

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "prof/timeline/timeline.h"

/* timeline_free is due afterwards, also after an error. */
enum err timeline_of_profile(struct timeline *timeline, const struct profile *profile,
                             const struct symbols *symbols, struct diag *diag);

#endif
