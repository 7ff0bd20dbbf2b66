/* Settings without effect on this machine: they belong to the other back end, to a mechanism that
 * another setting switches off, or to a component that was not chosen. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/config_table.h"

/* A row. key: the setting, or a section with its point. other: the setting it needs. values: the
 * values of `other` that it needs; empty = any but the least. told: the text of the warning. */
struct need { const char *key, *other, *values, *told; };

static const struct need needs[] = {
#define BACK_END(kind, key) {key, "core.kind", #kind, "core.kind = " #kind},
#include "sim/base/back_end.def"
#undef BACK_END
#define NEEDS(key, other, values) \
    {key, other, values, sizeof values == 1 ? other : other " = " values},
#include "sim/base/needs.def"
#define MODEL_USES(key, other, values) NEEDS(key, other, values)
#include "sim/base/models.def"
#undef NEEDS
};

/* True if the row is about the setting. A row with a section is about all its settings but
 * `other`. */
static bool is_about(const struct need *need, const char *key)
{
    size_t length = strlen(need->key), given = strcspn(key, " =");
    bool is_section = need->key[length - 1] == '.';
    return memcmp(need->key, key, length < given ? length : given) == 0 &&
           (is_section ? given > length && setting_find_key(key, given) !=
                                               setting_find_key(need->other, strlen(need->other))
                       : given == length);
}

/* True if `text` is one of the values "a|b". */
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

bool setting_is_among(const struct setting *setting, const struct config *config,
                      const char *values)
{
    char value[SETTING_TEXT];
    if (*values == '\0')
        return setting_number(setting, config) != setting->min;
    setting_value(setting, config, value);
    return is_one_of(values, value);
}

static bool is_met(const struct need *need, const struct config *config)
{
    const struct setting *other = setting_find_key(need->other, strlen(need->other));
    return setting_is_among(other, config, need->values);
}

/* True if the setting has its default (files from config_write name all settings), or is 0, false
 * or none. */
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

/* ---- components ------------------------------------------------------------------------------ */

/* Appends the name, with "|" before it unless it is the first. */
static void add_choice(char told[CONFIG_TEXT_BYTES], bool is_first, const char *name)
{
    size_t length = strlen(told);
    snprintf(told + length, CONFIG_TEXT_BYTES - length, "%s%s", is_first ? "" : "|", name);
}

/* True if `other` selects a component, some choices of which use the setting, but not the choice
 * made. `told` receives the key of `other` and those choices. */
static bool lacks_choice(const struct setting *other, const struct setting *setting,
                         const struct config *config, char told[CONFIG_TEXT_BYTES])
{
    const struct choice *choice;
    unsigned found = 0;
    snprintf(told, CONFIG_TEXT_BYTES, "%s = ", other->key);
    for (size_t i = 0; (choice = choice_at(other->names, i)) != NULL; i++) {
        if (!choice_has(choice, setting->name))
            continue;
        if (setting_number(other, config) == i)
            return false;
        add_choice(told, found++ == 0, choice->name);
    }
    return found != 0;
}

static bool is_of_another_choice(const struct setting *setting, const struct config *config,
                                 char told[CONFIG_TEXT_BYTES])
{
    const struct setting *other;
    for (size_t i = 0; (other = setting_at(i)) != NULL; i++)
        if (other->kind == SETTING_ENUM && strcmp(other->section, setting->section) == 0 &&
            lacks_choice(other, setting, config, told))
            return true;
    return false;
}

const char *config_unused(const struct config *config, const char *key,
                          char told[CONFIG_TEXT_BYTES])
{
    if (asks_for_nothing(config, key))
        return NULL;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (is_about(&needs[i], key) && !is_met(&needs[i], config)) {
            snprintf(told, CONFIG_TEXT_BYTES, "%s", needs[i].told);
            return told;
        }
    return is_of_another_choice(setting_find_key(key, strcspn(key, " =")), config, told) ? told
                                                                                         : NULL;
}
