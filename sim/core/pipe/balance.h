/* Which of several issue queues, and how many of a group. See balance.c. */
#ifndef SIM_CORE_PIPE_BALANCE_H
#define SIM_CORE_PIPE_BALANCE_H

#include "sim/core/pipe/core_internal.h"

/* With EXTRA_IN_TURN: the queue for the instruction; it goes there; a cycle begins; nothing but an
 * event changes what dispatch knows of the queues. */
unsigned balance_queue(const struct core *core, const struct uop *uop);
void balance_taken(struct core *core, const struct uop *uop);
void balance_watch(struct core *core);
bool balance_is_settled(const struct core *core);
/* Ends a cycle: is a group kept whose queues are chosen? Its choice then stays. */
void balance_hold(struct core *core, bool is_held);
/* With EXTRA_GROUPS: how many of the next group go to the queues; 0, and *cause says why. */
uint32_t balance_group(struct core *core, unsigned *cause);
/* A jump that writes its return address. */
bool balance_leaves_address(const struct uop *uop);
/* A conversion from or to integers, which is two operations. */
bool balance_is_split(const struct uop *uop);

#endif
