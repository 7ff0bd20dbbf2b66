/* Instructions as text: capstone's where it knows the instruction, the tables' own elsewhere.
 *
 * The tables' text is used for instructions that capstone 5 lacks (Zba, Zbb, Zbs, Zicond, custom-0)
 * or does not spell for an assembler (CSRs without a name there, fences), and for illegal
 * encodings. An unknown compressed instruction gets the text of its expansion. An indicator in the
 * instruction stream is followed by its meaning, as a comment. */
#include <capstone/capstone.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/hint.h"
#include "isa/insn.h"
#include "isa/op.h"

enum { LARGEST_DECIMAL = 9, RM_DYNAMIC = 7 };

#define FENCE_TSO 0x8330000fu
#define PAUSE 0x0100000fu

struct disasm {
    csh capstone;
    cs_insn *insn;
};

struct text {
    char *at;
    size_t left;                /* at least 1, for the terminator */
};

/* ---- the tables' text ---------------------------------------------------------------------- */

static const char *const register_name[REG_COUNT] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
    "zero",                     /* REG_SINK */
};

const char *disasm_register(unsigned reg)
{
    return reg < REG_SINK ? register_name[reg] : NULL;
}

static const char *const operand_text[] = {
#define FORMAT(name, rd, rs1, rs2, rs3, imm, rm, text) [FORMAT_##name] = text,
#include "isa/format.def"
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    size_t taken = length < 0 ? 0 : (size_t)length;
    if (taken >= text->left)
        taken = text->left - 1;
    text->at += taken;
    text->left -= taken;
}

/* In capstone's style: decimal to 9, hexadecimal above. */
static void append_number(struct text *text, int64_t value)
{
    long long size = value < 0 ? -value : value;
    append(text, size > LARGEST_DECIMAL ? "%s0x%llx" : "%s%lld", value < 0 ? "-" : "", size);
}

static void append_csr(struct text *text, unsigned number)
{
    const char *name = csr_name(number);
    if (name != NULL)
        append(text, "%s", name);
    else
        append(text, "0x%x", number);
}

static void append_set(struct text *text, unsigned set)
{
    append(text, "%s%s%s%s%s", set & 8 ? "i" : "", set & 4 ? "o" : "", set & 2 ? "r" : "",
           set & 1 ? "w" : "", set == 0 ? "0" : "");
}

static void append_fence(struct text *text, unsigned imm)
{
    append_set(text, imm >> 4 & 15);
    append(text, ", ");
    append_set(text, imm & 15);
}

static void append_operand(struct text *text, const struct insn *insn, char letter)
{
    switch (letter) {
    case 'd':
        append(text, "%s", register_name[insn->rd]);
        break;
    case 's':
        append(text, "%s", register_name[insn->rs1]);
        break;
    case 't':
        append(text, "%s", register_name[insn->rs2]);
        break;
    case 'r':
        append(text, "%s", register_name[insn->rs3]);
        break;
    case 'i':
        append_number(text, insn->imm);
        break;
    case 'u':
        append(text, "0x%x", (unsigned)insn->imm >> 12);
        break;
    case 'c':
        append_csr(text, (unsigned)insn->imm);
        break;
    case 'z':
        append_number(text, insn->bits >> 15 & 31);
        break;
    case 'f':
        append_fence(text, (unsigned)insn->imm);
        break;
    default:
        append(text, "%c", letter);
        break;
    }
}

static const char *suffix(const struct insn *insn)
{
    static const char *const order[] = {"", ".rl", ".aq", ".aqrl"};
    unsigned kind = insn_info[insn->op].kind;
    return kind == KIND_LR || kind == KIND_SC || kind == KIND_AMO ? order[insn->rm & 3] : "";
}

static void write_rounding(struct text *text, const struct insn *insn)
{
    static const char *const mode[] = {"rne", "rtz", "rdn", "rup", "rmm"};
    if ((insn_info[insn->op].flags & INSN_HAS_RM) != 0 && insn->rm < sizeof mode / sizeof mode[0])
        append(text, ", %s", mode[insn->rm]);
}

static void write_by_table(struct text *text, const struct insn *insn)
{
    const char *operands = operand_text[insn_info[insn->op].format];
    append(text, "%s%s%s", insn_info[insn->op].name, suffix(insn), operands[0] != '\0' ? " " : "");
    for (; *operands != '\0'; operands++)
        append_operand(text, insn, *operands);
    write_rounding(text, insn);
}

static void write_fence(struct text *text, const struct insn *insn)
{
    if (insn->bits == FENCE_TSO || insn->bits == PAUSE)
        append(text, insn->bits == PAUSE ? "pause" : "fence.tso");
    else
        write_by_table(text, insn);
}

static void write_illegal(struct text *text, const struct insn *insn)
{
    if (insn->length == 2)
        append(text, ".2byte 0x%04x", insn->bits);
    else
        append(text, ".word 0x%08x", insn->bits);
}

/* ---- indicators ---------------------------------------------------------------------------- */

static void append_flags(struct text *text, unsigned imm)
{
    static const char *const name[] = {"count", "interrupt", "start", "stop", "toggle"};
    unsigned latency = imm >> HINT_LATENCY_SHIFT & 7;
    for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
        if ((imm >> i & 1) != 0)
            append(text, " %s", name[i]);
    if (latency != 0)
        append(text, " threshold=bits:%u%u%u", latency >> 2, latency >> 1 & 1, latency & 1);
    if (imm == 0)
        append(text, " nothing");
}

static void append_label(struct text *text, unsigned imm)
{
    append(text, " label=%u%s%s", imm & HINT_LABEL_MASK, imm & HINT_LABEL_COUNT ? " count" : "",
           imm & HINT_LABEL_INTERRUPT ? " interrupt" : "");
}

/* In the words of a .meta file. */
static void append_hint(struct text *text, const struct insn *insn)
{
    unsigned imm = insn->bits >> 20, next = insn->bits >> 15 & 31;
    bool is_label = insn->op == OP_sltiu;
    if (is_label ? (imm & HINT_LABEL_RESERVED) != 0 || (imm & HINT_LABEL_MASK) == 0
                 : (imm & HINT_FLAGS_RESERVED) != 0)
        return;
    if (next == 0)
        append(text, " # bundle:");
    else
        append(text, " # next %u:", next);
    if (is_label)
        append_label(text, imm);
    else
        append_flags(text, imm);
}

/* ---- capstone's ---------------------------------------------------------------------------- */

/* False: capstone does not know the instruction. */
static bool write_by_capstone(struct text *text, struct disasm *disasm, const struct insn *insn,
                              uint64_t pc)
{
    const uint8_t bytes[4] = {(uint8_t)insn->bits, (uint8_t)(insn->bits >> 8),
                              (uint8_t)(insn->bits >> 16), (uint8_t)(insn->bits >> 24)};
    const uint8_t *code = bytes;
    size_t size = insn->length;
    if (!cs_disasm_iter(disasm->capstone, &code, &size, &pc, disasm->insn) || size != 0)
        return false;
    append(text, "%s%s%s", disasm->insn->mnemonic, disasm->insn->op_str[0] != '\0' ? " " : "",
           disasm->insn->op_str);
    return true;
}

struct disasm *disasm_open(void)
{
    return disasm_open_xlen(64);
}

struct disasm *disasm_open_xlen(unsigned xlen)
{
    cs_mode mode = (xlen == 32 ? CS_MODE_RISCV32 : CS_MODE_RISCV64) | CS_MODE_RISCVC;
    struct disasm *disasm = calloc(1, sizeof *disasm);
    if (disasm == NULL)
        return NULL;
    if (cs_open(CS_ARCH_RISCV, mode, &disasm->capstone) != CS_ERR_OK) {
        free(disasm);
        return NULL;
    }
    disasm->insn = cs_malloc(disasm->capstone);
    if (disasm->insn == NULL) {
        disasm_close(disasm);
        return NULL;
    }
    return disasm;
}

void disasm_close(struct disasm *disasm)
{
    if (disasm->insn != NULL)
        cs_free(disasm->insn, 1);
    cs_close(&disasm->capstone);
    free(disasm);
}

void disasm_text(struct disasm *disasm, const struct insn *insn, uint64_t pc, char *buffer,
                 size_t size)
{
    struct text text = {.at = buffer, .left = size};
    if (size == 0)
        return;
    buffer[0] = '\0';
    switch (insn_info[insn->op].kind) {
    case KIND_ILLEGAL:
        write_illegal(&text, insn);
        break;
    case KIND_FENCE:
        write_fence(&text, insn);
        break;
    case KIND_CSR:
    case KIND_PROFILE:
        write_by_table(&text, insn);
        break;
    default:
        if (!write_by_capstone(&text, disasm, insn, pc))
            write_by_table(&text, insn);
        if (insn_is_hint_mark(insn))
            append_hint(&text, insn);
        break;
    }
}
