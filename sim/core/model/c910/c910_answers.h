/* The C910's answers to the questions of port.h and fetch_port.h. Part of c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_ANSWERS_H
#define SIM_CORE_MODEL_C910_C910_ANSWERS_H

#include "isa/op.h"
#include "sim/core/bpred/bpred.h"

/* True if fetch itself takes the blocks of missing lines as they arrive. */
static inline bool c910_takes_lines(const struct core *core)
{
    return core_config(core)->part_by_block && core_config(core)->fetch_ftq == 0;
}

#define PORT_STATE
#define port_new c910_new
#define port_free c910_free

#define PORT_MAY_FETCH
static inline bool port_is_in_fetch(const struct core *core) { return false; }
static inline bool port_may_fetch(struct core *core)
{
    if (c910_takes_lines(core) && core->model->refill.due <= core->now)
        c910_refill_step(core);
    return core_config(core)->c910_buffer_halfwords == 0 || !c910_freeze_holds(core);
}
static inline bool port_fetches(struct core *core) { return false; }

#define PORT_GROUP
static inline uint64_t port_group(struct core *core, uint64_t pc, uint64_t room)
{
    core->model->front.branches = 0;
    if (core_config(core)->part_write_buffer != 0)
        c910_predict_group(core);
    return room;
}
static inline void port_fetched(struct core *core, uint64_t pc, uint64_t first)
{
    if (core_config(core)->part_write_buffer != 0)
        c910_predict_fetched(core);
    if (c910_takes_lines(core) && core->fetch_seq != first)
        c910_refill_ahead(core);
}

#define PORT_JOIN
static inline bool port_asks_each(const struct core *core) { return false; }
static inline bool port_asks_transfers(const struct core *core)
{
    return core_config(core)->c910_jumps_wait || core_config(core)->c910_branches != 0;
}
static inline bool port_may_join(struct core *core, const struct predecode_slot *slot,
                                 uint32_t before)
{
    return c910_front_may_join(core, slot);
}
#define port_ends_group c910_front_ends_group

#define PORT_PREDICTED
#define port_asks c910_predict_tell
static inline void port_predicted(struct core *core, const struct uop *uop,
                                  const struct prediction *prediction)
{
    if (prediction->wait != 0)
        c910_predict_hold(core, prediction->wait);
}

#define PORT_LINES
#define port_takes_lines c910_takes_lines
#define port_line_is_ready c910_refill_is_ready
static inline void port_forget_lines(struct core *core)
{
    if (c910_takes_lines(core))
        c910_refill_forget(core);
}

#define PORT_LOOP
static inline bool port_has_loops(const struct core *core)
{
    return core_config(core)->c910_loop_bytes != 0;
}
static inline bool port_feeds(const struct core *core)
{
    return port_has_loops(core) && core->model->loop.is_active;
}
static inline bool port_feeds_at(struct core *core, uint64_t pc)
{
    return c910_loop_supplies(&core->model->loop, pc);
}
static inline void port_stops_feeding(struct core *core)
{
    core->model->loop.is_active = false;
}
static inline uint32_t port_loop_width(const struct core *core, uint32_t width)
{
    uint32_t own = core_config(core)->c910_loop_width;
    return own < width ? own : width;
}
/* Most instructions on their way from the loop buffer to decode; the buffer keeps the rest. */
static inline uint64_t port_loop_room(const struct core *core)
{
    return (uint64_t)core_config(core)->c910_loop_width * core_config(core)->fetch_stages;
}
static inline void port_loop_sees(struct core *core, const struct uop *uop)
{
    if (uop->flags & UOP_READS_PC)
        c910_loop_refuse(&core->model->loop, uop->pc);
}
#define port_is_in_loop c910_feed_had
#define port_loop_follows c910_feed_look

#define PORT_REFETCH
static inline uint64_t port_refetch_cycles(const struct core *core)
{
    return core_config(core)->c910_flush_cycles;
}
#define port_again_cycles port_refetch_cycles

#define PORT_HOLDS_FETCH
#define port_holds_fetch c910_front_is_held

#define PORT_SQUASHED
#define port_squashed c910_front_squashed

#endif
