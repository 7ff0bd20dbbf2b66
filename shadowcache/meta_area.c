/* The lines `area`: work areas, which count every item of a piece of memory in an array. */
#include <stdio.h>
#include <string.h>

#include "shadowcache/meta_internal.h"

enum { CODE_GRANULE = 2, DATA_GRANULE = 8, CELL_BYTES = 8 };

/* The value of OPTION=VALUE; NULL: the token is another option. */
static const char *value_of(const struct meta_token *token, const char *option)
{
    size_t length = strlen(option);

    return strncmp(token->text, option, length) == 0 && token->text[length] == '='
               ? token->text + length + 1 : NULL;
}

static enum err parse_power(const struct meta_reader *reader, const struct meta_token *token,
                            const char *value, uint32_t max, uint32_t *power)
{
    uint64_t number = 0;

    if (!meta_parse_number(value, &number) || number == 0 || number > max ||
        (number & (number - 1)) != 0)
        return meta_fail(reader, token->column, "'%s': expected a power of two up to %u",
                         token->text, max);
    *power = (uint32_t)number;
    return ERR_OK;
}

/* counts=SYMBOL: the array belongs to the program. */
static enum err parse_counts(struct meta_reader *reader, const struct meta_token *token,
                             const char *name, struct meta_area *area)
{
    struct meta_where where = {.kind = WHERE_SYMBOL, .token = *token,
                               .number_column = token->column};
    const struct meta_length whole = {.is_whole = true, .column = token->column};
    struct meta_place place;
    enum err err;

    snprintf(where.name, sizeof where.name, "%.*s", META_TOKEN_MAX - 1, name);
    err = meta_place_range(reader, &where, &whole, &place);
    if (err != ERR_OK)
        return err;
    if (place.is_code)
        return meta_fail(reader, token->column, "'%s' is code", name);
    area->counts = place.address;
    area->count_bytes = place.bytes;
    return ERR_OK;
}

static enum err parse_option(struct meta_reader *reader, const struct meta_token *token,
                             struct meta_area *area)
{
    const char *value;

    if ((value = value_of(token, "granule")) != NULL)
        return parse_power(reader, token, value, 64, &area->granule);
    if ((value = value_of(token, "size")) != NULL)
        return parse_power(reader, token, value, 8, &area->size);
    if ((value = value_of(token, "counts")) != NULL)
        return parse_counts(reader, token, value, area);
    if (strcmp(token->text, "saturate") == 0)
        area->saturates = true;
    else if (strcmp(token->text, "near") == 0)
        area->is_near = true;
    else
        return meta_fail(reader, token->column, "no option '%s': expected granule=BYTES, "
                         "size=BYTES, counts=SYMBOL, saturate or near", token->text);
    return ERR_OK;
}

static enum err parse_options(struct meta_reader *reader, struct meta_area *area)
{
    struct meta_token token;
    enum err err;

    for (;;) {
        err = meta_next_token(reader, &token);
        if (err != ERR_OK || token.text[0] == '\0')
            return err;
        err = parse_option(reader, &token, area);
        if (err != ERR_OK)
            return err;
    }
}

uint64_t meta_area_cells(const struct meta_area *area)
{
    return (area->address + area->bytes - 1) / area->granule - area->address / area->granule + 1;
}

static enum err check(const struct meta_reader *reader, const struct meta_entry *entry,
                      const struct meta_area *area)
{
    uint64_t need = meta_area_cells(area) * area->size;

    if (area->counts == 0)
        return ERR_OK;
    if (area->counts % area->size != 0)
        return meta_fail(reader, entry->where.token.column,
                         "the counts at 0x%llx are not aligned to their %u bytes",
                         (unsigned long long)area->counts, area->size);
    if (area->count_bytes < need)
        return meta_fail(reader, entry->where.token.column,
                         "the counts need %llu bytes, and their array has %llu",
                         (unsigned long long)need, (unsigned long long)area->count_bytes);
    return ERR_OK;
}

/* The line is an area, and also marks all of it. */
enum err meta_read_area(struct meta_reader *reader)
{
    struct meta *meta = reader->meta;
    struct meta_entry entry = {.action = {.flags = MARK_AREA}};
    struct meta_area area = {.file = reader->file, .line = reader->line};
    struct meta_place place;
    enum err err = meta_parse_where(reader, &entry.where);

    if (err == ERR_OK)
        err = meta_parse_length(reader, &entry.length);
    if (err == ERR_OK)
        err = meta_place_range(reader, &entry.where, &entry.length, &place);
    if (err != ERR_OK)
        return err;
    area.granule = place.is_code ? CODE_GRANULE : DATA_GRANULE;
    area.size = CELL_BYTES;
    err = parse_options(reader, &area);
    if (err != ERR_OK)
        return err;
    if (place.bytes == 0)
        return meta_warn(meta, "%s:%u: the area is empty", reader->name, reader->line);
    if (meta->areas == PROF_AREAS)
        return meta_fail(reader, entry.where.token.column, "more than %d areas", PROF_AREAS);
    area.address = place.address;
    area.bytes = place.bytes;
    area.is_code = place.is_code;
    entry.action.granule = place.is_code ? 0 : area.granule;
    err = check(reader, &entry, &area);
    if (err != ERR_OK)
        return err;
    meta->area[meta->areas++] = area;
    return meta_place_entry(reader, &entry);
}
