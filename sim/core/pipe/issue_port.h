/* The questions of rename, wake-up and issue to the model; see port.h. */
#ifndef SIM_CORE_PIPE_ISSUE_PORT_H
#define SIM_CORE_PIPE_ISSUE_PORT_H

#include "sim/core/port.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* 13. Operand. port_links: the operand comes from the instruction at `writer`; true if the model
 * knows its cycle, so that the pipe need not wait for it. port_wakes: the producer wakes the
 * operand with a value for cycle `ready`; false if the operand goes on waiting. */
#ifndef PORT_LINK
static inline bool port_links(struct core *core, struct uop *uop, unsigned operand,
                              uint64_t writer)
{
    return false;
}
static inline bool port_wakes(struct core *core, const struct uop *producer, struct uop *consumer,
                              unsigned operand, uint64_t *ready)
{
    return true;
}
#endif

/* True if every consumer of this producer can use the result in the cycle of the result, so that
 * neither port_wakes nor port_operand_ready need be asked. */
#ifndef PORT_WAKES_PLAINLY
static inline bool port_wakes_plainly(const struct core *core, const struct uop *producer)
{
    return false;
}
#endif

/* port_source: the register that is read where the instruction names `reg`. port_operand_ready: the
 * cycle in which the consumer can use the producer's result; used with EXTRA_MODEL.
 * port_value_ready: the same for a value that arrives after its load has committed. */
#ifndef PORT_OPERAND
static inline unsigned port_source(const struct core *core, const struct uop *uop, unsigned reg)
{
    return reg;
}
static inline uint64_t port_operand_ready(const struct core *core, const struct uop *producer,
                                          const struct uop *consumer, unsigned operand)
{
    return producer->complete_cycle;
}
static inline uint64_t port_value_ready(const struct core *core, const struct uop *consumer,
                                        uint64_t ready)
{
    return ready;
}
#endif

/* 14. Issue. port_reissues: operations are issued by the model, which checks whether their operands
 * have arrived, and issues them again. port_issue_step: called before the queues issue; true if
 * they issue nothing in this cycle. port_issue: the operation got a port. port_place_until: the
 * operation keeps its place in the queue at least until this cycle. */
#ifndef PORT_REISSUE
static inline bool port_reissues(const struct core *core) { return false; }
static inline bool port_issue_step(struct core *core) { return false; }
static inline bool port_issue(struct core *core, struct uop *uop, uint32_t index, int port)
{
    return false;
}
#endif
#ifndef PORT_PLACE
static inline uint64_t port_place_until(const struct core *core, const struct uop *uop)
{
    return core->now;
}
#endif

/* port_kept_ports: bit mask of the ports that take no operation of the class in this cycle.
 * port_result: an operation goes to the port, and its complete_cycle is known. Both with
 * EXTRA_MODEL. */
#ifndef PORT_PORTS
static inline uint32_t port_kept_ports(const struct core *core, unsigned class) { return 0; }
static inline void port_result(struct core *core, const struct uop *uop, unsigned port) { }
#endif

#pragma GCC diagnostic pop

#endif
