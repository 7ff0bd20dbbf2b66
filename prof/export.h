/* Profiles in the formats of other tools. */
#ifndef PROF_EXPORT_H
#define PROF_EXPORT_H

#include <stdio.h>

#include "prof/profile.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

/* Folded stacks, "root;caller;leaf 123" a line, in order of text; numbers are interrupts. A stack
 * that could not be walked to its end starts with "[truncated]" or "[broken]". */
enum err export_folded(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag);

/* callgrind.out with two costs: Count, executions of marked instructions (accesses of marked data
 * are not code and left out), and Intr, interrupts of the monitor. Inclusive costs and calls come
 * from the stacks that interrupts stored: executions of the counters that were passed, interrupts.
 * Calls are counted where they are known, at marked calls and entries; outer frames show
 * interrupts. */
enum err export_callgrind(const struct profile *profile, const struct symbols *symbols, FILE *out,
                          struct diag *diag);

#endif
