/* The numbers that gdb has for registers, as its own port to RISC-V numbers them. */
#ifndef SIM_DEBUG_REGISTERS_H
#define SIM_DEBUG_REGISTERS_H

#include <stdbool.h>

enum { REGISTERS_PC = 32, REGISTERS_F0 = 33, REGISTERS_CSR = 65, REGISTERS_CSRS = 4096,
       REGISTERS_PRIV = REGISTERS_CSR + REGISTERS_CSRS };

/* The whole register that `number` is, or is the upper half of (*is_high); REGISTERS_CSRS: there is
 * none of this number where registers have `xlen` bits. */
unsigned registers_csr(unsigned xlen, unsigned number, bool *is_high);

#endif
