/* Settings that the machine has no use for: they are of the other back end, or of a mechanism that
 * another setting leaves out. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/config_table.h"

/* A row: the setting, or its section and a point; the setting it needs; which values of that, none
 * named: any but the least. What is told. */
struct need { const char *key, *other, *values, *told; };

static const struct need needs[] = {
#define BACK_END(kind, key) {key, "core.kind", #kind, "core.kind = " #kind},
#include "sim/base/back_end.def"
#undef BACK_END
#define NEEDS(key, other, values) \
    {key, other, values, sizeof values == 1 ? other : other " = " values},
#include "sim/base/needs.def"
#undef NEEDS
};

/* Is the row about the setting? One that ends in a point is about the others of its section. */
static bool is_about(const struct need *need, const char *key)
{
    size_t length = strlen(need->key), given = strcspn(key, " =");
    bool is_section = need->key[length - 1] == '.';
    return memcmp(need->key, key, length < given ? length : given) == 0 &&
           (is_section ? given > length && setting_find_key(key, given) !=
                                               setting_find_key(need->other, strlen(need->other))
                       : given == length);
}

/* Is `text` one of the values "a|b"? */
static bool is_one_of(const char *values, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = values;; at++) {
        size_t here = strcspn(at, "|");
        if (here == length && memcmp(at, text, length) == 0)
            return true;
        at += here;
        if (*at == '\0')
            return false;
    }
}

static bool is_met(const struct need *need, const struct config *config)
{
    const struct setting *other = setting_find_key(need->other, strlen(need->other));
    char value[SETTING_TEXT];
    if (*need->values == '\0')
        return setting_number(other, config) != other->min;
    setting_value(other, config, value);
    return is_one_of(need->values, value);
}

/* As nobody set it; files that config_write made name everything. What is 0, false or none asks for
 * nothing either. */
static bool asks_for_nothing(const struct config *config, const char *key)
{
    struct config defaults;
    char value[SETTING_TEXT], usual[SETTING_TEXT];
    const struct setting *setting = setting_find_key(key, strcspn(key, " ="));
    if (setting == NULL ||
        (setting->kind != SETTING_WORDS && setting_number(setting, config) == 0))
        return true;
    config_init(&defaults);
    setting_value(setting, config, value);
    setting_value(setting, &defaults, usual);
    return strcmp(value, usual) == 0;
}

const char *config_unused(const struct config *config, const char *key)
{
    if (asks_for_nothing(config, key))
        return NULL;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (is_about(&needs[i], key) && !is_met(&needs[i], config))
            return needs[i].told;
    return NULL;
}
