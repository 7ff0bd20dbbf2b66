/* Loops around CSR instructions: their additional cycles, compared with operations. */
#ifndef TESTS_SIM_CORE_INORDER_EXTRA_CYCLES_H
#define TESTS_SIM_CORE_INORDER_EXTRA_CYCLES_H

#include "tests/sim/core/rig.h"

#define NOP addi(0, 0, 0)
#define FENCE 0x0ff0000fu

enum { WRITE = 1, SET = 2, T0 = 5, T1 = 6, T2 = 7, A0 = 10, ROUNDS = 40 };

static inline uint32_t csr(unsigned rd, unsigned number, unsigned action, unsigned from)
{
    return number << 20 | from << 15 | action << 12 | rd << 7 | 0x73;
}

/* The cycles that a round of the loop with these words takes beyond one with as many operations. */
static inline int64_t extra_cycles(const char *const *settings, const uint32_t *body,
                                   unsigned length)
{
    uint32_t plain[8];
    assert_true(length <= 8);
    for (unsigned i = 0; i < length; i++)
        plain[i] = NOP;
    int64_t more[2];
    for (unsigned i = 0; i < 2; i++)
        more[i] = (int64_t)loop_cycles_with(settings, body, length, ROUNDS * (i + 1)) -
                  (int64_t)loop_cycles_with(settings, plain, length, ROUNDS * (i + 1));
    return (more[1] - more[0]) / ROUNDS;
}

#endif
