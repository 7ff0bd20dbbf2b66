/* Renaming of one instruction, inline for dispatch: see rename.c. */
#ifndef SIM_CORE_PIPE_RENAME_H
#define SIM_CORE_PIPE_RENAME_H

#include <string.h>

#include "sim/base/cycle.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/stage_back.h"

/* rename.c: parts that most machines are without, and traces. */
void rename_name_producer(const struct core *core, struct uop *uop, unsigned operand,
                          uint64_t writer);
void rename_link_data(struct core *core, struct uop *uop, uint64_t seq);

/* The operand is the youngest of its producer's list. */
static inline void rename_join_list(struct core *core, struct uop *uop, uint64_t seq,
                                    unsigned operand, uint64_t producer)
{
    struct uop *from = core_uop(core, producer);
    uop->link_producer[operand] = (uint16_t)(producer & core_ring_mask(core));
    uop->link_next[operand] = from->dependents;
    from->dependents = (uint16_t)((seq & core_ring_mask(core)) << 2 | operand);
    uop->pending++;
}

/* Joins the operand to its producer's list, or takes the producer's known cycle. */
IN_BOTH void rename_operand(struct core *core, struct uop *uop, uint64_t seq, unsigned operand,
                            unsigned reg, const uint64_t extras)
{
    if (extras & EXTRA_MODEL)
        reg = port_source(core, uop, reg);
    uint64_t writer = core->last_writer[reg];   /* of register 0: none, so that it is 0 */
    if (writer < core->commit_seq) {
        if ((extras & EXTRA_EARLY_LOADS) && core->value_ready[reg] > core->now)
            uop->ready_at = later(uop->ready_at,
                                  port_value_ready(core, uop, core->value_ready[reg]));
        return;
    }
    struct uop *producer = core_uop(core, writer);
    if (extras & EXTRA_TRACED)
        rename_name_producer(core, uop, operand, writer);
    if ((extras & EXTRA_MODEL) && port_links(core, uop, operand, writer))
        return;
    if (producer->state == UOP_ISSUED) {
        uint64_t cycle = producer->complete_cycle;
        if (extras & EXTRA_MODEL)
            cycle = port_operand_ready(core, producer, uop, operand);
        if ((extras & EXTRA_REPLAY) && cycle > uop->true_ready) {
            uop->true_ready = cycle;
            cycle = rename_expected(core, producer);
        }
        if (cycle > uop->ready_at)
            uop->ready_at = cycle;
        return;
    }
    rename_join_list(core, uop, seq, operand, writer);
}

/* Nothing waits for the instruction yet, and it waits for nothing. */
static inline void rename_link_nothing(struct uop *uop)
{
    uop->dependents = NO_LINK;
    uop->link_producer[0] = uop->link_producer[1] = uop->link_producer[2] = NO_LINK;
    uop->pending = 0;
}

IN_BOTH void rename_nothing(const struct core *core, struct uop *uop, const uint64_t extras)
{
    rename_link_nothing(uop);
    if (extras & (EXTRA_REPLAY | EXTRA_MODEL))
        uop->true_ready = 0;
    if ((extras & EXTRA_MODEL) && port_reissues(core))
        uop->source[0] = uop->source[1] = uop->source[2] = 0;
    if (extras & EXTRA_TRACED)
        memset(uop->producer_back, 0, sizeof uop->producer_back);
}

/* Few instructions have a third operand. */
SELDOM static void rename_third(struct core *core, struct uop *uop, uint64_t seq)
{
    rename_operand(core, uop, seq, 2, uop->insn.rs3, core_extras(core));
}

/* Renames the operands and the result. simple: the instruction has at most two operands, and is no
 * store where stores have their data apart. */
IN_BOTH void rename_with(struct core *core, struct uop *uop, uint64_t seq, const bool simple,
                         const uint64_t extras)
{
    rename_nothing(core, uop, extras);
    rename_operand(core, uop, seq, 0, uop->insn.rs1, extras);
    if (!simple && (extras & EXTRA_STORE_DATA) && uop->kind == KIND_STORE)
        rename_link_data(core, uop, seq);
    else
        rename_operand(core, uop, seq, 1, uop->insn.rs2, extras);
    if (!simple && uop->insn.rs3 != 0)
        rename_third(core, uop, seq);
    unsigned rd = uop->insn.rd;
    if ((extras & EXTRA_SHARED) && rd < REG_F0)
        rename_take(core, uop);
    else
        --*rename_pool(core, rd);
    uop->previous_writer = core->last_writer[rd];
    core->last_writer[rd] = seq;
}

#endif
