/* RSD's answers to the questions of lsu_port.h. Part of rsd.h. */
#ifndef SIM_CORE_MODEL_RSD_RSD_LSU_H
#define SIM_CORE_MODEL_RSD_RSD_LSU_H

#include "sim/core/lsu/store_queue.h"
#include "sim/core/model/rsd/rsd_answers.h"
#include "sim/mem/memsys.h"

#define PORT_LOAD_AGAIN
/* The line arrived for the load, which is issued again, and has been evicted since. */
static inline bool port_has_line_kept(const struct core *core, const struct uop *uop)
{
    return rsd_replays(core) && uop->miss_register != NO_REGISTER &&
           memsys_find_dframe(core->mem, uop->pa) == MEM_NO_FRAME;
}
static inline uint64_t port_load_after(struct core *core, const struct uop *uop)
{
    return rsd_replays(core) ? rsd_memory_load_after(core, uop) : 0;
}

#define PORT_VIOLATION
static inline uint64_t port_violation_cycles(const struct core *core)
{
    return core_config(core)->rsd_violation_cycles;
}
static inline uint64_t port_violation_keep(const struct core *core, const struct store *store)
{
    return core_config(core)->rsd_violation_from == 0 ? store->violator - 1 : store->seq;
}
static inline uint64_t port_store_wake_cycles(const struct core *core)
{
    return core_config(core)->rsd_store_wake_cycles;
}

#endif
