/* The codes of the fast engine's ops (those of enum op, then those of fast_op.def and
 * fast_pair.def), and the translation of instructions to ops. */
#ifndef SIM_RUN_FAST_DECODE_H
#define SIM_RUN_FAST_DECODE_H

#include "isa/insn.h"
#include "isa/op.h"
#include "sim/run/fast/fast_count.h"

enum fast_run {
#define ALU(name, ...) RUN_##name = OP_##name,
#define BRANCH(name, ...) RUN_##name = OP_##name,
#define LOAD(name, ...) RUN_##name = OP_##name,
#define STORE(name, ...) RUN_##name = OP_##name,
#define FP(name, ...) RUN_##name = OP_##name,
#include "isa/insn.def"
#define ALUX(name, ...) RUN_##name##_32 = OP_##name##_32,
#define ISA_RV32
#include "isa/insn.def"
    RUN_BEFORE_OPS = OP_COUNT - 1,
#define FAST_OP(name) RUN_##name,
#include "sim/run/fast/fast_op.def"
    RUN_SINGLES,
    RUN_BEFORE_PAIRS = RUN_SINGLES - 1,
#define FAST_PAIR(first, second) RUN_##first##_##second,
#include "sim/run/fast/fast_pair.def"
    RUN_COUNT
};

/* Translates instructions at pc to ops; at least the first lies at pa. False: the first instruction
 * cannot be fetched, or lies across two pages that cannot be. */
struct decoded {
    struct fast_op op[BLOCK_OPS];
    uint16_t code[BLOCK_OPS];       /* enum fast_run; 0: a link */
    struct insn insn[BLOCK_INSNS];
    struct tally tally[BLOCK_INSNS + 1];
    unsigned ops, insns, tallies;
    uint64_t second_pa;
};
bool fast_decode(struct fast *fast, uint64_t pc, uint64_t pa, struct decoded *decoded);

#endif
