/* The stack walk's little decoder against the real one, for both widths, and a walk through frames
 * of RV32: f called from g, g from h by a compressed call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "pmu/monitor/monitor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { RA = 1, SP_REG = 2 };

/* ---- the decoder ----------------------------------------------------------------------------- */

/* The expected answer of the walk's own little decoder, taken from the real one. */
static struct unwind_code expected_code(const struct insn *insn, bool is_32)
{
    const struct insn_info *info = &insn_info[insn->op];
    unsigned long long offset = (unsigned long long)(long long)insn->imm;
    bool is_link = insn->rd == RA || insn->rd == 5;

    if (insn->op == (is_32 ? OP_lw : OP_ld) && insn->rs1 == SP_REG)
        return unwind_code(UNWIND_LOAD, insn->rd == REG_SINK ? 0 : insn->rd, offset);
    if (insn->op == (is_32 ? OP_sw : OP_sd) && insn->rs1 == SP_REG)
        return unwind_code(UNWIND_SAVE, insn->rs2, offset);
    if (info->row == OP_addi && insn->rd == SP_REG && (insn->length == 4 || insn->rs1 == SP_REG))
        return unwind_code(UNWIND_MOVE_SP, insn->rs1, offset);
    if (insn->op == OP_jal)
        return insn->rd == REG_SINK ? unwind_code(UNWIND_JUMP, 0, offset)
                                    : unwind_code(UNWIND_CALL, 0, 0);
    if (insn->op == OP_jalr)
        return unwind_code(is_link ? UNWIND_CALL
                           : insn->rd == REG_SINK && insn->rs1 == RA ? UNWIND_RETURN
                                                                     : UNWIND_AWAY, 0, 0);
    if (info->kind == KIND_SYSTEM && insn->op != OP_ecall)
        return unwind_code(UNWIND_AWAY, 0, 0);
    return unwind_code(UNWIND_OTHER, 0, 0);
}

static void expect_same_code(uint32_t bits, bool is_32)
{
    struct unwind_code code = unwind_decode(bits, is_32), expected;
    struct insn insn;

    insn_decode_xlen(&insn, bits, is_32 ? 32 : 64);
    if (insn.op == OP_illegal || code.kind == UNWIND_SET_SP)
        return;
    expected = expected_code(&insn, is_32);
    if (code.kind != expected.kind)
        fail_msg("0x%x is kind %u, not %u", bits, expected.kind, code.kind);
    if (code.kind == UNWIND_AWAY || code.kind == UNWIND_RETURN)
        return;
    assert_int_equal(code.offset, expected.offset);
    assert_int_equal(code.reg, expected.reg);
}

static void compare_decoders(bool is_32)
{
    static const uint32_t opcodes[] = {0x03, 0x13, 0x23, 0x33, 0x63, 0x67, 0x6f, 0x73, 0x37};
    uint32_t random = 12345;

    for (uint32_t bits = 1; bits < 0x10000; bits++)
        if ((bits & 3) != 3)
            expect_same_code(bits, is_32);
    for (unsigned i = 0; i < 400000; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t bits = (random & ~0x7fu) | opcodes[i % (sizeof opcodes / sizeof opcodes[0])];
        expect_same_code(bits, is_32);
        expect_same_code((bits & ~(31u << 15)) | SP_REG << 15, is_32);
        expect_same_code((bits & ~(31u << 7)) | SP_REG << 7, is_32);
    }
}

static void the_walks_decoder_agrees_with_the_real_one(void **state)
{
    (void)state;
    compare_decoders(false);
    compare_decoders(true);
}

/* ---- frames of words ------------------------------------------------------------------------- */

enum {
    MEMORY_BYTES = 0x4000,
    F = 0x1000,
    G_RETURN = 0x1208,
    H_RETURN = 0x1306,
    SP = 0x2020,                /* at entry of f */
    G_FRAME = 0x2040,
    GARBAGE = 0x5a5a5a5a,
};

static uint8_t memory[MEMORY_BYTES];

static bool read_memory(void *arg, unsigned long long va, unsigned long long *value)
{
    (void)arg;
    assert_int_equal(va % 8, 0);
    if (va > MEMORY_BYTES - 8)
        return false;
    memcpy(value, memory + va, 8);
    return true;
}

static void put(unsigned at, uint32_t word)
{
    memcpy(memory + at, &word, sizeof word);
}

static void an_interrupt_anywhere_in_an_rv32_function_finds_its_callers(void **state)
{
    /* the place of sp, and whether ra and s0 still or again hold the caller's values */
    static const struct { uint32_t bits; int sp; bool has_ra, has_s0; } f[] = {
        {0xff010113, 0, true, true},        /* addi sp, sp, -16 */
        {0x00112623, -16, true, true},      /* sw ra, 12(sp) */
        {0x00812423, -16, true, true},      /* sw s0, 8(sp) */
        {0x01010413, -16, true, true},      /* addi s0, sp, 16 */
        {0x00000013, -16, false, false},    /* nop */
        {0x00c12083, -16, false, false},    /* lw ra, 12(sp) */
        {0x00812403, -16, true, false},     /* lw s0, 8(sp) */
        {0x01010113, -16, true, true},      /* addi sp, sp, 16 */
        {0x00008067, 0, true, true},        /* ret */
    };

    (void)state;
    for (unsigned i = 0; i < COUNT(f); i++)
        put(F + 4 * i, f[i].bits);
    put(G_RETURN - 4, 0x000000ef);          /* jal ra */
    put(H_RETURN - 2, 0x2001);              /* c.jal */
    put(SP - 4, G_RETURN);
    put(SP - 8, G_FRAME);
    put(G_FRAME - 4, H_RETURN);
    put(G_FRAME - 8, 0);
    for (unsigned i = 0; i < COUNT(f); i++) {
        struct unwind unwind = {
            .read = read_memory, .pc = F + 4 * i, .sp = (unsigned long long)(SP + f[i].sp),
            .ra = f[i].has_ra ? G_RETURN : GARBAGE, .fp = f[i].has_s0 ? G_FRAME : SP,
            .is_32 = true,
        };
        struct monitor_stack stack;
        monitor_walk(&unwind, &stack);
        assert_int_equal(stack.walk, MONITOR_WALK_OK);
        assert_int_equal(stack.depth, 3);
        assert_int_equal(stack.address[0], F + 4 * i);
        assert_int_equal(stack.address[1], G_RETURN);
        assert_int_equal(stack.address[2], H_RETURN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walks_decoder_agrees_with_the_real_one),
        cmocka_unit_test(an_interrupt_anywhere_in_an_rv32_function_finds_its_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
