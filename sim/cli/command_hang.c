/* rvsim hang: functions that run longer than their limits, seen at that moment. */
#define _GNU_SOURCE     /* strndup */
#include <stdlib.h>
#include <string.h>

#include "sim/base/output.h"
#include "sim/cli/hang_run.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* ---- limits ---------------------------------------------------------------------------------- */

/* "5M", "2ms": cycles. */
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
            return digits != 0 && digits < 16;
        }
    return options_number(text, cycles);
}

static enum err add_routine(struct hang *hang, const struct symbols_entry *entry,
                            uint64_t cycles, struct diag *diag)
{
    struct hang_limit *grown;

    for (size_t i = 0; i < hang->limits; i++)
        if (hang->limit[i].address == entry->address) {
            hang->limit[i].cycles = cycles;
            return ERR_OK;
        }
    grown = realloc(hang->limit, (hang->limits + 1) * sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(diag, "limits");
    hang->limit = grown;
    hang->limit[hang->limits++] = (struct hang_limit){entry->name, entry->address, cycles};
    return ERR_OK;
}

/* All functions of a name or pattern. */
static enum err add_limit(struct hang *hang, const struct tool *tool, const char *name,
                          uint64_t cycles, struct diag *diag)
{
    enum { ROUTINES = 4096 };
    const struct symbols_entry **entry = calloc(ROUTINES, sizeof(const struct symbols_entry *));
    enum err err = entry != NULL ? ERR_OK : diag_no_memory(diag, "limits");
    size_t count = 0, functions = 0;
    bool is_group;

    if (err == ERR_OK)
        count = symbols_select(tool->target.symbols, name, entry, ROUTINES, &is_group);
    for (size_t i = 0; i < count && i < ROUTINES && err == ERR_OK; i++)
        if (entry[i]->is_function) {
            functions++;
            err = add_routine(hang, entry[i], cycles, diag);
        }
    free(entry);
    if (err != ERR_OK || functions != 0)
        return err;
    diag_set(diag, ERR_USAGE, "hang: --limit %s: no such function", name);
    return symbols_suggest(tool->target.symbols, name, ERR_USAGE, diag);
}

static enum err bad_limit(const char *text, struct diag *diag)
{
    return diag_set(diag, ERR_USAGE, "hang: --limit %s: expected FUNCTION=CYCLES or "
                    "FUNCTION=TIME, such as sort=5M or sort=2ms, from 1 to %u cycles", text,
                    UINT32_MAX);
}

/* FUNCTION=LIMIT, of this length. */
static enum err take_limit(struct hang *hang, const struct tool *tool, const char *text,
                           size_t length, struct diag *diag)
{
    char *copy = strndup(text, length), *equals = copy != NULL ? strrchr(copy, '=') : NULL;
    uint64_t cycles = 0;
    enum err err;

    if (copy == NULL)
        return diag_no_memory(diag, "limits");
    if (equals == NULL || equals == copy || !read_cycles(tool, equals + 1, &cycles) ||
        cycles == 0 || cycles > UINT32_MAX) {
        err = bad_limit(copy, diag);
    } else {
        *equals = '\0';
        err = add_limit(hang, tool, copy, cycles, diag);
    }
    free(copy);
    return err;
}

/* Where the limit at `text` ends: at the first comma after its '='. Parameters of C++ functions
 * have commas, too, before it. */
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

static enum err read_limits(struct hang *hang, const struct tool *tool, struct diag *diag)
{
    const struct command_line *line = tool->line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options; i++) {
        const char *at = line->option[i].value;

        if (line->option[i].id != OPT_HANG_LIMIT)
            continue;
        do {
            size_t length = limit_length(at);

            err = take_limit(hang, tool, at, length, diag);
            at += length;
        } while (err == ERR_OK && *at++ == ',');
        if (err != ERR_OK)
            return err;
    }
    return hang->limits != 0 ? ERR_OK
                             : diag_set(diag, ERR_USAGE, "hang: expected --limit FUNCTION=CYCLES");
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err read_wishes(struct hang_wishes *wishes, struct tool *tool, struct diag *diag)
{
    const struct command_line *line = tool->line;
    bool stops = command_value(line, OPT_HANG_BREAK) != NULL;
    enum err err;

    *wishes = (struct hang_wishes){
        .dump = command_value(line, OPT_HANG_DUMP), .dumps = 1, .gdb = tool->options.gdb,
    };
    tool->options.gdb = NULL;
    if (stops != (wishes->gdb != NULL))
        return diag_set(diag, ERR_USAGE, stops ? "hang: --break needs a debugger: --gdb PORT"
                                               : "hang: --gdb needs --break");
    if (wishes->dump == NULL && command_value(line, OPT_HANG_DUMPS) != NULL)
        return diag_set(diag, ERR_USAGE, "hang: --dumps needs --dump FILE");
    if (wishes->dump != NULL && tool->target.image.xlen != 64)
        return diag_set(diag, ERR_USAGE, "hang: --dump: %s is a 32-bit program; core files are of "
                        "64-bit programs", tool->target.image.path);
    err = tool_number(tool, OPT_HANG_DUMPS, 1, UINT32_MAX, &wishes->dumps, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_HANG_ALARMS, 1, UINT32_MAX, &wishes->most, diag);
    if (err == ERR_OK && wishes->dump != NULL)
        err = output_check(wishes->dump, diag);
    return err;
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    return hang_print_json(arg, out, diag);
}

static enum err show(const struct hang *hang, const struct tool_files *files, struct diag *diag)
{
    struct hang all = *hang;
    enum err err = tool_files_write(files, NULL, write_json, &all, diag);

    if (err == ERR_OK && !tool_files_take_output(files))
        hang_print(hang, stdout);
    return err;
}

static enum err run(struct tool *tool, struct hang *hang, struct diag *diag)
{
    const struct command_line *line = tool->line;
    const struct tool_files files = {.json = command_value(line, OPT_HANG_JSON)};
    struct hang_wishes wishes;
    enum err err = read_wishes(&wishes, tool, diag);

    if (err == ERR_OK)
        err = read_limits(hang, tool, diag);
    if (err == ERR_OK)
        err = tool_files_check(&files, diag);
    if (err == ERR_OK)
        err = hang_run(hang, &wishes, tool,
                       wishes.gdb == NULL && command_value(line, OPT_HANG_NO_COST) == NULL, diag);
    return err == ERR_OK ? show(hang, &files, diag) : err;
}

int command_hang(const struct command_line *line)
{
    struct diag diag = {""};
    struct hang hang = {.alarms = 0};
    struct tool tool;
    enum err err = tool_open(&tool, "hang", line, TOOL_DEBUGGED, &diag);
    int status;

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = command_value(line, OPT_HANG_SHOW_OUTPUT) != NULL;
    hang.symbols = tool.target.symbols;
    hang.program = symbols_base_name(tool.target.image.path);
    hang.build = tool.target.id;
    hang.engine = options_engine_name(tool.options.engine);
    hang.clock_mhz = tool.options.config.machine_clock_mhz;
    err = run(&tool, &hang, &diag);
    hang_free(&hang);
    status = tool_status(&tool, err, &diag);
    tool_close(&tool);
    fflush(stdout);
    return status;
}
