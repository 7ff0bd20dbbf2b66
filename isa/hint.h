/* Shared by guest and host (pmu/abi.h): hints in the instruction stream. They are HINTs for custom
 * use, so a program with them runs unchanged on every other RISC-V processor.
 * Source: RISC-V unprivileged manual, "HINT instructions" (SLTI and SLTIU with rd = x0).
 *
 *   slti  x0, x<n>, FLAGS    flags hint: the next n instructions carry these marks
 *   sltiu x0, x<n>, LABEL    label hint: the next n instructions carry this label
 *
 * n = 1..31 counts instructions that commit after the hint at the privilege of the hint, and ecall
 * and ebreak, which trap instead; hints do not count. A flags hint and a label hint may be pending
 * together; each replaces the pending one of its kind. FLAGS 0 marks nothing: it ends a pending
 * flags hint. n = 0 is a bundle hint: as first word of an aligned bundle of HINT_BUNDLE_BYTES it
 * holds for every other instruction that starts in the bundle, on every path to it; elsewhere it
 * does nothing. A hint with a reserved bit set and a label hint of label 0 do nothing. None of them
 * reads x<n>. */
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

/* Pending hints are state of the hart. A trap, or an entry of the monitor, moves them to a place of
 * its level (machine, supervisor, monitor); the return of that level moves them back. So an
 * interrupt between a hint and the instructions it marks loses nothing. A handler that can be
 * interrupted at its own level saves the place like mepc. While PROF_MODE_ENABLE is 0 no hints are
 * pending, and a return restores none. A write takes effect after the writing instruction; a value
 * with a reserved bit, or no instructions left, counts as 0. */
#define PROF_REG_HINT       0x406   /* + 2*HINT_AT_* + {0 flags hint, 1 label hint} */
#define HINT_AT_NOW         0
#define HINT_AT_MACHINE     1
#define HINT_AT_SUPERVISOR  2
#define HINT_AT_MONITOR     3
#define HINT_IMM_MASK       0xfff   /* [11:0] FLAGS or LABEL */
#define HINT_LEFT_SHIFT     16      /* [20:16] instructions still to be marked */

#endif
