/* The immediates of RISC-V instructions that transfer control, move the stack pointer, or save and
 * load registers on the stack. Used by the decoder, and by stack walks that have no decoder: those
 * of the monitor and of the assert timers (guest/lib). Freestanding; shared by guest and host.
 * Formats: Unprivileged ISA 20240411, chapters 2 and 27 (C extension). */
#ifndef ISA_FIELD_H
#define ISA_FIELD_H

/* `count` bits of an instruction from bit `from` on, moved to bit `to`. */
static inline unsigned field_bits(unsigned insn, unsigned from, unsigned count, unsigned to)
{
    return (insn >> from & ((1u << count) - 1)) << to;
}

/* Extends the sign, which is in `bit`. */
static inline unsigned long long field_sign(unsigned value, unsigned bit)
{
    return (unsigned long long)value - ((value >> bit & 1) != 0 ? 2ull << bit : 0);
}

/* ---- 32 bits --------------------------------------------------------------------------------- */

static inline unsigned long long field_store(unsigned insn)
{
    return field_sign(field_bits(insn, 25, 7, 5) | field_bits(insn, 7, 5, 0), 11);
}

static inline unsigned long long field_branch(unsigned insn)
{
    return field_sign(field_bits(insn, 31, 1, 12) | field_bits(insn, 7, 1, 11) |
                      field_bits(insn, 25, 6, 5) | field_bits(insn, 8, 4, 1), 12);
}

static inline unsigned long long field_jump(unsigned insn)
{
    return field_sign(field_bits(insn, 31, 1, 20) | field_bits(insn, 12, 8, 12) |
                      field_bits(insn, 20, 1, 11) | field_bits(insn, 21, 10, 1), 20);
}

/* ---- 16 bits --------------------------------------------------------------------------------- */

/* c.addi, c.li, and others of six bits */
static inline unsigned long long field_c_immediate(unsigned insn)
{
    return field_sign(field_bits(insn, 12, 1, 5) | field_bits(insn, 2, 5, 0), 5);
}

static inline unsigned long long field_c_addi16sp(unsigned insn)
{
    return field_sign(field_bits(insn, 12, 1, 9) | field_bits(insn, 3, 2, 7) |
                      field_bits(insn, 5, 1, 6) | field_bits(insn, 2, 1, 5) |
                      field_bits(insn, 6, 1, 4), 9);
}

/* c.j, c.jal */
static inline unsigned long long field_c_jump(unsigned insn)
{
    return field_sign(field_bits(insn, 12, 1, 11) | field_bits(insn, 8, 1, 10) |
                      field_bits(insn, 9, 2, 8) | field_bits(insn, 6, 1, 7) |
                      field_bits(insn, 7, 1, 6) | field_bits(insn, 2, 1, 5) |
                      field_bits(insn, 11, 1, 4) | field_bits(insn, 3, 3, 1), 11);
}

static inline unsigned field_c_lwsp(unsigned insn)
{
    return field_bits(insn, 2, 2, 6) | field_bits(insn, 12, 1, 5) | field_bits(insn, 4, 3, 2);
}

static inline unsigned field_c_ldsp(unsigned insn)
{
    return field_bits(insn, 2, 3, 6) | field_bits(insn, 12, 1, 5) | field_bits(insn, 5, 2, 3);
}

static inline unsigned field_c_swsp(unsigned insn)
{
    return field_bits(insn, 7, 2, 6) | field_bits(insn, 9, 4, 2);
}

static inline unsigned field_c_sdsp(unsigned insn)
{
    return field_bits(insn, 7, 3, 6) | field_bits(insn, 10, 3, 3);
}

#endif
