/* Profiles in the formats of other tools. */
#ifndef PROF_EXPORT_EXPORT_H
#define PROF_EXPORT_EXPORT_H

#include <stdio.h>

#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* Folded stacks, "root;caller;leaf 123" a line, in order of text. Numbers are cycles if the oracle
 * measured them, else interrupts or, if there were none, instructions. */
enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag);
/* As export_folded, but always interrupts. A stack that could not be walked to its end starts with
 * "[truncated]" or "[broken]". */
enum err export_folded_measured(const struct profile *profile, const struct symbols *symbols,
                                FILE *out, struct diag *diag);

/* "root;caller;leaf A B" a line: the stacks of two profiles with both numbers, for differential
 * flame graphs. If only one has cycles, both numbers are interrupts; ERR_USAGE if one has none. */
enum err export_folded_difference(const struct profile *const profile[2],
                                  const struct symbols *const symbols[2], FILE *out,
                                  struct diag *diag);

/* callgrind.out. Costs: Ir, instructions; with the oracle, Cycles and Bm, mispredicted branches and
 * jumps; with marks, Count, executions of marked instructions (not accesses of marked data, which
 * are no code), and Intr, interrupts of the monitor. */
enum err export_callgrind(const struct profile *profile, const struct symbols *symbols, FILE *out,
                          struct diag *diag);

/* In prof/export/, of the same stacks as export_folded: a gzip'd profile.proto of pprof;
 * speedscope's JSON; the text of `perf script`, whose periods are the measured values. */
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
 * oracle, of the whole program; else of the marked instructions with a counter. */
enum err export_lcov(const struct profile *profile, const struct symbols *symbols, FILE *out,
                     struct diag *diag);

#endif
