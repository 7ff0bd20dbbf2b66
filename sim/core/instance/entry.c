/* Entry points by which an instance of the pipe is found (instance.h). */
#include "sim/core/instance/instance.h"

#include "sim/core/port.h"

#ifndef INSTANCE_ENTRY
#define INSTANCE_ENTRY core_instance_general
#define INSTANCE_NAME NULL
#define INSTANCE_MODEL NULL
#endif
#ifndef INSTANCE
#define INSTANCE_CONFIG NULL
#define INSTANCE_EXTRAS 0
#define INSTANCE_PREDICTOR NULL
#else
#define INSTANCE_CONFIG &instance_config
#define INSTANCE_PREDICTOR &instance_predictor.shape
#endif

/* Visible from outside even with -fwhole-program. */
#ifdef __clang__
#define VISIBLE
#else
#define VISIBLE __attribute__((externally_visible))
#endif

extern const struct core_instance INSTANCE_ENTRY;
VISIBLE const struct core_instance INSTANCE_ENTRY = {
    .name = INSTANCE_NAME, .model = INSTANCE_MODEL,
    .config = INSTANCE_CONFIG, .extras = INSTANCE_EXTRAS,
    .predictor = INSTANCE_PREDICTOR,
    .run = core_advance, .settle = core_discard, .is_sane = sane_check,
#ifdef PORT_STATE
    .model_new = port_new, .model_free = port_free,
#endif
};
