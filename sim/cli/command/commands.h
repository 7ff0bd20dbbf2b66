/* The sub-commands and shared functions. The table is command.def. */
#ifndef SIM_CLI_COMMAND_COMMANDS_H
#define SIM_CLI_COMMAND_COMMANDS_H

#include "sim/cli/words/options.h"

enum { EXIT_DIFFERENCE = 1, EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_INTERNAL = 125,
       EXIT_INTERRUPTED = 130,
       COMMAND_AGAIN = 1000 };  /* not an exit status: the command restarts with --os kernel */
enum { COMMAND_WORDS_MAX = 16, COMMAND_VALUES_MAX = 64 };

enum command_option_id {
#define COMMAND(name, arguments, help)
#define COMMAND_OPTION(command, name, id, argument, help) OPT_##id,
#include "sim/cli/command/command.def"
#undef COMMAND
#undef COMMAND_OPTION
    COMMAND_OPTIONS
};

/* The words of a sub-command, sorted: options as given, in order, and the rest. */
struct command_line {
    struct { enum command_option_id id; const char *value; } option[COMMAND_VALUES_MAX];
    unsigned options;
    const char *word[COMMAND_WORDS_MAX + 1];
    unsigned words;
    char **run;                     /* of a COMMAND_TOOL: "rvsim", options of the main job, the */
    int runs;                       /* program and its arguments; NULL at the end */
};

struct command_option { const char *command, *name, *argument, *help; bool is_output; };
struct command {
    const char *id, *name, *arguments, *help;
    int (*run)(const struct command_line *line);
    bool is_tool;
};

/* The rows of the table; NULL after the last. */
const struct command *command_at(size_t index);
const struct command_option *command_option_at(size_t index);
const struct command *command_find(const char *name);
bool command_has_option(const struct command *command, const struct command_option *option);
/* True if all commands that do not run a program have this option. */
bool command_is_common(const struct command_option *option);
/* The option of a word such as "-e"; NULL: the command has none. */
const struct command_option *command_short_option(const struct command *command,
                                                  const char *word);
/* For nearest_name; state is a size_t. */
const char *command_next_name(void *state);

/* argv[0] is the command's name. command_line_free is due afterwards. */
enum err command_parse(struct command_line *line, const struct command *command, int argc,
                       char **argv, struct diag *diag);
void command_line_free(struct command_line *line);
/* The last value given for an option; NULL: not given. Options without an argument give "". */
const char *command_value(const struct command_line *line, enum command_option_id id);
/* The number given for an option, if it is given: a whole number from `least` to `most`. `command`:
 * the name for the diagnosis. */
enum err command_number(const char *command, const struct command_line *line,
                        enum command_option_id id, uint64_t least, uint64_t most, uint64_t *value,
                        struct diag *diag);
/* Checks, before a run, that all output files of the command can be written. */
enum err command_check_outputs(const struct command_line *line, struct diag *diag);
/* True if the command writes a file to standard output. */
bool command_gives_stdout(const struct command_line *line);
/* For two opposite flags: true if only `yes` was given. */
bool command_wants(const struct command_line *line, enum command_option_id yes,
                   enum command_option_id no);

/* Prints "rvsim: error: ..." and returns the exit status for `err`; COMMAND_AGAIN for
 * ERR_HAND_OVER. */
int command_error(enum err err, const struct diag *diag);
/* As command_error, for wrong use. */
int command_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

int command_run(const struct options *options, int argc, char **argv);
#define COMMAND(name, arguments, help) int command_##name(const struct command_line *line);
#define COMMAND_OPTION(command, name, id, argument, help)
#include "sim/cli/command/command.def"
#undef COMMAND
#undef COMMAND_OPTION

/* ---- help.c ---------------------------------------------------------------------------------- */

void help_print(FILE *out);
void help_print_command(const struct command *command, FILE *out);
/* man.c: the same tables as a manual page. */
void man_print(FILE *out);
/* complete.c: completions of the last word, a line each; and the shells' scripts. */
void complete_print(int words, char **word, FILE *out);
void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);

#endif
