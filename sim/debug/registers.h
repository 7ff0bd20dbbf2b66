/* Registers by gdb's numbers, as its RISC-V port assigns them. */
#ifndef SIM_DEBUG_REGISTERS_H
#define SIM_DEBUG_REGISTERS_H

#include <stdbool.h>

enum { REGISTERS_PC = 32, REGISTERS_F0 = 33, REGISTERS_CSR = 65, REGISTERS_CSRS = 4096,
       REGISTERS_PRIV = REGISTERS_CSR + REGISTERS_CSRS };

/* The number of the CSR that gdb's CSR `number` is, or (*is_high) is the upper half of.
 * REGISTERS_CSRS: no such register where XLEN is `xlen`. */
unsigned registers_csr(unsigned xlen, unsigned number, bool *is_high);

#endif
