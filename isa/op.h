/* enum op: OP_illegal = 0, then OP_<name> for every row of insn.def but the compressed ones, in
 * file order. Numbers change with the table and are nobody's file format. */
#ifndef ISA_OP_H
#define ISA_OP_H

enum op {
    OP_illegal,
#define INSN(name, ...) OP_##name,
#include "isa/insn.def"
    OP_COUNT
};

#endif
