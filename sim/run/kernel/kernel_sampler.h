/* Sampling of idle harts by the guest kernel (pmu/abi_sampler.h): its memory areas, made before it
 * boots, and its results, after the run. */
#ifndef SIM_RUN_KERNEL_SAMPLER_H
#define SIM_RUN_KERNEL_SAMPLER_H

#include "sim/run/kernel/kernel_wants.h"
#include "sim/run/machine.h"

enum { KERNEL_SAMPLER_NODES = 1 << 16 };    /* nodes of a hart: 2 MiB */

/* Makes the areas that machine->wants->sampling needs, in whole pages of free memory from pa on;
 * *end: first free address after them. */
enum err kernel_sampler_place(struct machine *machine, uint64_t pa, uint64_t *end,
                              struct diag *diag);
/* A library is mapped, or another program, with the addresses of the image, which are keys: from
 * now on walks know its frames. Without sampling nothing is done. */
enum err kernel_sampler_add(struct machine *machine, const struct image *image, struct diag *diag);
/* The area of a hart, and its tree: in the machine's memory, area->used nodes. */
const struct kernel_sampler *kernel_sampler_area(const struct machine *machine, unsigned hart,
                                                 const struct kernel_sampler_node **node);

#endif
