/* Macros of the hand-counted programs: a program says itself how often its instructions run.
 *
 *   function NAME, end_function NAME: a routine; those with a `times` at their start are counted
 *   times N          from here on, up to the next `times`, every instruction completes N times
 *   accessed A G N   the datum of G bytes at A is accessed N times
 *   expect EVENT N   the whole run has N of this event (N: an expression without blanks)
 *   ranged NAME E N  range register NAME is entered E times and sees N instructions or accesses
 *   watch "LINE"     a line of the metadata file
 *   address_of A     eight bytes of data: an address
 * They fill sections that are not loaded; tests/integration reads them. The counts are derived by
 * hand in each program's comments. A program starts at `program`, with a stack, and ends with `j
 * pass`, or `j fail` with an exit code in a0; these store only the exit code. s11 is that of
 * `demand`. */
#ifndef COUNTED_H
#define COUNTED_H

#include "pmu/abi.h"

/* A register's width; its place in memory is eight bytes long for either width. */
#if __riscv_xlen == 64
#define LOAD_REG ld
#define STORE_REG sd
#else
#define LOAD_REG lw
#define STORE_REG sw
#endif

/* atomic NAME OPERANDS...: amoadd, lr, sc, ... of a register's width. */
    .macro atomic name, operands:vararg
#if __riscv_xlen == 64
    \name\().d \operands
#else
    \name\().w \operands
#endif
    .endm

    .macro address_of label
#if __riscv_xlen == 64
    .dword \label
#else
    .word \label, 0
#endif
    .endm

/* rd = the count of the datum, or of the instruction, at rs1; _clear: from zero again. */
    .macro rdac rd, rs1
    .insn r 0x0b, PROF_F3_RDAC, 0, \rd, \rs1, x0
    .endm
    .macro rdac_clear rd, rs1
    .insn r 0x0b, PROF_F3_RDAC_CLEAR, 0, \rd, \rs1, x0
    .endm
    .macro rdic rd, rs1
    .insn r 0x0b, PROF_F3_RDIC, 0, \rd, \rs1, x0
    .endm
    .macro rdic_clear rd, rs1
    .insn r 0x0b, PROF_F3_RDIC_CLEAR, 0, \rd, \rs1, x0
    .endm

    .macro function name
    .balign 4
    .global \name
    .type \name, @function
\name:
    .endm

    .macro end_function name
    .size \name, . - \name
    .endm

    .macro times count
98: .pushsection .expect.code, "", @progbits
    address_of 98b
    .dword \count
    .popsection
    .endm

    .macro accessed address, granule, count
    .pushsection .expect.data, "", @progbits
    address_of \address
    .dword \granule, \count
    .popsection
    .endm

    .macro expect event, count
    .pushsection .expect.events, "", @progbits
    .ascii "\event \count\n"
    .popsection
    .endm

    .macro ranged name, entries, inside
    .pushsection .expect.ranges, "", @progbits
    .ascii "\name \entries \inside\n"
    .popsection
    .endm

    .macro watch line
    .pushsection .expect.meta, "", @progbits
    .ascii "\line\n"
    .popsection
    .endm

/* Unless REGISTER holds VALUE, the bits of NUMBER go into the exit code that `pass` ends with.
 * Uses t6; no branch, so that it counts like any other code. */
    .macro demand register, value, number
    li t6, \value
    sub t6, \register, t6
    snez t6, t6
    neg t6, t6
    andi t6, t6, \number
    or s11, s11, t6
    .endm

#define PROF_WRITE(number, register) \
    li t6, number; csrw CSR_PROF_INDEX, t6; csrw CSR_PROF_DATA, register
#define PROF_READ(register, number) \
    li t6, number; csrw CSR_PROF_INDEX, t6; csrr register, CSR_PROF_DATA

    .option norelax
    .option norvc

#endif
