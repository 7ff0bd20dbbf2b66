/* Micro-op fusion: two instructions in a row that become one operation (decode.fusion).
 *
 * Decode joins two instructions of one cycle if they match: the second reads the first's result and
 * overwrites it, so that the operation has one destination and at most two sources. It takes one
 * dispatch slot, one reorder-buffer entry, one place in an issue queue and one rename buffer, and
 * is issued once, as the second instruction, when the sources of both are available. Both execute
 * at dispatch, one after the other, and commit as two instructions, so that traps, marks and single
 * steps are unchanged.
 *
 * A load that has to act at the head of the reorder buffer, or faults, is not fused. Should the
 * second half be squashed alone (a load that passed its store), the first stays, executed.
 *
 * Pairs: constants and addresses (lui or auipc, then addi, addiw, a load or jalr), zero extension
 * (slli, srli), an index (slli by 1 to 3, add), an indexed load (add, load without offset). Source:
 * C. Celio, P. Dabbelt, D. Patterson, K. Asanovic, "The Renewed Case for the Reduced Instruction
 * Set Computer: Avoiding ISA Bloat with Macro-Op Fusion for RISC-V", 2016, section 4; halfwords and
 * sign extension as in the fusion decoder of XiangShan.
 * Left out: pairs with two results (load pair, mulh and mul, div and rem), pairs across decode
 * cycles, groups of three. */
#include "isa/op.h"
#include "sim/core/pipe/execute.h"
#include "sim/core/pipe/stage_back.h"


enum { SCALE_MAX = 3, HALFWORD_BITS = 16 };

/* True for a shift up and down again that leaves the low bits of rs1: half of the register, moved
 * up by at most the scale of an index; or a halfword. */
static bool extends(const struct insn *up, const struct insn *down, int xlen)
{
    if (up->op == OP_slliw)
        return (down->op == OP_srliw || down->op == OP_sraiw) &&
               up->imm == HALFWORD_BITS && down->imm == HALFWORD_BITS;
    if (up->imm == xlen - HALFWORD_BITS && down->imm == up->imm)
        return down->op == OP_srli || down->op == OP_srai;
    return down->op == OP_srli && up->imm == xlen / 2 && down->imm <= up->imm &&
           up->imm - down->imm <= SCALE_MAX;
}

static bool is_index(const struct insn *shift, const struct insn *sum)
{
    return sum->op == OP_add && shift->op == OP_slli && shift->imm >= 1 && shift->imm <= SCALE_MAX;
}

/* True if b reads a's result in exactly one operand and overwrites it. */
static bool replaces(const struct insn *a, const struct insn *b)
{
    return a->rd != REG_SINK && b->rd == a->rd && (b->rs1 == a->rd) != (b->rs2 == a->rd);
}

static bool fits(const struct uop *first, const struct uop *second, int xlen)
{
    const struct insn *a = &first->insn, *b = &second->insn;
    if (!replaces(a, b))
        return false;
    switch (a->op) {
    case OP_lui:
        return b->op == OP_addi || b->op == OP_addiw || second->kind == KIND_LOAD;
    case OP_auipc:
        return b->op == OP_addi || second->kind == KIND_LOAD || second->kind == KIND_JALR;
    case OP_slli:
    case OP_slliw:
        return extends(a, b, xlen) || is_index(a, b);
    case OP_add:
        return second->kind == KIND_LOAD && b->imm == 0;
    default:
        return false;
    }
}

void fusion_decode(struct core *core, struct uop *first, struct uop *second)
{
    if ((first->flags & UOP_FUSED) || !fits(first, second, (int)hart_xlen(core->hart)))
        return;
    first->flags |= UOP_PAIRED;
    second->flags |= UOP_FUSED;
}

static void separate(struct uop *first, struct uop *second)
{
    first->flags &= ~UOP_PAIRED;
    second->flags &= ~UOP_FUSED;
}

/* The address is known only when the first instruction has executed, so it executes here
 * temporarily. */
void fusion_settle(struct core *core, struct uop *first, uint64_t seq)
{
    struct uop *second = core_uop(core, seq + 1);
    if (second->kind != KIND_LOAD || (second->flags & UOP_ADDRESSED))
        return;
    uint64_t *reg = core->hart->reg, old = reg[first->insn.rd];
    reg[first->insn.rd] = insn_alu(&first->insn, reg[first->insn.rs1], reg[first->insn.rs2],
                                   first->pc);
    execute_address(core, second);
    reg[first->insn.rd] = old;
    if ((second->flags & UOP_SERIAL) || second->trap != TRAP_NONE)
        separate(first, second);
}

void fusion_undo(struct core *core, struct uop *second, uint64_t seq)
{
    separate(core_uop(core, seq - 1), second);
    core->fused_in_flight--;
}
