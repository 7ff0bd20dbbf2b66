/* Rename: who produces each operand, rename buffers, and the undo log.
 *
 * A destination takes one integer or floating-point rename buffer from dispatch to commit. With one
 * file of physical registers it takes a register, and its commit frees the one that its name stood
 * for before: as many are free at each time, so that a file of N registers is counted like N less
 * the architectural ones buffers. Which register it is matters only when registers are shared
 * (rename_share.c). The speculative register file is hart->reg; each instruction keeps the value and
 * the writer it replaced, so that undoing from the youngest back restores any earlier state
 * exactly. */
#include "sim/core/stage.h"

static uint32_t *buffer_pool(struct core *core, unsigned rd)
{
    return rd < REG_F0 ? &core->int_buffers_free : &core->fp_buffers_free;
}

bool rename_has_buffer(const struct core *core, const struct uop *uop)
{
    if (uop->insn.rd == REG_SINK)
        return true;
    if ((uop->insn.rd < REG_F0 ? core->int_buffers_free : core->fp_buffers_free) != 0)
        return true;
    return (core->extras & EXTRA_SHARED) && rename_eliminates(core, uop);
}

/* Joins the operand to its producer's list, or takes the producer's known cycle. */
static void link_operand(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                         unsigned reg)
{
    uint64_t writer = core->last_writer[reg];
    if (reg == 0 || writer < core->commit_seq)
        return;
    struct uop *producer = core_uop(core, writer);
    uop->producer_id[operand] = producer->id;
    if (producer->state == UOP_ISSUED) {
        if (producer->complete_cycle > uop->ready_at)
            uop->ready_at = producer->complete_cycle;
        return;
    }
    rename_link(core, uop, seq, operand, writer);
}

void rename_link(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                 uint64_t producer)
{
    struct uop *from = core_uop(core, producer);
    uop->link_producer[operand] = (uint16_t)(producer & core->ring_mask);
    uop->link_next[operand] = from->dependents;
    from->dependents = (uint16_t)((seq & core->ring_mask) << 2 | operand);
    uop->linked |= (uint8_t)(1u << operand);
    uop->pending++;
}

void rename_uop(struct core *core, struct uop *uop, uint64_t seq)
{
    uop->dependents = NO_LINK;
    uop->linked = 0;
    uop->pending = 0;
    uop->producer_id[0] = uop->producer_id[1] = uop->producer_id[2] = 0;
    link_operand(core, uop, seq, 0, uop->insn.rs1);
    link_operand(core, uop, seq, 1, uop->insn.rs2);
    link_operand(core, uop, seq, 2, uop->insn.rs3);
    unsigned rd = uop->insn.rd;
    if (rd != REG_SINK) {
        if ((core->extras & EXTRA_SHARED) && rd < REG_F0)
            rename_take(core, uop);
        else
            --*buffer_pool(core, rd);
        uop->previous_writer = core->last_writer[rd];
        core->last_writer[rd] = seq;
    }
}

static void unlink_operands(struct core *core, const struct uop *uop)
{
    for (int operand = 2; operand >= 0; operand--)
        if (uop->linked >> operand & 1)
            core->ring[uop->link_producer[operand]].dependents = uop->link_next[operand];
}

/* Called from the youngest instruction back, so that this one heads every list it is in. */
void rename_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    unlink_operands(core, uop);
    if (rd != REG_SINK) {
        core->hart->reg[rd] = uop->old_value;
        core->last_writer[rd] = uop->previous_writer;
        if ((core->extras & EXTRA_SHARED) && rd < REG_F0)
            rename_unshare(core, uop);
        else
            ++*buffer_pool(core, rd);
    }
}

void rename_free(struct core *core, const struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    if (rd == REG_SINK)
        return;
    if ((core->extras & EXTRA_SHARED) && rd < REG_F0)
        rename_share_commit(core, uop);
    else
        ++*buffer_pool(core, rd);
}
