/* Results of instructions, against results written by hand: at least one vector for every integer,
 * branch and atomic operation and for the moves of the FPU. fp_test.c and fp_soft_test.c test
 * arithmetic that rounds; this test only checks that each row calls the right function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/fp.h"
#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIN (UINT64_C(1) << 63)
#define MAX (MIN - 1)
#define ONES UINT64_MAX
#define MIN32 UINT64_C(0xffffffff80000000)
#define PATTERN UINT64_C(0x0123456789abcdef)

struct vector {
    unsigned op;
    uint64_t a, b;
    int32_t imm;
    uint64_t result;
};

static const struct vector base_vectors[] = {
    {OP_lui, 0, 0, INT32_MIN, MIN32},
    {OP_lui, 7, 7, 0x12345000, 0x12345000},
    {OP_addi, MAX, 0, 1, MIN},
    {OP_addi, 5, 0, -6, ONES},
    {OP_slti, ONES, 0, 0, 1},
    {OP_slti, 0, 0, -1, 0},
    {OP_slti, MIN, 0, -2048, 1},
    {OP_sltiu, 0, 0, -1, 1},
    {OP_sltiu, ONES, 0, -1, 0},
    {OP_sltiu, 0, 0, 1, 1},
    {OP_xori, PATTERN, 0, -1, ~PATTERN},
    {OP_ori, 0, 0, -2048, 0xfffffffffffff800},
    {OP_ori, PATTERN, 0, 0x7f0, 0x0123456789abcfff},
    {OP_andi, PATTERN, 0, 0xff, 0xef},
    {OP_andi, ONES, 0, -16, 0xfffffffffffffff0},
    {OP_slli, 1, 0, 63, MIN},
    {OP_slli, PATTERN, 0, 0, PATTERN},
    {OP_srli, MIN, 0, 63, 1},
    {OP_srli, ONES, 0, 4, 0x0fffffffffffffff},
    {OP_srai, MIN, 0, 63, ONES},
    {OP_srai, MAX, 0, 62, 1},
    {OP_add, ONES, 1, 0, 0},
    {OP_sub, 0, 1, 0, ONES},
    {OP_sub, MIN, 1, 0, MAX},
    {OP_sll, 1, 64 + 3, 0, 8},
    {OP_sll, 1, 63, 0, MIN},
    {OP_slt, MIN, MAX, 0, 1},
    {OP_slt, 0, 0, 0, 0},
    {OP_slt, MAX, MIN, 0, 0},
    {OP_sltu, MIN, MAX, 0, 0},
    {OP_sltu, 0, ONES, 0, 1},
    {OP_xor, PATTERN, ONES, 0, ~PATTERN},
    {OP_srl, MIN, 64 + 63, 0, 1},
    {OP_sra, MIN, 63, 0, ONES},
    {OP_sra, MIN, 64, 0, MIN},
    {OP_or, 0xf0, 0x0f, 0, 0xff},
    {OP_and, 0xf0, 0x3c, 0, 0x30},
    {OP_addiw, 0x7fffffff, 0, 1, MIN32},
    {OP_addiw, 0xffffffff00000005, 0, 0, 5},
    {OP_slliw, 1, 0, 31, MIN32},
    {OP_slliw, 0x100000001, 0, 0, 1},
    {OP_srliw, MIN32, 0, 31, 1},
    {OP_srliw, 0xf80000000, 0, 0, MIN32},
    {OP_sraiw, 0x80000000, 0, 31, ONES},
    {OP_sraiw, MIN | 0x40000000, 0, 30, 1},
    {OP_addw, 0x7fffffff, 1, 0, MIN32},
    {OP_subw, 0, 1, 0, ONES},
    {OP_subw, 0x80000000, 1, 0, 0x7fffffff},
    {OP_sllw, 1, 32 + 31, 0, MIN32},
    {OP_srlw, 0xffffffff80000000, 31, 0, 1},
    {OP_srlw, 0x80000000, 32, 0, MIN32},
    {OP_sraw, 0x80000000, 32 + 4, 0, 0xfffffffff8000000},
};

static const struct vector m_vectors[] = {
    {OP_mul, ONES, ONES, 0, 1},
    {OP_mul, MIN, 2, 0, 0},
    {OP_mulh, ONES, ONES, 0, 0},
    {OP_mulh, MIN, MIN, 0, UINT64_C(1) << 62},
    {OP_mulh, MIN, 1, 0, ONES},
    {OP_mulhsu, ONES, ONES, 0, ONES},
    {OP_mulhsu, MIN, ONES, 0, MIN},
    {OP_mulhsu, 2, MIN, 0, 1},
    {OP_mulhu, ONES, ONES, 0, ONES - 1},
    {OP_mulhu, MIN, 2, 0, 1},
    {OP_mulw, 0x80000000, 1, 0, MIN32},
    {OP_mulw, 0xffffffff, 0xffffffff, 0, 1},
    {OP_div, 7, -UINT64_C(2), 0, -UINT64_C(3)},
    {OP_div, MIN, ONES, 0, MIN},
    {OP_div, 5, 0, 0, ONES},
    {OP_div, 5, ONES, 0, -UINT64_C(5)},
    {OP_divu, ONES, 2, 0, MAX},
    {OP_divu, 5, 0, 0, ONES},
    {OP_rem, -UINT64_C(7), 2, 0, ONES},
    {OP_rem, 7, -UINT64_C(2), 0, 1},
    {OP_rem, MIN, ONES, 0, 0},
    {OP_rem, 5, 0, 0, 5},
    {OP_remu, ONES, 10, 0, 5},
    {OP_remu, 5, 0, 0, 5},
    {OP_divw, 0x80000000, 0xffffffff, 0, MIN32},
    {OP_divw, 0x1fffffff9, 2, 0, -UINT64_C(3)},
    {OP_divw, 5, 0x100000000, 0, ONES},
    {OP_divuw, 0xffffffff, 1, 0, ONES},
    {OP_divuw, ONES, 2, 0, 0x7fffffff},
    {OP_divuw, 5, 0x100000000, 0, ONES},
    {OP_remw, 0x80000000, 0xffffffff, 0, 0},
    {OP_remw, 0xfffffff9, 2, 0, ONES},
    {OP_remw, 0x80000001, 0, 0, 0xffffffff80000001},
    {OP_remuw, 0xffffffff, 0xfffffff0, 0, 15},
    {OP_remuw, 0x80000001, 0, 0, 0xffffffff80000001},
};

static const struct vector b_vectors[] = {
    {OP_add_uw, ONES, 1, 0, 0x100000000},
    {OP_sh1add, MIN | 3, 1, 0, 7},
    {OP_sh2add, 3, 1, 0, 13},
    {OP_sh3add, 3, ONES, 0, 23},
    {OP_sh1add_uw, 0xffffffff80000000, 1, 0, 0x100000001},
    {OP_sh2add_uw, 0xffffffff80000000, 1, 0, 0x200000001},
    {OP_sh3add_uw, 0xffffffff80000000, 1, 0, 0x400000001},
    {OP_slli_uw, 0xffffffff80000001, 0, 32, MIN | UINT64_C(1) << 32},
    {OP_slli_uw, ONES, 0, 0, 0xffffffff},
    {OP_andn, 0xff, 0x0f, 0, 0xf0},
    {OP_orn, 0, PATTERN, 0, ~PATTERN},
    {OP_xnor, PATTERN, PATTERN, 0, ONES},
    {OP_max, MIN, 1, 0, 1},
    {OP_maxu, MIN, 1, 0, MIN},
    {OP_min, MIN, 1, 0, MIN},
    {OP_minu, MIN, 1, 0, 1},
    {OP_rol, MIN | 1, 1, 0, 3},
    {OP_rol, PATTERN, 64, 0, PATTERN},
    {OP_ror, 3, 1, 0, MIN | 1},
    {OP_ror, PATTERN, 8, 0, 0xef0123456789abcd},
    {OP_rori, PATTERN, 0, 0, PATTERN},
    {OP_rori, PATTERN, 0, 60, 0x123456789abcdef0},
    {OP_rolw, 0x80000001, 1, 0, 3},
    {OP_rolw, 0xffffffff40000000, 33, 0, MIN32},
    {OP_rorw, 1, 1, 0, MIN32},
    {OP_rorw, 0x80000000, 32, 0, MIN32},
    {OP_roriw, 0xff00000000000001, 0, 1, MIN32},
    {OP_roriw, 0x12345678, 0, 8, 0x78123456},
    {OP_clz, 0, 0, 0, 64},
    {OP_clz, 1, 0, 0, 63},
    {OP_clz, ONES, 0, 0, 0},
    {OP_ctz, 0, 0, 0, 64},
    {OP_ctz, MIN, 0, 0, 63},
    {OP_cpop, ONES, 0, 0, 64},
    {OP_cpop, PATTERN, 0, 0, 32},
    {OP_clzw, 0xffffffff00000000, 0, 0, 32},
    {OP_clzw, 0xffffffff00000001, 0, 0, 31},
    {OP_ctzw, 0xffffffff00000000, 0, 0, 32},
    {OP_ctzw, 0x80000000, 0, 0, 31},
    {OP_cpopw, ONES, 0, 0, 32},
    {OP_sext_b, 0x180, 0, 0, 0xffffffffffffff80},
    {OP_sext_b, 0xff7f, 0, 0, 0x7f},
    {OP_sext_h, 0x18000, 0, 0, 0xffffffffffff8000},
    {OP_zext_h, ONES, 0, 0, 0xffff},
    {OP_orc_b, 0x0100800000200001, 0, 0, 0xff00ff0000ff00ff},
    {OP_rev8, PATTERN, 0, 0, 0xefcdab8967452301},
    {OP_bclr, ONES, 64 + 63, 0, MAX},
    {OP_bclri, ONES, 0, 0, ONES - 1},
    {OP_bext, MIN, 63, 0, 1},
    {OP_bext, 2, 64, 0, 0},
    {OP_bexti, 4, 0, 2, 1},
    {OP_binv, 1, 64, 0, 0},
    {OP_binvi, 0, 0, 63, MIN},
    {OP_bset, 0, 64 + 5, 0, 32},
    {OP_bseti, 0, 0, 63, MIN},
    {OP_czero_eqz, 7, 0, 0, 0},
    {OP_czero_eqz, 7, MIN, 0, 7},
    {OP_czero_nez, 7, 0, 0, 7},
    {OP_czero_nez, 7, MIN, 0, 0},
};

static const struct vector branch_vectors[] = {
    {OP_beq, 1, 1, 0, 1}, {OP_beq, MIN, 0, 0, 0},
    {OP_bne, 1, 1, 0, 0}, {OP_bne, UINT64_C(1) << 32, 0, 0, 1},
    {OP_blt, MIN, 0, 0, 1}, {OP_blt, 0, 0, 0, 0}, {OP_blt, 0, ONES, 0, 0},
    {OP_bge, 0, 0, 0, 1}, {OP_bge, 0, ONES, 0, 1}, {OP_bge, MIN, MAX, 0, 0},
    {OP_bltu, 0, ONES, 0, 1}, {OP_bltu, 0, 0, 0, 0}, {OP_bltu, MIN, 1, 0, 0},
    {OP_bgeu, 0, 0, 0, 1}, {OP_bgeu, MIN, MAX, 0, 1}, {OP_bgeu, 0, 1, 0, 0},
};

/* a: memory, as it is loaded. Of the .w results only the low half is stored. */
static const struct vector amo_vectors[] = {
    {OP_amoswap_w, 1, 2, 0, 2}, {OP_amoadd_w, 0x7fffffff, 1, 0, 0x80000000},
    {OP_amoxor_w, 0xff, 0x0f, 0, 0xf0}, {OP_amoand_w, 0xff, 0x3c, 0, 0x3c},
    {OP_amoor_w, 0xf0, 0x0f, 0, 0xff}, {OP_amomin_w, MIN32, 1, 0, 0x80000000},
    {OP_amomin_w, 1, 0x00000001ffffffff, 0, 0xffffffff}, {OP_amomax_w, MIN32, 1, 0, 1},
    {OP_amomax_w, 1, 0x7fffffff80000000, 0, 1}, {OP_amominu_w, MIN32, 1, 0, 1},
    {OP_amominu_w, 1, 0x100000000, 0, 0}, {OP_amomaxu_w, MIN32, 1, 0, 0x80000000},
    {OP_amomaxu_w, 1, 0xf00000000, 0, 1},
    {OP_amoswap_d, 1, MIN, 0, MIN}, {OP_amoadd_d, ONES, 2, 0, 1},
    {OP_amoxor_d, PATTERN, ONES, 0, ~PATTERN}, {OP_amoand_d, ONES, PATTERN, 0, PATTERN},
    {OP_amoor_d, MIN, 1, 0, MIN | 1}, {OP_amomin_d, MIN, MAX, 0, MIN},
    {OP_amomax_d, MIN, MAX, 0, MAX}, {OP_amominu_d, MIN, MAX, 0, MAX},
    {OP_amomaxu_d, MIN, MAX, 0, MIN},
};

#define BOXED(bits) (UINT64_C(0xffffffff00000000) | (bits))
#define ONE_S BOXED(0x3f800000u)
#define ONE_D UINT64_C(0x3ff0000000000000)

static const struct vector fp_move_vectors[] = {
    {OP_fsgnj_s, ONE_S, BOXED(F32_SIGN), 0, BOXED(0xbf800000u)},
    {OP_fsgnj_s, 0x3f800000, ONE_S, 0, BOXED(F32_NAN)},
    {OP_fsgnj_s, ONE_S, 0xbf800000, 0, ONE_S},
    {OP_fsgnjn_s, ONE_S, ONE_S, 0, BOXED(0xbf800000u)},
    {OP_fsgnjx_s, BOXED(0xbf800000u), BOXED(F32_SIGN), 0, ONE_S},
    {OP_fsgnj_d, ONE_D, F64_SIGN, 0, F64_SIGN | ONE_D},
    {OP_fsgnjn_d, ONE_D, F64_SIGN, 0, ONE_D},
    {OP_fsgnjx_d, F64_SIGN | ONE_D, F64_SIGN, 0, ONE_D},
    {OP_fmv_x_w, BOXED(0x80000000u), 0, 0, MIN32},
    {OP_fmv_x_w, 0x123456787fffffff, 0, 0, 0x7fffffff},
    {OP_fmv_w_x, PATTERN, 0, 0, BOXED(0x89abcdefu)},
    {OP_fmv_x_d, PATTERN, 0, 0, PATTERN},
    {OP_fmv_d_x, MIN, 0, 0, MIN},
};

static uint64_t alu(const struct insn *insn, const struct vector *v)
{
    return insn_alu(insn, v->a, v->b, 0);
}

static uint64_t is_taken(const struct insn *insn, const struct vector *v)
{
    return insn_is_taken(insn, v->a, v->b);
}

static uint64_t amo(const struct insn *insn, const struct vector *v)
{
    uint64_t result = insn_amo(insn, v->a, v->b);
    return insn_info[insn->op].mem_bytes == 4 ? (uint32_t)result : result;
}

static uint64_t fp_move(const struct insn *insn, const struct vector *v)
{
    unsigned flags = 0;
    uint64_t result = insn_fp(insn, v->a, v->b, 0, FP_RNE, &flags);
    assert_int_equal(flags, 0);
    return result;
}

/* Marks in `seen` the rows that had a vector. */
static void check(const struct vector *vectors, size_t count, bool seen[OP_COUNT],
                  uint64_t (*compute)(const struct insn *insn, const struct vector *v))
{
    for (size_t i = 0; i < count; i++) {
        const struct vector *v = &vectors[i];
        const struct insn insn = {.op = (uint16_t)v->op, .imm = v->imm};
        uint64_t result = compute(&insn, v);
        seen[v->op] = true;
        if (result != v->result)
            fail_msg("vector %zu, %s: %#llx", i, insn_info[v->op].name, (unsigned long long)result);
    }
}

static void check_all_seen(const bool seen[OP_COUNT], unsigned kind)
{
    for (unsigned op = 0; op < OP_ROWS; op++)       /* the others: rv32_test.c */
        if (insn_info[op].kind == kind && !seen[op])
            fail_msg("%s has no vector", insn_info[op].name);
}

static void integer_instructions_compute_what_the_manual_says(void **state)
{
    (void)state;
    bool seen[OP_COUNT] = {[OP_auipc] = true};      /* below */
    check(base_vectors, COUNT_OF(base_vectors), seen, alu);
    check(m_vectors, COUNT_OF(m_vectors), seen, alu);
    check(b_vectors, COUNT_OF(b_vectors), seen, alu);
    check_all_seen(seen, KIND_ALU);
}

static void auipc_adds_to_the_address_of_the_instruction(void **state)
{
    (void)state;
    const struct insn back = {.op = OP_auipc, .imm = -4096}, ahead = {.op = OP_auipc, .imm = 4096};
    assert_int_equal(insn_alu(&back, 1, 2, 0x80000010), 0x7ffff010);
    assert_int_equal(insn_alu(&ahead, 1, 2, UINT64_C(0xfffffffffffff800)), 0x800);
}

static void branches_compare_signed_and_unsigned(void **state)
{
    (void)state;
    bool seen[OP_COUNT] = {false};
    check(branch_vectors, COUNT_OF(branch_vectors), seen, is_taken);
    check_all_seen(seen, KIND_BRANCH);
}

static void atomics_compare_in_their_own_width(void **state)
{
    (void)state;
    bool seen[OP_COUNT] = {false};
    check(amo_vectors, COUNT_OF(amo_vectors), seen, amo);
    check_all_seen(seen, KIND_AMO);
}

static void moves_of_the_fpu_respect_boxes_and_raise_nothing(void **state)
{
    (void)state;
    bool seen[OP_COUNT] = {false};
    check(fp_move_vectors, COUNT_OF(fp_move_vectors), seen, fp_move);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const char *name = insn_info[op].name;
        if (strncmp(name, "fsgnj", 5) == 0 || strncmp(name, "fmv", 3) == 0)
            assert_true(seen[op]);
    }
}

/* 3, 2 and 1 tell every operation apart from every other with the same operands. */
static void each_floating_point_row_calls_its_own_function(void **state)
{
    (void)state;
    const uint64_t s3 = BOXED(0x40400000u), s2 = BOXED(0x40000000u), d3 = 0x4008000000000000,
                   d2 = 0x4000000000000000;
    static const struct { unsigned op; uint64_t result; } rows[] = {
        {OP_fadd_s, BOXED(0x40a00000u)}, {OP_fsub_s, ONE_S}, {OP_fmul_s, BOXED(0x40c00000u)},
        {OP_fdiv_s, BOXED(0x3fc00000u)}, {OP_fmin_s, BOXED(0x40000000u)},
        {OP_fmax_s, BOXED(0x40400000u)}, {OP_fmadd_s, BOXED(0x40e00000u)},
        {OP_fmsub_s, BOXED(0x40a00000u)}, {OP_fnmsub_s, BOXED(0xc0a00000u)},
        {OP_fnmadd_s, BOXED(0xc0e00000u)}, {OP_fle_s, 0}, {OP_flt_s, 0}, {OP_feq_s, 0},
        {OP_fclass_s, 1 << 6}, {OP_fcvt_w_s, 3}, {OP_fcvt_wu_s, 3}, {OP_fcvt_l_s, 3},
        {OP_fcvt_lu_s, 3}, {OP_fcvt_d_s, 0x4008000000000000}, {OP_fsqrt_s, BOXED(0x3fddb3d7u)},
        {OP_fadd_d, 0x4014000000000000}, {OP_fsub_d, ONE_D}, {OP_fmul_d, 0x4018000000000000},
        {OP_fdiv_d, 0x3ff8000000000000}, {OP_fmin_d, 0x4000000000000000},
        {OP_fmax_d, 0x4008000000000000}, {OP_fmadd_d, 0x401c000000000000},
        {OP_fmsub_d, 0x4014000000000000}, {OP_fnmsub_d, 0xc014000000000000},
        {OP_fnmadd_d, 0xc01c000000000000}, {OP_fle_d, 0}, {OP_flt_d, 0}, {OP_feq_d, 0},
        {OP_fclass_d, 1 << 6}, {OP_fcvt_w_d, 3}, {OP_fcvt_wu_d, 3}, {OP_fcvt_l_d, 3},
        {OP_fcvt_lu_d, 3}, {OP_fcvt_s_d, BOXED(0x40400000u)}, {OP_fsqrt_d, 0x3ffbb67ae8584caa},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *name = insn_info[rows[i].op].name;
        const struct insn insn = {.op = (uint16_t)rows[i].op};
        bool is_double = i >= COUNT_OF(rows) / 2;
        unsigned flags = 0;
        uint64_t result = is_double ? insn_fp(&insn, d3, d2, ONE_D, FP_RNE, &flags)
                                    : insn_fp(&insn, s3, s2, ONE_S, FP_RNE, &flags);
        if (result != rows[i].result)
            fail_msg("%s: %#llx", name, (unsigned long long)result);
    }
}

static void conversions_from_integers_know_width_and_sign(void **state)
{
    (void)state;
    static const struct { unsigned op; uint64_t result; } rows[] = {    /* of -1 */
        {OP_fcvt_s_w, BOXED(0xbf800000u)}, {OP_fcvt_s_wu, BOXED(0x4f800000u)},
        {OP_fcvt_s_l, BOXED(0xbf800000u)}, {OP_fcvt_s_lu, BOXED(0x5f800000u)},
        {OP_fcvt_d_w, F64_SIGN | ONE_D}, {OP_fcvt_d_wu, 0x41efffffffe00000},
        {OP_fcvt_d_l, F64_SIGN | ONE_D}, {OP_fcvt_d_lu, 0x43f0000000000000},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct insn insn = {.op = (uint16_t)rows[i].op};
        unsigned flags = 0;
        uint64_t result = insn_fp(&insn, ONES, 0, 0, FP_RNE, &flags);
        if (result != rows[i].result)
            fail_msg("%s: %#llx", insn_info[rows[i].op].name, (unsigned long long)result);
    }
}

static void loads_extend_as_their_type_says(void **state)
{
    (void)state;
    static const struct { unsigned op; uint64_t raw, result; } rows[] = {
        {OP_lb, 0x80, 0xffffffffffffff80}, {OP_lb, 0x7f, 0x7f}, {OP_lbu, 0x80, 0x80},
        {OP_lh, 0x8000, 0xffffffffffff8000}, {OP_lhu, 0x8000, 0x8000}, {OP_lw, 0x80000000, MIN32},
        {OP_lwu, 0x80000000, 0x80000000}, {OP_ld, MIN, MIN}, {OP_flw, 0x3f800000, ONE_S},
        {OP_fld, 0x3f800000, 0x3f800000}, {OP_lr_w, 0x80000000, MIN32}, {OP_lr_d, MIN, MIN},
        {OP_amoadd_w, 0x80000000, MIN32}, {OP_amoadd_d, 0x80000000, 0x80000000},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct insn insn = {.op = (uint16_t)rows[i].op};
        assert_int_equal(insn_extend(&insn, rows[i].raw), rows[i].result);
    }
}

static void calls_and_returns_follow_the_link_registers(void **state)
{
    (void)state;
    static const struct { uint32_t bits; bool is_call, is_return; } rows[] = {
        {0x008000ef, true, false},      /* jal ra, .+8 */
        {0x008002ef, true, false},      /* jal t0, .+8 */
        {0x0080006f, false, false},     /* j .+8 */
        {0x008003ef, false, false},     /* jal t2, .+8 */
        {0x00008067, false, true},      /* ret */
        {0x00028067, false, true},      /* jr t0 */
        {0x00050067, false, false},     /* jr a0 */
        {0x000500e7, true, false},      /* jalr a0 */
        {0x000080e7, true, false},      /* jalr ra, ra: macro-op fusion of a far call */
        {0x000282e7, true, false},      /* jalr t0, t0 */
        {0x000280e7, true, true},       /* jalr ra, t0: coroutine */
        {0x8082, false, true},          /* c.jr ra */
        {0x952e, false, false},         /* c.add a0, a1: jalr's neighbour */
        {0x9502, true, false},          /* c.jalr a0 */
        {0x00a50533, false, false},     /* add */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn;
        insn_decode(&insn, rows[i].bits);
        if (insn_is_call(&insn) != rows[i].is_call || insn_is_return(&insn) != rows[i].is_return)
            fail_msg("%#x", rows[i].bits);
    }
}

static void only_comparisons_into_x0_are_marks(void **state)
{
    (void)state;
    static const struct { uint32_t bits; bool is_mark; } rows[] = {
        {0x00052013, true},     /* slti zero, a0, 0 */
        {0xfff53013, true},     /* sltiu zero, a0, -1 */
        {0x00052513, false},    /* slti a0, a0, 0 */
        {0x00a52033, false},    /* slt zero, a0, a0 */
        {0x01f01013, false},    /* slli zero, zero, 31 */
        {0x00000013, false},    /* nop */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn;
        insn_decode(&insn, rows[i].bits);
        assert_int_equal(insn_is_hint_mark(&insn), rows[i].is_mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_instructions_compute_what_the_manual_says),
        cmocka_unit_test(auipc_adds_to_the_address_of_the_instruction),
        cmocka_unit_test(branches_compare_signed_and_unsigned),
        cmocka_unit_test(atomics_compare_in_their_own_width),
        cmocka_unit_test(moves_of_the_fpu_respect_boxes_and_raise_nothing),
        cmocka_unit_test(each_floating_point_row_calls_its_own_function),
        cmocka_unit_test(conversions_from_integers_know_width_and_sign),
        cmocka_unit_test(loads_extend_as_their_type_says),
        cmocka_unit_test(calls_and_returns_follow_the_link_registers),
        cmocka_unit_test(only_comparisons_into_x0_are_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
