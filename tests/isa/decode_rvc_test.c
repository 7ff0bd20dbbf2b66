/* Compressed instructions: each halfword is one of them or illegal, and expands as chapter 26 says.
 * The encodings were assembled with GNU as, their meaning is written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "isa/pattern.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define F(number) (REG_F0 + (number))

static const struct row {
    unsigned op;
    uint32_t mask, match;
} half_rows[] = {
#define RVC(name, pattern, op, ...) \
    {OP_##op, PATTERN_RVC_MASK(pattern), PATTERN_RVC_MATCH(pattern)},
#include "isa/insn.def"
};

static struct insn decoded(uint32_t bits)
{
    struct insn insn;
    insn_decode(&insn, bits);
    return insn;
}

/* The conditions ask whether an immediate is zero and about registers in their full fields. */
static bool meets_condition(size_t row, uint32_t bits)
{
    uint32_t rd = bits >> 7 & 31, rs1 = rd, rs2 = bits >> 2 & 31;
    uint32_t imm = (bits & 3) == 0 ? bits >> 5 & 0xff : (bits >> 2 & 31) | (bits >> 12 & 1) << 5;
    size_t at = 0;
#define RVC(name, pattern, op, rd_place, rs1_place, rs2_place, scrambling, condition) \
    if (at++ == row)                                                                  \
        return condition;
#include "isa/insn.def"
    (void)rd, (void)rs1, (void)rs2, (void)imm;
    return false;
}

static void every_halfword_belongs_to_one_compressed_row_or_is_illegal(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        unsigned op = OP_illegal, rows = 0;
        if ((bits & 3) == 3)
            continue;
        for (size_t i = 0; i < COUNT_OF(half_rows); i++)
            if ((bits & half_rows[i].mask) == half_rows[i].match && meets_condition(i, bits)) {
                op = half_rows[i].op;
                rows++;
            }
        if (rows > 1 || decoded(bits).op != op)
            fail_msg("%#06x matches %u rows, decodes to %s", bits, rows,
                     insn_info[decoded(bits).op].name);
    }
}

struct expansion {
    uint32_t bits;
    unsigned op, rd, rs1, rs2;
    int32_t imm;
};

static void check_expansions(const struct expansion *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct expansion *row = &rows[i];
        struct insn insn = decoded(row->bits | 0xabcd0000);
        if (insn.op != row->op || insn.rd != row->rd || insn.rs1 != row->rs1 ||
            insn.rs2 != row->rs2 || insn.imm != row->imm || insn.rs3 != 0 || insn.rm != 0)
            fail_msg("%#06x: %s, rd %u, rs1 %u, rs2 %u, imm %d", row->bits, insn_info[insn.op].name,
                     insn.rd, insn.rs1, insn.rs2, insn.imm);
        assert_int_equal(insn.bits, row->bits);
        assert_int_equal(insn.length, 2);
    }
}

static const struct expansion expansions[] = {
    {0x0040, OP_addi, 8, 2, 0, 4},              /* c.addi4spn s0, sp, 4 */
    {0x1ffc, OP_addi, 15, 2, 0, 1020},          /* c.addi4spn a5, sp, 1020 */
    {0x0028, OP_addi, 10, 2, 0, 8},             /* c.addi4spn a0, sp, 8 */
    {0x0808, OP_addi, 10, 2, 0, 16},            /* c.addi4spn a0, sp, 16 */
    {0x0088, OP_addi, 10, 2, 0, 64},            /* c.addi4spn a0, sp, 64 */
    {0x2380, OP_fld, F(8), 15, 0, 0},           /* c.fld fs0, 0(a5) */
    {0x3c7c, OP_fld, F(15), 8, 0, 248},         /* c.fld fa5, 248(s0) */
    {0x2128, OP_fld, F(10), 10, 0, 64},         /* c.fld fa0, 64(a0) */
    {0x41c8, OP_lw, 10, 11, 0, 4},              /* c.lw a0, 4(a1) */
    {0x43a4, OP_lw, 9, 15, 0, 64},              /* c.lw s1, 64(a5) */
    {0x5c78, OP_lw, 14, 8, 0, 124},             /* c.lw a4, 124(s0) */
    {0x4418, OP_lw, 14, 8, 0, 8},               /* c.lw a4, 8(s0) */
    {0x6690, OP_ld, 12, 13, 0, 8},              /* c.ld a2, 8(a3) */
    {0x62f0, OP_ld, 12, 13, 0, 192},            /* c.ld a2, 192(a3) */
    {0xb690, OP_fsd, REG_SINK, 13, F(12), 40},  /* c.fsd fa2, 40(a3) */
    {0xc1e8, OP_sw, REG_SINK, 11, 10, 68},      /* c.sw a0, 68(a1) */
    {0xdcc0, OP_sw, REG_SINK, 9, 8, 60},        /* c.sw s0, 60(s1) */
    {0xff7c, OP_sd, REG_SINK, 14, 15, 248},     /* c.sd a5, 248(a4) */
    {0xe300, OP_sd, REG_SINK, 14, 8, 0},        /* c.sd s0, 0(a4) */
    {0x0001, OP_addi, REG_SINK, 0, 0, 0},       /* c.nop */
    {0x0505, OP_addi, 10, 10, 0, 1},            /* c.addi a0, 1 */
    {0x1ffd, OP_addi, 31, 31, 0, -1},           /* c.addi t6, -1 */
    {0x1101, OP_addi, 2, 2, 0, -32},            /* c.addi sp, -32 */
    {0x00fd, OP_addi, 1, 1, 0, 31},             /* c.addi ra, 31 */
    {0x2501, OP_addiw, 10, 10, 0, 0},           /* c.addiw a0, 0 */
    {0x3281, OP_addiw, 5, 5, 0, -32},           /* c.addiw t0, -32 */
    {0x2ffd, OP_addiw, 31, 31, 0, 31},          /* c.addiw t6, 31 */
    {0x4501, OP_addi, 10, 0, 0, 0},             /* c.li a0, 0 */
    {0x58fd, OP_addi, 17, 0, 0, -1},            /* c.li a7, -1 */
    {0x4155, OP_addi, 2, 0, 0, 21},             /* c.li sp, 21 */
    {0x6141, OP_addi, 2, 2, 0, 16},             /* c.addi16sp sp, 16 */
    {0x717d, OP_addi, 2, 2, 0, -16},            /* c.addi16sp sp, -16 */
    {0x7101, OP_addi, 2, 2, 0, -512},           /* c.addi16sp sp, -512 */
    {0x617d, OP_addi, 2, 2, 0, 496},            /* c.addi16sp sp, 496 */
    {0x6105, OP_addi, 2, 2, 0, 32},             /* c.addi16sp sp, 32 */
    {0x6109, OP_addi, 2, 2, 0, 128},            /* c.addi16sp sp, 128 */
    {0x6505, OP_lui, 10, 0, 0, 0x1000},         /* c.lui a0, 1 */
    {0x60fd, OP_lui, 1, 0, 0, 0x1f000},         /* c.lui ra, 0x1f */
    {0x7f81, OP_lui, 31, 0, 0, -0x20000},       /* c.lui t6, 0xfffe0 */
    {0x8105, OP_srli, 10, 10, 0, 1},            /* c.srli a0, 1 */
    {0x93fd, OP_srli, 15, 15, 0, 63},           /* c.srli a5, 63 */
    {0x9401, OP_srai, 8, 8, 0, 32},             /* c.srai s0, 32 */
    {0x8491, OP_srai, 9, 9, 0, 4},              /* c.srai s1, 4 */
    {0x997d, OP_andi, 10, 10, 0, -1},           /* c.andi a0, -1 */
    {0x88bd, OP_andi, 9, 9, 0, 15},             /* c.andi s1, 15 */
    {0x8d0d, OP_sub, 10, 10, 11, 0},            /* c.sub a0, a1 */
    {0x8c25, OP_xor, 8, 8, 9, 0},               /* c.xor s0, s1 */
    {0x8e55, OP_or, 12, 12, 13, 0},             /* c.or a2, a3 */
    {0x8f7d, OP_and, 14, 14, 15, 0},            /* c.and a4, a5 */
    {0x9f81, OP_subw, 15, 15, 8, 0},            /* c.subw a5, s0 */
    {0x9ca9, OP_addw, 9, 9, 10, 0},             /* c.addw s1, a0 */
    {0xa009, OP_jal, REG_SINK, 0, 0, 2},        /* c.j .+2 */
    {0xbffd, OP_jal, REG_SINK, 0, 0, -2},       /* c.j .-2 */
    {0xb001, OP_jal, REG_SINK, 0, 0, -2048},    /* c.j .-2048 */
    {0xaffd, OP_jal, REG_SINK, 0, 0, 2046},     /* c.j .+2046 */
    {0xa101, OP_jal, REG_SINK, 0, 0, 1024},     /* c.j .+1024 */
    {0xa081, OP_jal, REG_SINK, 0, 0, 64},       /* c.j .+64 */
    {0xa005, OP_jal, REG_SINK, 0, 0, 32},       /* c.j .+32 */
    {0xa201, OP_jal, REG_SINK, 0, 0, 256},      /* c.j .+256 */
    {0xc111, OP_beq, REG_SINK, 10, 0, 4},       /* c.beqz a0, .+4 */
    {0xd001, OP_beq, REG_SINK, 8, 0, -256},     /* c.beqz s0, .-256 */
    {0xcffd, OP_beq, REG_SINK, 15, 0, 254},     /* c.beqz a5, .+254 */
    {0xfdfd, OP_bne, REG_SINK, 11, 0, -2},      /* c.bnez a1, .-2 */
    {0xe185, OP_bne, REG_SINK, 11, 0, 32},      /* c.bnez a1, .+32 */
    {0xe1a1, OP_bne, REG_SINK, 11, 0, 64},      /* c.bnez a1, .+64 */
    {0x0506, OP_slli, 10, 10, 0, 1},            /* c.slli a0, 1 */
    {0x1ffe, OP_slli, 31, 31, 0, 63},           /* c.slli t6, 63 */
    {0x1082, OP_slli, 1, 1, 0, 32},             /* c.slli ra, 32 */
    {0x2002, OP_fld, F(0), 2, 0, 0},            /* c.fldsp ft0, 0(sp) */
    {0x3dfe, OP_fld, F(27), 2, 0, 504},         /* c.fldsp fs11, 504(sp) */
    {0x2506, OP_fld, F(10), 2, 0, 64},          /* c.fldsp fa0, 64(sp) */
    {0x4512, OP_lw, 10, 2, 0, 4},               /* c.lwsp a0, 4(sp) */
    {0x50fe, OP_lw, 1, 2, 0, 252},              /* c.lwsp ra, 252(sp) */
    {0x4f86, OP_lw, 31, 2, 0, 64},              /* c.lwsp t6, 64(sp) */
    {0x60a2, OP_ld, 1, 2, 0, 8},                /* c.ldsp ra, 8(sp) */
    {0x7dfe, OP_ld, 27, 2, 0, 504},             /* c.ldsp s11, 504(sp) */
    {0x7d82, OP_ld, 27, 2, 0, 32},              /* c.ldsp s11, 32(sp) */
    {0x8082, OP_jalr, REG_SINK, 1, 0, 0},       /* c.jr ra */
    {0x8f82, OP_jalr, REG_SINK, 31, 0, 0},      /* c.jr t6 */
    {0x852e, OP_add, 10, 0, 11, 0},             /* c.mv a0, a1 */
    {0x8f86, OP_add, 31, 0, 1, 0},              /* c.mv t6, ra */
    {0x9002, OP_ebreak, REG_SINK, 0, 0, 0},     /* c.ebreak */
    {0x9782, OP_jalr, 1, 15, 0, 0},             /* c.jalr a5 */
    {0x9082, OP_jalr, 1, 1, 0, 0},              /* c.jalr ra */
    {0x952e, OP_add, 10, 10, 11, 0},            /* c.add a0, a1 */
    {0x917e, OP_add, 2, 2, 31, 0},              /* c.add sp, t6 */
    {0xbfa2, OP_fsd, REG_SINK, 2, F(8), 504},   /* c.fsdsp fs0, 504(sp) */
    {0xa47e, OP_fsd, REG_SINK, 2, F(31), 8},    /* c.fsdsp ft11, 8(sp) */
    {0xc22a, OP_sw, REG_SINK, 2, 10, 4},        /* c.swsp a0, 4(sp) */
    {0xdf82, OP_sw, REG_SINK, 2, 0, 252},       /* c.swsp zero, 252(sp) */
    {0xc0fe, OP_sw, REG_SINK, 2, 31, 64},       /* c.swsp t6, 64(sp) */
    {0xe406, OP_sd, REG_SINK, 2, 1, 8},         /* c.sdsp ra, 8(sp) */
    {0xffa2, OP_sd, REG_SINK, 2, 8, 504},       /* c.sdsp s0, 504(sp) */
    {0xe0a2, OP_sd, REG_SINK, 2, 8, 64},        /* c.sdsp s0, 64(sp) */
};

static void compressed_instructions_expand_as_the_manual_says(void **state)
{
    (void)state;
    check_expansions(expansions, COUNT_OF(expansions));
}

static void compressed_hints_are_legal_and_change_nothing(void **state)
{
    (void)state;
    static const struct expansion rows[] = {
        {0x0005, OP_addi, REG_SINK, 0, 0, 1},       /* c.nop 1 */
        {0x107d, OP_addi, REG_SINK, 0, 0, -1},      /* c.nop -1 */
        {0x0501, OP_addi, 10, 10, 0, 0},            /* c.addi a0, 0 */
        {0x4005, OP_addi, REG_SINK, 0, 0, 1},       /* c.li zero, 1 */
        {0x6005, OP_lui, REG_SINK, 0, 0, 0x1000},   /* c.lui zero, 1 */
        {0x0006, OP_slli, REG_SINK, 0, 0, 1},       /* c.slli zero, 1 */
        {0x0502, OP_slli, 10, 10, 0, 0},            /* c.slli64 a0 */
        {0x8101, OP_srli, 10, 10, 0, 0},            /* c.srli64 a0 */
        {0x8501, OP_srai, 10, 10, 0, 0},            /* c.srai64 a0 */
        {0x802e, OP_add, REG_SINK, 0, 11, 0},       /* c.mv zero, a1 */
        {0x902e, OP_add, REG_SINK, 0, 11, 0},       /* c.add zero, a1 */
        {0x900a, OP_add, REG_SINK, 0, 2, 0},        /* c.ntl.p1 */
    };
    check_expansions(rows, COUNT_OF(rows));
}

static void reserved_halfwords_are_illegal(void **state)
{
    (void)state;
    static const uint32_t bits[] = {
        0x0000,             /* all zeros */
        0x0004, 0x001c,     /* c.addi4spn without an immediate */
        0x8000, 0x9ffc,     /* quadrant 0, funct3 100 */
        0x2001, 0x3005,     /* c.addiw zero */
        0x6001, 0x6501,     /* c.lui without an immediate */
        0x6101,             /* c.addi16sp without an immediate */
        0x9c41, 0x9c61,     /* between c.addw and the next row */
        0x4002, 0x5012,     /* c.lwsp zero */
        0x6002, 0x7012,     /* c.ldsp zero */
        0x8002,             /* c.jr zero */
    };
    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        struct insn insn = decoded(bits[i]);
        if (insn.op != OP_illegal)
            fail_msg("%#06x decodes to %s", bits[i], insn_info[insn.op].name);
        assert_int_equal(insn.rd, REG_SINK);
        assert_int_equal(insn.rs1 + insn.rs2 + insn.imm, 0);
        assert_int_equal(insn.length, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_halfword_belongs_to_one_compressed_row_or_is_illegal),
        cmocka_unit_test(compressed_instructions_expand_as_the_manual_says),
        cmocka_unit_test(compressed_hints_are_legal_and_change_nothing),
        cmocka_unit_test(reserved_halfwords_are_illegal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
