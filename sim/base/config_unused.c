/* Settings that the machine has no use for, as they are of the other back end. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/config_table.h"

/* Is the row about the setting? One that ends in a point is about its section. */
static bool is_about(const char *row, const char *key)
{
    size_t length = strlen(row), given = strcspn(key, " =");
    return memcmp(row, key, length < given ? length : given) == 0 &&
           (row[length - 1] == '.' ? given > length : given == length);
}

/* As nobody set it; files that config_write made name everything. */
static bool has_default(const struct config *config, const char *key)
{
    struct config defaults;
    char value[SETTING_TEXT], usual[SETTING_TEXT];
    const struct setting *setting = setting_find_key(key, strcspn(key, " ="));
    if (setting == NULL)
        return true;
    config_init(&defaults);
    setting_value(setting, config, value);
    setting_value(setting, &defaults, usual);
    return strcmp(value, usual) == 0;
}

const char *config_unused(const struct config *config, const char *key)
{
    static const struct { const char *kind, *key; } rows[] = {
#define BACK_END(kind, key) {#kind, key},
#include "sim/base/back_end.def"
#undef BACK_END
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_about(rows[i].key, key) && !config_is(config, "core.kind", rows[i].kind))
            return has_default(config, key) ? NULL : rows[i].kind;
    return NULL;
}
