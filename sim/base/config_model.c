/* Models of real cores: finds the model that the settings name, and checks its requirements. */
#include <string.h>

#include "sim/base/config_table.h"
#include "sim/base/err.h"

static const char *const models[] = {
#define MODEL(name) #name,
#include "sim/base/models.def"
    NULL,
};

/* key: the setting, or a section with its point; other, values: its requirement. */
static const struct { const char *key, *other, *values; } needs[] = {
#define MODEL_NEEDS(key, other, values) {key, other, values},
#include "sim/base/models.def"
    {NULL, NULL, NULL},
};

/* With `key` set, `large` must be at least `small` (which may be absent) plus `more`. */
static const struct { const char *key, *large, *small; uint32_t more; } orders[] = {
#define MODEL_AT_LEAST(key, other, more) {NULL, key, other, more},
#define MODEL_FLOOR(key, other, least) {key, other, NULL, least},
#include "sim/base/models.def"
    {NULL, NULL, NULL, 0},
};

const char *const *config_models(void)
{
    return models;
}

static bool is_asked_for(const struct setting *setting, const struct config *config)
{
    char value[SETTING_TEXT];
    if (setting->kind != SETTING_WORDS)
        return setting_number(setting, config) != setting->def;
    setting_value(setting, config, value);
    return strcmp(value, setting->names) != 0;
}

/* The first setting with this key (or section) that differs from its default, or NULL. Few differ,
 * so names are compared last: every start asks for all keys of all models. */
static const struct setting *asked_for(const char *key, const struct config *config)
{
    size_t length = strlen(key);
    bool is_section = key[length - 1] == '.';
    const struct setting *setting;
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i++)
        if (setting->key[0] == key[0] && is_asked_for(setting, config) &&
            strncmp(setting->key, key, length) == 0 &&
            (is_section || setting->key[length] == '\0'))
            return setting;
    return NULL;
}

static const struct setting *asked_for_of(const char *model, const struct config *config)
{
    char section[SETTING_TEXT];
    snprintf(section, sizeof section, "%s.", model);
    return asked_for(section, config);
}

const char *config_model(const struct config *config)
{
    for (size_t i = 0; models[i] != NULL; i++)
        if (asked_for_of(models[i], config) != NULL)
            return models[i];
    return NULL;
}

static enum err check_one_model(const struct config *config, struct diag *diag)
{
    const struct setting *first = NULL;
    for (size_t i = 0; models[i] != NULL; i++) {
        const struct setting *setting = asked_for_of(models[i], config);
        if (first != NULL && setting != NULL)
            return diag_set(diag, ERR_USAGE, "%s and %s are settings of two models; a core follows "
                            "one", first->key, setting->key);
        first = first != NULL ? first : setting;
    }
    return ERR_OK;
}

static uint32_t number_of(const struct config *config, const char *key)
{
    return setting_number(setting_find_key(key, strlen(key)), config);
}

static enum err check_orders(const struct config *config, struct diag *diag)
{
    for (size_t i = 0; orders[i].large != NULL; i++) {
        const char *key = orders[i].key, *small = orders[i].small;
        uint32_t large = number_of(config, orders[i].large);
        uint32_t least = orders[i].more + (small != NULL ? number_of(config, small) : 0);
        bool is_asked = key == NULL ? large != 0 : asked_for(key, config) != NULL;
        if (is_asked && large < least)
            return diag_set(diag, ERR_USAGE, "%s = %u: expected at least %u%s%s", orders[i].large,
                            large, least, small != NULL ? ", as " : ", with ",
                            small != NULL ? small : key);
    }
    return ERR_OK;
}

enum err config_check_model(const struct config *config, struct diag *diag)
{
    const struct setting *setting = NULL, *other;
    const char *key = "";
    char value[SETTING_TEXT];
    for (size_t i = 0; needs[i].key != NULL; i++) {
        if (strcmp(key, needs[i].key) != 0)         /* a key's requirements are in a row */
            setting = asked_for(needs[i].key, config);
        key = needs[i].key;
        if (setting == NULL)
            continue;
        other = setting_find_key(needs[i].other, strlen(needs[i].other));
        if (setting_is_among(other, config, needs[i].values))
            continue;
        setting_value(setting, config, value);
        return diag_set(diag, ERR_USAGE, "%s = %s needs %s%s%s", setting->key, value, other->key,
                        *needs[i].values != '\0' ? " = " : "", needs[i].values);
    }
    enum err err = check_orders(config, diag);
    return err != ERR_OK ? err : check_one_model(config, diag);
}
