/* Shared by guest and host (pmu/abi.h): indicators in the instruction stream. They are
 * HINTs for custom use, so that a program that carries them runs unchanged on every other RISC-V
 * processor.
 * Source: RISC-V unprivileged manual, "HINT instructions" (SLTI and SLTIU with rd = x0).
 *
 *   slti  x0, x<n>, FLAGS    flags hint: the next n instructions carry these marks
 *   sltiu x0, x<n>, LABEL    label hint: the next n instructions carry this label
 *
 * n = 1..31 counts instructions that commit after the hint at the privilege of the hint, and ecall
 * and ebreak, which trap instead; hints do not count. A flags hint and a label hint may be pending
 * together; each replaces the pending one of its kind. FLAGS 0 marks nothing: it ends what is
 * pending. n = 0 is a bundle hint: it holds for every instruction but hints that starts in the
 * aligned bundle of HINT_BUNDLE_BYTES whose first word it is, however control got there; elsewhere
 * it does nothing. A hint with a reserved bit set and a label hint of label 0 do nothing. None of
 * them reads x<n>. */
#ifndef ISA_HINT_H
#define ISA_HINT_H

/* FLAGS: the low five are the MARK_* of the same name. */
#define HINT_COUNT          0x001
#define HINT_INTERRUPT      0x002
#define HINT_START          0x004
#define HINT_STOP           0x008
#define HINT_TOGGLE         0x010
#define HINT_LATENCY_SHIFT  5       /* [7:5] PROF_REG_LATENCY bits; not 0: a threshold */
#define HINT_LATENCY(bits)  ((bits) << 5)
#define HINT_FLAGS_RESERVED 0xf00

/* LABEL */
#define HINT_LABEL_MASK     0x0ff   /* 1..255 */
#define HINT_LABEL_COUNT    0x100   /* count too */
#define HINT_LABEL_INTERRUPT 0x200  /* interrupt too */
#define HINT_LABEL_RESERVED 0xc00

#define HINT_NEXT_MAX       31
#define HINT_BUNDLE_BYTES   16

/* Pending hints are state of the hart. A trap, and an entry of the monitor, moves it to a place of
 * its own for each level (machine, supervisor, monitor); the return of that level moves it back. So
 * an interrupt between a hint and what it marks loses nothing; a handler that lets itself be
 * interrupted at its own level saves the place like mepc. Nothing is pending, and a return brings
 * nothing back, while PROF_MODE_ENABLE is 0. A write takes effect after the instruction that
 * writes; a value with a reserved bit, or no instructions left, is nothing (0). */
#define PROF_REG_HINT       0x406   /* + 2*HINT_AT_* + {0 flags hint, 1 label hint} */
#define HINT_AT_NOW         0
#define HINT_AT_MACHINE     1
#define HINT_AT_SUPERVISOR  2
#define HINT_AT_MONITOR     3
#define HINT_IMM_MASK       0xfff   /* [11:0] FLAGS or LABEL */
#define HINT_LEFT_SHIFT     16      /* [20:16] instructions still to be marked */

#endif
