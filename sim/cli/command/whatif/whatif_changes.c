/* The changes that rvsim whatif tries: their parsing, and the machines they make. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "prof/profile/cost.h"
#include "sim/base/config_read.h"
#include "sim/cli/command/whatif/whatif.h"

enum { ASSIGNMENT_BYTES = 256, HOT_ROUTINES = 5, HOT_THOUSANDTHS = 2000, FASTER_MAX = 1000 };

static const struct { const char *name, *settings; } perfect[] = {
#define PERFECT(name, settings) {#name, settings},
#include "sim/cli/command/whatif/perfect.def"
#undef PERFECT
};
enum { PERFECTS = sizeof perfect / sizeof perfect[0] };

/* Further perfect structures, added by models. */
static const struct { const char *name, *settings; } perfect_of_model[] = {
#define MODEL_PERFECT(structure, settings) {#structure, settings},
#include "sim/base/models.def"
    {NULL, NULL},
};

/* ---- settings -------------------------------------------------------------------------------- */

/* "name.name=" */
static bool starts_assignment(const char *text)
{
    size_t dots = 0;

    for (; islower((unsigned char)*text) || isdigit((unsigned char)*text) || *text == '_' ||
           *text == '.'; text++)
        dots += *text == '.';
    return dots == 1 && *text == '=';
}

/* A comma ends an assignment if another assignment follows: values may contain commas. */
static size_t assignment_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0' &&
           (text[length] != ',' || !starts_assignment(text + length + 1)))
        length++;
    return length;
}

/* Calls `visit` for each assignment of "KEY=VALUE,..." until one fails. */
static enum err each_assignment(const char *settings, struct config *config,
                                enum err (*visit)(struct config *config, const char *assignment,
                                                  struct diag *diag), struct diag *diag)
{
    char assignment[ASSIGNMENT_BYTES];
    enum err err = ERR_OK;

    for (size_t length; *settings != '\0' && err == ERR_OK; settings += settings[0] == ',') {
        length = assignment_length(settings);
        if (length >= sizeof assignment)
            return diag_set(diag, ERR_USAGE, "whatif: %.60s...: too long", settings);
        snprintf(assignment, sizeof assignment, "%.*s", (int)length, settings);
        settings += length;
        err = visit(config, assignment, diag);
    }
    return err;
}

/* Refuses a change without effect on this machine, which would seem to gain nothing. */
static enum err refuse_unused(struct config *config, const char *assignment, struct diag *diag)
{
    char told[CONFIG_TEXT_BYTES];
    const char *needed = config_unused(config, assignment, told);

    if (needed == NULL)
        return ERR_OK;
    return diag_set(diag, ERR_USAGE, "whatif: --set %s has no meaning without %s", assignment,
                    needed);
}

static enum err apply_of_models(const char *structure, struct config *config, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; perfect_of_model[i].name != NULL && err == ERR_OK; i++)
        if (strcmp(perfect_of_model[i].name, structure) == 0)
            err = each_assignment(perfect_of_model[i].settings, config, config_set, diag);
    return err;
}

static enum err apply(const struct whatif *whatif, const struct change *change,
                      struct config *config, struct diag *diag)
{
    enum err err = ERR_OK;

    if (change->kind == CHANGE_PERFECT && strcmp(change->text, "l2") == 0 &&
        whatif->tool.options.config.l2_kib == 0)
        return diag_set(diag, ERR_USAGE, "whatif: --perfect l2: the machine has no L2 "
                        "(l2.kib = 0)");
    if (change->settings != NULL)
        err = each_assignment(change->settings, config, config_set, diag);
    if (err == ERR_OK && change->kind == CHANGE_PERFECT)
        err = apply_of_models(change->text, config, diag);
    return err == ERR_OK && change->kind == CHANGE_SET
               ? each_assignment(change->settings, config, refuse_unused, diag) : err;
}

static enum err apply_all(const struct whatif *whatif, struct config *config, struct diag *diag)
{
    enum err err = ERR_OK;

    for (unsigned i = 0; i < whatif->changes && err == ERR_OK; i++)
        err = apply(whatif, &whatif->change[i], config, diag);
    for (unsigned i = 0; i < whatif->changes && err == ERR_OK; i++) {
        struct config again = *config;

        err = apply(whatif, &whatif->change[i], &again, diag);
        if (err == ERR_OK && memcmp(&again, config, sizeof again) != 0)
            err = diag_set(diag, ERR_USAGE, "whatif: --together: a later change contradicts %s",
                           whatif->change[i].text);
    }
    return err;
}

enum err changes_machine(const struct whatif *whatif, const struct change *change,
                         struct config *config, struct diag *diag)
{
    static const char *const option[] = {
        [CHANGE_SET] = "--set ", [CHANGE_PERFECT] = "--perfect ", [CHANGE_FASTER] = "--faster ",
        [CHANGE_TOGETHER] = "",
    };
    struct diag reason;
    enum err err;

    *config = whatif->tool.options.config;
    err = change->kind == CHANGE_TOGETHER ? apply_all(whatif, config, diag)
                                          : apply(whatif, change, config, diag);
    if (err != ERR_OK)
        return err;
    err = config_check(config, &reason);
    return err == ERR_OK ? ERR_OK
                         : diag_set(diag, err, "whatif: %s%.60s: %.400s", option[change->kind],
                                    change->text, reason.text);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *next_perfect(void *state)
{
    size_t *at = state;

    return *at < PERFECTS ? perfect[(*at)++].name : NULL;
}

static enum err read_perfect(struct change *change, struct diag *diag)
{
    size_t at = 0;

    for (size_t i = 0; i < PERFECTS; i++)
        if (strcmp(perfect[i].name, change->text) == 0) {
            change->settings = perfect[i].settings;
            return ERR_OK;
        }
    diag_set(diag, ERR_USAGE, "whatif: --perfect %s: expected l1i, l1d, l2, tlb, bpred or dram",
             change->text);
    return diag_suggest(diag, ERR_USAGE, change->text, next_perfect, &at);
}

/* "2x", "1.25x" or "inf" */
static bool read_factor(const char *text, uint64_t *thousandths)
{
    uint64_t digit = 1000;

    *thousandths = 0;
    if (strcmp(text, "inf") == 0) {
        *thousandths = FASTER_INFINITE;
        return true;
    }
    for (; isdigit((unsigned char)*text) && *thousandths < UINT32_MAX; text++)
        *thousandths = 10 * *thousandths + 1000 * (uint64_t)(*text - '0');
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text) && digit > 1; text++)
            *thousandths += (digit /= 10) * (uint64_t)(*text - '0');
    return strcmp(text, "x") == 0 && *thousandths > 1000 && *thousandths <= FASTER_MAX * 1000;
}

const struct symbols *changes_symbols(const struct whatif *whatif, const char *routine)
{
    const struct target *target = &whatif->tool.target;
    const struct symbols_entry *entry;
    bool is_group;

    for (const struct symbols *from = target->symbols; from != NULL; from = symbols_beside(from))
        if (symbols_select(from, routine, &entry, 1, &is_group) != 0)
            return from;
    for (size_t i = 0; i < target->modules; i++)
        if (symbols_select(target->module[i]->symbols, routine, &entry, 1, &is_group) != 0)
            return target->module[i]->symbols;
    return NULL;
}

/* A routine that the program lacks may be of a library or of a program that it executes, which a
 * quick run finds. */
static enum err find_routine(struct whatif *whatif, const char *routine, struct diag *diag)
{
    struct tool *tool = &whatif->tool;
    enum err err;

    if (changes_symbols(whatif, routine) != NULL || tool->target.modules != 0)
        return ERR_OK;
    err = survey_make(tool, diag);
    tool->survey.is_told = false;
    return err == ERR_OK && tool->is_interrupted
               ? diag_set(diag, ERR_INTERRUPTED, "whatif: stopped before its first run") : err;
}

/* A routine of the program, or of the kernel if the name is the beginning of that one's. */
static const char *near_routine(const struct whatif *whatif, const char *name)
{
    const char *first = NULL;

    for (const struct symbols *from = whatif->tool.target.symbols; from != NULL;
         from = symbols_beside(from)) {
        const char *near = symbols_near(from, name);

        if (near != NULL && strncmp(near, name, strlen(name)) == 0)
            return near;
        first = first == NULL ? near : first;
    }
    return first;
}

/* The name extends to the last =, as C++ names may contain others. */
static enum err read_faster(struct whatif *whatif, struct change *change, struct diag *diag)
{
    const char *equals = strrchr(change->text, '='), *near;
    enum err err;

    if (equals == NULL || equals == change->text || !read_factor(equals + 1, &change->thousandths))
        return diag_set(diag, ERR_USAGE, "whatif: --faster %s: expected FUNCTION=Nx, N more than 1 "
                        "and at most %d, or FUNCTION=inf", change->text, FASTER_MAX);
    change->routine = strndup(change->text, (size_t)(equals - change->text));
    if (change->routine == NULL)
        return diag_no_memory(diag, "changes");
    err = find_routine(whatif, change->routine, diag);
    if (err != ERR_OK || changes_symbols(whatif, change->routine) != NULL)
        return err;
    near = near_routine(whatif, change->routine);
    return diag_set(diag, ERR_USAGE, "whatif: --faster %s: no such routine%s%s%s", change->text,
                    near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                    near != NULL ? "?" : "");
}

static enum err add(struct whatif *whatif, enum change_kind kind, const char *text,
                    struct diag *diag)
{
    struct change *change = &whatif->change[whatif->changes++];
    struct config config;
    enum err err = ERR_OK;

    *change = (struct change){.kind = kind, .text = strdup(text)};
    if (change->text == NULL)
        return diag_no_memory(diag, "changes");
    if (kind == CHANGE_SET)
        change->settings = change->text;
    else if (kind == CHANGE_PERFECT)
        err = read_perfect(change, diag);
    else if (kind == CHANGE_FASTER)
        err = read_faster(whatif, change, diag);
    return err == ERR_OK ? changes_machine(whatif, change, &config, diag) : err;
}

enum err changes_read(struct whatif *whatif, struct diag *diag)
{
    static const struct { enum command_option_id id; enum change_kind kind; } option[] = {
        {OPT_WHATIF_SET, CHANGE_SET}, {OPT_WHATIF_PERFECT, CHANGE_PERFECT},
        {OPT_WHATIF_FASTER, CHANGE_FASTER},
    };
    const struct command_line *line = whatif->tool.line;
    enum err err = ERR_OK;

    for (unsigned i = 0; i < line->options; i++)
        for (unsigned k = 0; k < sizeof option / sizeof option[0] && err == ERR_OK; k++)
            if (line->option[i].id == option[k].id)
                err = add(whatif, option[k].kind, line->option[i].value, diag);
    if (err == ERR_OK && command_value(line, OPT_WHATIF_TOGETHER) != NULL)
        err = whatif->changes != 0
                  ? add(whatif, CHANGE_TOGETHER, "all together", diag)
                  : diag_set(diag, ERR_USAGE, "whatif: --together needs changes");
    return err;
}

/* ---- proposals ------------------------------------------------------------------------------- */

static bool has_change(const struct whatif *whatif, const char *text)
{
    for (unsigned i = 0; i < whatif->changes; i++)
        if (strcmp(whatif->change[i].text, text) == 0)
            return true;
    return false;
}

static enum err propose_perfect(struct whatif *whatif, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < PERFECTS && err == ERR_OK; i++) {
        struct change change = {.kind = CHANGE_PERFECT, .text = (char *)(uintptr_t)perfect[i].name,
                                .settings = perfect[i].settings};
        struct config config;

        if (changes_machine(whatif, &change, &config, NULL) == ERR_OK &&
            memcmp(&config, &whatif->tool.options.config, sizeof config) != 0)
            err = add(whatif, CHANGE_PERFECT, perfect[i].name, diag);
    }
    return err;
}

/* Takes the cycles in WFI from the rows, as no speed of a routine shortens a wait. */
static void leave_idle_out(struct cost_row *row, size_t rows, const struct profile *profile)
{
    for (size_t i = 0; i < rows; i++)
        row[i].units -= row[i].cause[EVENT_CPI_IDLE - EVENT_CPI_BASE] * profile->units_per_cycle;
    cost_sort(row, rows);
}

static enum err propose_faster(struct whatif *whatif, const struct profile *profile,
                               struct diag *diag)
{
    struct cost_row *row = NULL;
    size_t rows = 0;
    unsigned first = whatif->changes;
    char text[SYMBOLS_TEXT];
    enum err err = cost_rows(profile, whatif->tool.target.symbols, COST_BY_SYMBOL, &row, &rows,
                             diag);

    if (err == ERR_OK)
        leave_idle_out(row, rows, profile);
    for (size_t i = 0; i < rows && whatif->changes - first < HOT_ROUTINES && err == ERR_OK; i++) {
        if (row[i].entry == NULL || row[i].units == 0)
            continue;
        snprintf(text, sizeof text, "%.4000s=%dx", row[i].entry->name, HOT_THOUSANDTHS / 1000);
        if (!has_change(whatif, text))
            err = add(whatif, CHANGE_FASTER, text, diag);
    }
    free(row);
    return err;
}

enum err changes_propose(struct whatif *whatif, const struct profile *profile, struct diag *diag)
{
    enum err err = propose_perfect(whatif, diag);

    return err == ERR_OK ? propose_faster(whatif, profile, diag) : err;
}

/* ---- the end -------------------------------------------------------------------------------- */

void changes_free(struct whatif *whatif)
{
    for (unsigned i = 0; i < whatif->changes; i++) {
        free(whatif->change[i].text);
        free(whatif->change[i].routine);
    }
}
