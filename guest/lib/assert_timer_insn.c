/* Decodes the RISC-V instructions that move the stack pointer, save and load registers, and
 * transfer control; see assert_timer_code.h. Formats: Unprivileged ISA 20240411, chapters 2 and 27
 * (C extension). */
#include "assert_timer_code.h"

#ifdef __riscv
#include "isa/field.h"

enum { X0, RA, SP, T0 = 5, T1, A0 = 10, IS_64 = __riscv_xlen == 64 };

static struct code_insn make(enum code_kind kind, unsigned rd, unsigned rs1, intptr_t constant)
{
    return (struct code_insn){.kind = kind, .rd = rd, .rs1 = rs1, .constant = constant};
}

static struct code_insn store(unsigned rs2, unsigned rs1, intptr_t constant)
{
    return (struct code_insn){.kind = CODE_STORE, .rs1 = rs1, .rs2 = rs2, .constant = constant};
}

static struct code_insn other(unsigned rd)
{
    return make(CODE_OTHER, rd, X0, 0);
}

static struct code_insn jump_register(unsigned rd, unsigned rs1)
{
    if (rd == RA || rd == T0)
        return make(CODE_CALL, rd, rs1, 0);
    if (rd == T1)
        return make(CODE_TAIL, X0, rs1, 0);
    return make(rd == X0 && rs1 == RA ? CODE_RETURN : CODE_END, X0, rs1, 0);
}

/* ---- 32 bits --------------------------------------------------------------------------------- */

static struct code_insn transfer(uint32_t insn, unsigned rd, unsigned rs1)
{
    switch (field_bits(insn, 0, 7, 0)) {
    case 0x63: return make(CODE_BRANCH, X0, X0, (intptr_t)field_branch(insn));
    case 0x67: return jump_register(rd, rs1);
    default:   return make(rd == X0 ? CODE_JUMP : CODE_CALL, rd, X0,
                             (intptr_t)field_jump(insn));
    }
}

static struct code_insn add(uint32_t insn, unsigned rd, unsigned rs1)
{
    unsigned function = field_bits(insn, 12, 3, 0) | field_bits(insn, 25, 7, 3);
    struct code_insn own = make(function == 0 ? CODE_ADD : CODE_SUBTRACT, rd, rs1, 0);

    own.rs2 = field_bits(insn, 20, 5, 0);
    return function == 0 || function == 0x20 << 3 ? own : other(rd);
}

static struct code_insn decode_wide(uint32_t insn)
{
    unsigned f3 = field_bits(insn, 12, 3, 0), whole = IS_64 ? 3 : 2, f5 = insn >> 27;
    unsigned rd = field_bits(insn, 7, 5, 0), rs1 = field_bits(insn, 15, 5, 0);
    intptr_t constant = (intptr_t)field_sign(insn >> 20, 11);

    switch (field_bits(insn, 0, 7, 0)) {
    case 0x03: return f3 == whole ? make(CODE_LOAD, rd, rs1, constant) : other(rd);
    case 0x13: return f3 == 0 ? make(CODE_ADD_CONSTANT, rd, rs1, constant) : other(rd);
    case 0x1b: return f3 == 0 ? make(CODE_ADD_WORD, rd, rs1, constant) : other(rd);
    case 0x37: return make(CODE_ADD_CONSTANT, rd, X0, (intptr_t)field_sign(insn & ~0xfffu, 31));
    case 0x33: return add(insn, rd, rs1);
    case 0x23:
        constant = (intptr_t)field_store(insn);
        return f3 == whole ? store(field_bits(insn, 20, 5, 0), rs1, constant) : other(X0);
    case 0x63: case 0x67: case 0x6f: return transfer(insn, rd, rs1);
    case 0x53: return other(f5 == 0x14 || f5 == 0x18 || f5 == 0x1c ? rd : X0);
    case 0x07: case 0x0f: case 0x27: case 0x43: case 0x47: case 0x4b: case 0x4f: return other(X0);
    case 0x73:                          /* unimp ends the code, too */
        if (insn == 0x73 || (f3 != 0 && insn != 0xc0001073))
            return other(insn == 0x73 ? A0 : rd);
        return make(CODE_END, X0, X0, 0);
    default: return other(rd);
    }
}

/* ---- 16 bits --------------------------------------------------------------------------------- */

static struct code_insn decode_c0(uint32_t insn, unsigned f3)
{
    unsigned rd = 8 + field_bits(insn, 2, 3, 0), rs1 = 8 + field_bits(insn, 7, 3, 0);
    intptr_t words = (intptr_t)(field_bits(insn, 10, 3, 3) | field_bits(insn, 6, 1, 2) |
                                field_bits(insn, 5, 1, 6));
    intptr_t doubles = (intptr_t)(field_bits(insn, 10, 3, 3) | field_bits(insn, 5, 2, 6));

    switch (f3) {
    case 0:
        return make(CODE_ADD_CONSTANT, rd, SP,
                    (intptr_t)(field_bits(insn, 11, 2, 4) | field_bits(insn, 7, 4, 6) |
                               field_bits(insn, 6, 1, 2) | field_bits(insn, 5, 1, 3)));
    case 2: return IS_64 ? other(rd) : make(CODE_LOAD, rd, rs1, words);
    case 3: return IS_64 ? make(CODE_LOAD, rd, rs1, doubles) : other(X0);
    case 4: return other(rd);
    case 6: return IS_64 ? other(X0) : store(rd, rs1, words);
    case 7: return IS_64 ? store(rd, rs1, doubles) : other(X0);
    default: return other(X0);
    }
}

static intptr_t short_branch_offset(uint32_t insn)
{
    return (intptr_t)field_sign(field_bits(insn, 12, 1, 8) | field_bits(insn, 5, 2, 6) |
                                field_bits(insn, 2, 1, 5) | field_bits(insn, 10, 2, 3) |
                                field_bits(insn, 3, 2, 1), 8);
}

static struct code_insn decode_c1(uint32_t insn, unsigned f3, unsigned rd)
{
    intptr_t constant = (intptr_t)field_c_immediate(insn);

    switch (f3) {
    case 0: return make(CODE_ADD_CONSTANT, rd, rd, constant);
    case 1: return IS_64 ? make(CODE_ADD_WORD, rd, rd, constant) : make(CODE_CALL, RA, X0, 0);
    case 2: return make(CODE_ADD_CONSTANT, rd, X0, constant);
    case 3:
        return rd == SP ? make(CODE_ADD_CONSTANT, SP, SP, (intptr_t)field_c_addi16sp(insn))
                        : make(CODE_ADD_CONSTANT, rd, X0, constant * 4096);
    case 4: return other(8 + field_bits(insn, 7, 3, 0));
    case 5: return make(CODE_JUMP, X0, X0, (intptr_t)field_c_jump(insn));
    default: return make(CODE_BRANCH, X0, X0, short_branch_offset(insn));
    }
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static struct code_insn decode_registers(uint32_t insn, unsigned rd, unsigned rs2)
{
    bool is_second = field_bits(insn, 12, 1, 0) != 0;
    struct code_insn own = make(CODE_ADD, rd, is_second ? rd : X0, 0);

    if (rs2 == 0)
        return rd == 0 ? make(CODE_END, X0, X0, 0) : jump_register(is_second ? RA : X0, rd);
    own.rs2 = rs2;
    return own;
}

static struct code_insn decode_c2(uint32_t insn, unsigned f3, unsigned rd)
{
    unsigned rs2 = field_bits(insn, 2, 5, 0);

    switch (f3) {
    case 0: return other(rd);
    case 2:
        return IS_64 ? other(rd) : make(CODE_LOAD, rd, SP, (intptr_t)field_c_lwsp(insn));
    case 3:
        return IS_64 ? make(CODE_LOAD, rd, SP, (intptr_t)field_c_ldsp(insn)) : other(X0);
    case 4: return decode_registers(insn, rd, rs2);
    case 6:
        return IS_64 ? other(X0) : store(rs2, SP, (intptr_t)field_c_swsp(insn));
    case 7:
        return IS_64 ? store(rs2, SP, (intptr_t)field_c_sdsp(insn)) : other(X0);
    default: return other(X0);
    }
}

struct code_insn code_decode(uint32_t insn)
{
    unsigned f3 = field_bits(insn, 13, 3, 0), rd = field_bits(insn, 7, 5, 0);
    struct code_insn own;

    if ((insn & 3) == 3)
        own = decode_wide(insn);
    else if ((insn & 0xffff) == 0)
        own = make(CODE_END, X0, X0, 0);
    else
        own = (insn & 3) == 0 ? decode_c0(insn, f3)
              : (insn & 3) == 1 ? decode_c1(insn, f3, rd) : decode_c2(insn, f3, rd);
    own.bytes = (insn & 3) == 3 ? 4 : 2;
    return own;
}
#endif
