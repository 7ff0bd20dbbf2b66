/* CVA6's answers to the questions of port.h and inorder_port.h. Part of cva6.h. */
#ifndef SIM_CORE_MODEL_CVA6_CVA6_ANSWERS_H
#define SIM_CORE_MODEL_CVA6_CVA6_ANSWERS_H

#define PORT_STATE
#define port_new cva6_new
#define port_free cva6_free

#define PORT_MAY_FETCH
#define port_is_in_fetch cva6_misses
static inline bool port_may_fetch(struct core *core)
{
    return core_config(core)->cva6_transfers == 0 || !cva6_transfers_full(core);
}
#define port_fetches cva6_fetches_alone

#define PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room) { return room; }
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first)
{
    cva6_fetched(core);
    if (core_config(core)->cva6_transfers != 0)
        cva6_transfers_fetched(core, first);
}

#define PORT_TRANSFER
#define port_turn_cycles cva6_turn_cycles
#define port_return_unknown cva6_return_unknown

#define PORT_CODE_LINE
#define port_line_misses cva6_line_misses

#define PORT_ISSUE
static inline bool port_joins(const struct core *core, const struct uop *uop) { return true; }
static inline bool port_may_issue(struct core *core, const struct uop *uop, unsigned class)
{
    return true;
}
static inline bool port_is_starved(const struct core *core) { return false; }
static inline void port_trapped(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (core_config(core)->cva6_cancelled_loads)
        cva6_trapped(core, uop, seq);
}
static inline void port_issued(struct core *core, struct uop *uop, uint64_t seq)
{
    if (core_config(core)->cva6_alu_bypass)
        cva6_issued(core, uop);
}

#define PORT_OPERANDS
static inline uint64_t port_slack(const struct core *core, const struct uop *uop, unsigned reg,
                                  bool is_data, uint64_t slack)
{
    return core_config(core)->cva6_alu_bypass ? cva6_slack(core, uop, reg, slack) : slack;
}
static inline bool port_may_write(struct core *core, const struct uop *uop) { return true; }

#define PORT_UNIT
#define port_may_start cva6_may_start
static inline uint8_t port_cycles(const struct core *core, const struct uop *uop, unsigned class)
{
    return 0;
}
static inline uint64_t port_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                                 uint32_t cycles)
{
    return cva6_ends(core, uop, class);
}

#define PORT_BUFFER
#define port_buffers cva6_csr_takes
#define port_may_buffer cva6_csr_need
#define port_buffered cva6_csr_enter
#define port_goes_on cva6_csr_is_pending
#define port_gives cva6_csr_gives

#define PORT_LATE
static inline bool port_knows_all(const struct core *core)
{
    return (core->model->late_count | core->model->csr_waits) == 0;
}
static inline void port_step(struct core *core)
{
    cva6_late_step(core);
    if (core->model->csr_waits != 0)
        cva6_csr_step(core);
}
static inline uint64_t port_next(const struct core *core) { return cva6_late_next(core->model); }
static inline bool port_is_late(const struct core *core, const struct uop *uop, uint64_t seq)
{
    return seq == core->model->csr_seq || cva6_is_late(core, uop);
}

#define PORT_LOAD
static inline bool port_has_room(struct core *core)
{
    return !core_config(core)->cva6_late_miss || cva6_has_room(core);
}
static inline bool port_takes_load(const struct core *core)
{
    return core_config(core)->cva6_late_miss != 0;
}
#define port_load cva6_load

#define PORT_FORWARD
static inline unsigned port_compared_bytes(const struct core *core)
{
    return core_config(core)->cva6_forward ? 0 : CVA6_STORE_BLOCK;
}
static inline bool port_covers(const struct core *core, const struct store *store,
                               const struct uop *uop)
{
    return core_config(core)->cva6_forward != 0;
}
static inline uint64_t port_forwarded(struct core *core, const struct uop *uop,
                                      const struct store *store, uint64_t ready)
{
    return ready;
}
static inline void port_load_waits(struct core *core, bool is_first) { }

#define PORT_STORE
static inline bool port_store(struct core *core, const struct uop *uop, uint64_t *ready)
{
    *ready += core_config(core)->cva6_store_cycles - 1;
    return true;
}
static inline bool port_store_is_written(const struct core *core) { return false; }

#define PORT_COMMIT
static inline bool port_may_commit(const struct core *core, const struct uop *uop, uint32_t place)
{
    return place == 0 || (uop->flags & UOP_IS_STORE) == 0 || !core_config(core)->cva6_stores_first;
}

#define PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq)
{
    cva6_late_forget(core, uop);
    cva6_csr_forget(core, uop);
}
#define PORT_SQUASHED
static inline void port_squashed(struct core *core, enum squash_reason reason)
{
    cva6_squashed(core);
}

#endif
