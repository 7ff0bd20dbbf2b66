/* See active_report.h. */
#include "sim/cli/command/active/active_report.h"

#include <inttypes.h>
#include <math.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/cli/tool/tool.h"

static const char *const way_name[ACTIVE_WAYS] = {"oracle", "probes", "hardware"};

/* Cycles by which the active time is wrong, for each entry. */
static double error_each(const struct active_result *result)
{
    double error = (double)result->part[ACTIVE_ACTIVE] - (double)result->truth;

    return result->entries != 0 ? error / (double)result->entries : 0;
}

static bool is_measured(const struct active_result *result, enum active_way way)
{
    return result[way].cycles != 0;
}

/* True if the way's run and the oracle's did the same work, so that they can be compared. */
static bool is_whole(const struct active_run_all *all, const struct active_result *result,
                     enum active_way way)
{
    bool is_last = way == ACTIVE_HARDWARE || !is_measured(result, way + 1);

    return (!is_last || !all->tool->is_interrupted) && !result_is_cut(result[way].end) &&
           !result_is_cut(result[ACTIVE_ORACLE].end);
}

/* True if the way found entries and active time; the truth of its run is known in any case. */
static bool has_found(const struct active_result *result, enum active_way way)
{
    return way != ACTIVE_HARDWARE || result[way].end == RESULT_EXIT;
}

/* False of an incomplete activation, of which the hardware counts a part that the truth has not. */
static bool can_be_compared(const struct active_result *result, enum active_way way)
{
    return has_found(result, way) && (way != ACTIVE_HARDWARE || result[way].incomplete == 0);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_number(bool is_known, uint64_t value, FILE *out)
{
    if (is_known)
        fprintf(out, "%12" PRIu64, value);
    else
        fprintf(out, "%12s", "-");
}

static void print_more(bool is_known, uint64_t value, uint64_t than, FILE *out)
{
    char text[REPORT_CHANGE];

    fprintf(out, " %9s", is_known ? report_change((double)value, (double)than, text) : "-");
}

static void print_way(const struct active_run_all *all, const struct active_result *result,
                      enum active_way way, FILE *out)
{
    const struct active_result *at = &result[way];
    bool has_parts = way != ACTIVE_HARDWARE, is_found = has_found(result, way);
    bool has_error = can_be_compared(result, way) && way != ACTIVE_ORACLE;

    fprintf(out, "  %-9s", way_name[way]);
    if (is_found)
        fprintf(out, "%9" PRIu64, at->entries);
    else
        fprintf(out, "%9s", "-");
    for (unsigned part = 0; part < ACTIVE_ACTIVE; part++)
        print_number(has_parts, at->part[part], out);
    print_number(is_found, at->part[ACTIVE_ACTIVE], out);
    print_number(true, at->truth, out);
    print_more(has_error, at->part[ACTIVE_ACTIVE], at->truth, out);
    if (has_error)
        fprintf(out, "%+9.1f", error_each(at));
    else
        fprintf(out, "%9s", "-");
    print_more(way != ACTIVE_ORACLE && is_whole(all, result, way), at->cycles,
               result[ACTIVE_ORACLE].cycles, out);
    print_number(has_parts, at->spread.median, out);
    print_number(has_parts, at->spread.p99, out);
    print_number(has_parts, at->spread.max, out);
    fputc('\n', out);
}

/* What probes and marks change in the program: its true active time, and the length of the run. */
static void print_changes(const struct active_run_all *all, const struct active_result *result,
                          FILE *out)
{
    static const char *const with[ACTIVE_WAYS] = {"as it is", "with probes", "with marks"};
    const struct active_result *truth = &result[ACTIVE_ORACLE];

    fprintf(out, "  %-18s%12s%10s%12s%12s%12s\n", "run", "truth", "", "user", "kernel", "cycles");
    for (enum active_way way = 0; way < ACTIVE_WAYS && is_measured(result, way); way++) {
        const struct active_result *at = &result[way];
        bool compares = way != ACTIVE_ORACLE && is_whole(all, result, way);

        fprintf(out, "  %-18s", with[way]);
        print_number(true, at->truth, out);
        print_more(compares, at->truth, truth->truth, out);
        print_number(true, at->user, out);
        print_number(true, at->truth - at->user, out);
        print_number(true, at->cycles, out);
        print_more(compares, at->cycles, truth->cycles, out);
        fputc('\n', out);
    }
}

static void print_incomplete(const struct active_result *result, FILE *out)
{
    uint64_t incomplete = 0;

    for (enum active_way way = 0; way < ACTIVE_WAYS && is_measured(result, way); way++)
        incomplete = result[way].incomplete > incomplete ? result[way].incomplete : incomplete;
    if (incomplete != 0)
        fprintf(out, "  incomplete: %" PRIu64 " entr%s without an end; only the hardware counts "
                "%s, to the end of the thread\n", incomplete, incomplete == 1 ? "y" : "ies",
                incomplete == 1 ? "it" : "them");
}

void active_report_print(const struct active_run_all *all, FILE *out)
{
    for (unsigned i = 0; i < all->sections; i++) {
        fprintf(out, "%s%s\n", i != 0 ? "\n" : "", all->section[i].name);
        fprintf(out, "  %-9s%9s%12s%12s%12s%12s%12s%10s%9s%10s%12s%12s%12s\n", "", "entries",
                "elapsed", "swapped out", "overhead", "active", "truth", "error", "each", "cost",
                "median", "p99", "max");
        for (enum active_way way = 0; way < ACTIVE_WAYS && is_measured(all->result[i], way); way++)
            print_way(all, all->result[i], way, out);
        print_incomplete(all->result[i], out);
        print_changes(all, all->result[i], out);
    }
    if (!is_measured(all->result[0], ACTIVE_PROBES))
        return;                                         /* interrupted before */
    fprintf(out, "\nprobes: an entry takes %" PRIu64 " cycles, an exit %" PRIu64 "\n",
            all->cost.entry, all->cost.exit);
    if (is_measured(all->result[0], ACTIVE_HARDWARE) &&
        !has_found(all->result[0], ACTIVE_HARDWARE))
        fputs("hardware: its counts of a thread are known when the thread ends; this run ended "
              "before the program\n", out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* null: of 0 cycles there is no percentage. */
static void add_more(cJSON *object, const char *key, uint64_t value, uint64_t than)
{
    double percent = report_change_percent((double)value, (double)than);

    if (isnan(percent))
        cJSON_AddNullToObject(object, key);
    else
        json_real(object, key, percent);
}

static void add_found(cJSON *object, const char *key, bool is_found, uint64_t value)
{
    if (is_found)
        json_number(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_error(cJSON *object, const struct active_result *result, enum active_way way)
{
    if (can_be_compared(result, way)) {
        add_more(object, "error_percent", result[way].part[ACTIVE_ACTIVE], result[way].truth);
        json_real(object, "error_each", error_each(&result[way]));
    } else {
        cJSON_AddNullToObject(object, "error_percent");
        cJSON_AddNullToObject(object, "error_each");
    }
}

static void add_way(cJSON *section, const struct active_run_all *all,
                    const struct active_result *result, enum active_way way)
{
    const struct active_result *at = &result[way];
    cJSON *object = cJSON_AddObjectToObject(section, way_name[way]);

    add_found(object, "entries", has_found(result, way), at->entries);
    add_found(object, "active", has_found(result, way), at->part[ACTIVE_ACTIVE]);
    json_number(object, "truth", at->truth);
    json_number(object, "truth_user", at->user);
    json_number(object, "truth_kernel", at->truth - at->user);
    json_number(object, "incomplete", at->incomplete);
    json_number(object, "run_cycles", at->cycles);
    if (way != ACTIVE_ORACLE)
        add_error(object, result, way);
    if (way != ACTIVE_ORACLE && is_whole(all, result, way)) {
        add_more(object, "changed_percent", at->truth, result[ACTIVE_ORACLE].truth);
        add_more(object, "cost_percent", at->cycles, result[ACTIVE_ORACLE].cycles);
    }
    if (way == ACTIVE_HARDWARE)
        return;
    json_number(object, "elapsed", at->part[ACTIVE_ELAPSED]);
    json_number(object, "swapped_out", at->part[ACTIVE_SWAPPED_OUT]);
    json_number(object, "overhead", at->part[ACTIVE_OVERHEAD]);
    json_number(object, "min", at->spread.min);
    json_number(object, "median", at->spread.median);
    json_number(object, "p90", at->spread.p90);
    json_number(object, "p99", at->spread.p99);
    json_number(object, "max", at->spread.max);
}

enum err active_report_json(const struct active_run_all *all, FILE *out, struct diag *diag)
{
    cJSON *root = tool_document(all->tool), *array;

    if (is_measured(all->result[0], ACTIVE_PROBES)) {
        json_number(root, "entry_overhead", all->cost.entry);
        json_number(root, "exit_overhead", all->cost.exit);
    }
    array = cJSON_AddArrayToObject(root, "sections");
    for (unsigned i = 0; i < all->sections; i++) {
        cJSON *section = cJSON_CreateObject();

        cJSON_AddItemToArray(array, section);
        cJSON_AddStringToObject(section, "section", all->section[i].name);
        for (enum active_way way = 0; way < ACTIVE_WAYS && is_measured(all->result[i], way); way++)
            add_way(section, all, all->result[i], way);
    }
    return json_print(root, out, diag);
}
