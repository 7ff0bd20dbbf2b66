/* Execution of an instruction on the speculative state (execute.c). */
#ifndef SIM_CORE_PIPE_EXECUTE_H
#define SIM_CORE_PIPE_EXECUTE_H

#include "isa/insn_result.h"
#include "sim/core/pipe/core_state.h"
#include "sim/mem/translate/mmu.h"

void execute_address(struct core *core, struct uop *uop);
/* Translates uop->va to uop->pa, without side effects on the page tables. */
enum trap_cause execute_translate(struct core *core, struct uop *uop, enum mmu_access access);
/* execute_the_others: for an instruction that is no integer operation, or only a fault. _transfer:
 * for a branch or jump. _access: for a load or store with a known address and no fault. */
void execute_the_others(struct core *core, struct uop *uop);
void execute_transfer(struct core *core, struct uop *uop);
void execute_access(struct core *core, struct uop *uop);
static inline bool execute_is_simple(const struct uop *uop)
{
    return (uop->flags & UOP_SPECIAL) == 0;
}
IN_BOTH void execute_simple(struct core *core, struct uop *uop)
{
    uint64_t *reg = core->hart->reg;
    uop->next_pc = uop->pc + uop->insn.length;
    uop->value = insn_result_alu(&uop->insn, reg[uop->insn.rs1], reg[uop->insn.rs2], uop->pc);
    uop->old_value = reg[uop->insn.rd];
    reg[uop->insn.rd] = uop->value;
}
static inline void execute_uop(struct core *core, struct uop *uop)
{
    if (execute_is_simple(uop))
        execute_simple(core, uop);
    else
        execute_the_others(core, uop);
}
void execute_serial(struct core *core, struct uop *uop);
/* cpu->pauses is set, and the uop at the head is about to act or commit. True: it must not, because
 * the run ends before it. */
bool core_pauses(struct core *core, const struct uop *uop);

#endif
