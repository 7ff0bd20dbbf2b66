/* A profile read back from its file, strictly. Derived data (symbols, lines, callers, ipc) are not
 * read but recomputed. */
#include <stdlib.h>
#include <string.h>

#include "prof/profile/profile_file.h"
#include "prof/profile/profile_reading.h"
#include "sim/base/input.h"

/* ---- the run --------------------------------------------------------------------------------- */

/* An element of the command line, or of a list of paths. */
static void read_word(struct profile_reading *reading, const cJSON *json, void *element)
{
    const char **word = element;

    *word = profile_reading_keep(reading, json_text_of(&reading->json, json, "command"));
}

static void read_command(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    profile->command = profile_reading_array(reading, root, "command", sizeof profile->command[0],
                                             read_word, &profile->commands);
}

static struct profile_setting setting_of(struct profile_reading *reading, const cJSON *json)
{
    struct profile_setting setting = {
        .key = profile_reading_keep(reading, json->string), .value = "",
    };
    char text[24];

    if (cJSON_IsBool(json)) {
        setting.kind = PROFILE_BOOL;
        setting.value = cJSON_IsTrue(json) ? "true" : "false";
    } else if (cJSON_IsNumber(json)) {
        snprintf(text, sizeof text, "%llu",
                 (unsigned long long)json_number_of(&reading->json, json, json->string));
        setting.value = profile_reading_keep(reading, text);
    } else {
        setting.kind = PROFILE_WORD;
        setting.value = profile_reading_keep(reading, json_text_of(&reading->json, json,
                                                                   json->string));
    }
    return setting;
}

static void read_config(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    const cJSON *setting, *config = json_get_object(&reading->json, root, "config");

    profile->setting = profile_reading_alloc(reading, (size_t)cJSON_GetArraySize(config) + 1,
                                             sizeof profile->setting[0]);
    cJSON_ArrayForEach(setting, config) {
        if (profile_reading_is_good(reading))
            profile->setting[profile->settings++] = setting_of(reading, setting);
    }
}

static void read_module(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_module *module = element;

    module->path = profile_reading_text(reading, json, "path");
    module->id = profile_reading_text(reading, json, "id");
    module->bias = json_get_address(&reading->json, json, "bias");
}

static void read_image(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_image *image = element;

    image->path = profile_reading_text(reading, json, "program");
    image->instructions = json_get_number(&reading->json, json, "instructions");
    image->cycles = json_get_number(&reading->json, json, "cycles");
}

static void read_thread_name(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_thread_name *name = element;

    name->thread = (uint32_t)json_get_number(&reading->json, json, "thread");
    name->name = profile_reading_text(reading, json, "name");
}

static void read_run(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    struct json_reader *json = &reading->json;
    /* in older files the member "binary" is called "program" */
    const cJSON *binary = json_get_object(json, root, json_has(root, "binary") ? "binary"
                                                                               : "program");
    const cJSON *result = json_get_object(json, root, "result");

    profile->program = profile_reading_text(reading, binary, "path");
    profile->program_id = profile_reading_text(reading, binary, "id");
    profile->bias = json_get_address(json, binary, "bias");
    profile->has_kernel = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(binary, "kernel"));
    if (json_has(binary, "modules"))
        profile->module = profile_reading_array(reading, binary, "modules",
                                                sizeof profile->module[0], read_module,
                                                &profile->modules);
    if (json_has(binary, "covered"))
        profile->covered = profile_reading_array(reading, binary, "covered",
                                                 sizeof profile->covered[0], read_word,
                                                 &profile->covereds);
    if (json_has(binary, "images"))
        profile->image = profile_reading_array(reading, binary, "images",
                                               sizeof profile->image[0], read_image,
                                               &profile->images);
    if (json_has(binary, "threads"))
        profile->thread_name = profile_reading_array(reading, binary, "threads",
                                                     sizeof profile->thread_name[0],
                                                     read_thread_name, &profile->thread_names);
    profile->reason = profile_reading_text(reading, result, "reason");
    profile->text = profile_reading_text(reading, result, "text");
    profile->exit_code = (int)(json_get_number(json, result, "exit_code") & 0x7fffffff);
    profile->engine = profile_reading_text(reading, root, "engine");
    profile->cycles = json_get_number(json, root, "cycles");
    profile->instructions = json_get_number(json, root, "instructions");
    profile->fast_forwarded = json_get_number(json, root, "fast_forwarded");
    if (json_has(root, "counted_from"))
        profile->counted_from = json_get_number(json, root, "counted_from");
}

static void read_events(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    const cJSON *event, *events = json_get_object(&reading->json, root, "events");
    size_t count = (size_t)cJSON_GetArraySize(events);

    profile->event_name = profile_reading_alloc(reading, count + 1, sizeof profile->event_name[0]);
    profile->event = profile_reading_alloc(reading, count + 1, sizeof profile->event[0]);
    cJSON_ArrayForEach(event, events) {
        if (!profile_reading_is_good(reading))
            break;
        profile->event_name[profile->events] = profile_reading_keep(reading, event->string);
        profile->event[profile->events++] = json_number_of(&reading->json, event, event->string);
    }
}

static void read_hart(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_hart *hart = element;
    const struct profile *profile = reading->profile;
    const cJSON *events = json_get_object(&reading->json, json, "events");

    hart->cycles = json_get_number(&reading->json, json, "cycles");
    hart->instructions = json_get_number(&reading->json, json, "instructions");
    hart->event = profile_reading_alloc(reading, profile->events + 1, sizeof hart->event[0]);
    for (size_t i = 0; i < profile->events && profile_reading_is_good(reading); i++)
        hart->event[i] = json_get_number(&reading->json, events, profile->event_name[i]);
}

static void read_harts(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    profile->hart = profile_reading_array(reading, root, "harts", sizeof profile->hart[0],
                                          read_hart, &profile->harts);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static bool read_kind(struct profile_reading *reading, const cJSON *json)
{
    const char *kind = json_get_text(&reading->json, json, "kind");

    if (strcmp(kind, "code") != 0 && strcmp(kind, "data") != 0)
        json_fail(&reading->json, "kind", "code or data");
    return strcmp(kind, "code") == 0;
}

/* The words with a space between them. */
static const char *read_flags(struct profile_reading *reading, const cJSON *json, bool *has_counter)
{
    size_t count, length = 0;
    const cJSON *word, *words = json_get_array(&reading->json, json, "flags", &count);
    char text[256] = "";

    *has_counter = false;
    cJSON_ArrayForEach(word, words) {
        const char *flag = json_text_of(&reading->json, word, "flags");

        if (length + strlen(flag) + 2 > sizeof text)
            json_fail(&reading->json, "flags", "fewer words");
        if (!profile_reading_is_good(reading))
            break;
        *has_counter |= strcmp(flag, "counter") == 0;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   length != 0 ? " " : "", flag);
    }
    return profile_reading_keep(reading, text);
}

static void read_mark(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_mark *mark = element;
    struct json_reader *reader = &reading->json;

    mark->address = json_get_address(reader, json, "address");
    mark->bytes = (uint32_t)json_get_number(reader, json, "size");
    mark->is_code = read_kind(reading, json);
    mark->flags = read_flags(reading, json, &mark->has_counter);
    mark->label = (unsigned)json_get_number(reader, json, "label");
    mark->limit = (uint32_t)json_get_number(reader, json, "limit");
    mark->count = json_get_number(reader, json, "count");
    mark->interrupts = json_get_number(reader, json, "interrupts");
    mark->has_entered = json_has(json, "entered");
    if (mark->has_entered)
        mark->entered = json_get_number(reader, json, "entered");
    mark->source = profile_reading_text(reading, json, "source");
    profile_read_shares(reading, json, &mark->by_thread);
}

static void read_marks(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    profile->mark = profile_reading_array(reading, root, "marks", sizeof profile->mark[0],
                                          read_mark, &profile->marks);
}

static void read_range(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_range *range = element;
    struct json_reader *reader = &reading->json;

    range->name = profile_reading_text(reading, json, "name");
    range->place = profile_reading_text(reading, json, "place");
    range->is_data = range->name[0] == 'D';
    range->start = json_get_address(reader, json, "start");
    range->end = json_get_address(reader, json, "end");
    range->entries = json_get_number(reader, json, "entries");
    range->executed = json_get_number(reader, json, range->is_data ? "accesses" : "executed");
    profile_read_shares(reading, json, &range->by_thread);
}

static void read_ranges(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    profile->range = profile_reading_array(reading, root, "ranges", sizeof profile->range[0],
                                           read_range, &profile->ranges);
}

static void read_hart_count(struct profile_reading *reading, const cJSON *json, void *element)
{
    uint64_t *count = element;

    *count = json_number_of(&reading->json, json, "harts");
}

static void read_count(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_count *count = element;
    struct json_reader *reader = &reading->json;

    count->text = profile_reading_text(reading, json, "counter");
    count->event = profile_reading_text(reading, json, "event");
    count->is_sum = json_get_bool(reader, json, "sum");
    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, "count")))
        return;
    count->is_known = true;
    count->value = json_get_number(reader, json, "count");
    count->hart = profile_reading_array(reading, json, "harts", sizeof count->hart[0],
                                        read_hart_count, &count->harts);
    profile_read_shares(reading, json, &count->by_thread);
}

static void read_counts(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;

    profile->count = profile_reading_array(reading, root, "counts", sizeof profile->count[0],
                                           read_count, &profile->counts);
}

/* ---- the monitor ----------------------------------------------------------------------------- */

static void read_return(struct profile_reading *reading, const cJSON *json, void *element)
{
    uint64_t *address = element;

    *address = json_address_of(&reading->json, json, "stack");
}

static void read_stack(struct profile_reading *reading, const cJSON *json,
                       struct profile_record *record)
{
    size_t count;

    record->stack = profile_reading_array(reading, json, "stack", sizeof record->stack[0],
                                          read_return, &count);
    record->depth = (unsigned)count;
    if (profile_reading_is_good(reading) && (count == 0 || count > MONITOR_DEPTH_MAX))
        json_fail(&reading->json, "stack", "1 to 62 addresses");
}

static void read_trap(struct profile_reading *reading, const cJSON *json,
                      struct profile_record *record)
{
    struct json_reader *reader = &reading->json;

    record->trap = (unsigned)json_get_number(reader, json, "trap");
    record->cause = (uint32_t)json_get_number(reader, json, "cause");
    if (json_has(json, "number"))
        record->number = (uint32_t)json_get_number(reader, json, "number");
    if (json_has(json, "name"))
        record->name = profile_reading_text(reading, json, "name");
}

static void read_record(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct profile_record *record = element;
    struct json_reader *reader = &reading->json;

    record->address = json_get_address(reader, json, "address");
    record->data_address = json_get_address(reader, json, "data_address");
    record->is_data = json_get_bool(reader, json, "is_data");
    if (json_has(json, "kind"))
        record->kind = (unsigned)json_get_number(reader, json, "kind");
    if (json_has(json, "trap"))
        read_trap(reading, json, record);
    record->interrupts = json_get_number(reader, json, "interrupts");
    record->executions = json_get_number(reader, json, "executions");
    record->cycles = json_get_number(reader, json, "cycles");
    record->instructions = json_get_number(reader, json, "instructions");
    record->walk = (unsigned)json_get_number(reader, json, "walk");
    profile_read_shares(reading, json, &record->by_thread);
    read_stack(reading, json, record);
}

/* For a run with the monitor on the machine. */
static void read_monitor_events(struct profile_reading *reading, const cJSON *monitor)
{
    struct profile *profile = reading->profile;
    const cJSON *events;

    if (!json_has(monitor, "events"))
        return;
    events = json_get_object(&reading->json, monitor, "events");
    profile->monitor_event = profile_reading_alloc(reading, profile->events + 1,
                                      sizeof profile->monitor_event[0]);
    for (size_t i = 0; profile_reading_is_good(reading) && i < profile->events; i++)
        profile->monitor_event[i] = json_get_number(&reading->json, events,
                                                    profile->event_name[i]);
}

static void read_monitor(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    const cJSON *monitor = json_get_object(&reading->json, root, "monitor");

    profile->monitor = profile_reading_text(reading, monitor, "kind");
    profile->interrupts = json_get_number(&reading->json, monitor, "interrupts");
    profile->dropped = json_get_number(&reading->json, monitor, "dropped");
    profile->lost = json_get_number(&reading->json, monitor, "lost");
    if (json_has(monitor, "throttled"))
        profile->throttled = json_get_number(&reading->json, monitor, "throttled");
    read_monitor_events(reading, monitor);
    profile->record = profile_reading_array(reading, root, "records", sizeof profile->record[0],
                                            read_record, &profile->records);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_known(const char *key)
{
    static const char *const known[] = {
        "schema", "command", "config", "engine", "result", "program", "binary", "cycles",
        "instructions", "ipc", "fast_forwarded", "counted_from", "events", "harts", "marks",
        "ranges", "monitor", "modes", "callers", "records", "slots", "cpi", "oracle", "summary",
        "call_tree", "counts", "sampling", "over_time", "maps", "threads", "profilers",
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], key) == 0)
            return true;
    return false;
}

static void check_file(struct profile_reading *reading, const cJSON *root)
{
    const cJSON *member;

    if (!cJSON_IsObject(root)) {
        json_fail(&reading->json, "the file", "JSON as `rvsim --profile` writes it");
        return;
    }
    json_check_schema(&reading->json, root);
    if (profile_reading_is_good(reading) && !json_has(root, "program"))
        json_fail(&reading->json, "the file", "a profile (--profile), not statistics (--stats)");
    cJSON_ArrayForEach(member, root) {
        if (!is_known(member->string) && profile_reading_is_good(reading))
            reading->json.err = diag_set(reading->json.diag, ERR_USAGE, "%s: unknown key '%.80s'",
                                         reading->json.file, member->string);
    }
}

enum err profile_read_memory(struct profile *profile, const char *name, const char *text,
                             size_t bytes, struct diag *diag)
{
    struct profile_reading reading = {.json = {.file = name, .diag = diag}, .profile = profile};
    cJSON *root = json_parse(&reading.json, text, bytes, "JSON as `rvsim --profile` writes it");

    *profile = (struct profile){0};
    if (root != NULL)
        check_file(&reading, root);
    if (profile_reading_is_good(&reading)) {
        read_command(&reading, root);
        read_config(&reading, root);
        read_run(&reading, root);
        read_events(&reading, root);
        read_harts(&reading, root);
        profile_read_modes(&reading, root);
        read_marks(&reading, root);
        read_ranges(&reading, root);
        if (json_has(root, "counts"))
            read_counts(&reading, root);
        read_monitor(&reading, root);
        profile_read_oracle(&reading, root);
        profile_read_over_time(&reading, root);
        profile_read_maps(&reading, root);
        profile_read_calls(&reading, root);
        profile_read_samples(&reading, root);
        profile_read_threads(&reading, root);
        profile_read_schemes(&reading, root);
    }
    cJSON_Delete(root);
    if (!profile_reading_is_good(&reading))
        profile_free(profile);
    return reading.json.err;
}

enum err profile_read(struct profile *profile, const char *path, struct diag *diag)
{
    const struct input input = {.path = path, .use = "a profile", .most = SIZE_MAX};
    char *text;
    size_t bytes;
    enum err err = strcmp(path, "-") == 0 ? input_read_open(stdin, &input, &text, &bytes, diag)
                                          : input_read(&input, &text, &bytes, diag);

    *profile = (struct profile){0};
    if (err == ERR_OK)
        err = profile_read_memory(profile, path, text, bytes, diag);
    free(text);
    return err;
}
