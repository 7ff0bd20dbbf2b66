/* Rename: the producers of operands, rename buffers, and the undo log.
 *
 * A destination takes one integer or floating-point rename buffer from dispatch to commit. With one
 * file of physical registers it takes a register, and its commit frees the register that its name
 * stood for before. The number of free registers is therefore the same as that of free buffers, if
 * a file of N registers counts as N less the architectural ones. Which register it is matters only
 * when registers are shared (rename_share.c).
 *
 * The speculative register file is hart->reg; each instruction keeps the value and the writer it
 * replaced, so that undoing from the youngest back restores any earlier state exactly. */
#include "isa/hart.h"
#include "sim/core/pipe/rename.h"

void rename_link(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                 uint64_t producer)
{
    rename_join_list(core, uop, seq, operand, producer);
}

/* Used by traces; core_set_observer forgets older producers. */
void rename_name_producer(const struct core *core, struct uop *uop, unsigned operand,
                          uint64_t writer)
{
    uop->producer_back[operand] = (uint32_t)(uop->id - core_uop(core, writer)->id);
}

/* The expected cycle of the result: a load that missed counts as a hit until its data should have
 * arrived. */
uint64_t rename_expected(const struct core *core, const struct uop *producer)
{
    uint64_t hit = producer->issue_cycle + core->latency[LAT_LOAD];
    if (producer->kind != KIND_LOAD || producer->complete_cycle <= hit || core->now >= hit)
        return producer->complete_cycle;
    return hit;
}

/* The same as rename_link for a consumer that is not the youngest instruction: the list stays in
 * order, the youngest first. */
void rename_link_sorted(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                        uint64_t producer)
{
    uint16_t *link = &core_uop(core, producer)->dependents;
    uint64_t age = (seq - producer) & core_ring_mask(core);
    while (*link != NO_LINK && (((*link >> 2) - producer) & core_ring_mask(core)) > age)
        link = &core_at(core, *link >> 2)->link_next[*link & 3];
    uop->link_producer[operand] = (uint16_t)(producer & core_ring_mask(core));
    uop->link_next[operand] = *link;
    *link = (uint16_t)((seq & core_ring_mask(core)) << 2 | operand);
    uop->pending++;
}

/* The data operand of a store that is issued for its address alone. */
void rename_link_data(struct core *core, struct uop *uop, uint64_t seq)
{
    uint64_t ready_at = uop->ready_at;
    uint8_t pending = uop->pending;
    uop->ready_at = 0;
    rename_operand(core, uop, seq, 1, uop->insn.rs2, core_extras(core) & ~EXTRA_REPLAY);
    uop->data_at = uop->link_producer[1] != NO_LINK ? NEVER : uop->ready_at;
    if (core_extras(core) & EXTRA_STORE_UOPS) {
        uop->data_ready = uop->data_at;
        uop->data_at = NEVER;
    }
    uop->ready_at = ready_at;
    uop->pending = pending;
}

/* A fused pair is one operation: the second waits for the sources of both, and has the only
 * destination. */
void rename_pair(struct core *core, struct uop *first, struct uop *second, uint64_t seq)
{
    const struct insn *a = &first->insn, *b = &second->insn;
    unsigned rd = a->rd, other = b->rs1 == rd ? b->rs2 : b->rs1;
    rename_nothing(core, first, core_extras(core));
    rename_nothing(core, second, core_extras(core));
    rename_operand(core, second, seq + 1, 0, a->rs1, core_extras(core));
    rename_operand(core, second, seq + 1, 1, a->rs2 != 0 ? a->rs2 : other, core_extras(core));
    if (core_extras(core) & EXTRA_SHARED) {
        rename_take(core, first);
        rename_join(core, second);
    } else {
        core->buffers_free[POOL_INT]--;
    }
    first->previous_writer = core->last_writer[rd];
    second->previous_writer = seq;
    core->last_writer[rd] = seq + 1;
}

void rename_uop(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_with(core, uop, seq, false, core_extras(core));
}

static inline void unlink_operand(struct core *core, const struct uop *uop, unsigned operand)
{
    if (uop->link_producer[operand] != NO_LINK)
        core_at(core, uop->link_producer[operand])->dependents = uop->link_next[operand];
}

/* Called from the youngest instruction back, so that this one is at the head of every list it is
 * in. */
void rename_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    unlink_operand(core, uop, 2);
    unlink_operand(core, uop, 1);
    unlink_operand(core, uop, 0);
    core->hart->reg[rd] = uop->old_value;
    core->last_writer[rd] = uop->previous_writer;
    if ((core_extras(core) & EXTRA_SHARED) && rd < REG_F0)
        rename_unshare(core, uop);
    else if (rename_has_buffer(core, uop))
        ++*rename_pool(core, rd);
}

void rename_free_with_extras(struct core *core, const struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    if (core_extras(core) & EXTRA_EARLY_LOADS)
        core->value_ready[rd] = uop->complete_cycle;
    if ((core_extras(core) & EXTRA_SHARED) && rd < REG_F0)
        rename_share_commit(core, uop);
    else if (rename_has_buffer(core, uop))
        ++*rename_pool(core, rd);
}
