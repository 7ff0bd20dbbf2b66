/* rvsim idle: samples of idle harts by the guest kernel, and the true causes of idleness. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "prof/html/html.h"
#include "prof/idle/idle_page.h"
#include "sim/base/output.h"
#include "sim/cli/command/active/active_sections.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/cli/tool/timeline_files.h"
#include "sim/run/kernel/kernel_sampler.h"

/* The period for each hart: a thread that is sampled waits until its stack is taken, some thousand
 * cycles, and work that passes from hart to hart meets the samples of all of them. */
enum { PERIOD_OF_HART = 50000, TID_MIN = KERNEL_SAMPLER_TID + KERNEL_SAMPLER_MAX };
#define PERIOD_MAX UINT64_C(1000000000000)
/* A sampled run in which all harts idle for as many cycles, and samples, is given up. */
#define PATIENCE_CYCLES UINT64_C(1000000000)
enum { PATIENCE_SAMPLES = 1000 };

struct idle {
    struct tool tool;
    struct kernel_sampling sampling;
    struct kernel_records records;      /* of the sampled run */
    struct kernel_records without;      /* of the run without samples */
    struct active_sections sections;    /* in the traces of the sampled run */
    struct idle_tree tree;
    struct idle_charge charge, charge_without;
    struct kernel_sampler *sampler;     /* [harts] after the run */
    struct idle_view view;
};

/* ---- options --------------------------------------------------------------------------------- */

static enum err read_event(struct idle *idle, struct diag *diag)
{
    unsigned event = EVENT_NONE;
    enum err err = tool_event(&idle->tool, OPT_IDLE_EVENT, &event, diag);

    idle->view.event = command_value(idle->tool.line, OPT_IDLE_EVENT);
    idle->sampling.event = event;
    return err == ERR_OK ? tool_event_check(&idle->tool, event, diag) : err;
}

/* By time: in ticks, rounded up. */
static enum err read_period(struct idle *idle, struct diag *diag)
{
    uint64_t divider = idle->tool.options.config.machine_timebase_divider;
    uint64_t period = (uint64_t)PERIOD_OF_HART * idle->tool.options.config.machine_harts;
    enum err err = tool_number(&idle->tool, OPT_IDLE_PERIOD, 1, PERIOD_MAX, &period, diag);

    idle->sampling.period = period;
    if (idle->sampling.event == 0) {
        idle->sampling.period = (period + divider - 1) / divider;
        idle->view.period_cycles = idle->sampling.period * divider;
    }
    return err;
}

static enum err read_modes(struct idle *idle, struct diag *diag)
{
    const char *name = command_value(idle->tool.line, OPT_IDLE_MODES);
    bool is_ahead = command_value(idle->tool.line, OPT_IDLE_AHEAD) != NULL;

    if (name == NULL || strcmp(name, "both") == 0)
        idle->sampling.modes = SAMPLER_TO_IDLE | SAMPLER_FROM_IDLE;
    else if (strcmp(name, "to") == 0)
        idle->sampling.modes = SAMPLER_TO_IDLE;
    else if (strcmp(name, "from") == 0)
        idle->sampling.modes = SAMPLER_FROM_IDLE;
    else
        return diag_set(diag, ERR_USAGE, "idle: --modes %s: expected to, from or both", name);
    if (is_ahead && (idle->sampling.modes & SAMPLER_FROM_IDLE) == 0)
        return diag_set(diag, ERR_USAGE,
                        "idle: --ahead takes stacks from idle; --modes to has none");
    idle->sampling.modes |= is_ahead ? SAMPLER_AHEAD : 0;
    if (command_value(idle->tool.line, OPT_IDLE_NO_DAEMONS) != NULL) {
        if (!is_ahead)
            return diag_set(diag, ERR_USAGE, "idle: --no-daemons is of --ahead");
        idle->sampling.modes |= SAMPLER_NO_DAEMONS;
    }
    if (command_value(idle->tool.line, OPT_IDLE_PAUSED) != NULL)
        idle->sampling.modes |= SAMPLER_PAUSED;
    return ERR_OK;
}

/* Parses numbers with commas between them. */
static enum err add_threads(struct idle *idle, const char *text, struct diag *diag)
{
    struct kernel_sampling *sampling = &idle->sampling;

    for (const char *at = text;; at++) {
        char *end;
        unsigned long tid;

        errno = 0;
        tid = strtoul(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || (*end != ',' && *end != '\0') || errno != 0 ||
            tid < TID_MIN || tid > UINT32_MAX)
            return diag_set(diag, ERR_USAGE, "idle: --thread %s: expected numbers of threads, as "
                            "rvsim sched shows them", text);
        if (sampling->threads == SAMPLER_THREADS)
            return diag_set(diag, ERR_USAGE, "idle: --thread: more than %d threads",
                            SAMPLER_THREADS);
        sampling->thread[sampling->threads++] = (uint32_t)tid;
        if (*end == '\0')
            return ERR_OK;
        at = end;
    }
}

static enum err read_least(struct idle *idle, struct diag *diag)
{
    const char *text = command_value(idle->tool.line, OPT_IDLE_LEAST);
    char *end;

    idle->view.least = 1;
    if (text == NULL)
        return ERR_OK;
    idle->view.least = strtod(text, &end);
    if (end == text || *end != '\0' || !(idle->view.least >= 0 && idle->view.least <= 100))
        return diag_set(diag, ERR_USAGE, "idle: --least %s: expected a number from 0 to 100", text);
    return ERR_OK;
}

static enum err read_options(struct idle *idle, struct diag *diag)
{
    const struct command_line *line = idle->tool.line;
    enum err err = read_event(idle, diag);

    if (err == ERR_OK)
        err = read_period(idle, diag);
    if (err == ERR_OK)
        err = read_modes(idle, diag);
    if (err == ERR_OK)
        err = read_least(idle, diag);
    if (err == ERR_OK)
        err = active_sections_read(idle->sections.section, &idle->sections.count, &idle->tool,
                                   OPT_IDLE_SECTION, diag);
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_IDLE_THREAD)
            err = add_threads(idle, line->option[i].value, diag);
    idle->view.is_by_hart = command_value(line, OPT_IDLE_BY_HART) != NULL;
    return err;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static enum err watch_sections(void *arg, struct machine *machine, struct diag *diag)
{
    struct idle *idle = arg;

    return active_sections_begin(&idle->sections, machine, diag);
}

/* Copies the trees, which lie in the machine's memory and are freed with it. */
static enum err take_trees(void *arg, const struct machine *machine, struct diag *diag)
{
    struct idle *idle = arg;
    enum err err = idle_tree_init(&idle->tree, machine->harts, diag);

    if (err == ERR_OK)
        err = active_sections_end(&idle->sections, diag);

    idle->sampler = calloc(machine->harts, sizeof *idle->sampler);
    if (err == ERR_OK && idle->sampler == NULL)
        return diag_no_memory(diag, "samples");
    for (unsigned i = 0; i < machine->harts && err == ERR_OK; i++) {
        const struct kernel_sampler_node *node;
        const struct kernel_sampler *sampler = kernel_sampler_area(machine, i, &node);

        idle->sampler[i] = *sampler;
        err = idle_tree_add(&idle->tree, i, node, sampler->used, idle->records.target->symbols,
                            diag);
    }
    return err;
}

static uint64_t patience(const struct idle *idle)
{
    uint64_t samples = PATIENCE_SAMPLES * idle->view.period_cycles;

    if (idle->tool.options.outside.bytes != 0)        /* which may answer late */
        return 0;
    return samples > PATIENCE_CYCLES ? samples : PATIENCE_CYCLES;
}

static enum err run_sampled(struct idle *idle, uint64_t cycles, struct diag *diag)
{
    const struct kernel_wants wants = {.sampling = &idle->sampling};
    enum err err;

    idle->records = (struct kernel_records){
        .stage = "with samples", .wants_changes = true, .wants = &wants, .patience = cycles,
        .begins = watch_sections, .ended = take_trees, .arg = idle,
    };
    err = kernel_records_take(&idle->records, &idle->tool, diag);
    idle->records.wants = NULL;
    return err;
}

static enum err run_unsampled(struct idle *idle, struct diag *diag)
{
    idle->without = (struct kernel_records){.stage = "without samples", .wants_changes = true};
    return kernel_records_take(&idle->without, &idle->tool, diag);
}

static void free_unsampled(struct idle *idle)
{
    kernel_records_free(&idle->without);
    idle->without = (struct kernel_records){.records = 0};
}

/* In the sampled run, all harts idled for long. The run without samples, which is then the first
 * one, shows whether the program waits for ever; if not, the sampled run is repeated to its end. */
static enum err end_waiting(struct idle *idle, struct diag *diag)
{
    enum err err;

    idle->tool.runs = 0;
    err = run_unsampled(idle, diag);
    if (err != ERR_OK || idle->tool.is_interrupted)
        return err;
    if (idle->tool.end.text[0] != '\0') {
        free_unsampled(idle);           /* which ended at another time */
        return ERR_OK;
    }
    kernel_records_free(&idle->records);
    active_sections_free(&idle->sections);
    idle_tree_free(&idle->tree);
    idle->tree = (struct idle_tree){.nodes = 0};
    free(idle->sampler);
    idle->sampler = NULL;
    return run_sampled(idle, 0, diag);
}

/* The sampled run, then one without samples, for what they change. Both have the records. */
static enum err run_both(struct idle *idle, struct diag *diag)
{
    enum err err = run_sampled(idle, patience(idle), diag);

    if (err == ERR_OK && idle->records.is_given_up)
        err = end_waiting(idle, diag);
    else if (err == ERR_OK && !idle->records.is_cut)
        err = run_unsampled(idle, diag);
    if (idle->without.is_cut)           /* a run cut short is nothing to compare with */
        free_unsampled(idle);
    idle->view.cycles = idle->records.cycles;
    idle->view.cycles_without = idle->without.cycles;
    return err;
}

/* ---- output ---------------------------------------------------------------------------------- */

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    const struct idle *idle = arg;

    return idle_print_json(&idle->view, tool_document(&idle->tool), out, diag);
}

static enum err write_page(void *arg, FILE *out, struct diag *diag)
{
    const struct idle *idle = arg;
    const struct options *options = &idle->tool.options;

    return html_write_data(idle_page(&idle->view, (const char *const *)options->program_argv,
                                     (size_t)options->program_argc), out, diag);
}

static enum err write_folded(void *arg, FILE *out, struct diag *diag)
{
    return idle_tree_folded(arg, out, diag);
}

/* The sampled run: threads, switches, samples, and why harts idle; as in the table, from its
 * beginning. */
static enum err write_traces(const struct idle *idle, const char *chrome, const char *perfetto,
                             struct diag *diag)
{
    struct timeline timeline;
    enum err err;

    if (chrome == NULL && perfetto == NULL)
        return ERR_OK;
    err = kernel_records_timeline(&idle->records, 0, &timeline, diag);
    if (err == ERR_OK)
        err = idle_timeline(&timeline, &idle->charge, idle->tool.target.symbols, diag);
    if (err == ERR_OK)
        err = active_sections_add(&idle->sections, &idle->records, &timeline, diag);
    if (err == ERR_OK)
        err = timeline_files_write(&timeline, chrome, perfetto, diag);
    timeline_free(&timeline);
    return err;
}

static enum err show(struct idle *idle, struct diag *diag)
{
    const char *chrome = command_value(idle->tool.line, OPT_IDLE_CHROME);
    const char *perfetto = command_value(idle->tool.line, OPT_IDLE_PERFETTO);
    const char *json = command_value(idle->tool.line, OPT_IDLE_JSON);
    const char *folded = command_value(idle->tool.line, OPT_IDLE_FOLDED);
    const char *html = command_value(idle->tool.line, OPT_IDLE_HTML);
    const char *records = command_value(idle->tool.line, OPT_IDLE_RECORDS);
    enum err err = kernel_records_write(&idle->records, records, diag);

    idle->view.tree = &idle->tree;
    idle->view.charge = &idle->charge;
    idle->view.charge_without = &idle->charge_without;
    idle->view.sampler = idle->sampler;
    idle->view.symbols = idle->tool.target.symbols;
    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, idle, diag);
    if (err == ERR_OK && html != NULL)
        err = tool_write(html, write_page, idle, diag);
    if (err == ERR_OK && folded != NULL)
        err = tool_write(folded, write_folded, &idle->tree, diag);
    if (err == ERR_OK)
        err = write_traces(idle, chrome, perfetto, diag);
    if (err == ERR_OK && !output_is_stdout(json) && !output_is_stdout(folded) &&
        !output_is_stdout(html) && !output_is_stdout(chrome) && !output_is_stdout(perfetto) &&
        !output_is_stdout(records))
        idle_print(&idle->view, stdout);
    return err;
}

int command_idle(const struct command_line *line)
{
    struct idle idle = {.sampler = NULL};
    struct diag diag = {""};
    enum err err = tool_open(&idle.tool, "idle", line, TOOL_KERNEL, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    idle.tool.told.tells_first = idle.tool.told.tells_others = true;
    idle.tool.shows_output = command_value(line, OPT_IDLE_SHOW_OUTPUT) != NULL;
    err = read_options(&idle, &diag);
    if (err == ERR_OK)
        err = run_both(&idle, &diag);
    if (err == ERR_OK)
        err = kernel_records_charge(&idle.records, &idle.charge, &diag);
    if (err == ERR_OK)
        err = kernel_records_charge(&idle.without, &idle.charge_without, &diag);
    if (err == ERR_OK)
        err = show(&idle, &diag);
    active_sections_free(&idle.sections);
    idle_tree_free(&idle.tree);
    idle_charge_free(&idle.charge);
    idle_charge_free(&idle.charge_without);
    kernel_records_free(&idle.records);
    kernel_records_free(&idle.without);
    free(idle.sampler);
    return tool_end(&idle.tool, err, &diag);
}
