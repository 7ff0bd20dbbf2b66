/* Ports and units at issue: which port is free, and how long an operation keeps its unit. */
#ifndef SIM_CORE_PIPE_UNITS_H
#define SIM_CORE_PIPE_UNITS_H

#include "sim/base/cycle.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage_account.h"

/* The same as units_free_port, while an iterative unit is kept. */
APART uint32_t units_port_of_free(const struct core *core, uint32_t ports, unsigned class)
{
    for (; ports != 0; ports &= ports - 1)
        if (core->iq.port_busy_until[__builtin_ctz(ports)][class] <= core->now)
            return ports & -ports;
    return 0;
}

/* The first of the ports with a free unit, as a bit mask; 0: none. Where an operation keeps its
 * port, the caller leaves out ports with a kept unit. */
static inline uint32_t units_free_port(const struct core *core, uint32_t ports, unsigned class)
{
    if (core_config(core)->issue_iterative_blocks_port != 0 ||
        core->iq.units_busy_until <= core->now)
        return ports & -ports;
    return units_port_of_free(core, ports, class);
}

/* The latest cycle until which a unit is kept: only divisions and roots keep theirs. */
APART uint64_t units_latest(const struct core *core)
{
    uint64_t latest = 0;
    for (uint32_t ports = core->iq.ports; ports != 0; ports &= ports - 1) {
        const uint64_t *until = core->iq.port_busy_until[__builtin_ctz(ports)];
        latest = later(latest, later(until[CLASS_DIV], until[CLASS_FDIV]));
    }
    return latest;
}

/* An iterative unit keeps its operation and, where the settings say so, its port. */
static inline void units_keep(struct core *core, const struct uop *uop, unsigned port,
                              uint64_t until)
{
    unsigned class = uop->unit_class;
    unit_count_kept(core, uop, port, until);
    if (core_config(core)->issue_iterative_blocks_port == 0) {
        bool was_kept = core->iq.units_busy_until == NEVER;
        core->iq.port_busy_until[port][class] = until;
        core->iq.units_busy_until = was_kept ? units_latest(core)
                                             : later(core->iq.units_busy_until, until);
        return;
    }
    core->iq.blocked_ports |= 1u << port;
    for (unsigned other = 0; other < CLASS_COUNT; other++)
        core->iq.port_busy_until[port][other] = until;
}

static inline uint64_t units_free_again(const struct core *core, const struct uop *uop)
{
    uint64_t overlap = uop->latency == LAT_DIV ? core_config(core)->latency_div_overlap
                                               : core->config->part_fdiv_overlap;
    return later(uop->complete_cycle - overlap, core->now + 1);
}

/* Issues the operation; returns the cycle in which its unit has the result, after `cycles`
 * cycles. */
static inline uint64_t units_pass(struct core *core, struct uop *uop, unsigned port,
                                  uint32_t cycles)
{
    const uint64_t now = core->now, done = now + cycles;
    uop->issue_cycle = now;
    uop->complete_cycle = done;
    unit_count_port(core, uop, port);
    return done;
}

/* The same; an iterative operation keeps its unit for these cycles. */
IN_BOTH uint64_t units_occupy(struct core *core, struct uop *uop, unsigned port,
                              const uint64_t extras)
{
    uint32_t cycles = core->latency[uop->latency];
    if ((extras & EXTRA_DIVIDER) && issue_is_iterative(uop))
        cycles = uop->iterations;
    uint64_t done = units_pass(core, uop, port, cycles);
    if (issue_is_iterative(uop))
        units_keep(core, uop, port, units_free_again(core, uop));
    if (extras & EXTRA_MODEL)
        port_result(core, uop, port);
    return done;
}

#endif
