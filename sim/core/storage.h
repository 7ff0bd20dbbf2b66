/* Storage of the machine's predictors, caches, TLBs and metadata on a chip, in bits: computed from
 * the settings alone, for one hart (L2 and L3: for all). */
#ifndef SIM_CORE_STORAGE_H
#define SIM_CORE_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/config.h"

enum storage_part {
#define STORAGE(name, what) STORAGE_##name,
#include "sim/core/storage.def"
#undef STORAGE
    STORAGE_PARTS
};

const char *storage_name(enum storage_part part);
const char *storage_meaning(enum storage_part part);
/* False: no memory. */
bool storage_count(const struct config *config, uint64_t bits[STORAGE_PARTS]);

#endif
