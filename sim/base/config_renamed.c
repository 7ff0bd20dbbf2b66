/* Old names of settings, and old sections of those that became a model's: older files and overrides
 * are still understood where the value has kept its meaning. */
#include <stdio.h>
#include <string.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"

enum reading { TOLD_OF, SAME, SETS, CLEARS, GONE };

struct renamed {
    const char *old, *key;
    enum reading reading;
    uint32_t bit;
};

static const struct renamed *find(const char *key)
{
    static const struct renamed rows[] = {
#define RENAMED(old, new_key, reading, bit) {old, new_key, reading, bit},
#include "sim/base/renamed.def"
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(rows[i].old, key, strlen(rows[i].old)) == 0)
            return &rows[i];
    return NULL;
}

static const struct setting *setting_of(const struct renamed *renamed)
{
    return setting_find_key(renamed->key, strlen(renamed->key));
}

bool setting_is_gone(const char *key)
{
    const struct renamed *renamed = find(key);

    return renamed != NULL && renamed->reading == GONE;
}

const struct setting *setting_of_value(const struct setting *setting, const char *value)
{
    static const struct { const char *key, *value, *now; } rows[] = {
#define RENAMED_VALUE(key, value, new_key) {key, value, new_key},
#include "sim/base/renamed.def"
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].key, setting->key) == 0 && strcmp(rows[i].value, value) == 0)
            return setting_find_key(rows[i].now, strlen(rows[i].now));
    return NULL;
}

const struct setting *setting_renamed(const char *key)
{
    const struct renamed *renamed = find(key);

    return renamed != NULL ? setting_of(renamed) : NULL;
}

const struct setting *setting_of_models(const char *name, unsigned *models)
{
    const struct setting *found = NULL;

    *models = 0;
    for (const char *const *model = config_models(); *model != NULL; model++) {
        const struct setting *setting = setting_find(*model, name);

        if (setting == NULL)
            continue;
        found = (*models)++ == 0 ? setting : found;
    }
    return found;
}

/* A section for any machine, in which the settings of models once stood. */
static bool is_general(const char *section)
{
    for (const char *const *model = config_models(); *model != NULL; model++)
        if (strcmp(*model, section) == 0)
            return false;
    return setting_has_section(section);
}

/* The setting that takes the value of this old name; NULL: none does. *renamed: the name's row, or
 * NULL. */
static const struct setting *heir_of(const char *section, const char *name,
                                     const struct renamed **renamed)
{
    char key[SETTING_TEXT];
    const struct setting *setting;
    unsigned models;

    snprintf(key, sizeof key, "%s.%s", section, name);
    *renamed = find(key);
    if (*renamed != NULL)
        return (*renamed)->reading == TOLD_OF || (*renamed)->reading == GONE
                   ? NULL : setting_of(*renamed);
    setting = setting_of_models(name, &models);
    return models == 1 && is_general(section) ? setting : NULL;
}

const char *config_key_now(const char *assignment)
{
    size_t length = strcspn(assignment, " =");
    const char *dot = memchr(assignment, '.', length);
    char section[SETTING_TEXT], name[SETTING_TEXT];
    const struct renamed *renamed;
    const struct setting *setting;

    if (dot == NULL || setting_find_key(assignment, length) != NULL)
        return NULL;
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(name, sizeof name, "%.*s", (int)(assignment + length - dot - 1), dot + 1);
    setting = heir_of(section, name, &renamed);
    return setting != NULL ? setting->key : NULL;
}

static enum err set_bit(const struct renamed *renamed, struct config *config, const char *text,
                        struct diag *diag)
{
    int index = setting_choice(SETTING_BOOLEANS, text);
    uint32_t *field = setting_field(setting_of(renamed), config);

    if (index < 0)
        return diag_set(diag, ERR_USAGE, "%s = %.60s: expected true or false; now it is %s",
                        renamed->old, text, renamed->key);
    if (((index & 1) != 0) == (renamed->reading == SETS))
        *field |= renamed->bit;
    else
        *field &= ~renamed->bit;
    return ERR_OK;
}

enum err setting_set_renamed(const char *section, const char *name, struct config *config,
                             const char *text, const struct setting **set, struct diag *diag)
{
    const struct renamed *renamed;

    *set = heir_of(section, name, &renamed);
    if (*set == NULL)
        return setting_unknown_name(section, name, diag);
    if (renamed == NULL || renamed->reading == SAME)
        return setting_set(*set, config, text, diag);
    return set_bit(renamed, config, text, diag);
}
