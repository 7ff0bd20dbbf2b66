/* Measurements that the guest kernel makes of a program, for machine->wants. */
#ifndef SIM_RUN_KERNEL_WANTS_H
#define SIM_RUN_KERNEL_WANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/abi_kernel.h"

/* Samples of idle harts (kernel_sampler.h). */
struct kernel_sampling {
    unsigned modes;                 /* SAMPLER_* */
    uint64_t period;                /* in ticks of `time`, or in events; not 0 */
    uint64_t event;                 /* as in mhpmevent; 0: by time */
    uint32_t thread[SAMPLER_THREADS];
    unsigned threads;               /* monitored; 0: all */
};

struct kernel_wants {
    const struct kernel_sampling *sampling;     /* NULL: none */
    const uint64_t *probe;          /* first addresses of sections that get a software probe */
    unsigned probes;                /* at most KERNEL_SECTIONS */
    struct kernel_words words;      /* of a thread (abi_probe.h); words 0: none */
};

#endif
