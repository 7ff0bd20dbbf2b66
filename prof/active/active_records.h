/* Records of a scheduler and of its probes (pmu/abi_kernel.h) as a time line of sections. */
#ifndef PROF_ACTIVE_RECORDS_H
#define PROF_ACTIVE_RECORDS_H

#include "pmu/abi_kernel.h"
#include "prof/timeline/timeline.h"

/* Adds switches, entries and exits; name[i]: of the section of probe i. */
enum err active_add_records(struct timeline *timeline, const struct kernel_record *record,
                            size_t records, const char *const *name, struct diag *diag);

#endif
