/* The decoder against the manual: patterns that exclude each other, operands in the places of the
 * format, and encodings that must stay illegal. Compressed instructions are the business of
 * decode_rvc_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "isa/pattern.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { WORD_BITS = 32, HALF_BITS = 16, FILLS = 300 };

struct row {
    const char *name, *pattern;
    unsigned op;
    uint32_t mask, match;       /* as isa/pattern.h folds them */
};

static const struct row word_rows[] = {
#define INSN(name, pattern, ...) \
    {#name, pattern, OP_##name, PATTERN_MASK(pattern), PATTERN_MATCH(pattern)},
#include "isa/insn.def"
};

static const struct row half_rows[] = {
#define RVC(name, pattern, op, ...) \
    {#name, pattern, OP_##op, PATTERN_RVC_MASK(pattern), PATTERN_RVC_MATCH(pattern)},
#include "isa/insn.def"
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The bits of a pattern that are the character `wanted`, read one by one. */
static uint32_t bits_that_are(const char *pattern, unsigned width, char wanted)
{
    uint32_t bits = 0;
    unsigned at = width;
    for (; *pattern != '\0'; pattern++)
        if (*pattern != ' ')
            bits |= (uint32_t)(*pattern == wanted) << --at;
    assert_int_equal(at, 0);
    return bits;
}

static struct insn decoded(uint32_t bits)
{
    struct insn insn;
    insn_decode(&insn, bits);
    return insn;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void check_folding(const struct row *rows, size_t count, unsigned width)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t zeros = bits_that_are(rows[i].pattern, width, '0');
        uint32_t ones = bits_that_are(rows[i].pattern, width, '1');
        uint32_t dots = bits_that_are(rows[i].pattern, width, '.');
        if (rows[i].mask != (zeros | ones) || rows[i].match != ones ||
            (rows[i].mask ^ dots) != UINT32_MAX >> (32 - width))
            fail_msg("%s: mask %#x, match %#x", rows[i].name, rows[i].mask, rows[i].match);
    }
}

static void masks_folded_by_the_compiler_are_those_of_the_patterns(void **state)
{
    (void)state;
    check_folding(word_rows, COUNT_OF(word_rows), WORD_BITS);
    check_folding(half_rows, COUNT_OF(half_rows), HALF_BITS);
}

static void no_two_patterns_match_the_same_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(word_rows); i++)
        for (size_t j = 0; j < i; j++) {
            const struct row *a = &word_rows[i], *b = &word_rows[j];
            if (((a->match ^ b->match) & a->mask & b->mask) == 0)
                fail_msg("%s and %s", a->name, b->name);
        }
}

static void patterns_have_the_length_that_their_low_bits_announce(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(word_rows); i++) {
        assert_int_equal(word_rows[i].mask & 3, 3);
        assert_int_equal(insn_length(word_rows[i].match), 4);
    }
    for (size_t i = 0; i < COUNT_OF(half_rows); i++) {
        assert_int_equal(half_rows[i].mask & 3, 3);
        assert_int_equal(insn_length(half_rows[i].match), 2);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

enum file { FILE_NONE, FILE_X, FILE_F };
enum imm { IMM_ZERO, IMM_I, IMM_S, IMM_B, IMM_U, IMM_J, IMM_SHAMT, IMM_CSR };
enum rm { RM_NONE, RM_MODE, RM_ORDER };

static const struct format {
    uint8_t rd, rs1, rs2, rs3, imm, rm;
} formats[] = {
#define FORMAT(name, rd, rs1, rs2, rs3, imm, rm, text) \
    {FILE_##rd, FILE_##rs1, FILE_##rs2, FILE_##rs3, IMM_##imm, RM_##rm},
#include "isa/format.def"
};

/* Puts an immediate back where the decoder must have taken it from. */
static uint32_t scrambled(unsigned imm, int32_t value)
{
    uint32_t v = (uint32_t)value;
    switch (imm) {
    case IMM_I:
    case IMM_CSR:
        return v << 20;
    case IMM_S:
        return (v >> 5 & 0x7f) << 25 | (v & 0x1f) << 7;
    case IMM_B:
        return (v >> 12 & 1) << 31 | (v >> 5 & 0x3f) << 25 | (v >> 1 & 0xf) << 8 |
               (v >> 11 & 1) << 7;
    case IMM_U:
        return v;
    case IMM_J:
        return (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 |
               (v >> 12 & 0xff) << 12;
    case IMM_SHAMT:
        return v << 20;
    default:
        return 0;
    }
}

static bool is_in_range(unsigned imm, int32_t value)
{
    static const struct { int32_t least, most, step; } range[] = {
        [IMM_ZERO] = {0, 0, 1}, [IMM_I] = {-2048, 2047, 1}, [IMM_S] = {-2048, 2047, 1},
        [IMM_B] = {-4096, 4094, 2}, [IMM_U] = {INT32_MIN, INT32_MAX, 4096},
        [IMM_J] = {-0x100000, 0xffffe, 2}, [IMM_SHAMT] = {0, 63, 1}, [IMM_CSR] = {0, 4095, 1},
    };
    return value >= range[imm].least && value <= range[imm].most && value % range[imm].step == 0;
}

static uint32_t bits_of_immediate(unsigned imm)
{
    static const uint32_t bits[] = {
        [IMM_ZERO] = 0, [IMM_I] = 0xfff00000, [IMM_S] = 0xfe000f80, [IMM_B] = 0xfe000f80,
        [IMM_U] = 0xfffff000, [IMM_J] = 0xfffff000, [IMM_SHAMT] = 0x03f00000,
        [IMM_CSR] = 0xfff00000,
    };
    return bits[imm];
}

static unsigned source(unsigned file, uint32_t number)
{
    return file == FILE_NONE ? 0 : file == FILE_X ? number & 31 : REG_F0 + (number & 31);
}

static unsigned destination(unsigned file, uint32_t number)
{
    unsigned rd = source(file, number);
    return rd == 0 ? REG_SINK : rd;
}

static bool has_operands_of_its_format(const struct insn *insn, uint32_t bits)
{
    const struct format *format = &formats[insn_info[insn->op].format];
    uint32_t rm = format->rm == RM_MODE    ? bits >> 12 & 7
                  : format->rm == RM_ORDER ? bits >> 25 & 3
                                           : 0;
    return insn->rd == destination(format->rd, bits >> 7) &&
           insn->rs1 == source(format->rs1, bits >> 15) &&
           insn->rs2 == source(format->rs2, bits >> 20) &&
           insn->rs3 == source(format->rs3, bits >> 27) && insn->rm == rm &&
           is_in_range(format->imm, insn->imm) &&
           scrambled(format->imm, insn->imm) == (bits & bits_of_immediate(format->imm));
}

static bool has_reserved_mode(const struct row *row, uint32_t bits)
{
    uint32_t rm = bits >> 12 & 7;
    return (insn_info[row->op].flags & INSN_HAS_RM) != 0 && (rm == 5 || rm == 6);
}

static void any_operand_bits_decode_to_their_row(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    for (size_t i = 0; i < COUNT_OF(word_rows) * FILLS; i++) {
        const struct row *row = &word_rows[i % COUNT_OF(word_rows)];
        uint32_t bits = row->match | ((uint32_t)(draw(&random) >> 20) & ~row->mask);
        struct insn insn = decoded(bits);
        unsigned op = has_reserved_mode(row, bits) ? OP_illegal : row->op;
        if (insn.op != op || insn.bits != bits || insn.length != 4 ||
            (op != OP_illegal && !has_operands_of_its_format(&insn, bits)))
            fail_msg("%s: %#010x decodes to %s, rd %u, rs1 %u, rs2 %u, imm %d", row->name, bits,
                     insn_info[insn.op].name, insn.rd, insn.rs1, insn.rs2, insn.imm);
    }
}

/* ---- illegal encodings ----------------------------------------------------------------------- */

static void check_illegal(const uint32_t *bits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct insn insn = decoded(bits[i]);
        if (insn.op != OP_illegal)
            fail_msg("%#010x decodes to %s", bits[i], insn_info[insn.op].name);
        assert_int_equal(insn.rd, REG_SINK);
        assert_int_equal(insn.rs1 + insn.rs2 + insn.rs3 + insn.imm, 0);
        assert_int_equal(insn.length, insn_length(bits[i]));
    }
}

static void reserved_words_are_illegal(void **state)
{
    (void)state;
    static const uint32_t bits[] = {
        0xffffffff, 0x0000007f, 0x0000001f,
        0x0205151b,         /* slliw a0, a0, 32 */
        0x0205551b,         /* srliw a0, a0, 32 */
        0x4205551b,         /* sraiw a0, a0, 32 */
        0x6205551b,         /* roriw a0, a0, 32 */
        0x04051513,         /* slli with bit 26 */
        0x44055513,         /* srai with bit 26 */
        0x10b5252f,         /* lr.w with rs2 = a1 */
        0x1015352f,         /* lr.d with rs2 = ra */
        0x1005152f,         /* lr.h */
        0x00b5452f,         /* amoadd of 16 bytes */
        0x00c5d553,         /* fadd.s, rounding mode 5 */
        0x02c5e553,         /* fadd.d, rounding mode 6 */
        0x00c5d543,         /* fmadd.s, rounding mode 5 */
        0xc0055553,         /* fcvt.w.s, rounding mode 5 */
        0x04c58553,         /* fadd.h */
        0x58158553,         /* fsqrt.s with rs2 = ra */
        0x20c5b553,         /* fsgnj with funct3 3 */
        0x28c5a553,         /* fmin with funct3 2 */
        0xe0052553,         /* fclass with funct3 2 */
        0xe0151553,         /* fclass with rs2 = ra */
        0xc0458553,         /* fcvt to a fifth integer format */
        0x0000200f,         /* misc-mem, funct3 2 */
        0x00004073,         /* system, funct3 4 */
        0x00200073,         /* uret */
        0x300000f3,         /* ecall's neighbours with rd or rs1 */
        0x302000f3, 0x10208073, 0x105000f3, 0x00008073,
        0x120000f3,         /* sfence.vma with rd = ra */
        0x00052063 | 2u << 12,  /* branch, funct3 2 */
        0x00001067,         /* jalr, funct3 1 */
        0x00007003,         /* load, funct3 7 */
        0x00004023,         /* store, funct3 4 */
        0x00001007, 0x00001027,
        0x0005100b | 7u << 12,  /* custom-0, funct3 7 */
        0x0015000b,         /* rdac with rs2 = ra */
        0x0000402b,         /* custom-1 */
        0x0800452f,         /* amo width 4 */
        0x60351513,         /* clz's neighbour 3 */
        0x28055513,         /* orc.b's neighbours */
        0x6b055513,         /* brev8's place: rev8 with another count */
        0x6b855533,
        0x0815453b,         /* zext.h with rs2 = ra */
        0x0ec59533,         /* czero with funct3 1 */
    };
    check_illegal(bits, COUNT_OF(bits));
}

/* ---- what the table says --------------------------------------------------------------------- */

static void names_are_the_mnemonics_of_assemblers(void **state)
{
    (void)state;
    static const struct { unsigned op; const char *name; } rows[] = {
        {OP_illegal, "illegal"}, {OP_add, "add"}, {OP_add_uw, "add.uw"}, {OP_sext_b, "sext.b"},
        {OP_sh1add_uw, "sh1add.uw"}, {OP_czero_eqz, "czero.eqz"}, {OP_fadd_s, "fadd.s"},
        {OP_fcvt_lu_s, "fcvt.lu.s"}, {OP_fmv_x_w, "fmv.x.w"}, {OP_fnmadd_d, "fnmadd.d"},
        {OP_lr_w, "lr.w"}, {OP_sc_d, "sc.d"}, {OP_amoadd_w, "amoadd.w"},
        {OP_amoswap_d, "amoswap.d"}, {OP_amomaxu_d, "amomaxu.d"}, {OP_fence_i, "fence.i"},
        {OP_sfence_vma, "sfence.vma"}, {OP_rdac, "rdac"}, {OP_rdac_clear, "rdac.clear"},
        {OP_rdic_clear, "rdic.clear"}, {OP_orc_b, "orc.b"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(insn_info[rows[i].op].name, rows[i].name);
}

static void every_op_has_a_whole_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(word_rows); i++) {
        const char *name = insn_info[word_rows[i].op].name;
        assert_non_null(memchr(name, '\0', sizeof insn_info[0].name));
        assert_int_equal(strlen(name), strlen(word_rows[i].name));
        for (size_t at = 0; name[at] != '\0'; at++)
            assert_int_equal(name[at], word_rows[i].name[at] == '_' ? '.' : word_rows[i].name[at]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(name, insn_info[word_rows[j].op].name);
    }
}

static void kinds_go_with_units_sizes_and_flags(void **state)
{
    (void)state;
    static const struct { unsigned op, kind, unit, latency, bytes, flags; } rows[] = {
        {OP_addi, KIND_ALU, UNIT_INT, LAT_INT, 0, 0},
        {OP_mulhu, KIND_ALU, UNIT_COMPLEX, LAT_MUL, 0, 0},
        {OP_remuw, KIND_ALU, UNIT_COMPLEX, LAT_DIV, 0, 0},
        {OP_bgeu, KIND_BRANCH, UNIT_BRANCH, LAT_INT, 0, 0},
        {OP_jal, KIND_JAL, UNIT_BRANCH, LAT_INT, 0, 0},
        {OP_jalr, KIND_JALR, UNIT_BRANCH, LAT_INT, 0, 0},
        {OP_lbu, KIND_LOAD, UNIT_LOAD, LAT_LOAD, 1, 0},
        {OP_flw, KIND_LOAD, UNIT_LOAD, LAT_LOAD, 4, INSN_IS_FP},
        {OP_sh, KIND_STORE, UNIT_STORE, LAT_INT, 2, 0},
        {OP_fsd, KIND_STORE, UNIT_STORE, LAT_INT, 8, INSN_IS_FP},
        {OP_lr_w, KIND_LR, UNIT_LOAD, LAT_LOAD, 4, INSN_IS_SERIAL},
        {OP_sc_d, KIND_SC, UNIT_STORE, LAT_LOAD, 8, INSN_IS_SERIAL},
        {OP_amomin_d, KIND_AMO, UNIT_LOAD, LAT_LOAD, 8, INSN_IS_SERIAL},
        {OP_fdiv_d, KIND_FP, UNIT_FP, LAT_FDIV, 0, INSN_IS_FP | INSN_HAS_RM},
        {OP_fsgnj_s, KIND_FP, UNIT_FP, LAT_FMISC, 0, INSN_IS_FP},
        {OP_fence, KIND_FENCE, UNIT_COMPLEX, LAT_CSR, 0, INSN_IS_SERIAL},
        {OP_fence_i, KIND_FENCE_I, UNIT_COMPLEX, LAT_CSR, 0, INSN_IS_SERIAL},
        {OP_csrrwi, KIND_CSR, UNIT_COMPLEX, LAT_CSR, 0, INSN_IS_SERIAL},
        {OP_mret, KIND_SYSTEM, UNIT_COMPLEX, LAT_CSR, 0, INSN_IS_SERIAL},
        {OP_rdic, KIND_PROFILE, UNIT_COMPLEX, LAT_CSR, 0, INSN_IS_SERIAL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct insn_info *info = &insn_info[rows[i].op];
        assert_int_equal(info->kind, rows[i].kind);
        assert_int_equal(info->unit, rows[i].unit);
        assert_int_equal(info->latency, rows[i].latency);
        assert_int_equal(info->mem_bytes, rows[i].bytes);
        assert_int_equal(info->flags, rows[i].flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_folded_by_the_compiler_are_those_of_the_patterns),
        cmocka_unit_test(no_two_patterns_match_the_same_word),
        cmocka_unit_test(patterns_have_the_length_that_their_low_bits_announce),
        cmocka_unit_test(any_operand_bits_decode_to_their_row),
        cmocka_unit_test(reserved_words_are_illegal),
        cmocka_unit_test(names_are_the_mnemonics_of_assemblers),
        cmocka_unit_test(every_op_has_a_whole_name_of_its_own),
        cmocka_unit_test(kinds_go_with_units_sizes_and_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
