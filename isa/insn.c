/* Description (insn_info) and semantics of each operation, expanded from insn.def; what is executed
 * most is in insn_result.h. The expressions of the rows read the parameters of the functions here
 * by name. */
#include "isa/insn.h"

#include "isa/bits.h"
#include "isa/fp.h"
#include "isa/hart.h"
#include "isa/insn_result.h"
#include "isa/op.h"

enum { LINK = 1, ALTERNATE_LINK = 5 };

/* ---- the table of instructions --------------------------------------------------------------- */

/* The mnemonic of a row's name: dots for underscores, character by character for the compiler to
 * fold. */
#define LETTER(n, at) (n[(at) < sizeof(n) ? (at) : sizeof(n) - 1])
#define DOTTED(n, at) (LETTER(n, at) == '_' ? '.' : LETTER(n, at))
#define FOUR(n, at) DOTTED(n, at), DOTTED(n, (at) + 1), DOTTED(n, (at) + 2), DOTTED(n, (at) + 3)
#define MNEMONIC(name) {FOUR(#name, 0), FOUR(#name, 4), FOUR(#name, 8)}

#define ROW(name, kind, unit, latency, format, bytes, flags)                                       \
    [OP_##name] = {MNEMONIC(name), KIND_##kind, UNIT_##unit, LAT_##latency, FORMAT_##format,       \
                   bytes, flags, OP_##name},

const struct insn_info insn_info[OP_COUNT] = {
    ROW(illegal, ILLEGAL, INT, INT, NONE, 0, 0)
#define ALU(name, pattern, format, unit, latency, result) \
    ROW(name, ALU, unit, latency, format, 0, 0)
#define BRANCH(name, ...) ROW(name, BRANCH, BRANCH, INT, B, 0, 0)
#define JAL(name, ...) ROW(name, JAL, BRANCH, INT, J, 0, 0)
#define JALR(name, ...) ROW(name, JALR, BRANCH, INT, LOAD, 0, 0)
#define LOAD(name, pattern, format, type, flags) \
    ROW(name, LOAD, LOAD, LOAD, format, sizeof(type), flags)
#define STORE(name, pattern, format, type, flags) \
    ROW(name, STORE, STORE, INT, format, sizeof(type), flags)
#define LR(name, pattern, type) ROW(name, LR, LOAD, LOAD, LR, sizeof(type), INSN_IS_SERIAL)
#define SC(name, pattern, type) ROW(name, SC, STORE, LOAD, AMO, sizeof(type), INSN_IS_SERIAL)
#define AMO(name, pattern, type, result) \
    ROW(name, AMO, LOAD, LOAD, AMO, sizeof(type), INSN_IS_SERIAL)
#define FP(name, pattern, format, latency, flags, result) \
    ROW(name, FP, FP, latency, format, 0, (flags) | INSN_IS_FP)
#define FENCE(name, pattern, kind, format) \
    ROW(name, kind, COMPLEX, CSR, format, 0, INSN_IS_SERIAL)
#define SYSTEM(name, pattern, format) ROW(name, SYSTEM, COMPLEX, CSR, format, 0, INSN_IS_SERIAL)
#define CSR(name, pattern, format) ROW(name, CSR, COMPLEX, CSR, format, 0, INSN_IS_SERIAL)
#define PROFILE(name, pattern, format) ROW(name, PROFILE, COMPLEX, CSR, format, 0, INSN_IS_SERIAL)
#include "isa/insn.def"
#define ALUX(name, pattern, format, unit, latency, result)                                         \
    [OP_##name##_32] = {MNEMONIC(name), KIND_ALU, UNIT_##unit, LAT_##latency, FORMAT_##format, 0,  \
                        0, OP_##name},
#define ISA_RV32
#include "isa/insn.def"
};

/* ---- results --------------------------------------------------------------------------------- */

uint64_t insn_alu(const struct insn *insn, uint64_t rs1, uint64_t rs2, uint64_t pc)
{
    return insn_result_alu(insn, rs1, rs2, pc);
}

bool insn_is_taken(const struct insn *insn, uint64_t rs1, uint64_t rs2)
{
    return insn_result_is_taken(insn, rs1, rs2);
}

uint64_t insn_fp(const struct insn *insn, uint64_t rs1, uint64_t rs2, uint64_t rs3, unsigned rm,
                 unsigned *fflags)
{
    switch (insn->op) {
#define FP(name, pattern, format, latency, flags, result) \
    case OP_##name:                                       \
        return (uint64_t)(result);
#include "isa/insn.def"
    default:
        return 0;
    }
}

uint64_t insn_extend(const struct insn *insn, uint64_t raw)
{
    return insn_result_extend(insn, raw);
}

uint64_t insn_amo(const struct insn *insn, uint64_t a, uint64_t b)
{
    switch (insn->op) {
#define AMO(name, pattern, type, result) \
    case OP_##name:                      \
        return result;
#include "isa/insn.def"
    default:
        return b;
    }
}

/* ---- properties for predictors and profilers ------------------------------------------------- */

static bool is_link(unsigned number)
{
    return number == LINK || number == ALTERNATE_LINK;
}

bool insn_is_call(const struct insn *insn)
{
    return (insn->op == OP_jal || insn->op == OP_jalr) && is_link(insn->rd);
}

bool insn_is_return(const struct insn *insn)
{
    return insn->op == OP_jalr && is_link(insn->rs1) && insn->rd != insn->rs1;
}

unsigned insn_division_of(unsigned op, unsigned xlen)
{
    switch (op) {
    case OP_rem: return xlen == 32 ? OP_div_32 : OP_div;
    case OP_remu: return OP_divu;
    case OP_remw: return OP_divw;
    case OP_remuw: return OP_divuw;
    case OP_remu_32: return OP_divu_32;
    default: return op;
    }
}

bool insn_is_hint_mark(const struct insn *insn)
{
    return (insn->op == OP_slti || insn->op == OP_sltiu) && insn->rd == REG_SINK;
}
