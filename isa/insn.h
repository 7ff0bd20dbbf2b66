/* An instruction: its decoded form, and its meaning as pure functions.
 *
 * Everything here is expanded from insn.def: one row an instruction. Faster engines expand insn.def
 * themselves; the expressions in the rows are the only definition of semantics. */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FORMAT_R, ...: the rows of format.def. */
enum insn_format {
#define FORMAT(name, ...) FORMAT_##name,
#include "isa/format.def"
};

/* The kinds of work that an op needs from an executor. */
enum insn_kind {
    KIND_ILLEGAL,
    KIND_ALU,       /* rd = insn_alu() */
    KIND_BRANCH,    /* conditional, target pc + imm */
    KIND_JAL,       /* rd = pc + length, target pc + imm */
    KIND_JALR,      /* rd = pc + length, target (rs1 + imm) & ~1 */
    KIND_LOAD,      /* rd = insn_extend(memory[rs1 + imm]) */
    KIND_STORE,     /* memory[rs1 + imm] = rs2, mem_bytes wide */
    KIND_LR,        /* load reserved at rs1 */
    KIND_SC,        /* store conditional at rs1 */
    KIND_AMO,       /* memory[rs1] = insn_amo(old, rs2); rd = old */
    KIND_FP,        /* rd = insn_fp(); needs mstatus.FS and a valid rounding mode */
    KIND_FENCE,     /* fence, pause */
    KIND_FENCE_I,
    KIND_CSR,       /* csrrw csrrs csrrc and immediate forms; CSR number in imm */
    KIND_SYSTEM,    /* ecall ebreak mret sret wfi sfence.vma */
    KIND_PROFILE,   /* custom-0: rdac and related, monitor return, probe load */
};

/* One register file: x0..x31 are 0..31, f0..f31 are 32..63. Decode maps a destination x0 (and "no
 * destination") to REG_SINK and an absent source to x0, so that executors need no tests. */
enum { REG_F0 = 32, REG_SINK = 64, REG_COUNT = 65 };

/* Functional unit classes of the pipeline. */
enum insn_unit { UNIT_INT, UNIT_BRANCH, UNIT_COMPLEX, UNIT_LOAD, UNIT_STORE, UNIT_FP, UNIT_COUNT };

/* Latency classes; the cycles are configured (latency.<name>). */
enum insn_latency {
    LAT_INT, LAT_MUL, LAT_DIV, LAT_LOAD, LAT_FADD, LAT_FMUL, LAT_FMA, LAT_FDIV, LAT_FSQRT,
    LAT_FMISC, LAT_FMV_F, LAT_FCVT_X, LAT_FCVT_F, LAT_CSR, LAT_PC, LAT_COUNT,
};

struct insn {
    uint32_t bits;      /* as fetched; a 16-bit encoding has its upper half zero */
    int32_t imm;        /* sign-extended immediate; shift amount; CSR number */
    uint16_t op;        /* enum op */
    uint8_t rd;         /* 0..63 or REG_SINK */
    uint8_t rs1, rs2, rs3;
    uint8_t length;     /* bytes: 2 or 4 */
    uint8_t rm;         /* FP: rounding mode, 7 = dynamic; atomics: 2 = aq, 1 = rl; else 0 */
};

enum {
    INSN_IS_FP = 1 << 0,        /* touches FP state, loads and stores too: illegal if FS is Off */
    INSN_IS_SERIAL = 1 << 1,    /* executes alone at the head of the reorder buffer */
    INSN_HAS_RM = 1 << 2,       /* rm field must be a valid rounding mode */
};

struct insn_info {
    char name[12];              /* assembler mnemonic, "fadd.s" */
    uint8_t kind, unit, latency, format;    /* of the enums above */
    uint8_t mem_bytes;          /* bytes accessed; 0 = none */
    uint8_t flags;
    uint16_t row;               /* OP_name, also of OP_name_32 */
};

extern const struct insn_info insn_info[];      /* by enum op (op.h) */

/* Decodes the instruction in the low 16 or 32 bits for RV32 or RV64. Always fills *insn; op is
 * OP_illegal if the encoding is reserved or not implemented. A compressed encoding decodes to its
 * expansion with length 2. insn_decode: XLEN is 64. */
void insn_decode_xlen(struct insn *insn, uint32_t bits, unsigned xlen);
void insn_decode(struct insn *insn, uint32_t bits);

static inline unsigned insn_length(uint32_t bits) { return (bits & 3) == 3 ? 4 : 2; }

/* a, b: values of rs1, rs2; pc: address of the instruction. Where XLEN is 32, values of x
 * registers, results too, are sign-extended to 64 bits. */
uint64_t insn_alu(const struct insn *insn, uint64_t a, uint64_t b, uint64_t pc);
bool insn_is_taken(const struct insn *insn, uint64_t a, uint64_t b);
/* rm: the effective rounding mode (0..4). *fflags is OR-ed into. */
uint64_t insn_fp(const struct insn *insn, uint64_t a, uint64_t b, uint64_t c, unsigned rm,
                 unsigned *fflags);
/* Value of rd for a load that read `raw`, zero-extended: sign extension, NaN boxing. */
uint64_t insn_extend(const struct insn *insn, uint64_t raw);
/* New memory value of an atomic; `old` is a result of insn_extend. */
uint64_t insn_amo(const struct insn *insn, uint64_t old, uint64_t b);

/* For a remainder operation, the division that computes both results from the same operands, as an
 * op of that XLEN; every other operation is returned unchanged. */
unsigned insn_division_of(unsigned op, unsigned xlen);
/* A call writes a link register (x1, x5); a return jumps through one (unprivileged manual, table
 * "return-address stack prediction hints"). */
bool insn_is_call(const struct insn *insn);
bool insn_is_return(const struct insn *insn);
/* An in-stream indicator: slti or sltiu with destination x0. */
bool insn_is_hint_mark(const struct insn *insn);

/* Text for an assembler: "addi a0, a0, 1", "c.addi a0, 1"; jumps and branches with their distance;
 * ".word 0x0000000b" or ".2byte 0x0000" for illegal encodings. Always terminated, cut to `size`. A
 * handle serves one thread and one XLEN (64 for disasm_open). NULL = out of memory. */
struct disasm;
struct disasm *disasm_open(void);
struct disasm *disasm_open_xlen(unsigned xlen);
void disasm_close(struct disasm *disasm);
/* "a0", "ft3": the name of a register numbered as in struct hart (0..63); NULL: no such
 * register. */
const char *disasm_register(unsigned reg);
void disasm_text(struct disasm *disasm, const struct insn *insn, uint64_t pc, char *text,
                 size_t size);

#endif
