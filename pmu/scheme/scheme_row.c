/* The table of profiling schemes, and the names of their results; see scheme.h and
 * scheme_model.h. */
#include "pmu/scheme/scheme_model.h"

#include <stdio.h>

#define SCHEME(id, name, text, kind, help) extern const struct scheme_model scheme_##name;
#include "pmu/scheme/scheme.def"
#undef SCHEME

static const struct { struct scheme_row row; const struct scheme_model *model; } schemes[] = {
#define SCHEME(id, name, text, kind, help) {{text, help, SCHEME_##kind}, &scheme_##name},
#include "pmu/scheme/scheme.def"
#undef SCHEME
};

enum { COUNT = sizeof schemes / sizeof schemes[0] };
_Static_assert(sizeof schemes / sizeof schemes[0] <= SCHEMES_MAX, "no room for every scheme");

unsigned scheme_count(void)
{
    return COUNT;
}

struct scheme_row scheme_row(unsigned id)
{
    return schemes[id].row;
}

const struct scheme_model *scheme_model(unsigned id)
{
    return schemes[id].model;
}

const char *scheme_state_name(enum scheme_state state)
{
    static const char *const name[SCHEME_STATES] = {
#define SCHEME_STATE(id, name, meaning) name,
#include "pmu/scheme/scheme_state.def"
#undef SCHEME_STATE
    };

    return name[state];
}

const char *scheme_signature_text(unsigned signature, char text[SCHEME_SIGNATURE_TEXT])
{
    static const char *const name[SCHEME_EVENTS] = {
#define SCHEME_EVENT(id, name, meaning) name,
#include "pmu/scheme/scheme_event.def"
#undef SCHEME_EVENT
    };
    size_t length = 0;

    snprintf(text, SCHEME_SIGNATURE_TEXT, "-");
    for (unsigned bit = 0; bit < SCHEME_EVENTS; bit++)
        if (signature >> bit & 1)
            length += (size_t)snprintf(text + length, SCHEME_SIGNATURE_TEXT - length, "%s%s",
                                       length != 0 ? " " : "", name[bit]);
    return text;
}
