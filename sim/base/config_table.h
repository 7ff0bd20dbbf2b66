/* The rows of config.def as data: private to config*.c and their tests. */
#ifndef SIM_BASE_CONFIG_TABLE_H
#define SIM_BASE_CONFIG_TABLE_H

#include <stdbool.h>

#include "sim/base/choice.h"
#include "sim/base/config.h"
#include "sim/base/err.h"

/* SETTING_TEXT: bytes of a value, range or key as text. */
enum { SETTING_TEXT = CONFIG_TEXT_BYTES, SETTINGS_MAX = 512 };

enum setting_kind { SETTING_INT, SETTING_POW2, SETTING_BOOL, SETTING_ENUM, SETTING_WORDS };

struct setting {
    const char *section, *name, *key;   /* key: section.name */
    const char *names;                  /* choices of an enum, "a|b|c"; default of a text */
    const char *unit, *help;
    size_t offset;                      /* of the field in struct config */
    enum setting_kind kind;
    uint32_t def, min, max;
};

const struct setting *setting_at(size_t index);     /* NULL after the last */
const struct setting *setting_find(const char *section, const char *name);
const struct setting *setting_find_key(const char *key, size_t length);    /* name of that length */
bool setting_has_section(const char *section);
void setting_range(const struct setting *setting, char text[SETTING_TEXT]);
/* texts of a boolean; those at odd places are true */
#define SETTING_BOOLEANS "false|true|0|1|no|yes"
/* The place of a text in a list "a|b|c", or -1. */
int setting_choice(const char *names, const char *text);
/* setting_field is for numbers, not texts. setting_number: the value; for a choice, its place in
 * the list. */
uint32_t *setting_field(const struct setting *setting, struct config *config);
uint32_t setting_number(const struct setting *setting, const struct config *config);
void setting_value(const struct setting *setting, const struct config *config,
                   char text[SETTING_TEXT]);
/* True if the setting's value is one of "a|b"; for values "", if it is not the least. */
bool setting_is_among(const struct setting *setting, const struct config *config,
                      const char *values);
enum err setting_set(const struct setting *setting, struct config *config, const char *text,
                     struct diag *diag);
/* In config_renamed.c: the setting that now has the meaning of the old name `key`, or NULL. */
const struct setting *setting_renamed(const char *key);
/* True if nothing replaces this old name. */
bool setting_is_gone(const char *key);
/* The setting that replaces an old value of this one, or NULL. */
const struct setting *setting_of_value(const struct setting *setting, const char *value);
/* The first setting of a model with this name, or NULL. *models: the number of models that have
 * one. */
const struct setting *setting_of_models(const char *name, unsigned *models);
/* Stores a value given under an old name in the setting that has its meaning now, *set; or
 * diagnoses that there is no such setting. */
enum err setting_set_renamed(const char *section, const char *name, struct config *config,
                             const char *text, const struct setting **set, struct diag *diag);
/* In config_model.c: checks that the model named by the settings allows them. */
enum err config_check_model(const struct config *config, struct diag *diag);
/* Error messages that suggest the nearest valid name. */
enum err setting_unknown_section(const char *section, struct diag *diag);
enum err setting_unknown_name(const char *section, const char *name, struct diag *diag);

#endif
