/* rvsim thresholds: repeats a run with growing latency thresholds on every load and every datum,
 * and names the regions whose accesses stay slow.
 *
 * The first thresholds are the configured latencies of the levels of memory: what is slower than a
 * hit in one level was answered by the next; the last of them is a cycle less than an access of
 * memory that nobody delays. From there on they grow by half until nothing is
 * slower. A first run without threshold counts all accesses. Regions come in the order of the
 * cycles of their slow accesses: of each as many as the largest threshold that it exceeded. With
 * several harts everything is
 * repeated on one hart: regions slow with the others and quick alone suffer from interference; and
 * one run more counts the accesses that another hart's cache answered. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "prof/report.h"
#include "sim/cli/tool.h"
#include "sim/cli/units.h"

#define PEERS_ONLY "4"                  /* PROF_MEASURE_PEER */

enum { STEPS_MAX = 16, RUNS_DEFAULT = 6, TOP_DEFAULT = 8, FINE_BYTES = 1 << 20,
       FINE_GRANULE = 8, COARSE_GRANULE = 64 };
enum { INTERFERENCE_PERCENT = 2, INTERFERENCE_LEAST = 10 };     /* of accesses; slow accesses */
/* A program may wait for an absent hart: a run of one hart gets this multiple of the cycles. */
enum { ALONE_TIMES = 10, ALONE_LEAST = 1000000 };

enum region_kind { REGION_FUNCTION, REGION_LINE, REGION_DATA };

/* Accesses slower than each threshold; [0]: all. */
struct region {
    enum region_kind kind;
    char name[SYMBOLS_TEXT];
    uint64_t slow[2][STEPS_MAX + 1];    /* as asked for; alone */
    uint64_t peers;                     /* that another hart's cache answered */
    uint64_t cycles;                    /* of slow accesses, at least */
};

struct step {
    uint64_t cycles;                    /* 0: no threshold */
    const char *level;                  /* a hit in which takes so long; NULL: grown */
    uint64_t slow[2][2];                /* as asked for, alone; loads, accesses to data */
};

struct search {
    struct tool tool;
    struct units units;
    uint64_t runs, top;
    struct step step[STEPS_MAX + 1];
    size_t steps;
    struct region *region;
    size_t regions, capacity;
    uint64_t cycles;                    /* of the longest run so far */
    bool has_alone;                     /* all steps were repeated on one hart */
    bool never_ends;                    /* on one hart */
};

/* ---- marks ----------------------------------------------------------------------------------- */

static bool is_load(unsigned kind)
{
    return kind == KIND_LOAD || kind == KIND_LR || kind == KIND_AMO;
}

static void mark_code(const struct search *search, const char *flags, FILE *out)
{
    for (size_t i = 0; i < search->units.insns; i++) {
        const struct units_insn *at = &search->units.insn[i];
        struct insn insn;

        if (symbols_insn(search->tool.target.symbols, at->address, &insn) &&
            is_load(insn_info[insn.op].kind))
            fprintf(out, "0x%" PRIx64 " %u %s\n", at->address, at->bytes, flags);
    }
}

/* Objects; an item for each word unless there are too many. */
static void mark_data(const struct search *search, const char *flags, FILE *out)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(search->tool.target.symbols, &entry);
    uint64_t bytes = 0, end = 0;
    unsigned line = search->tool.options.config.l1d_line_bytes;
    unsigned granule = line < COARSE_GRANULE ? line : COARSE_GRANULE;

    for (size_t i = 0; i < entries; i++)
        bytes += entry[i].is_function ? 0 : entry[i].bytes;
    for (size_t i = 0; i < entries; i++) {
        if (entry[i].is_function || entry[i].bytes == 0 || entry[i].address < end ||
            units_at(&search->units, entry[i].address) != UNITS_NONE)
            continue;
        end = entry[i].address + entry[i].bytes;
        fprintf(out, "0x%" PRIx64 " %" PRIu64 " %s granule=%u\n", entry[i].address, entry[i].bytes,
                flags, bytes <= FINE_BYTES ? FINE_GRANULE : granule);
    }
}

static char *make_marks(const struct search *search, const struct step *step)
{
    char *text = NULL, flags[64] = "counter";
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (step->cycles != 0)
        snprintf(flags, sizeof flags, "counter threshold=%" PRIu64, step->cycles);
    if (out != NULL) {
        mark_code(search, flags, out);
        mark_data(search, flags, out);
    }
    if (out == NULL || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- regions --------------------------------------------------------------------------------- */

static struct region *region_of(struct search *search, enum region_kind kind, const char *name)
{
    struct region *grown;

    for (size_t i = 0; i < search->regions; i++)
        if (search->region[i].kind == kind && strcmp(search->region[i].name, name) == 0)
            return &search->region[i];
    if (search->regions == search->capacity) {
        search->capacity = 2 * search->capacity + 64;
        grown = realloc(search->region, search->capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        search->region = grown;
    }
    grown = &search->region[search->regions++];
    *grown = (struct region){.kind = kind};
    snprintf(grown->name, sizeof grown->name, "%s", name);
    return grown;
}

static bool add(struct search *search, enum region_kind kind, const char *name, size_t step,
                bool is_alone, uint64_t count)
{
    struct region *region = name[0] != '\0' ? region_of(search, kind, name) : NULL;

    if (region != NULL)
        region->slow[is_alone][step] += count;
    return region != NULL || name[0] == '\0';
}

static bool add_mark(struct search *search, const struct profile_mark *mark, size_t step,
                     bool is_alone)
{
    const struct symbols *symbols = search->tool.target.symbols;
    const struct symbols_entry *entry = symbols_at(symbols, mark->address);
    long unit = units_at(&search->units, mark->address);
    char line[SYMBOLS_TEXT] = "", name[SYMBOLS_TEXT] = "";

    search->step[step].slow[is_alone][!mark->is_code] += mark->count;
    if (mark->count == 0)
        return true;
    if (mark->is_code)
        return (unit == UNITS_NONE || add(search, REGION_FUNCTION, search->units.unit[unit].name,
                                          step, is_alone, mark->count)) &&
               add(search, REGION_LINE, symbols_describe_line(symbols, mark->address, line), step,
                   is_alone, mark->count);
    if (entry != NULL)
        snprintf(name, sizeof name, "%s", entry->name);
    return add(search, REGION_DATA, name, step, is_alone, mark->count);
}

static void add_to(struct search *search, enum region_kind kind, const char *name, uint64_t count)
{
    struct region *region = name[0] != '\0' ? region_of(search, kind, name) : NULL;

    if (region != NULL)
        region->peers += count;
}

/* By name, in a run that counted what other harts' caches answered. */
static void add_peers(struct search *search, const struct profile_mark *mark)
{
    const struct symbols *symbols = search->tool.target.symbols;
    const struct symbols_entry *entry = symbols_at(symbols, mark->address);
    long unit = units_at(&search->units, mark->address);
    char line[SYMBOLS_TEXT] = "", name[SYMBOLS_TEXT] = "";

    if (mark->is_code && unit != UNITS_NONE)
        add_to(search, REGION_FUNCTION, search->units.unit[unit].name, mark->count);
    if (mark->is_code)
        add_to(search, REGION_LINE, symbols_describe_line(symbols, mark->address, line),
               mark->count);
    if (!mark->is_code && entry != NULL) {
        snprintf(name, sizeof name, "%s", entry->name);
        add_to(search, REGION_DATA, name, mark->count);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static enum err run_step(struct search *search, size_t step, bool is_alone, struct diag *diag)
{
    char what[64], *marks = make_marks(search, &search->step[step]);
    struct trial trial = {.what = what, .marks = marks};
    struct trial_result result;
    enum err err = ERR_OK;

    if (marks == NULL)
        return diag_no_memory(diag, "regions");
    if (is_alone) {
        trial.set[0] = "machine.harts=1";
        trial.max_cycles = ALONE_TIMES * search->cycles + ALONE_LEAST;
    }
    snprintf(what, sizeof what, "%sthreshold %" PRIu64, is_alone ? "one hart, " : "",
             search->step[step].cycles);
    err = tool_run(&search->tool, &trial, &result, diag);
    search->never_ends |= result.was_limited;
    if (err == ERR_OK && !is_alone && result.profile.cycles > search->cycles)
        search->cycles = result.profile.cycles;
    for (size_t i = 0; err == ERR_OK && i < result.profile.marks; i++)
        if (!add_mark(search, &result.profile.mark[i], step, is_alone))
            err = diag_no_memory(diag, "regions");
    profile_free(&result.profile);
    free(marks);
    return err;
}

/* Every access that another hart's cache answers takes longer than a cycle. */
static enum err run_peers(struct search *search, struct diag *diag)
{
    const struct step any = {.cycles = 1};
    char *marks = make_marks(search, &any);
    struct trial trial = {.what = "other harts' caches", .marks = marks,
                          .set = {"pmu.measure=" PEERS_ONLY}};
    struct trial_result result;
    enum err err;

    if (marks == NULL)
        return diag_no_memory(diag, "regions");
    err = tool_run(&search->tool, &trial, &result, diag);
    for (size_t i = 0; err == ERR_OK && i < result.profile.marks; i++)
        if (result.profile.mark[i].count != 0)
            add_peers(search, &result.profile.mark[i]);
    profile_free(&result.profile);
    free(marks);
    return err;
}

static void add_level(struct search *search, const char *level, uint64_t cycles)
{
    search->step[search->steps++] = (struct step){.cycles = cycles, .level = level};
}

/* A hit in each level takes as long as those before it and its own. */
static void first_steps(struct search *search)
{
    const struct config *config = &search->tool.options.config;
    uint64_t cycles = config->latency_load;

    search->steps = 1;
    add_level(search, "L1D hit", cycles);
    if (config->l2_kib != 0)
        add_level(search, "L2 hit", cycles += config->l2_cycles);
    if (config->l3_kib != 0)
        add_level(search, "L3 hit", cycles += config->l3_cycles);
    add_level(search, "memory", cycles + config->dram_cycles - 1);
}

static bool is_anything_slow(const struct search *search)
{
    const struct step *last = &search->step[search->steps - 1];

    return (last->slow[0][0] | last->slow[0][1]) != 0;
}

static bool goes_on(const struct search *search, enum err err)
{
    return err == ERR_OK && !search->tool.is_interrupted && !search->never_ends;
}

/* The runs that are repeated on one hart, if the program ends there. */
static enum err run_alone(struct search *search, struct diag *diag)
{
    enum err err = ERR_OK;
    size_t step = 0;

    for (; step < search->steps && goes_on(search, err); step++)
        err = run_step(search, step, true, diag);
    search->has_alone = step == search->steps && goes_on(search, err);
    if (err == ERR_OK && !search->tool.is_interrupted)
        err = run_peers(search, diag);
    return err;
}

static enum err run_all(struct search *search, struct diag *diag)
{
    bool has_others = search->tool.options.config.machine_harts > 1;
    enum err err = ERR_OK;
    size_t step = 0;

    first_steps(search);
    for (; step < search->steps && goes_on(search, err); step++) {
        err = run_step(search, step, false, diag);
        if (err == ERR_OK && step + 1 == search->steps && step < search->runs &&
            is_anything_slow(search))
            search->step[search->steps++].cycles = search->step[step].cycles * 3 / 2;
    }
    if (search->tool.is_interrupted)
        search->steps = step;
    return has_others && goes_on(search, err) ? run_alone(search, diag) : err;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print_steps(const struct search *search)
{
    char loads[REPORT_NUMBER], data[REPORT_NUMBER], level[32];

    printf("%10s %-12s %16s %16s\n", "threshold", "", "slower loads", "slower data");
    for (size_t i = 0; i < search->steps; i++) {
        const struct step *step = &search->step[i];

        snprintf(level, sizeof level, "%s", i == 0 ? "(all)" :
                 step->level != NULL ? step->level : "half more");
        printf("%10" PRIu64 " %-12s %16s %16s\n", step->cycles, level,
               report_number(step->slow[0][0], loads), report_number(step->slow[0][1], data));
    }
}

/* Each slow access has at least the cycles of the largest threshold that it exceeded; what is as
 * quick as a hit in the first level is not slow. */
static uint64_t slow_cycles(const struct search *search, const struct region *region)
{
    uint64_t cycles = 0;

    for (size_t i = 1; i < search->steps; i++)
        cycles += region->slow[0][i] * (search->step[i].cycles - search->step[i - 1].cycles);
    return cycles;
}

static int compare_regions(const void *a, const void *b)
{
    const struct region *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void sort_regions(struct search *search)
{
    for (size_t i = 0; i < search->regions; i++)
        search->region[i].cycles = slow_cycles(search, &search->region[i]);
    qsort(search->region, search->regions, sizeof *search->region, compare_regions);
}

static void print_worst(const struct search *search, enum region_kind kind)
{
    static const char *const title[] = {"function", "line", "data"};
    char number[REPORT_NUMBER];
    size_t rows = 0;

    for (size_t i = 0; i < search->regions; i++) {
        const struct region *region = &search->region[i];

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
            printf("  slowest: %s\n", title[kind]);
        }
        printf("%16s", report_number(region->cycles, number));
        for (size_t k = 0; k < search->steps; k++)
            printf("%12s", report_number(region->slow[0][k], number));
        printf("  %s\n", region->name);
    }
}

static double rate(const struct region *region, bool is_alone, size_t step)
{
    return report_percent(region->slow[is_alone][step], region->slow[is_alone][0]);
}

/* The threshold at which the others make most difference; 0: they make none. What is slow alone by
 * chance, or half as often, is not theirs. */
static size_t interference(const struct search *search, const struct region *region)
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

static void print_interference(const struct search *search)
{
    static const char *const title[] = {"function", "line", "data"};
    size_t rows = 0;

    for (size_t i = 0; search->has_alone && i < search->regions; i++) {
        const struct region *region = &search->region[i];
        size_t step = interference(search, region);

        if (step == 0)
            continue;
        if (rows++ == 0)
            printf("\n%10s %10s %10s %12s  slow because of other harts\n", "threshold", "slower",
                   "alone", "their caches");
        printf("%10" PRIu64 " %9.2f%% %9.2f%% %11.2f%%  %s %s\n", search->step[step].cycles,
               rate(region, false, step), rate(region, true, step),
               report_percent(region->peers, region->slow[0][0]), title[region->kind],
               region->name);
    }
    if (!search->has_alone && search->never_ends)
        printf("\non one hart the program did not come to its end in %d times the cycles: what is "
               "slow because of other harts is not known\n", ALONE_TIMES);
    else if (rows == 0 && search->has_alone)
        printf("\nno region is slow because of other harts\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct search *search, struct diag *diag)
{
    struct tool *tool = &search->tool;
    enum err err;

    search->runs = RUNS_DEFAULT;
    search->top = TOP_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_THRESHOLDS_SHOW_OUTPUT) != NULL;
    err = tool_number(tool, OPT_THRESHOLDS_RUNS, 1, STEPS_MAX - 1, &search->runs, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_THRESHOLDS_TOP, 0, UINT32_MAX, &search->top, diag);
    if (err == ERR_OK)
        err = units_make(&search->units, &tool->target, UNITS_FUNCTION, diag);
    if (err == ERR_OK)
        err = run_all(search, diag);
    if (err != ERR_OK)
        return err;
    sort_regions(search);
    print_steps(search);
    for (unsigned kind = REGION_FUNCTION; kind <= REGION_DATA; kind++)
        print_worst(search, (enum region_kind)kind);
    if (tool->options.config.machine_harts > 1)
        print_interference(search);
    return ERR_OK;
}

int command_thresholds(const struct command_line *line)
{
    struct search search = {.steps = 0};
    struct diag diag = {""};
    enum err err = tool_open(&search.tool, "thresholds", line, TOOL_CYCLES, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&search, &diag);
    free(search.region);
    units_free(&search.units);
    return tool_end(&search.tool, err, &diag);
}
