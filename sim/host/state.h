/* State of a hart as the host reads and writes it from outside, for libprofhw and the debugger.
 * After a write machine_changed is due. */
#ifndef SIM_HOST_STATE_H
#define SIM_HOST_STATE_H

#include "sim/run/machine.h"

/* The registers of a hart as the last committed instruction leaves them. */
void state_view(const struct machine *machine, unsigned hart, struct hart *view);

/* `count` bytes of the memory that the hart sees at virtual `address` with privilege `priv`, to
 * load or to fetch; no device is asked. False: not all of it is mapped, and nothing has happened.
 */
bool state_read(struct cpu *cpu, unsigned priv, uint64_t address, unsigned char *bytes,
                size_t count);
/* The same of a write, to code too. */
bool state_write(struct cpu *cpu, unsigned priv, uint64_t address, const unsigned char *bytes,
                 size_t count);

/* One of hart->reg, other than x0, or hart->pc. */
void state_set_word(struct hart *hart, uint64_t *word, uint64_t value);
/* A whole register. False: there is none of this number, or it is read-only. */
bool state_set_csr(struct cpu *cpu, unsigned number, uint64_t value);

#endif
