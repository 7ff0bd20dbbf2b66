/* Settings that break the rules of a model's settings. */
#ifndef TESTS_SIM_CORE_MODEL_REFUSED_H
#define TESTS_SIM_CORE_MODEL_REFUSED_H

#include "tests/sim/core/rig_core.h"

/* The diagnosis of the first rule that the settings break. */
static inline const char *refused(const char *const *settings)
{
    static struct diag diag;
    struct config config;
    config_init(&config);
    for (; *settings != NULL; settings++)
        assert_int_equal(config_set(&config, *settings, &diag), ERR_OK);
    assert_int_equal(config_check(&config, &diag), ERR_USAGE);
    return diag.text;
}

#endif
