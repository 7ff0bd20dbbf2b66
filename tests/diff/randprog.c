/* Generates the body of a random program for differential runs, as assembler data for frame.S.
 *
 *     randprog SEED INSTRUCTIONS MODE XLEN       (MODE: M or U; XLEN: 32 or 64)
 *
 * Every encoding of insn.def can appear: a row is chosen, its operand bits are random, and the
 * decoder names the instruction that they make. An instruction that would leave the program's own
 * memory or control flow is changed or drawn again. Compressed encodings are random halfwords.
 * Control flow goes forward, or round counted loops; self-modifying code patches one word and
 * executes fence.i. The same seed gives the same program.
 *
 * Registers: sp, gp point into the data area, s1 into pages with holes and odd permissions, tp
 * to the frame's own area; everything else is random. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/hart.h"
#include "isa/insn.h"
#include "isa/op.h"

enum { SP = 2, GP = 3, TP = 4, HOLES = 9, PARCELS = 1 << 20 };

struct program {
    uint16_t parcel[PARCELS];
    size_t count;
    uint64_t state;
    bool user;
    unsigned xlen;
    unsigned loop_counter;      /* register in which an enclosing loop counts; 0 = none */
};

struct row { const char *pattern; uint16_t op; };

static const struct row rows_64[] = {
#define ALU(name, pattern, ...) {pattern, OP_##name},
#define LOAD(name, pattern, ...) {pattern, OP_##name},
#define STORE(name, pattern, ...) {pattern, OP_##name},
#define AMO(name, pattern, ...) {pattern, OP_##name},
#define FP(name, pattern, ...) {pattern, OP_##name}, {pattern, OP_##name},
#define FENCE(name, pattern, ...) {pattern, OP_##name},
#define SYSTEM(name, pattern, ...) {pattern, OP_##name},
#define CSR(name, pattern, ...) {pattern, OP_##name},
#include "isa/insn.def"
};

static const struct row rows_32[] = {
#define ALU(name, pattern, ...) {pattern, OP_##name},
#define LOAD(name, pattern, ...) {pattern, OP_##name},
#define STORE(name, pattern, ...) {pattern, OP_##name},
#define AMO(name, pattern, ...) {pattern, OP_##name},
#define FP(name, pattern, ...) {pattern, OP_##name}, {pattern, OP_##name},
#define FENCE(name, pattern, ...) {pattern, OP_##name},
#define SYSTEM(name, pattern, ...) {pattern, OP_##name},
#define CSR(name, pattern, ...) {pattern, OP_##name},
#define ISA_RV32
#include "isa/insn.def"
};

static uint64_t draw(struct program *program)
{
    program->state ^= program->state << 13;
    program->state ^= program->state >> 7;
    program->state ^= program->state << 17;
    return program->state;
}

static uint32_t below(struct program *program, uint32_t limit)
{
    return (uint32_t)((draw(program) >> 20) % limit);
}

static void emit(struct program *program, uint32_t bits)
{
    if (program->count + 2 > PARCELS) {
        fputs("randprog: too long\n", stderr);
        exit(1);
    }
    program->parcel[program->count++] = (uint16_t)bits;
    if ((bits & 3) == 3)
        program->parcel[program->count++] = (uint16_t)(bits >> 16);
}

/* ---- encodings ------------------------------------------------------------------------------- */

static uint32_t fill(struct program *program, const char *pattern)
{
    uint32_t bits = 0, random = (uint32_t)(draw(program) >> 16);
    unsigned at = 32;
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == ' ')
            continue;
        at--;
        bits |= (*pattern == '.' ? random >> at & 1 : (uint32_t)(*pattern == '1')) << at;
    }
    return bits;
}

static bool is_reserved(const struct program *program, unsigned rd)
{
    return rd == SP || rd == GP || rd == TP || rd == HOLES ||
           (program->loop_counter != 0 && rd == program->loop_counter);
}

static uint32_t with_field(uint32_t bits, unsigned low, unsigned width, uint32_t value)
{
    uint32_t mask = ((UINT32_C(1) << width) - 1) << low;
    return (bits & ~mask) | (value << low & mask);
}

/* A base register that points at memory. Atomics stay off the odd pages, where QEMU 7.2 reports
 * load faults that the manual excludes. */
static uint32_t steer_memory(struct program *program, uint32_t bits, bool is_atomic)
{
    static const uint8_t base[] = {SP, GP, GP, SP, GP, SP, HOLES};
    return with_field(bits, 15, 5, base[below(program, (uint32_t)sizeof base - is_atomic)]);
}

static uint32_t steer_csr(struct program *program, uint32_t bits)
{
    /* fflags frm fcsr sscratch scause stval, some that do not exist; QEMU 7.2 lets sepc be odd */
    static const uint16_t number[] = {0x001, 0x002, 0x003, 0x003, 0x140,
                                      0x142, 0x143, 0x5a0, 0x8ff};
    return with_field(bits, 20, 12, number[below(program, sizeof number / sizeof number[0])]);
}

static bool is_wanted_system(struct program *program, unsigned op)
{
    if (op == OP_ecall || op == OP_ebreak)
        return below(program, 8) == 0;
    if (op == OP_mret || op == OP_sret || op == OP_wfi)
        return program->user && below(program, 8) == 0;
    return below(program, 16) == 0;
}

/* Makes `bits` safe to execute. False: draw again. */
static bool steer(struct program *program, uint32_t *bits)
{
    struct insn insn;
    insn_decode_xlen(&insn, *bits, program->xlen);
    if (insn.op == OP_czero_eqz || insn.op == OP_czero_nez || insn.op == OP_ctzw ||
        insn.op == OP_sctrclr || insn.op == OP_magic)
        return false;       /* QEMU 7.2 has no Zicond, no Smctr and no instruction of rvsim's own;
                             * its ctzw looks beyond bit 31 */
    switch (insn_info[insn.op].kind) {
    case KIND_LOAD:
    case KIND_STORE:
    case KIND_AMO:
        *bits = steer_memory(program, *bits, insn_info[insn.op].kind == KIND_AMO);
        break;
    case KIND_CSR:
        *bits = steer_csr(program, *bits);
        break;
    case KIND_SYSTEM:
        if (!is_wanted_system(program, insn.op))
            return false;
        break;
    default:
        break;
    }
    insn_decode_xlen(&insn, *bits, program->xlen);
    return !is_reserved(program, insn.rd);
}

static void emit_row(struct program *program)
{
    const struct row *rows = program->xlen == 32 ? rows_32 : rows_64;
    uint32_t bits, count = program->xlen == 32 ? sizeof rows_32 / sizeof rows_32[0]
                                               : sizeof rows_64 / sizeof rows_64[0];
    do {
        bits = fill(program, rows[below(program, count)].pattern);
    } while (!steer(program, &bits));
    emit(program, bits);
}

/* A random halfword that decodes to something harmless. */
static void emit_compressed(struct program *program)
{
    for (;;) {
        uint32_t bits = below(program, 65536);
        struct insn insn;
        if ((bits & 3) == 3)
            continue;
        insn_decode_xlen(&insn, bits, program->xlen);
        unsigned kind = insn_info[insn.op].kind;
        bool is_memory = kind == KIND_LOAD || kind == KIND_STORE;
        if (is_reserved(program, insn.rd) || kind == KIND_JAL || kind == KIND_JALR ||
            kind == KIND_BRANCH || (is_memory && insn.rs1 != SP && insn.rs1 != HOLES))
            continue;
        emit(program, bits);
        return;
    }
}

/* ---- structures ------------------------------------------------------------------------------ */

static void emit_one(struct program *program);

static void patch_jump(struct program *program, size_t at, uint32_t opcode_bits)
{
    uint32_t offset = (uint32_t)(program->count - at) * 2;
    uint32_t bits = opcode_bits | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                    (offset >> 12 & 0xff) << 12;
    program->parcel[at] = (uint16_t)bits;
    program->parcel[at + 1] = (uint16_t)(bits >> 16);
}

/* jal over a few instructions. */
static void emit_jump(struct program *program)
{
    size_t at = program->count;
    uint32_t rd = below(program, 2) != 0 ? 1 : 0;
    emit(program, 0x6f);
    for (uint32_t n = below(program, 5); n > 0; n--)
        emit_one(program);
    patch_jump(program, at, 0x6f | rd << 7);
}

/* A conditional branch over a few instructions. */
static void emit_branch(struct program *program)
{
    static const uint8_t condition[] = {0, 1, 4, 5, 6, 7};
    size_t at = program->count;
    uint32_t bits = 0x63 | below(program, 1024) << 15;
    bits = with_field(bits, 12, 3, condition[below(program, sizeof condition)]);
    emit(program, bits);
    for (uint32_t n = below(program, 4); n > 0; n--)
        emit_one(program);
    uint32_t offset = (uint32_t)(program->count - at) * 2;
    bits |= (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7;
    program->parcel[at] = (uint16_t)bits;
    program->parcel[at + 1] = (uint16_t)(bits >> 16);
}

/* auipc ra; jalr ra over a few instructions. */
static void emit_indirect(struct program *program)
{
    size_t at = program->count;
    emit(program, 0x17 | 1 << 7);
    emit(program, 0x67);
    for (uint32_t n = below(program, 5); n > 0; n--)
        emit_one(program);
    uint32_t offset = (uint32_t)(program->count - at) * 2, rd = below(program, 2);
    uint32_t bits = 0x67 | rd << 7 | 1 << 15 | offset << 20;
    program->parcel[at + 2] = (uint16_t)bits;
    program->parcel[at + 3] = (uint16_t)(bits >> 16);
}

static void emit_loop(struct program *program)
{
    static const uint8_t counters[] = {7, 28, 29, 30};
    if (program->loop_counter != 0)
        return;
    uint32_t counter = counters[below(program, sizeof counters)], rounds = 1 + below(program, 6);
    program->loop_counter = counter;
    emit(program, 0x13 | counter << 7 | rounds << 20);
    size_t start = program->count;
    for (uint32_t n = 1 + below(program, 8); n > 0; n--)
        emit_one(program);
    emit(program, 0x13 | counter << 7 | counter << 15 | UINT32_C(0xfff) << 20);
    uint32_t offset = (uint32_t)(start - program->count) * 2;
    emit(program, 0x63 | 1 << 12 | counter << 15 | (offset >> 12 & 1) << 31 |
                      (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 |
                      (offset >> 11 & 1) << 7);
    program->loop_counter = 0;
}

/* Copies one of the frame's alternative instructions over the word after fence.i. */
static void emit_patch(struct program *program)
{
    uint32_t slot = below(program, 16);
    if (program->count & 1)
        emit(program, 0x0001);
    emit(program, 0x17 | 5 << 7);                                           /* auipc t0, 0 */
    emit(program, 0x03 | 6 << 7 | 2 << 12 | TP << 15 | (1024 + slot * 4) << 20);    /* lw t1 */
    emit(program, 0x23 | 16 << 7 | 2 << 12 | 5 << 15 | 6 << 20);            /* sw t1, 16(t0) */
    emit(program, 0x0000100f);                                              /* fence.i */
    emit(program, 0x00000013);                                              /* replaced */
}

/* lr, some arithmetic, sc to the same place. */
static void emit_reserved_pair(struct program *program)
{
    uint32_t width = program->xlen == 32 ? 2 : 2 + below(program, 2), rd = 10 + below(program, 6);
    emit(program, 0x2f | rd << 7 | width << 12 | GP << 15 | UINT32_C(2) << 27);
    emit(program, 0x33 | 11 << 7 | 12 << 15 | rd << 20);
    emit(program, 0x2f | 13 << 7 | width << 12 | GP << 15 | 11 << 20 | UINT32_C(3) << 27);
}

static void emit_one(struct program *program)
{
    uint32_t choice = below(program, 64);
    if (choice < 36)
        emit_row(program);
    else if (choice < 40)
        emit_branch(program);
    else if (choice < 58)
        emit_compressed(program);
    else if (choice < 60)
        emit_jump(program);
    else if (choice < 61)
        emit_indirect(program);
    else if (choice < 62)
        emit_loop(program);
    else if (choice < 63)
        emit_reserved_pair(program);
    else if (program->loop_counter == 0)
        emit_patch(program);
}

int main(int argc, char **argv)
{
    static struct program program;
    if (argc != 5) {
        fputs("usage: randprog SEED INSTRUCTIONS M|U 32|64\n", stderr);
        return 2;
    }
    program.state = strtoull(argv[1], NULL, 0) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    program.user = argv[3][0] == 'U';
    program.xlen = argv[4][0] == '3' ? 32 : 64;
    for (unsigned n = 0; n < 16; n++)
        draw(&program);
    for (uint32_t n = 0; n < strtoul(argv[2], NULL, 0); n++)
        emit_one(&program);
    for (size_t i = 0; i < program.count; i++)
        printf(".2byte 0x%04x\n", program.parcel[i]);
    return 0;
}
