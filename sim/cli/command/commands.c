/* The table of sub-commands, and reading their words. */
#include "sim/cli/command/commands.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/output.h"
#include "sim/cli/terminal/style.h"

static const struct command commands[] = {
#define COMMAND(name, arguments, help) {#name, #name, arguments, help, command_##name, false},
#define COMMAND_NAMED(id, name, arguments, help) {#id, name, arguments, help, command_##id, true},
#define COMMAND_TOOL(name, arguments, help) COMMAND_NAMED(name, #name, arguments, help)
#define COMMAND_OPTION(command, name, id, argument, help)
#include "sim/cli/command/command.def"
#undef COMMAND
#undef COMMAND_OPTION
};

static const struct command_option options[] = {
#define COMMAND(name, arguments, help)
#define COMMAND_OPTION(command, name, id, argument, help) {#command, name, argument, help, false},
#define COMMAND_OUTPUT(command, name, id, argument, help) {#command, name, argument, help, true},
#include "sim/cli/command/command.def"
#undef COMMAND
#undef COMMAND_OPTION
};

static const struct { const char *command; char letter; enum command_option_id id; } shorts[] = {
#define COMMAND(name, arguments, help)
#define COMMAND_OPTION(command, name, id, argument, help)
#define COMMAND_SHORT(command, letter, id) {#command, letter, OPT_##id},
#include "sim/cli/command/command.def"
#undef COMMAND
#undef COMMAND_OPTION
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const struct command *command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const struct command_option *command_option_at(size_t index)
{
    return index < COMMAND_OPTIONS ? &options[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

bool command_has_option(const struct command *command, const struct command_option *option)
{
    return strcmp(option->command, command->id) == 0 ||
           (!command->is_tool && command_is_common(option));
}

bool command_is_common(const struct command_option *option)
{
    return strcmp(option->command, "any") == 0;
}

const char *command_next_name(void *state)
{
    size_t *at = state;

    return *at < COMMANDS ? commands[(*at)++].name : NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

struct option_names { const struct command *command; size_t at; };

static const char *next_option(void *state)
{
    struct option_names *names = state;

    for (; names->at < COMMAND_OPTIONS; names->at++)
        if (command_has_option(names->command, &options[names->at]))
            return options[names->at++].name;
    if (names->command->is_tool && option_at(names->at - COMMAND_OPTIONS) != NULL)
        return option_at(names->at++ - COMMAND_OPTIONS)->name;
    return NULL;
}

static enum err unknown_option(const struct command *command, const char *name, struct diag *diag)
{
    struct option_names names = {command, 0};
    const char *near = nearest_name(name, next_option, &names);

    if (near != NULL)
        return diag_set(diag, ERR_USAGE, "%s: unknown option --%.60s; did you mean --%s?",
                        command->name, name, near);
    return diag_set(diag, ERR_USAGE, "%s: unknown option --%.60s; see rvsim help %s",
                    command->name, name, command->name);
}

const struct command_option *command_short_option(const struct command *command,
                                                  const char *word)
{
    for (size_t i = 0; word[0] == '-' && i < sizeof shorts / sizeof shorts[0]; i++)
        if (strcmp(shorts[i].command, command->id) == 0 && shorts[i].letter == word[1] &&
            word[2] == '\0')
            return &options[shorts[i].id];
    return NULL;
}

static enum err find_short(const struct command *command, const char *word, size_t *id,
                           struct diag *diag)
{
    const struct command_option *option = command_short_option(command, word);

    *id = option != NULL ? (size_t)(option - options) : COMMAND_OPTIONS;
    if (option != NULL)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: unknown option %s; options start with --",
                    command->name, word);
}

static enum err find_option(const struct command *command, const char *word, size_t *id,
                            struct diag *diag)
{
    char name[64];

    if (word[1] != '-')
        return find_short(command, word, id, diag);
    word += 2;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (*id = 0; *id < COMMAND_OPTIONS; ++*id)
        if (command_has_option(command, &options[*id]) && strcmp(options[*id].name, name) == 0)
            return ERR_OK;
    return unknown_option(command, name, diag);
}

/* argv[*at] is an option; *at stays at the last word it uses. */
static enum err add_option(struct command_line *line, const struct command *command, int argc,
                           char **argv, int *at, struct diag *diag)
{
    const char *word = argv[*at], *equals = strchr(word, '='), *value = "";
    size_t id;
    enum err err;

    err = find_option(command, word, &id, diag);
    if (err != ERR_OK)
        return err;
    if (options[id].argument == NULL && equals != NULL)
        return diag_set(diag, ERR_USAGE, "%s: --%s takes no value", command->name,
                        options[id].name);
    if (options[id].argument != NULL) {
        if (equals == NULL && *at + 1 >= argc)
            return diag_set(diag, ERR_USAGE, "%s: --%s needs %s", command->name, options[id].name,
                            options[id].argument);
        value = equals != NULL ? equals + 1 : argv[++*at];
        if (value[0] == '\0')
            return diag_set(diag, ERR_USAGE, "%s: --%s '': expected %s", command->name,
                            options[id].name, options[id].argument);
    }
    if (line->options == COMMAND_VALUES_MAX)
        return diag_set(diag, ERR_USAGE, "%s: more than %d options", command->name,
                        COMMAND_VALUES_MAX);
    line->option[line->options].id = (enum command_option_id)id;
    line->option[line->options++].value = value;
    return ERR_OK;
}

/* Appends an option of the main job, with its value, to the words of the run. False: it is not
 * one. */
static bool pass_on(struct command_line *line, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    size_t length = strcspn(word, "=");
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (strlen(row->name) + 2 != length || memcmp(row->name, word + 2, length - 2) != 0)
            continue;
        line->run[line->runs++] = argv[*at];
        if (row->argument != NULL && word[length] == '\0' && *at + 1 < argc)
            line->run[line->runs++] = argv[++*at];
        return true;
    }
    return false;
}

static bool is_own(const struct command *command, const char *word)
{
    size_t id, length = strcspn(word, "=");

    for (id = 0; id < COMMAND_OPTIONS; id++)
        if (command_has_option(command, &options[id]) &&
            strlen(options[id].name) + 2 == length &&
            memcmp(options[id].name, word + 2, length - 2) == 0)
            return true;
    return false;
}

/* Parses options up to the program's name; that and the words after it belong to the run. */
static enum err parse_tool(struct command_line *line, const struct command *command, int argc,
                           char **argv, struct diag *diag)
{
    enum err err = ERR_OK;
    int at = 1;

    line->run = calloc((size_t)argc + 2, sizeof *line->run);
    if (line->run == NULL)
        return diag_no_memory(diag, "the command line");
    line->run[line->runs++] = argv[0];
    for (; at < argc && argv[at][0] == '-' && argv[at][1] != '\0' && err == ERR_OK; at++)
        if (is_own(command, argv[at]) || !pass_on(line, argc, argv, &at))
            err = add_option(line, command, argc, argv, &at, diag);
    while (at < argc && err == ERR_OK)
        line->run[line->runs++] = argv[at++];
    return err;
}

void command_line_free(struct command_line *line)
{
    free(line->run);
}

enum err command_check_outputs(const struct command_line *line, struct diag *diag)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (options[line->option[i].id].is_output)
            err = output_check(line->option[i].value, diag);
    return err;
}

static unsigned stdout_files(const struct command_line *line)
{
    unsigned files = 0;

    for (unsigned i = 0; i < line->options; i++) {
        const struct command_option *option = &options[line->option[i].id];

        files += option->is_output && output_is_stdout(line->option[i].value);
    }
    return files;
}

bool command_gives_stdout(const struct command_line *line)
{
    return stdout_files(line) != 0;
}

static enum err parse_words(struct command_line *line, const struct command *command, int argc,
                            char **argv, struct diag *diag)
{
    enum err err = ERR_OK;

    for (int at = 1; at < argc && err == ERR_OK; at++) {
        if (argv[at][0] == '-' && argv[at][1] != '\0')
            err = add_option(line, command, argc, argv, &at, diag);
        else if (argv[at][0] == '\0')
            err = diag_set(diag, ERR_USAGE, "%s '': expected %s", command->name,
                           command->arguments);
        else if (line->words == COMMAND_WORDS_MAX)
            err = diag_set(diag, ERR_USAGE, "%s: more than %d words", command->name,
                           COMMAND_WORDS_MAX);
        else
            line->word[line->words++] = argv[at];
    }
    return err;
}

static enum err use_common(const struct command_line *line, const struct command *command,
                           struct diag *diag)
{
    const char *colour = command_value(line, OPT_ANY_COLOR);

    if (colour == NULL || style_choose(colour))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: --color %s: expected auto, always or never",
                    command->name, colour);
}

enum err command_parse(struct command_line *line, const struct command *command, int argc,
                       char **argv, struct diag *diag)
{
    enum err err;

    *line = (struct command_line){.words = 0};
    err = command->is_tool ? parse_tool(line, command, argc, argv, diag)
                           : parse_words(line, command, argc, argv, diag);
    if (err == ERR_OK)
        err = use_common(line, command, diag);
    if (err == ERR_OK && stdout_files(line) > 1)
        err = diag_set(diag, ERR_USAGE, "%s: only one file can be standard output; name a file for "
                       "each of the others", command->name);
    return err;
}

const char *command_value(const struct command_line *line, enum command_option_id id)
{
    const char *value = NULL;

    for (unsigned i = 0; i < line->options; i++)
        if (line->option[i].id == id)
            value = line->option[i].value;
    return value;
}

enum err command_number(const char *command, const struct command_line *line,
                        enum command_option_id id, uint64_t least, uint64_t most, uint64_t *value,
                        struct diag *diag)
{
    const char *text = command_value(line, id);

    if (text == NULL || (options_number(text, value) && *value >= least && *value <= most))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: --%s %s: expected a whole number from %llu to %llu",
                    command, command_option_at(id)->name, text, (unsigned long long)least,
                    (unsigned long long)most);
}

bool command_wants(const struct command_line *line, enum command_option_id yes,
                   enum command_option_id no)
{
    return command_value(line, yes) != NULL && command_value(line, no) == NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

int command_error(enum err err, const struct diag *diag)
{
    if (err == ERR_HAND_OVER) {
        fprintf(stderr, "rvsim: note: %s\n", diag->text);
        return COMMAND_AGAIN;
    }
    if (err == ERR_INTERRUPTED) {
        fprintf(stderr, "rvsim: %s\n", diag->text);
        return EXIT_INTERRUPTED;
    }
    fprintf(stderr, "rvsim: error: %s\n", diag->text);
    return err == ERR_NO_MEMORY || err == ERR_INTERNAL ? EXIT_INTERNAL : EXIT_USAGE;
}

int command_misuse(const char *format, ...)
{
    va_list arguments;

    fputs("rvsim: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_USAGE;
}
