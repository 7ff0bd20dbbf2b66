/* Alarms as a report for a service: no path, host or user name is in it. Its identity is a hash of
 * its content, so a report that is sent twice counts once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/hang/hang.h"
#include "prof/profile/json.h"

enum { VERSION = 1 };

static const char *const wait_names[] = {"runs", "ready", "waits", "lock", "end"};

static void add_frame(const struct hang *hang, cJSON *array, uint64_t address, bool is_leaf)
{
    uint64_t at = is_leaf ? address : symbols_call_site(hang->symbols, address);
    const struct symbols_entry *entry = symbols_at(hang->symbols, at);
    const struct symbols_line *line = symbols_line_at(hang->symbols, at);
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    json_address(object, "address", address);
    if (entry != NULL) {
        cJSON_AddStringToObject(object, "function", entry->name);
        json_number(object, "offset", at - entry->address);
    }
    if (line != NULL) {
        cJSON_AddStringToObject(object, "file", symbols_base_name(line->file));
        json_number(object, "line", line->line);
    }
}

static void add_stack(const struct hang *hang, cJSON *object, const struct monitor_stack *stack)
{
    cJSON *array = cJSON_AddArrayToObject(object, "stack");

    for (unsigned i = 0; i < stack->depth; i++)
        add_frame(hang, array, stack->address[i], i == 0);
    cJSON_AddBoolToObject(object, "stack_is_whole", stack->walk == MONITOR_WALK_OK);
}

static void add_thread(const struct hang *hang, cJSON *array, const struct hang_thread *thread)
{
    cJSON *object = cJSON_CreateObject();
    char text[SYMBOLS_TEXT];

    cJSON_AddItemToArray(array, object);
    json_number(object, "thread", thread->tid);
    cJSON_AddStringToObject(object, "name", thread->name);
    cJSON_AddStringToObject(object, "state", wait_names[thread->wait]);
    if (thread->hart >= 0)
        json_number(object, "hart", (uint64_t)thread->hart);
    if (thread->wait == HANG_WAITS)
        cJSON_AddStringToObject(object, "reason", thread->reason);
    if (thread->wait == HANG_WAITS_LOCK) {
        json_address(object, "lock", thread->lock);
        cJSON_AddStringToObject(object, "lock_name",
                                symbols_describe(hang->symbols, thread->lock, text));
    }
    if (thread->holder != 0)
        json_number(object, thread->wait == HANG_WAITS_LOCK ? "held_by" : "waits_for",
                    thread->holder);
    add_stack(hang, object, &thread->stack);
}

static void add_threads(const struct hang *hang, cJSON *object, const struct hang_thread *thread,
                        size_t threads)
{
    cJSON *array = cJSON_AddArrayToObject(object, "threads");

    for (size_t i = 0; i < threads; i++)
        add_thread(hang, array, &thread[i]);
}

static void add_alarm(const struct hang *hang, cJSON *array, const struct hang_alarm *alarm)
{
    const struct hang_limit *limit = &hang->limit[alarm->limit];
    bool is_first = hang_first(hang, alarm->limit, alarm->group) == alarm;
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    cJSON_AddStringToObject(object, "tag", limit->function);
    cJSON_AddStringToObject(object, "type", limit->is_elapsed ? "elapsed" : "thread");
    json_number(object, "limit", limit->cycles);
    json_number(object, "executed", alarm->executed);
    json_number(object, "elapsed", alarm->elapsed);
    json_number(object, "waited",
                alarm->elapsed > alarm->executed ? alarm->elapsed - alarm->executed : 0);
    json_number(object, "cycle", alarm->cycle);
    json_number(object, "time_ns", alarm->time_ns);
    json_number(object, "thread", alarm->tid);
    if (alarm->hart >= 0)
        json_number(object, "hart", (uint64_t)alarm->hart);
    cJSON_AddStringToObject(object, "group", alarm->group);
    if (alarm->dump != NULL)
        cJSON_AddStringToObject(object, "dump", symbols_base_name(alarm->dump));
    if (is_first)
        add_threads(hang, object, alarm->thread, alarm->threads);
}

static void add_limits(const struct hang *hang, cJSON *root)
{
    cJSON *array = cJSON_AddArrayToObject(root, "limits");

    for (size_t i = 0; i < hang->limits; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddItemToArray(array, object);
        cJSON_AddStringToObject(object, "tag", hang->limit[i].function);
        json_address(object, "address", hang->limit[i].address);
        json_number(object, "cycles", hang->limit[i].cycles);
        cJSON_AddStringToObject(object, "type", hang->limit[i].is_elapsed ? "elapsed" : "thread");
    }
}

/* FNV-1a of the report as it is. */
static void add_identity(cJSON *root, char id[HANG_ID])
{
    char *text = cJSON_PrintUnformatted(root);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = text; c != NULL && *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    free(text);
    snprintf(id, HANG_ID, "%016" PRIx64, hash);
    cJSON_AddStringToObject(root, "id", id);
}

cJSON *hang_make_report(const struct hang *hang, char id[HANG_ID])
{
    cJSON *root = cJSON_CreateObject(), *array;

    json_number(root, "schema", VERSION);
    cJSON_AddStringToObject(root, "kind", "hang");
    cJSON_AddStringToObject(root, "program", hang->program);
    cJSON_AddStringToObject(root, "build", hang->build);
    cJSON_AddStringToObject(root, "engine", hang->engine);
    json_number(root, "clock_mhz", hang->clock_mhz);
    add_limits(hang, root);
    json_number(root, "watched_calls", hang->begun);
    json_number(root, "refused_calls", hang->refused);
    json_number(root, "unreported_alarms", hang->unreported);
    json_number(root, "cycles", hang->cycles);
    if (hang->cycles_without != 0)
        json_number(root, "cycles_unwatched", hang->cycles_without);
    array = cJSON_AddArrayToObject(root, "alarms");
    for (size_t i = 0; i < hang->alarms; i++)
        add_alarm(hang, array, &hang->alarm[i]);
    if (hang->end[0] != '\0') {
        cJSON_AddStringToObject(root, "end", hang->end);
        add_threads(hang, root, hang->left, hang->lefts);
    }
    add_identity(root, id);
    return root;
}
