/* The 16-bit instructions of unwind_code.h. Formats: Unprivileged ISA 20240411, chapter 27. */
#ifndef PMU_UNWIND_UNWIND_RVC_H
#define PMU_UNWIND_UNWIND_RVC_H

#include <stdbool.h>

#include "isa/field.h"
#include "pmu/unwind/unwind_kind.h"

/* c.addi, c.addi16sp, c.j; c.jal of RV32 */
static inline struct unwind_code unwind_decode_c1(unsigned insn, unsigned rd, bool is_32)
{
    unsigned f3 = field_bits(insn, 13, 3, 0);

    if (is_32 && f3 == 1)
        return unwind_code(UNWIND_CALL, 0, 0);
    if (f3 == 0 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, UNWIND_SP, field_c_immediate(insn));
    if (f3 == 3 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, UNWIND_SP, field_c_addi16sp(insn));
    if (f3 == 5)
        return unwind_code(UNWIND_JUMP, 0, field_c_jump(insn));
    return unwind_code(UNWIND_OTHER, 0, 0);
}

/* c.lwsp, c.swsp */
static inline struct unwind_code unwind_decode_word(unsigned insn, unsigned rd)
{
    if (field_bits(insn, 13, 3, 0) == 2)
        return unwind_code(UNWIND_LOAD, rd, field_c_lwsp(insn));
    return unwind_code(UNWIND_SAVE, field_bits(insn, 2, 5, 0), field_c_swsp(insn));
}

/* c.ldsp, c.sdsp, c.jr, c.jalr, c.ebreak, c.mv to sp */
static inline struct unwind_code unwind_decode_c2(unsigned insn, unsigned rd, bool is_32)
{
    unsigned f3 = field_bits(insn, 13, 3, 0), rs2 = field_bits(insn, 2, 5, 0);
    bool bit12 = (insn >> 12 & 1) != 0;

    if (is_32 && (f3 & 3) == 2)
        return unwind_decode_word(insn, rd);
    if (is_32 && f3 != 4)
        return unwind_code(UNWIND_OTHER, 0, 0);
    if (f3 == 3)
        return unwind_code(UNWIND_LOAD, rd, field_c_ldsp(insn));
    if (f3 == 7)
        return unwind_code(UNWIND_SAVE, rs2, field_c_sdsp(insn));
    if (f3 != 4)
        return unwind_code(UNWIND_OTHER, 0, 0);
    if (rs2 == 0)
        return rd == 0 ? unwind_code(UNWIND_AWAY, 0, 0)
                       : unwind_jump_register(bit12 ? UNWIND_RA : 0, rd);
    return unwind_code(rd == UNWIND_SP ? UNWIND_SET_SP : UNWIND_OTHER, 0, 0);
}

#endif
