/* rvsim events: the events that counters can count, from the table of events. */
#include "pmu/event.h"
#include "prof/profile/json.h"
#include "sim/cli/tool/tool.h"

static const char *scope_name(unsigned code)
{
    static const char *const scope[] = {"", "instruction", "occurrence", "cycle", "slot",
                                        "slot", "cycle"};

    return scope[event_scope(code)];
}

static void print(void)
{
    const char *name;

    printf("%-6s%-24s%-13s%s\n", "code", "name", "one count is", "meaning");
    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        printf("0x%02x  %-24s%-13s%s\n", code, name, scope_name(code), event_meaning(code));
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    cJSON *root = json_document(), *events = cJSON_AddArrayToObject(root, "events");
    const char *name;

    (void)arg;
    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;) {
        cJSON *event = json_append_object(events);

        json_number(event, "code", code);
        cJSON_AddStringToObject(event, "name", name);
        cJSON_AddStringToObject(event, "counts", scope_name(code));
        cJSON_AddStringToObject(event, "meaning", event_meaning(code));
    }
    return json_print(root, out, diag);
}

int command_events(const struct command_line *line)
{
    const struct tool_files files = {NULL, command_value(line, OPT_EVENTS_JSON)};
    struct diag diag = {""};
    enum err err;

    if (line->words != 0)
        return command_misuse("events %s: expected nothing", line->word[0]);
    err = tool_files_check(&files, &diag);
    if (err == ERR_OK && !tool_files_take_output(&files))
        print();
    if (err == ERR_OK)
        err = tool_files_write(&files, NULL, write_json, NULL, &diag);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
