/* Operands: names past moves, addends that come later than factors, and data that a load had to
 * wait for. */
#include "isa/op.h"
#include "sim/base/cycle.h"
#include "sim/core/port.h"

/* The register whose value a register move has to give, or the one that is written. */
static unsigned moved_register(const struct insn *insn)
{
    switch (insn->op) {
    case OP_addi: return insn->imm == 0 ? insn->rs1 : insn->rd;
    case OP_add: return insn->rs1 == 0 ? insn->rs2 : insn->rd;
    case OP_fsgnj_d: return insn->rs1 == insn->rs2 ? insn->rs1 : insn->rd;
    default: return insn->rd;
    }
}

/* With c910.move_bypass: what is renamed in the cycle of a move, after it, gets the name of its
 * source, unless that stands for something else by then. (C910: ct_idu_ir_rt.v,
 * rt_inst0_mov_bypass_over_inst1.) */
unsigned c910_operands_source(const struct core *core, const struct uop *uop, unsigned reg)
{
    uint64_t writer = core->last_writer[reg];
    if (writer < core->commit_seq)
        return reg;
    const struct uop *move = core_uop(core, writer);
    unsigned source = moved_register(&move->insn);
    if (move->decode_cycle != uop->decode_cycle || source == move->insn.rd)
        return reg;
    bool is_overwritten = source != 0 && core->last_writer[source] >= core->commit_seq &&
                          core->last_writer[source] > writer;
    return is_overwritten ? reg : source;
}

/* The addend of a multiply-add can come later than its factors. */
static bool is_late_addend(const struct core *core, const struct uop *producer,
                           const struct uop *consumer, unsigned operand)
{
    return core_config(core)->c910_fma_addend != 0 && operand == 2 &&
           consumer->latency == LAT_FMA && producer->latency == LAT_FMA;
}

/* Data that a load had to wait for come in cycle `ready`. Whatever waits in a queue but that of
 * memory operations hears of it late; what comes to its queue when they are nearly there is issued
 * as if the load had hit, and meets them. (openc910, ct_idu_dep_reg_entry.v: wb sets rdy a cycle
 * after; load_data_ready sets it before it is known that the load missed, and only an operation
 * issued in vain takes it back. In register read, a cycle after issue, the data are there.) */
uint64_t c910_operands_late(const struct core *core, const struct uop *consumer, uint64_t ready)
{
    if (consumer->state != UOP_WAITING && core->now + core_config(core)->c910_miss_lead >= ready)
        return core->now + 1 < ready ? core->now : earlier(core->now - 1, ready);
    bool is_memory = consumer->access_bytes != 0;
    return ready + (is_memory ? 0 : core_config(core)->c910_miss_wake_cycles);
}

/* When the operand can be used. */
uint64_t c910_operands_ready(const struct core *core, const struct uop *producer,
                       const struct uop *consumer, unsigned operand)
{
    uint64_t ready = producer->complete_cycle;
    if (is_late_addend(core, producer, consumer, operand))
        return producer->issue_cycle + core_config(core)->c910_fma_addend;
    bool is_late = producer->kind == KIND_LOAD && ready != NEVER &&
                   ready > producer->issue_cycle + core->latency[LAT_LOAD] + 1;
    return is_late ? c910_operands_late(core, consumer, ready) : ready;
}
