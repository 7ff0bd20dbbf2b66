/* The 16-bit instructions of unwind_code.h. Formats: Unprivileged ISA 20240411, chapter 27. */
#ifndef PMU_UNWIND_UNWIND_RVC_H
#define PMU_UNWIND_UNWIND_RVC_H

#include <stdbool.h>

#include "pmu/unwind/unwind_kind.h"

/* c.addi, c.addi16sp, c.j; c.jal of RV32 */
static inline struct unwind_code unwind_decode_c1(unsigned insn, unsigned rd, bool is_32)
{
    unsigned f3 = unwind_bits(insn, 13, 3, 0), sign = unwind_bits(insn, 12, 1, 0);

    if (is_32 && f3 == 1)
        return unwind_code(UNWIND_CALL, 0, 0);
    if (f3 == 0 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, UNWIND_SP,
                           unwind_sign(sign << 5 | unwind_bits(insn, 2, 5, 0), 5));
    if (f3 == 3 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, UNWIND_SP,
                           unwind_sign(sign << 9 | unwind_bits(insn, 3, 2, 7) |
                                       unwind_bits(insn, 5, 1, 6) | unwind_bits(insn, 2, 1, 5) |
                                       unwind_bits(insn, 6, 1, 4), 9));
    if (f3 == 5)
        return unwind_code(UNWIND_JUMP, 0,
                           unwind_sign(sign << 11 | unwind_bits(insn, 8, 1, 10) |
                                       unwind_bits(insn, 9, 2, 8) | unwind_bits(insn, 6, 1, 7) |
                                       unwind_bits(insn, 7, 1, 6) | unwind_bits(insn, 2, 1, 5) |
                                       unwind_bits(insn, 11, 1, 4) | unwind_bits(insn, 3, 3, 1),
                                       11));
    return unwind_code(UNWIND_OTHER, 0, 0);
}

/* c.lwsp, c.swsp */
static inline struct unwind_code unwind_decode_word(unsigned insn, unsigned rd)
{
    if (unwind_bits(insn, 13, 3, 0) == 2)
        return unwind_code(UNWIND_LOAD, rd,
                           unwind_bits(insn, 2, 2, 6) | unwind_bits(insn, 12, 1, 5) |
                           unwind_bits(insn, 4, 3, 2));
    return unwind_code(UNWIND_SAVE, unwind_bits(insn, 2, 5, 0),
                       unwind_bits(insn, 7, 2, 6) | unwind_bits(insn, 9, 4, 2));
}

/* c.ldsp, c.sdsp, c.jr, c.jalr, c.ebreak, c.mv to sp */
static inline struct unwind_code unwind_decode_c2(unsigned insn, unsigned rd, bool is_32)
{
    unsigned f3 = unwind_bits(insn, 13, 3, 0), rs2 = unwind_bits(insn, 2, 5, 0);
    bool bit12 = (insn >> 12 & 1) != 0;

    if (is_32 && (f3 & 3) == 2)
        return unwind_decode_word(insn, rd);
    if (is_32 && f3 != 4)
        return unwind_code(UNWIND_OTHER, 0, 0);
    if (f3 == 3)
        return unwind_code(UNWIND_LOAD, rd,
                           unwind_bits(insn, 2, 3, 6) | unwind_bits(insn, 12, 1, 5) |
                           unwind_bits(insn, 5, 2, 3));
    if (f3 == 7)
        return unwind_code(UNWIND_SAVE, rs2,
                           unwind_bits(insn, 7, 3, 6) | unwind_bits(insn, 10, 3, 3));
    if (f3 != 4)
        return unwind_code(UNWIND_OTHER, 0, 0);
    if (rs2 == 0)
        return rd == 0 ? unwind_code(UNWIND_AWAY, 0, 0)
                       : unwind_jump_register(bit12 ? UNWIND_RA : 0, rd);
    return unwind_code(rd == UNWIND_SP ? UNWIND_SET_SP : UNWIND_OTHER, 0, 0);
}

#endif
