/* Sampling of idle harts by the guest kernel (pmu/abi_sampler.h): the areas that it works with,
 * made before it boots, and what it found, after the run. */
#ifndef SIM_RUN_KERNEL_SAMPLER_H
#define SIM_RUN_KERNEL_SAMPLER_H

#include "sim/run/kernel/kernel_wants.h"
#include "sim/run/machine.h"

enum { KERNEL_SAMPLER_NODES = 1 << 16 };    /* of a hart: 2 MiB */

/* Makes the areas that machine->wants->sampling needs in free memory from pa on, whole pages;
 * *end: what is free after them. */
enum err kernel_sampler_place(struct machine *machine, uint64_t pa, uint64_t *end,
                              struct diag *diag);
/* The area of a hart, and its tree: in the machine's memory, area->used nodes. */
const struct kernel_sampler *kernel_sampler_area(const struct machine *machine, unsigned hart,
                                                 const struct kernel_sampler_node **node);

#endif
