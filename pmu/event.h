/* The table of events (event.def): codes, names, kinds, and the engines that count them. */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum { EVENT_COUNT = 256 };

#define EVENT(id, code, name, scope, place, meaning) EVENT_##id = code,
enum event {
    EVENT_NONE = 0,
#include "pmu/event.def"
};
#undef EVENT

/* Causes of cycles without commit: [EVENT_x - EVENT_CPI_BASE]. Index 0: an instruction
 * committed. */
enum { EVENT_CAUSES = EVENT_CPI_IDLE - EVENT_CPI_BASE + 1 };

/* A component reports "this happened to this instruction" as bit EVENT_x of a 64-bit mask. */
#define EVENT_BIT(id) (UINT64_C(1) << EVENT_##id)

const char *event_name(unsigned code);          /* NULL: no such event */
const char *event_meaning(unsigned code);
unsigned event_by_name(const char *name);       /* 0: no such event */
/* The same, looked for from the event after `last` on: at once for names in the order of codes. */
unsigned event_by_name_after(unsigned last, const char *name);
/* The name of the event after *code (an unsigned), which becomes its code; 0 precedes the first
 * event. NULL after the last. */
const char *event_next(void *code);

enum event_scope { SCOPE_INSN = 1, SCOPE_EACH, SCOPE_CYCLE, SCOPE_SLOT, SCOPE_LOST, SCOPE_CPI };
unsigned event_scope(unsigned code);            /* 0: no such event */

/* True if the event is counted without a pipeline too: event_architectural.def. */
bool event_is_architectural(unsigned code);
extern const uint64_t event_bits_architectural;     /* EVENT_BIT mask of the architectural events */
/* True if the event is counted in the memory system, which --mode warm also simulates. */
bool event_is_of_memory(unsigned code);

#endif
