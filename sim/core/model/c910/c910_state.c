/* What the C910's model keeps. */
#include <stdlib.h>

#include "sim/core/pipe/stage.h"

/* Stores that wait for their write are still in the ring of the store queue. */
struct model *c910_new(struct core *core)
{
    const struct config *settings = core_config(core);
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return NULL;
    model->front.recover_seq = NEVER;
    if (c910_searches(core))
        core->early_cycles += COMMIT_OF_SEARCH;
    if (settings->c910_drain_spare &&
        !store_queue_grow(core, settings->lsq_stores +
                                    settings->lsq_store_buffer * WRITE_ENTRY_STORES)) {
        free(model);
        return NULL;
    }
    core->model = model;
    c910_refill_init(core);
    return model;
}

void c910_free(struct model *model)
{
    free(model);
}
