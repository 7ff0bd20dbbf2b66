/* CSR instructions and fences in a buffer of one (cva6.csr_buffer). They issue like an operation of
 * one cycle, first in their cycle and with nothing beside them, and act when they are the oldest
 * instruction, a cycle before they commit. Meanwhile loads, stores and operations of an integer
 * unit with a write port of its own issue after them; the other units with integer results wait for
 * their commit. They use the operand read at issue; their result can be used a cycle after they
 * commit.
 *
 * A fence waits for the stores that have committed. The instructions after it are fetched again, as
 * after a write to a register that changes how instructions execute.
 * Left out: privileged instructions and atomics act alone, as without the buffer.
 * Source: CVA6, csr_buffer.sv, issue_read_operands.sv, commit_stage.sv, csr_regfile.sv (flush_o),
 * controller.sv. */
#include "isa/csr.h"
#include "sim/base/cycle.h"
#include "sim/core/cpu.h"
#include "sim/core/inorder/inorder_parts.h"
#include "sim/core/inorder/inorder_port.h"
#include "sim/core/pipe/execute.h"

static const struct inorder_wait wait_for_turn = {EVENT_SLOTS_SERIAL, 0, EVENT_CPI_SERIAL};

bool cva6_csr_takes(const struct core *core, const struct uop *uop)
{
    return core_config(core)->cva6_csr_buffer != 0 && uop->trap == TRAP_NONE &&
           (uop->kind == KIND_CSR || uop->kind == KIND_FENCE || uop->kind == KIND_FENCE_I);
}

static bool csr_waits(struct core *core, uint64_t cycle, struct inorder_wait cause)
{
    inorder_wait(core->inorder, cycle, cause);
    return false;
}

bool cva6_csr_need(struct core *core, const struct uop *uop, uint64_t seq)
{
    const struct inorder *inorder = core->inorder;
    unsigned source = uop->insn.rs1;
    if (inorder->group.allowed != UINT8_MAX)
        return csr_waits(core, core->now + 1, wait_for_turn);
    if (seq >= inorder->group.full_seq)
        return csr_waits(core, NEVER, wait_for_turn);
    if (inorder->ready[source] > core->now)
        return csr_waits(core, inorder->ready[source],
                          inorder_wait_for(inorder->producer[source]));
    return cva6_may_start(core, uop, INORDER_BRANCH);
}

void cva6_csr_enter(struct core *core, struct uop *uop, uint64_t seq)
{
    struct inorder *inorder = core->inorder;
    struct model *model = core->model;
    cva6_take_port(core, inorder_start(core, uop, INORDER_BRANCH) + 1);
    uop->value = core->hart->reg[uop->insn.rs1];
    uop->old_value = core->hart->reg[uop->insn.rd];
    uop->complete_cycle = NEVER;
    model->csr_seq = seq;
    model->csr_waits = 1;
    inorder->group.allowed = 0;
}

/* True for a fence, and for a write to fflags or to a register that changes the execution of
 * instructions already issued. */
static bool refetches_after(const struct uop *uop)
{
    enum { CSR_WRITE = 1 };
    unsigned action = uop->insn.bits >> 12 & 3, field = uop->insn.bits >> 15 & 31;
    if (uop->kind != KIND_CSR)
        return true;
    if (action != CSR_WRITE && field == 0)
        return false;
    switch ((unsigned)uop->insn.imm & 0xfff) {
    case CSR_fflags: case CSR_frm: case CSR_fcsr:
    case CSR_sstatus: case CSR_mstatus: case CSR_satp:
        return true;
    default:
        return false;
    }
}

/* The first instruction in flight after `seq` that writes the register. */
static struct uop *next_writer(const struct core *core, uint64_t seq, unsigned rd)
{
    while (core_uop(core, ++seq)->insn.rd != rd)
        continue;
    return core_uop(core, seq);
}

/* Acts with the operand read at issue. Registers written by younger instructions keep their
 * values. */
static void act(struct core *core, struct uop *uop, uint64_t seq)
{
    struct inorder *inorder = core->inorder;
    uint64_t *reg = core->hart->reg, old_value = uop->old_value;
    unsigned rs1 = uop->insn.rs1, rd = uop->insn.rd;
    uint64_t source = reg[rs1], result = reg[rd];
    reg[rs1] = uop->value;
    execute_serial(core, uop);
    reg[rs1] = source;
    reg[rd] = result;
    uop->old_value = old_value;
    uop->complete_cycle = cycles_before(core->now + 1, core_config(core)->commit_stages);
    if (refetches_after(uop))
        uop->flags |= UOP_FLUSH_AFTER;
    if (uop->trap != TRAP_NONE || rd == REG_SINK)
        return;
    if (core->last_writer[rd] == seq) {
        reg[rd] = uop->value;
        inorder->ready[rd] = core->now + 2;
    } else {
        next_writer(core, seq, rd)->old_value = uop->value;
    }
}

static bool has_stores(const struct core *core)
{
    return core->sq.head != core->sq.commit || memsys_written(core->mem) > core->now;
}

void cva6_csr_step(struct core *core)
{
    struct model *model = core->model;
    struct uop *uop = core_uop(core, model->csr_seq);
    if (model->csr_seq != core->commit_seq || uop->dispatch_cycle == core->now ||
        cpu_is_interrupted(core->cpu))
        return;
    core->active = true;                        /* it acts, or asks again in the next cycle */
    if (core->recover_until > core->now + 1 || (uop->kind != KIND_CSR && has_stores(core)))
        return;
    uop->issue_cycle = core->now;
    act(core, uop, model->csr_seq);
    model->csr_waits = 0;
    core->serial_in_flight = true;
}

void cva6_csr_forget(struct core *core, const struct uop *uop)
{
    struct model *model = core->model;
    if (!cva6_csr_is_pending(core) || core_uop(core, model->csr_seq) != uop)
        return;
    model->csr_seq = 0;
    model->csr_waits = 0;
}
