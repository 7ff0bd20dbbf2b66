/* The tables of options and commands as a manual page. */
#include <string.h>

#include "sim/cli/command/commands.h"

#ifndef RVSIM_VERSION
#define RVSIM_VERSION "unknown"
#endif
#ifndef RVSIM_VERSION_DATE
#define RVSIM_VERSION_DATE "unknown"
#endif

/* ---- manual page ----------------------------------------------------------------------------- */

/* Text as troff: escapes backslashes and leading dots, and keeps hyphens. */
static void text(FILE *out, const char *from)
{
    if (*from == '.' || *from == '\'')
        fputs("\\&", out);
    for (; *from != '\0'; from++) {
        if (*from == '\\' || *from == '-')
            fputc('\\', out);
        if (*from == '\\')
            fputc('e', out);
        else
            fputc(*from, out);
    }
}

static void option(FILE *out, const char *name, const char *argument, const char *help)
{
    fputs(".TP\n.B \\-\\-", out);
    text(out, name);
    if (argument != NULL) {
        fputs(" \\fI", out);
        text(out, argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    text(out, help);
    fputc('\n', out);
}

static void print_head(FILE *out)
{
    fputs(".TH RVSIM 1 " RVSIM_VERSION_DATE " \"rvsim " RVSIM_VERSION "\"\n"
          ".SH NAME\n"
          "rvsim \\- simulate a RISC\\-V superscalar machine with profiling hardware\n"
          ".SH SYNOPSIS\n"
          ".B rvsim\n[\\fIoptions\\fR] \\fIapp.elf\\fR [\\fIarguments\\fR]\n"
          ".br\n"
          ".B rvsim\n\\fIcommand\\fR ...\n"
          ".SH DESCRIPTION\n"
          "Runs a bare\\-metal or a Linux RISC\\-V program on a simulated processor. Words\n"
          "after the program are its arguments. The program's output goes to standard output, a\n"
          "summary of the run to standard error.\n"
          ".SH OPTIONS\n", out);
}

static void print_command(FILE *out, const struct command *command)
{
    const struct command_option *row;

    fputs(".SS rvsim ", out);
    text(out, command->name);
    if (command->arguments[0] != '\0')
        fputc(' ', out);
    text(out, command->arguments);
    fputc('\n', out);
    text(out, command->help);
    fputs(".\n", out);
    for (size_t i = 0; (row = command_option_at(i)) != NULL; i++)
        if (command_has_option(command, row))
            option(out, row->name, row->argument, row->help);
}

static void print_rows(const char *title, const char *const rows[][2], size_t count, FILE *out)
{
    fprintf(out, ".SH %s\n", title);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, ".TP\n.B %s\n", rows[i][0]);
        text(out, rows[i][1]);
        fputc('\n', out);
    }
}

static void print_tail(FILE *out)
{
    static const char *const status[][2] = {
        {"0..255", "that of the program; of a command that runs the program several times, that "
                   "of its first run"},
        {"0", "the run reached --max-insns or --max-cycles"},
        {"130, 143, 129", "Ctrl-C, SIGTERM or SIGHUP ended a command; the results so far are "
                          "shown"},
        {"2", "wrong use, or input that cannot be used; one line on standard error says why"},
        {"124", "--timeout was reached"},
        {"125", "the simulator itself failed"},
        {"128+N", "an unhandled trap ended the program, or a signal the simulation; after a trap, "
                  "pc, cause and registers are on standard error"},
    };

    static const char *const environment[][2] = {
        {"NO_COLOR", "if it is not empty, nothing is coloured, unless --color is given"},
        {"CLICOLOR_FORCE", "if it is neither empty nor 0, files and pipes have colours as a "
                           "terminal has, unless NO_COLOR is set or --color is given"},
        {"RVSIM_PAGER", "the pager of report, annotate, script, diff and events on a terminal, "
                        "before PAGER; cat: none"},
        {"RVSIM_PROGRESS", "0: as with --no-progress, unless --progress is given"},
        {"RVSIM_SHARE", "the directory of presets, monitors and the guest kernel"},
        {"RVSIM_TOKEN", "the token for a service (api --submit, --compare)"},
        {"RVSIM_CA", "a file of certificates to trust, for a service with TLS"},
        {"RVSIM_OUTBOX", "the directory of costs that wait to be submitted"},
    };

    print_rows("EXIT STATUS", status, sizeof status / sizeof status[0], out);
    print_rows("ENVIRONMENT", environment, sizeof environment / sizeof environment[0], out);
    fputs(".SH EXAMPLES\n"
          ".nf\n"
          "rvsim app.elf\n"
          "rvsim \\-\\-config fig2 \\-\\-stats out.json app.elf\n"
          "rvsim \\-\\-meta app.meta \\-\\-profile app.prof app.elf && rvsim report app.prof\n"
          ".fi\n", out);
}

void man_print(FILE *out)
{
    const struct option_row *row;
    const struct command *command;

    print_head(out);
    for (size_t i = 0; (row = option_at(i)) != NULL; i++)
        option(out, row->name, row->argument, row->help);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        print_command(out, command);
    print_tail(out);
}
