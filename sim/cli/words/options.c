/* Parsing of the command line; the table is option.def. Options end at the program's name: words
 * after it belong to the guest. */
#include "sim/cli/words/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/config_read.h"

#include "sim/base/output.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/words/date.h"
#include "sim/host/counting.h"
#include "sim/host/paths.h"

enum option_id {
#define OPTION(name, id, argument, repeatable, help) OPT_##id,
#include "sim/cli/words/option.def"
#undef OPTION
    OPTIONS
};

static const struct option_row rows[] = {
#define OPTION(name, id, argument, repeatable, help) {name, argument, help, repeatable},
#include "sim/cli/words/option.def"
#undef OPTION
};

const struct option_row *option_at(size_t index)
{
    return index < OPTIONS ? &rows[index] : NULL;
}

enum stats_kind options_stats_kind(const char *path)
{
    static const char *const suffix[] = {".json", ".csv", ".txt"};
    size_t length = strlen(path);

    if (output_is_stdout(path))
        return STATS_JSON;
    for (unsigned i = 0; i < STATS_UNKNOWN; i++)
        if (length > strlen(suffix[i]) && strcmp(path + length - strlen(suffix[i]), suffix[i]) == 0)
            return (enum stats_kind)i;
    return STATS_UNKNOWN;
}

/* A number, followed by a letter for each further power of `step`: K, M, G, T. */
static bool scaled(const char *text, uint64_t step, uint64_t *value)
{
    static const char suffix[] = "KMGT";
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || errno != 0)
        return false;
    const char *letter = *end != '\0' && end[1] == '\0' ? strchr(suffix, *end & ~0x20) : NULL;
    if (*end != '\0' && letter == NULL)
        return false;
    for (; letter != NULL && letter >= suffix; letter--) {
        if (number > UINT64_MAX / step)
            return false;
        number *= step;
    }
    *value = number;
    return true;
}

bool options_number(const char *text, uint64_t *value)
{
    return scaled(text, 1000, value);
}

bool options_size(const char *text, uint64_t *bytes)
{
    return scaled(text, 1024, bytes);
}

static const char *next_option_name(void *state)
{
    unsigned *at = state;
    return *at < OPTIONS ? rows[(*at)++].name : NULL;
}

static enum err bad_value(struct diag *diag, unsigned id, const char *value, const char *expected)
{
    return diag_set(diag, ERR_USAGE, "--%s %s: expected %s", rows[id].name, value, expected);
}

static enum err append(struct option_list *list, unsigned id, const char *value, struct diag *diag)
{
    if (list->count == OPTIONS_LIST_MAX)
        return diag_set(diag, ERR_USAGE, "--%s: given more than %d times", rows[id].name,
                        OPTIONS_LIST_MAX);
    list->item[list->count++] = value;
    return ERR_OK;
}

const char *options_engine_name(enum engine engine)
{
    static const char *const name[] = {
        [ENGINE_DETAILED] = "detailed", [ENGINE_FAST] = "fast", [ENGINE_WARM] = "warm",
    };

    return name[engine];
}

static enum err set_engine(struct options *options, const char *value, struct diag *diag)
{
    static const enum engine engine[] = {ENGINE_DETAILED, ENGINE_FAST, ENGINE_WARM};

    options->mode_given = true;
    for (unsigned i = 0; i < sizeof engine / sizeof engine[0]; i++)
        if (strcmp(value, options_engine_name(engine[i])) == 0) {
            options->engine = engine[i];
            return ERR_OK;
        }
    return bad_value(diag, OPT_MODE, value, "detailed, fast or warm");
}

static const char *next_monitor(void *state)
{
    static const char *const name[] = {"guest", "host", "none"};
    unsigned *at = state;

    return *at < sizeof name / sizeof name[0] ? name[(*at)++] : NULL;
}

/* A file, or a misspelt name. */
static enum err set_monitor_file(struct options *options, const char *value, struct diag *diag)
{
    unsigned at = 0;
    const char *near = nearest_name(value, next_monitor, &at);

    options->monitor_file = value;
    if (access(value, F_OK) == 0)
        return ERR_OK;
    if (near == NULL)
        return bad_value(diag, OPT_MONITOR, value, "guest, host, none or a monitor's ELF file");
    return diag_set(diag, ERR_USAGE, "--monitor %s: no such file; did you mean %s?", value, near);
}

static enum err set_monitor(struct options *options, const char *value, struct diag *diag)
{
    options->monitor_given = true;
    options->monitor = MONITOR_GUEST;
    if (strcmp(value, "host") == 0)
        options->monitor = MONITOR_HOST;
    else if (strcmp(value, "none") == 0)
        options->monitor = MONITOR_NONE;
    else if (strcmp(value, "guest") != 0)
        return set_monitor_file(options, value, diag);
    return ERR_OK;
}

static enum err set_os(struct options *options, const char *value, struct diag *diag)
{
    if (strcmp(value, "kernel") == 0)
        options->os = PROGRAM_OS_KERNEL;
    else if (strcmp(value, "host") == 0)
        options->os = PROGRAM_OS_HOST;
    else
        return bad_value(diag, OPT_OS, value, "kernel or host");
    return ERR_OK;
}

static enum err set_number(uint64_t *field, unsigned id, const char *value, struct diag *diag)
{
    return options_number(value, field)
               ? ERR_OK : bad_value(diag, id, value, "a number, such as 500000, 500K or 2M");
}

static enum err set_memory(struct options *options, const char *value, struct diag *diag)
{
    uint64_t bytes;
    char assignment[64];
    if (options_size(value, &bytes) && bytes % (1 << 20) == 0) {
        snprintf(assignment, sizeof assignment, "machine.memory_mib=%llu",
                 (unsigned long long)bytes >> 20);
        if (config_set(&options->config, assignment, NULL) == ERR_OK)
            return ERR_OK;
    }
    return bad_value(diag, OPT_MEMORY, value,
                     "a size from 1M to 64G in steps of 1M, such as 512M or 2G");
}

static enum err set_harts(struct options *options, const char *value, struct diag *diag)
{
    char assignment[64];
    snprintf(assignment, sizeof assignment, "machine.harts=%s", value);
    return config_set(&options->config, assignment, NULL) == ERR_OK
               ? ERR_OK : bad_value(diag, OPT_HARTS, value, "a number of harts from 1 to 64");
}

static enum err set_timeout(struct options *options, const char *value, struct diag *diag)
{
    char *end;
    options->limits.timeout_seconds = strtod(value, &end);
    if (end == value || *end != '\0' || !(options->limits.timeout_seconds > 0))
        return bad_value(diag, OPT_TIMEOUT, value, "a positive number of seconds");
    return ERR_OK;
}

static enum err add_stats(struct options *options, const char *value, struct diag *diag)
{
    if (options_stats_kind(value) == STATS_UNKNOWN)
        return bad_value(diag, OPT_STATS, value, "a name that ends in .json, .csv or .txt, or -");
    return append(&options->stats, OPT_STATS, value, diag);
}

static enum err add_count(struct options *options, const char *value, struct diag *diag)
{
    struct counting counting;
    struct diag reason;
    enum err err = counting_parse(&counting, value, &reason);

    if (err != ERR_OK)
        return diag_set(diag, err, "--count %s", reason.text);
    return append(&options->count, OPT_COUNT, value, diag);
}

/* SYMBOL or BEGIN..END */
static enum err set_roi(struct options *options, const char *value, struct diag *diag)
{
    const char *dots = strstr(value, "..");

    options->roi = value;
    if (dots == NULL)
        return ERR_OK;
    if (dots == value || dots[2] == '\0' || (size_t)(dots - value) >= sizeof options->roi_begin)
        return bad_value(diag, OPT_ROI, value, "SYMBOL or BEGIN..END");
    memcpy(options->roi_begin, value, (size_t)(dots - value));
    options->roi_begin[dots - value] = '\0';
    options->roi = options->roi_begin;
    options->roi_end = dots + 2;
    return ERR_OK;
}

static enum err set_date(struct options *options, const char *value, struct diag *diag)
{
    return date_parse(value, &options->epoch_seconds)
               ? ERR_OK : bad_value(diag, OPT_DATE, value, "a day, such as 2027-01-31, or @ and a "
                                    "second from 1 to 4294967295, as `date +%s` has it");
}

static enum err set_simple(struct options *options, unsigned id, const char *value,
                           struct diag *diag)
{
    switch ((enum option_id)id) {
    case OPT_ROOT: options->root = value; return ERR_OK;
    case OPT_CONNECT: return outside_parse(&options->outside, value, diag);
    case OPT_COLOR: options->color = value; return ERR_OK;
    case OPT_DATE: return set_date(options, value, diag);
    case OPT_ROI: return set_roi(options, value, diag);
    case OPT_ROI_END: options->roi_end = value; return ERR_OK;
    case OPT_CHECK: options->check = value; return ERR_OK;
    case OPT_GDB: options->gdb = value; return ERR_OK;
    case OPT_PROFILE: options->profile = value; return ERR_OK;
    case OPT_PROGRESS: options->progress = 1; return ERR_OK;
    case OPT_NO_PROGRESS: options->progress = 0; return ERR_OK;
    case OPT_THREADS: options->threads = true; return ERR_OK;
    case OPT_ORACLE: options->config.pmu_oracle = 1; return ERR_OK;
    case OPT_HINTS: options->config.pmu_hints = 1; return ERR_OK;
    case OPT_NO_SKIP: options->skip = false; return ERR_OK;
    case OPT_QUIET: options->quiet = true; return ERR_OK;
    case OPT_HELP: options->help = true; return ERR_OK;
    case OPT_VERSION: options->version = true; return ERR_OK;
    case OPT_MAX_INSNS: return set_number(&options->limits.max_insns, id, value, diag);
    case OPT_MAX_CYCLES: return set_number(&options->limits.max_cycles, id, value, diag);
    case OPT_FAST_FORWARD: return set_number(&options->fast_forward, id, value, diag);
    case OPT_WARM: return set_number(&options->warm, id, value, diag);
    case OPT_TRACE_FROM: return set_number(&options->trace_from, id, value, diag);
    case OPT_TRACE_TO: return set_number(&options->trace_to, id, value, diag);
    default: return diag_set(diag, ERR_USAGE, "--%s is not handled", rows[id].name);
    }
}

static enum err set_option(struct options *options, unsigned id, const char *value,
                           struct diag *diag)
{
    switch ((enum option_id)id) {
    case OPT_META: return append(&options->meta, id, value, diag);
    case OPT_ENV:
        if (strchr(value, '=') == NULL || value[0] == '=')
            return bad_value(diag, id, value, "NAME=VALUE");
        return append(&options->env, id, value, diag);
    case OPT_COUNT: return add_count(options, value, diag);
    case OPT_STATS: return add_stats(options, value, diag);
    case OPT_TRACE: return append(&options->trace, id, value, diag);
    case OPT_CONFIG: return ERR_OK;     /* read before every override */
    case OPT_SET: return config_set(&options->config, value, diag);
    case OPT_MODE: return set_engine(options, value, diag);
    case OPT_MONITOR: return set_monitor(options, value, diag);
    case OPT_HARTS: return set_harts(options, value, diag);
    case OPT_OS: return set_os(options, value, diag);
    case OPT_MEMORY: return set_memory(options, value, diag);
    case OPT_TIMEOUT: return set_timeout(options, value, diag);
    default: return set_simple(options, id, value, diag);
    }
}

/* Finds the row of "--name" or "--name=value". */
static enum err find_option(const char *word, unsigned *id, const char **value, struct diag *diag)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    *value = equals != NULL ? equals + 1 : NULL;
    for (*id = 0; *id < OPTIONS; ++*id)
        if (strlen(rows[*id].name) == length && memcmp(rows[*id].name, name, length) == 0)
            return ERR_OK;
    unsigned at = 0;
    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *near = nearest_name(given, next_option_name, &at);
    return diag_set(diag, ERR_USAGE, "unknown option --%s%s%s%s", given,
                    near ? "; did you mean --" : "", near ? near : "",
                    near ? "?" : "; see rvsim --help");
}

/* The passes over the options: --config comes before all others. */
enum pass { PASS_CONFIG, PASS_REST, PASS_SETTINGS };
struct visit {
    struct options *options;
    enum pass pass;
    void (*setting)(void *arg, const char *key);        /* of PASS_SETTINGS */
    void *arg;
};

/* Skips presets of the simulator, which are not the user's. */
static enum err visit_settings(const struct visit *visit, unsigned id, const char *value,
                               struct diag *diag)
{
    char directory[PATHS_MAX];
    bool is_file = id == OPT_CONFIG && config_is_path(value);
    if (id == OPT_SET)
        visit->setting(visit->arg, value);
    if (!is_file)
        return ERR_OK;
    paths_presets(directory);
    return config_given(value, directory, visit->setting, visit->arg, diag);
}

static enum err visit_option(const struct visit *visit, unsigned id, const char *value,
                             struct diag *diag)
{
    if (visit->pass == PASS_SETTINGS)
        return visit_settings(visit, id, value, diag);
    if (visit->pass == PASS_REST)
        return set_option(visit->options, id, value, diag);
    if (id != OPT_CONFIG)
        return ERR_OK;
    char directory[PATHS_MAX];
    paths_presets(directory);
    visit->options->config_name = value;
    return config_load(&visit->options->config, value, directory, diag);
}

static enum err visit_all(const struct visit *visit, int argc, char **argv, int *end,
                          struct diag *diag)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && argv[at][1] != '\0'; at++) {
        unsigned id;
        const char *value;
        if (strcmp(argv[at], "-h") == 0) {
            visit->options->help = true;
            continue;
        }
        if (argv[at][1] != '-')
            return diag_set(diag, ERR_USAGE, "unknown option %s; options start with --", argv[at]);
        if (argv[at][2] == '\0') {
            at++;
            break;
        }
        enum err err = find_option(argv[at], &id, &value, diag);
        if (err != ERR_OK)
            return err;
        if (rows[id].argument == NULL && value != NULL)
            return diag_set(diag, ERR_USAGE, "--%s takes no value", rows[id].name);
        if (rows[id].argument != NULL && value == NULL && (value = argv[++at]) == NULL)
            return diag_set(diag, ERR_USAGE, "--%s needs %s", rows[id].name, rows[id].argument);
        if (value != NULL && value[0] == '\0')
            return diag_set(diag, ERR_USAGE, "--%s '': expected %s", rows[id].name,
                            rows[id].argument);
        if ((err = visit_option(visit, id, value, diag)) != ERR_OK)
            return err;
    }
    *end = at;
    return ERR_OK;
}

/* Checks options that need another option. */
static enum err check_companions(const struct options *options, struct diag *diag)
{
    if (options->trace.count == 0 &&
        (options->trace_from != 0 || options->trace_to != UINT64_MAX))
        return diag_set(diag, ERR_USAGE, "--trace-from and --trace-to: need --trace");
    if (options->trace_to <= options->trace_from)
        return diag_set(diag, ERR_USAGE, "--trace-to %llu: expected more than --trace-from, %llu",
                        (unsigned long long)options->trace_to,
                        (unsigned long long)options->trace_from);
    if (options->warm != 0 && options->fast_forward == 0 && options->roi == NULL)
        return diag_set(diag, ERR_USAGE, "--warm: needs --fast-forward or --roi");
    return ERR_OK;
}

static enum err check_machine(const struct options *options, struct diag *diag)
{
    char directory[PATHS_MAX];
    paths_presets(directory);
    return config_check_loaded(&options->config,
                               options->config_name != NULL ? options->config_name : "default",
                               directory, diag);
}

static enum err load_default(struct options *options, struct diag *diag)
{
    char directory[PATHS_MAX];
    paths_presets(directory);
    return config_load(&options->config, "default", directory, diag);
}

/* -1: shown unless silenced; 0: shown only on request. */
static int default_progress(void)
{
    const char *wanted = getenv("RVSIM_PROGRESS");
    return wanted != NULL && strcmp(wanted, "0") == 0 ? 0 : -1;
}

/* Standard output can hold one file, and nothing else. */
static enum err check_stdout(struct options *options, struct diag *diag)
{
    unsigned files = output_is_stdout(options->profile) + output_is_stdout(options->gdb);

    for (unsigned i = 0; i < options->stats.count; i++)
        files += output_is_stdout(options->stats.item[i]);
    for (unsigned i = 0; i < options->trace.count; i++) {
        const char *file = strchr(options->trace.item[i], ':');
        files += file != NULL && (strcmp(file, ":-") == 0 || strcmp(file, ":-@marks") == 0);
    }
    options->gives_stdout = files != 0;
    if (files > 1 && !output_is_stdout(options->gdb))
        return diag_set(diag, ERR_USAGE, "-: only one file can be standard output; name a file "
                        "for each of the others");
    return ERR_OK;
}

enum err options_parse(struct options *options, int argc, char **argv, struct diag *diag)
{
    *options = (struct options){.skip = true, .progress = default_progress(),
                                .trace_to = UINT64_MAX};
    config_init(&options->config);
    int end = 1;
    struct visit visit = {.options = options, .pass = PASS_CONFIG};
    enum err err = visit_all(&visit, argc, argv, &end, diag);
    if (err == ERR_OK && options->config_name == NULL)
        err = load_default(options, diag);
    visit.pass = PASS_REST;
    if (err == ERR_OK)
        err = visit_all(&visit, argc, argv, &end, diag);
    if (err == ERR_OK && options->color != NULL && !style_choose(options->color))
        err = bad_value(diag, OPT_COLOR, options->color, "auto, always or never");
    if (err == ERR_OK)
        err = check_companions(options, diag);
    if (err == ERR_OK)
        err = check_machine(options, diag);
    if (err == ERR_OK)
        err = check_stdout(options, diag);
    if (options->threads && options->os == PROGRAM_OS_AUTO)
        options->os = PROGRAM_OS_KERNEL;
    options->program_argc = argc - end;
    options->program_argv = argv + end;
    options->program_path = options->program_argv[0];
    return err;
}

enum err options_settings(int argc, char **argv, void (*setting)(void *arg, const char *key),
                          void *arg, struct diag *diag)
{
    struct options unused;
    const struct visit visit = {&unused, PASS_SETTINGS, setting, arg};
    int end;
    return visit_all(&visit, argc, argv, &end, diag);
}
