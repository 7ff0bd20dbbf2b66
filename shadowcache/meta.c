/* The driver of the .meta reader: files, lines, warnings; meta.h has the language. */
#include "shadowcache/meta_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/input.h"
enum { MESSAGE_MAX = 400, META_WARNINGS_MAX = 1000, NEAR_LINES = 50 };

enum err meta_fail(const struct meta_reader *reader, unsigned column, const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return diag_set(reader->diag, ERR_USAGE, "%s:%u:%u: %s", reader->name, reader->line, column,
                    message);
}

/* Appends a copy of `text` to a list of strings. */
static enum err append(char ***list, size_t *count, const char *text)
{
    char **grown = array_grow(*list, *count, sizeof *grown);

    if (grown == NULL)
        return ERR_NO_MEMORY;
    *list = grown;
    grown[*count] = strdup(text);
    if (grown[*count] == NULL)
        return ERR_NO_MEMORY;
    (*count)++;
    return ERR_OK;
}

enum err meta_warn(struct meta *meta, const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < meta->warnings; i++)
        if (strcmp(meta->warning[i], message) == 0)
            return ERR_OK;
    if (meta->warnings == META_WARNINGS_MAX)
        return ERR_OK;
    return append(&meta->warning, &meta->warnings, message);
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool find_section(const struct meta_resolver *from, uint64_t address,
                         struct meta_place *section)
{
    if (from->around != NULL)
        return from->around(from->arg, address, section);
    for (size_t i = 0; from->section != NULL && from->section(from->arg, i, section) != NULL; i++)
        if (address - section->address < section->bytes)
            return true;
    return false;
}

bool meta_section_at(struct meta_reader *reader, uint64_t address, struct meta_place *section)
{
    bool is_known = address - reader->code.address < reader->code.bytes;
    bool is_found = is_known || find_section(reader->resolver, address, section);

    if (is_known)
        *section = reader->code;
    else if (is_found && section->is_code)
        reader->code = *section;
    return is_found;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum err expect_end(struct meta_reader *reader)
{
    struct meta_token token;
    enum err err = meta_next_token(reader, &token);

    if (err == ERR_OK && token.text[0] != '\0')
        return meta_fail(reader, token.column, "unexpected '%s' at the end of the line",
                         token.text);
    return err;
}

static enum err read_segment(struct meta_reader *reader)
{
    struct meta_token token;
    enum err err = meta_next_token(reader, &token);

    if (err != ERR_OK)
        return err;
    if (token.text[0] == '\0')
        return meta_fail(reader, token.column, "expected the name of a section");
    err = meta_place_section(reader, &token);
    return err == ERR_OK ? expect_end(reader) : err;
}

static enum err find_range(struct meta_reader *reader, struct meta_range **range, bool *is_data)
{
    struct meta_token token;
    enum err err = meta_next_token(reader, &token);
    unsigned index;

    if (err != ERR_OK)
        return err;
    index = (unsigned char)token.text[0] != 0 ? (unsigned)token.text[1] - '0' : 8;
    *is_data = token.text[0] == 'D';
    if ((token.text[0] != 'I' && !*is_data) || index > 7 || token.text[2] != '\0')
        return meta_fail(reader, token.column, "expected a range register, I0 to I7 or D0 to D7");
    *range = *is_data ? &reader->meta->drange[index] : &reader->meta->irange[index];
    if ((*range)->is_set)
        return meta_fail(reader, token.column, "range %s is set twice", token.text);
    return ERR_OK;
}

static enum err read_range(struct meta_reader *reader)
{
    struct meta_range *range = NULL;
    struct meta_where where;
    struct meta_length length;
    struct meta_place place;
    bool is_data = false;
    enum err err = find_range(reader, &range, &is_data);

    if (err == ERR_OK)
        err = meta_parse_where(reader, &where);
    if (err == ERR_OK)
        err = meta_parse_length(reader, &length);
    if (err == ERR_OK)
        err = expect_end(reader);
    if (err == ERR_OK)
        meta_place_quoted(reader, &where);
    if (err == ERR_OK)
        err = meta_place_range(reader, &where, &length, &place);
    if (err != ERR_OK)
        return err;
    if (!is_data && !place.is_code)
        return meta_fail(reader, where.token.column, "an instruction range needs code, and %s is "
                         "data", where.token.text);
    range->is_set = true;
    range->start = place.address;
    range->end = place.address + place.bytes;
    snprintf(range->name, sizeof range->name, "%.*s", (int)sizeof range->name - 1,
             where.token.text);
    if (place.bytes == 0)
        return meta_warn(reader->meta, "%s:%u: the range is empty", reader->name, reader->line);
    return ERR_OK;
}

/* The nearest line of the file that has code; 0: none is near. */
static unsigned nearest_line(const struct meta_reader *reader, const struct meta_where *where)
{
    const struct meta_resolver *resolver = reader->resolver;
    struct meta_place piece;

    for (uint64_t away = 1; away <= NEAR_LINES; away++) {
        uint64_t after = where->number + away;

        if (after <= UINT32_MAX &&
            resolver->line(resolver->arg, where->name, (unsigned)after, &piece, 1) != 0)
            return (unsigned)after;
        if (away < where->number && where->number - away <= UINT32_MAX &&
            resolver->line(resolver->arg, where->name, (unsigned)(where->number - away), &piece,
                           1) != 0)
            return (unsigned)(where->number - away);
    }
    return 0;
}

static enum err warn_of_line(const struct meta_reader *reader, const struct meta_where *where)
{
    unsigned near = nearest_line(reader, where);

    if (near == 0)
        return meta_warn(reader->meta, "%s:%u: the entry marks nothing: no line near %llu of %s "
                         "has code", reader->name, reader->line,
                         (unsigned long long)where->number, where->name);
    return meta_warn(reader->meta, "%s:%u: the entry marks nothing: line %llu of %s has no code; "
                     "the nearest that has is %u", reader->name, reader->line,
                     (unsigned long long)where->number, where->name, near);
}

static enum err warn_of_nothing(const struct meta_reader *reader, const struct meta_entry *entry)
{
    static const char *const reason[] = {
        [WHERE_CALLS] = "no call is there", [WHERE_BRANCHES] = "no conditional branch is there",
    };
    const char *why = reason[entry->where.kind];

    if (entry->where.kind == WHERE_LINE)
        return warn_of_line(reader, &entry->where);
    if (why == NULL)
        why = !entry->length.is_whole && entry->length.bytes == 0
                  ? "it has no bytes" : "no instruction begins in its bytes";
    return meta_warn(reader->meta, "%s:%u: the entry marks nothing: %s", reader->name,
                     reader->line, why);
}

static enum err read_entry(struct meta_reader *reader)
{
    size_t marks = reader->meta->marks;
    struct meta_entry entry;
    enum err err = meta_parse_where(reader, &entry.where);

    if (err == ERR_OK)
        err = meta_parse_length(reader, &entry.length);
    if (err == ERR_OK)
        err = meta_parse_action(reader, &entry);
    if (err == ERR_OK) {
        reader->flags = entry.action.flags;
        meta_place_quoted(reader, &entry.where);
        err = meta_place_entry(reader, &entry);
    }
    if (err == ERR_OK && reader->meta->marks == marks && !meta_waits(reader))
        err = warn_of_nothing(reader, &entry);
    return err;
}

enum err meta_read_line(struct meta_reader *reader)
{
    const char *begin = reader->cursor;
    struct meta_token token;
    enum err err = meta_next_token(reader, &token);

    reader->is_unknown = reader->is_of_other = false;
    reader->flags = 0;
    if (err != ERR_OK || token.text[0] == '\0')
        return err;
    if (strcmp(token.text, "segment") == 0)
        return read_segment(reader);
    if (strcmp(token.text, "range") == 0)
        return read_range(reader);
    if (strcmp(token.text, "area") == 0) {
        err = meta_read_area(reader);
        reader->is_unknown = false;         /* areas belong to the program alone */
        return err;
    }
    reader->cursor = begin;
    return read_entry(reader);
}

static enum err read_or_keep(struct meta_reader *reader)
{
    enum err err = meta_read_line(reader);

    return meta_waits(reader) && (err == ERR_OK || err == ERR_USAGE) ? meta_keep_late(reader) : err;
}

static enum err read_lines(struct meta_reader *reader, const char *text, size_t count)
{
    const char *end = text + count;
    enum err err = meta_place_begin(reader);

    for (const char *line = text; err == ERR_OK && line < end; line = reader->line_end + 1) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));

        reader->line++;
        reader->line_begin = line;
        reader->line_end = newline != NULL ? newline : end;
        reader->cursor = line;
        err = read_or_keep(reader);
        if (newline == NULL)
            break;
    }
    return err;
}

/* ---- files ----------------------------------------------------------------------------------- */

enum err meta_read(struct meta *meta, const char *text, size_t count, const char *name,
                   const struct meta_resolver *resolver, struct diag *diag)
{
    struct meta_reader *reader = calloc(1, sizeof *reader);
    enum err err = ERR_NO_MEMORY;

    if (reader != NULL && append(&meta->file, &meta->files, name) == ERR_OK) {
        *reader = (struct meta_reader){.meta = meta, .resolver = resolver, .diag = diag,
                                       .name = name, .file = (uint32_t)(meta->files - 1)};
        err = read_lines(reader, text, count);
        free(reader->start);
    }
    free(reader);
    return err == ERR_NO_MEMORY ? diag_set(diag, err, "%s: out of memory", name) : err;
}

enum err meta_read_file(struct meta *meta, const char *path, const struct meta_resolver *resolver,
                        struct diag *diag)
{
    const struct input input = {.path = path, .use = "metadata", .most = META_BYTES_MAX};
    size_t count;
    char *text;
    enum err err = input_read(&input, &text, &count, diag);

    if (err == ERR_OK)
        err = meta_read(meta, text, count, path, resolver, diag);
    free(text);
    return err;
}

void meta_free(struct meta *meta)
{
    for (size_t i = 0; i < meta->files; i++)
        free(meta->file[i]);
    for (size_t i = 0; i < meta->warnings; i++)
        free(meta->warning[i]);
    free(meta->file);
    meta_late_free(meta);
    free(meta->warning);
    free(meta->mark);
    *meta = (struct meta){0};
}
