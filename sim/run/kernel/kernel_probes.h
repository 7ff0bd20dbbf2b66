/* Software probes by the guest kernel (pmu/abi_probe.h): code slots that stand for the instructions
 * replaced by breakpoints. */
#ifndef SIM_RUN_KERNEL_PROBES_H
#define SIM_RUN_KERNEL_PROBES_H

#include "sim/run/kernel/kernel_wants.h"
#include "sim/run/machine.h"

/* Adds the probes of machine->wants to the start information. ERR_USAGE: a first instruction cannot
 * be executed elsewhere (a jump that depends on its address). */
enum err kernel_probes_describe(const struct machine *machine, struct kernel_boot *info,
                                struct diag *diag);
/* Adds the unwinder's probes of a library that a process maps, for a running kernel that has
 * probes, as far as there is room. The kernel sees them when the mapping is made. */
void kernel_probes_of_library(struct phys *phys, const char *path, uint64_t bias);

#endif
