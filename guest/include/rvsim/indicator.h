/* Performance indicators in the instruction stream, for C and for assembler sources.
 *
 * Each macro is one instruction, without effect on other RISC-V processors, and on this one while
 * PROF_MODE_ENABLE is 0. Every privilege may use them; there is nothing to link. isa/hint.h defines
 * the encodings. In C the compiler chooses the next instruction: accesses to memory stay on their
 * side of a macro, arithmetic may move. n, flags and k are constants.
 *
 *   C                                assembler
 *   PROF_MARK()                      prof_mark                   count the next instruction
 *   PROF_MARK_NEXT(n, flags)         prof_mark_next n, flags     the next n; flags: HINT_*
 *   PROF_START() STOP() TOGGLE()     prof_start stop toggle      start, stop or invert counting,
 *                                                                from the next instruction on
 *   PROF_LABEL(n, k)                 prof_label n, k             label k for the next n
 *   PROF_LABEL_NEXT(n, k, flags)     prof_label_next n, k, flags   and HINT_LABEL_COUNT, _INTERRUPT
 *   PROF_CANCEL()                    prof_cancel                 ends pending marks, not labels
 *   PROF_BUNDLE(flags)               prof_bundle flags           the rest of the aligned 16 bytes
 *   PROF_BUNDLE_LABEL(k, flags)      prof_bundle_label k, flags  that the macro begins */
#ifndef RVSIM_INDICATOR_H
#define RVSIM_INDICATOR_H

#include "isa/hint.h"

#ifdef __ASSEMBLER__

.macro prof_mark_next n, flags
    slti    x0, x\n, \flags
.endm
.macro prof_label_next n, k, flags
    sltiu   x0, x\n, (\k) | (\flags)
.endm
.macro prof_mark
    prof_mark_next 1, HINT_COUNT
.endm
.macro prof_start
    prof_mark_next 1, HINT_START
.endm
.macro prof_stop
    prof_mark_next 1, HINT_STOP
.endm
.macro prof_toggle
    prof_mark_next 1, HINT_TOGGLE
.endm
.macro prof_cancel
    prof_mark_next 1, 0
.endm
.macro prof_label n, k
    prof_label_next \n, \k, 0
.endm
.macro prof_bundle flags
    .balign HINT_BUNDLE_BYTES
    prof_mark_next 0, \flags
.endm
.macro prof_bundle_label k, flags
    .balign HINT_BUNDLE_BYTES
    prof_label_next 0, \k, \flags
.endm

#else

#define PROF_MARK_NEXT(n, flags) \
    __asm__ volatile("slti x0, x%0, %1" : : "i"(n), "i"(flags) : "memory")
#define PROF_LABEL_NEXT(n, k, flags) \
    __asm__ volatile("sltiu x0, x%0, %1" : : "i"(n), "i"((k) | (flags)) : "memory")
#define PROF_MARK()         PROF_MARK_NEXT(1, HINT_COUNT)
#define PROF_START()        PROF_MARK_NEXT(1, HINT_START)
#define PROF_STOP()         PROF_MARK_NEXT(1, HINT_STOP)
#define PROF_TOGGLE()       PROF_MARK_NEXT(1, HINT_TOGGLE)
#define PROF_CANCEL()       PROF_MARK_NEXT(1, 0)
#define PROF_LABEL(n, k)    PROF_LABEL_NEXT(n, k, 0)
#define PROF_BUNDLE(flags) \
    __asm__ volatile(".balign 16\n\tslti x0, x0, %0" : : "i"(flags) : "memory")
#define PROF_BUNDLE_LABEL(k, flags) \
    __asm__ volatile(".balign 16\n\tsltiu x0, x0, %0" : : "i"((k) | (flags)) : "memory")

#endif
#endif
