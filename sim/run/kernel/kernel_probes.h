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

#endif
