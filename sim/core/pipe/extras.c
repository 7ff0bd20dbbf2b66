/* The parts that most machines are without (extra.def), as requested by the settings. */
#include "sim/core/instance/instance.h"
#include "sim/core/pipe/issue_queues.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/profile/metadata.h"

/* The parts of these that the in-order back end has. */
#define EXTRAS_IN_ORDER (EXTRA_DIVIDER | EXTRA_EARLY_LOADS | EXTRA_MISS | \
                         EXTRA_METADATA | EXTRA_TRANSFERS)

static uint64_t extras_asked(const struct config *config)
{
    bool fuses = config->decode_fusion != 0;
    return (config->rename_eliminates != 0 ? EXTRA_SHARED : 0u) | (fuses ? EXTRA_FUSION : 0u) |
           (config->part_fold != 1 || fuses ? EXTRA_FOLD : 0u) |
           (config->recover_checkpoints != 0 ? EXTRA_CHECKPOINTS : 0u) |
           ((config->latency_div_min | config->latency_fdiv_min) != 0 ? EXTRA_DIVIDER : 0u) |
           (config->issue_alu_bypass != 0 ? EXTRA_BYPASS : 0u) |
           (config->recover_undo_width != 0 ? EXTRA_UNDO : 0u) |
           (config->issue_replay != REPLAY_NONE ? EXTRA_REPLAY : 0u) |
           (config->commit_early_loads != 0 ? EXTRA_EARLY_LOADS : 0u) |
           (config->lsq_store_data != 0 ? EXTRA_STORE_DATA : 0u) |
           (config_is(config, "l1d.prefetch", "staged") ? EXTRA_LOAD_ORDER : 0u) |
           (config->lsq_store_data == STORE_DATA_MICRO_OP ? EXTRA_STORE_UOPS : 0u) |
           (config->issue_select != SELECT_OLDEST ? EXTRA_SLOTS : 0u) |
           (metadata_is_extra(config) ? EXTRA_METADATA : 0u) |
           (config->issue_release_cycles != 0 ? EXTRA_RELEASE : 0u) |
           (config->part_queue_bypass != 0 ? EXTRA_QUEUE_BYPASS : 0u) |
           (config->fetch_miss_delay != 0 && config->fetch_ftq == 0 ? EXTRA_MISS : 0u) |
           (core_shape_of(config).group_log2 != 0 ? EXTRA_LARGE : 0u) |
           (config->commit_rows != 0 ? EXTRA_COMMIT_ROWS : 0u);
}

static uint64_t extras_of_models(const struct config *config)
{
    uint64_t extras = 0;

#define MODEL_EXTRA(field, part) extras |= config->field != 0 ? EXTRA_##part : 0u;
#include "sim/base/models.def"
    return extras;
}

uint64_t core_extras_of(const struct config *config)
{
    uint64_t extras = extras_asked(config);

    if (config->core_kind == CORE_IN_ORDER)
        extras &= EXTRAS_IN_ORDER;
    return extras | extras_of_models(config) | (fetch_is_extra(config) ? EXTRA_FETCH : 0u);
}
