/* rvsim view: a run shown cycle by cycle, in a window or terminal; or a picture of one cycle. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/config_read.h"
#include "sim/cli/job/job.h"
#include "sim/cli/terminal/signals.h"
#include "sim/cli/tool/tool.h"
#include "sim/view/serve.h"
#include "sim/view/view.h"

enum { CELLS_LEAST = 40, ROWS_LEAST = 12, CELLS_MOST = 1000, EXIT_SIGNAL = 128 };
#define SCALE_LEAST 0.5
#define SCALE_MOST 8.0

struct view_command_run {
    struct tool tool;
    bool is_silent;                 /* the viewer uses the terminal */
    struct view_link *link;         /* of the machine's process */
    struct view view;
};

/* ---- the machine's process ------------------------------------------------------------------- */

/* Going back restores the positions of files, which the viewer shares, so it closes its streams. */
static void close_streams(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(NULL);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static enum err serve(void *arg, struct job *job, const struct limits *limits, struct diag *diag)
{
    const struct view_command_run *run = arg;

    close_streams();
    return serve_run(run->link, &job->machine, &job->target, limits, job->output, diag);
}

static enum err change(struct config *config, const char *const *set, struct diag *diag)
{
    enum err err = ERR_OK;

    for (; *set != NULL && err == ERR_OK; set++)
        err = config_set(config, *set, diag);
    return err == ERR_OK ? config_check(config, diag) : err;
}

static enum err start(void *arg, struct view_link *link, const char *const *set,
                      struct diag *diag)
{
    struct view_command_run *run = arg;
    struct config config = run->tool.options.config;
    const struct trial trial = {.what = "view", .slices = serve, .slices_arg = run,
                                .config = &config, .is_shown = true, .output = tmpfile()};
    struct trial_result result;
    enum err err = change(&config, set, diag);

    if (run->is_silent)
        close_streams();
    run->link = link;
    if (err == ERR_OK && trial.output == NULL)
        err = diag_set(diag, ERR_IO, "view: no file for the program's output");
    if (err == ERR_OK)
        err = tool_run(&run->tool, &trial, &result, diag);
    if (err == ERR_OK)
        profile_free(&result.profile);
    return err;
}

/* ---- options --------------------------------------------------------------------------------- */

static enum err read_size(const char *text, struct files_shape *shape, struct diag *diag)
{
    char *end = NULL;
    unsigned long width = text != NULL ? strtoul(text, &end, 10) : 0, height = 0;

    if (text == NULL)
        return ERR_OK;
    if (*end == 'x')
        height = strtoul(end + 1, &end, 10);
    if (*end != '\0' || width < CELLS_LEAST || height < ROWS_LEAST || width > CELLS_MOST ||
        height > CELLS_MOST)
        return diag_set(diag, ERR_USAGE, "view: --size %s: expected COLUMNSxROWS, such as 160x48; "
                        "from %dx%d to %dx%d", text, CELLS_LEAST, ROWS_LEAST, CELLS_MOST,
                        CELLS_MOST);
    shape->width = (unsigned)width;
    shape->height = (unsigned)height;
    return ERR_OK;
}

static enum err read_scale(const char *text, double *scale, struct diag *diag)
{
    char *end = NULL;

    if (text == NULL)
        return ERR_OK;
    *scale = strtod(text, &end);
    if (*end == '\0' && *scale >= SCALE_LEAST && *scale <= SCALE_MOST)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "view: --scale %s: expected a number from %.1f to %.0f", text,
                    SCALE_LEAST, SCALE_MOST);
}

static enum err read_options(struct view_command_run *run, struct diag *diag)
{
    const struct command_line *line = run->tool.line;
    const struct options *options = &run->tool.options;
    struct view *view = &run->view;
    uint64_t hart = 0;
    enum err err = ERR_OK;

    if (options->engine != ENGINE_DETAILED)
        err = diag_set(diag, ERR_USAGE, "view: shows the pipeline; it needs --mode detailed");
    if (err == ERR_OK && (options->profile != NULL || options->roi_end != NULL))
        err = diag_set(diag, ERR_USAGE, "view: --profile and --roi-end are for a plain run");
    if (err == ERR_OK && options->outside.bytes != 0)
        err = diag_set(diag, ERR_USAGE, "view: goes back, and what was sent by --connect cannot");
    if (err == ERR_OK)
        err = tool_number(&run->tool, OPT_VIEW_AT, 0, UINT64_MAX / 2, &view->cycle, diag);
    if (err == ERR_OK)
        err = tool_number(&run->tool, OPT_VIEW_INSN, 0, UINT64_MAX / 2, &view->insn, diag);
    if (err == ERR_OK && view->cycle != 0 && view->insn != 0)
        err = diag_set(diag, ERR_USAGE, "view: --at and --insn are two places; expected one");
    if (err == ERR_OK)
        err = tool_number(&run->tool, OPT_VIEW_HART, 0, VIEW_HARTS - 1, &hart, diag);
    view->hart = (unsigned)hart;
    if (err == ERR_OK)
        err = read_size(command_value(line, OPT_VIEW_SIZE), &view->shape, diag);
    if (err == ERR_OK)
        err = read_scale(command_value(line, OPT_VIEW_SCALE), &view->scale, diag);
    view->shape.is_light = command_value(line, OPT_VIEW_LIGHT) != NULL;
    return err;
}

/* The last component of the path without its suffix: "my.ini" is "my". */
static void name_machine(const struct options *options, char name[VIEW_NAME])
{
    const char *given = options->config_name != NULL ? options->config_name : "default";
    const char *slash = strrchr(given, '/');

    snprintf(name, VIEW_NAME, "%.31s", slash != NULL ? slash + 1 : given);
    if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".ini") == 0)
        name[strlen(name) - 4] = '\0';
}

int command_view(const struct command_line *line)
{
    const char *save = command_value(line, OPT_VIEW_SAVE);
    bool is_text = command_value(line, OPT_VIEW_TUI) != NULL;
    struct view_command_run *run = calloc(1, sizeof *run);
    struct diag diag = {""};
    char machine[VIEW_NAME];
    enum err err = run != NULL ? tool_open(&run->tool, "view", line, TOOL_EVENTS, &diag)
                               : diag_no_memory(&diag, "the view");
    int status, ended_by = 0;

    if (err == ERR_OK)
        err = read_options(run, &diag);
    if (err == ERR_OK && save != NULL)
        err = view_check_name(save, &diag);
    if (err != ERR_OK) {
        free(run);
        return command_error(err, &diag);
    }
    run->tool.progress.is_on = false;
    name_machine(&run->tool.options, machine);
    run->is_silent = is_text && save == NULL;
    run->view.start = start;
    run->view.arg = run;
    run->view.machine = machine;
    run->view.config = &run->tool.options.config;
    signals_release();          /* a viewer holds them; the machine notices that it has ended */
    err = save != NULL ? view_save(&run->view, save, &diag)
                       : view_show(&run->view, is_text ? "tui" : "sdl", &ended_by, &diag);
    tool_close(&run->tool);
    status = tool_status(&run->tool, err, &diag);
    if (err == ERR_OK && ended_by != 0)
        status = EXIT_SIGNAL + ended_by;
    free(run);
    return status;
}
