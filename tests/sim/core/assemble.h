/* A small assembler for the programs of the rig: one function an instruction, registers by number,
 * branch offsets in bytes. */
#ifndef TESTS_SIM_CORE_ASSEMBLE_H
#define TESTS_SIM_CORE_ASSEMBLE_H

#include <stdint.h>

static inline uint32_t r_type(uint32_t f7, uint32_t rs2, uint32_t rs1, uint32_t f3, uint32_t rd,
                              uint32_t op)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static inline uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | rd << 7 | 0x13;
}

static inline uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return r_type(0, rs2, rs1, 0, rd, 0x33);
}

static inline uint32_t mul(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return r_type(1, rs2, rs1, 0, rd, 0x33);
}

static inline uint32_t divide(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return r_type(1, rs2, rs1, 4, rd, 0x33);
}

static inline uint32_t load(uint32_t rd, uint32_t rs1, int32_t imm)
{
    return (addi(rd, rs1, imm) | 3 << 12) ^ 0x10;
}

static inline uint32_t store(uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | 3 << 12 | (imm & 31) << 7 | 0x23;
}

static inline uint32_t branch(uint32_t f3, uint32_t rs1, uint32_t rs2, int32_t offset)
{
    uint32_t u = (uint32_t)offset;
    return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           (u >> 1 & 15) << 8 | (u >> 11 & 1) << 7 | 0x63;
}

/* By an even offset of less than 2 KiB, forward. */
static inline uint32_t jal(uint32_t rd, uint32_t offset)
{
    return (offset >> 1 & 1023) << 21 | rd << 7 | 0x6f;
}

static inline uint32_t beq(uint32_t a, uint32_t b, int32_t offset)
{
    return branch(0, a, b, offset);
}

static inline uint32_t bne(uint32_t a, uint32_t b, int32_t offset)
{
    return branch(1, a, b, offset);
}

#endif
