/* A profile as JSON: the statistics, then the parts that only reports need. */
#include <string.h>

#include "prof/calls/callgraph.h"
#include "prof/profile/profile_file.h"
#include "prof/profile/profile_modes.h"
#include "prof/profile/profile_write.h"
#include "prof/report/summary.h"

/* ---- the run --------------------------------------------------------------------------------- */

static void add_command(cJSON *root, const struct profile *profile)
{
    cJSON *command = cJSON_AddArrayToObject(root, "command");

    for (size_t i = 0; i < profile->commands; i++)
        cJSON_AddItemToArray(command, cJSON_CreateString(profile->command[i]));
}

static void add_config(cJSON *root, const struct profile *profile)
{
    cJSON *config = cJSON_AddObjectToObject(root, "config");

    for (size_t i = 0; i < profile->settings; i++) {
        const struct profile_setting *setting = &profile->setting[i];

        if (setting->kind == PROFILE_WORD)
            cJSON_AddStringToObject(config, setting->key, setting->value);
        else
            cJSON_AddRawToObject(config, setting->key, setting->value);
    }
}

static void add_result(cJSON *root, const struct profile *profile)
{
    cJSON *result = cJSON_AddObjectToObject(root, "result");

    cJSON_AddNumberToObject(result, "exit_code", profile->exit_code);
    cJSON_AddStringToObject(result, "reason", profile->reason);
    cJSON_AddStringToObject(result, "text", profile->text);
}

static void add_host(cJSON *root, const struct profile *profile)
{
    cJSON *host = cJSON_AddObjectToObject(root, "host");
    double insns = (double)(profile->instructions + profile->fast_forwarded);
    double seconds = profile->host_seconds;

    json_real(host, "seconds", seconds);
    json_real(host, "mips", seconds > 0 ? insns / seconds * 1e-6 : 0);
}

static void add_events(cJSON *object, const struct profile *profile, const uint64_t *event)
{
    cJSON *events = cJSON_AddObjectToObject(object, "events");

    for (size_t i = 0; i < profile->events; i++)
        json_number(events, profile->event_name[i], event[i]);
}

/* An engine without timing has no IPC. */
static void add_ipc(cJSON *root, const struct profile *profile)
{
    if (!summary_is_timed(profile))
        cJSON_AddNullToObject(root, "ipc");
    else
        json_real(root, "ipc", profile->cycles != 0
                                   ? (double)profile->instructions / (double)profile->cycles : 0);
}

static void add_harts(cJSON *root, const struct profile *profile)
{
    cJSON *harts = cJSON_AddArrayToObject(root, "harts");

    for (size_t i = 0; i < profile->harts; i++) {
        cJSON *hart = cJSON_CreateObject();

        json_number(hart, "cycles", profile->hart[i].cycles);
        json_number(hart, "instructions", profile->hart[i].instructions);
        add_events(hart, profile, profile->hart[i].event);
        cJSON_AddItemToArray(harts, hart);
    }
}

/* Written only if the program has regions. */
static void add_regions(cJSON *root, const struct profile *profile)
{
    cJSON *regions = profile->regions != 0 ? cJSON_AddArrayToObject(root, "regions") : NULL;

    for (size_t i = 0; i < profile->regions; i++) {
        const struct profile_region *region = &profile->region[i];
        cJSON *object = cJSON_CreateObject(), *events;

        cJSON_AddStringToObject(object, "kind", region->kind);
        json_number(object, "id", region->id);
        json_number(object, "cycles", region->cycles);
        json_number(object, "instructions", region->instructions);
        events = cJSON_AddObjectToObject(object, "events");
        for (size_t event = 0; event < profile->events; event++) {
            uint64_t sum = 0;
            for (size_t hart = 0; hart < profile->harts; hart++)
                sum += region->hart[hart].event[event];
            json_number(events, profile->event_name[event], sum);
        }
        cJSON_AddItemToArray(regions, object);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void add_flags(cJSON *mark, const char *flags)
{
    cJSON *array = cJSON_AddArrayToObject(mark, "flags");

    for (size_t length; *flags != '\0'; flags += length + (flags[length] == ' ')) {
        char word[32];

        length = strcspn(flags, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, flags);
        cJSON_AddItemToArray(array, cJSON_CreateString(word));
    }
}

static cJSON *mark_of(const struct profile_mark *mark, const struct symbols *symbols)
{
    cJSON *object = cJSON_CreateObject();
    char text[SYMBOLS_TEXT];

    json_address(object, "address", mark->address);
    json_number(object, "size", mark->bytes);
    cJSON_AddStringToObject(object, "kind", mark->is_code ? "code" : "data");
    cJSON_AddStringToObject(object, "symbol", symbols_describe(symbols, mark->address, text));
    symbols_describe_line(symbols, mark->address, text);
    cJSON_AddStringToObject(object, "line", mark->is_code ? text : "");
    add_flags(object, mark->flags);
    json_number(object, "label", mark->label);
    json_number(object, "limit", mark->limit);
    json_number(object, "count", mark->count);
    json_number(object, "interrupts", mark->interrupts);
    if (mark->has_entered)
        json_number(object, "entered", mark->entered);
    cJSON_AddStringToObject(object, "source", mark->source);
    profile_write_shares(object, &mark->by_thread, 2);
    return object;
}

/* Statistics have the marks that count; marks that only interrupt are for reports. */
static void add_marks(cJSON *root, const struct profile *profile, const struct symbols *symbols,
                      bool everything)
{
    cJSON *marks = cJSON_AddArrayToObject(root, "marks");

    for (size_t i = 0; i < profile->marks; i++)
        if (everything || profile->mark[i].has_counter)
            cJSON_AddItemToArray(marks, mark_of(&profile->mark[i], symbols));
}

static void add_ranges(cJSON *root, const struct profile *profile)
{
    cJSON *ranges = cJSON_AddArrayToObject(root, "ranges");

    for (size_t i = 0; i < profile->ranges; i++) {
        const struct profile_range *range = &profile->range[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "name", range->name);
        cJSON_AddStringToObject(object, "place", range->place);
        json_address(object, "start", range->start);
        json_address(object, "end", range->end);
        json_number(object, "entries", range->entries);
        json_number(object, range->is_data ? "accesses" : "executed", range->executed);
        profile_write_shares(object, &range->by_thread, 2);
        cJSON_AddItemToArray(ranges, object);
    }
}

/* Written only if counters were requested. */
static void add_counts(cJSON *root, const struct profile *profile)
{
    cJSON *counts = profile->counts != 0 ? cJSON_AddArrayToObject(root, "counts") : NULL;

    for (size_t i = 0; i < profile->counts; i++) {
        const struct profile_count *count = &profile->count[i];
        cJSON *object = cJSON_CreateObject(), *harts;

        cJSON_AddItemToArray(counts, object);
        cJSON_AddStringToObject(object, "counter", count->text);
        cJSON_AddStringToObject(object, "event", count->event);
        cJSON_AddBoolToObject(object, "sum", count->is_sum);
        if (!count->is_known) {
            cJSON_AddNullToObject(object, "count");
            continue;
        }
        json_number(object, "count", count->value);
        harts = cJSON_AddArrayToObject(object, "harts");
        for (size_t k = 0; k < count->harts; k++)
            json_append_number(harts, count->hart[k]);
        profile_write_shares(object, &count->by_thread, 1);
    }
}

static void add_monitor(cJSON *root, const struct profile *profile)
{
    cJSON *monitor = cJSON_AddObjectToObject(root, "monitor");

    cJSON_AddStringToObject(monitor, "kind", profile->monitor);
    json_number(monitor, "interrupts", profile->interrupts);
    json_number(monitor, "dropped", profile->dropped);
    json_number(monitor, "lost", profile->lost);
    if (profile->throttled != 0)
        json_number(monitor, "throttled", profile->throttled);
    json_number(monitor, "walks_truncated", profile_walks(profile, MONITOR_WALK_TRUNCATED));
    json_number(monitor, "walks_broken", profile_walks(profile, MONITOR_WALK_BROKEN));
    if (profile->monitor_event != NULL)
        add_events(monitor, profile, profile->monitor_event);
}

static enum err add_callers(cJSON *root, const struct profile *profile,
                            const struct symbols *symbols, struct diag *diag)
{
    cJSON *callers = cJSON_AddArrayToObject(root, "callers");
    char text[SYMBOLS_TEXT];
    struct callgraph graph;
    enum err err = callgraph_build(&graph, profile, symbols, diag);

    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < graph.callers; i++) {
        const struct callgraph_caller *caller = &graph.caller[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "routine",
                                callgraph_name(profile, symbols, caller->routine, text));
        cJSON_AddStringToObject(object, "caller",
                                callgraph_name(profile, symbols, caller->caller, text));
        cJSON_AddStringToObject(object, "at", callgraph_kind_name(caller->kind));
        json_number(object, "count", caller->interrupts);
        json_number(object, "executions", caller->executions);
        json_number(object, "instructions", caller->instructions);
        if (caller->has_own)
            json_number(object, "own_instructions", caller->own);
        cJSON_AddItemToArray(callers, object);
    }
    callgraph_free(&graph);
    return ERR_OK;
}

/* ---- for reports ----------------------------------------------------------------------------- */

static void add_modules(cJSON *program, const struct profile *profile)
{
    cJSON *modules = cJSON_AddArrayToObject(program, "modules");

    for (size_t i = 0; i < profile->modules; i++) {
        const struct profile_module *module = &profile->module[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "path", module->path);
        cJSON_AddStringToObject(object, "id", module->id);
        json_address(object, "bias", module->bias);
        cJSON_AddItemToArray(modules, object);
    }
}

static void add_covered(cJSON *binary, const struct profile *profile)
{
    cJSON *covered = cJSON_AddArrayToObject(binary, "covered");

    for (size_t i = 0; i < profile->covereds; i++)
        cJSON_AddItemToArray(covered, cJSON_CreateString(profile->covered[i]));
}

void profile_write_images(cJSON *object, const struct profile_image *image, size_t images)
{
    cJSON *array = cJSON_AddArrayToObject(object, "images");

    for (size_t i = 0; i < images; i++) {
        cJSON *row = json_append_object(array);

        cJSON_AddStringToObject(row, "program", symbols_base_name(image[i].path));
        json_number(row, "instructions", image[i].instructions);
        json_number(row, "cycles", image[i].cycles);
    }
}

static void add_thread_names(cJSON *binary, const struct profile *profile)
{
    cJSON *array = cJSON_AddArrayToObject(binary, "threads");

    for (size_t i = 0; i < profile->thread_names; i++) {
        cJSON *row = json_append_object(array);

        json_number(row, "thread", profile->thread_name[i].thread);
        cJSON_AddStringToObject(row, "name", profile->thread_name[i].name);
    }
}

static void add_program(cJSON *root, const struct profile *profile)
{
    cJSON *binary;

    cJSON_AddStringToObject(root, "program", symbols_base_name(profile->program));
    binary = cJSON_AddObjectToObject(root, "binary");
    cJSON_AddStringToObject(binary, "path", profile->program);
    cJSON_AddStringToObject(binary, "id", profile->program_id);
    json_address(binary, "bias", profile->bias);
    if (profile->has_kernel)
        cJSON_AddBoolToObject(binary, "kernel", true);
    if (profile->modules != 0)
        add_modules(binary, profile);
    if (profile->covereds != 0)
        add_covered(binary, profile);
    if (profile->images != 0)
        profile_write_images(binary, profile->image, profile->images);
    if (profile->thread_names != 0)
        add_thread_names(binary, profile);
}

static void add_trap(cJSON *object, const struct profile_record *record)
{
    json_number(object, "trap", record->trap);
    json_number(object, "cause", record->cause);
    if (record->trap == IND_KIND_SYSCALL)
        json_number(object, "number", record->number);
    if (record->name != NULL)
        cJSON_AddStringToObject(object, "name", record->name);
}

static void add_records(cJSON *root, const struct profile *profile)
{
    cJSON *records = cJSON_AddArrayToObject(root, "records");

    for (size_t i = 0; i < profile->records; i++) {
        const struct profile_record *record = &profile->record[i];
        cJSON *object = cJSON_CreateObject(), *stack;

        json_address(object, "address", record->address);
        json_address(object, "data_address", record->data_address);
        cJSON_AddBoolToObject(object, "is_data", record->is_data);
        if (record->kind != IND_KIND_MARK)
            json_number(object, "kind", record->kind);
        if (record->trap != 0)
            add_trap(object, record);
        json_number(object, "interrupts", record->interrupts);
        json_number(object, "executions", record->executions);
        json_number(object, "cycles", record->cycles);
        json_number(object, "instructions", record->instructions);
        json_number(object, "walk", record->walk);
        profile_write_shares(object, &record->by_thread, 4);
        stack = cJSON_AddArrayToObject(object, "stack");
        for (unsigned k = 0; k < record->depth; k++) {
            char text[24];

            snprintf(text, sizeof text, "0x%llx", (unsigned long long)record->stack[k]);
            cJSON_AddItemToArray(stack, cJSON_CreateString(text));
        }
        cJSON_AddItemToArray(records, object);
    }
}

static void add_storage(cJSON *root, const struct profile *profile)
{
    cJSON *storage = cJSON_AddObjectToObject(root, "storage_bits");

    for (size_t i = 0; i < profile->storages; i++)
        json_number(storage, profile->storage[i].name, profile->storage[i].bits);
}

static void add_run(cJSON *root, const struct profile *profile, enum profile_form form)
{
    add_command(root, profile);
    add_config(root, profile);
    cJSON_AddStringToObject(root, "engine", profile->engine);
    add_result(root, profile);
    if (form != PROFILE_STATISTICS)
        add_program(root, profile);
    else
        add_host(root, profile);
    json_number(root, "cycles", profile->cycles);
    json_number(root, "instructions", profile->instructions);
    add_ipc(root, profile);
    json_number(root, "fast_forwarded", profile->fast_forwarded);
    if (profile->counted_from != 0)
        json_number(root, "counted_from", profile->counted_from);
    add_events(root, profile, profile->event);
    profile_write_summary(root, profile);
    profile_write_slots(root, profile);
    profile_write_cpi(root, profile);
    add_harts(root, profile);
    profile_write_modes(root, profile->modes);
    if (form == PROFILE_STATISTICS) {
        add_storage(root, profile);
        add_regions(root, profile);
    }
}

enum err profile_write_members(cJSON *root, const struct profile *profile,
                               const struct symbols *symbols, enum profile_form form,
                               struct diag *diag)
{
    bool everything = form == PROFILE_EVERYTHING;
    enum err err;

    add_run(root, profile, form);
    add_marks(root, profile, symbols, everything);
    add_ranges(root, profile);
    add_counts(root, profile);
    add_monitor(root, profile);
    err = add_callers(root, profile, symbols, diag);
    if (err == ERR_OK)
        err = profile_write_oracle(root, profile, symbols, everything, diag);
    if (err != ERR_OK || !everything)
        return err;
    profile_write_calls(root, profile);
    add_records(root, profile);
    profile_write_samples(root, profile);
    profile_write_over_time(root, profile);
    profile_write_maps(root, profile);
    profile_write_threads(root, profile);
    profile_write_schemes(root, profile);
    return ERR_OK;
}

enum err profile_write(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       bool everything, struct diag *diag)
{
    cJSON *root = json_document();
    enum err err = profile_write_members(
        root, profile, symbols, everything ? PROFILE_EVERYTHING : PROFILE_STATISTICS, diag);

    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}
