/* Masks from the bit patterns of insn.def, folded by the compiler: for initialisers of tables.
 *
 * A pattern is a string literal with one character a bit, leftmost the highest, and spaces at fixed
 * places: "7 5 5 3 5 7" characters for 32 bits, "3 1 5 5 2" for 16. MASK has the fixed bits, MATCH
 * their values: an encoding matches if (bits & MASK) == MATCH. */
#ifndef ISA_PATTERN_H
#define ISA_PATTERN_H

#include <stdint.h>

#define PATTERN_MASK(p) PATTERN_32(p, != '.')
#define PATTERN_MATCH(p) PATTERN_32(p, == '1')
#define PATTERN_RVC_MASK(p) PATTERN_16(p, != '.')
#define PATTERN_RVC_MATCH(p) PATTERN_16(p, == '1')

/* The opcode and funct3 of a pattern as one byte, and its quadrant and funct3; '.' counts as 0. */
#define PATTERN_KEY(p)                                                                             \
    (PATTERN_4(p, 2, PATTERN_W, == '1') >> 2 | PATTERN_1(p, 6, PATTERN_W, == '1') >> 2 |           \
     PATTERN_2(p, 12, PATTERN_W, == '1') >> 7 | PATTERN_1(p, 14, PATTERN_W, == '1') >> 7)
#define PATTERN_RVC_KEY(p)                                                                         \
    (PATTERN_2(p, 0, PATTERN_C, == '1') | PATTERN_2(p, 13, PATTERN_C, == '1') >> 11 |              \
     PATTERN_1(p, 15, PATTERN_C, == '1') >> 11)

/* The place of a bit in the string: the number of bits and spaces before it. */
#define PATTERN_W(b) (31 - (b) + ((b) < 25) + ((b) < 20) + ((b) < 15) + ((b) < 12) + ((b) < 7))
#define PATTERN_C(b) (15 - (b) + ((b) < 13) + ((b) < 12) + ((b) < 7) + ((b) < 2))

#define PATTERN_1(p, b, at, is) ((uint32_t)((p)[at(b)] is) << (b))
#define PATTERN_2(p, b, at, is) (PATTERN_1(p, b, at, is) | PATTERN_1(p, (b) + 1, at, is))
#define PATTERN_4(p, b, at, is) (PATTERN_2(p, b, at, is) | PATTERN_2(p, (b) + 2, at, is))
#define PATTERN_8(p, b, at, is) (PATTERN_4(p, b, at, is) | PATTERN_4(p, (b) + 4, at, is))
#define PATTERN_16(p, is) (PATTERN_8(p, 0, PATTERN_C, is) | PATTERN_8(p, 8, PATTERN_C, is))
#define PATTERN_32(p, is)                                                                          \
    (PATTERN_8(p, 0, PATTERN_W, is) | PATTERN_8(p, 8, PATTERN_W, is) |                             \
     PATTERN_8(p, 16, PATTERN_W, is) | PATTERN_8(p, 24, PATTERN_W, is))

#endif
