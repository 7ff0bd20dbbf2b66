/* See instance.h: selects the instance of the pipe that runs a core. */
#include "sim/core/instance/instance.h"

#include <string.h>

#include "sim/core/bpred/shape.h"
#include "sim/core/pipe/core_internal.h"

/* The settings that an instance has as constants, besides its model's: core_config() is used for no
 * others. */
static const char *const sections[] = {
    "core", "fetch", "decode", "rename", "dispatch", "rob", "commit", "issue", "unit", "latency",
    "lsq", "inorder", "recover", NULL,
};

static bool is_of_model(const struct core_instance *instance, const char *model)
{
    return model == NULL || instance->model == NULL ? model == instance->model
                                                    : strcmp(model, instance->model) == 0;
}

static bool fits(const struct core_instance *instance, const struct config *config,
                 uint64_t extras)
{
    const char *const model[] = {instance->model, NULL};
    if (instance->config == NULL)
        return true;
    return ((instance->extras ^ extras) & ~EXTRAS_FREE) == 0 &&
           config_agree(instance->config, config, sections) &&
           config_agree(instance->config, config, model);
}

const struct core_instance *instance_find(const struct config *config, uint64_t extras)
{
    const char *model = config_model(config);
    for (size_t i = 0; core_instances[i] != NULL; i++)
        if (is_of_model(core_instances[i], model) && fits(core_instances[i], config, extras))
            return core_instances[i];
    return &core_instance_general;
}

bool instance_start(struct core *core)
{
    bpred_set_instance(core->bpred, core->instance->predictor);
    if (core->instance->model_new == NULL)
        return true;
    core->model = core->instance->model_new(core);
    return core->model != NULL;
}

void instance_end(struct core *core)
{
    if (core->model != NULL)
        core->instance->model_free(core->model);
}

enum stop core_run(struct core *core, uint64_t insns, uint64_t cycles, bool skip)
{
    return core->instance->run(core, insns, cycles, skip);
}

void core_settle(struct core *core)
{
    core->instance->settle(core);
}

bool core_is_sane(const struct core *core)
{
    return core->instance->is_sane(core);
}
