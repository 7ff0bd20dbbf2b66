/* Old names of settings: older files and overrides are still understood where the value has kept
 * its meaning. */
#include <stdio.h>
#include <string.h>

#include "sim/base/config_table.h"

enum reading { TOLD_OF, SAME, SETS, CLEARS };

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
#undef RENAMED
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

const struct setting *setting_renamed(const char *key)
{
    const struct renamed *renamed = find(key);

    return renamed != NULL ? setting_of(renamed) : NULL;
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
                             const char *text, struct diag *diag)
{
    char key[SETTING_TEXT];
    const struct renamed *renamed;

    snprintf(key, sizeof key, "%s.%s", section, name);
    renamed = find(key);
    if (renamed == NULL || renamed->reading == TOLD_OF)
        return setting_unknown_name(section, name, diag);
    if (renamed->reading == SAME)
        return setting_set(setting_of(renamed), config, text, diag);
    return set_bit(renamed, config, text, diag);
}
