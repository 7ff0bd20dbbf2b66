/* T-Head C906: its differences from the in-order pipe (the questions are in port.h).
 *
 *   c906_fp.c          the floating-point unit, with a place in front of it
 *   c906_ports.c       one port for integer results
 *   c906_rules.c       operands that come after issue; operations that end early; fences, CSRs
 *   c906_lsu.c         loads and stores one after the other */
#ifndef SIM_CORE_MODEL_C906_C906_H
#define SIM_CORE_MODEL_C906_C906_H

#include "sim/core/model/c906/c906_pipes.h"
#include "sim/core/pipe/core_state.h"

struct model {
    struct c906_fp fp;
    struct c906_ports ports;
    uint64_t branch_free;           /* the branch unit is free from here on; until then a branch
                                     * waits in it for a load */
    uint64_t store_cycle;           /* in which the last store issued */
    uint64_t memory_free;           /* loads and stores issue from here on, as one is retried */
    uint64_t conflict_head;         /* the oldest store when a load last waited for one */
};

struct mem_response;
struct store;

struct model *c906_new(struct core *core);
void c906_free(struct model *model);

/* c906_rules.c */
bool c906_may_issue(struct core *core, const struct uop *uop, unsigned class);
uint64_t c906_slack(const struct core *core, const struct uop *uop, unsigned reg, bool is_data,
                    uint64_t slack);
bool c906_may_write(struct core *core, const struct uop *uop);
bool c906_may_start(struct core *core, const struct uop *uop, unsigned class);
uint8_t c906_cycles(const struct core *core, const struct uop *uop, unsigned class);
uint64_t c906_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                   uint32_t cycles);
void c906_fence(const struct core *core, struct uop *uop);
bool c906_csr_may_act(struct core *core);
uint64_t c906_refetch_cycles(const struct core *core);
void c906_undone(struct core *core, uint64_t seq);

/* c906_lsu.c */
bool c906_store(struct core *core, const struct uop *uop, uint64_t *ready);
bool c906_store_stays(struct core *core, struct store *store, const struct mem_response *response);
void c906_load_waits(struct core *core, bool is_first);

/* c906_fp.c, only with c906.fp_place. _need: true if the place in front of the unit is free for the
 * operation. _issue: the operation goes there; returns the cycle of its result as known now.
 * _forwarded: the cycle of the result of a load from a store. _refuse: a result for an integer
 * register that would arrive in cycle `ready` is not written before the next. _forget: the youngest
 * issued instruction is undone. */
bool c906_fp_need(struct core *core, const struct uop *uop);
uint64_t c906_fp_issue(struct core *core, const struct uop *uop, uint64_t seq, uint64_t ready,
                       uint32_t cycles);
uint64_t c906_fp_forwarded(struct core *core, const struct uop *uop, const struct store *store,
                           uint64_t ready);
void c906_fp_refuse(struct core *core, uint64_t ready);
void c906_fp_forget(struct core *core, uint64_t seq);

/* c906_ports.c. c906_comes: the result of the instruction at seq, in rd, now arrives in cycle
 * `ready`. _issue: only with c906.shared_port, for an integer operation that issues now and would
 * end in cycle `ready`; returns its end. _need: true if an older product has been written to its
 * destination. _forget: the youngest issued instruction is undone. */
void c906_comes(struct core *core, uint64_t seq, unsigned rd, uint64_t ready);
bool c906_ports_need(struct core *core, const struct uop *uop, unsigned class);
uint64_t c906_ports_issue(struct core *core, const struct uop *uop, uint64_t seq, unsigned class,
                          uint64_t ready);
void c906_ports_forget(struct core *core, uint64_t seq);

/* ---- answers --------------------------------------------------------------------------------- */

#define PORT_STATE
#define port_new c906_new
#define port_free c906_free

#define PORT_ISSUE
static inline bool port_joins(const struct core *core, const struct uop *uop) { return true; }
#define port_may_issue c906_may_issue
static inline bool port_is_starved(const struct core *core) { return false; }
static inline void port_trapped(struct core *core, const struct uop *uop, uint64_t seq) { }
static inline void port_issued(struct core *core, struct uop *uop, uint64_t seq) { }

#define PORT_OPERANDS
#define port_slack c906_slack
#define port_may_write c906_may_write

#define PORT_UNIT
#define port_may_start c906_may_start
#define port_cycles c906_cycles
#define port_ends c906_ends

#define PORT_ALONE
static inline void port_fence(const struct core *core, struct uop *uop)
{
    if (core_config(core)->c906_plain_fences)
        c906_fence(core, uop);
}
static inline bool port_csr_may_act(struct core *core)
{
    return core_config(core)->c906_csr_wait == 0 || c906_csr_may_act(core);
}

#define PORT_REFETCH
#define port_refetch_cycles c906_refetch_cycles
static inline uint64_t port_again_cycles(const struct core *core) { return 0; }

#define PORT_FORWARD
static inline unsigned port_compared_bytes(const struct core *core) { return 0; }
static inline bool port_covers(const struct core *core, const struct store *store,
                               const struct uop *uop)
{
    return !core_config(core)->c906_forward_exact ||
           (store->pa == uop->pa && store->bytes == uop->access_bytes);
}
static inline uint64_t port_forwarded(struct core *core, const struct uop *uop,
                                      const struct store *store, uint64_t ready)
{
    return core_config(core)->c906_fp_place && store->is_fp
               ? c906_fp_forwarded(core, uop, store, ready) : ready;
}
static inline void port_load_waits(struct core *core, bool is_first)
{
    if (core_config(core)->c906_conflict_polls != 0)
        c906_load_waits(core, is_first);
}

#define PORT_STORE
#define port_store c906_store
static inline bool port_store_is_written(const struct core *core) { return false; }

#define PORT_DRAIN
static inline bool port_store_stays(struct core *core, struct store *store,
                                    const struct mem_response *response, bool is_back)
{
    return core_config(core)->c906_drain_pending && c906_store_stays(core, store, response);
}

#define PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq)
{
    c906_undone(core, seq);
}

#include "sim/core/model/c906/c906_fetch.h"

#endif
