/* Parts of memory and predictor (sim/base/part.def) by their own names: a model's settings name
 * them otherwise. */
#ifndef TESTS_SIM_CORE_PART_H
#define TESTS_SIM_CORE_PART_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/config.h"

/* "part.NAME=VALUE", a number. False: it is no part. */
static inline bool part_set(struct config *config, const char *assignment)
{
    static const struct { const char *name; size_t offset; } parts[] = {
#define PART(name, def) {"part." #name "=", offsetof(struct config, part_##name)},
#include "sim/base/part.def"
#undef PART
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t length = strlen(parts[i].name);
        if (strncmp(assignment, parts[i].name, length) != 0)
            continue;
        uint32_t value = (uint32_t)strtoul(assignment + length, NULL, 0);
        memcpy((char *)config + parts[i].offset, &value, sizeof value);
        return true;
    }
    return false;
}

#endif
