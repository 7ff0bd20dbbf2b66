/* Decodes the few instructions that a stack walk needs; all others are UNWIND_OTHER. Freestanding
 * and without dependencies but isa/field.h: for the resident monitor, which has no decoder. In RV32
 * registers are saved and loaded by words. Formats: Unprivileged ISA 20240411, chapters 2 and 27 (C
 * extension). */
#ifndef PMU_UNWIND_UNWIND_CODE_H
#define PMU_UNWIND_UNWIND_CODE_H

#include "isa/field.h"
#include "pmu/unwind/unwind_rvc.h"

static inline struct unwind_code unwind_decode_wide(unsigned insn, bool is_32)
{
    unsigned opcode = insn & 0x7f, f3 = field_bits(insn, 12, 3, 0), width = is_32 ? 2 : 3;
    unsigned rd = field_bits(insn, 7, 5, 0), rs1 = field_bits(insn, 15, 5, 0);
    unsigned long long immediate = field_sign(insn >> 20, 11);

    if (opcode == 0x03 && f3 == width && rs1 == UNWIND_SP)
        return unwind_code(UNWIND_LOAD, rd, immediate);
    if (opcode == 0x23 && f3 == width && rs1 == UNWIND_SP)
        return unwind_code(UNWIND_SAVE, field_bits(insn, 20, 5, 0), field_store(insn));
    if (opcode == 0x13 && f3 == 0 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, rs1, immediate);
    if ((opcode == 0x13 || opcode == 0x33) && rd == UNWIND_SP)
        return unwind_code(UNWIND_SET_SP, 0, 0);
    if (opcode == 0x6f && rd == 0)
        return unwind_code(UNWIND_JUMP, 0, field_jump(insn));
    if (opcode == 0x6f)
        return unwind_code(UNWIND_CALL, 0, 0);
    if (opcode == 0x67)
        return unwind_jump_register(rd, rs1);
    if (opcode == 0x73 && f3 == 0 && insn != 0x00000073)
        return unwind_code(UNWIND_AWAY, 0, 0);
    return unwind_code(UNWIND_OTHER, 0, 0);
}

/* The instruction in the low 16 or 32 bits. */
static inline struct unwind_code unwind_decode(unsigned insn, bool is_32)
{
    unsigned rd = field_bits(insn, 7, 5, 0);

    if ((insn & 3) == 3)
        return unwind_decode_wide(insn, is_32);
    if ((insn & 0xffff) == 0)
        return unwind_code(UNWIND_AWAY, 0, 0);
    if ((insn & 3) == 1)
        return unwind_decode_c1(insn & 0xffff, rd, is_32);
    if ((insn & 3) == 2)
        return unwind_decode_c2(insn & 0xffff, rd, is_32);
    return unwind_code(UNWIND_OTHER, 0, 0);
}

/* True if a return address can follow these two halfwords: jal, jalr, c.jal and c.jalr with a
 * link. */
static inline bool unwind_is_call(unsigned before_last, unsigned last, bool is_32)
{
    unsigned insn = before_last | last << 16;

    if ((last & 0xf07f) == 0x9002 && (last & 0x0f80) != 0)
        return true;
    if (is_32 && (last & 0xe003) == 0x2001)
        return true;
    return (insn & 3) == 3 && unwind_decode_wide(insn, is_32).kind == UNWIND_CALL;
}

#endif
