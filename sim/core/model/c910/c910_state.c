/* The state of the C910's model. */
#include <stdlib.h>

#include "sim/core/fetch/predecode.h"
#include "sim/core/pipe/stage_stores.h"


/* Sets the latency of operations for which the model has a setting of its own. */
static void set_latency(struct core *core, unsigned kind, uint32_t cycles)
{
    if (cycles != 0)
        core->latency[kind] = cycles;
}

static void set_latencies(struct core *core, const struct config *settings)
{
    set_latency(core, LAT_PC, settings->c910_pc);
    set_latency(core, LAT_FMV_F, settings->c910_fmv_f);
    set_latency(core, LAT_FCVT_X, settings->c910_fcvt_x);
    set_latency(core, LAT_FCVT_F, settings->c910_fcvt_f);
    if (settings->c910_moves_as_int)
        predecode_take_moves_as_int(core->predecode);
}

/* The store queue's ring grows, because it keeps stores that wait for their write. */
struct model *c910_new(struct core *core)
{
    const struct config *settings = core_config(core);
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return NULL;
    set_latencies(core, settings);
    model->front.recover_seq = NEVER;
    model->search.end = core->commit_seq;
    if (c910_searches(core))
        core->early_cycles += COMMIT_OF_SEARCH;
    if (settings->c910_drain_spare &&
        !store_queue_grow(core, settings->lsq_stores +
                                    settings->part_store_buffer * WRITE_ENTRY_STORES)) {
        free(model);
        return NULL;
    }
    core->model = model;
    c910_balance_init(core);
    c910_refill_init(core);
    return model;
}

void c910_free(struct model *model)
{
    free(model);
}
