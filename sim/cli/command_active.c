/* rvsim active: active time of code sections, of records in files. */
#include <stdlib.h>
#include <string.h>

#include "prof/active/active.h"
#include "prof/timeline/timeline_trace.h"
#include "sim/cli/tool.h"

struct sections { uint32_t *section; size_t count; };

/* ---- which sections -------------------------------------------------------------------------- */

static bool is_section(const struct timeline *timeline, uint32_t name)
{
    for (size_t i = 0; i < timeline->events; i++)
        if (timeline->event[i].name == name && timeline->event[i].kind <= TIMELINE_LEAVE)
            return true;
    return false;
}

/* The names that some entry or exit of the time line has. */
static enum err all_sections(struct sections *sections, const struct timeline *timeline,
                             struct diag *diag)
{
    sections->section = malloc((timeline->name.count + 1) * sizeof *sections->section);
    if (sections->section == NULL)
        return diag_no_memory(diag, "sections");
    for (size_t i = 0; i < timeline->name.count; i++)
        if (is_section(timeline, (uint32_t)i))
            sections->section[sections->count++] = (uint32_t)i;
    return ERR_OK;
}

static enum err add_section(struct sections *sections, const struct timeline *timeline,
                            const char *name, struct diag *diag)
{
    struct names_walk walk = {&timeline->name, 0};
    long number = names_find(&timeline->name, name);

    if (number == NAMES_NONE) {
        diag_set(diag, ERR_USAGE, "--section %s: no record of it", name);
        return diag_suggest(diag, ERR_USAGE, name, names_next, &walk);
    }
    for (size_t i = 0; i < sections->count; i++)
        if (sections->section[i] == (uint32_t)number)
            return ERR_OK;
    sections->section[sections->count++] = (uint32_t)number;
    return ERR_OK;
}

/* A name, or several with commas between them; a name may have commas, too. */
static enum err add_sections(struct sections *sections, const struct timeline *timeline,
                             const char *text, struct diag *diag)
{
    char *copy, *rest, *name;
    enum err err = ERR_OK;

    if (names_find(&timeline->name, text) != NAMES_NONE)
        return add_section(sections, timeline, text, diag);
    rest = copy = strdup(text);
    if (copy == NULL)
        return diag_no_memory(diag, "sections");
    while (err == ERR_OK && (name = strsep(&rest, ",")) != NULL)
        err = add_section(sections, timeline, name, diag);
    free(copy);
    return err;
}

static enum err find_sections(struct sections *sections, const struct timeline *timeline,
                              const struct command_line *line, struct diag *diag)
{
    enum err err = all_sections(sections, timeline, diag);

    if (err != ERR_OK || command_value(line, OPT_ACTIVE_SECTION) == NULL)
        return err;
    sections->count = 0;
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_ACTIVE_SECTION)
            err = add_sections(sections, timeline, line->option[i].value, diag);
    return err;
}

/* ---- from files ------------------------------------------------------------------------------ */

static enum err read_records(struct timeline *timeline, const struct command_line *line,
                             struct diag *diag)
{
    const char *unit = command_value(line, OPT_ACTIVE_UNIT);
    const char *overhead = command_value(line, OPT_ACTIVE_OVERHEAD);
    enum err err = ERR_OK;

    if (unit != NULL)
        timeline->unit = unit;
    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_ACTIVE_FROM)
            err = timeline_read(timeline, line->option[i].value, diag);
    if (err == ERR_OK && overhead != NULL)
        err = timeline_set_overheads(timeline, overhead, diag);
    return err == ERR_OK ? timeline_sort(timeline, diag) : err;
}

static enum err write_json(void *arg, FILE *out, struct diag *diag)
{
    return active_print_json(arg, out, diag);
}

static enum err write_chrome(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_chrome(arg, out, diag);
}

static enum err write_perfetto(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write_perfetto(arg, out, diag);
}

static enum err write_traces(struct timeline *timeline, const struct command_line *line,
                             struct diag *diag)
{
    const char *chrome = command_value(line, OPT_ACTIVE_CHROME);
    const char *perfetto = command_value(line, OPT_ACTIVE_PERFETTO);
    enum err err = ERR_OK;

    if (chrome != NULL)
        err = tool_write(chrome, write_chrome, timeline, diag);
    if (err == ERR_OK && perfetto != NULL)
        err = tool_write(perfetto, write_perfetto, timeline, diag);
    return err;
}

/* No file that was asked for goes to standard output. */
static bool has_output(const struct command_line *line)
{
    for (unsigned i = 0; i < line->options; i++) {
        enum command_option_id id = line->option[i].id;

        if ((id == OPT_ACTIVE_JSON || id == OPT_ACTIVE_CHROME || id == OPT_ACTIVE_PERFETTO) &&
            strcmp(line->option[i].value, "-") == 0)
            return false;
    }
    return true;
}

static enum err show(const struct timeline *timeline, const struct sections *sections,
                     const struct command_line *line, struct diag *diag)
{
    const char *json = command_value(line, OPT_ACTIVE_JSON);
    struct active active;
    struct active_view view = {
        .active = &active, .timeline = timeline, .section = sections->section,
        .sections = sections->count, .lists = command_value(line, OPT_ACTIVE_LIST) != NULL,
    };
    enum err err = active_make(&active, timeline, diag);

    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_json, &view, diag);
    if (err == ERR_OK && has_output(line))
        err = active_print(&view, stdout, diag);
    active_free(&active);
    return err;
}

int command_active(const struct command_line *line)
{
    struct sections sections = {NULL, 0};
    struct timeline timeline;
    struct diag diag = {""};
    enum err err;

    if (line->words != 0 || command_value(line, OPT_ACTIVE_FROM) == NULL)
        return command_misuse("active: expected --from FILE.csv");
    timeline_init(&timeline);
    err = read_records(&timeline, line, &diag);
    if (err == ERR_OK)
        err = find_sections(&sections, &timeline, line, &diag);
    if (err == ERR_OK)
        err = write_traces(&timeline, line, &diag);
    if (err == ERR_OK)
        err = show(&timeline, &sections, line, &diag);
    free(sections.section);
    timeline_free(&timeline);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}
