/* Instances of the pipe: its sources compiled once more with the settings of one machine as
 * constants, so that what the machine does not use costs neither time nor code.
 *
 * An instance differs in nothing else: it works on the same struct core, and a core may be run by
 * the general pipe and by an instance in turn. The Makefile names the machines (INSTANCES), which
 * are presets; generate.c writes each one's constants. A core is run by the instance whose settings
 * of the pipeline are all its own, and by the general pipe when there is none. */
#ifndef SIM_CORE_INSTANCE_INSTANCE_H
#define SIM_CORE_INSTANCE_INSTANCE_H

#include "sim/core/core.h"

typedef enum stop core_runner(struct core *core, uint64_t insns, uint64_t cycles, bool skip);

struct core_instance {
    const char *name;               /* of the preset */
    const struct config *config;
    uint64_t extras;                /* core->extras without EXTRAS_FREE */
    core_runner *run;
};

/* Written by the Makefile; NULL after the last. */
extern const struct core_instance *const core_instances[];

/* core.c: cycle by cycle, as core_run (core.h); extras: core->extras of those settings. */
core_runner core_advance;
uint64_t core_extras_of(const struct config *config);

/* The runner of a core with known extras. */
const struct core_instance *instance_find(const struct config *config, uint64_t extras);

#endif
