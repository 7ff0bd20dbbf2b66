/* Operands: registers read past a move, addends that arrive later than factors, and data for which
 * a load had to wait. */
#include "isa/op.h"
#include "sim/base/cycle.h"
#include "sim/core/port.h"

/* The register whose value a move copies; for other instructions, the register that they write. */
static unsigned moved_register(const struct insn *insn)
{
    switch (insn->op) {
    case OP_addi: return insn->imm == 0 ? insn->rs1 : insn->rd;
    case OP_add: return insn->rs1 == 0 ? insn->rs2 : insn->rd;
    case OP_fsgnj_d: return insn->rs1 == insn->rs2 ? insn->rs1 : insn->rd;
    default: return insn->rd;
    }
}

/* With c910.move_bypass, an instruction renamed in the same cycle as an older move reads the move's
 * source, unless that register has been renamed again by then. The writer of `reg` is in flight.
 * (C910: ct_idu_ir_rt.v, rt_inst0_mov_bypass_over_inst1.) */
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

/* True if the operand is the addend of a multiply-add, which can arrive later than its factors. */
static bool is_late_addend(const struct core *core, const struct uop *producer,
                           const struct uop *consumer, unsigned operand)
{
    return core_config(core)->c910_fma_addend != 0 && operand == 2 &&
           consumer->latency == LAT_FMA && producer->latency == LAT_FMA;
}

/* Data for which a load had to wait arrive in cycle `ready`. Consumers in a queue other than that
 * of memory operations are woken later. A consumer that enters its queue shortly before `ready` is
 * issued as if the load had hit, and receives the data. (openc910, ct_idu_dep_reg_entry.v: wb sets
 * rdy a cycle later; load_data_ready sets rdy before the miss is known, and only an operation
 * issued in vain clears it. The data have arrived when the operation reads its registers, a cycle
 * after its issue.) */
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
