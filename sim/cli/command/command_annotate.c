/* rvsim annotate: source and instructions of routines, with the measurements of a profile. */
#include <stdlib.h>
#include <string.h>

#include "prof/annotate/annotate.h"
#include "prof/profile/json.h"
#include "sim/cli/command/annotate.h"
#include "sim/cli/job/around.h"
#include "sim/cli/terminal/style.h"
#include "sim/cli/tool/opened.h"
#include "sim/cli/tool/tool.h"

enum { TOP_DEFAULT = 3 };

struct listing {
    struct annotate_view view;
    const char *routine;            /* NULL: the hottest */
    size_t top;                     /* number of routines; 0: all */
    const struct symbols_entry **entry;     /* [entries] to show */
    size_t entries;
    const struct picture *picture;  /* of --around; NULL: none */
    struct annotate_routine rest;
    uint64_t shown[POINTS_MEASURES];
};

/* ---- which routines -------------------------------------------------------------------------- */

/* Of the program, else of its kernel. */
static enum err choose_named(struct listing *listing, struct diag *diag)
{
    const struct symbols *symbols = listing->view.symbols, *from = symbols;

    for (; from != NULL && listing->entries == 0; from = symbols_beside(from)) {
        free(listing->entry);
        listing->entry = symbols_functions(from, listing->routine, &listing->entries);
        if (listing->entry == NULL)
            return diag_no_memory(diag, "routines");
    }
    if (listing->entries != 0)
        return ERR_OK;
    diag_set(diag, ERR_USAGE, "no routine '%s' in %s", listing->routine,
             listing->view.profile->program);
    return symbols_suggest(symbols, listing->routine, ERR_USAGE, diag);
}

static enum err choose(struct listing *listing, struct diag *diag)
{
    struct annotate_routine *routine = NULL;
    size_t routines = 0;
    enum err err = annotate_routines(listing->view.points, listing->view.symbols, &routine,
                                     &routines, &listing->rest, diag);

    if (err == ERR_OK && listing->routine != NULL) {
        err = choose_named(listing, diag);
    } else if (err == ERR_OK) {
        listing->entries = listing->top != 0 && listing->top < routines ? listing->top : routines;
        listing->entry = calloc(routines + 1, sizeof *listing->entry);
        if (listing->entry == NULL)
            err = diag_no_memory(diag, "routines");
        for (size_t i = 0; err == ERR_OK && i < listing->entries; i++)
            listing->entry[i] = routine[i].entry;
    }
    free(routine);
    return err;
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef enum err show_routine(void *arg, const struct annotate_view *view,
                              const struct annotate *annotate, struct diag *diag);

static enum err each_routine(struct listing *listing, show_routine *show, void *arg,
                             struct diag *diag)
{
    enum err err = ERR_OK;

    memset(listing->shown, 0, sizeof listing->shown);
    for (size_t i = 0; i < listing->entries && err == ERR_OK; i++) {
        struct annotate annotate;

        err = annotate_make(&annotate, listing->entry[i], listing->view.points,
                            listing->view.symbols, diag);
        if (err != ERR_OK)
            return err;
        for (unsigned k = 0; k < POINTS_MEASURES; k++)
            listing->shown[k] += annotate.value[k];
        err = show(arg, &listing->view, &annotate, diag);
        annotate_free(&annotate);
    }
    return err;
}

static enum err print_one(void *arg, const struct annotate_view *view,
                          const struct annotate *annotate, struct diag *diag)
{
    (void)arg;
    return annotate_print(view, annotate, diag);
}

static enum err print(struct listing *listing, struct diag *diag)
{
    enum err err = each_routine(listing, print_one, NULL, diag);

    if (err == ERR_OK && listing->routine == NULL)
        annotate_print_totals(&listing->view, listing->shown, &listing->rest);
    if (err == ERR_OK && listing->picture != NULL)
        picture_print(listing->picture, listing->view.symbols, listing->view.out);
    return err;
}

static enum err add_one(void *array, const struct annotate_view *view,
                        const struct annotate *annotate, struct diag *diag)
{
    return annotate_add_json(array, view, annotate, true, diag);
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    struct listing *listing = arg;
    cJSON *root = json_document();
    enum err err;

    cJSON_AddStringToObject(root, "program",
                            symbols_base_name(listing->view.profile->program));
    annotate_add_totals(root, &listing->view, &listing->rest);
    err = each_routine(listing, add_one, cJSON_AddArrayToObject(root, "routines"), diag);
    if (err == ERR_OK && listing->picture != NULL)
        err = picture_add_json(root, listing->picture, listing->view.symbols, diag);
    if (err == ERR_OK)
        return json_print(root, out, diag);
    cJSON_Delete(root);
    return err;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static struct annotate_style style_for(FILE *out)
{
    struct style style = style_of(out);

    return (struct annotate_style){.bold = style.bold, .hot = style.bad, .warm = style.word,
                                   .source = style.dim, .off = style.off};
}

static enum err show(const struct report *report, struct listing *listing, const char *events,
                     struct sources *sources, const struct tool_files *files, struct diag *diag)
{
    struct points points;
    enum err err = points_make(&points, report->profile, events, diag);

    if (err != ERR_OK)
        return err;
    sources->program = report->profile->program;
    listing->view = (struct annotate_view){
        .profile = report->profile, .points = &points, .symbols = report->symbols,
        .sources = sources, .style = style_for(report->out), .out = report->out};
    err = choose(listing, diag);
    if (err == ERR_OK && !tool_files_take_output(files))
        err = print(listing, diag);
    if (err == ERR_OK)
        err = tool_files_write(files, NULL, write_json, listing, diag);
    free(listing->entry);
    sources_free(sources);
    points_free(&points);
    return err;
}

enum err annotate_report(const struct report *report, const char *routine, struct diag *diag)
{
    struct listing listing = {.routine = routine};
    struct sources sources = {.directory = NULL};
    const struct tool_files files = {NULL, NULL};

    return show(report, &listing, NULL, &sources, &files, diag);
}

static enum err read_options(struct listing *listing, const struct command_line *line,
                             const struct tool_files *files, struct diag *diag)
{
    uint64_t routines = TOP_DEFAULT;
    enum err err = command_number("annotate", line, OPT_ANNOTATE_TOP, 0, UINT32_MAX, &routines,
                                  diag);

    if (err != ERR_OK)
        return err;
    listing->routine = line->words == 2 ? line->word[1] : NULL;
    if (command_value(line, OPT_ANNOTATE_TOP) != NULL && listing->routine != NULL)
        return diag_set(diag, ERR_USAGE, "annotate: --top is for the hottest routines, without "
                        "ROUTINE");
    listing->top = routines;
    return tool_files_check(files, diag);
}

/* Lists the picture's routine, unless another was requested. */
static enum err look_around(struct listing *listing, struct picture *picture,
                            struct opened *opened, const char *around, struct diag *diag)
{
    enum err err = around_make(picture, opened, around, "annotate", diag);
    const struct symbols_entry *entry;

    if (err != ERR_OK)
        return err;
    listing->picture = picture;
    entry = symbols_at(opened->target.symbols, picture->insn[picture->focus].pc);
    if (listing->routine == NULL && entry != NULL)
        listing->routine = entry->name;
    return ERR_OK;
}

int command_annotate(const struct command_line *line)
{
    const struct tool_files files = {NULL, command_value(line, OPT_ANNOTATE_JSON)};
    struct sources sources = {.directory = command_value(line, OPT_ANNOTATE_SOURCE)};
    struct listing listing = {.entries = 0};
    const char *around = command_value(line, OPT_ANNOTATE_AROUND);
    struct picture picture;
    struct diag diag = {""};
    struct opened opened;
    enum err err;

    if (line->words != 1 && line->words != 2)
        return command_misuse("annotate: expected FILE, as `rvsim --profile FILE` writes it, and "
                              "at most one ROUTINE");
    err = read_options(&listing, line, &files, &diag);
    if (err == ERR_OK)
        err = opened_read(&opened, line->word[0], command_value(line, OPT_ANNOTATE_PROGRAM), &diag);
    if (err != ERR_OK)
        return command_error(err, &diag);
    const struct report report = {.profile = &opened.profile, .symbols = opened.target.symbols,
                                  .out = stdout};
    if (around != NULL)
        err = look_around(&listing, &picture, &opened, around, &diag);
    if (err == ERR_OK)
        err = show(&report, &listing, command_value(line, OPT_ANNOTATE_EVENT), &sources, &files,
                   &diag);
    opened_close(&opened);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
