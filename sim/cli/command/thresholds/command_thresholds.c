/* rvsim thresholds: repeats a run with growing latency thresholds on every load and every datum,
 * and names the regions whose accesses stay slow.
 *
 * The first thresholds are the configured latencies of the levels of memory: an access slower than
 * a hit in one level was answered by the next. The last of them is a cycle less than an undelayed
 * access of memory; from there on thresholds grow by half until no access is slower. A first run
 * without threshold counts all accesses. Regions are sorted by the cycles of their slow accesses,
 * where an access counts with the largest threshold that it exceeded. With several harts all runs
 * are repeated on one hart: regions that are slow with other harts and fast alone suffer from
 * interference. A further run counts the accesses that another hart's cache answered. Metadata
 * takes no time in these runs, so the latencies are those of a run without marks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "sim/base/array.h"
#include "sim/cli/command/thresholds/thresholds.h"

#define PEERS_ONLY "4"                  /* PROF_MEASURE_PEER */

enum { RUNS_DEFAULT = 6, TOP_DEFAULT = 8, FINE_BYTES = 1 << 20, FINE_GRANULE = 8,
       COARSE_GRANULE = 64 };
enum { ALONE_LEAST = 1000000 };

/* ---- marks ----------------------------------------------------------------------------------- */

static bool is_load(unsigned kind)
{
    return kind == KIND_LOAD || kind == KIND_LR || kind == KIND_AMO;
}

static void mark_code(const struct thresholds *search, const char *flags, FILE *out)
{
    for (size_t i = 0; i < search->units.insns; i++) {
        const struct units_insn *at = &search->units.insn[i];
        struct insn insn;

        if (symbols_insn(search->tool.target.symbols, at->address, &insn) &&
            is_load(insn_info[insn.op].kind))
            fprintf(out, "0x%" PRIx64 " %u %s\n", at->address, at->bytes, flags);
    }
}

static void mark_bytes(uint64_t start, uint64_t end, const char *flags, unsigned granule, FILE *out)
{
    if (start < end)
        fprintf(out, "0x%" PRIx64 " %" PRIu64 " %s granule=%u\n", start, end - start, flags,
                granule);
}

/* Marks an object between others that end at `before` and begin at `after`. Where it shares a
 * granule with one of them it has fine ones, so that each has its own accesses. */
static void mark_object(uint64_t start, uint64_t end, uint64_t before, uint64_t after,
                        const char *flags, unsigned granule, FILE *out)
{
    uint64_t first = start, last = end;

    if (before > start / granule * granule)
        first = (start + granule - 1) / granule * granule;
    if (after < (end + granule - 1) / granule * granule)
        last = end / granule * granule;
    if (first >= last)
        first = last = end;
    mark_bytes(start, first, flags, FINE_GRANULE, out);
    mark_bytes(first, last, flags, granule, out);
    mark_bytes(last, end, flags, FINE_GRANULE, out);
}

static bool is_object(const struct thresholds *search, const struct symbols_entry *entry,
                      uint64_t end)
{
    return !entry->is_function && entry->bytes != 0 && entry->address >= end &&
           units_at(&search->units, entry->address) == UNITS_NONE;
}

/* Marks objects, with an item for each word unless there are too many. */
static void mark_data(const struct thresholds *search, const char *flags, FILE *out)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(search->tool.target.symbols, &entry);
    uint64_t bytes = 0, before = 0, end = 0;
    unsigned line = search->tool.options.config.l1d_line_bytes;
    unsigned granule = line < COARSE_GRANULE ? line : COARSE_GRANULE;

    for (size_t i = 0; i < entries; i++)
        bytes += entry[i].is_function ? 0 : entry[i].bytes;
    granule = bytes <= FINE_BYTES ? FINE_GRANULE : granule;
    for (size_t i = 0, next; i < entries; i = next) {
        next = i + 1;
        if (!is_object(search, &entry[i], end))
            continue;
        end = entry[i].address + entry[i].bytes;
        while (next < entries && !is_object(search, &entry[next], end))
            next++;
        mark_object(entry[i].address, end, before,
                    next < entries ? entry[next].address : UINT64_MAX, flags, granule, out);
        before = end;
    }
}

static char *make_marks(const struct thresholds *search, const struct thresholds_step *step)
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

static struct thresholds_region *region_of(struct thresholds *search, enum thresholds_kind kind,
                                           const char *name)
{
    struct thresholds_region *grown;

    for (size_t i = 0; i < search->regions; i++)
        if (search->region[i].kind == kind && strcmp(search->region[i].name, name) == 0)
            return &search->region[i];
    grown = array_grow(search->region, search->regions, sizeof *grown);
    if (grown == NULL)
        return NULL;
    search->region = grown;
    grown = &search->region[search->regions++];
    *grown = (struct thresholds_region){.kind = kind};
    snprintf(grown->name, sizeof grown->name, "%s", name);
    return grown;
}

static bool add(struct thresholds *search, enum thresholds_kind kind, const char *name, size_t step,
                bool is_alone, uint64_t count)
{
    struct thresholds_region *region = name[0] != '\0' ? region_of(search, kind, name) : NULL;

    if (region != NULL)
        region->slow[is_alone][step] += count;
    return region != NULL || name[0] == '\0';
}

static bool add_mark(struct thresholds *search, const struct profile_mark *mark, size_t step,
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
        return (unit == UNITS_NONE ||
                add(search, THRESHOLDS_FUNCTION, search->units.unit[unit].name, step, is_alone,
                    mark->count)) &&
               add(search, THRESHOLDS_LINE, symbols_describe_line(symbols, mark->address, line),
                   step, is_alone, mark->count);
    if (entry != NULL)
        snprintf(name, sizeof name, "%s", entry->name);
    return add(search, THRESHOLDS_DATA, name, step, is_alone, mark->count);
}

static void add_to(struct thresholds *search, enum thresholds_kind kind, const char *name,
                   uint64_t count)
{
    struct thresholds_region *region = name[0] != '\0' ? region_of(search, kind, name) : NULL;

    if (region != NULL)
        region->peers += count;
}

/* Adds accesses by name, in a run that counted answers of other harts' caches. */
static void add_peers(struct thresholds *search, const struct profile_mark *mark)
{
    const struct symbols *symbols = search->tool.target.symbols;
    const struct symbols_entry *entry = symbols_at(symbols, mark->address);
    long unit = units_at(&search->units, mark->address);
    char line[SYMBOLS_TEXT] = "", name[SYMBOLS_TEXT] = "";

    if (mark->is_code && unit != UNITS_NONE)
        add_to(search, THRESHOLDS_FUNCTION, search->units.unit[unit].name, mark->count);
    if (mark->is_code)
        add_to(search, THRESHOLDS_LINE, symbols_describe_line(symbols, mark->address, line),
               mark->count);
    if (!mark->is_code && entry != NULL) {
        snprintf(name, sizeof name, "%s", entry->name);
        add_to(search, THRESHOLDS_DATA, name, mark->count);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static enum err run_step(struct thresholds *search, size_t step, bool is_alone, struct diag *diag)
{
    char what[64], *marks = make_marks(search, &search->step[step]);
    struct trial trial = {.what = what, .marks = marks, .set = {TOOL_FREE_METADATA}};
    struct trial_result result;
    enum err err = ERR_OK;

    if (marks == NULL)
        return diag_no_memory(diag, "regions");
    if (is_alone) {
        trial.set[TOOL_FREE_SETTINGS] = "machine.harts=1";
        trial.max_cycles = THRESHOLDS_ALONE_TIMES * search->cycles + ALONE_LEAST;
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
static enum err run_peers(struct thresholds *search, struct diag *diag)
{
    const struct thresholds_step any = {.cycles = 1};
    char *marks = make_marks(search, &any);
    struct trial trial = {.what = "other harts' caches", .marks = marks,
                          .set = {TOOL_FREE_METADATA, "pmu.measure=" PEERS_ONLY}};
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

static void add_level(struct thresholds *search, const char *level, uint64_t cycles)
{
    search->step[search->steps++] = (struct thresholds_step){.cycles = cycles, .level = level};
}

/* A hit in a level takes the cycles of the levels before it and its own. */
static void first_steps(struct thresholds *search)
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
    if (search->steps > search->runs + 1)       /* and the run without a threshold */
        search->steps = search->runs + 1;
}

static bool is_anything_slow(const struct thresholds *search)
{
    const struct thresholds_step *last = &search->step[search->steps - 1];

    return (last->slow[0][0] | last->slow[0][1]) != 0;
}

static bool goes_on(const struct thresholds *search, enum err err)
{
    return err == ERR_OK && !search->tool.is_interrupted && !search->never_ends;
}

/* Repeats the runs on one hart, if the program ends there. */
static enum err run_alone(struct thresholds *search, struct diag *diag)
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

static enum err run_all(struct thresholds *search, struct diag *diag)
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
    if (search->tool.is_interrupted)    /* a part of a run is no row beside whole ones */
        search->steps = step > 1 ? step - 1 : step;
    return has_others && goes_on(search, err) ? run_alone(search, diag) : err;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err run(struct thresholds *search, struct diag *diag)
{
    struct tool *tool = &search->tool;
    const struct tool_files files = {NULL, command_value(tool->line, OPT_THRESHOLDS_JSON)};
    enum err err = tool_files_check(&files, diag);

    search->runs = RUNS_DEFAULT;
    search->top = TOP_DEFAULT;
    tool->shows_output = command_value(tool->line, OPT_THRESHOLDS_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK)
        err = tool_number(tool, OPT_THRESHOLDS_RUNS, 1, THRESHOLDS_STEPS - 1, &search->runs, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_THRESHOLDS_TOP, 0, UINT32_MAX, &search->top, diag);
    if (err == ERR_OK)
        err = survey_make(tool, diag);
    if (err != ERR_OK || tool->is_interrupted)
        return err;
    err = units_make(&search->units, &tool->target, UNITS_FUNCTION, diag);
    if (err == ERR_OK)
        err = run_all(search, diag);
    if (err != ERR_OK)
        return err;
    thresholds_sort(search);
    if (!tool_files_take_output(&files))
        thresholds_print(search);
    return tool_files_write(&files, NULL, thresholds_write_json, search, diag);
}

int command_thresholds(const struct command_line *line)
{
    struct thresholds search = {.steps = 0};
    struct diag diag = {""};
    enum err err = tool_open(&search.tool, "thresholds", line, TOOL_CYCLES, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    err = run(&search, &diag);
    free(search.region);
    units_free(&search.units);
    return tool_end(&search.tool, err, &diag);
}
