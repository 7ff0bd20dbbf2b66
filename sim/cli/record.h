/* The run of `rvsim record`, which others repeat. */
#ifndef SIM_CLI_RECORD_H
#define SIM_CLI_RECORD_H

#include "sim/cli/tool.h"

#define RECORD_MARKS "marks"        /* in place of an event: what is marked interrupts */

/* event: EVENT_NONE: marks. has_monitor: the user chose one. */
struct trial record_trial(unsigned event, uint64_t period, bool has_stacks, bool has_monitor);

#endif
