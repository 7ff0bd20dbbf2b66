/* Units of the in-order back end that are not free in every cycle: dividers, and result ports that
 * integer units share; and how long their operations take. */
#include "sim/core/inorder/inorder_parts.h"

#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage.h"

static const struct inorder_wait wait_for_port = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                  EVENT_CPI_INT};
static const struct inorder_wait wait_for_divider = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_DIVIDER,
                                                     EVENT_CPI_DIV};

static const struct inorder_wait wait_for_csr = {EVENT_SLOTS_SERIAL, 0, EVENT_CPI_SERIAL};

static bool writes_integer(unsigned class)
{
    return class == INORDER_INT || class == INORDER_MUL || class == INORDER_DIV ||
           class == INORDER_BRANCH;
}

/* The units of integer results share write ports: a longer operation takes the port of a later
 * cycle beforehand. */
static uint32_t *write_slot(struct inorder *inorder, uint64_t cycle)
{
    unsigned slot = (unsigned)(cycle % INORDER_WRITE_SLOTS);
    if (inorder->writes[slot].cycle != cycle) {
        inorder->writes[slot].cycle = cycle;
        inorder->writes[slot].count = 0;
    }
    return &inorder->writes[slot].count;
}

/* ---- of one operation ------------------------------------------------------------------------ */

enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class)
{
    struct inorder *inorder = core->inorder;
    const struct config *settings = core_config(core);
    bool is_fp = uop->latency == LAT_FDIV || uop->latency == LAT_FSQRT;
    if ((class == INORDER_DIV || is_fp) && inorder->divider_free[is_fp] > core->now)
        return inorder_wait(inorder, inorder->divider_free[is_fp], wait_for_divider);
    if (!writes_integer(class))
        return INORDER_GO;
    bool has_own_port = class == INORDER_INT &&
                        inorder->group.used[class] + 1u < settings->inorder_write_ports;
    if (csr_is_pending(core) && !has_own_port)
        return inorder_wait(inorder, NEVER, wait_for_csr);
    if (settings->inorder_divide_holds == DIVIDE_HOLDS_INTEGER &&
        inorder->divider_free[0] > core->now && !has_own_port)
        return inorder_wait(inorder, inorder->divider_free[0], wait_for_divider);
    if (settings->inorder_write_ports != 0 && class != INORDER_DIV &&
        *write_slot(inorder, core->now + core->latency[uop->latency]) >=
            settings->inorder_write_ports)
        return inorder_wait(inorder, core->now + 1, wait_for_port);
    return INORDER_GO;
}

/* What it shares with other units, it gives back in the cycle after that of its result. */
static uint64_t divider_is_free(const struct config *config, uint64_t done)
{
    return done - config->latency_div_overlap +
           (config->inorder_divide_holds == DIVIDE_HOLDS_INTEGER);
}

static void hold_issue(struct inorder *inorder, uint64_t until, struct inorder_wait wait)
{
    inorder->held_until = until;
    inorder->held = wait;
}

uint64_t inorder_occupy(struct core *core, const struct uop *uop, unsigned class, uint32_t cycles)
{
    struct inorder *inorder = core->inorder;
    uint64_t start = core->now, done;
    if ((core_config(core)->inorder_late_alu != 0 && inorder_is_late_capable(uop)) ||
        class == INORDER_BRANCH) {
        const unsigned source[2] = {uop->insn.rs1, uop->insn.rs2};
        for (unsigned i = 0; i < 2; i++)
            if (inorder->ready[source[i]] > start)
                start = inorder->ready[source[i]];
    }
    done = start + (cycles != 0 ? cycles : core->latency[uop->latency]);
    if (class == INORDER_DIV || uop->latency == LAT_FDIV || uop->latency == LAT_FSQRT) {
        uint64_t free = class == INORDER_DIV ? divider_is_free(core->config, done) : done;
        inorder->divider_free[class != INORDER_DIV] = free;
        unit_count_more(core, uop, later(free, core->now + 1) - core->now - 1);
        if (class == INORDER_DIV && core_config(core)->inorder_divide_holds == DIVIDE_HOLDS_ISSUE)
            hold_issue(inorder, done, wait_for_divider);
    } else if (core_config(core)->inorder_write_ports != 0 && writes_integer(class)) {
        ++*write_slot(inorder, done);
    }
    return done;
}

/* ---- operands that decide -------------------------------------------------------------------- */

uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class)
{
    uint8_t repeated = 0;
    if (class == INORDER_DIV && core_config(core)->latency_div_repeat != 0)
        repeated = inorder_repeated_division(core, uop);
    if (repeated != 0)
        return repeated;
    if (issue_is_iterative(uop->latency) && (core_extras(core) & EXTRA_DIVIDER) != 0)
        return divider_cycles(core, uop);
    return port_cycles(core, uop, class);
}
