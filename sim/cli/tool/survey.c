/* See survey.h. */
#include "sim/cli/tool/survey.h"

#include <stdio.h>

#include "pmu/key.h"
#include "sim/cli/tool/tool.h"
#include "sim/run/kernel/kernel.h"

/* Upper bound of the detailed engine's instructions a cycle. The fast engine, with one instruction
 * a cycle, gets as far in this multiple of the cycles. */
enum { COMMITS_MAX = 16 };

void survey_change(struct options *options)
{
    options->engine = ENGINE_FAST;
    options->config.pmu_oracle = 0;
    options->meta.count = 0;
    options->profile = NULL;
    options->compare = NULL;
    if (options->limits.max_cycles != 0 && options->limits.max_cycles < UINT64_MAX / COMMITS_MAX)
        options->limits.max_cycles *= COMMITS_MAX;
}

static bool may_load(const struct tool *tool)
{
    const struct image *image = &tool->target.image;

    return tool->target.kernel.path != NULL &&
           (image->interpreter != 0 || kernel_may_execute(image));
}

enum err survey_make(struct tool *tool, struct diag *diag)
{
    struct trial trial = {.what = "programs and libraries", .no_monitor = true};
    struct trial_result result;
    enum err err = ERR_OK;

    tool->survey.is_told = true;
    if (!may_load(tool))
        return ERR_OK;
    tool->survey.runs = true;
    err = tool_run(tool, &trial, &result, diag);
    tool->survey.runs = false;
    tool->survey.modules = tool->target.modules;
    tool->shows_nothing = tool->is_interrupted;
    if (err == ERR_OK)
        profile_free(&result.profile);
    return err;
}

static void say_program_alone(const struct tool *tool)
{
    size_t libraries = 0;
    char text[64] = "";

    for (size_t i = 0; i < tool->target.modules; i++)
        libraries += key_program(tool->target.module[i]->image.bias) == 0;
    if (libraries != 0)
        snprintf(text, sizeof text, " of the %zu %s that it loads", libraries,
                 libraries == 1 ? "library" : "libraries");
    fprintf(stderr, "rvsim %s: note: code of the program alone is counted, not that%s%s%s\n",
            tool->name, text, text[0] != '\0' && tool->told.images > 1 ? ", nor" : "",
            tool->told.images > 1 ? " of the programs that it executes" : "");
}

void survey_tell(const struct tool *tool)
{
    const struct survey *survey = &tool->survey;

    if (!survey->is_told || survey->modules >= tool->target.modules)
        return;
    if (survey->modules == 0) {
        say_program_alone(tool);
        return;
    }
    fprintf(stderr, "rvsim %s: note: not counted, as the first run had not loaded it:", tool->name);
    for (size_t i = survey->modules; i < tool->target.modules; i++)
        fprintf(stderr, " %s", symbols_base_name(tool->target.module[i]->image.path));
    fputc('\n', stderr);
}
