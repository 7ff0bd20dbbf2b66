/* Registers reached through others: the indirect supervisor CSRs (Smcsrind/Sscsrind), counters
 * delegated to S-mode through them (Smcdeleg/Ssccfg), and control transfer records (Smctr/Ssctr).
 *
 * No machine-level select value is implemented: mireg* are illegal. siselect 0x40..0x5f select
 * counters, 0x200..0x2ff control transfer records; sireg* with any other value are illegal.
 * Left out: Smstateen, hypervisor modes.
 * Source: Privileged Architecture, Smcsrind/Sscsrind 1.0, Smcdeleg/Ssccfg 1.0, Smctr/Ssctr 1.0. */
#ifndef SIM_CORE_INDIRECT_H
#define SIM_CORE_INDIRECT_H

#include "sim/core/cpu.h"

/* CSRs with owner CSR_INDIRECT. The caller has checked csr_is_allowed. False: the access is illegal
 * as things are. *effects as of cpu_system. */
bool indirect_read(struct cpu *cpu, unsigned number, uint64_t *value);
bool indirect_write(struct cpu *cpu, unsigned number, uint64_t value, unsigned *effects);

#endif
