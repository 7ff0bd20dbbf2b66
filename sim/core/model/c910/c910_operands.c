/* Operands: names past moves, addends later than factors, and data for which a load had to wait. */
#include "isa/op.h"
#include "sim/base/cycle.h"
#include "sim/core/port.h"

/* The register whose value a register move copies, or the register that is written. */
static unsigned moved_register(const struct insn *insn)
{
    switch (insn->op) {
    case OP_addi: return insn->imm == 0 ? insn->rs1 : insn->rd;
    case OP_add: return insn->rs1 == 0 ? insn->rs2 : insn->rd;
    case OP_fsgnj_d: return insn->rs1 == insn->rs2 ? insn->rs1 : insn->rd;
    default: return insn->rd;
    }
}

/* With c910.move_bypass: an instruction renamed in the cycle of a move, after it, reads the name of
 * the move's source, unless that stands for something else by then. The writer of `reg` is in
 * flight. (C910: ct_idu_ir_rt.v,
 * rt_inst0_mov_bypass_over_inst1.) */
SELDOM unsigned c910_operands_source(const struct core *core, unsigned reg, uint64_t writer)
{
    const struct uop *move = core_uop(core, writer);
    unsigned source = moved_register(&move->insn);
    if (source == move->insn.rd)
        return reg;
    bool is_overwritten = source != 0 && core->last_writer[source] >= core->commit_seq &&
                          core->last_writer[source] > writer;
    return is_overwritten ? reg : source;
}

/* True if this is the addend of a multiply-add, which can arrive later than its factors. */
static bool is_late_addend(const struct core *core, const struct uop *producer,
                           const struct uop *consumer, unsigned operand)
{
    return core_config(core)->c910_fma_addend != 0 && operand == 2 &&
           consumer->latency == LAT_FMA && producer->latency == LAT_FMA;
}

/* Data for which a load had to wait arrive in cycle `ready`. Consumers that wait in a queue other
 * than that of memory operations are told late. One that comes to its queue shortly before is
 * issued as if the load had hit, and receives the data. (openc910, ct_idu_dep_reg_entry.v: wb sets
 * rdy a cycle after; load_data_ready sets it before it is known that the load missed, and only an
 * operation issued in vain takes it back. In register read, a cycle after issue, the data have
 * arrived.) */
SELDOM uint64_t c910_operands_late(const struct core *core, const struct uop *consumer,
                                   uint64_t ready)
{
    if (consumer->state != UOP_WAITING && core->now + core_config(core)->c910_miss_lead >= ready)
        return core->now + 1 < ready ? core->now : earlier(core->now - 1, ready);
    bool is_memory = consumer->access_bytes != 0;
    return ready + (is_memory ? 0 : core_config(core)->c910_miss_wake_cycles);
}

/* The cycle in which the operand can be used. */
SELDOM uint64_t c910_operands_ready(const struct core *core, const struct uop *producer,
                                    const struct uop *consumer, unsigned operand)
{
    uint64_t ready = producer->complete_cycle;
    if (is_late_addend(core, producer, consumer, operand))
        return producer->issue_cycle + core_config(core)->c910_fma_addend;
    bool is_late = producer->kind == KIND_LOAD && ready != NEVER &&
                   ready > producer->issue_cycle + core->latency[LAT_LOAD] + 1;
    return is_late ? c910_operands_late(core, consumer, ready) : ready;
}
