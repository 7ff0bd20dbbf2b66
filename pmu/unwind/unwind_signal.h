/* The frame of a signal handler of a Linux program: its return address is code that calls
 * rt_sigreturn, and above it on the stack lie the interrupted code's registers (struct rt_sigframe
 * of Linux: siginfo, 128 bytes, then ucontext with its mcontext). Freestanding. */
#ifndef PMU_UNWIND_UNWIND_SIGNAL_H
#define PMU_UNWIND_UNWIND_SIGNAL_H

#include "pmu/unwind/unwind_read.h"

enum {
    UNWIND_SIGNAL_CALL = 0x08b00893,    /* li a7, rt_sigreturn */
    UNWIND_SIGNAL_ECALL = 0x73,
    UNWIND_SIGNAL_REGISTERS = 128 + 176,
    UNWIND_SIGNAL_REGISTERS_32 = 128 + 160,
};

static inline bool unwind_is_code(struct unwind *u, unsigned long long va, unsigned code)
{
    unsigned low, high;

    return unwind_half(u, va, &low) && low == (code & 0xffff) && unwind_half(u, va + 2, &high) &&
           high == code >> 16;
}

/* True if pc is the return address of a signal handler, or one instruction after it. */
static inline bool unwind_is_signal(struct unwind *u)
{
    return (unwind_is_code(u, u->pc, UNWIND_SIGNAL_CALL) &&
            unwind_is_code(u, u->pc + 4, UNWIND_SIGNAL_ECALL)) ||
           (unwind_is_code(u, u->pc, UNWIND_SIGNAL_ECALL) &&
            unwind_is_code(u, u->pc - 4, UNWIND_SIGNAL_CALL));
}

/* Continues with the interrupted code, whose pc is not a return address. */
static inline bool unwind_leave_signal(struct unwind *u)
{
    unsigned long long bytes = unwind_word_bytes(u), at = u->sp;

    at += unwind_is_32(u) ? UNWIND_SIGNAL_REGISTERS_32 : UNWIND_SIGNAL_REGISTERS;
    if ((u->sp & 7) != 0 || !unwind_word(u, at, &u->pc) || !unwind_word(u, at + bytes, &u->ra) ||
        !unwind_word(u, at + 2 * bytes, &u->sp) || !unwind_word(u, at + 8 * bytes, &u->fp))
        return false;
    u->is_exact = true;
    return true;
}

#endif
