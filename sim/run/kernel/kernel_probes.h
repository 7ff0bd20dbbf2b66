/* Software probes by the guest kernel (pmu/abi_probe.h): the code that stands for the instructions
 * which their breakpoints replace. */
#ifndef SIM_RUN_KERNEL_PROBES_H
#define SIM_RUN_KERNEL_PROBES_H

#include "sim/run/kernel/kernel_wants.h"
#include "sim/run/machine.h"

/* Adds what machine->wants asks for to the start information. ERR_USAGE: a first instruction has
 * no stand-in elsewhere: jumps, which depend on where they are. */
enum err kernel_probes_describe(const struct machine *machine, struct kernel_boot *info,
                                struct diag *diag);
/* The same of a library that a process maps, for a running kernel that has probes: those of the
 * unwinder, as far as there is room. The kernel sees them when the mapping is made. */
void kernel_probes_of_library(struct phys *phys, const char *path, uint64_t bias);

#endif
