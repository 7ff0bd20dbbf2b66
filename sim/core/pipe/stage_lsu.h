/* Interfaces of the files of loads and stores: their timing, order violations. */
#ifndef SIM_CORE_PIPE_STAGE_LSU_H
#define SIM_CORE_PIPE_STAGE_LSU_H

#include "pmu/event.h"
#include "sim/core/pipe/core_state.h"
#include "sim/core/privilege.h"
#include "sim/mem/memsys.h"

/* lsu.c: timing of loads and stores */
enum issue_result lsu_issue(struct core *core, struct uop *uop, uint64_t seq);
/* violation.c. _pass: the load has its value, without waiting for the store as it should have.
 * _punish: such a store is issued; the load, or more, is fetched again. _keep_store: the store,
 * issued in cycle `issued`, does not complete before that squash, so that the squash comes before
 * its commit. */
void violation_pass(struct uop *uop, uint64_t seq, struct store *store);
void violation_punish(struct core *core, const struct store *store);
void violation_keep_store(const struct core *core, struct uop *uop, uint64_t issued);
/* The cycle in which the translation of the access is known: where there are pages; or where there
 * are none, with part_bare_cycles. */
uint64_t lsu_translate_paged(struct core *core, struct uop *uop);
uint64_t lsu_translate_bare(struct core *core, struct uop *uop);
/* lsu_level.c: IND_LEVEL_* of enum mem_level. */
uint8_t lsu_indicator_level(unsigned level);
/* The events of an access that this level answered (enum mem_level). _beyond: for other levels than
 * L1D. */
uint64_t lsu_level_events_beyond(const struct core *core, unsigned level);
static inline uint64_t lsu_level_events(const struct core *core, unsigned level)
{
    return level == MEM_L1 ? EVENT_BIT(DCACHE_HIT) : lsu_level_events_beyond(core, level);
}
uint64_t lsu_serial_cycles(struct core *core, struct uop *uop);

/* False: the cache refused. Sets the level that answers. */
bool lsu_access_cache(struct core *core, struct uop *uop, uint64_t *ready);

#endif
