/* Help texts, from the tables of options and commands. */
#include <string.h>

#include "sim/cli/command/commands.h"

enum { HELP_COLUMN = 34 };

/* Two columns; a long text in the left column has a line of its own. */
static void row(FILE *out, const char *left, const char *right)
{
    if (strlen(left) + 4 > HELP_COLUMN)
        fprintf(out, "  %s\n%*s%s\n", left, HELP_COLUMN, "", right);
    else
        fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, left, right);
}

static void option_row(FILE *out, const char *name, const char *argument, const char *help)
{
    char left[96];

    snprintf(left, sizeof left, "--%s%s%s", name, argument != NULL ? " " : "",
             argument != NULL ? argument : "");
    row(out, left, help);
}

void help_print(FILE *out)
{
    const struct option_row *option;
    const struct command *command;

    fputs("usage: rvsim [options] app.elf [arguments]\n"
          "       rvsim COMMAND ...\n"
          "\n"
          "Runs a RISC-V program on a simulated superscalar machine with profiling hardware.\n"
          "\n"
          "options:\n", out);
    for (size_t i = 0; (option = option_at(i)) != NULL; i++)
        option_row(out, option->name, option->argument, option->help);
    fputs("\ncommands:\n", out);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        char left[96];

        snprintf(left, sizeof left, "%s %s", command->name, command->arguments);
        row(out, left, command->help);
    }
    fputs("\nexit status: the program's; 2 wrong use or unusable input; 124 time limit; 125\n"
          "failure of the simulator; 128+N the program was ended by an unhandled trap.\n", out);
}

void help_print_command(const struct command *command, FILE *out)
{
    const struct command_option *option;
    bool is_first = true;

    fprintf(out, "usage: rvsim %s [options]%s%s\n\n%s\n", command->name,
            command->arguments[0] != '\0' ? " " : "", command->arguments, command->help);
    for (size_t i = 0; (option = command_option_at(i)) != NULL; i++) {
        if (!command_has_option(command, option))
            continue;
        if (is_first)
            fputs("\noptions:\n", out);
        is_first = false;
        option_row(out, option->name, option->argument, option->help);
    }
}

int command_help(const struct command_line *line)
{
    const struct command *command;

    if (command_value(line, OPT_HELP_MAN) != NULL) {
        man_print(stdout);
    } else if (command_value(line, OPT_HELP_COMPLETION) != NULL) {
        completion_print_bash(stdout);
    } else if (command_value(line, OPT_HELP_COMPLETION_ZSH) != NULL) {
        completion_print_zsh(stdout);
    } else if (line->words == 0) {
        help_print(stdout);
    } else if ((command = command_find(line->word[0])) != NULL) {
        help_print_command(command, stdout);
    } else {
        size_t at = 0;
        const char *near = nearest_name(line->word[0], command_next_name, &at);

        return command_misuse("no command %s%s%s%s", line->word[0],
                              near != NULL ? "; did you mean " : "; see rvsim help",
                              near != NULL ? near : "", near != NULL ? "?" : "");
    }
    return 0;
}
