/* The report of `rvsim thresholds`: accesses by threshold, slow regions, and those that are slow
 * because of other harts. See thresholds.h. */
#include "sim/cli/command/thresholds/thresholds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/json.h"
#include "prof/report/report.h"

enum { INTERFERENCE_PERCENT = 2, INTERFERENCE_LEAST = 10 };     /* of accesses; slow accesses */

static const char *const kind_name[] = {"function", "line", "data"};

/* ---- text ------------------------------------------------------------------------------------ */

static void print_steps(const struct thresholds *search)
{
    char loads[REPORT_NUMBER], data[REPORT_NUMBER], level[32];

    printf("%10s %-12s %16s %16s\n", "threshold", "", "slower loads", "slower data");
    for (size_t i = 0; i < search->steps; i++) {
        const struct thresholds_step *step = &search->step[i];

        snprintf(level, sizeof level, "%s", i == 0 ? "(all)" :
                 step->level != NULL ? step->level : "half more");
        printf("%10" PRIu64 " %-12s %16s %16s\n", step->cycles, level,
               report_number(step->slow[0][0], loads), report_number(step->slow[0][1], data));
    }
}

/* A lower bound: each slow access has at least the cycles of the largest threshold that it
 * exceeded. Accesses as fast as a hit in the first level are not slow. */
static uint64_t slow_cycles(const struct thresholds *search, const struct thresholds_region *region)
{
    uint64_t cycles = 0;

    for (size_t i = 1; i < search->steps; i++)
        cycles += region->slow[0][i] * (search->step[i].cycles - search->step[i - 1].cycles);
    return cycles;
}

static int compare_regions(const void *a, const void *b)
{
    const struct thresholds_region *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return strcmp(x->name, y->name);
}

void thresholds_sort(struct thresholds *search)
{
    for (size_t i = 0; i < search->regions; i++)
        search->region[i].cycles = slow_cycles(search, &search->region[i]);
    qsort(search->region, search->regions, sizeof *search->region, compare_regions);
}

static void print_worst(const struct thresholds *search, enum thresholds_kind kind)
{
    char number[REPORT_NUMBER];
    size_t rows = 0;

    for (size_t i = 0; i < search->regions; i++) {
        const struct thresholds_region *region = &search->region[i];

        if (region->kind != kind || region->slow[0][1] == 0 ||
            (search->top != 0 && rows == search->top))
            continue;
        if (rows++ == 0) {
            printf("\n%16s", "slow cycles");
            for (size_t k = 0; k < search->steps; k++) {
                snprintf(number, sizeof number, k == 0 ? "all" : ">%" PRIu64,
                         search->step[k].cycles);
                printf("%12s", number);
            }
            printf("  slowest: %s\n", kind_name[kind]);
        }
        printf("%16s", report_number(region->cycles, number));
        for (size_t k = 0; k < search->steps; k++)
            printf("%12s", report_number(region->slow[0][k], number));
        printf("  %s\n", region->name);
    }
}

static double rate(const struct thresholds_region *region, bool is_alone, size_t step)
{
    return report_percent(region->slow[is_alone][step], region->slow[is_alone][0]);
}

/* The threshold at which other harts make the largest difference; 0: they make none. Ignores
 * accesses that are also slow on one hart, by chance or at least half as often. */
static size_t interference(const struct thresholds *search, const struct thresholds_region *region)
{
    size_t worst = 0;
    double most = INTERFERENCE_PERCENT;

    for (size_t i = 1; i < search->steps; i++) {
        double more = rate(region, false, i) - rate(region, true, i);

        if (more >= most && region->slow[0][i] >= INTERFERENCE_LEAST &&
            rate(region, false, i) >= 2 * rate(region, true, i)) {
            most = more;
            worst = i;
        }
    }
    return worst;
}

static void print_interference(const struct thresholds *search)
{
    size_t rows = 0;

    for (size_t i = 0; search->has_alone && i < search->regions; i++) {
        const struct thresholds_region *region = &search->region[i];
        size_t step = interference(search, region);

        if (step == 0)
            continue;
        if (rows++ == 0)
            printf("\n%10s %10s %10s %12s  slow because of other harts\n", "threshold", "slower",
                   "alone", "their caches");
        printf("%10" PRIu64 " %9.2f%% %9.2f%% %11.2f%%  %s %s\n", search->step[step].cycles,
               rate(region, false, step), rate(region, true, step),
               report_percent(region->peers, region->slow[0][0]), kind_name[region->kind],
               region->name);
    }
    if (!search->has_alone && search->never_ends)
        printf("\non one hart the program did not come to its end in %d times the cycles: what is "
               "slow because of other harts is not known\n", THRESHOLDS_ALONE_TIMES);
    else if (rows == 0 && search->has_alone)
        printf("\nno region is slow because of other harts\n");
}

void thresholds_print(const struct thresholds *search)
{
    print_steps(search);
    for (unsigned kind = THRESHOLDS_FUNCTION; kind <= THRESHOLDS_DATA; kind++)
        print_worst(search, (enum thresholds_kind)kind);
    if (search->tool.options.config.machine_harts > 1)
        print_interference(search);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_slow(cJSON *object, const char *key, const struct thresholds *search,
                     const uint64_t *slow)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);

    for (size_t i = 0; i < search->steps; i++)
        json_append_number(array, slow[i]);
}

static void add_region(cJSON *array, const struct thresholds *search,
                       const struct thresholds_region *region)
{
    cJSON *object = json_append_object(array);
    size_t step = search->has_alone ? interference(search, region) : 0;

    cJSON_AddStringToObject(object, "kind", kind_name[region->kind]);
    cJSON_AddStringToObject(object, "name", region->name);
    json_number(object, "slow_cycles", region->cycles);
    add_slow(object, "slower", search, region->slow[0]);
    if (!search->has_alone)
        return;
    add_slow(object, "slower_alone", search, region->slow[1]);
    json_number(object, "by_other_caches", region->peers);
    if (step != 0)
        json_number(object, "interference_at", search->step[step].cycles);
}

enum err thresholds_write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct thresholds *search = arg;
    cJSON *root = tool_document(&search->tool), *array;

    array = cJSON_AddArrayToObject(root, "thresholds");
    for (size_t i = 0; i < search->steps; i++) {
        const struct thresholds_step *step = &search->step[i];
        cJSON *object = json_append_object(array);

        json_number(object, "cycles", step->cycles);
        if (step->level != NULL)
            cJSON_AddStringToObject(object, "level", step->level);
        json_number(object, "slower_loads", step->slow[0][0]);
        json_number(object, "slower_data", step->slow[0][1]);
    }
    array = cJSON_AddArrayToObject(root, "regions");
    for (size_t i = 0; i < search->regions; i++)
        add_region(array, search, &search->region[i]);
    return json_print(root, out, diag);
}
