/* Settings that the machine has no use for, as they are of the other back end. */
#include <stdbool.h>
#include <string.h>

#include "sim/base/config_table.h"

enum core_kind { KIND_out_of_order, KIND_in_order };            /* of core.kind */

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
    const struct setting *setting;
    size_t given = strcspn(key, " =");
    config_init(&defaults);
    for (size_t i = 0; (setting = setting_at(i)) != NULL; i++)
        if (strlen(setting->key) == given && memcmp(setting->key, key, given) == 0)
            break;
    if (setting == NULL)
        return true;
    setting_value(setting, config, value);
    setting_value(setting, &defaults, usual);
    return strcmp(value, usual) == 0;
}

const char *config_unused(const struct config *config, const char *key)
{
    static const struct { enum core_kind kind; const char *name, *key; } rows[] = {
#define BACK_END(kind, key) {KIND_##kind, #kind, key},
#include "sim/base/back_end.def"
#undef BACK_END
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_about(rows[i].key, key) && config->core_kind != (uint32_t)rows[i].kind)
            return has_default(config, key) ? NULL : rows[i].name;
    return NULL;
}
