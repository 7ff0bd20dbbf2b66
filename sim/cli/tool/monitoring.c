/* Paired runs; see monitoring.h. */
#include "sim/cli/tool/monitoring.h"

#include <inttypes.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"

static const char isolate_caches[] = "monitor.isolate=1";
static const char isolate_tlbs[] = "monitor.isolate=2";
static const char isolate_predictor[] = "monitor.isolate=4";
static const char isolate_all[] = "monitor.isolate=7";
static const char free_traffic[] = "shadow.bytes_per_cycle=0";

enum err monitoring_check(const struct tool *tool, struct diag *diag)
{
    if (tool->options.limits.max_cycles == 0)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "%s: --max-cycles ends every run at the same cycle, so that "
                    "no cost is seen; --max-insns ends it at the same instruction", tool->name);
}

static enum err run(struct tool *tool, struct trial trial, uint64_t *cycles, struct diag *diag)
{
    struct trial_result result;
    enum err err = tool_run(tool, &trial, &result, diag);

    if (err == ERR_OK)
        *cycles = result.profile.cycles;
    profile_free(&result.profile);
    return err;
}

/* The trial with settings; NULL: none. */
static enum err run_set(struct tool *tool, const struct trial *trial, const char *const *set,
                        uint64_t *cycles, struct diag *diag)
{
    struct trial changed = *trial;
    unsigned at = 0;

    changed.what = "what monitoring costs";
    while (changed.set[at] != NULL)
        at++;
    for (; *set != NULL && at < TOOL_SETTINGS; set++)
        changed.set[at++] = *set;
    return run(tool, changed, cycles, diag);
}

static enum err run_host(struct tool *tool, const struct trial *trial, uint64_t *cycles,
                         struct diag *diag)
{
    struct trial changed = *trial;

    changed.what = "what monitoring costs";
    changed.on_host = true;
    return run(tool, changed, cycles, diag);
}

/* Runs with marks and counters, but without interrupts. */
static enum err run_quiet(struct tool *tool, const struct trial *trial, uint64_t *cycles,
                          struct diag *diag)
{
    struct trial changed = *trial;

    changed.what = "what monitoring costs";
    changed.counters.period = 0;
    changed.no_monitor = true;
    return run(tool, changed, cycles, diag);
}

/* The cycles of the trial minus its cycles with the setting. */
static enum err measure_setting(struct tool *tool, const struct trial *trial, const char *setting,
                                enum monitoring_share share, struct monitoring *cost,
                                struct diag *diag)
{
    const char *const set[] = {setting, NULL};
    uint64_t cycles = 0;
    enum err err = run_set(tool, trial, set, &cycles, diag);

    cost->share[share] = (int64_t)(cost->full - cycles);
    return err;
}

/* The monitor on the machine, on the host, and none. */
static enum err measure_monitor(struct tool *tool, const struct trial *trial,
                                struct monitoring *cost, struct diag *diag)
{
    static const char *const isolated[] = {isolate_all, NULL};
    uint64_t apart = 0, host = 0, quiet = cost->base;
    enum err err = run_set(tool, trial, isolated, &apart, diag);

    if (err == ERR_OK)
        err = run_host(tool, trial, &host, diag);
    if (err == ERR_OK && trial->marks != NULL)
        err = run_quiet(tool, trial, &quiet, diag);
    cost->share[MONITORING_INSNS] = (int64_t)(apart - host);
    cost->share[MONITORING_FLUSHES] = (int64_t)(host - quiet);
    if (err == ERR_OK)
        err = measure_setting(tool, trial, isolate_caches, MONITORING_CACHES, cost, diag);
    if (err == ERR_OK)
        err = measure_setting(tool, trial, isolate_tlbs, MONITORING_TLBS, cost, diag);
    if (err == ERR_OK)
        err = measure_setting(tool, trial, isolate_predictor, MONITORING_PREDICTOR, cost, diag);
    return err;
}

enum err monitoring_measure(struct tool *tool, const struct trial *trial,
                            const struct profile *full, const struct profile *base,
                            struct monitoring *cost, struct diag *diag)
{
    int64_t rest = (int64_t)(full->cycles - base->cycles);
    enum err err = ERR_OK;

    *cost = (struct monitoring){
        .base = base->cycles, .full = full->cycles, .interrupts = full->interrupts};
    if (full->interrupts != 0)
        err = measure_monitor(tool, trial, cost, diag);
    if (err == ERR_OK && trial->marks != NULL)
        err = measure_setting(tool, trial, free_traffic, MONITORING_TRAFFIC, cost, diag);
    for (unsigned i = 0; i < MONITORING_INTERACTION; i++)
        rest -= cost->share[i];
    cost->share[MONITORING_INTERACTION] = rest;
    return err;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* 1,234 with its sign, as a column. */
static void print_cycles(int64_t cycles, uint64_t base, FILE *out)
{
    char number[REPORT_NUMBER], text[REPORT_NUMBER + 2];
    uint64_t size = cycles < 0 ? 0 - (uint64_t)cycles : (uint64_t)cycles;

    snprintf(text, sizeof text, "%s%s", cycles < 0 ? "-" : "", report_number(size, number));
    fprintf(out, " %+7.2f%% %15s", base != 0 ? 100 * (double)cycles / (double)base : 0, text);
}

static void print_row(const char *name, const uint64_t *value, size_t count, FILE *out)
{
    char number[REPORT_NUMBER];

    fprintf(out, "%-26s", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %24s", report_number(value[i], number));
    fputc('\n', out);
}

enum { COLUMNS_MAX = 4 };

void monitoring_print(const struct monitoring *cost, const char *const *name, size_t count,
                      FILE *out)
{
    static const char *const share[] = {
        "  monitor instructions", "  pipeline flushes", "  cache pollution", "  TLB pollution",
        "  predictor pollution", "  metadata traffic", "  interaction of these",
    };
    uint64_t base[COLUMNS_MAX] = {0}, full[COLUMNS_MAX] = {0}, interrupts[COLUMNS_MAX] = {0};

    fprintf(out, "\n%-26s", "cost of monitoring, cycles");
    for (size_t i = 0; i < count; i++) {
        base[i] = cost[i].base;
        full[i] = cost[i].full;
        interrupts[i] = cost[i].interrupts;
        fprintf(out, " %24s", name[i]);
    }
    fputc('\n', out);
    print_row("without monitoring", base, count, out);
    print_row("with it", full, count, out);
    print_row("monitor interrupts", interrupts, count, out);
    fprintf(out, "%-26s", "cycles added");
    for (size_t i = 0; i < count; i++)
        print_cycles((int64_t)(cost[i].full - cost[i].base), cost[i].base, out);
    for (unsigned k = 0; k < MONITORING_SHARES; k++) {
        fprintf(out, "\n%-26s", share[k]);
        for (size_t i = 0; i < count; i++)
            print_cycles(cost[i].share[k], cost[i].base, out);
    }
    fputc('\n', out);
}

void monitoring_add_json(cJSON *root, const struct monitoring *cost, const char *const *name,
                         size_t count)
{
    static const char *const share[] = {"monitor_instructions", "pipeline_flushes", "caches",
                                        "tlbs", "predictor", "metadata_traffic", "interaction"};
    cJSON *array = cJSON_AddArrayToObject(root, "monitoring");

    for (size_t i = 0; i < count; i++) {
        cJSON *object = json_append_object(array), *shares;

        cJSON_AddStringToObject(object, "of", name[i]);
        json_number(object, "cycles_without", cost[i].base);
        json_number(object, "cycles", cost[i].full);
        json_number(object, "interrupts", cost[i].interrupts);
        shares = cJSON_AddObjectToObject(object, "added_cycles");
        for (unsigned k = 0; k < MONITORING_SHARES; k++)
            json_signed(shares, share[k], cost[i].share[k]);
    }
}
