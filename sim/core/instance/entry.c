/* How an instance of the pipe is found (instance.h). Compiled for instances only. */
#include "sim/core/instance/instance.h"

extern const struct core_instance INSTANCE_ENTRY;
const struct core_instance INSTANCE_ENTRY = {
    .name = INSTANCE_NAME, .config = &instance_config, .extras = INSTANCE_EXTRAS,
    .run = core_advance,
};
