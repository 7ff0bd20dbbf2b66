/* Profiles in the formats of other tools. */
#ifndef PROF_EXPORT_H
#define PROF_EXPORT_H

#include <stdio.h>

#include "prof/profile.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

/* Folded stacks, "root;caller;leaf 123" a line, in order of text; numbers are cycles where the
 * oracle measured them, else interrupts, or, where nothing interrupted, instructions. */
enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag);
/* Interrupts in any case. A stack that could not be walked to its end starts with "[truncated]" or
 * "[broken]". */
enum err export_folded_measured(const struct profile *profile, const struct symbols *symbols,
                                FILE *out, struct diag *diag);

/* "root;caller;leaf A B" a line: the stacks of two profiles with the number of each, for
 * differential flame graphs. Where only one has cycles, both are interrupts; ERR_USAGE if one has
 * none. */
enum err export_folded_difference(const struct profile *const profile[2],
                                  const struct symbols *const symbols[2], FILE *out,
                                  struct diag *diag);

/* callgrind.out. Costs: Ir, instructions; with the oracle, Cycles and Bm, mispredicted branches and
 * jumps; where something is marked, Count, executions of marked instructions (accesses of marked
 * data are not code and left out), and Intr, interrupts of the monitor. */
enum err export_callgrind(const struct profile *profile, const struct symbols *symbols, FILE *out,
                          struct diag *diag);

/* prof/export/, of the same stacks as folded ones: a gzip'd profile.proto of pprof; speedscope's
 * JSON; the text of `perf script`, whose periods are what was measured. */
enum err export_pprof(const struct profile *profile, const struct symbols *symbols, FILE *out,
                      struct diag *diag);
enum err export_speedscope(const struct profile *profile, const struct symbols *symbols, FILE *out,
                           struct diag *diag);
enum err export_perf_script(const struct profile *profile, const struct symbols *symbols,
                            FILE *out, struct diag *diag);
/* Trace viewers: a time line made by prof/timeline/timeline_profile.h. */
enum err export_chrome(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag);
enum err export_perfetto(const struct profile *profile, const struct symbols *symbols, FILE *out,
                         struct diag *diag);
/* lcov's tracefile: lines, functions and conditional branches with their executions. With the
 * oracle, all of the program; else the marked instructions that have a counter. */
enum err export_lcov(const struct profile *profile, const struct symbols *symbols, FILE *out,
                     struct diag *diag);

#endif
