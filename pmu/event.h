/* The kind of an event, and the engines that count it. */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event_scope { SCOPE_INSN = 1, SCOPE_EACH, SCOPE_CYCLE, SCOPE_SLOT, SCOPE_LOST, SCOPE_CPI };
unsigned event_scope(unsigned code);            /* 0: no such event */

/* Without a pipeline, too, it is counted: event_architectural.def. */
bool event_is_architectural(unsigned code);
extern const uint64_t event_bits_architectural;     /* of those, EVENT_BIT */
/* It is counted in the memory system, which --mode warm has, too. */
bool event_is_of_memory(unsigned code);

#endif
