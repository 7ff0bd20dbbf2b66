/* See script.h. */
#include "prof/report/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "prof/profile/json.h"

enum { NAME_BYTES = 32, HZ_PER_MHZ = 1000000, CLOCK_DEFAULT_MHZ = 1000 };

static const char *const names[] = {
#define SCRIPT_FIELD(id, name, meaning) name,
#include "prof/report/script_field.def"
#undef SCRIPT_FIELD
};

const char *script_next_field(void *state)
{
    unsigned *at = state;

    return *at < SCRIPT_FIELDS ? names[(*at)++] : NULL;
}

static enum err add_field(const char *name, unsigned *fields, struct diag *diag)
{
    unsigned at = 0;

    for (unsigned i = 0; i < SCRIPT_FIELDS; i++)
        if (strcmp(names[i], name) == 0) {
            *fields |= 1u << i;
            return ERR_OK;
        }
    diag_set(diag, ERR_USAGE, "script: --fields: no field '%s'", name);
    return diag_suggest(diag, ERR_USAGE, name, script_next_field, &at);
}

enum err script_parse_fields(const char *list, unsigned *fields, struct diag *diag)
{
    char name[NAME_BYTES];
    enum err err = ERR_OK;

    *fields = list == NULL ? (1u << SCRIPT_FIELDS) - 1 : 0;
    for (size_t length; list != NULL && err == ERR_OK; list += length + 1) {
        length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        err = add_field(name, fields, diag);
        if (list[length] == '\0')
            break;
    }
    return err;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct script {
    const struct profile *profile;
    const struct symbols *symbols;
    struct callgraph graph;
    const struct callgraph_path **path;     /* [records] */
    uint64_t clock_hz, period;
    const char *event;
};

/* One line. */
struct line {
    const struct callgraph_path *path;
    bool has_time;
    uint64_t cycle;
    uint32_t hart;
};

typedef void show_line(void *arg, const struct script *script, const struct line *line);

static uint64_t clock_of(const struct profile *profile)
{
    const char *value = profile_setting(profile, "machine.clock_mhz");
    uint64_t mhz = value != NULL ? strtoull(value, NULL, 10) : 0;

    return (mhz != 0 && mhz < UINT32_MAX ? mhz : CLOCK_DEFAULT_MHZ) * HZ_PER_MHZ;
}

static enum err open_script(struct script *script, const struct profile *profile,
                            const struct symbols *symbols, struct diag *diag)
{
    const struct profile_sampling *sampling = profile->sampling;
    enum err err;

    if (profile->records == 0)
        return diag_set(diag, ERR_USAGE, "the profile has no samples; `rvsim record` makes one "
                        "that has");
    *script = (struct script){.profile = profile, .symbols = symbols,
                              .clock_hz = clock_of(profile), .event = "marks", .period = 1};
    if (sampling != NULL && sampling->period != 0)
        script->period = sampling->period;
    if (sampling != NULL)
        script->event = sampling->event;
    err = callgraph_build(&script->graph, profile, symbols, diag);
    if (err != ERR_OK)
        return err;
    script->path = calloc(profile->records, sizeof *script->path);
    for (size_t i = 0; script->path != NULL && i < script->graph.paths; i++)
        script->path[script->graph.path[i].record - profile->record] = &script->graph.path[i];
    if (script->path != NULL)
        return ERR_OK;
    callgraph_free(&script->graph);
    return diag_no_memory(diag, "samples");
}

static void close_script(struct script *script)
{
    free(script->path);
    callgraph_free(&script->graph);
}

/* Calls `show` for each stored sample, else for each sum. */
static void each_line(const struct script *script, show_line *show, void *arg)
{
    const struct profile_sampling *sampling = script->profile->sampling;
    size_t kept = sampling != NULL ? sampling->samples : 0;

    for (size_t i = 0; i < kept; i++) {
        const struct profile_sample *sample = &sampling->sample[i];
        const struct line line = {script->path[sample->record], true, sample->cycle, sample->hart};

        show(arg, script, &line);
    }
    for (size_t i = 0; kept == 0 && i < script->profile->records; i++) {
        const struct line line = {.path = script->path[i]};

        for (uint64_t k = 0; k < script->profile->record[i].interrupts; k++)
            show(arg, script, &line);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_time(FILE *out, const struct script *script, uint64_t cycle)
{
    uint64_t hz = script->clock_hz, part = cycle % hz;

    fprintf(out, " %" PRIu64 ".%09" PRIu64 ":", cycle / hz,
            (uint64_t)((double)part * 1e9 / (double)hz));
}

static void put_stack(FILE *out, const struct script *script, const struct callgraph_path *path)
{
    char text[SYMBOLS_TEXT];

    for (unsigned i = 1; i < path->depth; i++)
        fprintf(out, " <- %s", callgraph_name(script->profile, script->symbols,
                                              path->frame[i].routine, text));
}

struct printer { unsigned fields; FILE *out; };

static bool has(const struct printer *printer, enum script_field field)
{
    return (printer->fields >> field & 1) != 0;
}

static void put_where(const struct printer *printer, const struct script *script,
                      const struct callgraph_path *path)
{
    uint64_t address = path->record->address;
    char text[SYMBOLS_TEXT];

    if (has(printer, SCRIPT_IP))
        fprintf(printer->out, " %8" PRIx64, symbols_address(script->symbols, address));
    if (has(printer, SCRIPT_SYM))
        fprintf(printer->out, " %s", symbols_describe(script->symbols, address, text));
    symbols_describe_line(script->symbols, address, text);
    if (has(printer, SCRIPT_LINE) && text[0] != '\0')
        fprintf(printer->out, " (%s)", text);
    if (has(printer, SCRIPT_STACK))
        put_stack(printer->out, script, path);
}

static void print_line(void *arg, const struct script *script, const struct line *line)
{
    const struct printer *printer = arg;
    FILE *out = printer->out;

    if (has(printer, SCRIPT_COMM))
        fputs(symbols_base_name(script->profile->program), out);
    if (has(printer, SCRIPT_HART) && line->has_time)
        fprintf(out, " [%03" PRIu32 "]", line->hart);
    else if (has(printer, SCRIPT_HART))
        fputs(" [-]", out);
    if (has(printer, SCRIPT_TIME) && line->has_time)
        put_time(out, script, line->cycle);
    else if (has(printer, SCRIPT_TIME))
        fputs(" -:", out);
    if (has(printer, SCRIPT_CYCLE) && line->has_time)
        fprintf(out, " %10" PRIu64, line->cycle);
    else if (has(printer, SCRIPT_CYCLE))
        fputs(" -", out);
    if (has(printer, SCRIPT_PERIOD))
        fprintf(out, " %8" PRIu64, script->period);
    if (has(printer, SCRIPT_EVENT))
        fprintf(out, " %s:", script->event);
    put_where(printer, script, line->path);
    fputc('\n', out);
}

enum err script_print(const struct profile *profile, const struct symbols *symbols,
                      unsigned fields, FILE *out, struct diag *diag)
{
    struct printer printer = {fields, out};
    struct script script;
    enum err err = open_script(&script, profile, symbols, diag);

    if (err != ERR_OK)
        return err;
    each_line(&script, print_line, &printer);
    close_script(&script);
    return ERR_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_line(void *array, const struct script *script, const struct line *line)
{
    const struct callgraph_path *path = line->path;
    cJSON *object = cJSON_CreateObject(), *stack;
    char text[SYMBOLS_TEXT];

    if (line->has_time) {
        json_number(object, "hart", line->hart);
        json_number(object, "cycle", line->cycle);
    }
    cJSON_AddStringToObject(object, "event", script->event);
    json_number(object, "period", script->period);
    json_address(object, "address", path->record->address);
    cJSON_AddStringToObject(object, "symbol",
                            symbols_describe(script->symbols, path->record->address, text));
    cJSON_AddStringToObject(object, "line", symbols_describe_line(script->symbols,
                                                                  path->record->address, text));
    stack = cJSON_AddArrayToObject(object, "stack");
    for (unsigned i = 1; i < path->depth; i++)
        cJSON_AddItemToArray(stack, cJSON_CreateString(
            callgraph_name(script->profile, script->symbols, path->frame[i].routine, text)));
    cJSON_AddItemToArray(array, object);
}

enum err script_write_json(const struct profile *profile, const struct symbols *symbols,
                           const struct picture *picture, FILE *out, struct diag *diag)
{
    struct script script;
    enum err err = open_script(&script, profile, symbols, diag);
    cJSON *root;

    if (err != ERR_OK)
        return err;
    root = json_document();
    cJSON_AddStringToObject(root, "program", symbols_base_name(profile->program));
    each_line(&script, add_line, cJSON_AddArrayToObject(root, "samples"));
    close_script(&script);
    if (picture != NULL)
        err = picture_add_json(root, picture, symbols, diag);
    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}
