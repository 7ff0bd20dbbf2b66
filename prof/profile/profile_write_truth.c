/* Facts that only the simulator knows: the top-down tree of dispatch slots, the CPI stack,
 * the oracle profile; as members of a profile's JSON. */
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/exact/topdown.h"
#include "prof/profile/cost.h"
#include "prof/profile/profile_write.h"
#include "prof/report/summary.h"

static void add_time(cJSON *object, const struct summary *summary)
{
    cJSON *slots = cJSON_AddObjectToObject(object, "slots"), *limit, *path;
    cJSON *rates = cJSON_AddObjectToObject(object, "rates");

    for (unsigned i = 0; summary_word(i) != TOPDOWN_COUNT; i++)
        json_real(slots, topdown_row(summary_word(i)).name,
                  summary_share(summary, summary_word(i)));
    limit = cJSON_AddObjectToObject(object, "limit");
    path = cJSON_AddArrayToObject(limit, "path");
    for (unsigned i = 0; i < summary->depth; i++)
        cJSON_AddItemToArray(path, cJSON_CreateString(topdown_row(summary->path[i]).name));
    json_real(limit, "share", summary->depth != 0
              ? summary_share(summary, summary->path[summary->depth - 1]) : 0);
    for (unsigned i = 0; i < SUMMARY_RATES; i++) {
        const struct summary_rate *rate = &summary->rate[i];

        if (rate->whole != 0)
            json_real(rates, rate->key, 100 * (double)rate->part / (double)rate->whole);
    }
    json_number(object, "order_violations", summary->order_violations);
}

/* Shares are in percent. */
void profile_write_summary(cJSON *root, const struct profile *profile)
{
    cJSON *object = cJSON_AddObjectToObject(root, "summary"), *program, *monitor;
    struct summary summary;

    summary_make(&summary, profile);
    program = cJSON_AddObjectToObject(object, "program");
    json_number(program, "instructions", summary.instructions);
    json_number(program, "cycles", summary.cycles);
    if (summary_is_timed(profile))
        json_real(program, "ipc", summary.ipc);
    else
        cJSON_AddNullToObject(program, "ipc");
    monitor = cJSON_AddObjectToObject(object, "monitor");
    json_number(monitor, "instructions", summary.monitor_instructions);
    json_number(monitor, "cycles", summary.monitor_cycles);
    if (summary.has_time)
        add_time(object, &summary);
}

/* null without time. Inner nodes are objects with a total; leaves are numbers. */
void profile_write_slots(cJSON *root, const struct profile *profile)
{
    uint64_t events[EVENT_COUNT], slots[TOPDOWN_COUNT];
    cJSON *object[TOPDOWN_COUNT] = {NULL};

    if (!summary_is_timed(profile)) {
        cJSON_AddNullToObject(root, topdown_row(TOPDOWN_SLOTS).name);
        return;
    }
    profile_events(profile, events);
    topdown_sum(events, slots);
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        struct topdown_row row = topdown_row(node);
        cJSON *parent = node == TOPDOWN_SLOTS ? root : object[row.parent];

        if (row.event != EVENT_NONE) {
            json_number(parent, row.name, slots[node]);
        } else {
            object[node] = cJSON_AddObjectToObject(parent, row.name);
            json_number(object[node], "total", slots[node]);
        }
    }
}

void profile_write_cpi(cJSON *root, const struct profile *profile)
{
    uint64_t events[EVENT_COUNT], total = 0;
    cJSON *cpi;

    if (!summary_is_timed(profile)) {
        cJSON_AddNullToObject(root, "cpi");
        return;
    }
    cpi = cJSON_AddObjectToObject(root, "cpi");
    profile_events(profile, events);
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        total += event_scope(code) == SCOPE_CPI ? events[code] : 0;
    json_number(cpi, "total", total);
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        if (event_scope(code) == SCOPE_CPI)
            json_number(cpi, event_name(code) + strlen("cpi_"), events[code]);
}

/* ---- the oracle profile ---------------------------------------------------------------------- */

static void add_events(cJSON *object, const struct profile *profile,
                       const struct profile_cost *cost)
{
    cJSON *events = cost->events != 0 ? cJSON_AddObjectToObject(object, "events") : NULL;

    for (size_t i = 0; i < cost->events; i++)
        json_number(events, profile->event_name[cost->event[i].event], cost->event[i].count);
}

/* usual: the thread of rows without a thread. */
static cJSON *cost_of(const struct profile *profile, const struct profile_cost *cost,
                      const struct symbols *symbols, uint32_t usual, bool everything)
{
    cJSON *object = cJSON_CreateObject();
    char text[SYMBOLS_TEXT];

    if (cost->thread != usual)
        json_number(object, "thread", cost->thread);
    json_address(object, "address", cost->address);
    cJSON_AddBoolToObject(object, "monitor", cost->is_monitor);
    if (!everything && !cost->is_monitor) {
        cJSON_AddStringToObject(object, "symbol", symbols_describe(symbols, cost->address, text));
        cJSON_AddStringToObject(object, "line", symbols_describe_line(symbols, cost->address,
                                                                      text));
    }
    json_number(object, "count", cost->count);
    json_number(object, "units", cost->units);
    if (cost->is_transfer) {
        json_number(object, "taken", cost->taken);
        json_number(object, "mispredicted", cost->mispredicted);
        json_number(object, "lost", cost->lost);
    }
    if (everything)
        add_events(object, profile, cost);
    return object;
}

/* Cycles without commit by cause; none is 0. */
static void add_causes(cJSON *object, const struct cost_row *row)
{
    cJSON *causes = cJSON_AddObjectToObject(object, "waiting");

    for (unsigned cause = 1; cause < EVENT_CAUSES; cause++)
        if (row->cause[cause] != 0)
            json_number(causes, event_name(EVENT_CPI_BASE + cause) + strlen("cpi_"),
                        row->cause[cause]);
}

static enum err add_sums(cJSON *oracle, const char *key, const struct profile *profile,
                         const struct symbols *symbols, enum cost_by by, struct diag *diag)
{
    cJSON *array = cJSON_AddArrayToObject(oracle, key);
    struct cost_row *row;
    size_t rows;
    char text[SYMBOLS_TEXT];
    enum err err = cost_rows(profile, symbols, by, &row, &rows, diag);

    for (size_t i = 0; err == ERR_OK && i < rows; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddStringToObject(object, "name", cost_name(&row[i], by, symbols, text));
        json_number(object, "instructions", row[i].count);
        json_number(object, "units", row[i].units);
        json_real(object, "cycles", cost_cycles(profile, row[i].units));
        add_causes(object, &row[i]);
        cJSON_AddItemToArray(array, object);
    }
    free(row);
    return err;
}

/* Only for a program with several threads. */
static void add_threads(cJSON *oracle, const struct profile *profile)
{
    size_t sums;
    struct profile_cost_sum *sum = profile_thread_sums(profile, &sums);
    cJSON *array = sums != 0 ? cJSON_AddArrayToObject(oracle, "threads") : NULL;

    for (size_t i = 0; i < sums; i++) {
        cJSON *object = json_append_object(array);

        json_number(object, "thread", sum[i].thread);
        json_number(object, "instructions", sum[i].count);
        json_number(object, "units", sum[i].units);
        json_real(object, "cycles", cost_cycles(profile, sum[i].units));
    }
    free(sum);
}

/* The thread with the most rows, so that a profile of one thread has its number only once. */
static uint32_t usual_thread(const struct profile_cost *cost, size_t costs)
{
    size_t most = 0, rows = 0;
    uint32_t thread = 0;

    for (size_t i = 0; i < costs; i++) {
        rows = i != 0 && cost[i].thread == cost[i - 1].thread ? rows + 1 : 1;
        if (rows > most) {
            most = rows;
            thread = cost[i].thread;
        }
    }
    return thread;
}

/* For reports, the instructions of each thread separately. */
static void add_instructions(cJSON *oracle, const struct profile *profile,
                             const struct symbols *symbols, bool everything)
{
    bool is_divided = everything && profile->thread_costs != 0;
    const struct profile_cost *cost = is_divided ? profile->thread_cost : profile->cost;
    size_t costs = is_divided ? profile->thread_costs : profile->costs;
    uint32_t usual = usual_thread(cost, costs);
    cJSON *array;

    if (usual != 0)
        json_number(oracle, "thread", usual);
    array = cJSON_AddArrayToObject(oracle, "instructions");
    for (size_t i = 0; i < costs; i++)
        cJSON_AddItemToArray(array, cost_of(profile, &cost[i], symbols, usual, everything));
}

enum err profile_write_oracle(cJSON *root, const struct profile *profile,
                              const struct symbols *symbols, bool everything, struct diag *diag)
{
    cJSON *oracle;
    enum err err = ERR_OK;

    if (profile->units_per_cycle == 0)
        return ERR_OK;
    oracle = cJSON_AddObjectToObject(root, "oracle");
    json_number(oracle, "units_per_cycle", profile->units_per_cycle);
    json_number(oracle, "outside", profile->outside);
    if (!everything) {
        err = add_sums(oracle, "symbols", profile, symbols, COST_BY_SYMBOL, diag);
        if (err == ERR_OK)
            err = add_sums(oracle, "lines", profile, symbols, COST_BY_LINE, diag);
    }
    if (err != ERR_OK)
        return err;
    if (!everything)
        add_threads(oracle, profile);
    add_instructions(oracle, profile, symbols, everything);
    return ERR_OK;
}
