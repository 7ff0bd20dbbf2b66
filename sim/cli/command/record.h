/* The run of `rvsim record`, which other commands repeat. */
#ifndef SIM_CLI_COMMAND_RECORD_H
#define SIM_CLI_COMMAND_RECORD_H

#include "sim/cli/tool/tool.h"

/* The least period: a sample comes after the overflowing instruction, so not every instruction can
 * have one. */
enum { RECORD_PERIOD_LEAST = 2 };

/* event EVENT_NONE: marks. has_monitor: the user chose one. */
struct trial record_trial(unsigned event, uint64_t period, bool has_stacks, bool has_monitor);
/* Says on standard error what the samples lack, and how to get it. */
void record_warn(const char *command, const struct profile *profile);

/* Prints a line each for the samples that were not stored and those that were throttled. */
void record_print_left_out(const struct profile *profile);

#endif
