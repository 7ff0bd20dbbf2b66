/* The C910's answers to the questions of back_port.h. Part of c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_BACK_H
#define SIM_CORE_MODEL_C910_C910_BACK_H

#include "sim/base/cycle.h"
#include "sim/core/bpred/bpred.h"

#define PORT_DECODE
static inline bool port_decodes(struct core *core) { return false; }
static inline void port_passed(struct core *core, uint64_t count) { }
static inline uint64_t port_due(const struct core *core)
{
    uint64_t next = c910_takes_lines(core) ? core->model->refill.due : NEVER;
    if (core_config(core)->c910_drain_spare && core->sq.head != core->sq.commit)
        return core->now;
    return c910_searches(core) ? earlier(next, core->model->search.data_next) : next;
}

#define PORT_LINK
static inline bool port_links(struct core *core, struct uop *uop, unsigned operand,
                              uint64_t writer)
{
    return false;
}
static inline bool port_wakes(struct core *core, const struct uop *producer, struct uop *consumer,
                              unsigned operand, uint64_t *ready)
{
    bool is_data = operand == 1 && consumer->kind == KIND_STORE;
    if (c910_searches(core) && producer->kind == KIND_LOAD && producer->true_ready != 0)
        *ready = c910_issue_wakes(core, producer, consumer, is_data, *ready);
    return true;
}

#define PORT_WAKES_PLAINLY
static inline bool port_wakes_plainly(const struct core *core, const struct uop *producer)
{
    return producer->kind != KIND_LOAD &&
           (core_config(core)->c910_fma_addend == 0 || producer->latency != LAT_FMA);
}

/* A load or store that may have to be issued again keeps its queue entry until its search. */
#define PORT_PLACE
static inline uint64_t port_place_until(const struct core *core, const struct uop *uop)
{
    bool searches = c910_searches(core) && (uop->flags & (UOP_IS_LOAD | UOP_IS_STORE));
    return searches ? uop->issue_cycle + core_config(core)->c910_search_cycles : core->now;
}

/* The redirect of a misprediction already includes the way of its outcome to the predictor. */
#define PORT_EXECUTED
static inline bool port_completes_early(const struct core *core) { return false; }
static inline bool port_resolves_all(const struct core *core)
{
    return core_config(core)->c910_resolves_all != 0;
}
static inline bool port_is_told_late(struct core *core, const struct uop *uop)
{
    return core_config(core)->part_write_buffer != 0 && (uop->flags & UOP_MISPREDICTED) == 0;
}

/* With c910.redirects_first, an instruction that redirects fetch (misprediction, flush, call or
 * return) commits only as the first of its cycle. */
#define PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    if (place == 0 || !core_config(core)->c910_redirects_first ||
        (uop->flags & (UOP_MISPREDICTED | UOP_SQUASHES | UOP_CONTROL)) == 0)
        return true;
    bool is_first = (uop->flags & (UOP_MISPREDICTED | UOP_SQUASHES)) ||
                    (uop->kind != KIND_BRANCH &&
                     (insn_is_call(&uop->insn) || insn_is_return(&uop->insn)));
    return !is_first;
}

#define PORT_FLUSHES
#define port_flushes_after c910_searches

#define PORT_COMMITTED
static inline void port_committed(struct core *core, uint64_t first)
{
    if (core_extras(core) & EXTRA_COMMIT_ASKS)
        c910_search_committed(&core->model->search, core->now, first, core->commit_seq);
    if (core_config(core)->c910_rename_cycles != 0 &&
        core->model->front.recover_seq < core->commit_seq)
        c910_recover_committed(core);
}
static inline void port_drained(struct core *core) { }

/* The predictor is trained by executed transfers before they are undone. */
#define PORT_SQUASH
static inline uint64_t port_squash(struct core *core)
{
    if (core_config(core)->part_write_buffer != 0)
        bpred_settle(core->bpred, core->now - 1);
    return 0;
}
static inline void port_gone(struct core *core, uint64_t keep)
{
    if (keep < core->model->front.recover_seq && core->model->front.recover_seq != NEVER)
        c910_recover_forget(core);
}
static inline uint64_t port_undo_cycles(const struct core *core) { return 0; }
static inline void port_undoing(struct core *core) { }

#define PORT_REDIRECTED
static inline void port_redirected(struct core *core, uint64_t keep, uint64_t end)
{
    if (core_config(core)->c910_rename_cycles != 0)
        c910_recover_begin(core, keep);
}

#endif
