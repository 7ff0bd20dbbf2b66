/* Ports that are kept for a cycle; only with EXTRA_HOLDS. See holds.c. */
#ifndef SIM_CORE_PIPE_HOLDS_H
#define SIM_CORE_PIPE_HOLDS_H

#include "sim/core/pipe/core_internal.h"

/* Those that take nothing of the class in this cycle, as a bit mask. */
uint32_t holds_ports(const struct core *core, unsigned class);
/* An operation has been issued to the port, and complete_cycle is known. */
void holds_result(struct core *core, const struct uop *uop, unsigned port);
/* A jump that writes its return address is dispatched, for which there has to be room beside the
 * jump's own; addresses wait; the jump is squashed. */
bool holds_address_room(const struct core *core, const struct uop *uop);
void holds_return_address(struct core *core, uint64_t seq);
void holds_issue_address(struct core *core);
void holds_undo_address(struct core *core, uint64_t seq);

#endif
