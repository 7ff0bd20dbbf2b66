/* See active_sections.h. */
#include "sim/cli/command/active/active_sections.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/cli/tool/kernel_records.h"
#include "sim/run/kernel/kernel.h"

/* ---- the command line ------------------------------------------------------------------------ */

struct reader { struct active_section *section; unsigned *sections; const struct tool *tool; };

static enum err add_function(const struct reader *reader, const char *name, struct diag *diag)
{
    const struct symbols *symbols = reader->tool->target.symbols;
    const struct symbols_entry *entry = symbols_find(symbols, name);
    char reason[SYMBOLS_REASON];

    if (entry == NULL || !entry->is_function) {
        diag_set(diag, ERR_USAGE, "--section %s: %s%s", name,
                 symbols_reason(symbols, name, "function", reason),
                 kernel_may_execute(&reader->tool->target.image)
                     ? " of the program itself; a probe is set before it runs, when libraries and "
                       "executed programs have no memory yet" : "");
        return symbols_suggest(symbols, name, ERR_USAGE, diag);
    }
    for (unsigned i = 0; i < *reader->sections; i++)
        if (reader->section[i].address == entry->address)
            return ERR_OK;
    if (*reader->sections == ACTIVE_SECTIONS)
        return diag_set(diag, ERR_USAGE, "--section: more than %d sections", ACTIVE_SECTIONS);
    reader->section[(*reader->sections)++] = (struct active_section){entry->name, entry->address};
    return ERR_OK;
}

/* The length of the first name of a list. Commas separate functions, but C++ names have some, too:
 * the longest beginning that names a function is taken, or, for the message, the text up to the
 * first comma outside of parentheses. text: changed meanwhile. */
static size_t name_length(const struct symbols *symbols, char *text)
{
    size_t end = strlen(text);
    int depth = 0;

    for (bool is_found = false; end != 0; end--) {
        char after = text[end];

        if (after != ',' && after != '\0')
            continue;
        text[end] = '\0';
        is_found = symbols_find(symbols, text) != NULL;
        text[end] = after;
        if (is_found)
            return end;
    }
    while (text[end] != '\0' && (text[end] != ',' || depth > 0)) {
        depth += (strchr("(<[", text[end]) != NULL) - (strchr(")>]", text[end]) != NULL);
        end++;
    }
    return end;
}

static enum err add_functions(const struct reader *reader, const char *text, struct diag *diag)
{
    char *copy = strdup(text), *at = copy;
    enum err err = ERR_OK;
    bool is_last = false;

    if (copy == NULL)
        return diag_no_memory(diag, "sections");
    while (err == ERR_OK && !is_last) {
        size_t length = name_length(reader->tool->target.symbols, at);

        is_last = at[length] == '\0';
        at[length] = '\0';
        err = add_function(reader, at, diag);
        at += length + 1;
    }
    free(copy);
    return err;
}

enum err active_sections_read(struct active_section section[ACTIVE_SECTIONS], unsigned *sections,
                              const struct tool *tool, enum command_option_id id,
                              struct diag *diag)
{
    const struct reader reader = {section, sections, tool};
    const struct command_line *line = tool->line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == id)
            err = add_functions(&reader, line->option[i].value, diag);
    return err;
}

/* ---- the run --------------------------------------------------------------------------------- */

enum err active_sections_begin(struct active_sections *sections, struct machine *machine,
                               struct diag *diag)
{
    if (sections->count == 0)
        return ERR_OK;
    timeline_init(&sections->seen);
    return active_oracle_open(&sections->oracle, machine, sections->section, sections->count,
                              &sections->seen)
               ? ERR_OK : diag_no_memory(diag, "sections");
}

enum err active_sections_end(struct active_sections *sections, struct diag *diag)
{
    return sections->oracle != NULL ? active_oracle_end(sections->oracle, diag) : ERR_OK;
}

void active_sections_free(struct active_sections *sections)
{
    if (sections->oracle == NULL)
        return;
    active_oracle_free(sections->oracle);
    sections->oracle = NULL;
    timeline_free(&sections->seen);
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* The records of one hart, in their order. */
struct hart_records { const struct kernel_record **record; size_t records; };

/* NULL: no memory. */
static struct hart_records *by_hart(const struct kernel_records *records)
{
    struct hart_records *hart = calloc(records->harts, sizeof *hart);
    bool fits = hart != NULL;

    for (size_t i = 0; i < records->harts && fits; i++) {
        hart[i].record = malloc((records->records + 1) * sizeof(const struct kernel_record *));
        fits = hart[i].record != NULL;
        for (size_t k = 0; k < records->records && fits; k++)
            if (records->record[k].hart == i)
                hart[i].record[hart[i].records++] = &records->record[k];
    }
    for (size_t i = 0; i < records->harts && !fits && hart != NULL; i++)
        free(hart[i].record);
    if (!fits)
        free(hart);
    return fits ? hart : NULL;
}

static bool is_up_to(const void *row, const void *cycle)
{
    const struct kernel_record *const *record = row;

    return (*record)->cycle <= *(const uint64_t *)cycle;
}

/* The order of the hart's last record up to the cycle: what happened then was after it. */
static uint64_t order_at(const struct hart_records *hart, uint64_t cycle)
{
    size_t place = sorted_place(hart->record, hart->records, sizeof hart->record[0], is_up_to,
                                &cycle);

    return place != 0 ? hart->record[place - 1]->order : 0;
}

static enum err add_event(const struct timeline *seen, const struct timeline_event *event,
                          const struct hart_records *hart, struct timeline *timeline,
                          struct diag *diag)
{
    struct timeline_event own = *event;
    enum err err = names_add(&timeline->thread, seen->thread.text[event->thread], &own.thread,
                             diag);

    if (err == ERR_OK)
        err = names_add(&timeline->name, seen->name.text[event->name], &own.name, diag);
    own.order = order_at(&hart[event->hart], event->time);
    return err == ERR_OK ? timeline_add(timeline, &own, diag) : err;
}

enum err active_sections_add(const struct active_sections *sections,
                             const struct kernel_records *records, struct timeline *timeline,
                             struct diag *diag)
{
    struct hart_records *hart;
    enum err err = ERR_OK;

    if (sections->oracle == NULL)
        return ERR_OK;
    hart = by_hart(records);
    if (hart == NULL)
        return diag_no_memory(diag, "sections");
    for (size_t i = 0; i < sections->seen.events && err == ERR_OK; i++)
        if (sections->seen.event[i].kind <= TIMELINE_LEAVE)
            err = add_event(&sections->seen, &sections->seen.event[i], hart, timeline, diag);
    for (size_t i = 0; i < records->harts; i++)
        free(hart[i].record);
    free(hart);
    return err == ERR_OK ? timeline_sort(timeline, diag) : err;
}
