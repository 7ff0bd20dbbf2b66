/* Leaves functions without unwind tables by their code, on RISC-V. */
#ifndef GUEST_LIB_ASSERT_TIMER_CODE_H
#define GUEST_LIB_ASSERT_TIMER_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { CODE_REGISTERS = 32, CODE_STORES = 32, CODE_WAYS = 16, CODE_SEEN = 256 };

/* The registers at an instruction; x[i] holds if bit i of `known` is set. */
struct code_registers { uintptr_t pc, x[CODE_REGISTERS]; uint32_t known; };

/* A way through the code, with the stores that it would make. */
struct code_way {
    struct code_registers at;
    unsigned stores;
    struct { uintptr_t address, value; bool is_known; } store[CODE_STORES];
};

/* Room to work in. */
struct code_work {
    unsigned ways, seen;
    struct code_way now, way[CODE_WAYS];
    struct { uintptr_t pc, sp; uint32_t known; } place[CODE_SEEN];
    uintptr_t page;                     /* the last one that was found to be readable; 1: none */
};

/* Replaces the registers by those after the function's return. False: the code does not show
 * them; the registers are unchanged. Allowed in a signal handler. */
bool code_leave(struct code_work *work, struct code_registers *at);

/* ---- assert_timer_insn.c --------------------------------------------------------------------- */

enum code_kind {
    CODE_OTHER,                         /* rd becomes unknown */
    CODE_ADD_CONSTANT,                  /* rd = rs1 + constant */
    CODE_ADD_WORD,                      /* the same with 32 bits, sign-extended */
    CODE_ADD,                           /* rd = rs1 + rs2 */
    CODE_SUBTRACT,                      /* rd = rs1 - rs2 */
    CODE_LOAD,                          /* rd = the whole register at rs1 + constant */
    CODE_STORE,                         /* the register rs2 goes there */
    CODE_BRANCH,                        /* to pc + constant, or not */
    CODE_JUMP,
    CODE_CALL,                          /* any; the link register is ra or t0 */
    CODE_RETURN,                        /* jr ra */
    CODE_TAIL,                          /* a stub of the procedure linkage table: to code that
                                           returns to ra */
    CODE_END,                           /* to nowhere known */
};

struct code_insn { enum code_kind kind; unsigned rd, rs1, rs2, bytes; intptr_t constant; };

/* Decodes the instruction in the low 16 or 32 bits. */
struct code_insn code_decode(uint32_t insn);

#endif
