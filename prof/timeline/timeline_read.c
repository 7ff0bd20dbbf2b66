/* Time lines out of tables; see timeline.h. */
#include "prof/records/csv.h"
#include "prof/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

enum column { TIME, THREAD, EVENT, OVERHEAD, HART, OLD, NEW, ORDER, COLUMNS };
static const char *const column_name[COLUMNS] = {
    "time", "thread", "event", "overhead", "hart", "old", "new", "order",
};
static const char *const kind_name[TIMELINE_KINDS] = {
#define TIMELINE_KIND(id, name, meaning) name,
#include "prof/timeline/kind.def"
};

struct reader {
    struct timeline *timeline;
    struct csv csv;
    int place[COLUMNS];             /* index of a column in the line; -1: absent */
    struct diag *diag;
};

/* ---- columns --------------------------------------------------------------------------------- */

static void set_columns(struct reader *reader, const enum column *columns, unsigned count)
{
    for (unsigned i = 0; i < COLUMNS; i++)
        reader->place[i] = -1;
    for (unsigned i = 0; i < count; i++)
        reader->place[columns[i]] = (int)i;
}

static bool has(const struct reader *reader, enum column column)
{
    return reader->place[column] >= 0;
}

/* The text of a column; "" where the line has none. */
static const char *field(const struct reader *reader, enum column column)
{
    int place = reader->place[column];

    return place >= 0 && (unsigned)place < reader->csv.fields ? reader->csv.field[place] : "";
}

static enum err add_column(struct reader *reader, unsigned place)
{
    const char *name = reader->csv.field[place];

    for (unsigned i = 0; i < COLUMNS; i++)
        if (strcmp(name, column_name[i]) == 0) {
            reader->place[i] = (int)place;
            return ERR_OK;
        }
    return csv_expected(&reader->csv, "a column time, thread, event, overhead, hart, old, new "
                        "or order", name, reader->diag);
}

static bool is_table(const struct reader *reader)
{
    if (has(reader, TIME) && has(reader, OLD) && has(reader, NEW))
        return true;
    return has(reader, EVENT) && (has(reader, TIME) ? has(reader, THREAD) : has(reader, OVERHEAD));
}

/* The first line: names of the columns, or a record. */
static enum err read_head(struct reader *reader, bool *is_record)
{
    static const enum column usual[] = {TIME, THREAD, EVENT, OVERHEAD};
    const char *first = reader->csv.field[0];
    enum err err = ERR_OK;

    set_columns(reader, usual, 4);
    *is_record = *first >= '0' && *first <= '9';
    if (*is_record)
        return ERR_OK;
    set_columns(reader, usual, 0);
    for (unsigned i = 0; i < reader->csv.fields && err == ERR_OK; i++)
        err = add_column(reader, i);
    if (err == ERR_OK && !is_table(reader))
        err = diag_set(reader->diag, ERR_USAGE, "%s:%u: expected the columns time,thread,event "
                       "or time,old,new or event,overhead", reader->csv.path, reader->csv.line);
    return err;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool scale(uint64_t *value, unsigned digits)
{
    for (; digits != 0; digits--)
        if (__builtin_mul_overflow(*value, 10, value))
            return false;
    return true;
}

/* Adds `digits` digits to all times. */
static bool rescale(struct timeline *timeline, unsigned digits)
{
    bool fits = true;

    for (size_t i = 0; i < timeline->events; i++)
        fits &= scale(&timeline->event[i].time, digits) &&
                scale(&timeline->event[i].overhead, digits);
    for (unsigned i = 0; i < TIMELINE_KINDS; i++)
        fits &= scale(&timeline->overhead[i], digits);
    timeline->digits += digits;
    return fits;
}

/* A decimal number in the time line's unit. False: invalid, or too large. */
static bool read_time(struct timeline *timeline, const char *text, uint64_t *value)
{
    const char *point = strchr(text, '.');
    size_t digits = point != NULL ? strlen(point + 1) : 0;
    char whole[TIMELINE_TEXT];

    if (digits > TIMELINE_DIGITS_MAX || strlen(text) >= sizeof whole || point == text ||
        (point != NULL && digits == 0))
        return false;
    snprintf(whole, sizeof whole, "%.*s%s", (int)(point != NULL ? point - text : TIMELINE_TEXT),
             text, point != NULL ? point + 1 : "");
    if (!csv_number(whole, value))
        return false;
    if (digits > timeline->digits && !rescale(timeline, (unsigned)digits - timeline->digits))
        return false;
    return scale(value, timeline->digits - (unsigned)digits);
}

static enum err get_time(struct reader *reader, enum column column, uint64_t *value)
{
    const char *text = field(reader, column);

    if (read_time(reader->timeline, text, value))
        return ERR_OK;
    return csv_expected(&reader->csv, column == TIME ? "a time such as 900 or 0.5"
                                                     : "an overhead such as 3", text,
                        reader->diag);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The kind whose name ends the event's; *length: of the part in front. */
static int find_kind(const char *event, size_t *length)
{
    size_t whole = strlen(event);

    for (int i = 0; i < TIMELINE_KINDS; i++) {
        size_t tail = strlen(kind_name[i]);

        *length = whole - tail;
        if (tail > whole || strcmp(event + *length, kind_name[i]) != 0)
            continue;
        if (i <= TIMELINE_LEAVE ? *length > 1 && event[*length - 1] == '-' : *length == 0) {
            *length -= *length != 0;
            return i;
        }
    }
    return -1;
}

static enum err get_event(struct reader *reader, struct timeline_event *event)
{
    const char *text = field(reader, EVENT);
    size_t length;
    int kind = find_kind(text, &length);
    char *section;
    enum err err;

    if (kind < 0)
        return csv_expected(&reader->csv, "an event F-entry, F-exit, switch-out or switch-in",
                            text, reader->diag);
    event->kind = (uint8_t)kind;
    event->name = TIMELINE_NO_NAME;
    if (length == 0)
        return ERR_OK;
    section = strndup(text, length);
    if (section == NULL)
        return diag_no_memory(reader->diag, "names");
    err = names_add(&reader->timeline->name, section, &event->name, reader->diag);
    free(section);
    return err;
}

static enum err get_hart(struct reader *reader, uint16_t *hart)
{
    const char *text = field(reader, HART);
    uint64_t value = TIMELINE_NO_HART;

    if (*text != '\0' && (!csv_number(text, &value) || value >= TIMELINE_NO_HART))
        return csv_expected(&reader->csv, "the number of a hart", text, reader->diag);
    *hart = (uint16_t)value;
    return ERR_OK;
}

static enum err add(struct reader *reader, struct timeline_event *event, const char *thread)
{
    enum err err;

    if (*thread == '\0')
        return csv_expected(&reader->csv, "a thread", thread, reader->diag);
    err = names_add(&reader->timeline->thread, thread, &event->thread, reader->diag);
    return err == ERR_OK ? timeline_add(reader->timeline, event, reader->diag) : err;
}

static bool is_nobody(const char *thread)
{
    return *thread == '\0' || strcmp(thread, "-") == 0;
}

static enum err add_switch(struct reader *reader, struct timeline_event *event)
{
    const char *old = field(reader, OLD), *new = field(reader, NEW);
    enum err err = ERR_OK;

    if (is_nobody(old) && is_nobody(new))
        return csv_expected(&reader->csv, "a thread", old, reader->diag);
    event->name = TIMELINE_NO_NAME;
    event->kind = TIMELINE_SWITCH_OUT;
    if (!is_nobody(old))
        err = add(reader, event, old);
    event->kind = TIMELINE_SWITCH_IN;
    return err == ERR_OK && !is_nobody(new) ? add(reader, event, new) : err;
}

static enum err set_overhead(struct reader *reader, const char *name, uint64_t value)
{
    for (unsigned i = 0; i < TIMELINE_KINDS; i++)
        if (strcmp(kind_name[i], name) == 0) {
            reader->timeline->overhead[i] = value;
            return ERR_OK;
        }
    return csv_expected(&reader->csv, "entry, exit, switch-out or switch-in", name, reader->diag);
}

static enum err read_record(struct reader *reader)
{
    struct timeline_event event = {.has_overhead = *field(reader, OVERHEAD) != '\0'};
    enum err err = ERR_OK;

    if (event.has_overhead || !has(reader, TIME))
        err = get_time(reader, OVERHEAD, &event.overhead);
    if (err == ERR_OK && !has(reader, TIME))
        return set_overhead(reader, field(reader, EVENT), event.overhead);
    if (err == ERR_OK) {
        unsigned digits = reader->timeline->digits;

        err = get_time(reader, TIME, &event.time);
        if (!scale(&event.overhead, reader->timeline->digits - digits))
            err = csv_expected(&reader->csv, "an overhead such as 3", field(reader, OVERHEAD),
                               reader->diag);
    }
    if (err == ERR_OK)
        err = get_hart(reader, &event.hart);
    if (err == ERR_OK && *field(reader, ORDER) != '\0' &&
        !csv_number(field(reader, ORDER), &event.order))
        err = csv_expected(&reader->csv, "a whole number", field(reader, ORDER), reader->diag);
    if (err == ERR_OK && has(reader, OLD))
        return add_switch(reader, &event);
    if (err == ERR_OK)
        err = get_event(reader, &event);
    return err == ERR_OK ? add(reader, &event, field(reader, THREAD)) : err;
}

static enum err check_fields(const struct reader *reader)
{
    unsigned most = 0;

    for (unsigned i = 0; i < COLUMNS; i++)
        if (reader->place[i] >= (int)most)
            most = (unsigned)reader->place[i] + 1;
    if (reader->csv.fields <= most)
        return ERR_OK;
    return diag_set(reader->diag, ERR_USAGE, "%s:%u: expected %u fields, found %u",
                    reader->csv.path, reader->csv.line, most, reader->csv.fields);
}

enum err timeline_read(struct timeline *timeline, const char *path, struct diag *diag)
{
    struct reader reader = {.timeline = timeline, .diag = diag};
    bool more, is_first = true, is_record = true;
    enum err err = csv_open(&reader.csv, path, diag);

    if (err != ERR_OK)
        return err;
    while ((err = csv_next(&reader.csv, &more, diag)) == ERR_OK && more) {
        if (is_first)
            err = read_head(&reader, &is_record);
        if (err == ERR_OK && is_record && (err = check_fields(&reader)) == ERR_OK)
            err = read_record(&reader);
        if (err != ERR_OK)
            break;
        is_first = false;
        is_record = true;
    }
    if (err == ERR_OK && is_first)
        err = csv_expected_lines(&reader.csv, "time,thread,event or time,old,new", diag);
    csv_close(&reader.csv);
    return err;
}

enum err timeline_set_overheads(struct timeline *timeline, const char *text, struct diag *diag)
{
    struct reader reader = {.timeline = timeline};
    char *copy = strdup(text), *rest = copy, *word;
    enum err err = copy != NULL ? ERR_OK : diag_no_memory(diag, "options");

    while (err == ERR_OK && (word = strsep(&rest, ",")) != NULL) {
        char *value = strchr(word, '=');
        uint64_t overhead;

        if (value != NULL)
            *value++ = '\0';
        if (value == NULL || !read_time(timeline, value, &overhead) ||
            set_overhead(&reader, word, overhead) != ERR_OK)
            err = diag_set(diag, ERR_USAGE, "--overhead %s: expected entry=N,exit=N", text);
    }
    free(copy);
    return err;
}
