/* Access of a guest program to the profiling hardware: registers, counters of marked words,
 * indicators.
 *
 * Inline assembly over the numbers of pmu/abi.h, no code to link. Machine mode unless said
 * otherwise; on a processor without this hardware the CSR accesses trap and the custom-0
 * instructions are illegal. */
#ifndef RVSIM_PROFILING_H
#define RVSIM_PROFILING_H

#include "pmu/abi.h"

#define PROF_STRING_(x) #x
#define PROF_STRING(x) PROF_STRING_(x)

#define prof_csr_read(number) __extension__ ({ \
    unsigned long prof_value_; \
    __asm__ volatile("csrr %0, " PROF_STRING(number) : "=r"(prof_value_)); \
    prof_value_; })

#define prof_csr_write(number, value) \
    __asm__ volatile("csrw " PROF_STRING(number) ", %0" : : "rK"((unsigned long)(value)) : "memory")

/* mode: PROF_MODE_* bits; 0 switches the profiling hardware off. */
static inline void prof_set_mode(unsigned long mode)
{
    prof_csr_write(CSR_PROF_MODE, mode);
}

/* The registers behind the index and data CSRs; index: PROF_REG_*. */
static inline unsigned long prof_read(unsigned long index)
{
    prof_csr_write(CSR_PROF_INDEX, index);
    return prof_csr_read(CSR_PROF_DATA);
}

static inline void prof_write(unsigned long index, unsigned long value)
{
    prof_csr_write(CSR_PROF_INDEX, index);
    prof_csr_write(CSR_PROF_DATA, value);
}

/* The number of accesses to the marked datum at `address`, or of executions of the marked
 * instruction, since its counter was last cleared; 0 if it has no counter. Any privilege. */
static inline unsigned long prof_data_count(const void *address)
{
    unsigned long count;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(count) : "r"(address));
    return count;
}

static inline unsigned long prof_data_count_clear(const void *address)
{
    unsigned long count;
    __asm__ volatile(".insn r 0x0b, 1, 0, %0, %1, x0" : "=r"(count) : "r"(address));
    return count;
}

static inline unsigned long prof_insn_count(const void *address)
{
    unsigned long count;
    __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(count) : "r"(address));
    return count;
}

static inline unsigned long prof_insn_count_clear(const void *address)
{
    unsigned long count;
    __asm__ volatile(".insn r 0x0b, 3, 0, %0, %1, x0" : "=r"(count) : "r"(address));
    return count;
}

/* The oldest pending indicator interrupt. */
struct prof_indicator { unsigned long iaddr, daddr, count, cycles, flags; };

static inline struct prof_indicator prof_indicator(void)
{
    struct prof_indicator indicator;
    indicator.iaddr = prof_csr_read(CSR_IND_IADDR);
    indicator.daddr = prof_csr_read(CSR_IND_DADDR);
    indicator.count = prof_csr_read(CSR_IND_COUNT);
    indicator.cycles = prof_csr_read(CSR_IND_CYCLES);
    indicator.flags = prof_csr_read(CSR_IND_FLAGS);
    return indicator;
}

/* Removes the oldest indicator; the next one, if any, becomes the oldest. */
static inline void prof_indicator_acknowledge(void)
{
    prof_write(PROF_REG_ACK, 0);
}

#endif
