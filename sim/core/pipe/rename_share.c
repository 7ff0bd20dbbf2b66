/* Move elimination and zero idioms: which physical integer register each name stands for.
 *
 * A register move gives its destination the physical register of its source. An operation whose
 * result is zero by construction gives its destination that of x0. Both are then complete, without
 * an issue queue. A physical register is free again when no name, speculative or committed, stands
 * for it (reference counts). Kept only when a setting asks for it; otherwise counting the free
 * registers is enough (rename.c).
 * Source: S. Jourdan et al., "A Novel Renaming Scheme to Exploit Value Temporal Locality through
 * Physical Register Reuse and Unification", MICRO 1998.
 * Left out: floating-point moves. */
#include "isa/op.h"
#include "isa/trap.h"
#include "sim/core/pipe/rename.h"


static bool is_zero(const struct insn *insn)
{
    switch (insn->op) {
    case OP_xor:
    case OP_sub:
    case OP_subw:
        return insn->rs1 == insn->rs2;
    case OP_and:
        return insn->rs1 == 0 || insn->rs2 == 0;
    case OP_addi:
        return insn->rs1 == 0 && insn->imm == 0;
    default:
        return false;
    }
}

/* The register that the instruction moves, or 0. */
static unsigned moved(const struct insn *insn)
{
    if (insn->op == OP_addi)
        return insn->imm == 0 ? insn->rs1 : 0;
    if (insn->op != OP_add || (insn->rs1 != 0 && insn->rs2 != 0))
        return 0;
    return insn->rs1 | insn->rs2;
}

bool rename_eliminates_operation(const struct core *core, const struct uop *uop)
{
    const struct config *settings = core_config(core);
    if (uop->trap != TRAP_NONE || uop->insn.rd == REG_SINK || (uop->flags & UOP_FUSED))
        return false;
    return ((settings->rename_eliminates & ELIMINATES_ZEROS) != 0 && is_zero(&uop->insn)) ||
           ((settings->rename_eliminates & ELIMINATES_MOVES) != 0 && moved(&uop->insn) != 0);
}

void rename_share_init(struct core *core, uint32_t registers)
{
    for (unsigned reg = 0; reg < REG_F0; reg++) {
        core->int_map[reg] = (uint16_t)reg;
        core->int_refs[reg] = 1;
    }
    for (uint32_t reg = REG_F0; reg < registers; reg++)
        core->int_free[reg - REG_F0] = (uint16_t)reg;
}

static void release(struct core *core, unsigned reg)
{
    if (--core->int_refs[reg] == 0)
        core->int_free[core->buffers_free[POOL_INT]++] = (uint16_t)reg;
}

static void name(struct core *core, struct uop *uop, unsigned reg)
{
    unsigned rd = uop->insn.rd;
    uop->reg = (uint16_t)reg;
    uop->old_reg = core->int_map[rd];
    core->int_map[rd] = uop->reg;
    core->int_refs[reg]++;
}

void rename_take(struct core *core, struct uop *uop)
{
    name(core, uop, core->int_free[--core->buffers_free[POOL_INT]]);
}

/* The instruction overwrites the physical register that its destination stands for. */
void rename_join(struct core *core, struct uop *uop)
{
    name(core, uop, core->int_map[uop->insn.rd]);
}

/* Consumers of its destination wait for the producer of its source. */
void rename_eliminate(struct core *core, struct uop *uop)
{
    bool is_idiom = (core_config(core)->rename_eliminates & ELIMINATES_ZEROS) != 0 &&
                    is_zero(&uop->insn);
    unsigned source = is_idiom ? 0 : moved(&uop->insn);
    uop->flags |= UOP_ELIMINATED;
    rename_link_nothing(uop);
    uop->producer_back[0] = uop->producer_back[1] = uop->producer_back[2] = 0;
    name(core, uop, core->int_map[source]);
    uop->previous_writer = core->last_writer[uop->insn.rd];
    uop->value_of = source == 0 ? 0 : core->last_writer[source];
    core->last_writer[uop->insn.rd] = uop->value_of;
}

void rename_unshare(struct core *core, const struct uop *uop)
{
    core->int_map[uop->insn.rd] = uop->old_reg;
    release(core, uop->reg);
}

void rename_share_commit(struct core *core, const struct uop *uop)
{
    release(core, uop->old_reg);
}
