/* Inside the profiler: the records of either monitor. profiler->collected is a copy of the resident
 * monitor's header and records; profiler->slot lists the slots of all records in use, as many as
 * the header's `used`. */
#ifndef SIM_RUN_PROFILER_RECORDS_H
#define SIM_RUN_PROFILER_RECORDS_H

#include "sim/base/err.h"
#include "sim/run/profiler/profiler.h"

/* Allocates the list. It is empty; the host's monitor adds the slot of each new record to its end.
 * False: no memory. */
bool profiler_records_begin(struct profiler *profiler);
/* Reads the resident monitor's records. The list is in order afterwards. */
enum err profiler_records_collect(struct profiler *profiler, struct diag *diag);

#endif
