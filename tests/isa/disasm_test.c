/* Instructions as text: capstone's text, the tables' text, and text cut to a small buffer. */
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

enum { TEXT = 80, FILLS = 50 };

struct sample {
    uint32_t bits;
    const char *text;
};

static void write_text(struct disasm *disasm, uint32_t bits, char text[TEXT])
{
    struct insn insn;
    insn_decode(&insn, bits);
    disasm_text(disasm, &insn, 0x80000000, text, TEXT);
}

static void check(const struct sample *samples, size_t count)
{
    struct disasm *disasm = disasm_open();
    assert_non_null(disasm);
    for (size_t i = 0; i < count; i++) {
        char text[TEXT];
        write_text(disasm, samples[i].bits, text);
        assert_string_equal(text, samples[i].text);
    }
    disasm_close(disasm);
}

static void common_instructions_read_as_assemblers_write_them(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x00150513, "addi a0, a0, 1"}, {0x4505, "c.li a0, 1"}, {0x8082, "c.jr ra"},
        {0x00b50463, "beq a0, a1, 8"}, {0x12345537, "lui a0, 0x12345"},
        {0xfcb43c23, "sd a1, -0x28(s0)"}, {0x00052507, "flw fa0, 0(a0)"},
        {0x1005252f, "lr.w a0, (a0)"}, {0x06b5252f, "amoadd.w.aqrl a0, a1, (a0)"},
        {0x00c5f553, "fadd.s fa0, fa1, fa2"}, {0xc2051553, "fcvt.w.d a0, fa0, rtz"},
        {0x00000073, "ecall"}, {0x30200073, "mret"}, {0x0000100f, "fence.i"},
    };
    check(samples, COUNT_OF(samples));
}

static void instructions_newer_than_capstone_read_the_same_way(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x20a5c533, "sh2add a0, a1, a0"}, {0x08c5853b, "add.uw a0, a1, a2"},
        {0x0835951b, "slli.uw a0, a1, 3"}, {0x60051513, "clz a0, a0"},
        {0x6b855513, "rev8 a0, a0"}, {0x28755513, "orc.b a0, a0"}, {0x28b51533, "bset a0, a0, a1"},
        {0x4bf55513, "bexti a0, a0, 0x3f"}, {0x0eb5d533, "czero.eqz a0, a1, a1"},
        {0x0805453b, "zext.h a0, a0"}, {0x60455513, "rori a0, a0, 4"},
    };
    check(samples, COUNT_OF(samples));
}

static void instructions_of_the_profiling_hardware_have_names(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x0005850b, "rdac a0, a1"}, {0x0005950b, "rdac.clear a0, a1"},
        {0x0005a50b, "rdic a0, a1"}, {0x0005b50b, "rdic.clear a0, a1"},
        {0x0000400b, "pmret"}, {0x0005d50b, "pprobe a0, a1"},
        {0x0005e50b, "plocate a0, a1"},
    };
    check(samples, COUNT_OF(samples));
}

static void indicators_say_what_they_mark(void **state)
{
    (void)state;
    static const struct { uint32_t bits; const char *text; } rows[] = {
        {0x0010a013, "slti zero, ra, 1 # next 1: count"},
        {0x0060a013, "slti zero, ra, 6 # next 1: interrupt start"},
        {0x0f8fa013, "slti zero, t6, 0xf8 # next 31: stop toggle threshold=bits:111"},
        {0x00102013, "slti zero, zero, 1 # bundle: count"},
        {0x0000a013, "slti zero, ra, 0 # next 1: nothing"},
        {0x30913013, "sltiu zero, sp, 0x309 # next 2: label=9 count interrupt"},
        {0x1010a013, "slti zero, ra, 0x101"},
        {0x1000b013, "sltiu zero, ra, 0x100"},
    };
    struct disasm *disasm = disasm_open();
    assert_non_null(disasm);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn;
        char text[TEXT];
        insn_decode(&insn, rows[i].bits);
        disasm_text(disasm, &insn, 0, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
    disasm_close(disasm);
}

static void registers_of_the_system_have_their_names_or_their_numbers(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x30002573, "csrrs a0, mstatus, zero"}, {0x34029073, "csrrw zero, mscratch, t0"},
        {0x3007d073, "csrrwi zero, mstatus, 0xf"}, {0x8ff53073, "csrrc zero, 0x8ff, a0"},
        {0xc0001073, "csrrw zero, cycle, zero"},
    };
    check(samples, COUNT_OF(samples));
}

static void fences_tell_their_sets(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x0ff0000f, "fence iorw, iorw"}, {0x0310000f, "fence rw, w"}, {0x0820000f, "fence i, r"},
        {0x0200000f, "fence r, 0"}, {0x0100000f, "pause"}, {0x8330000f, "fence.tso"},
        {0x12000073, "sfence.vma"}, {0x12b50073, "sfence.vma a0, a1"},
    };
    check(samples, COUNT_OF(samples));
}

static void illegal_instructions_are_printed_as_data(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {0x00000000, ".2byte 0x0000"}, {0x00008000, ".2byte 0x8000"},
        {0xffffffff, ".word 0xffffffff"}, {0x0005f50b, ".word 0x0005f50b"},
        {0x00c5d553, ".word 0x00c5d553"}, {0x12346101, ".2byte 0x6101"},
    };
    check(samples, COUNT_OF(samples));
}

/* ---- every row ------------------------------------------------------------------------------- */

/* What capstone writes for special operands. */
static const char *const aliases[][2] = {
    {"nop", "addi"}, {"mv", "addi"}, {"not", "xori"}, {"neg", "sub"}, {"negw", "subw"},
    {"sext.w", "addiw"}, {"seqz", "sltiu"}, {"snez", "sltu"}, {"sltz", "slt"}, {"sgtz", "slt"},
    {"beqz", "beq"}, {"bnez", "bne"}, {"blez", "bge"}, {"bgez", "bge"}, {"bltz", "blt"},
    {"bgtz", "blt"}, {"j", "jal"}, {"jr", "jalr"}, {"ret", "jalr"}, {"fmv.s", "fsgnj.s"},
    {"fabs.s", "fsgnjx.s"}, {"fneg.s", "fsgnjn.s"}, {"fmv.d", "fsgnj.d"}, {"fabs.d", "fsgnjx.d"},
    {"fneg.d", "fsgnjn.d"}, {"fence.tso", "fence"}, {"pause", "fence"},
};

static bool is_called(const char *text, const char *name)
{
    size_t length = strcspn(text, " ");
    if (strncmp(text, name, strlen(name)) == 0 &&
        (length == strlen(name) || strncmp(text + strlen(name), ".aq", 3) == 0 ||
         strncmp(text + strlen(name), ".rl", 3) == 0))
        return true;
    for (size_t i = 0; i < COUNT_OF(aliases); i++)
        if (strlen(aliases[i][0]) == length && strncmp(text, aliases[i][0], length) == 0 &&
            strcmp(name, aliases[i][1]) == 0)
            return true;
    return false;
}

struct row { uint32_t mask, match; };

static void check_names(const struct row *rows, size_t count, unsigned xlen)
{
    struct disasm *disasm = disasm_open_xlen(xlen);
    uint64_t random = 88172645463325252;
    assert_non_null(disasm);
    for (size_t i = 0; i < count * FILLS; i++) {
        struct insn insn;
        char text[TEXT];
        random = random * 6364136223846793005 + 1442695040888963407;
        uint32_t mask = rows[i / FILLS].mask;
        insn_decode_xlen(&insn, rows[i / FILLS].match | ((uint32_t)(random >> 32) & ~mask), xlen);
        disasm_text(disasm, &insn, 0x80000000, text, sizeof text);
        if (!is_called(text, insn.op == OP_illegal ? ".word" : insn_info[insn.op].name))
            fail_msg("%#010x, %s: %s", insn.bits, insn_info[insn.op].name, text);
        assert_null(strstr(text, "  "));
        assert_null(strchr(text, '\t'));
    }
    disasm_close(disasm);
}

static void every_instruction_is_called_by_its_name_or_an_alias(void **state)
{
    (void)state;
    static const struct row of_64[] = {
#define INSN(name, pattern, ...) {PATTERN_MASK(pattern), PATTERN_MATCH(pattern)},
#include "isa/insn.def"
    };
    static const struct row of_32[] = {
#define INSN(name, pattern, ...) {PATTERN_MASK(pattern), PATTERN_MATCH(pattern)},
#define ISA_RV32
#include "isa/insn.def"
    };
    check_names(of_64, COUNT_OF(of_64), 64);
    check_names(of_32, COUNT_OF(of_32), 32);
}

/* Writes x0 or shifts by nothing: capstone does not know all of those. */
static bool is_hint(const struct insn *insn)
{
    unsigned row = insn_info[insn->op].row;
    bool is_shift = row == OP_slli || row == OP_srli || row == OP_srai;
    return insn_info[insn->op].kind == KIND_ALU &&
           (insn->rd == REG_SINK || (is_shift && insn->imm == 0));
}

static void check_compressed(unsigned xlen)
{
    struct disasm *disasm = disasm_open_xlen(xlen);
    assert_non_null(disasm);
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        struct insn insn;
        char text[TEXT];
        insn_decode_xlen(&insn, bits, xlen);
        if (insn.length != 2)
            continue;
        disasm_text(disasm, &insn, 0x80000000, text, sizeof text);
        const char *start = insn.op == OP_illegal ? ".2byte " : "c.";
        if (strncmp(text, start, strlen(start)) != 0 &&
            !(is_hint(&insn) && is_called(text, insn_info[insn.op].name)))
            fail_msg("%#06x, %s: %s", bits, insn_info[insn.op].name, text);
    }
    disasm_close(disasm);
}

static void compressed_instructions_say_that_they_are_and_hints_may_read_expanded(void **state)
{
    (void)state;
    check_compressed(64);
    check_compressed(32);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static void long_text_is_cut_to_the_buffer(void **state)
{
    (void)state;
    static const uint32_t samples[] = {0x00150513, 0x08c5853b, 0xffffffff, 0x34029073, 0x0ff0000f};
    struct disasm *disasm = disasm_open();
    assert_non_null(disasm);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        struct insn insn;
        char whole[TEXT], part[TEXT];
        insn_decode(&insn, samples[i]);
        disasm_text(disasm, &insn, 0, whole, sizeof whole);
        for (size_t size = 1; size <= strlen(whole) + 2; size++) {
            memset(part, '#', sizeof part);
            disasm_text(disasm, &insn, 0, part, size);
            assert_true(strlen(part) == (size <= strlen(whole) ? size - 1 : strlen(whole)));
            assert_memory_equal(part, whole, strlen(part));
            assert_int_equal(part[size], '#');
        }
        part[0] = '#';
        disasm_text(disasm, &insn, 0, part, 0);
        assert_int_equal(part[0], '#');
    }
    disasm_close(disasm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_instructions_read_as_assemblers_write_them),
        cmocka_unit_test(instructions_newer_than_capstone_read_the_same_way),
        cmocka_unit_test(instructions_of_the_profiling_hardware_have_names),
        cmocka_unit_test(indicators_say_what_they_mark),
        cmocka_unit_test(registers_of_the_system_have_their_names_or_their_numbers),
        cmocka_unit_test(fences_tell_their_sets),
        cmocka_unit_test(illegal_instructions_are_printed_as_data),
        cmocka_unit_test(every_instruction_is_called_by_its_name_or_an_alias),
        cmocka_unit_test(compressed_instructions_say_that_they_are_and_hints_may_read_expanded),
        cmocka_unit_test(long_text_is_cut_to_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
