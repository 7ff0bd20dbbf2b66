/* The call stacks of threads that begin to wait for a lock. The simulator takes them from outside
 * when the thread leaves its hart, at no cost to the guest. */
#ifndef SIM_CLI_COMMAND_LOCK_LOCK_CAPTURE_H
#define SIM_CLI_COMMAND_LOCK_LOCK_CAPTURE_H

#include "prof/sched/lock.h"
#include "sim/cli/tool/kernel_records.h"

struct lock_capture;

/* Asks for call stacks in the run of these records: sets their begins, ended, arg. NULL: no memory.
 * lock_capture_free is due afterwards, and allows NULL. */
struct lock_capture *lock_capture_request(struct kernel_records *records);
struct lock_stacks *lock_capture_stacks(struct lock_capture *capture);
void lock_capture_free(struct lock_capture *capture);

#endif
