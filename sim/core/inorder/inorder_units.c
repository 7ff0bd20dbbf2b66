/* Units of the in-order back end that are not free in every cycle: dividers, and result ports that
 * integer units share; and how long their operations take. */
#include "sim/core/inorder/inorder_parts.h"

#include "isa/fp.h"
#include "sim/base/cycle.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/pipe/stage.h"

static const struct inorder_wait wait_for_port = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                  EVENT_CPI_INT};
static const struct inorder_wait wait_for_divider = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_DIVIDER,
                                                     EVENT_CPI_DIV};

static const struct inorder_wait wait_for_multiplier = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                        EVENT_CPI_MUL};
static const struct inorder_wait wait_for_branch = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                    EVENT_CPI_INT};

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
    if ((class == INORDER_DIV || (is_fp && settings->inorder_fp_place == 0)) &&
        inorder->divider_free[is_fp] > core->now)
        return inorder_wait(inorder, inorder->divider_free[is_fp], wait_for_divider);
    if (class == INORDER_BRANCH && inorder->branch_free > core->now)
        return inorder_wait(inorder, inorder->branch_free, wait_for_branch);
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

static void keep_multiplier(struct core *core, const struct uop *uop, uint32_t more)
{
    hold_issue(core->inorder, core->now + 1 + more, wait_for_multiplier);
    unit_count_more(core, uop, more);
}

/* With latency.mul_short a wide product is made of several, and the operation stays where it
 * issues until the last of them has begun (C906, aq_iu_mul.v, iu_idu_mult_issue_stall). */
static void hold_for_rounds(struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    if (uop->latency == LAT_MUL && settings->latency_mul > settings->latency_mul_short)
        keep_multiplier(core, uop, settings->latency_mul - settings->latency_mul_short);
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
        if (core_config(core)->inorder_late_branch != 0 && start > core->now)
            inorder->branch_free = start + 1;
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
    if (class == INORDER_MUL && cycles == 0 && core_config(core)->latency_mul_short != 0)
        hold_for_rounds(core, uop);
    return done;
}

static bool fits_word(uint64_t value)
{
    return value >> 32 == 0 || value >> 31 == UINT64_MAX >> 31;
}

/* ---- adders and multipliers of floating point ------------------------------------------------ */

static bool is_double(unsigned op)
{
    switch (op) {
    case OP_fadd_d: case OP_fsub_d: case OP_fmul_d:
    case OP_fmadd_d: case OP_fmsub_d: case OP_fnmadd_d: case OP_fnmsub_d:
        return true;
    default:
        return false;
    }
}

/* Infinite, NaN, or zero if that counts. */
static bool is_special(uint64_t bits, bool as_double, bool zero)
{
    uint64_t value = as_double ? bits : (uint64_t)f32_unbox(bits) << 32;
    uint64_t most = as_double ? UINT64_C(0x7ff) << 53 : UINT64_C(0xff) << 56;
    return (value << 1 & most) == most || (zero && value << 1 == 0);
}

/* A factor or the addend makes the result without multiplication. */
static bool is_special_product(const struct core *core, const struct uop *uop, bool as_double)
{
    const uint64_t *reg = core->hart->reg;
    return is_special(reg[uop->insn.rs1], as_double, true) ||
           is_special(reg[uop->insn.rs2], as_double, true) ||
           (uop->latency == LAT_FMA && is_special(reg[uop->insn.rs3], as_double, false));
}

/* 0: its latency. */
static uint8_t fp_cycles(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    if (uop->latency != LAT_FADD && uop->latency != LAT_FMUL && uop->latency != LAT_FMA)
        return 0;
    bool as_double = is_double(uop->insn.op);
    if (settings->latency_fmul_special != 0 && uop->latency != LAT_FADD &&
        is_special_product(core, uop, as_double))
        return (uint8_t)settings->latency_fmul_special;
    return (uint8_t)(core->latency[uop->latency] + (as_double ? settings->latency_fp_double : 0));
}

/* ---- operands that decide -------------------------------------------------------------------- */

uint8_t inorder_operand_cycles(struct core *core, const struct uop *uop, unsigned class)
{
    const uint64_t *reg = core->hart->reg;
    uint8_t repeated = 0;
    if (class == INORDER_DIV && core_config(core)->latency_div_repeat != 0)
        repeated = inorder_repeated_division(core, uop);
    if (repeated != 0)
        return repeated;
    if (issue_is_iterative(uop->latency) && (core_extras(core) & EXTRA_DIVIDER) != 0)
        return divider_cycles(core, uop);
    if (class == INORDER_FP &&
        (core_config(core)->latency_fp_double | core_config(core)->latency_fmul_special) != 0)
        return fp_cycles(core, uop);
    if (class != INORDER_MUL || core_config(core)->latency_mul_short == 0 ||
        uop->latency != LAT_MUL)
        return 0;
    bool is_short = uop->insn.op == OP_mulw ||
                    (fits_word(reg[uop->insn.rs1]) && fits_word(reg[uop->insn.rs2]));
    return (uint8_t)(is_short ? core_config(core)->latency_mul_short : 0);
}
