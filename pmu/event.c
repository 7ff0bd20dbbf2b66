/* The event table as data: names, meanings and scopes by code, expanded from event.def. */
#include "pmu/pmu.h"

#include <string.h>

struct event_row {
    const char *name, *meaning;
    uint8_t scope;
};

#define EVENT(id, code, text, in_scope, place, what)                                               \
    [code] = {.name = text, .meaning = what, .scope = SCOPE_##in_scope},
static const struct event_row rows[EVENT_COUNT] = {
#include "pmu/event.def"
};
#undef EVENT

/* Two rows with one code do not compile: this switch has a case for each. */
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

unsigned event_scope(unsigned code)
{
    return is_event(code) ? rows[code].scope : 0;
}

unsigned event_by_name(const char *name)
{
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        if (rows[code].name != NULL && strcmp(rows[code].name, name) == 0)
            return code;
    return EVENT_NONE;
}
