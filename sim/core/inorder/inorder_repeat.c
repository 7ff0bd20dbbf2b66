/* Divisions that repeat the last one (latency.div_repeat): the divider stores its operands and its
 * result; or (part_div_repeats) quotient and remainder, with immediate results for zeros and
 * overflow.
 * Source: biRISC-V, biriscv_divider.v (last_a_q); C906, aq_iu_div.v
 * (div_hit_buffer, div_abnormal_res_vld). */
#include "isa/hart.h"
#include "isa/op.h"
#include "sim/core/inorder/inorder_parts.h"

static bool is_trivial(unsigned division, uint64_t a, uint64_t b)
{
    if (division == OP_divw || division == OP_divuw) {
        a = (uint64_t)(int64_t)(int32_t)a;
        b = (uint64_t)(int64_t)(int32_t)b;
    }
    uint64_t least = division == OP_div ? UINT64_C(1) << 63 : UINT64_MAX << 31;
    return a == 0 || b == 0 ||
           ((division == OP_div || division == OP_divw || division == OP_div_32) && a == least &&
            b == UINT64_MAX);
}

enum div_repeats { REPEATS_INSTRUCTION, REPEATS_OPERANDS };

uint8_t inorder_repeated_division(struct core *core, const struct uop *uop)
{
    struct inorder *inorder = core->inorder;
    uint64_t a = core->hart->reg[uop->insn.rs1], b = core->hart->reg[uop->insn.rs2];
    bool by_operands = core->config->part_div_repeats == REPEATS_OPERANDS;
    unsigned op = by_operands ? insn_division_of(uop->insn.op, hart_xlen(core->hart))
                              : uop->insn.op;
    bool is_same = inorder->divided[0] == a && inorder->divided[1] == b &&
                   inorder->divided_by == op;
    inorder->divided[0] = a;
    inorder->divided[1] = b;
    inorder->divided_by = (uint16_t)op;
    if (by_operands && is_trivial(op, a, b))
        is_same = true;
    return (uint8_t)(is_same ? core_config(core)->latency_div_repeat : 0);
}
