/* The event table as data: names, meanings and scopes by code, expanded from event.def. */
#include "pmu/event.h"

#include "pmu/event_rule.h"

#include <string.h>

#define EVENT_PLACE(id, where, path) PLACE_##id,
enum event_place {
#include "pmu/event_place.def"
};
#undef EVENT_PLACE

struct event_row {
    const char *name, *meaning;
    uint8_t scope, place;           /* enum event_scope, enum event_place */
};

#define EVENT(id, code, text, in_scope, in_place, what)                                            \
    [code] = {.name = text, .meaning = what, .scope = SCOPE_##in_scope, .place = PLACE_##in_place},
static const struct event_row rows[EVENT_COUNT] = {
#include "pmu/event.def"
};
#undef EVENT

/* Compiles only if no two rows have the same code: the switch has a case for each row. */
static bool is_event(unsigned code)
{
    switch (code) {
#define EVENT(id, number, text, in_scope, place, what) case number:
#include "pmu/event.def"
#undef EVENT
        return true;
    default:
        return false;
    }
}

const char *event_name(unsigned code)
{
    return is_event(code) ? rows[code].name : NULL;
}

const char *event_meaning(unsigned code)
{
    return is_event(code) ? rows[code].meaning : NULL;
}

#define EVENT_ARCHITECTURAL(id) [EVENT_##id] = true,
static const bool architectural[EVENT_COUNT] = {
#include "pmu/event_architectural.def"
};
#undef EVENT_ARCHITECTURAL

#define EVENT_ARCHITECTURAL(id) | (EVENT_##id < 64 ? UINT64_C(1) << EVENT_##id % 64 : 0)
const uint64_t event_bits_architectural = 0
#include "pmu/event_architectural.def"
    ;
#undef EVENT_ARCHITECTURAL

bool event_is_architectural(unsigned code)
{
    return code < EVENT_COUNT && architectural[code];
}

bool event_is_of_memory(unsigned code)
{
    return is_event(code) && (rows[code].place == PLACE_MEMORY || rows[code].place == PLACE_WRITE);
}

unsigned event_scope(unsigned code)
{
    return is_event(code) ? rows[code].scope : 0;
}

unsigned event_by_name(const char *name)
{
    return event_by_name_after(EVENT_NONE, name);
}

static bool has_name(unsigned code, const char *name)
{
    return rows[code].name != NULL && strcmp(rows[code].name, name) == 0;
}

unsigned event_by_name_after(unsigned last, const char *name)
{
    for (unsigned code = last + 1; code < EVENT_COUNT; code++)
        if (has_name(code, name))
            return code;
    for (unsigned code = 1; code <= last; code++)
        if (has_name(code, name))
            return code;
    return EVENT_NONE;
}

const char *event_next(void *code)
{
    unsigned *at = code;

    while (++*at < EVENT_COUNT)
        if (is_event(*at))
            return rows[*at].name;
    return NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

#define EVENT(id, code, text, in_scope, in_place, what)
#define EVENT_RULE(id, code, name, what) +1
const bool event_has_rules = (0
#include "pmu/event.def"
                              ) != 0;
#undef EVENT

uint64_t event_rules_of(const struct retire *retire)
{
    uint64_t events = 0;
    (void)retire;
#define EVENT(id, code, text, in_scope, in_place, what)
#define EVENT_RULE(id, code, name, what) \
    events |= event_rule_##name(retire) ? UINT64_C(1) << code : 0;
#include "pmu/event.def"
#undef EVENT
    return events;
}
