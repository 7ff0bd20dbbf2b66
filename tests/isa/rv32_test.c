/* XLEN = 32: the encodings that exist, those with another meaning than in RV64, and the control and
 * status registers. Values in x registers are sign-extended to 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "isa/pattern.h"
#include "isa/trap.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
/* A word as an x register holds it. */
#define X(word) ((uint64_t)(int64_t)(int32_t)(word))
#define MIN X(0x80000000)
#define MAX X(0x7fffffff)
#define ONES X(0xffffffff)
#define PATTERN X(0x89abcdef)

/* ---- encodings ------------------------------------------------------------------------------- */

struct row {
    const char *name;
    uint32_t mask, match;
    unsigned op;
};

static const struct row word_rows[] = {
#define INSN(name, pattern, ...) {#name, PATTERN_MASK(pattern), PATTERN_MATCH(pattern), OP_##name},
#define ALUX(name, pattern, ...) \
    {#name, PATTERN_MASK(pattern), PATTERN_MATCH(pattern), OP_##name##_32},
#define ISA_RV32
#include "isa/insn.def"
};

static const struct row half_rows[] = {
#define RVC(name, pattern, ...) {#name, PATTERN_RVC_MASK(pattern), PATTERN_RVC_MATCH(pattern), 0},
#define ISA_RV32
#include "isa/insn.def"
};

static struct insn decoded(uint32_t bits)
{
    struct insn insn;
    insn_decode_xlen(&insn, bits, 32);
    return insn;
}

static void no_two_words_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(word_rows); i++)
        for (size_t j = 0; j < i; j++) {
            const struct row *a = &word_rows[i], *b = &word_rows[j];
            if (((a->match ^ b->match) & a->mask & b->mask) == 0)
                fail_msg("%s and %s", a->name, b->name);
        }
}

/* c.addi16sp is c.lui with one destination, c.jr and c.ebreak are rows with an operand of zero, and
 * so on: conditions divide those. Where only the patterns speak, they must not overlap. */
static void compressed_rows_that_replace_others_replace_all_of_them(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"c_flw", "c_ld"}, {"c_fsw", "c_sd"}, {"c_flwsp", "c_ldsp"}, {"c_fswsp", "c_sdsp"},
        {"c_jal", "c_addiw"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        unsigned here = 0, there = 0;
        for (size_t row = 0; row < COUNT_OF(half_rows); row++) {
            here += strcmp(half_rows[row].name, pairs[i][0]) == 0;
            there += strcmp(half_rows[row].name, pairs[i][1]) == 0;
        }
        assert_int_equal(here, 1);
        assert_int_equal(there, 0);
    }
}

static void a_row_decodes_to_itself_where_its_operands_allow(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(word_rows); i++) {
        const struct row *row = &word_rows[i];
        unsigned op = decoded(row->match).op;
        if (op != row->op)
            fail_msg("%s decodes to %s", row->name, insn_info[op].name);
    }
}

static void instructions_of_rv64_alone_are_illegal(void **state)
{
    (void)state;
    static const uint32_t bits[] = {
        0x0005051b, 0x0005151b, 0x00b5053b, 0x02b5053b, 0x02b5453b,     /* addiw ... divw */
        0x00053503, 0x00056503, 0x00b53023,                             /* ld, lwu, sd */
        0x1005352f, 0x18b5352f, 0x00b5352f,                             /* .d atomics */
        0xc0250553, 0xd0250553, 0xe2050553, 0xf2050553,                 /* fcvt.l.s, fmv.x.d */
        0x08b5053b, 0x0805453b, 0x6b855513,                 /* add.uw, zext.h and rev8 of RV64 */
        0x02051513, 0x02055513, 0x42055513, 0x62055513,     /* shifts and rori by 32 */
        0x4a051513, 0x2a051513, 0x6a051513, 0x4a055513,     /* bclri, bseti, binvi, bexti 32 */
        0x9c09, 0x9c29,                                     /* c.subw, c.addw */
        0x1502, 0x9101, 0x9501,                             /* c.slli, c.srli, c.srai by 32 */
    };
    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        struct insn insn;
        insn_decode(&insn, bits[i]);
        if (insn.op == OP_illegal)
            fail_msg("%#010x is illegal in RV64 too", bits[i]);
        if (decoded(bits[i]).op != OP_illegal)
            fail_msg("%#010x decodes to %s", bits[i], insn_info[decoded(bits[i]).op].name);
    }
}

static void instructions_of_rv32_alone_decode(void **state)
{
    (void)state;
    static const struct { uint32_t bits; unsigned op, rd, rs1, rs2; int32_t imm; } rows[] = {
        {0x08054533, OP_zext_h, 10, 10, 0, 0},
        {0x69855513, OP_rev8_32, 10, 10, 0, 0},
        {0x2005, OP_jal, 1, 0, 0, 32},              /* c.jal .+32 */
        {0x37fd, OP_jal, 1, 0, 0, -18},             /* c.jal .-18 */
        {0x6568, OP_flw, REG_F0 + 10, 10, 0, 76},   /* c.flw fa0, 76(a0) */
        {0xe568, OP_fsw, REG_SINK, 10, REG_F0 + 10, 76},
        {0x6502, OP_flw, REG_F0 + 10, 2, 0, 0},     /* c.flwsp fa0, 0(sp) */
        {0x6032, OP_flw, REG_F0 + 0, 2, 0, 12},     /* ft0 is a register like any other */
        {0xe62a, OP_fsw, REG_SINK, 2, REG_F0 + 10, 12},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn = decoded(rows[i].bits);
        assert_string_equal(insn_info[insn.op].name, insn_info[rows[i].op].name);
        assert_int_equal(insn.op, rows[i].op);
        assert_int_equal(insn.rd, rows[i].rd);
        assert_int_equal(insn.rs1, rows[i].rs1);
        assert_int_equal(insn.rs2, rows[i].rs2);
        assert_int_equal(insn.imm, rows[i].imm);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

struct vector {
    unsigned op;
    uint64_t a, b;
    int32_t imm;
    uint64_t result;
};

static const struct vector vectors[] = {
    {OP_addi_32, MAX, 0, 1, MIN}, {OP_addi_32, MIN, 0, -1, MAX}, {OP_addi_32, ONES, 0, 1, 0},
    {OP_add_32, MAX, 1, 0, MIN}, {OP_add_32, MIN, MIN, 0, 0}, {OP_add_32, ONES, ONES, 0, X(-2)},
    {OP_sub_32, MIN, 1, 0, MAX}, {OP_sub_32, 0, MIN, 0, MIN}, {OP_sub_32, 0, 1, 0, ONES},
    {OP_slli_32, 1, 0, 31, MIN}, {OP_slli_32, PATTERN, 0, 4, X(0x9abcdef0)},
    {OP_srli_32, ONES, 0, 31, 1}, {OP_srli_32, MIN, 0, 0, MIN}, {OP_srli_32, MIN, 0, 4, 0x08000000},
    {OP_sll_32, 3, 32 + 30, 0, X(0xc0000000)}, {OP_sll_32, ONES, 31, 0, MIN},
    {OP_srl_32, MIN, 32, 0, MIN}, {OP_srl_32, ONES, 4, 0, 0x0fffffff},
    {OP_sra_32, MIN, 32 + 31, 0, ONES}, {OP_sra_32, MAX, 30, 0, 1},
    {OP_mul_32, ONES, ONES, 0, 1}, {OP_mul_32, MIN, 3, 0, MIN},
    {OP_mul_32, 0x10000, 0x10000, 0, 0},
    {OP_mulh_32, MIN, MIN, 0, 0x40000000}, {OP_mulh_32, MIN, MAX, 0, X(0xc0000000)},
    {OP_mulh_32, ONES, 1, 0, ONES},
    {OP_mulhu_32, ONES, ONES, 0, X(0xfffffffe)}, {OP_mulhu_32, MIN, 2, 0, 1},
    {OP_mulhsu_32, ONES, ONES, 0, ONES}, {OP_mulhsu_32, MIN, ONES, 0, MIN},
    {OP_mulhsu_32, 2, MIN, 0, 1},
    {OP_div_32, MIN, ONES, 0, MIN}, {OP_div_32, 7, X(-2), 0, X(-3)}, {OP_div_32, 5, 0, 0, ONES},
    {OP_divu_32, ONES, 2, 0, MAX}, {OP_divu_32, MIN, ONES, 0, 0}, {OP_divu_32, 5, 0, 0, ONES},
    {OP_divu_32, ONES, 1, 0, ONES},
    {OP_remu_32, ONES, 16, 0, 15}, {OP_remu_32, MIN, 0, 0, MIN}, {OP_remu_32, MIN, ONES, 0, MIN},
    {OP_sh1add_32, MIN, 1, 0, 1}, {OP_sh2add_32, X(0x60000000), 3, 0, X(0x80000003)},
    {OP_sh3add_32, 0x10000001, ONES, 0, X(0x80000007)},
    {OP_rol_32, MIN | 1, 1, 0, 3}, {OP_rol_32, PATTERN, 32, 0, PATTERN},
    {OP_ror_32, 1, 1, 0, MIN}, {OP_ror_32, PATTERN, 8, 0, X(0xef89abcd)},
    {OP_rori_32, PATTERN, 0, 0, PATTERN}, {OP_rori_32, 0x12345678, 0, 8, 0x78123456},
    {OP_clz_32, 0, 0, 0, 32}, {OP_clz_32, MIN, 0, 0, 0}, {OP_clz_32, 1, 0, 0, 31},
    {OP_ctz_32, 0, 0, 0, 32}, {OP_ctz_32, MIN, 0, 0, 31}, {OP_ctz_32, ONES, 0, 0, 0},
    {OP_cpop_32, ONES, 0, 0, 32}, {OP_cpop_32, MIN, 0, 0, 1},
    {OP_orc_b_32, X(0x80000100), 0, 0, X(0xff00ff00)}, {OP_orc_b_32, 0x00200001, 0, 0, 0x00ff00ff},
    {OP_rev8_32, 0x12345678, 0, 0, 0x78563412}, {OP_rev8_32, 0x000000ff, 0, 0, X(0xff000000)},
    {OP_bclr_32, ONES, 32 + 31, 0, MAX}, {OP_bclri_32, ONES, 0, 31, MAX},
    {OP_bext_32, MIN, 63, 0, 1}, {OP_bext_32, 2, 32, 0, 0}, {OP_bext_32, MAX, 31, 0, 0},
    {OP_binv_32, MAX, 31, 0, ONES}, {OP_binvi_32, ONES, 0, 31, MAX},
    {OP_bset_32, 0, 32 + 31, 0, MIN}, {OP_bseti_32, 0, 0, 31, MIN},
};

static void a_remainder_is_of_the_division_of_its_width(void **state)
{
    (void)state;
    assert_int_equal(insn_division_of(OP_rem, 32), OP_div_32);
    assert_int_equal(insn_division_of(OP_rem, 64), OP_div);
    assert_int_equal(insn_division_of(OP_remu_32, 32), OP_divu_32);
    assert_int_equal(insn_division_of(OP_div_32, 32), OP_div_32);
    assert_int_equal(insn_division_of(OP_remw, 64), OP_divw);
}

static void integer_instructions_compute_in_32_bits(void **state)
{
    (void)state;
    bool seen[OP_COUNT] = {[OP_auipc_32] = true};       /* below */
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        const struct vector *v = &vectors[i];
        const struct insn insn = {.op = (uint16_t)v->op, .imm = v->imm};
        uint64_t result = insn_alu(&insn, v->a, v->b, 0);
        seen[v->op] = true;
        if (result != v->result)
            fail_msg("vector %zu, %s: %#llx", i, insn_info[v->op].name, (unsigned long long)result);
    }
    for (unsigned op = OP_ROWS; op < OP_COUNT; op++)
        if (!seen[op])
            fail_msg("%s has no vector", insn_info[op].name);
}

static void auipc_wraps_at_4_gib(void **state)
{
    (void)state;
    const struct insn back = {.op = OP_auipc_32, .imm = -4096};
    const struct insn ahead = {.op = OP_auipc_32, .imm = 0x7ffff000};
    assert_int_equal(insn_alu(&back, 1, 2, 0x80000010), 0x7ffff010);
    assert_int_equal(insn_alu(&ahead, 1, 2, 0x80002000), 0x1000);
    assert_int_equal(insn_alu(&ahead, 1, 2, 0x1000), MIN);
}

/* For rows without a second operation: the sign-extended result of sign-extended operands. */
static void other_rows_keep_words_sign_extended(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, 1, MAX, MIN, ONES, PATTERN, 0x1f, X(-2)};
    for (size_t i = 0; i < COUNT_OF(word_rows); i++) {
        const struct row *row = &word_rows[i];
        if (insn_info[row->op].kind != KIND_ALU)
            continue;
        for (size_t k = 0; k < COUNT_OF(words) * COUNT_OF(words); k++) {
            const struct insn insn = {.op = (uint16_t)row->op, .imm = (int32_t)(k & 31)};
            uint64_t result = insn_alu(&insn, words[k / COUNT_OF(words)],
                                       words[k % COUNT_OF(words)], 0x80000000);
            if (result != X(result))
                fail_msg("%s: %#llx", row->name, (unsigned long long)result);
        }
    }
}

/* ---- control and status registers ------------------------------------------------------------ */

static struct hart new_hart(void)
{
    struct hart hart;
    hart_reset(&hart, 3, 0x80000000, 0x87000000);
    hart_set_xlen(&hart, 32);
    return hart;
}

static void misa_and_status_are_those_of_32_bits(void **state)
{
    (void)state;
    struct hart hart = new_hart();
    assert_int_equal(csr_read(&hart, CSR_misa) >> 30, 1);
    assert_int_equal(hart_xlen(&hart), 32);
    assert_int_equal(hart.reg[11], X(0x87000000));
    csr_write(&hart, CSR_mstatus, UINT64_MAX);
    assert_int_equal(csr_read(&hart, CSR_mstatus) >> 32, 0);
    assert_int_equal(csr_read(&hart, CSR_mstatus) >> 31, 1);        /* SD */
    assert_int_equal(csr_read(&hart, CSR_sstatus) >> 31, 1);
    csr_write(&hart, CSR_mstatus, 0);
    assert_int_equal(csr_read(&hart, CSR_mstatus) >> 31, 0);
}

static void upper_halves_exist_in_rv32_only(void **state)
{
    (void)state;
    struct hart rv32 = new_hart(), rv64 = new_hart();
    unsigned halves = 0;
    hart_set_xlen(&rv64, 64);
    for (unsigned number = 0; number < 4096; number++) {
        bool is_high;
        unsigned whole = csr_whole(number, &is_high);
        if (!is_high) {
            assert_int_equal(whole, number);
            continue;
        }
        halves++;
        assert_true(csr_is_allowed(&rv32, number, false));
        assert_false(csr_is_allowed(&rv64, number, false));
        assert_int_equal(csr_owner(number), csr_owner(whole));
        assert_int_equal(number >> 8 & 3, whole >> 8 & 3);
        assert_int_equal(number >> 10 == 3, whole >> 10 == 3);
    }
    assert_int_equal(halves, 4 * 29 + 2 + 3 + 2 + 1 + 2 + 2 + 6);
    rv32.priv = PRIV_U;
    assert_false(csr_is_allowed(&rv32, CSR_cycleh, false));
    rv32.mcounteren = rv32.scounteren = 1;
    assert_true(csr_is_allowed(&rv32, CSR_cycleh, false));
    assert_false(csr_is_allowed(&rv32, CSR_instreth, false));
}

static void satp_is_a_word_with_mode_asid_and_page_number(void **state)
{
    (void)state;
    struct hart hart = new_hart();
    assert_int_equal(csr_write(&hart, CSR_satp, 0xffffffff), CSR_EFFECT_TRANSLATION);
    assert_int_equal(csr_read(&hart, CSR_satp), 0xffffffff);
    csr_write(&hart, CSR_satp, 0xaac80123);
    assert_int_equal(csr_read(&hart, CSR_satp), 0xaac80123);
    assert_int_equal(hart.satp >> SATP_MODE_SHIFT, SATP_SV32);
    assert_int_equal(hart.satp & SATP_PPN, 0x080123);
    csr_write(&hart, CSR_satp, 0x7fffffff);                         /* Bare */
    assert_int_equal(csr_read(&hart, CSR_satp), 0x7fffffff);
    assert_int_equal(hart.satp >> SATP_MODE_SHIFT, SATP_BARE);
    hart.priv = PRIV_S;
    hart.mstatus = MSTATUS_TVM;
    assert_false(csr_is_allowed(&hart, CSR_satp, false));
}

static void traps_fill_words(void **state)
{
    (void)state;
    struct hart hart = new_hart();
    csr_write(&hart, CSR_mtvec, 0x80000101);
    trap_enter(&hart, TRAP_INTERRUPT | IRQ_MTI, 0x80000044, 0);
    assert_int_equal(csr_read(&hart, CSR_mcause), 0x80000007);
    assert_int_equal(trap_cause_of(&hart, hart.mcause), TRAP_INTERRUPT | IRQ_MTI);
    assert_int_equal(hart.pc, 0x80000100 + 4 * IRQ_MTI);
    assert_int_equal(csr_read(&hart, CSR_mepc), 0x80000044);
    trap_enter(&hart, TRAP_LOAD_ACCESS, 0x100000000, UINT64_MAX);
    assert_int_equal(csr_read(&hart, CSR_mcause), TRAP_LOAD_ACCESS);
    assert_int_equal(csr_read(&hart, CSR_mepc), 0);
    assert_int_equal(csr_read(&hart, CSR_mtval), 0xffffffff);
    assert_int_equal(trap_mret(&hart), TRAP_NONE);
    assert_int_equal(hart.pc, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_words_overlap),
        cmocka_unit_test(compressed_rows_that_replace_others_replace_all_of_them),
        cmocka_unit_test(a_row_decodes_to_itself_where_its_operands_allow),
        cmocka_unit_test(instructions_of_rv64_alone_are_illegal),
        cmocka_unit_test(instructions_of_rv32_alone_decode),
        cmocka_unit_test(integer_instructions_compute_in_32_bits),
        cmocka_unit_test(a_remainder_is_of_the_division_of_its_width),
        cmocka_unit_test(auipc_wraps_at_4_gib),
        cmocka_unit_test(other_rows_keep_words_sign_extended),
        cmocka_unit_test(misa_and_status_are_those_of_32_bits),
        cmocka_unit_test(upper_halves_exist_in_rv32_only),
        cmocka_unit_test(satp_is_a_word_with_mode_asid_and_page_number),
        cmocka_unit_test(traps_fill_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
