/* Reads and writes the state of a hart from outside, for libprofhw and the debugger. After writes
 * the caller calls machine_changed. */
#ifndef SIM_HOST_STATE_H
#define SIM_HOST_STATE_H

#include "sim/run/machine.h"

/* The registers of a hart as the last committed instruction leaves them. */
void state_view(const struct machine *machine, unsigned hart, struct hart *view);

/* Reads `count` bytes at a virtual address, as the hart could load or fetch them with privilege
 * `priv`; RAM only, no devices. False: some bytes are not mapped; then nothing is read. */
bool state_read(struct cpu *cpu, unsigned priv, uint64_t address, unsigned char *bytes,
                size_t count);
/* Writes bytes with the same rules, to code too. */
bool state_write(struct cpu *cpu, unsigned priv, uint64_t address, const unsigned char *bytes,
                 size_t count);

/* Sets *word, which is one of hart->reg other than x0, or hart->pc. */
void state_set_word(struct hart *hart, uint64_t *word, uint64_t value);
/* Sets a control and status register. False: it does not exist, or is read-only. */
bool state_set_csr(struct cpu *cpu, unsigned number, uint64_t value);

#endif
