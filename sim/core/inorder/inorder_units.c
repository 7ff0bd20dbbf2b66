/* Units of the in-order back end that are not free in every cycle (dividers, and result ports that
 * integer units share), and the duration of their operations. */
#include "sim/core/inorder/inorder_parts.h"

#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/stage_back.h"

/* ---- of one operation ------------------------------------------------------------------------ */

enum inorder_result inorder_need_unit(struct core *core, const struct uop *uop, unsigned class)
{
    struct inorder *inorder = core->inorder;
    bool is_fp = uop->latency == LAT_FDIV || uop->latency == LAT_FSQRT;
    if ((class == INORDER_DIV || is_fp) && inorder->divider_free[is_fp] > core->now)
        return inorder_wait(inorder, inorder->divider_free[is_fp], inorder_wait_divider);
    return INORDER_GO;
}

static void hold_issue(struct inorder *inorder, uint64_t until, struct inorder_wait wait)
{
    inorder->held_until = until;
    inorder->held = wait;
}

void inorder_take_divider(struct core *core, const struct uop *uop, unsigned class, uint64_t done)
{
    struct inorder *inorder = core->inorder;
    uint64_t free = class == INORDER_DIV ? done - core_config(core)->latency_div_overlap : done;
    inorder->divider_free[class != INORDER_DIV] = free;
    unit_count_more(core, uop, later(free, core->now + 1) - core->now - 1);
    if (class == INORDER_DIV && core_config(core)->inorder_divide_holds == DIVIDE_HOLDS_ISSUE)
        hold_issue(inorder, done, inorder_wait_divider);
}

/* ---- operands that decide -------------------------------------------------------------------- */

uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class)
{
    uint8_t repeated = 0;
    if (class == INORDER_DIV && core_config(core)->latency_div_repeat != 0)
        repeated = inorder_repeated_division(core, uop);
    if (repeated != 0)
        return repeated;
    if (inorder_is_iterative(uop, class) && (core_extras(core) & EXTRA_DIVIDER) != 0)
        return divider_cycles(core, uop);
    return port_cycles(core, uop, class);
}
