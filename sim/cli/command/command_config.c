/* rvsim config: presets, and the full effective configuration. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "sim/base/config_read.h"
#include "sim/cli/tool/tool.h"
#include "sim/core/storage.h"
#include "sim/host/paths.h"

#define SUFFIX ".ini"

static int is_preset(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > strlen(SUFFIX) &&
           strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* One line of a comment, without its mark. False: no comment. */
static bool read_comment_line(FILE *file, char text[256])
{
    size_t start;

    if (fgets(text, 256, file) == NULL || (text[0] != ';' && text[0] != '#'))
        return false;
    start = strspn(text, ";# ");
    memmove(text, text + start, strlen(text + start) + 1);
    text[strcspn(text, "\r\n")] = '\0';
    return true;
}

/* The first sentence of the comment at the head of the file, without the preset's own name. */
static void read_sentence(const char *path, char sentence[512])
{
    FILE *file = fopen(path, "r");
    char text[256];
    size_t length = 0, start;

    sentence[0] = '\0';
    while (file != NULL && strchr(sentence, '.') == NULL && length + sizeof text < 512 &&
           read_comment_line(file, text))
        length += (size_t)snprintf(sentence + length, 512 - length, "%s%s",
                                   length != 0 ? " " : "", text);
    if (file != NULL)
        fclose(file);
    sentence[strcspn(sentence, ".")] = '\0';
    start = strcspn(sentence, " ");
    if (start != 0 && sentence[start] != '\0' && sentence[start - 1] == ':')
        memmove(sentence, sentence + start + 1, strlen(sentence + start));
}

/* Called for each preset. */
typedef void preset_function(void *arg, const char *name, const char *sentence);

static enum err each_preset(preset_function *see, void *arg, struct diag *diag)
{
    char directory[PATHS_MAX], path[PATHS_MAX + 300], sentence[512];
    struct dirent **entry;
    int count;

    paths_presets(directory);
    count = scandir(directory, &entry, is_preset, alphasort);
    if (count < 0)
        return diag_set(diag, ERR_USAGE, "%s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        read_sentence(path, sentence);
        entry[i]->d_name[strlen(entry[i]->d_name) - strlen(SUFFIX)] = '\0';
        see(arg, entry[i]->d_name, sentence);
        free(entry[i]);
    }
    free(entry);
    return ERR_OK;
}

static void print_preset(void *arg, const char *name, const char *sentence)
{
    fprintf(arg, "%-16s %s\n", name, sentence);
}

static void add_preset(void *array, const char *name, const char *sentence)
{
    cJSON *object = json_append_object(array);

    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "description", sentence);
}

static enum err write_presets(void *arg, FILE *out, struct diag *diag)
{
    cJSON *root = json_document();
    enum err err = each_preset(add_preset, cJSON_AddArrayToObject(root, "presets"), diag);

    (void)arg;
    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}

static enum err list_presets(const struct tool_files *files, struct diag *diag)
{
    enum err err = tool_files_take_output(files) ? ERR_OK
                                                 : each_preset(print_preset, stdout, diag);

    return err == ERR_OK ? tool_files_write(files, NULL, write_presets, NULL, diag) : err;
}

/* Prints the storage of parts on a chip as comments, so that the output stays a configuration
 * file. */
static void show_storage(const struct config *config)
{
    uint64_t bits[STORAGE_PARTS];

    if (!storage_count(config, bits))
        return;
    printf("\n; storage, in bits:\n");
    for (unsigned part = 0; part < STORAGE_PARTS; part++)
        printf("; %-21s%12" PRIu64 "  %s\n", storage_name(part), bits[part],
               storage_meaning(part));
}

/* Adds a setting as number, boolean or word, by its text. */
static void add_setting(void *settings, const struct config_row *row)
{
    char *end;

    (void)strtoull(row->value, &end, 10);
    if ((row->value[0] != '\0' && *end == '\0') || strcmp(row->value, "true") == 0 ||
        strcmp(row->value, "false") == 0)
        cJSON_AddRawToObject(settings, row->key, row->value);
    else
        cJSON_AddStringToObject(settings, row->key, row->value);
}

static enum err write_config(void *arg, FILE *out, struct diag *diag)
{
    const struct config *config = arg;
    cJSON *root = json_document(), *storage;
    uint64_t bits[STORAGE_PARTS];

    config_visit(config, add_setting, cJSON_AddObjectToObject(root, "config"));
    storage = cJSON_AddObjectToObject(root, "storage_bits");
    for (unsigned part = 0; storage_count(config, bits) && part < STORAGE_PARTS; part++)
        json_number(storage, storage_name(part), bits[part]);
    return json_print(root, out, diag);
}

static enum err show(const struct command_line *line, const struct tool_files *files,
                     struct diag *diag)
{
    const char *name = line->words > 1 ? line->word[1] : "default";
    char directory[PATHS_MAX];
    struct config config;
    enum err err;

    paths_presets(directory);
    config_init(&config);
    err = config_load(&config, name, directory, diag);
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_CONFIG_SET)
            err = config_set(&config, line->option[i].value, diag);
    if (err == ERR_OK)
        err = config_check_loaded(&config, name, directory, diag);
    if (err == ERR_OK && !tool_files_take_output(files)) {
        config_write(&config, stdout);
        show_storage(&config);
    }
    return err == ERR_OK ? tool_files_write(files, NULL, write_config, &config, diag) : err;
}

int command_config(const struct command_line *line)
{
    const struct tool_files files = {NULL, command_value(line, OPT_CONFIG_JSON)};
    struct diag diag = {""};
    enum err err = tool_files_check(&files, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    if (line->words == 0 || (line->words == 1 && strcmp(line->word[0], "list") == 0))
        err = list_presets(&files, &diag);
    else if (strcmp(line->word[0], "show") == 0 && line->words <= 2)
        err = show(line, &files, &diag);
    else
        return command_misuse("config %s: expected show NAME, or nothing", line->word[0]);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
