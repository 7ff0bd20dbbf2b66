/* The C910's answers to the questions of back_port.h about dispatch, operands and ports. Part of
 * c910.h. */
#ifndef SIM_CORE_MODEL_C910_C910_DISPATCH_H
#define SIM_CORE_MODEL_C910_C910_DISPATCH_H

#include "isa/op.h"
#include "pmu/event.h"

#define PORT_GROUPS
#define port_takes_group c910_balance_has_room

#define PORT_DECODED
static inline void port_decoded(struct core *core, uint64_t first)
{
    struct c910_row row = c910_balance_begin_row(core, first);
    for (uint64_t seq = first; seq != core->decode_seq; seq++) {
        struct uop *uop = core_uop(core, seq);
        c910_balance_decoded(core, uop, seq, &row);
        c910_freeze_decoded(core, uop, seq);
    }
}

#define PORT_DISPATCH
static inline bool port_is_whole(const struct core *core) { return false; }
static inline uint32_t port_width(struct core *core, uint32_t width, unsigned *cause)
{
    bool asks = core_config(core)->c910_groups != 0 && core_has_come(core);
    return asks ? c910_balance_group(core, cause) : width;
}
static inline bool port_found_room(const struct core *core) { return false; }
static inline void port_dispatched(struct core *core) { }

#define PORT_DISPATCH_STEP
static inline void port_dispatch_begins(struct core *core)
{
    if (c910_deals(core))
        c910_balance_watch(core);
}
static inline void port_dispatch_ends(struct core *core, bool is_idle, unsigned cause)
{
    if (c910_deals(core))
        c910_balance_hold(core, is_idle && cause != EVENT_SLOTS_RENAME_FULL &&
                                    core_has_come(core));
}
static inline bool port_is_settled(const struct core *core)
{
    return !c910_deals(core) || c910_balance_is_settled(core);
}

#define PORT_QUEUE
static inline unsigned port_queue(const struct core *core, const struct uop *uop, unsigned queue)
{
    return c910_deals(core) ? c910_balance_queue(core, uop) : queue;
}
static inline bool c910_makes_address(const struct core *core, const struct uop *uop)
{
    return c910_keeps_ports(core) && (uop->flags & UOP_LINKS);
}
static inline bool port_has_place(const struct core *core, const struct uop *uop)
{
    return !c910_makes_address(core, uop) || c910_holds_address_room(core, uop);
}
static inline void port_entered(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (c910_makes_address(core, uop))
        c910_holds_return_address(core, seq);
}
static inline void port_count_places(const struct core *core, uint32_t used[])
{
    uint32_t addresses = core->model->queues.address_count;
    if (addresses != 0)
        used[__builtin_ctz(core_shape(core)->class_queues[CLASS_ALU])] += addresses;
}

#define PORT_FOLD
enum { C910_FOLDS_SIMPLE, C910_FOLDS_COMPUTING };       /* of c910.folds */
static inline bool port_folds(const struct core *core, const struct uop *uop)
{
    if (core_config(core)->c910_folds == C910_FOLDS_SIMPLE)
        return uop->kind == KIND_ALU && uop->unit_class <= CLASS_SHIFT;
    return (uop->flags & (UOP_SPECIAL | UOP_READS_PC)) == 0 ||
           (uop->kind == KIND_FP && !c910_balance_is_split(uop));
}

#define PORT_SERIAL
static inline uint64_t port_alone_cycles(const struct core *core)
{
    return core_config(core)->c910_serial_wait;
}
static inline uint64_t port_fence_cycles(const struct core *core)
{
    uint32_t own = core_config(core)->c910_fence;
    return own != 0 ? own : core->latency[LAT_CSR];
}

#define PORT_OPERAND
static inline unsigned port_source(const struct core *core, const struct uop *uop, unsigned reg)
{
    uint64_t writer = core->last_writer[reg];
    bool is_beside = writer >= core->commit_seq &&
                     core_uop(core, writer)->decode_cycle == uop->decode_cycle;
    return core_config(core)->c910_move_bypass && is_beside &&
                   c910_may_move(&core_uop(core, writer)->insn)
               ? c910_operands_source(core, reg, writer) : reg;
}
static inline uint64_t port_operand_ready(const struct core *core, const struct uop *producer,
                                          const struct uop *consumer, unsigned operand)
{
    const struct config *settings = core_config(core);
    bool may_differ = (settings->c910_fma_addend | settings->c910_miss_wake_cycles |
                       settings->c910_miss_lead) != 0;
    bool differs = may_differ && (producer->kind == KIND_LOAD || producer->latency == LAT_FMA);
    return differs ? c910_operands_ready(core, producer, consumer, operand)
                   : producer->complete_cycle;
}
#define port_value_ready c910_operands_late

#define PORT_PORTS
static inline uint32_t port_kept_ports(const struct core *core, unsigned class)
{
    return c910_keeps_ports(core) ? c910_holds_ports(core, class) : 0;
}
static inline void port_result(struct core *core, const struct uop *uop, unsigned port)
{
    bool may_hold = uop->latency != LAT_INT || (uop->flags & UOP_READS_PC);
    if (c910_keeps_ports(core) && may_hold)
        c910_holds_result(core, uop, port);
}

#define PORT_REISSUE
static inline bool port_reissues(const struct core *core) { return false; }
static inline bool port_issue_step(struct core *core)
{
    if (core->model->queues.address_count != 0)
        c910_holds_issue_address(core);
    return false;
}
static inline bool port_issue(struct core *core, struct uop *uop, uint32_t index, int port)
{
    return false;
}

#define PORT_UNDONE
static inline void port_undone(struct core *core, const struct uop *uop, uint64_t seq)
{
    if (c910_keeps_ports(core) && (uop->flags & UOP_CONTROL))
        c910_holds_undo_address(core, seq);
}

#endif
