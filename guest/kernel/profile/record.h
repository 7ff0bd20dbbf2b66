/* Records of the scheduler (pmu/abi_record.h). */
#ifndef GUEST_KERNEL_PROFILE_RECORD_H
#define GUEST_KERNEL_PROFILE_RECORD_H

#include "kernel.h"

struct thread;

/* Appends a record to this hart's ring and returns it, to be changed; NULL: it is not wanted. */
struct kernel_record *record(enum kernel_event event, const struct thread *thread, uint32_t other,
                             enum kernel_reason reason, uint64_t value);
/* The file tracing_on: 1 while records are written, or samples taken; a write of 0 or 1 switches
 * them off and on, where the machine allows it. Returns `bytes` or -errno. */
bool records_are_on(void);
int64_t records_write(uint64_t va, uint64_t bytes);

#endif
