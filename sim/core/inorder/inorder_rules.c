/* What some in-order cores ask beside operands, units and the group of a cycle.
 *
 *   latency.div_repeat: the divider keeps its last operands and the result; or
 *       (latency.div_repeats) quotient and remainder, and knows results of zeros and of overflow
 *       beforehand.
 * Source: biRISC-V, biriscv_divider.v (last_a_q); C906, aq_iu_div.v
 * (div_hit_buffer, div_abnormal_res_vld). */
#include "sim/base/cycle.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/pipe/stage.h"

bool inorder_has_rules(const struct config *config)
{
    return config->inorder_plain_fences != 0 ||
           (config->inorder_fp_place | config->inorder_shared_port) != 0 ||
           (config->inorder_store_again | config->lsq_drain_pending) != 0 ||
           (config->latency_fp_double | config->latency_fmul_special) != 0;
}

static const struct inorder_wait wait_for_memory = {EVENT_SLOTS_LSQ_FULL, 0, EVENT_CPI_STORE};

enum inorder_result inorder_need_rules(struct core *core, const struct uop *uop, unsigned class)
{
    struct inorder *inorder = core->inorder;
    if (core_config(core)->inorder_shared_port != 0 &&
        inorder_ports_need(core, uop, class) != INORDER_GO)
        return INORDER_WAIT;
    if (inorder->memory_free > core->now && (class == INORDER_LOAD || class == INORDER_STORE))
        return inorder_wait(inorder, inorder->memory_free, wait_for_memory);
    return core_config(core)->inorder_fp_place != 0 ? inorder_fp_need(core, uop) : INORDER_GO;
}

bool inorder_has_waited(struct core *core)
{
    const struct uop *last = core_uop(core, core->commit_seq - 1);
    uint64_t done = later(last->complete_cycle, last->issue_cycle + 1);
    uint64_t from = done + core_config(core)->commit_stages + core_config(core)->inorder_csr_wait;
    if (from > core->now)
        core->inorder->wake = from;
    return from <= core->now;
}

void inorder_fence(const struct core *core, struct uop *uop)
{
    if (core_config(core)->inorder_plain_fences == 0 || core->cpu->peer_count > 1 ||
        uop->trap != TRAP_NONE)
        return;
    uop->flags &= ~UOP_SERIAL;
    uop->events &= ~EVENT_BIT(SERIALIZED);
    uop->latency = LAT_INT;
}

uint64_t inorder_ends(struct core *core, struct uop *uop, uint64_t seq, unsigned class,
                      uint32_t cycles)
{
    if (core_config(core)->inorder_fp_place != 0 && (uop->flags & UOP_FP) != 0)
        return inorder_fp_issue(core, uop, seq, uop->complete_cycle, cycles);
    if (core_config(core)->inorder_shared_port != 0)
        return inorder_ports_issue(core, uop, seq, class, uop->complete_cycle);
    return uop->complete_cycle;
}

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
    bool by_operands = core_config(core)->latency_div_repeats == REPEATS_OPERANDS;
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
