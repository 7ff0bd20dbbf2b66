/* The state of a stack walk; reads of the interrupted code's memory, by doublewords, from which
 * halves of instructions and, in RV32, words are taken; the chain of frame pointers. */
#ifndef PMU_UNWIND_UNWIND_READ_H
#define PMU_UNWIND_UNWIND_READ_H

#include <stdbool.h>

#include "pmu/abi.h"

struct unwind {
    /* Reads the doubleword at a multiple of 8, as the interrupted code sees it. */
    bool (*read)(void *arg, unsigned long long va, unsigned long long *value);
    void *arg;
    unsigned long long pc, ra, sp, fp;          /* of the interrupted code; then of its callers */
    unsigned long long line, line_value;        /* last doubleword of code */
    unsigned long long from;                    /* start of the straight line ahead */
    bool has_line;
    bool has_ra, has_moved, has_called;         /* seen on the way: a load of ra, sp going up, a
                                                 * call */
    const struct monitor_frames *frames;        /* of the program; or null */
    bool is_exact;                              /* pc is not a return address */
    struct monitor_rule *rules;                 /* [MONITOR_RULES] of earlier walks; or null */
    struct monitor_rule rule;                   /* of the code being read */
    unsigned lines;                             /* entries used in rule.line */
    bool is_plain;                              /* the rule can be kept */
    const struct monitor_frames *const *module; /* [modules] of libraries */
    unsigned modules;
#ifndef __riscv
    bool is_32;                                 /* the code is RV32 */
#endif
};

/* A resident monitor walks code of its own width. */
static inline bool unwind_is_32(const struct unwind *u)
{
#ifdef __riscv
    (void)u;
    return __riscv_xlen == 32;
#else
    return u->is_32;
#endif
}

static inline unsigned unwind_word_bytes(const struct unwind *u)
{
    return unwind_is_32(u) ? 4 : 8;
}

static inline unsigned long long unwind_address(const struct unwind *u, unsigned long long address)
{
    return unwind_is_32(u) ? address & 0xffffffffu : address;
}

/* The register saved at a multiple of the word's size. */
static inline bool unwind_word(const struct unwind *u, unsigned long long va,
                               unsigned long long *value)
{
    unsigned long long doubleword;

    if (!unwind_is_32(u))
        return u->read(u->arg, va, value);
    if (!u->read(u->arg, va & ~7ull, &doubleword))
        return false;
    *value = doubleword >> (va & 4) * 8 & 0xffffffffu;
    return true;
}

static inline bool unwind_half(struct unwind *u, unsigned long long va, unsigned *half)
{
    if (!u->has_line || u->line != (va & ~7ull)) {
        u->line = va & ~7ull;
        u->has_line = (va & 1) == 0 && u->read(u->arg, u->line, &u->line_value);
        if (!u->has_line)
            return false;
    }
    *half = (unsigned)(u->line_value >> (va & 6) * 8) & 0xffff;
    return true;
}

static inline bool unwind_fetch(struct unwind *u, unsigned *insn)
{
    unsigned upper = 0;

    if (!unwind_half(u, u->pc, insn) || ((*insn & 3) == 3 && !unwind_half(u, u->pc + 2, &upper)))
        return false;
    *insn |= upper << 16;
    return true;
}

/* One frame of the chain: pc becomes the return address, fp the caller's. */
static inline bool unwind_frame(struct unwind *u)
{
    unsigned long long fp = u->fp, bytes = unwind_word_bytes(u);

    if ((fp & 7) != 0 || fp <= u->sp || !unwind_word(u, fp - bytes, &u->ra) ||
        !unwind_word(u, fp - 2 * bytes, &u->fp))
        return false;
    u->sp = fp;
    u->pc = u->ra;
    return true;
}

#endif
