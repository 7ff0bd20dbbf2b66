/* See config.h. One table, expanded from config.def, describes the settings; values are read,
 * checked and written back through it. Files are in config_file.c, contradictions in
 * config_check.c. */
#include "sim/base/config.h"

#include <assert.h>
#include <string.h>

#include "sim/base/config_read.h"
#include "sim/base/config_table.h"
#include "sim/base/err.h"

/* The values of parts without a model. */
enum {
#define PART(name, def) DEFAULT_##name = def,
#include "sim/base/part.def"
#undef PART
};

#define ROW_OF(field, section, name, kind, def, min, max, names, unit, help) \
    {#section, #name, #section "." #name, names, unit, help, \
     offsetof(struct config, field), kind, def, min, max},
#define ROW(section, name, kind, def, min, max, names, unit, help) \
    ROW_OF(section##_##name, section, name, kind, def, min, max, names, unit, help)
#define PART_INT(section, name, part, min, max, unit, help) \
    ROW_OF(part_##part, section, name, SETTING_INT, DEFAULT_##part, min, max, NULL, unit, help)
#define PART_POW2(section, name, part, min, max, unit, help) \
    ROW_OF(part_##part, section, name, SETTING_POW2, DEFAULT_##part, min, max, NULL, unit, help)
#define PART_BOOL(section, name, part, help) \
    ROW_OF(part_##part, section, name, SETTING_BOOL, DEFAULT_##part, 0, 1, NULL, "", help)
#define PART_ENUM(section, name, part, names, help) \
    ROW_OF(part_##part, section, name, SETTING_ENUM, DEFAULT_##part, 0, UINT32_MAX, names, "", help)
#define CONFIG_INT(section, name, def, min, max, unit, help) \
    ROW(section, name, SETTING_INT, def, min, max, NULL, unit, help)
#define CONFIG_POW2(section, name, def, min, max, unit, help) \
    ROW(section, name, SETTING_POW2, def, min, max, NULL, unit, help)
#define CONFIG_BOOL(section, name, def, help) \
    ROW(section, name, SETTING_BOOL, def, 0, 1, NULL, "", help)
#define CONFIG_ENUM(section, name, def, names, help) \
    ROW(section, name, SETTING_ENUM, def, 0, UINT32_MAX, names, "", help)
#define CONFIG_TEXT(section, name, def, help) \
    ROW(section, name, SETTING_WORDS, 0, 0, 0, def, "", help)
#define CHOICES(table) (choices_##table + 1)
static const struct setting settings[] = {
#include "sim/base/config.def"
};
#undef CONFIG_INT
#undef CONFIG_POW2
#undef CONFIG_BOOL
#undef CONFIG_ENUM
#undef CONFIG_TEXT
#undef CHOICES

enum { SETTINGS = sizeof settings / sizeof settings[0] };
_Static_assert(sizeof settings / sizeof settings[0] <= SETTINGS_MAX, "no room for every line seen");

/* ---- the table ------------------------------------------------------------------------------- */

const struct setting *setting_at(size_t index)
{
    return index < SETTINGS ? &settings[index] : NULL;
}

const struct setting *setting_find_key(const char *key, size_t length)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strlen(settings[i].key) == length && memcmp(settings[i].key, key, length) == 0)
            return &settings[i];
    return NULL;
}

const struct setting *setting_find(const char *section, const char *name)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].section, section) == 0 && strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

bool setting_has_section(const char *section)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].section, section) == 0)
            return true;
    return false;
}

uint32_t *setting_field(const struct setting *setting, struct config *config)
{
    return (uint32_t *)(void *)((char *)config + setting->offset);
}

uint32_t setting_number(const struct setting *setting, const struct config *config)
{
    return *(const uint32_t *)(const void *)((const char *)config + setting->offset);
}

static const char *text_of(const struct config *config, const struct setting *setting)
{
    return (const char *)config + setting->offset;
}

/* False if the text is too long, empty, or has a character with a meaning of its own in a machine
 * file. */
static bool set_text(struct config *config, const struct setting *setting, const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= CONFIG_TEXT_BYTES || strpbrk(text, ";#\"\\\n\r") != NULL)
        return false;
    char *to = (char *)config + setting->offset;
    memset(to, 0, CONFIG_TEXT_BYTES);
    memcpy(to, text, length);
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct search { size_t index; const char *section; };

static const char *next_key(void *state)
{
    struct search *search = state;
    return search->index < SETTINGS ? settings[search->index++].key : NULL;
}

static const char *next_section(void *state)
{
    struct search *search = state;
    for (; search->index < SETTINGS; search->index++) {
        const char *section = settings[search->index].section;
        if (search->index != 0 && strcmp(section, settings[search->index - 1].section) == 0)
            continue;
        search->index++;
        return section;
    }
    return NULL;
}

/* Names of the search's section. */
static const char *next_name(void *state)
{
    struct search *search = state;
    for (; search->index < SETTINGS; search->index++)
        if (strcmp(settings[search->index].section, search->section) == 0)
            return settings[search->index++].name;
    return NULL;
}

/* Names the nearest setting with its range: "; did you mean l1d.kib (1..4096, ...)?" */
static enum err unknown(const char *what, const char *given, const struct setting *near,
                        struct diag *diag)
{
    char range[SETTING_TEXT];
    if (near == NULL)
        return diag_set(diag, ERR_USAGE, "no %s '%s'; `rvsim config show default` lists all", what,
                        given);
    setting_range(near, range);
    return diag_set(diag, ERR_USAGE, "no %s '%s'; did you mean %s (%s)?", what, given, near->key,
                    range);
}

enum err setting_unknown_section(const char *section, struct diag *diag)
{
    struct search search = {0};
    char old[SETTING_TEXT];
    snprintf(old, sizeof old, "%s.", section);
    const struct setting *setting = setting_renamed(old);
    if (setting != NULL)
        return unknown("section", section, setting, diag);
    const char *near = nearest_name(section, next_section, &search);
    return diag_set(diag, ERR_USAGE, "no section [%s]%s%s%s", section,
                    near != NULL ? "; did you mean [" : "", near != NULL ? near : "",
                    near != NULL ? "]?" : "; `rvsim config show default` lists all");
}

/* In this section first; else the name may belong to another section. */
enum err setting_unknown_name(const char *section, const char *name, struct diag *diag)
{
    struct search search = {.section = section}, all = {0};
    char key[SETTING_TEXT];
    unsigned models;
    snprintf(key, sizeof key, "%s.%s", section, name);
    if (setting_is_gone(key))
        return diag_set(diag, ERR_USAGE, "no setting '%s' any more: nothing replaces it, as no "
                        "preset used it", key);
    const char *near = nearest_name(name, next_name, &search);
    const struct setting *setting = setting_renamed(key);
    if (setting == NULL)
        setting = setting_of_models(name, &models);
    if (setting == NULL && near != NULL)
        setting = setting_find(section, near);
    for (size_t i = 0; setting == NULL && i < SETTINGS; i++)
        if (strcmp(settings[i].name, name) == 0)
            setting = &settings[i];
    if (setting == NULL && (near = nearest_name(key, next_key, &all)) != NULL)
        setting = setting_find_key(near, strlen(near));
    return unknown("setting", key, setting, diag);
}

/* ---- values ---------------------------------------------------------------------------------- */

int setting_choice(const char *names, const char *text)
{
    size_t length = strlen(text);
    for (int index = 0;; index++) {
        size_t count = strcspn(names, "|");
        if (count == length && memcmp(names, text, length) == 0)
            return index;
        if (names[count] == '\0')
            return -1;
        names += count + 1;
    }
}

static void choice_text(const char *names, uint32_t index, char text[SETTING_TEXT])
{
    while (index-- != 0)
        names += strcspn(names, "|") + 1;
    snprintf(text, SETTING_TEXT, "%.*s", (int)strcspn(names, "|"), names);
}

void setting_range(const struct setting *setting, char text[SETTING_TEXT])
{
    unsigned long long min = setting->min, max = setting->max;
    if (setting->kind == SETTING_BOOL)
        snprintf(text, SETTING_TEXT, "true|false");
    else if (setting->kind == SETTING_ENUM)
        snprintf(text, SETTING_TEXT, "%s", setting->names);
    else if (setting->kind == SETTING_WORDS)
        snprintf(text, SETTING_TEXT, "%s|LIST", setting->names);
    else if (setting->kind == SETTING_INT)
        snprintf(text, SETTING_TEXT, "%llu..%llu", min, max);
    else if (min == 0)
        snprintf(text, SETTING_TEXT, "0, or a power of two up to %llu", max);
    else
        snprintf(text, SETTING_TEXT, "%llu..%llu, a power of two", min, max);
}

void setting_value(const struct setting *setting, const struct config *config,
                   char text[SETTING_TEXT])
{
    if (setting->kind == SETTING_WORDS) {
        snprintf(text, SETTING_TEXT, "%s", text_of(config, setting));
        return;
    }
    uint32_t value = setting_number(setting, config);
    if (setting->kind == SETTING_BOOL)
        snprintf(text, SETTING_TEXT, "%s", value != 0 ? "true" : "false");
    else if (setting->kind == SETTING_ENUM)
        choice_text(setting->names, value, text);
    else
        snprintf(text, SETTING_TEXT, "%u", value);
}

/* log2 of the unit for sizes (bytes, KiB, ...); -1 for times and counts. */
static int unit_shift(const char *unit)
{
    static const struct { const char *unit; int shift; } units[] = {
        {"bytes", 0}, {"entries", 0}, {"counters", 0}, {"instructions", 0}, {"KiB", 10},
        {"MiB", 20},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].shift;
    return -1;
}

/* "32K" is 32 for a size in KiB, 32768 for a number of entries, 32000 for a number of cycles.
 * False: no such suffix. */
static bool apply_suffix(const char *suffix, const char *unit, uint64_t *value)
{
    static const char letters[] = "KMG";
    static const uint64_t thousands[] = {1000, 1000000, 1000000000};
    const char *letter = *suffix != '\0' ? strchr(letters, *suffix & ~0x20) : NULL;
    int shift = unit_shift(unit);
    if (letter == NULL || suffix[1] != '\0')
        return false;
    if (shift < 0)
        return !__builtin_mul_overflow(*value, thousands[letter - letters], value);
    shift = 10 * (int)(letter - letters + 1) - shift;
    if (shift < 0 || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c & ~0x20);
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Decimal or 0x, optionally followed by a suffix. */
static bool parse_number(const char *text, const char *unit, uint64_t *value)
{
    int base = text[0] == '0' && (text[1] & ~0x20) == 'X' ? 16 : 10;
    const char *start = base == 16 ? text + 2 : text, *at = start;
    *value = 0;
    for (int digit; (digit = digit_of(*at)) < base; at++) {
        if (*value > (UINT64_MAX - 15) / 16)
            return false;
        *value = *value * (unsigned)base + (unsigned)digit;
    }
    return at != start && (*at == '\0' || apply_suffix(at, unit, value));
}

/* Choices one by one; `text` is the list, each ended by a zero byte. */
struct choices { char text[SETTING_TEXT]; size_t at, end; };

static const char *next_choice(void *state)
{
    struct choices *choices = state;
    const char *choice = choices->text + choices->at;
    if (choices->at >= choices->end)
        return NULL;
    choices->at += strlen(choice) + 1;
    return choice;
}

static void split_choices(struct choices *choices, const char *names)
{
    choices->at = 0;
    choices->end = strlen(names);
    snprintf(choices->text, sizeof choices->text, "%s", names);
    for (char *bar = choices->text; (bar = strchr(bar, '|')) != NULL; bar++)
        *bar = '\0';
}

static bool parse_value(const struct setting *setting, const char *text, uint64_t *value)
{
    if (setting->kind == SETTING_BOOL) {
        int index = setting_choice(SETTING_BOOLEANS, text);
        *value = (uint64_t)(index & 1);
        return index >= 0;
    }
    if (setting->kind == SETTING_ENUM) {
        int index = setting_choice(setting->names, text);
        *value = (uint64_t)index;
        return index >= 0;
    }
    return parse_number(text, setting->unit, value) && *value >= setting->min &&
           *value <= setting->max &&
           (setting->kind == SETTING_INT || (*value & (*value - 1)) == 0);
}

/* The setting to which this value has moved. */
static const char *where_now(const struct setting *setting, const char *value,
                             char text[2 * SETTING_TEXT])
{
    const struct setting *found = setting_of_value(setting, value);
    char range[SETTING_TEXT];
    if (found == NULL)
        return "";
    setting_range(found, range);
    snprintf(text, 2 * SETTING_TEXT, "; %s is %s (%s) now", value, found->key, range);
    return text;
}

enum err setting_set(const struct setting *setting, struct config *config, const char *text,
                     struct diag *diag)
{
    uint64_t value;
    char range[SETTING_TEXT], moved[2 * SETTING_TEXT];
    if (setting->kind == SETTING_WORDS && set_text(config, setting, text))
        return ERR_OK;
    if (setting->kind != SETTING_WORDS && parse_value(setting, text, &value)) {
        *setting_field(setting, config) = (uint32_t)value;
        return ERR_OK;
    }
    setting_range(setting, range);
    enum err err = diag_set(diag, ERR_USAGE, "%s = %.60s: expected %s%s%s%s", setting->key, text,
                            range, *setting->unit != '\0' ? ", in " : "", setting->unit,
                            where_now(setting, text, moved));
    struct choices choices = {.end = 0};
    if (setting->kind == SETTING_ENUM)
        split_choices(&choices, setting->names);
    return diag_suggest(diag, err, text, next_choice, &choices);
}

/* ---- the interface --------------------------------------------------------------------------- */

void config_init(struct config *config)
{
    memset(config, 0, sizeof *config);
#define PART(name, def) config->part_##name = def;
#include "sim/base/part.def"
#undef PART
    for (size_t i = 0; i < SETTINGS; i++) {
        if (settings[i].kind == SETTING_WORDS)
            set_text(config, &settings[i], settings[i].names);
        else
            *setting_field(&settings[i], config) = settings[i].def;
    }
}

bool config_is(const struct config *config, const char *key, const char *choice)
{
    const struct setting *setting = setting_find_key(key, strlen(key));
    int index = setting != NULL && setting->kind == SETTING_ENUM
                    ? setting_choice(setting->names, choice) : -1;
    assert(index >= 0);
    return setting != NULL && setting_number(setting, config) == (uint32_t)index;
}

static bool is_among(const char *section, const char *const sections[])
{
    for (; *sections != NULL; sections++)
        if (strcmp(section, *sections) == 0)
            return true;
    return false;
}

static bool are_same(const struct setting *setting, const struct config *a, const struct config *b)
{
    const char *of_a = (const char *)a + setting->offset, *of_b = (const char *)b + setting->offset;

    return setting->kind == SETTING_WORDS ? strcmp(of_a, of_b) == 0
                                          : memcmp(of_a, of_b, sizeof(uint32_t)) == 0;
}

bool config_agree(const struct config *a, const struct config *b, const char *const sections[])
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (!are_same(&settings[i], a, b) && is_among(settings[i].section, sections))
            return false;
    return true;
}

enum err config_set(struct config *config, const char *assignment, struct diag *diag)
{
    char section[SETTING_TEXT], name[SETTING_TEXT];
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    if (equals == NULL || dot == NULL || dot > equals)
        return diag_set(diag, ERR_USAGE, "'%.80s': expected section.name=value, such as l1d.kib=64",
                        assignment);
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
    const struct setting *setting = setting_find(section, name);
    if (setting != NULL)
        return setting_set(setting, config, equals + 1, diag);
    return setting_set_renamed(section, name, config, equals + 1, &setting, diag);
}

size_t config_count(void)
{
    return SETTINGS;
}

void config_visit(const struct config *config,
                  void (*visit)(void *arg, const struct config_row *row), void *arg)
{
    char value[SETTING_TEXT], range[SETTING_TEXT];
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings[i];
        setting_value(setting, config, value);
        setting_range(setting, range);
        visit(arg, &(struct config_row){setting->key, value, range, setting->unit, setting->help});
    }
}

void config_write(const struct config *config, FILE *out)
{
    char value[SETTING_TEXT], range[SETTING_TEXT];
    const char *section = "";
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings[i];
        if (strcmp(section, setting->section) != 0)
            fprintf(out, "%s[%s]\n", i == 0 ? "" : "\n", setting->section);
        section = setting->section;
        setting_value(setting, config, value);
        setting_range(setting, range);
        fprintf(out, "%-16s = %-8s ; %s (%s%s%s)\n", setting->name, value, setting->help, range,
                *setting->unit != '\0' ? ", in " : "", setting->unit);
    }
}
