/* The meaning of an instruction for a stack walk: the kinds that its decoder returns. */
#ifndef PMU_UNWIND_UNWIND_KIND_H
#define PMU_UNWIND_UNWIND_KIND_H

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

#endif
