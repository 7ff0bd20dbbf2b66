/* Results of integer operations, branches and loads, inline for the simulator's inner loops:
 * insn_alu, insn_is_taken and insn_extend (insn.h), expanded from insn.def. The expressions of the
 * rows read the parameters of the functions here by name. */
#ifndef ISA_INSN_RESULT_H
#define ISA_INSN_RESULT_H

#include <string.h>

#include "isa/bits.h"
#include "isa/fp.h"
#include "isa/insn.h"
#include "isa/op.h"

#define INSN_INLINE static inline __attribute__((always_inline))

INSN_INLINE uint64_t insn_result_alu(const struct insn *insn, uint64_t rs1, uint64_t rs2,
                                     uint64_t pc)
{
    int64_t imm = insn->imm;

    switch (insn->op) {
#define XLEN 64
#define ALU(name, pattern, format, unit, latency, result) \
    case OP_##name:                                       \
        return (uint64_t)(result);
#include "isa/insn.def"
#undef XLEN
#define XLEN 32
#define ALUX(name, pattern, format, unit, latency, result) \
    case OP_##name##_32:                                   \
        return sext32((uint64_t)(result));
#define ISA_RV32
#include "isa/insn.def"
#undef XLEN
    default:
        return 0;
    }
}

INSN_INLINE bool insn_result_is_taken(const struct insn *insn, uint64_t rs1, uint64_t rs2)
{
    switch (insn->op) {
#define BRANCH(name, pattern, condition) \
    case OP_##name:                      \
        return condition;
#include "isa/insn.def"
    default:
        return false;
    }
}

/* C's conversions extend by the type in the row; only a binary32 also needs its box. */
INSN_INLINE uint64_t insn_result_extend(const struct insn *insn, uint64_t raw)
{
    if (insn->op == OP_flw)
        return f32_box((uint32_t)raw);
    switch (insn->op) {
#define EXTEND(name, type) \
    case OP_##name:        \
        return (uint64_t)(int64_t)(type)raw;
#define LOAD(name, pattern, format, type, flags) EXTEND(name, type)
#define LR(name, pattern, type) EXTEND(name, type)
#define AMO(name, pattern, type, result) EXTEND(name, type)
#include "isa/insn.def"
#undef EXTEND
    default:
        return raw;
    }
}

/* The result of an ordinary load of what is at `host`. */
INSN_INLINE uint64_t insn_result_load(const struct insn *insn, const uint8_t *host)
{
    if (insn->op == OP_flw) {
        uint32_t bits;
        memcpy(&bits, host, sizeof bits);
        return f32_box(bits);
    }
    switch (insn->op) {
#define LOAD(name, pattern, format, type, flags) \
    case OP_##name: {                            \
        type datum;                              \
        memcpy(&datum, host, sizeof datum);      \
        return (uint64_t)(int64_t)datum;         \
    }
#include "isa/insn.def"
    default:
        return 0;
    }
}

#endif
