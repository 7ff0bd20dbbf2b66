/* The report of `rvsim tune`: samples and counts, each beside the truth. See tune.h. */
#include "sim/cli/command/tune/tune.h"

#include <inttypes.h>
#include <math.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"
#include "sim/cli/command/record.h"

static uint64_t sum_units(const struct tune *tune)
{
    uint64_t sum = tune->elsewhere_units;

    for (size_t i = 0; i < tune->units.count; i++)
        sum += tune->routine[i].true_units;
    return sum;
}

static uint64_t sum_counts(const struct tune *tune)
{
    uint64_t sum = tune->elsewhere_count;

    for (size_t i = 0; i < tune->units.count; i++)
        sum += tune->routine[i].true_count;
    return sum;
}

/* The routine's true share of the sampled event; negative: unknown. For events that the oracle
 * does not have, the range register of a hot routine counts them. */
static double true_share(const struct tune *tune, const struct routine *routine)
{
    bool is_fast = tool_is_fast(&tune->tool);

    if (tune->event == EVENT_CYCLES)
        return report_percent(routine->true_units, sum_units(tune));
    if (tune->event == EVENT_INSNS_RETIRED && !is_fast)
        return report_percent(routine->true_count, sum_counts(tune));
    if (!routine->was_hot || tune->one_run || !tune->was_counted || tune->is_part)
        return -1;
    if (tune->event == EVENT_INSNS_RETIRED)
        return tune->counts_calls ? -1 : report_percent(routine->count,
                                                        tune->counted.profile.instructions);
    return report_percent(routine->events,
                          profile_event(&tune->counted.profile, event_name(tune->event)));
}

/* True if samples are compared with the counts of the next run instead of the oracle. */
static bool is_beside_counts(const struct tune *tune)
{
    return tune_has_event(tune) || tool_is_fast(&tune->tool);
}

/* Others may have taken its place in the table since. */
static const struct routine *of_rank(const struct tune *tune, size_t rank)
{
    size_t i = 0;

    while (tune->routine[i].rank != rank)
        i++;
    return &tune->routine[i];
}

static void print_sampled(const struct tune *tune)
{
    char number[REPORT_NUMBER];

    printf("\n%9s %9s %8s %9s  %s\n", "sampled", is_beside_counts(tune) ? "counted" : "oracle",
           "error", "samples", "hot routine");
    for (size_t i = 0; i < (tune->one_run ? tune->hot_first : tune->hot); i++) {
        const struct routine *routine = of_rank(tune, i);
        double share = report_percent(routine->samples, tune->samples);
        double truth = true_share(tune, routine);

        if (truth < 0)
            printf("%8.2f%% %9s %8s", share, "-", "-");
        else
            printf("%8.2f%% %8.2f%% %+7.2f%%", share, truth, share - truth);
        printf(" %9s  %s\n", report_number(routine->samples, number),
               tune->units.unit[routine->unit].name);
    }
}

static void print_counted(const struct tune *tune)
{
    const struct profile *profile = &tune->counted.profile;
    char entered[REPORT_NUMBER], count[REPORT_NUMBER], oracle[REPORT_NUMBER];
    char cycles[REPORT_NUMBER], truth[REPORT_NUMBER], events[REPORT_NUMBER];
    char error[REPORT_CHANGE];
    bool has_event = tune_has_event(tune);

    printf("\n%12s %16s %16s %16s %16s %8s  ", "entered",
           tune->counts_calls ? "calls, returns" : "instructions", "oracle", "cycles", "oracle",
           "error");
    if (has_event)
        printf("%16s  ", event_name(tune->event));
    puts("hot routine");
    for (size_t i = 0; i < tune->units.count; i++) {
        const struct routine *routine = &tune->routine[i];
        uint64_t real;

        if (!routine->was_hot)
            continue;
        real = (routine->oracle_units + profile->units_per_cycle / 2) / profile->units_per_cycle;

        printf("%12s %16s %16s %16s %16s %8s  ", report_number(routine->entered, entered),
               report_number(routine->count - (tune->counts_calls ? routine->first : 0), count),
               tune->counts_calls ? "-" : report_number(routine->oracle_count, oracle),
               report_number(routine->cycles, cycles), report_number(real, truth),
               report_change((double)routine->cycles, (double)real, error));
        if (has_event)
            printf("%16s  ", report_number(routine->events, events));
        puts(tune->units.unit[routine->unit].name);
    }
}

/* Without time: no cycles, and no oracle. */
static void print_untimed(const struct tune *tune)
{
    char entered[REPORT_NUMBER], count[REPORT_NUMBER], events[REPORT_NUMBER];
    bool has_event = tune_has_event(tune);

    printf("\n%12s %16s  ", "entered", tune->counts_calls ? "calls, returns" : "instructions");
    if (has_event)
        printf("%16s  ", event_name(tune->event));
    puts("hot routine");
    for (size_t i = 0; i < tune->hot; i++) {
        const struct routine *routine = &tune->routine[i];

        printf("%12s %16s  ", report_number(routine->entered, entered),
               report_number(routine->count - (tune->counts_calls ? routine->first : 0), count));
        if (has_event)
            printf("%16s  ", report_number(routine->events, events));
        puts(tune->units.unit[routine->unit].name);
    }
    puts("cycles need --mode detailed");
}

/* Half the sum of the differences between the shares of samples and of true time. */
static double profile_error(const struct tune *tune)
{
    const struct routine elsewhere = {.samples = tune->elsewhere,
                                      .true_count = tune->elsewhere_count,
                                      .true_units = tune->elsewhere_units};
    double sum = fabs(report_percent(tune->elsewhere, tune->samples) -
                      true_share(tune, &elsewhere));

    for (size_t i = 0; i < tune->units.count; i++)
        sum += fabs(report_percent(tune->routine[i].samples, tune->samples) -
                    true_share(tune, &tune->routine[i]));
    return sum / 2;
}

/* Instructions without those of the monitor. */
static uint64_t instructions_of(const struct profile *profile)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < profile->costs; i++)
        sum += profile->cost[i].is_monitor ? 0 : profile->cost[i].count;
    return sum;
}

static void print_parts(const struct tune *tune)
{
    uint64_t first = instructions_of(&tune->sampled.profile);
    uint64_t all = instructions_of(&tune->counted.profile);
    char sampled[REPORT_NUMBER], counted[REPORT_NUMBER];
    size_t ever = 0;

    printf("in one run: the first %s instructions were sampled, the other %s counted\n",
           report_number(first, sampled), report_number(all - first, counted));
    for (size_t i = 0; i < tune->units.count; i++)
        ever += tune->routine[i].was_hot;
    if (ever != tune->hot_first)
        printf("%zu %s counted from then on\n", ever - tune->hot_first,
               ever - tune->hot_first == 1 ? "routine became hot later, and is"
                                           : "routines became hot later, and are");
    if (ever != tune->hot)
        printf("%zu of all are counted only until others were hotter\n", ever - tune->hot);
}

void tune_print(const struct tune *tune)
{
    char samples[REPORT_NUMBER], period[REPORT_NUMBER], number[REPORT_NUMBER];

    printf("%s: %s sample%s, one every %s of %s\n",
           symbols_base_name(tune->tool.target.image.path), report_number(tune->samples, samples),
           report_s(tune->samples), report_number(tune->period, period), event_name(tune->event));
    if (tune->one_run && tune->was_counted)
        print_parts(tune);
    if (tune->elsewhere != 0)
        printf("%s sample%s outside the program's code\n", report_number(tune->elsewhere, number),
               report_s(tune->elsewhere));
    record_print_left_out(&tune->sampled.profile);
    print_sampled(tune);
    if (!is_beside_counts(tune) && tune->samples != 0)
        printf("%8.2f%% of the profile is in the wrong routine\n", profile_error(tune));
    if (tune->was_counted && tool_is_fast(&tune->tool))
        print_untimed(tune);
    else if (tune->was_counted)
        print_counted(tune);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static size_t cost_names(const struct tune *tune, const struct monitoring **cost,
                         const char *name[2])
{
    name[0] = tune->one_run ? "both" : "sampling";
    name[1] = "counting";
    *cost = tune->one_run ? &tune->cost[1] : tune->cost;
    return tune->one_run ? 1 : 2;
}

void tune_print_cost(const struct tune *tune)
{
    const struct monitoring *cost;
    const char *name[2];
    size_t count = cost_names(tune, &cost, name);

    monitoring_print(cost, name, count, stdout);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_counts(cJSON *object, const struct tune *tune, const struct routine *routine)
{
    const struct profile *profile = &tune->counted.profile;

    json_number(object, "entered", routine->entered);
    json_number(object, tune->counts_calls ? "calls_and_returns" : "instructions",
                routine->count - (tune->counts_calls ? routine->first : 0));
    if (tune_has_event(tune))
        json_number(object, "events", routine->events);
    if (tool_is_fast(&tune->tool))
        return;
    if (!tune->counts_calls)
        json_number(object, "oracle_instructions", routine->oracle_count);
    json_number(object, "cycles", routine->cycles);
    json_real(object, "oracle_cycles",
              (double)routine->oracle_units / (double)profile->units_per_cycle);
}

static void add_routine(cJSON *array, const struct tune *tune, const struct routine *routine)
{
    double truth = true_share(tune, routine);
    cJSON *object = json_append_object(array);

    cJSON_AddStringToObject(object, "name", tune->units.unit[routine->unit].name);
    json_address(object, "address", tune->units.unit[routine->unit].start);
    json_number(object, "samples", routine->samples);
    json_real(object, "sampled_percent", report_percent(routine->samples, tune->samples));
    if (truth >= 0)
        json_real(object, is_beside_counts(tune) ? "counted_percent" : "oracle_percent", truth);
    if (tune->was_counted)
        add_counts(cJSON_AddObjectToObject(object, "counted"), tune, routine);
}

enum err tune_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct tune *tune = arg;
    cJSON *root = tool_document(&tune->tool), *array;
    const struct monitoring *cost;
    const char *name[2];
    size_t costs = cost_names(tune, &cost, name);

    cJSON_AddStringToObject(root, "event", event_name(tune->event));
    json_number(root, "period", tune->period);
    json_number(root, "samples", tune->samples);
    json_number(root, "samples_outside", tune->elsewhere);
    if (!is_beside_counts(tune) && tune->samples != 0)
        json_real(root, "misplaced_percent", profile_error(tune));
    array = cJSON_AddArrayToObject(root, "hot");
    for (size_t i = 0; i < tune->units.count; i++)
        if (tune->routine[i].was_hot)
            add_routine(array, tune, &tune->routine[i]);
    if (tune->has_cost)
        monitoring_add_json(root, cost, name, costs);
    return json_print(root, out, diag);
}
