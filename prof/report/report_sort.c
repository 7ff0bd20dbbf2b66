/* A table by keys that the user chooses: the measurements of each instruction, summed by routine,
 * object, file, line, thread, hart or program, or by several of these. Threads and harts are parts
 * of the profile, whose instructions are added one part after another. With `children` also
 * inclusive sums, by the call stacks: a routine counts once on a stack, recursion included. */
#include <stdlib.h>
#include <string.h>

#include "prof/export/stacks.h"
#include "prof/profile/points.h"
#include "prof/profile/profile_select.h"
#include "prof/records/names.h"
#include "prof/report/report.h"
#include "prof/report/stack_sums.h"

/* children: an additional column, not a key of a row. */
enum sort_key {
    KEY_ROUTINE, KEY_OBJECT, KEY_FILE, KEY_LINE, KEY_THREAD, KEY_HART, KEY_PROGRAM, KEY_CHILDREN,
    KEYS
};
static const char *const key_name[KEYS] = {
    "routine", "object", "file", "line", "thread", "hart", "program", "children"};
/* Words of perf that mean the same keys. */
static const struct { const char *word; enum sort_key key; } key_of_perf[] = {
    {"symbol", KEY_ROUTINE}, {"sym", KEY_ROUTINE}, {"dso", KEY_OBJECT}, {"srcfile", KEY_FILE},
    {"srcline", KEY_LINE}, {"tid", KEY_THREAD}, {"cpu", KEY_HART}, {"comm", KEY_PROGRAM},
};

enum { WORD_BYTES = 32, NAME_BYTES = 2 * SYMBOLS_TEXT, WIDTH_LEAST = 16 };

struct group {
    uint64_t value[POINTS_MEASURES], children;
    uint32_t name;
};

struct sorting {
    const struct report *report;
    struct diag *diag;
    enum sort_key key[KEYS];
    unsigned keys;
    bool has_children;
    struct points points;           /* of the whole profile */
    struct profile_place place;     /* of the part whose instructions are added */
    struct names names;
    struct group *group;            /* [names.count], by name */
    size_t room;
};

/* ---- keys ------------------------------------------------------------------------------------ */

const char *report_sort_key(unsigned index)
{
    return index < KEYS ? key_name[index] : NULL;
}

static const char *next_key(void *state)
{
    unsigned *at = state;

    return *at < KEYS ? key_name[(*at)++] : NULL;
}

/* KEYS: the word is no key. */
static unsigned key_of(const char *word)
{
    unsigned key = 0;

    for (size_t i = 0; i < sizeof key_of_perf / sizeof key_of_perf[0]; i++)
        if (strcmp(key_of_perf[i].word, word) == 0)
            return key_of_perf[i].key;
    while (key < KEYS && strcmp(key_name[key], word) != 0)
        key++;
    return key;
}

static enum err add_key(struct sorting *sorting, const char *word)
{
    unsigned key = key_of(word), at = 0;

    if (key == KEYS) {
        diag_set(sorting->diag, ERR_USAGE, "report --sort %.31s: expected routine, object, file, "
                 "line, thread, hart, program or children, several with commas", word);
        return diag_suggest(sorting->diag, ERR_USAGE, word, next_key, &at);
    }
    sorting->has_children |= key == KEY_CHILDREN;
    for (unsigned i = 0; i < sorting->keys; i++)
        if (sorting->key[i] == key)
            return ERR_OK;
    if (key != KEY_CHILDREN)
        sorting->key[sorting->keys++] = (enum sort_key)key;
    return ERR_OK;
}

static enum err read_keys(struct sorting *sorting, const char *list)
{
    char word[WORD_BYTES];
    enum err err = ERR_OK;

    for (size_t length; err == ERR_OK; list += length + 1) {
        length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        err = add_key(sorting, word);
        if (list[length] == '\0')
            break;
    }
    if (err == ERR_OK && sorting->keys == 0)
        sorting->key[sorting->keys++] = KEY_ROUTINE;
    return err;
}

static bool has_key(const struct sorting *sorting, enum sort_key key)
{
    for (unsigned i = 0; i < sorting->keys; i++)
        if (sorting->key[i] == key)
            return true;
    return false;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static const char *text_of_thread(const struct sorting *sorting, char text[SYMBOLS_TEXT])
{
    const struct profile_place *place = &sorting->place;

    return place->has_thread
               ? profile_thread_text(sorting->report->profile, place->thread, text) : "-";
}

/* The file of a program; the kernel's code stands with the first one. */
static const char *program_at(const struct sorting *sorting, uint64_t address)
{
    return symbols_base_name(profile_program_of(sorting->report->profile, address));
}

/* routine: as a stack names it; NULL: as the symbols do. */
static const char *text_of(const struct sorting *sorting, enum sort_key key, uint64_t address,
                           const char *routine, char text[SYMBOLS_TEXT])
{
    const struct symbols *symbols = sorting->report->symbols;
    const struct symbols_entry *entry = symbols_at(symbols, address);
    const struct symbols_line *line = symbols_line_at(symbols, address);
    const char *object = symbols_object_at(symbols, address);

    switch (key) {
    case KEY_OBJECT:
        return object != NULL ? symbols_base_name(object) : "(no object)";
    case KEY_FILE:
        return line != NULL ? line->file : "(no file)";
    case KEY_LINE:
        return line != NULL ? symbols_describe_line(symbols, address, text) : "(no line)";
    case KEY_THREAD:
        return text_of_thread(sorting, text);
    case KEY_HART:
        snprintf(text, SYMBOLS_TEXT, "%u", (unsigned)sorting->place.hart);
        return text;
    case KEY_PROGRAM:
        return program_at(sorting, address);
    default:
        return routine != NULL ? routine : entry != NULL ? entry->name : "(no routine)";
    }
}

static struct group *group_of_name(struct sorting *sorting, const char *name, enum err *err)
{
    uint32_t number = 0;

    *err = names_add(&sorting->names, name, &number, sorting->diag);
    if (*err == ERR_OK && number >= sorting->room) {
        size_t room = 2 * sorting->room + 256;
        struct group *grown = realloc(sorting->group, room * sizeof *grown);

        if (grown == NULL) {
            *err = diag_no_memory(sorting->diag, "the report");
            return NULL;
        }
        memset(grown + sorting->room, 0, (room - sorting->room) * sizeof *grown);
        sorting->group = grown;
        sorting->room = room;
    }
    return *err == ERR_OK ? &sorting->group[number] : NULL;
}

static struct group *group_of(struct sorting *sorting, uint64_t address, const char *routine,
                              enum err *err)
{
    char name[NAME_BYTES] = "", text[SYMBOLS_TEXT];
    size_t length = 0;

    for (unsigned i = 0; i < sorting->keys && length < sizeof name; i++)
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", i != 0 ? "  " : "",
                                   text_of(sorting, sorting->key[i], address, routine, text));
    return group_of_name(sorting, name, err);
}

static enum err add_points(struct sorting *sorting, const struct points *points)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < points->points && err == ERR_OK; i++) {
        struct group *group = group_of(sorting, points->point[i].address, NULL, &err);

        for (unsigned m = 0; group != NULL && m < points->measures; m++)
            group->value[m] += points->point[i].value[m];
    }
    return err;
}

/* Rows without an instruction: the monitor, and time charged to none. */
static enum err add_others(struct sorting *sorting)
{
    const struct points *points = &sorting->points;
    enum err err = ERR_OK;

    for (unsigned m = 0; m < points->measures && err == ERR_OK; m++) {
        struct group *group = NULL;

        if (points->monitor[m] != 0 && (group = group_of_name(sorting, "(monitor)", &err)) != NULL)
            group->value[m] += points->monitor[m];
        if (err == ERR_OK && points->outside[m] != 0 &&
            (group = group_of_name(sorting, "(no instruction)", &err)) != NULL)
            group->value[m] += points->outside[m];
    }
    return err;
}

/* ---- inclusive sums -------------------------------------------------------------------------- */

static unsigned value_of(const struct stacks *stacks, const char *measure)
{
    unsigned value = 0;

    while (value < stacks->values && strcmp(stacks->value[value].name, measure) != 0)
        value++;
    return value;
}

static enum err find_group(void *arg, const struct stacks_function *function, uint32_t *number)
{
    struct sorting *sorting = arg;
    enum err err = ERR_OK;
    const struct group *group = group_of(sorting, function->routine, function->name, &err);

    if (group != NULL)
        *number = (uint32_t)(group - sorting->group);
    return err;
}

static void add_to_group(void *arg, uint32_t number, uint64_t value)
{
    ((struct sorting *)arg)->group[number].children += value;
}

static enum err lacks_stacks(const struct sorting *sorting)
{
    const char *measure = sorting->points.measure[0].name;

    if (has_key(sorting, KEY_THREAD) && sorting->report->profile->calls > 1)
        return diag_set(sorting->diag, ERR_USAGE, "report --sort children: the exact call tree is "
                        "not divided by thread; record with -g");
    return diag_set(sorting->diag, ERR_USAGE, "report --sort children: the profile has no call "
                    "stacks with %s; record with -g, or measure with --oracle", measure);
}

static enum err add_stacks(struct sorting *sorting, const struct profile *part)
{
    const struct report *report = sorting->report;
    struct profile profile = *part;
    bool is_flat = profile.sampling != NULL && !profile.sampling->has_stacks;
    const struct stack_groups groups = {find_group, add_to_group, sorting};
    struct stacks stacks;
    unsigned value;
    enum err err;

    if (has_key(sorting, KEY_LINE))
        return diag_set(sorting->diag, ERR_USAGE, "report --sort: stacks name routines, so "
                        "children go with the other keys, not with line");
    if (report->measured)
        profile.calls = 0;
    err = stacks_make(&stacks, &profile, report->symbols, sorting->diag);
    value = err == ERR_OK ? value_of(&stacks, sorting->points.measure[0].name) : 0;
    if (err == ERR_OK && (stacks.samples == 0 || value == stacks.values || is_flat))
        err = lacks_stacks(sorting);
    if (err == ERR_OK)
        err = stack_sums(&stacks, value, &groups, sorting->diag);
    stacks_free(&stacks);
    return err;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->children != y->children)
        return x->children > y->children ? -1 : 1;
    for (unsigned m = 0; m < POINTS_MEASURES; m++)
        if (x->value[m] != y->value[m])
            return x->value[m] > y->value[m] ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int width_of(const struct sorting *sorting, unsigned measure)
{
    int length = (int)strlen(sorting->points.measure[measure].name) + 2;

    return length > WIDTH_LEAST ? length : WIDTH_LEAST;
}

static void print_head(const struct sorting *sorting)
{
    FILE *out = sorting->report->out;

    fputc('\n', out);
    if (sorting->has_children)
        fprintf(out, "%16s %7s", "with callees", "");
    for (unsigned m = 0; m < sorting->points.measures; m++)
        fprintf(out, "%*s%s", width_of(sorting, m), sorting->points.measure[m].name,
                m == 0 ? "        " : "");
    for (unsigned i = 0; i < sorting->keys; i++)
        fprintf(out, "  %s", key_name[sorting->key[i]]);
    fputc('\n', out);
}

static void print_group(const struct sorting *sorting, const struct group *group)
{
    const struct points *points = &sorting->points;
    FILE *out = sorting->report->out;
    char text[POINTS_TEXT], number[REPORT_NUMBER];
    double all = points_real(points, 0, points->total[0]);

    if (sorting->has_children)
        fprintf(out, "%16s %6.2f%%", report_number(group->children, number),
                all != 0 ? 100 * (double)group->children / all : 0);
    for (unsigned m = 0; m < points->measures; m++) {
        fprintf(out, "%*s", width_of(sorting, m), points_text(points, m, group->value[m], text));
        if (m == 0)
            fprintf(out, " %6.2f%%", report_percent(group->value[0], points->total[0]));
    }
    fprintf(out, "  %s\n", sorting->names.text[group->name]);
}

static void print_table(struct sorting *sorting)
{
    size_t groups = sorting->names.count;

    for (size_t i = 0; i < groups; i++)
        sorting->group[i].name = (uint32_t)i;
    qsort(sorting->group, groups, sizeof sorting->group[0], compare_groups);
    print_head(sorting);
    for (size_t i = 0; i < report_shown(sorting->report, groups); i++)
        print_group(sorting, &sorting->group[i]);
    report_rest(sorting->report, groups);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static enum err add_part(struct sorting *sorting, const struct profile *part)
{
    struct points points;
    enum err err = points_make_part(&points, &sorting->points, part, sorting->diag);

    if (err == ERR_OK)
        err = add_points(sorting, &points);
    points_free(&points);
    return err == ERR_OK && sorting->has_children ? add_stacks(sorting, part) : err;
}

static enum err add_place(struct sorting *sorting, const struct profile_place *place)
{
    struct profile part;
    enum err err = profile_part(&part, sorting->report->profile, place, sorting->diag);

    sorting->place = *place;
    if (err == ERR_OK)
        err = add_part(sorting, &part);
    profile_free(&part);
    return err;
}

/* Of a profile that is not divided by thread all threads are one, without a number. */
static enum err find_places(const struct sorting *sorting, struct profile_place **place,
                            size_t *places)
{
    bool by_thread = has_key(sorting, KEY_THREAD), by_hart = has_key(sorting, KEY_HART);
    const char *events = sorting->report->events;
    struct diag why;
    enum err err;

    if (!by_thread && !by_hart)
        return ERR_OK;
    if (by_hart && events != NULL && strcmp(events, "samples") != 0)
        return diag_set(sorting->diag, ERR_USAGE, "report --sort: only samples know their hart; "
                        "give no --event");
    err = profile_places(sorting->report->profile, by_thread, by_hart, place, places, &why);
    return err == ERR_USAGE && !by_hart ? ERR_OK
           : err != ERR_OK ? diag_set(sorting->diag, err, "report --sort: %s", why.text) : ERR_OK;
}

static enum err add_all(struct sorting *sorting, const struct profile_place *place, size_t places)
{
    const struct profile *profile = sorting->report->profile;
    const char *events = sorting->report->events;
    enum err err = points_make(&sorting->points, profile,
                               events == NULL && has_key(sorting, KEY_HART) ? "samples" : events,
                               sorting->diag);

    if (err == ERR_OK && places == 0)
        err = add_part(sorting, profile);
    for (size_t i = 0; i < places && err == ERR_OK; i++)
        err = add_place(sorting, &place[i]);
    return err == ERR_OK ? add_others(sorting) : err;
}

enum err report_sort(const struct report *report, const char *list, struct diag *diag)
{
    struct sorting sorting = {.report = report, .diag = diag};
    struct profile_place *place = NULL;
    size_t places = 0;
    enum err err = read_keys(&sorting, list);

    if (err == ERR_OK)
        err = find_places(&sorting, &place, &places);
    if (err == ERR_OK)
        err = add_all(&sorting, place, places);
    if (err == ERR_OK && sorting.names.count != 0)
        print_table(&sorting);
    points_free(&sorting.points);
    names_free(&sorting.names);
    free(sorting.group);
    free(place);
    return err;
}
