/* The limits of rvsim hang: options, then the program's control file; see hang_limits.h. */
#define _GNU_SOURCE     /* strndup */
#include "sim/cli/command/hang/hang_limits.h"

#include <stdlib.h>
#include <string.h>

#include "prof/hang/hang_control.h"
#include "sim/base/array.h"
#include "sim/cli/tool/service.h"
#include "sim/run/kernel/kernel.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static bool is_limit(uint64_t cycles)
{
    return cycles >= 1 && cycles <= INT64_MAX;
}

/* Parses "5M" or "2ms" as cycles. */
static bool read_cycles(const struct tool *tool, const char *text, uint64_t *cycles)
{
    static const struct { const char *name; uint64_t ns; } units[] = {
        {"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S},
    };
    uint64_t mhz = tool->options.config.machine_clock_mhz, number = 0;
    size_t digits = strspn(text, "0123456789");

    if (digits != 0 && digits < 16)
        number = strtoull(text, NULL, 10);
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + digits, units[i].name) == 0) {
            *cycles = number <= UINT64_MAX / units[i].ns / mhz
                          ? number * units[i].ns * mhz / NS_PER_US : UINT64_MAX;
            return digits != 0 && digits < 16 && is_limit(*cycles);
        }
    return options_number(text, cycles) && is_limit(*cycles);
}

/* A function has one limit: the last one given. */
static enum err add_routine(struct hang *hang, const struct symbols_entry *entry,
                            const struct hang_limit *limit, struct diag *diag)
{
    struct hang_limit *grown;

    for (size_t i = 0; i < hang->limits; i++)
        if (hang->limit[i].awaited == NULL && hang->limit[i].address == entry->address) {
            hang->limit[i] = *limit;
            hang->limit[i].function = entry->name;
            hang->limit[i].address = entry->address;
            return ERR_OK;
        }
    grown = array_grow(hang->limit, hang->limits, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(diag, "limits");
    hang->limit = grown;
    hang->limit[hang->limits] = *limit;
    hang->limit[hang->limits].function = entry->name;
    hang->limit[hang->limits++].address = entry->address;
    return ERR_OK;
}

/* Adds all functions of a name or pattern; *functions: their number. */
static enum err add_functions(struct hang *hang, const struct tool *tool, const char *name,
                              const struct hang_limit *limit, size_t *functions,
                              struct diag *diag)
{
    enum { ROUTINES = 4096 };
    const struct symbols_entry **entry = calloc(ROUTINES, sizeof(const struct symbols_entry *));
    enum err err = entry != NULL ? ERR_OK : diag_no_memory(diag, "limits");
    size_t count = 0;
    bool is_group;

    *functions = 0;
    if (err == ERR_OK)
        count = symbols_select(tool->target.symbols, name, entry, ROUTINES, &is_group);
    for (size_t i = 0; i < count && i < ROUTINES && err == ERR_OK; i++)
        if (entry[i]->is_function) {
            ++*functions;
            err = add_routine(hang, entry[i], limit, diag);
        }
    free(entry);
    return err;
}

/* A function that may be one of a library, which the program loads later, or of a program that it
 * executes. */
static enum err add_awaited(struct hang *hang, const char *name, const struct hang_limit *limit,
                            struct diag *diag)
{
    struct hang_limit *grown = array_grow(hang->limit, hang->limits, sizeof *grown);
    char *awaited = grown != NULL ? strdup(name) : NULL;

    if (grown != NULL)
        hang->limit = grown;
    if (awaited == NULL)
        return diag_no_memory(diag, "limits");
    hang->limit[hang->limits] = *limit;
    hang->limit[hang->limits].function = hang->limit[hang->limits].awaited = awaited;
    hang->limits++;
    return ERR_OK;
}

static enum err add_limit(struct hang *hang, const struct tool *tool, const char *name,
                          const struct hang_limit *limit, struct diag *diag)
{
    size_t functions;
    enum err err = add_functions(hang, tool, name, limit, &functions, diag);

    if (err != ERR_OK || functions != 0)
        return err;
    if (kernel_may_execute(&tool->target.image))
        return add_awaited(hang, name, limit, diag);
    diag_set(diag, ERR_USAGE, "hang: --limit %s: no such function", name);
    return symbols_suggest(tool->target.symbols, name, ERR_USAGE, diag);
}

static enum err bad_limit(const char *text, struct diag *diag)
{
    return diag_set(diag, ERR_USAGE, "hang: --limit %s: expected FUNCTION=CYCLES or "
                    "FUNCTION=TIME, such as sort=5M or sort=2ms, at least 1 cycle", text);
}

/* Parses FUNCTION=LIMIT, of this length, for executed or elapsed time. */
static enum err take_limit(struct hang *hang, const struct tool *tool, bool is_elapsed,
                           const char *text, size_t length, struct diag *diag)
{
    struct hang_limit limit = {.is_elapsed = is_elapsed};
    char *copy = strndup(text, length), *equals = copy != NULL ? strrchr(copy, '=') : NULL;
    enum err err;

    if (copy == NULL)
        return diag_no_memory(diag, "limits");
    if (equals == NULL || equals == copy || !read_cycles(tool, equals + 1, &limit.cycles)) {
        err = bad_limit(copy, diag);
    } else {
        *equals = '\0';
        err = add_limit(hang, tool, copy, &limit, diag);
    }
    free(copy);
    return err;
}

/* The length of the limit at `text`: up to the first comma after its '='. Parameters of C++
 * functions may have commas before it. */
static size_t limit_length(const char *text)
{
    const char *at = strchr(text, ',');

    while (at != NULL) {
        const char *word = at;

        while (word > text && strchr("0123456789kKmMgGnsu", word[-1]) != NULL)
            word--;
        if (word > text && word[-1] == '=' && word != at)
            return (size_t)(at - text);
        at = strchr(at + 1, ',');
    }
    return strlen(text);
}

static enum err read_options(struct hang *hang, const struct tool *tool, struct diag *diag)
{
    const struct command_line *line = tool->line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++) {
        enum command_option_id id = line->option[i].id;
        const char *at = line->option[i].value;

        if (id != OPT_HANG_LIMIT && id != OPT_HANG_ELAPSED)
            continue;
        do {
            size_t length = limit_length(at);

            err = take_limit(hang, tool, id == OPT_HANG_ELAPSED, at, length, diag);
            at += length;
        } while (err == ERR_OK && *at++ == ',');
    }
    return err;
}

/* ---- the control file ------------------------------------------------------------------------ */

static void apply(const struct tool *tool, const struct hang_control *control,
                  struct hang_limit *limit)
{
    uint64_t cycles;

    if (*control->threshold != '\0' && read_cycles(tool, control->threshold, &cycles))
        limit->cycles = cycles;
    limit->report = control->report;
    limit->times = control->times;
}

/* Applies an entry of the control file, which changes or adds limits. Tags that are no function of
 * this program are ignored. */
static enum err apply_tag(struct hang *hang, const struct tool *tool,
                          const struct hang_control *control, struct diag *diag)
{
    struct hang_limit limit = {.cycles = 0};
    size_t known = hang->limits, functions;
    enum err err;

    if (strcmp(control->tag, "*") == 0) {
        for (size_t i = 0; i < known; i++)
            apply(tool, control, &hang->limit[i]);
        return ERR_OK;
    }
    for (size_t i = 0; i < known; i++)
        if (strcmp(hang->limit[i].function, control->tag) == 0) {
            apply(tool, control, &hang->limit[i]);
            return ERR_OK;
        }
    apply(tool, control, &limit);
    if (limit.cycles == 0)
        return ERR_OK;
    err = add_functions(hang, tool, control->tag, &limit, &functions, diag);
    return err;
}

/* Applies "*" first; entries of named functions override it. */
static enum err apply_all(struct hang *hang, const struct tool *tool, const char *text,
                          struct diag *diag)
{
    struct hang_controls controls;
    enum err err = hang_controls_read(&controls, text, diag);

    for (unsigned named = 0; named < 2; named++)
        for (size_t i = 0; i < controls.tags && err == ERR_OK; i++)
            if ((strcmp(controls.tag[i].tag, "*") != 0) == (named != 0))
                err = apply_tag(hang, tool, &controls.tag[i], diag);
    hang_controls_free(&controls);
    return err;
}

enum err hang_limits_read(struct hang *hang, const struct tool *tool, const char *program,
                          struct diag *diag)
{
    const char *url = command_value(tool->line, OPT_HANG_CONTROL);
    char *text = NULL;
    enum err err = read_options(hang, tool, diag);

    if (err == ERR_OK && url != NULL)
        err = service_fetch_control(&text, url, program, diag);
    if (err == ERR_OK && url != NULL)
        err = apply_all(hang, tool, text, diag);
    free(text);
    if (err != ERR_OK || hang->limits != 0)
        return err;
    return diag_set(diag, ERR_USAGE, url == NULL
                    ? "hang: expected --limit FUNCTION=CYCLES"
                    : "hang: expected --limit FUNCTION=CYCLES: the control file of the program has "
                      "no limit");
}
