/* rvsim: the command line. Options of the main job are in option.def, commands in command.def. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/config_read.h"
#include "sim/base/output.h"
#include "sim/cli/command/commands.h"
#include "sim/cli/terminal/pager.h"

#ifndef RVSIM_VERSION
#define RVSIM_VERSION "unknown"
#endif

static int run_command(const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct pager pager = {0};
    struct diag diag = {""};

    for (int i = 1; i < argc && !(command->is_tool && argv[i][0] != '-'); i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_print_command(command, stdout);
            return 0;
        }
    }
    enum err err = command_parse(&line, command, argc, argv, &diag);
    if (err == ERR_OK)
        pager_open(&pager, command->name);
    int status = err == ERR_OK ? command->run(&line) : command_error(err, &diag);
    pager_close(&pager);
    command_line_free(&line);
    return status;
}

/* A word that is neither a command nor a file may be a command misspelt. */
static int reject_word(const char *word)
{
    size_t at = 0;
    const char *near = nearest_name(word, command_next_name, &at);

    if (near == NULL)
        return command_misuse("%s: no such file, and no such command; see rvsim help",
                              word[0] != '\0' ? word : "''");
    return command_misuse("%s: no such file or command; did you mean %s?", word, near);
}

/* Warns of each setting that is accepted but has another name now, or no effect here. */
static void warn_of_setting(void *arg, const char *key)
{
    const struct config *config = arg;
    char told[CONFIG_TEXT_BYTES];
    const char *needed = config_unused(config, key, told), *now = config_key_now(key);

    if (now != NULL)
        fprintf(stderr, "rvsim: warning: %.*s is %s now\n", (int)strcspn(key, " ="), key, now);
    if (needed != NULL)
        fprintf(stderr, "rvsim: warning: %.*s has no meaning without %s\n",
                (int)strcspn(key, " ="), key, needed);
}

/* What an option measures without a file to write it to would be lost in silence. */
static void warn_of_files(const struct options *options)
{
    bool has_profile = options->profile != NULL;

    if (options->threads && !has_profile)
        fprintf(stderr, "rvsim: warning: --threads: its records are written to --profile FILE, "
                "which is not given\n");
    if (options->config.pmu_oracle && options->engine == ENGINE_DETAILED && !has_profile &&
        options->stats.count == 0)
        fprintf(stderr, "rvsim: warning: --oracle: its cycles are written to --profile FILE or "
                "--stats FILE; neither is given\n");
}

static int run_program(int argc, char **argv)
{
    struct options options;
    struct diag diag = {""};
    enum err err = options_parse(&options, argc, argv, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    if (options.version) {
        printf("rvsim %s\n", RVSIM_VERSION);
        return 0;
    }
    if (options.help) {
        help_print(stdout);
        return 0;
    }
    if (options.program_argc == 0)
        return command_misuse("no program; usage: rvsim [options] app.elf [arguments], "
                              "or see rvsim --help");
    err = options_settings(argc, argv, warn_of_setting, &options.config, &diag);
    if (err == ERR_OK)
        warn_of_files(&options);
    return err == ERR_OK ? command_run(&options, argc, argv) : command_error(err, &diag);
}

static int run_all(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;

    if (argc > 1 && strcmp(argv[1], "--complete") == 0) {   /* called by the shells' scripts */
        complete_print(argc - 2, argv + 2, stdout);
        return 0;
    }
    if (command != NULL)
        return run_command(command, argc - 1, argv + 1);
    if (argc > 1 && argv[1][0] != '-' && strchr(argv[1], '/') == NULL &&
        access(argv[1], F_OK) != 0)
        return reject_word(argv[1]);
    return run_program(argc, argv);
}

/* Runs the same command line again with --os kernel, for a program whose file does not show that it
 * needs the guest kernel. Every command comes through here, so all can restart. */
static int run_under_kernel(int argc, char **argv)
{
    int command_words = argc > 1 && command_find(argv[1]) != NULL ? 2 : 1, words = 0, status;
    char option[] = "--os", value[] = "kernel", **again = calloc((size_t)argc + 3, sizeof *again);
    struct diag diag = {""};

    if (again == NULL)
        return command_error(diag_no_memory(&diag, NULL), &diag);
    for (int i = 0; i < argc; i++) {
        again[words++] = argv[i];
        if (i + 1 == command_words) {
            again[words++] = option;
            again[words++] = value;
        }
    }
    status = run_all(words, again);
    free(again);
    return status;
}

/* Output must be written before the status is final: a full disk is a failure of any command, and
 * so is a file at the limit of its size. */
int main(int argc, char **argv)
{
    int status;

    signal(SIGXFSZ, SIG_IGN);
    status = run_all(argc, argv);
    if (status == COMMAND_AGAIN)
        status = run_under_kernel(argc, argv);
    bool is_fine = !ferror(stdout);

    errno = 0;
    is_fine = fflush(stdout) == 0 && is_fine;
    if (is_fine || status != 0 || output_has_no_reader())
        return status;
    fprintf(stderr, "rvsim: error: standard output: %s\n",
            errno != 0 ? strerror(errno) : "could not be written completely");
    return EXIT_USAGE;
}
