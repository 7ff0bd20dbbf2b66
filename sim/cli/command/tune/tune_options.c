/* The options of `rvsim tune`; see tune.h. */
#include "sim/cli/command/tune/tune.h"

#include "pmu/event.h"

enum { PERIOD_DEFAULT = 10007, HOT_DEFAULT = 5, TOP_DEFAULT = PROF_RANGES, WANTED_DEFAULT = 200 };

/* The fast engine counts instructions and their architectural events only. */
static enum err check_untimed(const struct tune *tune, struct diag *diag)
{
    static const enum command_option_id timed[] = {OPT_TUNE_ONE_RUN, OPT_TUNE_COST};

    for (size_t i = 0; i < sizeof timed / sizeof timed[0]; i++)
        if (command_value(tune->tool.line, timed[i]) != NULL)
            return diag_set(diag, ERR_USAGE, "tune: --%s measures cycles; it needs --mode detailed",
                            command_option_at(timed[i])->name);
    if (tune->event != EVENT_CYCLES && event_is_architectural(tune->event))
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "tune: --event %s needs --mode detailed; in --mode %s no time "
                    "is simulated, but insns_retired, loads and other events of the program are "
                    "counted", event_name(tune->event),
                    options_engine_name(tune->tool.options.engine));
}

static enum err read_event(struct tune *tune, struct diag *diag)
{
    enum err err;

    tune->event = tool_usual_event(&tune->tool);
    err = tool_event(&tune->tool, OPT_TUNE_EVENT, &tune->event, diag);
    return err == ERR_OK && tool_is_fast(&tune->tool) ? check_untimed(tune, diag) : err;
}

/* One counter continues sampling; the others count cycles and the sampled event. */
static void limit_one_run(struct tune *tune)
{
    uint64_t counters = tune->tool.options.config.pmu_counters - 1;

    if (tune_has_event(tune))
        counters /= 2;
    tune->top = tune->top < counters ? tune->top : counters;
}

/* The marks change during the run, so other metadata cannot be kept. */
static enum err read_one_run(struct tune *tune, struct diag *diag)
{
    const struct tool *tool = &tune->tool;

    tune->one_run = command_value(tool->line, OPT_TUNE_ONE_RUN) != NULL;
    tune->wanted = WANTED_DEFAULT;
    if (!tune->one_run && command_value(tool->line, OPT_TUNE_SAMPLES) != NULL)
        return diag_set(diag, ERR_USAGE, "tune: --samples is for --one-run");
    if (tune->one_run && tool->options.meta.count != 0)
        return diag_set(diag, ERR_USAGE, "tune: --one-run takes no --meta");
    if (tune->one_run)
        limit_one_run(tune);
    return tool_number(tool, OPT_TUNE_SAMPLES, 1, UINT32_MAX, &tune->wanted, diag);
}

enum err tune_read_options(struct tune *tune, struct diag *diag)
{
    const struct tool *tool = &tune->tool;
    uint64_t counters = tool->options.config.pmu_counters;
    enum err err = read_event(tune, diag);

    tune->period = PERIOD_DEFAULT;
    tune->hot_percent = HOT_DEFAULT;
    tune->top = TOP_DEFAULT < counters ? TOP_DEFAULT : counters;
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_PERIOD, 1, UINT64_MAX >> 1, &tune->period, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_HOT, 0, 100, &tune->hot_percent, diag);
    if (err == ERR_OK)
        err = tool_number(tool, OPT_TUNE_TOP, 1, tune->top, &tune->top, diag);
    if (err == ERR_OK)
        err = read_one_run(tune, diag);
    if (err == ERR_OK && command_wants(tool->line, OPT_TUNE_COST, OPT_TUNE_NO_COST))
        err = monitoring_check(tool, diag);
    tune->tool.follows_calls = true;
    tune->counts_calls = command_value(tool->line, OPT_TUNE_CALLS) != NULL;
    tune->tool.shows_output = command_value(tool->line, OPT_TUNE_SHOW_OUTPUT) != NULL;
    return err;
}
