/* The command line of the main job, parsed and checked. */
#ifndef SIM_CLI_WORDS_OPTIONS_H
#define SIM_CLI_WORDS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/config.h"
#include "sim/base/err.h"
#include "sim/run/linux/outside.h"
#include "sim/run/machine.h"

enum { OPTIONS_LIST_MAX = 64 };

struct option_list { const char *item[OPTIONS_LIST_MAX + 1]; unsigned count; };

struct compare_options;

struct options {
    struct config config;
    struct option_list meta, env, stats, trace, count;
    const char *config_name;        /* as given; NULL = default */
    const char *monitor_file;       /* --monitor FILE.elf */
    const char *root, *profile, *check, *gdb, *color;
    struct outside outside;
    uint64_t epoch_seconds;         /* 0: as in struct program */
    const char *roi, *roi_end;      /* symbols */
    char roi_begin[256];            /* where --roi has both */
    enum engine engine;
    enum program_os os;
    enum monitor_kind monitor;
    bool monitor_given, mode_given;
    struct limits limits;
    uint64_t fast_forward, warm, trace_from, trace_to;
    int progress;                   /* -1 = on a terminal only */
    bool skip, quiet, help, version, threads;
    bool gives_stdout;              /* a file of the command goes to standard output, so the
                                     * program's goes to standard error */
    struct compare_options *compare;      /* of compare-profilers; NULL: another job */
    struct progress *stages;        /* of a command that reports its own stages; NULL: a run
                                     * reports */
    int program_argc;               /* app.elf and its arguments */
    const char *program_path;       /* of its file: program_argv[0], unless it has moved */
    char **program_argv;
};

/* Parses argv[1..]. On ERR_USAGE diag holds one line. */
enum err options_parse(struct options *options, int argc, char **argv, struct diag *diag);
/* For options that options_parse has accepted: calls `setting` for each setting of --set or of a
 * machine file of the user. */
enum err options_settings(int argc, char **argv, void (*setting)(void *arg, const char *key),
                          void *arg, struct diag *diag);
/* The rows of option.def; NULL after the last. */
struct option_row { const char *name, *argument, *help; bool is_repeatable; };
const struct option_row *option_at(size_t index);
/* The format of a statistics file, by its suffix. */
enum stats_kind { STATS_JSON, STATS_CSV, STATS_GEM5, STATS_UNKNOWN };
enum stats_kind options_stats_kind(const char *path);
/* As --mode has it. */
const char *options_engine_name(enum engine engine);
/* "512M", "2G", "65536": bytes, K = 1,024. False: not a size. */
bool options_size(const char *text, uint64_t *bytes);
/* "10M", "200K", "65536", "0x40": a count, K = 1,000. False: not a count. */
bool options_number(const char *text, uint64_t *value);

#endif
