/* From bits to struct insn, by the tables insn.def and format.def.
 *
 * A row matches if the fixed bits agree. No two rows match the same bits, so their order only
 * affects speed. Only rows are compared whose key, opcode and funct3, is that of the bits. A
 * compressed row fills in the operands of the row it expands to. Callers cache the decoded
 * instruction: decoding is not on the path of each step. */
#include <string.h>

#include "isa/field.h"
#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"
#include "isa/pattern.h"

enum { SHORT_REGISTERS = 8, LINK = 1, STACK = 2 };

/* Bits high..low, moved to start at bit `to`. */
static inline uint32_t field(uint32_t bits, unsigned high, unsigned low, unsigned to)
{
    return (bits >> low & ((UINT32_C(2) << (high - low)) - 1)) << to;
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

/* ---- 32 bits --------------------------------------------------------------------------------- */

struct encoding {
    uint32_t mask, match;
    uint32_t op;
};

static const struct encoding words_64[] = {
#define INSN(name, pattern, ...) {PATTERN_MASK(pattern), PATTERN_MATCH(pattern), OP_##name},
#include "isa/insn.def"
};

static const struct encoding words_32[] = {
#define INSN(name, pattern, ...) {PATTERN_MASK(pattern), PATTERN_MATCH(pattern), OP_##name},
#define ISA_RV32
#include "isa/insn.def"
};

/* The keys of the rows. */
static const uint8_t keys_64[] = {
#define INSN(name, pattern, ...) PATTERN_KEY(pattern),
#include "isa/insn.def"
};

static const uint8_t keys_32[] = {
#define INSN(name, pattern, ...) PATTERN_KEY(pattern),
#define ISA_RV32
#include "isa/insn.def"
};

/* The operation of a row in RV32; OP_illegal: the row does not exist there. */
static const uint16_t op_in_32[OP_ROWS] = {
#define ALUX(name, ...) [OP_##name] = OP_##name##_32,
#define INSN(name, ...) [OP_##name] = OP_##name,
#define ISA_RV32
#include "isa/insn.def"
};

enum file { FILE_NONE, FILE_X, FILE_F };
enum imm { IMM_ZERO, IMM_I, IMM_S, IMM_B, IMM_U, IMM_J, IMM_SHAMT, IMM_CSR };
enum rm { RM_NONE, RM_MODE, RM_ORDER };

struct format {
    uint8_t rd, rs1, rs2, rs3, imm, rm;
};

static const struct format format_table[] = {
#define FORMAT(name, rd, rs1, rs2, rs3, imm, rm, text) \
    [FORMAT_##name] = {FILE_##rd, FILE_##rs1, FILE_##rs2, FILE_##rs3, IMM_##imm, RM_##rm},
#include "isa/format.def"
};

/* The next row from `row` on that has the key; `count`: none. */
static size_t next_row(const uint8_t *keys, size_t count, size_t row, unsigned key)
{
    const uint8_t *at = memchr(keys + row, (int)key, count - row);

    return at != NULL ? (size_t)(at - keys) : count;
}

static unsigned find_of_key(const struct encoding *words, const uint8_t *keys, size_t count,
                            uint32_t bits, unsigned key)
{
    size_t row = next_row(keys, count, 0, key);

    while (row < count && (bits & words[row].mask) != words[row].match)
        row = next_row(keys, count, row + 1, key);
    return row < count ? words[row].op : OP_illegal;
}

/* Rows whose funct3 is not fixed have the key of funct3 = 0. */
static unsigned find_row(const struct encoding *words, const uint8_t *keys, size_t count,
                         uint32_t bits)
{
    unsigned opcode = field(bits, 6, 2, 0), key = opcode | field(bits, 14, 12, 5);
    unsigned op = find_of_key(words, keys, count, bits, key);

    return op != OP_illegal || key == opcode ? op : find_of_key(words, keys, count, bits, opcode);
}

static unsigned find_op(uint32_t bits, unsigned xlen)
{
    if (xlen == 32)
        return op_in_32[find_row(words_32, keys_32, sizeof keys_32, bits)];
    return find_row(words_64, keys_64, sizeof keys_64, bits);
}

static uint8_t source(unsigned file, uint32_t number)
{
    return (uint8_t)(file == FILE_NONE ? 0 : file == FILE_F ? number + REG_F0 : number);
}

static uint8_t destination(unsigned file, uint32_t number)
{
    if (file == FILE_F)
        return (uint8_t)(number + REG_F0);
    return (uint8_t)(file == FILE_NONE || number == 0 ? REG_SINK : number);
}

static int32_t immediate(unsigned imm, uint32_t bits)
{
    switch (imm) {
    case IMM_I:
        return sign_extend(field(bits, 31, 20, 0), 12);
    case IMM_S:
        return (int32_t)field_store(bits);
    case IMM_B:
        return (int32_t)field_branch(bits);
    case IMM_U:
        return (int32_t)field(bits, 31, 12, 12);
    case IMM_J:
        return (int32_t)field_jump(bits);
    case IMM_SHAMT:
        return (int32_t)field(bits, 25, 20, 0);
    case IMM_CSR:
        return (int32_t)field(bits, 31, 20, 0);
    default:
        return 0;
    }
}

static uint8_t mode(unsigned rm, uint32_t bits)
{
    return (uint8_t)(rm == RM_MODE    ? field(bits, 14, 12, 0)
                     : rm == RM_ORDER ? field(bits, 26, 25, 0)
                                      : 0);
}

/* Rounding modes 5 and 6 are reserved (section 20.2); 7 selects frm. */
static bool has_reserved_mode(unsigned op, uint32_t bits)
{
    uint32_t rm = field(bits, 14, 12, 0);
    return (insn_info[op].flags & INSN_HAS_RM) != 0 && (rm == 5 || rm == 6);
}

/* Bit 5 of a shift amount is reserved where XLEN is 32 (sections 2.4 and 26.5). */
static bool has_reserved_shift(unsigned op, int32_t imm, unsigned xlen)
{
    return xlen == 32 && insn_info[op].format == FORMAT_SHIFT && imm >= 32;
}

static void decode_word(struct insn *insn, uint32_t bits, unsigned xlen)
{
    unsigned op = find_op(bits, xlen);
    if (op == OP_illegal || has_reserved_mode(op, bits) ||
        has_reserved_shift(op, immediate(IMM_SHAMT, bits), xlen))
        return;
    const struct format *format = &format_table[insn_info[op].format];
    insn->op = (uint16_t)op;
    insn->rd = destination(format->rd, field(bits, 11, 7, 0));
    insn->rs1 = source(format->rs1, field(bits, 19, 15, 0));
    insn->rs2 = source(format->rs2, field(bits, 24, 20, 0));
    insn->rs3 = source(format->rs3, field(bits, 31, 27, 0));
    insn->imm = immediate(format->imm, bits);
    insn->rm = mode(format->rm, bits);
}

/* ---- 16 bits --------------------------------------------------------------------------------- */

enum place {
    PLACE_NONE, PLACE_RA, PLACE_SP, PLACE_HIGH, PLACE_LOW, PLACE_SHORT_HIGH, PLACE_SHORT_LOW,
    PLACE_F_HIGH, PLACE_F_LOW, PLACE_F_SHORT_LOW,
};

/* Scrambled immediates, by the instruction or the datum they are for (section 26.8). */
enum rvc_imm {
    RVC_IMM_NONE, RVC_IMM_SIGNED, RVC_IMM_SHAMT, RVC_IMM_LUI, RVC_IMM_ADDI4SPN, RVC_IMM_ADDI16SP,
    RVC_IMM_WORD, RVC_IMM_DOUBLE, RVC_IMM_LWSP, RVC_IMM_LDSP, RVC_IMM_SWSP, RVC_IMM_SDSP,
    RVC_IMM_JUMP, RVC_IMM_BRANCH,
};

/* All compressed rows; then the rows that exist in RV64, and in RV32. */
enum {
#define RVC(name, ...) RVC_##name,
#define RV32(...) __VA_ARGS__
#include "isa/insn.def"
    RVC_COUNT
};

static const bool rvc_in_64[RVC_COUNT] = {
#define RVC(name, ...) [RVC_##name] = true,
#include "isa/insn.def"
};

static const bool rvc_in_32[RVC_COUNT] = {
#define RVC(name, ...) [RVC_##name] = true,
#define ISA_RV32
#include "isa/insn.def"
};

struct rvc {
    uint16_t mask, match, op;
    uint8_t rd, rs1, rs2, imm;
};

static const struct rvc rvc_table[RVC_COUNT] = {
#define RVC(name, pattern, op, rd, rs1, rs2, imm, condition)                                       \
    {PATTERN_RVC_MASK(pattern), PATTERN_RVC_MATCH(pattern), OP_##op, PLACE_##rd, PLACE_##rs1,      \
     PLACE_##rs2, RVC_IMM_##imm},
#define RV32(...) __VA_ARGS__
#include "isa/insn.def"
};

static const uint8_t rvc_keys[RVC_COUNT] = {
#define RVC(name, pattern, ...) PATTERN_RVC_KEY(pattern),
#define RV32(...) __VA_ARGS__
#include "isa/insn.def"
};

static bool meets_condition(unsigned row, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
    switch (row) {
#define RVC(name, pattern, op, rd, rs1, rs2, imm, condition) \
    case RVC_##name:                                         \
        return condition;
#define RV32(...) __VA_ARGS__
#include "isa/insn.def"
    default:
        return false;
    }
}

static unsigned rvc_register(unsigned place, uint32_t bits)
{
    switch (place) {
    case PLACE_RA:
        return LINK;
    case PLACE_SP:
        return STACK;
    case PLACE_HIGH:
        return field(bits, 11, 7, 0);
    case PLACE_LOW:
        return field(bits, 6, 2, 0);
    case PLACE_SHORT_HIGH:
        return SHORT_REGISTERS + field(bits, 9, 7, 0);
    case PLACE_SHORT_LOW:
        return SHORT_REGISTERS + field(bits, 4, 2, 0);
    case PLACE_F_HIGH:
        return REG_F0 + field(bits, 11, 7, 0);
    case PLACE_F_LOW:
        return REG_F0 + field(bits, 6, 2, 0);
    case PLACE_F_SHORT_LOW:
        return REG_F0 + SHORT_REGISTERS + field(bits, 4, 2, 0);
    default:
        return 0;
    }
}

/* Offsets from a base register: unsigned multiples of the datum's size. */
static uint32_t rvc_offset(unsigned imm, uint32_t bits)
{
    switch (imm) {
    case RVC_IMM_ADDI4SPN:
        return field(bits, 12, 11, 4) | field(bits, 10, 7, 6) | field(bits, 6, 6, 2) |
               field(bits, 5, 5, 3);
    case RVC_IMM_WORD:
        return field(bits, 12, 10, 3) | field(bits, 6, 6, 2) | field(bits, 5, 5, 6);
    case RVC_IMM_DOUBLE:
        return field(bits, 12, 10, 3) | field(bits, 6, 5, 6);
    case RVC_IMM_LWSP:
        return field_c_lwsp(bits);
    case RVC_IMM_LDSP:
        return field_c_ldsp(bits);
    case RVC_IMM_SWSP:
        return field_c_swsp(bits);
    case RVC_IMM_SDSP:
        return field_c_sdsp(bits);
    default:
        return 0;
    }
}

static int32_t rvc_branch(uint32_t bits)
{
    return sign_extend(field(bits, 12, 12, 8) | field(bits, 11, 10, 3) | field(bits, 6, 5, 6) |
                           field(bits, 4, 3, 1) | field(bits, 2, 2, 5), 9);
}

static int32_t rvc_immediate(unsigned imm, uint32_t bits)
{
    uint32_t six = field(bits, 12, 12, 5) | field(bits, 6, 2, 0);
    switch (imm) {
    case RVC_IMM_SIGNED:
        return (int32_t)field_c_immediate(bits);
    case RVC_IMM_SHAMT:
        return (int32_t)six;
    case RVC_IMM_LUI:
        return sign_extend(six << 12, 18);
    case RVC_IMM_ADDI16SP:
        return (int32_t)field_c_addi16sp(bits);
    case RVC_IMM_JUMP:
        return (int32_t)field_c_jump(bits);
    case RVC_IMM_BRANCH:
        return rvc_branch(bits);
    default:
        return (int32_t)rvc_offset(imm, bits);
    }
}

/* False: the row's condition excludes the encoding. */
static bool expand(struct insn *insn, unsigned row, uint32_t bits, unsigned xlen)
{
    const struct rvc *rvc = &rvc_table[row];
    unsigned rd = rvc_register(rvc->rd, bits), rs1 = rvc_register(rvc->rs1, bits);
    unsigned rs2 = rvc_register(rvc->rs2, bits);
    int32_t imm = rvc_immediate(rvc->imm, bits);
    if (!meets_condition(row, rd, rs1, rs2, imm) || has_reserved_shift(rvc->op, imm, xlen))
        return false;
    insn->op = xlen == 32 ? op_in_32[rvc->op] : rvc->op;
    insn->rd = (uint8_t)(rd == 0 ? REG_SINK : rd);
    insn->rs1 = (uint8_t)rs1;
    insn->rs2 = (uint8_t)rs2;
    insn->imm = imm;
    return true;
}

static void decode_half(struct insn *insn, uint32_t bits, unsigned xlen)
{
    const bool *exists = xlen == 32 ? rvc_in_32 : rvc_in_64;
    unsigned key = field(bits, 1, 0, 0) | field(bits, 15, 13, 2);
    for (size_t row = next_row(rvc_keys, RVC_COUNT, 0, key); row < RVC_COUNT;
         row = next_row(rvc_keys, RVC_COUNT, row + 1, key))
        if (exists[row] && (bits & rvc_table[row].mask) == rvc_table[row].match &&
            expand(insn, (unsigned)row, bits, xlen))
            return;
}

void insn_decode_xlen(struct insn *insn, uint32_t bits, unsigned xlen)
{
    *insn = (struct insn){.bits = bits, .length = 4, .rd = REG_SINK};
    if (insn_length(bits) == 4) {
        decode_word(insn, bits, xlen);
        return;
    }
    insn->bits = bits & 0xffff;
    insn->length = 2;
    decode_half(insn, insn->bits, xlen);
}

void insn_decode(struct insn *insn, uint32_t bits)
{
    insn_decode_xlen(insn, bits, 64);
}
