/* Completion of a command line, for any shell: `rvsim --complete WORD...` prints the possible
 * completions of the last word, a line each. Without output, any word or file is possible.
 *
 * The possible values of an option follow from its argument in the tables: A|B|C are words, PRESET
 * the machines, KEY=VALUE settings with their values, EVENT events, FILTER filters of counters,
 * MEASURE the measures of annotate, KEY the keys of report, KIND:FILE traces, NAMES schemes. So a
 * new row of option.def or command.def needs no further code. The scripts for bash and zsh only
 * pass words on; `make install` puts them where the shells look. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/scheme/scheme.h"
#include "prof/profile/points.h"
#include "prof/report/report.h"
#include "prof/report/script.h"
#include "sim/cli/command/commands.h"
#include "sim/host/counting.h"
#include "sim/host/paths.h"

enum { CANDIDATE_BYTES = 512 };

struct completion {
    FILE *out;
    const char *word;           /* the last word, or the text after the = of an option */
    const char *prefix;         /* prefix of every candidate: "--config=", "" */
    size_t prefix_bytes;
};

static void offer(const struct completion *completion, const char *candidate)
{
    if (strncmp(candidate, completion->word, strlen(completion->word)) == 0)
        fprintf(completion->out, "%.*s%s\n", (int)completion->prefix_bytes, completion->prefix,
                candidate);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void offer_presets(const struct completion *completion)
{
    char directory[PATHS_MAX], name[CANDIDATE_BYTES];
    struct dirent **entry;
    int count;

    paths_presets(directory);
    count = scandir(directory, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entry[i]->d_name, '.');

        if (dot != NULL && strcmp(dot, ".ini") == 0) {
            snprintf(name, sizeof name, "%.*s", (int)(dot - entry[i]->d_name), entry[i]->d_name);
            offer(completion, name);
        }
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

/* The words of "a|b|c", after `before`. */
static void offer_list(const struct completion *completion, const char *before, const char *list)
{
    char text[CANDIDATE_BYTES];

    for (size_t length; *list != '\0'; list += length + (list[length] == '|')) {
        length = strcspn(list, "|");
        snprintf(text, sizeof text, "%s%.*s", before, (int)length, list);
        offer(completion, text);
    }
}

/* Offers "l1d.kib=", and for a complete key its possible values. */
static void offer_setting(void *arg, const struct config_row *row)
{
    const struct completion *completion = arg;
    char key[CANDIDATE_BYTES];
    bool has_key;

    snprintf(key, sizeof key, "%s=", row->key);
    has_key = strncmp(completion->word, key, strlen(key)) == 0;
    if (has_key && strchr(row->range, '|') != NULL)
        offer_list(completion, key, row->range);
    else if (!has_key)
        offer(completion, key);
}

static void offer_settings(const struct completion *completion)
{
    struct config config;

    config_init(&config);
    config_visit(&config, offer_setting, (void *)(uintptr_t)completion);
}

static void offer_events(const struct completion *completion)
{
    const char *name;

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        offer(completion, name);
}

/* Offers a name after the first `kept` bytes of the word. */
static void offer_after(const struct completion *completion, size_t kept, const char *name)
{
    char text[CANDIDATE_BYTES];
    int length = kept < sizeof text ? (int)kept : 0;

    if (snprintf(text, sizeof text, "%.*s%s", length, completion->word, name) < CANDIDATE_BYTES)
        offer(completion, text);
}

/* In a list with commas only the last element is completed. */
static void offer_last(const struct completion *completion, const char *name)
{
    const char *comma = strrchr(completion->word, ',');

    offer_after(completion, comma != NULL ? (size_t)(comma + 1 - completion->word) : 0, name);
}

static void offer_event_list(const struct completion *completion)
{
    const char *name;

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        offer_last(completion, name);
}

/* Offers the measures of single instructions of a profile. */
static void offer_measures(const struct completion *completion)
{
    const char *name;

    for (unsigned at = 0; (name = points_next(&at)) != NULL;)
        offer_last(completion, name);
}

static void offer_fields(const struct completion *completion)
{
    const char *name;

    for (unsigned at = 0; (name = script_next_field(&at)) != NULL;)
        offer_last(completion, name);
}

static void offer_sort_keys(const struct completion *completion)
{
    const char *name;

    for (unsigned at = 0; (name = report_sort_key(at)) != NULL; at++)
        offer_last(completion, name);
}

/* EVENT[:FILTER,...]: after the colon, offers filters; filters with an argument end with =. */
static void offer_counters(const struct completion *completion)
{
    const char *colon = strchr(completion->word, ':'), *comma = strrchr(completion->word, ',');
    const char *before = comma != NULL ? comma : colon;
    const struct counting_filter *filter;
    char text[CANDIDATE_BYTES];

    if (colon == NULL) {
        offer_events(completion);
        return;
    }
    for (unsigned i = 0; (filter = counting_filter_at(i)) != NULL; i++) {
        snprintf(text, sizeof text, "%s%s", filter->name, filter->argument != NULL ? "=" : "");
        offer_after(completion, (size_t)(before + 1 - completion->word), text);
    }
}

static void offer_schemes(const struct completion *completion)
{
    for (unsigned id = 0; id < scheme_count(); id++)
        offer_last(completion, scheme_row(id).name);
}

static bool is_placeholder(const char *text)
{
    return *text >= 'A' && *text <= 'Z';
}

/* Offers one alternative of an argument in the tables. */
static void offer_alternative(const struct completion *completion, const char *text)
{
    if (strcmp(text, "PRESET") == 0 || strcmp(text, "NAME|FILE") == 0)
        offer_presets(completion);
    else if (strcmp(text, "KEY=VALUE") == 0)
        offer_settings(completion);
    else if (strcmp(text, "EVENT,...") == 0)
        offer_event_list(completion);
    else if (strcmp(text, "MEASURE,...") == 0)
        offer_measures(completion);
    else if (strcmp(text, "FIELD,...") == 0)
        offer_fields(completion);
    else if (strcmp(text, "KEY,...") == 0)
        offer_sort_keys(completion);
    else if (strcmp(text, "EVENT[:FILTER,...]") == 0)
        offer_counters(completion);
    else if (strncmp(text, "EVENT", strlen("EVENT")) == 0)
        offer_events(completion);
    else if (strncmp(text, "KIND:", strlen("KIND:")) == 0)
        offer_list(completion, "", "commit:|kanata:|o3pipeview:");
    else if (strcmp(text, "NAMES") == 0)
        offer_schemes(completion);
    else if (!is_placeholder(text))
        offer(completion, text);
}

static void offer_values(const struct completion *completion, const char *argument)
{
    char text[CANDIDATE_BYTES];

    for (size_t length; *argument != '\0'; argument += length + (argument[length] == '|')) {
        length = strcspn(argument, "|");
        snprintf(text, sizeof text, "%.*s", (int)length, argument);
        offer_alternative(completion, text);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool has_main_options(const struct command *command)
{
    return command == NULL || command->is_tool;
}

static bool has_own(const struct command *command, const char *name)
{
    const struct command_option *own;

    for (size_t i = 0; command != NULL && (own = command_option_at(i)) != NULL; i++)
        if (command_has_option(command, own) && strcmp(own->name, name) == 0)
            return true;
    return false;
}

static void offer_options(const struct completion *completion, const struct command *command)
{
    const struct command_option *own;
    const struct option_row *row;
    char text[CANDIDATE_BYTES];

    for (size_t i = 0; command != NULL && (own = command_option_at(i)) != NULL; i++) {
        snprintf(text, sizeof text, "--%s", own->name);
        if (command_has_option(command, own))
            offer(completion, text);
    }
    for (size_t i = 0; has_main_options(command) && (row = option_at(i)) != NULL; i++) {
        snprintf(text, sizeof text, "--%s", row->name);
        if (!has_own(command, row->name))
            offer(completion, text);
    }
    if (command != NULL && !command->is_tool)
        offer(completion, "--help");
}

/* The argument of "--name" (up to a =) or "-n"; NULL: none, or no such option. */
static const char *argument_of(const struct command *command, const char *word)
{
    const struct command_option *own = command != NULL ? command_short_option(command, word) : NULL;
    const struct option_row *row;
    size_t length = strcspn(word, "=");

    if (own != NULL)
        return own->argument;
    if (length < 3 || strncmp(word, "--", 2) != 0)
        return NULL;
    for (size_t i = 0; command != NULL && (own = command_option_at(i)) != NULL; i++)
        if (command_has_option(command, own) && strlen(own->name) == length - 2 &&
            strncmp(own->name, word + 2, length - 2) == 0)
            return own->argument;
    for (size_t i = 0; has_main_options(command) && (row = option_at(i)) != NULL; i++)
        if (strlen(row->name) == length - 2 && strncmp(row->name, word + 2, length - 2) == 0)
            return row->argument;
    return NULL;
}

static void offer_commands(const struct completion *completion)
{
    const struct command *command;

    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        offer(completion, command->name);
}

/* The first words of "check|list FILE.meta app.elf, create app.elf". */
static void offer_verbs(const struct completion *completion, const char *arguments)
{
    char verbs[CANDIDATE_BYTES];

    while (arguments != NULL) {
        snprintf(verbs, sizeof verbs, "%.*s", (int)strcspn(arguments, " "), arguments);
        offer_list(completion, "", verbs);
        arguments = strstr(arguments, ", ");
        if (arguments != NULL)
            arguments += strlen(", ");
    }
}

/* Completes a word that is not an option, for commands with words of their own. */
static void offer_words(const struct completion *completion, const struct command *command,
                        const char *before, bool is_first)
{
    if (is_first)
        offer_commands(completion);
    else if (command != NULL && strcmp(command->id, "help") == 0)
        offer_commands(completion);
    else if (command != NULL && strcmp(command->id, "config") == 0)
        strcmp(before, "show") == 0 ? offer_presets(completion) : offer(completion, "show");
    else if (command != NULL && strcmp(command->id, "meta") == 0 && strcmp(before, "meta") == 0)
        offer_verbs(completion, command->arguments);
}

void complete_print(int words, char **word, FILE *out)
{
    const char *last = words > 0 ? word[words - 1] : "";
    const char *before = words > 1 ? word[words - 2] : "";
    const struct command *command = words > 1 ? command_find(word[0]) : NULL;
    const char *equals = strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;
    struct completion completion = {.out = out, .word = last, .prefix = last};
    const char *argument = argument_of(command, equals != NULL ? last : before);

    if (equals != NULL) {
        completion.word = equals + 1;
        completion.prefix_bytes = (size_t)(equals + 1 - last);
    }
    if (argument != NULL && (equals != NULL || strchr(before, '=') == NULL))
        offer_values(&completion, argument);
    else if (last[0] == '-')
        offer_options(&completion, command);
    else
        offer_words(&completion, command, before, words <= 1);
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Shells end words at = and :; the part that they do not replace is removed from each candidate. */
void completion_print_bash(FILE *out)
{
    fputs("# bash completion for rvsim\n"
          "_rvsim() {\n"
          "    local line=${COMP_LINE:0:COMP_POINT} words prefix= candidate\n"
          "    local breaks=${COMP_WORDBREAKS//[^=:]/}\n"
          "    read -ra words <<<\"$line\"\n"
          "    [[ ${words[0]} == '~/'* ]] && words[0]=$HOME${words[0]:1}\n"
          "    [[ $line == *[[:blank:]] ]] && words+=('')\n"
          "    local word=${words[-1]}\n"
          "    [[ -n $breaks ]] && prefix=${word%\"${word##*[$breaks]}\"}\n"
          "    COMPREPLY=()\n"
          "    while IFS= read -r candidate; do\n"
          "        COMPREPLY+=(\"${candidate#\"$prefix\"}\")\n"
          "    done < <(\"${words[0]}\" --complete \"${words[@]:1}\" 2>/dev/null)\n"
          "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace\n"
          "}\n"
          "complete -o default -o bashdefault -F _rvsim rvsim\n", out);
}

void completion_print_zsh(FILE *out)
{
    fputs("#compdef rvsim\n"
          "# zsh completion for rvsim\n"
          "_rvsim() {\n"
          "    local -a candidates open\n"
          "    local program=${words[1]}\n"
          "    [[ $program == '~/'* ]] && program=$HOME${program[2,-1]}\n"
          "    candidates=(\"${(@f)$(\"$program\" --complete \"${(@)words[2,CURRENT]}\""
          " 2>/dev/null)}\")\n"
          "    open=(\"${(@M)candidates:#*[=:]}\")\n"
          "    candidates=(\"${(@)candidates:#*[=:]}\")\n"
          "    (( ${#open} )) && compadd -S '' -- \"${open[@]}\"\n"
          "    (( ${#candidates} )) && [[ -n ${candidates[1]} ]] && compadd -- "
          "\"${candidates[@]}\"\n"
          "    (( compstate[nmatches] )) && return\n"
          "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n"
          "    [[ $PREFIX == (kanata|o3pipeview|commit):* ]] && compset -P 1 '*:'\n"
          "    _files\n"
          "}\n"
          "(( ${+compstate} )) && _rvsim || compdef _rvsim rvsim\n", out);
}
