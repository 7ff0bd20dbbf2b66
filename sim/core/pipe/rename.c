/* Rename: who produces each operand, rename buffers, and the undo log.
 *
 * A destination takes one integer or floating-point rename buffer from dispatch to commit. With one
 * file of physical registers it takes a register, and its commit frees the one that its name stood
 * for before: as many are free at each time, so that a file of N registers is counted like N less
 * the architectural ones buffers. Which register it is matters only when registers are shared
 * (rename_share.c).
 *
 * The speculative register file is hart->reg; each instruction keeps the value and the writer it
 * replaced, so that undoing from the youngest back restores any earlier state exactly. */
#include "sim/base/cycle.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"

static inline uint32_t *buffer_pool(struct core *core, unsigned rd)
{
    return rd < REG_F0 ? &core->int_buffers_free : &core->fp_buffers_free;
}

static inline void join(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                        uint64_t producer)
{
    struct uop *from = core_uop(core, producer);
    uop->link_producer[operand] = (uint16_t)(producer & core->ring_mask);
    uop->link_next[operand] = from->dependents;
    from->dependents = (uint16_t)((seq & core->ring_mask) << 2 | operand);
    uop->linked |= (uint8_t)(1u << operand);
    uop->pending++;
}

void rename_link(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                 uint64_t producer)
{
    join(core, uop, seq, operand, producer);
}

/* For traces; core_set_observer forgets what is older. */
static void name_producer(const struct core *core, struct uop *uop, unsigned operand,
                          uint64_t writer)
{
    uop->producer_back[operand] = (uint32_t)(uop->id - core_uop(core, writer)->id);
}

/* The register whose value a register move has to give, or the one that is written. */
static unsigned moved(const struct insn *insn)
{
    switch (insn->op) {
    case OP_addi: return insn->imm == 0 ? insn->rs1 : insn->rd;
    case OP_add: return insn->rs1 == 0 ? insn->rs2 : insn->rd;
    case OP_fsgnj_d: return insn->rs1 == insn->rs2 ? insn->rs1 : insn->rd;
    default: return insn->rd;
    }
}

/* With rename.move_bypass: what is renamed in the cycle of a move, after it, gets the name of its
 * source, unless that stands for something else by then. (C910: ct_idu_ir_rt.v,
 * rt_inst0_mov_bypass_over_inst1.) */
static unsigned past_move(const struct core *core, const struct uop *uop, unsigned reg)
{
    uint64_t writer = core->last_writer[reg];
    if (writer < core->commit_seq)
        return reg;
    const struct uop *move = core_uop(core, writer);
    unsigned source = moved(&move->insn);
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
    return core_config(core)->latency_fma_addend != 0 && operand == 2 &&
           consumer->latency == LAT_FMA && producer->latency == LAT_FMA;
}

/* Data that a load had to wait for come in cycle `ready`. Whatever waits in a queue but that of
 * memory operations hears of it late; what comes to its queue when they are nearly there is issued
 * as if the load had hit, and meets them. (openc910, ct_idu_dep_reg_entry.v: wb sets rdy a cycle
 * after; load_data_ready sets it before it is known that the load missed, and only an operation
 * issued in vain takes it back. In register read, a cycle after issue, the data are there.) */
static uint64_t late_data(const struct core *core, const struct uop *consumer, uint64_t ready)
{
    if (consumer->state != UOP_WAITING && core->now + core_config(core)->issue_miss_lead >= ready)
        return core->now + 1 < ready ? core->now : earlier(core->now - 1, ready);
    bool is_memory = consumer->access_bytes != 0;
    return ready + (is_memory ? 0 : core_config(core)->issue_miss_wake_cycles);
}

/* When the operand can be used; with EXTRA_ADDEND. */
uint64_t rename_addend(const struct core *core, const struct uop *producer,
                       const struct uop *consumer, unsigned operand)
{
    uint64_t ready = producer->complete_cycle;
    if (is_late_addend(core, producer, consumer, operand))
        return producer->issue_cycle + core_config(core)->latency_fma_addend;
    bool is_late = producer->kind == KIND_LOAD && ready != NEVER &&
                   ready > producer->issue_cycle + core->latency[LAT_LOAD] + 1;
    return is_late ? late_data(core, consumer, ready) : ready;
}

/* Joins the operand to its producer's list, or takes the producer's known cycle. */
IN_BOTH void link_operand(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                          unsigned reg, const uint64_t extras)
{
    if (extras & EXTRA_MOVES)
        reg = past_move(core, uop, reg);
    uint64_t writer = core->last_writer[reg];
    if (reg == 0)
        return;
    if (writer < core->commit_seq) {
        if ((extras & EXTRA_EARLY_LOADS) && core->value_ready[reg] > core->now)
            uop->ready_at = later(uop->ready_at, late_data(core, uop, core->value_ready[reg]));
        return;
    }
    struct uop *producer = core_uop(core, writer);
    if (core->observer != NULL)
        name_producer(core, uop, operand, writer);
    if ((extras & EXTRA_MODEL) && port_links(core, uop, operand, writer))
        return;
    if (producer->state == UOP_ISSUED) {
        uint64_t cycle = producer->complete_cycle;
        if (extras & EXTRA_ADDEND)
            cycle = rename_addend(core, producer, uop, operand);
        if ((extras & EXTRA_REPLAY) && cycle > uop->true_ready) {
            uop->true_ready = cycle;
            cycle = rename_expected(core, producer);
        }
        if (cycle > uop->ready_at)
            uop->ready_at = cycle;
        return;
    }
    join(core, uop, seq, operand, writer);
}

/* A load that missed is believed to hit until its data should have come. */
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
    uint64_t age = (seq - producer) & core->ring_mask;
    while (*link != NO_LINK && (((*link >> 2) - producer) & core->ring_mask) > age)
        link = &core->ring[*link >> 2].link_next[*link & 3];
    uop->link_producer[operand] = (uint16_t)(producer & core->ring_mask);
    uop->link_next[operand] = *link;
    *link = (uint16_t)((seq & core->ring_mask) << 2 | operand);
    uop->linked |= (uint8_t)(1u << operand);
    uop->pending++;
}

/* The data operand of a store that is issued for its address alone. */
static void link_data(struct core *core, struct uop *uop, uint64_t seq)
{
    uint64_t ready_at = uop->ready_at;
    uint8_t pending = uop->pending;
    uop->ready_at = 0;
    link_operand(core, uop, seq, 1, uop->insn.rs2, core_extras(core) & ~(uint32_t)EXTRA_REPLAY);
    uop->data_at = uop->linked >> 1 & 1 ? NEVER : uop->ready_at;
    if (core_extras(core) & EXTRA_STORE_UOPS) {
        uop->data_ready = uop->data_at;
        uop->data_at = NEVER;
    }
    uop->ready_at = ready_at;
    uop->pending = pending;
}

IN_BOTH void link_nothing(const struct core *core, struct uop *uop, const uint64_t extras)
{
    uop->dependents = NO_LINK;
    uop->linked = 0;
    uop->pending = 0;
    if (extras & (EXTRA_REPLAY | EXTRA_MODEL))
        uop->true_ready = uop->source[0] = uop->source[1] = uop->source[2] = 0;
    if (core->observer != NULL)
        memset(uop->producer_back, 0, sizeof uop->producer_back);
}

/* One operation: the second waits for the sources of both, and has the only destination. */
void rename_pair(struct core *core, struct uop *first, struct uop *second, uint64_t seq)
{
    const struct insn *a = &first->insn, *b = &second->insn;
    unsigned rd = a->rd, other = b->rs1 == rd ? b->rs2 : b->rs1;
    link_nothing(core, first, core_extras(core));
    link_nothing(core, second, core_extras(core));
    link_operand(core, second, seq + 1, 0, a->rs1, core_extras(core));
    link_operand(core, second, seq + 1, 1, a->rs2 != 0 ? a->rs2 : other, core_extras(core));
    if (core_extras(core) & EXTRA_SHARED) {
        rename_take(core, first);
        rename_join(core, second);
    } else {
        core->int_buffers_free--;
    }
    first->previous_writer = core->last_writer[rd];
    second->previous_writer = seq;
    core->last_writer[rd] = seq + 1;
}

IN_BOTH void rename_with(struct core *core, struct uop *uop, uint64_t seq, const uint64_t extras)
{
    link_nothing(core, uop, extras);
    link_operand(core, uop, seq, 0, uop->insn.rs1, extras);
    if ((extras & EXTRA_STORE_DATA) && uop->kind == KIND_STORE)
        link_data(core, uop, seq);
    else
        link_operand(core, uop, seq, 1, uop->insn.rs2, extras);
    if (uop->insn.rs3 != 0)
        link_operand(core, uop, seq, 2, uop->insn.rs3, extras);
    unsigned rd = uop->insn.rd;
    if (rd != REG_SINK) {
        if ((extras & EXTRA_SHARED) && rd < REG_F0)
            rename_take(core, uop);
        else
            --*buffer_pool(core, rd);
        uop->previous_writer = core->last_writer[rd];
        core->last_writer[rd] = seq;
    }
}

APART void rename_with_extras(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_with(core, uop, seq, core_extras(core));
}

void rename_uop(struct core *core, struct uop *uop, uint64_t seq)
{
    if (core_is_plain(core))
        rename_with(core, uop, seq, 0);
    else
        rename_with_extras(core, uop, seq);
}

static void unlink_operands(struct core *core, const struct uop *uop)
{
    for (int operand = 2; operand >= 0; operand--)
        if (uop->linked >> operand & 1)
            core->ring[uop->link_producer[operand]].dependents = uop->link_next[operand];
}

/* The rename buffer of a fused pair is the first instruction's. */
static bool has_buffer_of_its_own(const struct uop *uop)
{
    return (uop->flags & UOP_FUSED) == 0;
}

/* Called from the youngest instruction back, so that this one heads every list it is in. */
void rename_undo(struct core *core, struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    unlink_operands(core, uop);
    if (rd != REG_SINK) {
        core->hart->reg[rd] = uop->old_value;
        core->last_writer[rd] = uop->previous_writer;
        if ((core_extras(core) & EXTRA_SHARED) && rd < REG_F0)
            rename_unshare(core, uop);
        else if (has_buffer_of_its_own(uop))
            ++*buffer_pool(core, rd);
    }
}

void rename_free(struct core *core, const struct uop *uop)
{
    unsigned rd = uop->insn.rd;
    if (rd == REG_SINK)
        return;
    if (core_extras(core) & EXTRA_EARLY_LOADS)
        core->value_ready[rd] = uop->complete_cycle;
    if ((core_extras(core) & EXTRA_SHARED) && rd < REG_F0)
        rename_share_commit(core, uop);
    else if (has_buffer_of_its_own(uop))
        ++*buffer_pool(core, rd);
}
