/* RSD's answers to the questions of port.h. Part of rsd.h. */
#ifndef SIM_CORE_MODEL_RSD_RSD_ANSWERS_H
#define SIM_CORE_MODEL_RSD_RSD_ANSWERS_H

#include "sim/core/bpred/bpred.h"
#include "sim/core/fetch/predecode.h"

static inline bool rsd_in_lock_step(const struct core *core)
{
    return core_config(core)->part_at_decode != 0;
}
static inline bool rsd_replays(const struct core *core)
{
    return core_config(core)->rsd_replay_queue != 0;
}

#define PORT_STATE
#define port_new rsd_new
#define port_free rsd_free
#define PORT_RESTARTS
static inline void port_restarts(struct core *core)
{
    if (rsd_in_lock_step(core))
        rsd_front_restarts(core);
}

#define PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core) { return false; }
static inline bool port_may_fetch(struct core *core) { return !core->model->front.is_held; }
static inline bool port_fetches(struct core *core) { return false; }

#define PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room)
{
    if (rsd_in_lock_step(core))
        bpred_begin_group(core->bpred);
    return room;
}
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first) { }

#define PORT_PREDICT
#define port_predicts rsd_in_lock_step
static inline bool port_predict(struct core *core, struct uop *uop, bool is_control)
{
    if (!rsd_in_lock_step(core))
        return true;
    return is_control ? rsd_front_predict(core, uop) : (uop->flags & UOP_SERIAL) == 0;
}

#define PORT_JOIN
#define port_asks_each rsd_in_lock_step
static inline bool port_asks_transfers(const struct core *core) { return false; }
/* An instruction that acts alone does not follow others in a group. */
static inline bool port_may_join(struct core *core, const struct predecode_slot *slot,
                                 uint32_t before)
{
    return before == 0 || (slot->uop_flags & UOP_SERIAL) == 0;
}
static inline bool port_ends_group(struct core *core, const struct predecode_slot *slot,
                                   uint64_t end)
{
    return false;
}

#define PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    return core->model->replay.flushing == 0 || (uop->flags & (UOP_SQUASHES | UOP_REFETCH)) == 0;
}
#define PORT_COMMIT_ALL
static inline bool port_answers_for_all(const struct core *core) { return true; }
static inline bool port_may_all_commit(const struct core *core)
{
    return core->model->replay.flushing == 0;
}

#define PORT_DRAIN
static inline bool port_store_stays(struct core *core, struct store *store,
                                    const struct mem_response *response, bool is_back)
{
    return core_config(core)->part_drain_blocks &&
           rsd_memory_store_stays(core, store, response, is_back);
}

#define PORT_REDIRECT
static inline bool port_redirect(struct core *core, const struct redirect *redirect)
{
    return core_config(core)->rsd_one_at_a_time && rsd_recover_redirect(core, redirect);
}

#define PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (rsd_replays(core) && uop->state == UOP_WAITING)
        rsd_replay_undone(core, uop);
}
#define PORT_SQUASHED
static inline void port_squashed(struct core *core, enum squash_reason reason)
{
    if (rsd_in_lock_step(core))
        rsd_front_squashed(core);
}

#endif
