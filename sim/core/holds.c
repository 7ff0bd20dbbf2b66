/* Cycles in which a port takes nothing, or no simple integer operation: results that come late
 * leave by the same way as those of simple operations, which must not end together with them; and
 * an address of code keeps its port for a while. The C910's ports (ct_idu_rf_ctrl.v,
 * ct_idu_is_aiq1_entry.v). A squash does not give a cycle back.
 * Left out: moves between the register files, which keep ports of the other file. */
#include "sim/core/holds.h"

#include "sim/core/stage.h"

static struct held_ports *held_in(struct core *core, uint64_t cycle)
{
    struct held_ports *held = &core->iq.held[cycle % HELD_CYCLES];
    if (held->cycle != cycle)
        *held = (struct held_ports){.cycle = cycle};
    return held;
}

uint32_t holds_ports(const struct core *core, unsigned class)
{
    const struct held_ports *held = &core->iq.held[core->now % HELD_CYCLES];
    if (held->cycle != core->now)
        return 0;
    return class <= CLASS_SHIFT ? held->all | held->simple : held->all;
}

static void hold_after(struct core *core, unsigned port, uint64_t cycle)
{
    for (uint32_t n = 1; n <= core->config->issue_pc_holds; n++)
        held_in(core, cycle + n)->all |= 1u << port;
}

/* It is made in the cycle behind the jump's dispatch, at the first of the ports. */
void holds_return_address(struct core *core)
{
    uint32_t queues = core->iq.class_queues[CLASS_ALU];
    uint32_t ports = core->iq.class_ports[__builtin_ctz(queues)][CLASS_ALU];
    unsigned port = (unsigned)__builtin_ctz(ports);
    if (core->config->issue_pc_holds == 0)
        return;
    held_in(core, core->now + 1)->all |= 1u << port;
    hold_after(core, port, core->now + 1);
}

void holds_result(struct core *core, const struct uop *uop, unsigned port)
{
    const struct config *config = core->config;
    if (uop->insn.op == OP_auipc && config->issue_pc_holds != 0)
        hold_after(core, port, core->now);
    if (uop->latency == LAT_MUL && config->issue_mul_holds != 0)
        held_in(core, core->now + config->issue_mul_holds)->simple |= 1u << port;
    else if (uop->latency == LAT_DIV && config->issue_div_holds != 0 &&
             core->now + config->issue_div_holds < uop->complete_cycle)
        held_in(core, uop->complete_cycle - config->issue_div_holds)->all |= 1u << port;
}
