/* Events that are a rule on the committed instruction: rows EVENT_RULE of event.def, each with a
 * function event_rule_NAME in a file of its own (docs/extending.md makes one). The detailed engine
 * evaluates the rules for every committing instruction, before counters, marks and ranges see its
 * events. */
#ifndef PMU_EVENT_RULE_H
#define PMU_EVENT_RULE_H

#include <stdbool.h>

#include "pmu/retire.h"

#define EVENT(id, code, name, scope, place, meaning)
#define EVENT_RULE(id, code, name, meaning) bool event_rule_##name(const struct retire *retire);
#include "pmu/event.def"
#undef EVENT

/* In event.c: true if there are rules. */
extern const bool event_has_rules;
/* EVENT_BIT mask of the rules that hold. */
uint64_t event_rules_of(const struct retire *retire);

#endif
