/* Machine files: sections and settings in INI format, presets, inheritance.
 *
 * The reader passes lines to inih one at a time, so that every diagnosis has its line number. It
 * removes indentation (a continued line has no meaning in machine files) and comments at '#', and
 * refuses lines that inih would cut. Unknown or repeated names are errors. */
#include "sim/base/config.h"
#include "sim/base/config_read.h"
#include "sim/base/err.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/config_table.h"
#include "sim/base/input.h"

enum { DEPTH_MAX = 8, FILE_BYTES_MAX = 1 << 20, PATH_BYTES = 4096 };

struct reader {
    const char *text, *end;
    const char *name;               /* of the file, for messages */
    const char *preset_dir;
    const struct reader *parent;    /* the file that inherits from this one */
    struct config config;           /* settings read up to now */
    struct diag *diag;
    unsigned line, depth;
    enum err err;
    bool has_settings, has_parent;
    void (*visit)(void *arg, const char *key);      /* told of old names, or NULL */
    void *arg;
    unsigned seen[SETTINGS_MAX];        /* line that gave the setting; 0 = not given */
};

static enum err find(char path[PATH_BYTES], char **text, size_t *length, const char *name,
                     const struct reader *parent, const char *preset_dir, struct diag *diag);
static enum err parse(struct reader *reader, struct config *config);

/* A file without `inherit` starts from the preset "default"; one that inherits from nothing, from
 * the defaults of config.def. */
static const char default_preset[] = "default", no_preset[] = "none";

static const char expected_line[] = "expected [section], name = value or a comment";

/* ---- lines ----------------------------------------------------------------------------------- */

/* Puts "file:line: " before the diagnosis, and remembers the first one. */
static void fail(struct reader *reader, enum err err, const struct diag *inner)
{
    if (reader->err != ERR_OK)
        return;
    reader->err = err;
    if (err == ERR_NO_MEMORY)
        diag_set(reader->diag, err, "%s", inner->text);
    else
        diag_set(reader->diag, err, "%.255s:%u: %.240s", reader->name, reader->line, inner->text);
}

static void fail_text(struct reader *reader, const char *text)
{
    struct diag inner;
    fail(reader, diag_set(&inner, ERR_USAGE, "%s", text), &inner);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Checks "[name]" itself, as inih does not report sections without settings. */
static void check_section(struct reader *reader, const char *line)
{
    char section[SETTING_TEXT];
    struct diag inner;
    size_t length = strcspn(line + 1, "]\n");
    if (line[1 + length] != ']') {
        fail_text(reader, expected_line);
        return;
    }
    snprintf(section, sizeof section, "%.*s", (int)length, line + 1);
    if (!setting_has_section(section))
        fail(reader, setting_unknown_section(section, &inner), &inner);
}

/* inih's fgets. Reading stops after the first mistake. */
static char *read_line(char *line, int size, void *arg)
{
    struct reader *reader = arg;
    if (reader->text == reader->end || reader->err != ERR_OK)
        return NULL;
    reader->line++;
    const char *newline = memchr(reader->text, '\n', (size_t)(reader->end - reader->text));
    const char *stop = newline != NULL ? newline : reader->end, *start = reader->text;
    reader->text = newline != NULL ? newline + 1 : reader->end;
    if (memchr(start, '\0', (size_t)(stop - start)) != NULL) {
        fail_text(reader, "a zero byte; expected text");
        return NULL;
    }
    while (start < stop && is_blank(*start))
        start++;
    for (const char *at = start; at < stop; at++)
        if ((*at == '#' || *at == ';') && (at == start || is_blank(at[-1])))
            stop = at;
    if (stop - start > size - 2) {
        fail_text(reader, "the line is too long");
        return NULL;
    }
    memcpy(line, start, (size_t)(stop - start));
    memcpy(line + (stop - start), "\n", 2);
    if (line[0] == '[')
        check_section(reader, line);
    return line;
}

/* ---- settings -------------------------------------------------------------------------------- */

static void inherit(struct reader *reader, const char *name)
{
    struct diag inner;
    char path[PATH_BYTES], *text = NULL;
    size_t length = 0;
    if (reader->has_settings || reader->has_parent) {
        fail_text(reader, "'inherit' must be the first setting, and the only one of its kind");
        return;
    }
    reader->has_parent = true;
    if (strcmp(name, no_preset) == 0)
        return;
    enum err err = find(path, &text, &length, name, reader, reader->preset_dir, &inner);
    if (err != ERR_OK) {
        fail(reader, err, &inner);
        return;
    }
    struct reader child = {.text = text, .end = text + length, .name = path, .diag = reader->diag,
                           .preset_dir = reader->preset_dir, .parent = reader,
                           .depth = reader->depth + 1};
    reader->err = parse(&child, &reader->config);   /* its diagnosis names its own line */
    free(text);
}

/* Loads the base machine before the first setting changes it. False: a mistake. */
static bool is_settable(struct reader *reader)
{
    if (!reader->has_parent)
        inherit(reader, default_preset);
    reader->has_settings = true;
    return reader->err == ERR_OK;
}

static void set(struct reader *reader, const struct setting *setting, const char *value)
{
    struct diag inner;
    size_t index = (size_t)(setting - setting_at(0));
    enum err err = ERR_OK;
    if (!is_settable(reader))
        return;
    if (reader->seen[index] != 0)
        err = diag_set(&inner, ERR_USAGE, "%s was set in line %u already", setting->key,
                       reader->seen[index]);
    else
        err = setting_set(setting, &reader->config, value, &inner);
    if (err != ERR_OK)
        fail(reader, err, &inner);
    reader->seen[index] = reader->line;
}

/* Two old settings can be parts of one new setting, so a second one is not a repetition. */
static void set_renamed(struct reader *reader, const char *section, const char *name,
                        const char *value)
{
    char key[SETTING_TEXT];
    struct diag inner;
    const struct setting *setting;

    if (!is_settable(reader))
        return;
    enum err err = setting_set_renamed(section, name, &reader->config, value, &setting, &inner);
    if (err != ERR_OK) {
        fail(reader, err, &inner);
        return;
    }
    reader->seen[setting - setting_at(0)] = reader->line;
    snprintf(key, sizeof key, "%s.%s", section, name);
    if (reader->visit != NULL)
        reader->visit(reader->arg, key);
}

/* inih's handler; 0 means a mistake. */
static int take_setting(void *arg, const char *section, const char *name, const char *value)
{
    struct reader *reader = arg;
    if (reader->err != ERR_OK)
        return 0;
    const struct setting *setting = setting_find(section, name);
    if (*section == '\0' && strcmp(name, "inherit") == 0)
        inherit(reader, value);
    else if (*section == '\0')
        fail_text(reader, "expected a [section] or 'inherit = NAME' before the settings");
    else if (setting == NULL)
        set_renamed(reader, section, name, value);
    else
        set(reader, setting, value);
    return reader->err == ERR_OK;
}

static enum err parse(struct reader *reader, struct config *config)
{
    config_init(&reader->config);
    int status = ini_parse_stream(read_line, reader, take_setting, reader);
    if (status == -2)
        return diag_no_memory(reader->diag, NULL);
    if (status != 0 && reader->err == ERR_OK) {
        reader->line = (unsigned)status;
        fail_text(reader, expected_line);
    }
    if (reader->err == ERR_OK && !reader->has_parent)
        inherit(reader, default_preset);
    if (reader->err == ERR_OK)
        *config = reader->config;
    return reader->err;
}

enum err config_parse(struct config *config, const char *text, size_t length, const char *name,
                      const char *preset_dir, struct diag *diag)
{
    struct reader reader = {.text = text, .end = text + length, .name = name, .diag = diag,
                            .preset_dir = preset_dir};
    return parse(&reader, config);
}

/* ---- files and presets ----------------------------------------------------------------------- */

static bool ends_in_ini(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

static int is_preset(const struct dirent *entry)
{
    return ends_in_ini(entry->d_name);
}

struct presets { struct dirent **entry; int count, index; };

static const char *next_preset(void *state)
{
    struct presets *presets = state;
    if (presets->index == presets->count)
        return NULL;
    char *name = presets->entry[presets->index++]->d_name;
    name[strlen(name) - 4] = '\0';
    return name;
}

static enum err unknown_preset(const char *name, const char *preset_dir, struct diag *diag)
{
    struct presets presets = {0};
    presets.count = scandir(preset_dir, &presets.entry, is_preset, alphasort);
    if (presets.count < 0)
        return diag_set(diag, ERR_IO, "no preset '%.60s': %.300s: %s", name, preset_dir,
                        strerror(errno));
    const char *near = nearest_name(name, next_preset, &presets);
    enum err err = diag_set(diag, ERR_USAGE, "no preset '%.60s'%s%s%s", name,
                            near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                            near != NULL ? "?" : "; a file's name ends in .ini");
    for (int i = 0; i < presets.count; i++)
        free(presets.entry[i]);
    free(presets.entry);
    return err;
}

bool config_is_path(const char *name)
{
    return strchr(name, '/') != NULL || ends_in_ini(name);
}

/* A path relative to the folder of the inheriting file, a preset's path, or the name itself. */
static void resolve(char path[PATH_BYTES], const char *name, const char *preset_dir,
                    const struct reader *parent)
{
    const char *slash = parent != NULL ? strrchr(parent->name, '/') : NULL;
    if (!config_is_path(name))
        snprintf(path, PATH_BYTES, "%s/%s.ini", preset_dir, name);
    else if (*name == '/' || slash == NULL)
        snprintf(path, PATH_BYTES, "%s", name);
    else
        snprintf(path, PATH_BYTES, "%.*s/%s", (int)(slash - parent->name), parent->name, name);
}

static enum err check_chain(const char *path, const struct reader *parent, struct diag *diag)
{
    for (const struct reader *at = parent; at != NULL; at = at->parent)
        if (strcmp(at->name, path) == 0)
            return diag_set(diag, ERR_USAGE, "%.200s inherits from itself", path);
    if (parent != NULL && parent->depth == DEPTH_MAX)
        return diag_set(diag, ERR_USAGE, "more than %d files inherit from each other", DEPTH_MAX);
    return ERR_OK;
}

/* Reads the file or preset `name`; the caller frees *text. */
static enum err find(char path[PATH_BYTES], char **text, size_t *length, const char *name,
                     const struct reader *parent, const char *preset_dir, struct diag *diag)
{
    const struct input input = {.path = path, .use = "a machine file", .most = FILE_BYTES_MAX};
    resolve(path, name, preset_dir, parent);
    enum err err = check_chain(path, parent, diag);
    if (err == ERR_OK)
        err = input_read(&input, text, length, diag);
    if (err == ERR_IO && errno == ENOENT && !config_is_path(name))
        err = unknown_preset(name, preset_dir, diag);
    return err;
}

enum err config_given(const char *name, const char *preset_dir,
                      void (*visit)(void *arg, const char *key), void *arg, struct diag *diag)
{
    char path[PATH_BYTES], *text = NULL;
    size_t length = 0;
    struct config config;
    enum err err = find(path, &text, &length, name, NULL, preset_dir, diag);
    struct reader reader = {.text = text, .end = text + length, .name = path, .diag = diag,
                            .preset_dir = preset_dir, .visit = visit, .arg = arg};
    if (err == ERR_OK)
        err = parse(&reader, &config);
    for (size_t i = 0; err == ERR_OK && setting_at(i) != NULL; i++)
        if (reader.seen[i] != 0)
            visit(arg, setting_at(i)->key);
    free(text);
    return err;
}

enum err config_load(struct config *config, const char *path_or_preset, const char *preset_dir,
                     struct diag *diag)
{
    char path[PATH_BYTES], *text = NULL;
    size_t length = 0;
    enum err err = find(path, &text, &length, path_or_preset, NULL, preset_dir, diag);
    if (err == ERR_OK)
        err = config_parse(config, text, length, path, preset_dir, diag);
    free(text);
    return err;
}

enum err config_check_loaded(const struct config *config, const char *path_or_preset,
                             const char *preset_dir, struct diag *diag)
{
    struct config alone;
    struct diag own;
    enum err err = config_check(config, diag);
    if (err != ERR_OK && config_is_path(path_or_preset) &&
        config_load(&alone, path_or_preset, preset_dir, NULL) == ERR_OK &&
        config_check(&alone, &own) != ERR_OK && strcmp(own.text, diag->text) == 0)
        return diag_set(diag, err, "%.200s: %s", path_or_preset, own.text);
    return err;
}
