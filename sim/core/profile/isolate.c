/* Separate structures for the resident monitor, for experiments on its influence on the program's
 * caches, TLBs and branch predictor.
 *
 * There is a second memory system down to memory, and a second predictor, of the same
 * configuration. When the monitor is entered or left, with nothing in flight, they are exchanged
 * with the hart's. Both keep their contents. Left out: stores of the program that have committed
 * and are still in the store queue when the monitor is entered reach the monitor's caches, and
 * those of the monitor reach the program's. */
#include <stdlib.h>

#include "isa/hart.h"
#include "sim/core/bpred/bpred.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/mem/memsys_known.h"


enum { ISOLATE_CACHES = 1, ISOLATE_TLBS = 2, ISOLATE_PREDICTOR = 4 };  /* of monitor.isolate */

struct isolation {
    struct memshared *shared;
    struct memsys *mem;             /* the memory system not in use */
    struct bpred *bpred;            /* the predictor not in use; NULL: shared */
    bool has_caches, has_tlbs;
    bool is_in_monitor;             /* the structures are exchanged */
};

void isolation_free(struct isolation *isolation)
{
    if (isolation == NULL)
        return;
    memsys_free(isolation->mem);
    memshared_free(isolation->shared);
    bpred_free(isolation->bpred);
    free(isolation);
}

bool isolation_init(struct core *core)
{
    const struct config *config = core->config;
    struct isolation *isolation;

    if (config->monitor_isolate == 0)
        return true;
    core->isolation = isolation = calloc(1, sizeof *isolation);
    if (isolation == NULL)
        return false;
    isolation->has_caches = (config->monitor_isolate & ISOLATE_CACHES) != 0;
    isolation->has_tlbs = (config->monitor_isolate & ISOLATE_TLBS) != 0;
    isolation->shared = memshared_new(config);
    if (isolation->shared != NULL)
        isolation->mem = memsys_new(config, isolation->shared, core->events);
    if ((config->monitor_isolate & ISOLATE_PREDICTOR) != 0)
        isolation->bpred = bpred_new(config, core->ring_mask + 1);
    if (isolation->mem != NULL)
        memsys_set_entry_bytes(isolation->mem, hart_xlen(core->hart) / 8);
    return isolation->mem != NULL &&
           (isolation->bpred != NULL || (config->monitor_isolate & ISOLATE_PREDICTOR) == 0);
}

void core_use_memory(struct core *core, struct memsys *mem)
{
    core->mem = mem;
    core->code_lines = memsys_known_code(mem);
    core->data_lines = memsys_known_data(mem);
    core->dtlb = memsys_dtlb_of(mem);
}

/* A memory system contains its TLBs: shared ones are exchanged back. */
static void exchange(struct core *core, struct isolation *isolation)
{
    if (isolation->has_caches) {
        struct memsys *mem = core->mem;

        core_use_memory(core, isolation->mem);
        isolation->mem = mem;
    }
    if (isolation->has_caches != isolation->has_tlbs)
        memsys_exchange_tlbs(core->mem, isolation->mem);
    if (isolation->bpred != NULL) {
        struct bpred *bpred = core->bpred;

        core->bpred = isolation->bpred;
        isolation->bpred = bpred;
    }
}

void isolation_follow(struct core *core)
{
    struct isolation *isolation = core->isolation;

    if (isolation == NULL || isolation->is_in_monitor == core->hart->in_monitor)
        return;
    isolation->is_in_monitor = core->hart->in_monitor;
    exchange(core, isolation);
}

bool isolation_is_apart(const struct core *core)
{
    return core->isolation != NULL && core->isolation->is_in_monitor &&
           core->isolation->has_caches;
}
