/* rvsim whatif: the gains of possible improvements.
 *
 * The program runs once unchanged and once for each change of the machine. The runs are identical
 * except for the change, so the difference in cycles is its gain. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command/whatif/whatif.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* The unchanged run also gives the routines worth a try. A run that was interrupted is no valid
 * base; its cycles until then are shown, and the changes that would be tried. */
static enum err measure_base(struct whatif *whatif, struct diag *diag)
{
    const struct trial trial = {.what = "as it is"};
    struct trial_result result;
    enum err err = tool_run(&whatif->tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    whatif->has_base = result.profile.instructions != 0;
    whatif->base_cycles = result.cycles;
    whatif->base_instructions = result.profile.instructions;
    whatif->base_parts = result.parts;
    whatif->is_cut = result.end == RESULT_MAX_CYCLES;
    whatif->tool.told.tells_others = true;
    if (whatif->changes == 0 && whatif->has_base)
        err = changes_propose(whatif, &result.profile, diag);
    profile_free(&result.profile);
    return err;
}

static enum err run_change(struct whatif *whatif, const struct change *change,
                           const struct config *config, struct trial_result *result,
                           struct diag *diag)
{
    struct trial trial = {.what = change->text, .config = config};
    struct speeds speeds;
    bool is_faster;
    enum err err = speeds_open(&speeds, whatif, change, &is_faster, diag);

    if (err != ERR_OK)
        return err;
    trial.faster = is_faster ? &speeds.faster : NULL;
    if (is_faster && !faster_begin(&speeds.faster, config->machine_harts))
        err = diag_no_memory(diag, "routines");
    if (err == ERR_OK)
        err = tool_run(&whatif->tool, &trial, result, diag);
    speeds_close(&speeds);
    return err;
}

static enum err measure(struct whatif *whatif, struct change *change, struct diag *diag)
{
    struct trial_result result;
    struct config config;
    enum err err = changes_machine(whatif, change, &config, diag);

    if (err == ERR_OK)
        err = run_change(whatif, change, &config, &result, diag);
    if (err != ERR_OK)
        return err;
    if (!whatif->tool.is_interrupted) {
        change->cycles = result.cycles;
        change->instructions = result.profile.instructions;
        change->parts = result.parts;
        change->is_known = true;
        whatif->is_cut |= result.end == RESULT_MAX_CYCLES;
    }
    profile_free(&result.profile);
    return err;
}

/* Before the first run: a mistake should not cost one. */
static enum err check_together(const struct whatif *whatif, struct diag *diag)
{
    const struct change *last = whatif->changes != 0 ? &whatif->change[whatif->changes - 1] : NULL;
    struct speeds speeds;
    bool is_any;
    enum err err = ERR_OK;

    if (last != NULL && last->kind == CHANGE_TOGETHER) {
        err = speeds_open(&speeds, whatif, last, &is_any, diag);
        if (err == ERR_OK)
            speeds_close(&speeds);
    }
    return err;
}

static enum err measure_all(struct whatif *whatif, struct diag *diag)
{
    enum err err = check_together(whatif, diag);

    if (err == ERR_OK)
        err = measure_base(whatif, diag);
    for (unsigned i = 0; i < whatif->changes && err == ERR_OK; i++)
        if (!whatif->tool.is_interrupted)
            err = measure(whatif, &whatif->change[i], diag);
    return err;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum err show(struct whatif *whatif, const struct tool_files *files, struct diag *diag)
{
    whatif->tool.shows_nothing = !whatif->has_base;
    if (!whatif->has_base)
        return ERR_OK;
    whatif_sort(whatif);
    if (!tool_files_take_output(files))
        whatif_print(whatif, stdout);
    return tool_files_write(files, whatif_write_csv, whatif_write_json, whatif, diag);
}

static enum err run(struct whatif *whatif, struct diag *diag)
{
    const struct tool_files files = {command_value(whatif->tool.line, OPT_WHATIF_CSV),
                                     command_value(whatif->tool.line, OPT_WHATIF_JSON)};
    enum err err = tool_files_check(&files, diag);

    if (whatif->tool.options.profile != NULL)
        return diag_set(diag, ERR_USAGE, "whatif: --profile is for a single run");
    whatif->tool.shows_output = command_value(whatif->tool.line, OPT_WHATIF_SHOW_OUTPUT) != NULL;
    if (err == ERR_OK)
        err = changes_read(whatif, diag);
    if (err == ERR_OK)
        err = measure_all(whatif, diag);
    return err == ERR_OK ? show(whatif, &files, diag) : err;
}

/* The words of the run with --set for each --base; the caller frees. NULL: no memory. */
static char **words_with_base(const struct command_line *line, int *words)
{
    char **word = calloc((size_t)line->runs + 2 * (size_t)line->options + 1, sizeof *word);
    int count = 0;

    if (word == NULL)
        return NULL;
    word[count++] = line->run[0];
    for (unsigned i = 0; i < line->options; i++) {
        if (line->option[i].id != OPT_WHATIF_BASE)
            continue;
        word[count++] = (char *)(uintptr_t)"--set";
        word[count++] = (char *)(uintptr_t)line->option[i].value;
    }
    for (int i = 1; i < line->runs; i++)
        word[count++] = line->run[i];
    *words = count;
    return word;
}

int command_whatif(const struct command_line *given)
{
    struct whatif whatif = {.changes = 0};
    struct command_line line = *given;
    struct diag diag = {""};
    int status;
    enum err err = ERR_OK;

    line.run = words_with_base(given, &line.runs);
    if (line.run == NULL)
        err = diag_no_memory(&diag, "the command line");
    if (err == ERR_OK)
        err = tool_open(&whatif.tool, "whatif", &line, TOOL_CYCLES, &diag);
    if (err != ERR_OK) {
        free(line.run);
        return command_error(err, &diag);
    }
    err = run(&whatif, &diag);
    changes_free(&whatif);
    status = tool_end(&whatif.tool, err, &diag);
    free(line.run);
    return status;
}
