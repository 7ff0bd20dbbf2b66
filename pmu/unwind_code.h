/* The few instructions that tell a stack walk where a frame is; everything else is
 * UNWIND_OTHER. Freestanding and without dependencies: for the resident monitor, which has no
 * decoder. In RV32 registers are saved and loaded by words. Formats: Unprivileged ISA 20240411, chapters 2 and 27 (C extension). */
#ifndef PMU_UNWIND_CODE_H
#define PMU_UNWIND_CODE_H

enum { UNWIND_RA = 1, UNWIND_SP = 2, UNWIND_T0 = 5, UNWIND_FP = 8 };

enum unwind_kind {
    UNWIND_OTHER,
    UNWIND_LOAD,        /* ld (lw) reg, offset(sp) */
    UNWIND_SAVE,        /* sd (sw) reg, offset(sp) */
    UNWIND_MOVE_SP,     /* addi sp, reg, offset */
    UNWIND_SET_SP,      /* sp becomes something else */
    UNWIND_JUMP,        /* j pc + offset */
    UNWIND_CALL,
    UNWIND_RETURN,      /* jr ra */
    UNWIND_AWAY,        /* another indirect jump, a trap return, no instruction */
};

struct unwind_code {
    enum unwind_kind kind;
    unsigned reg;
    unsigned long long offset;  /* sign-extended */
};

/* `count` bits of an instruction from bit `from` on, moved to bit `to`. */
static inline unsigned unwind_bits(unsigned insn, unsigned from, unsigned count, unsigned to)
{
    return (insn >> from & ((1u << count) - 1)) << to;
}

static inline unsigned long long unwind_sign(unsigned value, unsigned bit)
{
    return (unsigned long long)value - ((value >> bit & 1) != 0 ? 2ull << bit : 0);
}

static inline struct unwind_code unwind_code(enum unwind_kind kind, unsigned reg,
                                             unsigned long long offset)
{
    return (struct unwind_code){.kind = kind, .reg = reg, .offset = offset};
}

static inline struct unwind_code unwind_jump_register(unsigned rd, unsigned rs1)
{
    if (rd == UNWIND_RA || rd == UNWIND_T0)
        return unwind_code(UNWIND_CALL, 0, 0);
    return unwind_code(rd == 0 && rs1 == UNWIND_RA ? UNWIND_RETURN : UNWIND_AWAY, rs1, 0);
}

static inline struct unwind_code unwind_decode_wide(unsigned insn, bool is_32)
{
    unsigned opcode = insn & 0x7f, f3 = unwind_bits(insn, 12, 3, 0), width = is_32 ? 2 : 3;
    unsigned rd = unwind_bits(insn, 7, 5, 0), rs1 = unwind_bits(insn, 15, 5, 0);
    unsigned long long immediate = unwind_sign(insn >> 20, 11);

    if (opcode == 0x03 && f3 == width && rs1 == UNWIND_SP)
        return unwind_code(UNWIND_LOAD, rd, immediate);
    if (opcode == 0x23 && f3 == width && rs1 == UNWIND_SP)
        return unwind_code(UNWIND_SAVE, unwind_bits(insn, 20, 5, 0),
                           unwind_sign(unwind_bits(insn, 25, 7, 5) | rd, 11));
    if (opcode == 0x13 && f3 == 0 && rd == UNWIND_SP)
        return unwind_code(UNWIND_MOVE_SP, rs1, immediate);
    if ((opcode == 0x13 || opcode == 0x33) && rd == UNWIND_SP)
        return unwind_code(UNWIND_SET_SP, 0, 0);
    if (opcode == 0x6f && rd == 0)
        return unwind_code(UNWIND_JUMP, 0,
                           unwind_sign(unwind_bits(insn, 31, 1, 20) | unwind_bits(insn, 12, 8, 12) |
                                       unwind_bits(insn, 20, 1, 11) | unwind_bits(insn, 21, 10, 1),
                                       20));
    if (opcode == 0x6f)
        return unwind_code(UNWIND_CALL, 0, 0);
    if (opcode == 0x67)
        return unwind_jump_register(rd, rs1);
    if (opcode == 0x73 && f3 == 0 && insn != 0x00000073)
        return unwind_code(UNWIND_AWAY, 0, 0);
    return unwind_code(UNWIND_OTHER, 0, 0);
}

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

/* The instruction in the low 16 or 32 bits. */
static inline struct unwind_code unwind_decode(unsigned insn, bool is_32)
{
    unsigned rd = unwind_bits(insn, 7, 5, 0);

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

/* Whether a return address can lie behind these two halfwords: jal, jalr, c.jal and c.jalr with a
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
