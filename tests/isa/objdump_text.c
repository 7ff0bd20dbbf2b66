/* The decoder's view of instructions in the words of `objdump -d -M no-aliases,numeric`.
 *
 *     objdump_text words XLEN     assembler source: random encodings of all rows binutils knows
 *     objdump_text decode XLEN    "address encoding" a line in, "address encoding text" a line out
 *
 * The text is made from struct insn and the formats alone; capstone has no part in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "isa/pattern.h"

enum { FILLS = 40, RM_DYNAMIC = 7 };

struct row {
    unsigned op;
    uint32_t mask, match;
};

static const struct row rows_64[] = {
#define INSN(name, pattern, ...) {OP_##name, PATTERN_MASK(pattern), PATTERN_MATCH(pattern)},
#include "isa/insn.def"
};

static const struct row rows_32[] = {
#define INSN(name, pattern, ...) {OP_##name, PATTERN_MASK(pattern), PATTERN_MATCH(pattern)},
#define ISA_RV32
#include "isa/insn.def"
};

static const char *const operand_text[] = {
#define FORMAT(name, rd, rs1, rs2, rs3, imm, rm, text) text,
#include "isa/format.def"
};

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*state >> 32);
}

static uint32_t with_field(uint32_t bits, unsigned low, unsigned width, uint32_t value)
{
    uint32_t mask = ((UINT32_C(1) << width) - 1) << low;
    return (bits & ~mask) | (value << low & mask);
}

/* binutils differs about which of those encodings are hints or reserved. */
static uint32_t as_binutils_likes_it(const struct row *row, uint32_t bits, unsigned xlen)
{
    static const uint16_t csr[] = {0x001, 0x002, 0x003, 0x105, 0x141, 0x180, 0x300, 0x341, 0xc00};
    const struct insn_info *info = &insn_info[row->op];
    if (info->kind == KIND_CSR)
        return with_field(bits, 20, 12, csr[bits >> 20 & 7]);
    if (info->kind == KIND_FENCE)
        return (bits & 0x0ff00000) | 0x01100000 | row->match;
    if (info->kind == KIND_FENCE_I)
        return row->match;
    if ((info->flags & INSN_HAS_RM) != 0 && (bits >> 12 & 7) >= 5)
        return with_field(bits, 12, 3, RM_DYNAMIC);
    if (info->format == FORMAT_SHIFT && xlen == 32)
        return with_field(bits, 25, 1, 0);
    return bits;
}

/* Rows that version 2.40 lacks; conversions that are exact have no rounding mode there but 0. */
static bool is_unknown(unsigned op)
{
    return op == OP_czero_eqz || op == OP_czero_nez || op == OP_magic ||
           op == OP_sctrclr ||
           insn_info[op].kind == KIND_PROFILE;
}

static bool is_exact(unsigned op)
{
    return op == OP_fcvt_d_s || op == OP_fcvt_d_w || op == OP_fcvt_d_wu;
}

static void write_words(unsigned xlen)
{
    const struct row *rows = xlen == 32 ? rows_32 : rows_64;
    size_t count = (xlen == 32 ? sizeof rows_32 : sizeof rows_64) / sizeof rows[0];
    uint64_t random = 88172645463325252;
    for (size_t i = 0; i < count; i++)
        for (unsigned n = 0; n < FILLS && !is_unknown(rows[i].op); n++) {
            uint32_t bits = rows[i].match | (draw(&random) & ~rows[i].mask);
            bits = as_binutils_likes_it(&rows[i], bits, xlen);
            if (is_exact(rows[i].op))
                bits = with_field(bits, 12, 3, 0);
            printf(".insn 4, 0x%08x\n", bits);
        }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_register(unsigned number)
{
    if (number == REG_SINK)
        fputs("x0", stdout);
    else if (number >= REG_F0)
        printf("f%u", number - REG_F0);
    else
        printf("x%u", number);
}

static void write_set(unsigned set)
{
    for (unsigned i = 0; i < 4; i++)
        if ((set & 8 >> i) != 0)
            putchar("iorw"[i]);
    if (set == 0)
        fputs("unknown", stdout);
}

static void write_immediate(const struct insn *insn, uint64_t address, unsigned xlen)
{
    unsigned format = insn_info[insn->op].format;
    if (format == FORMAT_B || format == FORMAT_J)
        printf("%llx", (unsigned long long)((address + (uint64_t)(int64_t)insn->imm) <<
                                            (64 - xlen) >> (64 - xlen)));
    else
        printf(format == FORMAT_SHIFT ? "0x%x" : "%d", insn->imm);
}

static void write_operand(const struct insn *insn, uint64_t address, unsigned xlen, char letter)
{
    switch (letter) {
    case 'd':
        write_register(insn->rd);
        break;
    case 's':
        write_register(insn->rs1);
        break;
    case 't':
        write_register(insn->rs2);
        break;
    case 'r':
        write_register(insn->rs3);
        break;
    case 'i':
        write_immediate(insn, address, xlen);
        break;
    case 'u':
        printf("0x%x", (uint32_t)insn->imm >> 12);
        break;
    case 'c':
        fputs(csr_name((unsigned)insn->imm), stdout);
        break;
    case 'z':
        printf("%u", insn->bits >> 15 & 31);
        break;
    case 'f':
        write_set((unsigned)insn->imm >> 4 & 15);
        putchar(',');
        write_set((unsigned)insn->imm & 15);
        break;
    case ' ':
        break;
    default:
        putchar(letter);
        break;
    }
}

static void write_text(const struct insn *insn, uint64_t address, unsigned xlen)
{
    static const char *const order[] = {"", ".rl", ".aq", ".aqrl"};
    static const char *const mode[] = {"rne", "rtz", "rdn", "rup", "rmm"};
    const struct insn_info *info = &insn_info[insn->op];
    const char *operands = operand_text[info->format];
    bool is_atomic = info->kind == KIND_LR || info->kind == KIND_SC || info->kind == KIND_AMO;
    printf("%s%s%s", info->name, is_atomic ? order[insn->rm] : "", *operands != '\0' ? " " : "");
    for (; *operands != '\0'; operands++)
        write_operand(insn, address, xlen, *operands);
    if ((info->flags & INSN_HAS_RM) != 0 && insn->rm != RM_DYNAMIC && !is_exact(insn->op))
        printf(",%s", mode[insn->rm]);
}

static void decode_lines(unsigned xlen)
{
    unsigned long long address;
    unsigned bits;
    while (scanf("%llx %x", &address, &bits) == 2) {
        struct insn insn;
        insn_decode_xlen(&insn, bits, xlen);
        printf("%llx %0*x ", address, 2 * insn.length, bits);
        write_text(&insn, address, xlen);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    unsigned xlen = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    if (xlen != 0 && strcmp(argv[1], "words") == 0)
        write_words(xlen);
    else if (xlen != 0 && strcmp(argv[1], "decode") == 0)
        decode_lines(xlen);
    else
        return 2;
    return 0;
}
