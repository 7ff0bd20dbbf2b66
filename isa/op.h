/* enum op: OP_illegal = 0, then OP_<name> for every row of insn.def except the compressed ones, in
 * file order; from OP_ROWS on, OP_<name>_32: the ALUX rows where XLEN is 32. Numbers change with
 * the table and are no file format. */
#ifndef ISA_OP_H
#define ISA_OP_H

enum op {
    OP_illegal,
#define INSN(name, ...) OP_##name,
#include "isa/insn.def"
    OP_ROWS,
    OP_BEFORE_32 = OP_ROWS - 1,
#define ALUX(name, ...) OP_##name##_32,
#define ISA_RV32
#include "isa/insn.def"
    OP_COUNT
};

#endif
