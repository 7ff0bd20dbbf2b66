/* Instruction words for programs that tests write by hand. Register operands are numbers. */
#ifndef TESTS_SIM_RUN_ENCODE_H
#define TESTS_SIM_RUN_ENCODE_H

#include <stdint.h>

enum { ZERO = 0, RA = 1, SP = 2, T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A1 = 11, A2 = 12,
       A3 = 13, A4 = 14, A5 = 15, A7 = 17 };

static inline uint32_t field(int64_t value, unsigned high, unsigned low)
{
    return (uint32_t)((uint64_t)value >> low) & ((UINT32_C(2) << (high - low)) - 1);
}

static inline uint32_t r_type(unsigned funct7, unsigned rs2, unsigned rs1, unsigned funct3,
                              unsigned rd, unsigned opcode)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t i_type(int64_t imm, unsigned rs1, unsigned funct3, unsigned rd,
                              unsigned opcode)
{
    return field(imm, 11, 0) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t s_type(int64_t imm, unsigned rs2, unsigned rs1, unsigned funct3,
                              unsigned opcode)
{
    return field(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | field(imm, 4, 0) << 7 |
           opcode;
}

static inline uint32_t b_type(int64_t imm, unsigned rs2, unsigned rs1, unsigned funct3)
{
    return field(imm, 12, 12) << 31 | field(imm, 10, 5) << 25 | rs2 << 20 | rs1 << 15 |
           funct3 << 12 | field(imm, 4, 1) << 8 | field(imm, 11, 11) << 7 | 0x63;
}

static inline uint32_t jal(unsigned rd, int64_t imm)
{
    return field(imm, 20, 20) << 31 | field(imm, 10, 1) << 21 | field(imm, 11, 11) << 20 |
           field(imm, 19, 12) << 12 | rd << 7 | 0x6f;
}

/* Shapes of operands: the arguments of an instruction, in the order of the assembler. */
#define RD_RS1_IMM(name, funct3, opcode)                                                           \
    static inline uint32_t name(unsigned rd, unsigned rs1, int64_t imm)                            \
    {                                                                                              \
        return i_type(imm, rs1, funct3, rd, opcode);                                               \
    }
#define RS2_RS1_IMM(name, funct3)                                                                  \
    static inline uint32_t name(unsigned rs2, unsigned rs1, int64_t imm)                           \
    {                                                                                              \
        return s_type(imm, rs2, rs1, funct3, 0x23);                                                \
    }
#define RS1_RS2_IMM(name, funct3)                                                                  \
    static inline uint32_t name(unsigned rs1, unsigned rs2, int64_t imm)                           \
    {                                                                                              \
        return b_type(imm, rs2, rs1, funct3);                                                      \
    }
#define RD_CSR_RS1(name, funct3)                                                                   \
    static inline uint32_t name(unsigned rd, unsigned csr, unsigned rs1)                           \
    {                                                                                              \
        return i_type(csr, rs1, funct3, rd, 0x73);                                                 \
    }
#define RD_RS1_RS2_RM(name, funct7)                                                                \
    static inline uint32_t name(unsigned rd, unsigned rs1, unsigned rs2, unsigned rm)              \
    {                                                                                              \
        return r_type(funct7, rs2, rs1, rm, rd, 0x53);                                             \
    }

RD_RS1_IMM(addi, 0, 0x13)
RD_RS1_IMM(slli, 1, 0x13)
RD_RS1_IMM(jalr, 0, 0x67)
RD_RS1_IMM(lw, 2, 0x03)
RD_RS1_IMM(ld, 3, 0x03)
RS2_RS1_IMM(sw, 2)
RS2_RS1_IMM(sd, 3)
RS1_RS2_IMM(beq, 0)
RS1_RS2_IMM(bne, 1)
RD_CSR_RS1(csrrw, 1)
RD_CSR_RS1(csrrs, 2)
RD_CSR_RS1(csrrc, 3)
RD_CSR_RS1(csrrwi, 5)
RD_RS1_RS2_RM(fadd_d, 1)
RD_RS1_RS2_RM(fdiv_d, 13)

static inline uint32_t lui(unsigned rd, uint32_t page)
{
    return page << 12 | rd << 7 | 0x37;
}

static inline uint32_t add(unsigned rd, unsigned rs1, unsigned rs2)
{
    return r_type(0, rs2, rs1, 0, rd, 0x33);
}

static inline uint32_t fmv_d_x(unsigned rd, unsigned rs1)
{
    return r_type(0x79, 0, rs1, 0, rd, 0x53);
}

static inline uint32_t amo(unsigned funct5, unsigned rd, unsigned rs1, unsigned rs2,
                           unsigned funct3)
{
    return r_type(funct5 << 2, rs2, rs1, funct3, rd, 0x2f);
}

static inline uint32_t profile(unsigned funct3, unsigned rd, unsigned rs1)
{
    return r_type(0, 0, rs1, funct3, rd, 0x0b);
}

enum {
    AMO_ADD = 0, AMO_LR = 2, AMO_SC = 3,
    NOP = 0x13, ECALL = 0x73, EBREAK = 0x100073, MRET = 0x30200073, SRET = 0x10200073,
    WFI = 0x10500073, SFENCE_VMA = 0x12000073, FENCE_I = 0x100f, ILLEGAL_WORD = 0,
};

#endif
