/* rvsim config: presets, and the full effective configuration. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/commands.h"
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

static int list_presets(void)
{
    char directory[PATHS_MAX], path[PATHS_MAX + 300], sentence[512];
    struct dirent **entry;
    int count;

    paths_presets(directory);
    count = scandir(directory, &entry, is_preset, alphasort);
    if (count < 0)
        return command_misuse("%s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        read_sentence(path, sentence);
        printf("%-16.*s %s\n", (int)(strlen(entry[i]->d_name) - strlen(SUFFIX)), entry[i]->d_name,
               sentence);
        free(entry[i]);
    }
    free(entry);
    return 0;
}

/* The parts' storage on a chip, as comments: the output stays a configuration file. */
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

static int show(const struct command_line *line)
{
    const char *name = line->words > 1 ? line->word[1] : "default";
    char directory[PATHS_MAX];
    struct config config;
    struct diag diag = {""};
    enum err err;

    paths_presets(directory);
    config_init(&config);
    err = config_load(&config, name, directory, &diag);
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        err = config_set(&config, line->option[i].value, &diag);
    if (err == ERR_OK)
        err = config_check_loaded(&config, name, directory, &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    config_write(&config, stdout);
    show_storage(&config);
    return 0;
}

int command_config(const struct command_line *line)
{
    if (line->words == 0 || (line->words == 1 && strcmp(line->word[0], "list") == 0))
        return list_presets();
    if (strcmp(line->word[0], "show") == 0 && line->words <= 2)
        return show(line);
    return command_misuse("config %s: expected show NAME, or nothing", line->word[0]);
}
