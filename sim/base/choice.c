/* See choice.h. */
#include "sim/base/choice.h"

#include <stdio.h>
#include <string.h>

#define DIRECTION(id, name, settings, meaning) "|" #name
const char choices_direction[] =
#include "sim/base/direction.def"
    ;
#undef DIRECTION

#define INDIRECT(id, name, settings, meaning) "|" #name
const char choices_indirect[] =
#include "sim/base/indirect.def"
    ;
#undef INDIRECT

#define PREFETCH(id, name, caches, settings, meaning) "|" #name
const char choices_prefetch[] =
#include "sim/base/prefetch.def"
    ;
#undef PREFETCH

#define REPLACEMENT(id, name, meaning) "|" #name
const char choices_replacement[] =
#include "sim/base/replacement.def"
    ;
#undef REPLACEMENT

enum { CACHES_ANY = false, CACHES_DATA = true };

static const struct choice directions[] = {
#define DIRECTION(id, name, settings, meaning) {#name, settings, meaning, false},
#include "sim/base/direction.def"
#undef DIRECTION
};

static const struct choice indirects[] = {
#define INDIRECT(id, name, settings, meaning) {#name, settings, meaning, false},
#include "sim/base/indirect.def"
#undef INDIRECT
};

static const struct choice prefetchers[] = {
#define PREFETCH(id, name, caches, settings, meaning) {#name, settings, meaning, CACHES_##caches},
#include "sim/base/prefetch.def"
#undef PREFETCH
};

static const struct choice replacements[] = {
#define REPLACEMENT(id, name, meaning) {#name, "", meaning, false},
#include "sim/base/replacement.def"
#undef REPLACEMENT
};

static const struct { const char *names; const struct choice *row; size_t rows; } tables[] = {
    {choices_direction, directions, sizeof directions / sizeof directions[0]},
    {choices_indirect, indirects, sizeof indirects / sizeof indirects[0]},
    {choices_prefetch, prefetchers, sizeof prefetchers / sizeof prefetchers[0]},
    {choices_replacement, replacements, sizeof replacements / sizeof replacements[0]},
};

const struct choice *choice_at(const char *names, size_t index)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (names == tables[i].names + 1)
            return index < tables[i].rows ? &tables[i].row[index] : NULL;
    return NULL;
}

bool choice_has(const struct choice *choice, const char *setting)
{
    size_t length = strlen(setting);

    for (const char *at = choice->settings; *at != '\0'; at += *at == ' ') {
        size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, setting, length) == 0)
            return true;
        at += here;
    }
    return false;
}

const char *choice_list_without_pc(const char *names, char *text, size_t bytes)
{
    const struct choice *choice;
    size_t length = 0;

    for (size_t i = 0; (choice = choice_at(names, i)) != NULL && length < bytes; i++)
        if (!choice->asks_pc)
            length += (size_t)snprintf(text + length, bytes - length, "%s%s",
                                       length == 0 ? "" : "|", choice->name);
    return text;
}
