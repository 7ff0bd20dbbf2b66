/* The costs of a callgrind file before they are written; internal to export_callgrind*.c. */
#ifndef PROF_EXPORT_EXPORT_CALLGRIND_H
#define PROF_EXPORT_EXPORT_CALLGRIND_H

#include "prof/calls/callgraph.h"
#include "prof/profile/made_code.h"

/* The columns a file may have; units become cycles when they are written. */
enum callgrind_column {
    INSTRUCTIONS, CYCLES, MISPREDICTED, COUNT, INTERRUPTS,
    SAMPLED, SAMPLES,               /* events that samples stand for; number of samples */
    COLUMNS,
};
struct callgrind_costs { uint64_t of[COLUMNS]; };

/* A routine's own costs at one address. */
struct callgrind_point { uint64_t routine, address; struct callgrind_costs costs; };
/* A call with its inclusive costs. */
struct callgrind_edge { uint64_t caller, site, callee, calls; struct callgrind_costs costs; };

/* The monitor's routine. */
#define CALLGRIND_MONITOR UINT64_MAX

struct callgrind {
    struct callgrind_point *point;      /* by routine, address */
    size_t points;
    struct callgrind_edge *edge;        /* by caller, site, callee */
    size_t edges;
    struct made_code made;
};

/* The number of events between two samples; 0: there are no samples of an event. */
uint64_t callgrind_period(const struct profile *profile);
/* The first address of the routine or object that contains an address. */
uint64_t callgrind_routine(const struct callgrind *all, const struct symbols *symbols,
                           uint64_t address);
void callgrind_add(struct callgrind_costs *to, const struct callgrind_costs *from);
/* callgrind_free is due in any case. */
enum err callgrind_collect(struct callgrind *all, const struct profile *profile,
                           const struct symbols *symbols, const struct callgraph *graph,
                           struct diag *diag);
void callgrind_free(struct callgrind *all);

#endif
