/* Control and status registers of a processor, whichever part of it has them. */
#ifndef SIM_CORE_CSR_ACCESS_H
#define SIM_CORE_CSR_ACCESS_H

#include "sim/core/cpu.h"

/* Whole registers (csr_whole); the caller has checked csr_is_allowed. False: no such register.
 * *modify: the value that set and clear change. *effects: CSR_EFFECT_* | CPU_EFFECT_*, added. */
bool cpu_csr_read(struct cpu *cpu, unsigned number, uint64_t *value, uint64_t *modify);
bool cpu_csr_write(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects);

#endif
