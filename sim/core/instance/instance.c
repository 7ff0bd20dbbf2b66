/* See instance.h: which instance of the pipe runs a core. */
#include "sim/core/instance/instance.h"

#include "sim/core/core_internal.h"

/* The settings that an instance has as constants: core_config() is asked for no others. */
static const char *const sections[] = {
    "core", "fetch", "decode", "rename", "dispatch", "rob", "commit", "issue", "unit", "latency",
    "lsq", "inorder", "pair", "recover", NULL,
};

static bool fits(const struct core_instance *instance, const struct config *config,
                 uint64_t extras)
{
    return ((instance->extras ^ extras) & ~EXTRAS_FREE) == 0 &&
           config_agree(instance->config, config, sections);
}

const struct core_instance *instance_find(const struct config *config, uint64_t extras)
{
    for (size_t i = 0; core_instances[i] != NULL; i++)
        if (fits(core_instances[i], config, extras))
            return core_instances[i];
    return NULL;
}

enum stop core_run(struct core *core, uint64_t insns, uint64_t cycles, bool skip)
{
    return core->run(core, insns, cycles, skip);
}
