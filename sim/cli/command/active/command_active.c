/* rvsim active: active time of code sections, of a program or of records in files. */
#include <stdlib.h>
#include <string.h>

#include "prof/active/active.h"
#include "sim/base/output.h"
#include "sim/cli/command/active/active_report.h"
#include "sim/cli/command/active/active_sections.h"
#include "sim/cli/tool/timeline_files.h"

struct sections { uint32_t *section; size_t count; };

/* ---- which sections -------------------------------------------------------------------------- */

static bool is_section(const struct timeline *timeline, uint32_t name)
{
    for (size_t i = 0; i < timeline->events; i++)
        if (timeline->event[i].name == name && timeline->event[i].kind <= TIMELINE_LEAVE)
            return true;
    return false;
}

/* The names of all entries and exits of the time line. */
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

/* Adds a name, or several with commas between them; a name itself may have commas. */
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

static enum err write_traces(struct timeline *timeline, const struct command_line *line,
                             struct diag *diag)
{
    return timeline_files_write(timeline, command_value(line, OPT_ACTIVE_CHROME),
                                command_value(line, OPT_ACTIVE_PERFETTO), diag);
}

static enum err write_table(void *arg, FILE *out, struct diag *diag)
{
    return timeline_write(arg, out, diag);
}

static enum err write_records(struct timeline *timeline, const struct command_line *line,
                              struct diag *diag)
{
    const char *path = command_value(line, OPT_ACTIVE_RECORDS);

    return path != NULL ? tool_write(path, write_table, timeline, diag) : ERR_OK;
}

/* True unless a requested file goes to standard output. */
static bool shows_tables(const struct command_line *line)
{
    for (unsigned i = 0; i < line->options; i++) {
        enum command_option_id id = line->option[i].id;

        if ((id == OPT_ACTIVE_JSON || id == OPT_ACTIVE_CHROME || id == OPT_ACTIVE_PERFETTO ||
             id == OPT_ACTIVE_RECORDS) && output_is_stdout(line->option[i].value))
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
    if (err == ERR_OK && shows_tables(line))
        err = active_print(&view, stdout, diag);
    active_free(&active);
    return err;
}

/* ---- of a program ---------------------------------------------------------------------------- */

static enum err name_functions(struct active_run_all *all, const struct tool *tool,
                               struct diag *diag)
{
    enum err err = active_sections_read(all->section, &all->sections, tool, OPT_ACTIVE_SECTION,
                                        diag);

    if (err == ERR_OK && all->sections == 0)
        err = diag_set(diag, ERR_USAGE, "active: expected --section FUNCTION");
    return err;
}

static enum err write_report(void *arg, FILE *out, struct diag *diag)
{
    return active_report_json(arg, out, diag);
}

/* Lists each activation, as measured by the probes. */
static enum err list(const struct active_run_all *all, FILE *out, struct diag *diag)
{
    const struct timeline *timeline = &all->timeline[ACTIVE_PROBES];
    uint32_t section[ACTIVE_SECTIONS];
    struct active_view view = {
        .active = &all->active[ACTIVE_PROBES], .timeline = timeline, .section = section,
        .lists = true,
    };

    for (unsigned i = 0; i < all->sections; i++) {
        long name = names_find(&timeline->name, all->section[i].name);

        if (name != NAMES_NONE)
            section[view.sections++] = (uint32_t)name;
    }
    fputs("\nAs the probes saw it\n", out);
    return active_print(&view, out, diag);
}

static enum err show_run(struct active_run_all *all, const struct command_line *line,
                         struct diag *diag)
{
    const char *json = command_value(line, OPT_ACTIVE_JSON);
    enum err err = write_traces(&all->timeline[ACTIVE_ORACLE], line, diag);

    if (err == ERR_OK)
        err = write_records(&all->timeline[ACTIVE_PROBES], line, diag);
    if (err == ERR_OK && json != NULL)
        err = tool_write(json, write_report, all, diag);
    if (err != ERR_OK || !shows_tables(line))
        return err;
    active_report_print(all, stdout);
    return command_value(line, OPT_ACTIVE_LIST) != NULL ? list(all, stdout, diag) : ERR_OK;
}

static int of_program(const struct command_line *line)
{
    struct active_run_all all = {.sections = 0};
    struct diag diag = {""};
    struct tool tool;
    enum err err = tool_open(&tool, "active", line, TOOL_KERNEL, &diag);

    if (err != ERR_OK)
        return command_error(err, &diag);
    tool.shows_output = command_value(line, OPT_ACTIVE_SHOW_OUTPUT) != NULL;
    err = name_functions(&all, &tool, &diag);
    if (err == ERR_OK) {
        err = active_run(&all, &tool, &diag);
        if (err == ERR_OK)
            err = show_run(&all, line, &diag);
        active_run_free(&all);
    }
    return tool_end(&tool, err, &diag);
}

/* ---- of files -------------------------------------------------------------------------------- */

static int of_files(const struct command_line *line)
{
    struct sections sections = {NULL, 0};
    struct timeline timeline;
    struct diag diag = {""};
    enum err err;

    timeline_init(&timeline);
    err = read_records(&timeline, line, &diag);
    if (err == ERR_OK)
        err = find_sections(&sections, &timeline, line, &diag);
    if (err == ERR_OK)
        err = write_traces(&timeline, line, &diag);
    if (err == ERR_OK)
        err = write_records(&timeline, line, &diag);
    if (err == ERR_OK)
        err = show(&timeline, &sections, line, &diag);
    free(sections.section);
    timeline_free(&timeline);
    fflush(stdout);
    return err == ERR_OK ? 0 : command_error(err, &diag);
}

int command_active(const struct command_line *line)
{
    bool has_program = line->runs > 1, has_files = command_value(line, OPT_ACTIVE_FROM) != NULL;

    if (has_program == has_files)
        return command_misuse("active: expected --section FUNCTION and a program, or --from FILE");
    return has_program ? of_program(line) : of_files(line);
}
