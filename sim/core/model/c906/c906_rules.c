/* The C906's rules of issue, beside operands, units and the group of a cycle.
 *
 *   late_branch, store_data_loads, store_fp_late: operands that may come after issue.
 *   waw_written: the cycle in which a register may be written again.
 *   mul_short: a wide product is made of several; the operation stays where it issues until the
 *       last of them has begun.
 *   fp_double, fmul_special: durations of floating-point operations.
 *   plain_fences, csr_wait, serial_cycles: instructions that act alone.
 * Source: C906, aq_iu_bju.v (bju_depend_lsu), aq_idu_id_ctrl.v (ctrl_dis_dst0_waw,
 * ctrl_dis_src2_raw_except), aq_iu_mul.v (iu_idu_mult_issue_stall), aq_vfmau_ctrl.v,
 * aq_rtu_retire.v. */
#include <stdlib.h>

#include "isa/fp.h"
#include "isa/op.h"
#include "sim/base/cycle.h"
#include "sim/core/cpu.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/pipe/latency.h"
#include "sim/core/inorder/inorder_port.h"

struct model *c906_new(struct core *core)
{
    const struct config *settings = core_config(core);
    core->inorder->plain &=
        ~((settings->c906_mul_short != 0 ? 1u << LAT_MUL : 0u) |
          (settings->c906_late_branch != 0 ? 1u << LAT_INT | 1u << LAT_PC : 0u));
    return calloc(1, sizeof(struct model));
}

void c906_free(struct model *model)
{
    free(model);
}

/* ---- conditions of issue --------------------------------------------------------------------- */

static const struct inorder_wait wait_for_memory = {EVENT_SLOTS_LSQ_FULL, 0, EVENT_CPI_STORE};
static const struct inorder_wait wait_for_branch = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                    EVENT_CPI_INT};

bool c906_may_issue(struct core *core, const struct uop *uop, unsigned class)
{
    const struct model *model = core->model;
    if (core_config(core)->c906_shared_port && !c906_ports_need(core, uop, class))
        return false;
    if (model->memory_free > core->now && (class == INORDER_LOAD || class == INORDER_STORE)) {
        inorder_wait(core->inorder, model->memory_free, wait_for_memory);
        return false;
    }
    return !core_config(core)->c906_fp_place || c906_fp_need(core, uop);
}

uint64_t c906_slack(const struct core *core, const struct uop *uop, unsigned reg, bool is_data,
                    uint64_t slack)
{
    const struct config *settings = core_config(core);
    bool is_load = core->inorder->producer[reg].unit_class == CLASS_LOAD;
    if (reg >= REG_F0 && settings->c906_fp_place)
        return NEVER >> 1;              /* it waits in front of its unit */
    if (is_data && reg >= REG_F0 && settings->c906_store_fp_late != 0)
        return settings->c906_store_fp_late;
    if (is_data)
        return is_load || !settings->c906_store_data_loads ? slack : 0;
    if (uop->kind == KIND_BRANCH && is_load && settings->c906_late_branch != 0)
        return settings->c906_late_branch;
    return slack;
}

/* The cycle from which an instruction may write the destination of `by`. Divisions and
 * floating-point units forward nothing: users of their results wait for the write. */
static uint64_t written(const struct uop *uop, struct inorder_producer by, uint64_t ready)
{
    if (by.unit_class <= CLASS_BRANCH)
        return 0;
    if (by.unit_class != CLASS_LOAD && by.unit_class != CLASS_MUL)
        return ready;
    return by.unit_class == uop->unit_class ? 0 : ready + 1;
}

bool c906_may_write(struct core *core, const struct uop *uop)
{
    struct inorder *inorder = core->inorder;
    unsigned rd = uop->insn.rd;
    if (!core_config(core)->c906_waw_written || rd == REG_SINK ||
        (rd >= REG_F0 && core_config(core)->c906_fp_place))
        return true;
    uint64_t cycle = written(uop, inorder->producer[rd], inorder->ready[rd]);
    if (inorder->ready[rd] + 1 <= core->now || cycle <= core->now)
        return true;
    inorder_wait(inorder, cycle, inorder_wait_for(inorder->producer[rd]));
    return false;
}

bool c906_may_start(struct core *core, const struct uop *uop, unsigned class)
{
    (void)uop;
    if (class != INORDER_BRANCH || core->model->branch_free <= core->now)
        return true;
    inorder_wait(core->inorder, core->model->branch_free, wait_for_branch);
    return false;
}

/* ---- durations ------------------------------------------------------------------------------- */

static bool fits_word(uint64_t value)
{
    return value >> 32 == 0 || value >> 31 == UINT64_MAX >> 31;
}

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

/* True for infinity and NaN, and for zero if that counts. */
static bool is_special_operand(uint64_t bits, bool as_double, bool zero)
{
    uint64_t value = as_double ? bits : (uint64_t)f32_unbox(bits) << 32;
    uint64_t most = as_double ? UINT64_C(0x7ff) << 53 : UINT64_C(0xff) << 56;
    return (value << 1 & most) == most || (zero && value << 1 == 0);
}

/* True if a factor or the addend determines the result without multiplication. */
static bool is_special_product(const struct core *core, const struct uop *uop, bool as_double)
{
    const uint64_t *reg = core->hart->reg;
    return is_special_operand(reg[uop->insn.rs1], as_double, true) ||
           is_special_operand(reg[uop->insn.rs2], as_double, true) ||
           (uop->latency == LAT_FMA && is_special_operand(reg[uop->insn.rs3], as_double, false));
}

static uint8_t early_fp_cycles(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    if ((settings->c906_fp_double | settings->c906_fmul_special) == 0 ||
        (uop->latency != LAT_FADD && uop->latency != LAT_FMUL && uop->latency != LAT_FMA))
        return 0;
    bool as_double = is_double(uop->insn.op);
    if (settings->c906_fmul_special != 0 && uop->latency != LAT_FADD &&
        is_special_product(core, uop, as_double))
        return (uint8_t)settings->c906_fmul_special;
    return (uint8_t)(core->latency[uop->latency] + (as_double ? settings->c906_fp_double : 0));
}

uint8_t c906_cycles(const struct core *core, const struct uop *uop, unsigned class)
{
    const uint64_t *reg = core->hart->reg;
    if (class == INORDER_FP)
        return early_fp_cycles(core, uop);
    if (uop->latency != LAT_MUL || core_config(core)->c906_mul_short == 0)
        return 0;
    bool is_short = uop->insn.op == OP_mulw ||
                    (fits_word(reg[uop->insn.rs1]) && fits_word(reg[uop->insn.rs2]));
    return (uint8_t)(is_short ? core_config(core)->c906_mul_short : 0);
}

static const struct inorder_wait wait_for_multiplier = {EVENT_SLOTS_UNIT_BUSY, EVENT_LOST_PORTS,
                                                        EVENT_CPI_MUL};

static void hold_for_rounds(struct core *core, const struct uop *uop)
{
    uint32_t all = core_config(core)->latency_mul, first = core_config(core)->c906_mul_short;
    if (all <= first)
        return;
    core->inorder->held_until = core->now + 1 + all - first;
    core->inorder->held = wait_for_multiplier;
    unit_count_more(core, uop, all - first);
}

/* The branch occupies its unit until its operands have arrived. */
static void keep_branch_unit(struct core *core, const struct uop *uop)
{
    uint64_t start = uop->complete_cycle - core->latency[uop->latency];
    if (start > core->now)
        core->model->branch_free = start + 1;
}

uint64_t c906_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                   uint32_t cycles)
{
    const struct config *settings = core_config(core);
    if (class == INORDER_MUL && cycles == 0 && settings->c906_mul_short != 0 &&
        uop->latency == LAT_MUL)
        hold_for_rounds(core, uop);
    if (class == INORDER_BRANCH && settings->c906_late_branch != 0)
        keep_branch_unit(core, uop);
    if (settings->c906_fp_place && (uop->flags & UOP_FP) != 0)
        return c906_fp_issue(core, uop, seq, uop->complete_cycle, cycles);
    if (settings->c906_shared_port)
        return c906_ports_issue(core, uop, seq, class, uop->complete_cycle);
    return uop->complete_cycle;
}

void c906_undone(struct core *core, uint64_t seq)
{
    c906_fp_forget(core, seq);
    c906_ports_forget(core, seq);
}

/* ---- instructions that act alone ------------------------------------------------------------- */

void c906_fence(const struct core *core, struct uop *uop)
{
    if (core->cpu->peer_count > 1 || uop->trap != TRAP_NONE)
        return;
    uop->flags &= ~UOP_SERIAL;
    uop->events &= ~EVENT_BIT(SERIALIZED);
    uop->latency = LAT_INT;
}

/* True if everything older committed at least c906.csr_wait ago. */
bool c906_csr_may_act(struct core *core)
{
    const struct uop *last = core_uop(core, core->commit_seq - 1);
    uint64_t done = later(last->complete_cycle, last->issue_cycle + 1);
    uint64_t from = done + core_config(core)->commit_stages + core_config(core)->c906_csr_wait;
    if (from > core->now)
        core->inorder->wake = from;
    return from <= core->now;
}

uint64_t c906_refetch_cycles(const struct core *core)
{
    uint64_t cycles = core_config(core)->c906_serial_cycles;
    return cycles == 0 ? 0 : cycles + (core_uop(core, core->commit_seq - 1)->insn.rd != REG_SINK);
}
