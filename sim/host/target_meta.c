/* The program's answers to the reader of metadata: sections, symbols, lines, code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/target.h"
#include "sim/run/kernel/kernel.h"
#include "sim/run/profiler/profiler_late.h"

/* NULL: no section in memory has the address. */
static const struct image_section *section_around(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];

        if (section->addr != 0 && address - section->addr < section->bytes)
            return section;
    }
    return NULL;
}

static bool is_in_code(const struct image *image, uint64_t address)
{
    const struct image_section *section = section_around(image, address);

    return section != NULL && section->is_code;
}

/* Lists only the sections that are in memory. */
static const char *section_at(void *arg, size_t index, struct meta_place *place)
{
    const struct image *image = &((struct target *)arg)->image;

    for (size_t i = 0; i < image->section_count; i++) {
        const struct image_section *section = &image->sections[i];

        if (section->addr == 0 || index-- != 0)
            continue;
        *place = (struct meta_place){section->addr, section->bytes, section->is_code};
        return section->name;
    }
    return NULL;
}

static const char *symbol_at(void *arg, size_t index, struct meta_place *place)
{
    const struct image *image = &((struct target *)arg)->image;
    const struct image_symbol *symbol;

    if (index >= image->symbol_count)
        return NULL;
    symbol = &image->symbols[index];
    *place = (struct meta_place){symbol->addr, symbol->bytes,
                                 symbol->is_function || is_in_code(image, symbol->addr)};
    return symbol->name;
}

static bool place_around(const struct image *image, uint64_t address, struct meta_place *place)
{
    const struct image_section *section = section_around(image, address);

    if (section != NULL)
        *place = (struct meta_place){section->addr, section->bytes, section->is_code};
    return section != NULL;
}

static bool around_of_program(void *arg, uint64_t address, struct meta_place *place)
{
    return place_around(&((struct target *)arg)->image, address, place);
}

static bool around(void *arg, uint64_t address, struct meta_place *place)
{
    const struct target *target = arg;
    bool is_found = around_of_program(arg, address, place);

    for (size_t i = 0; i < target->modules && !is_found; i++)
        is_found = place_around(&target->module[i]->image, address, place);
    return is_found;
}

static size_t select_symbols(void *arg, const char *name, struct meta_place *place, size_t max,
                             bool *is_group)
{
    const struct target *target = arg;
    const struct symbols_entry **entry = calloc(max + 1, sizeof *entry);
    size_t count = 0;

    if (entry != NULL)
        count = symbols_select(target->symbols, name, entry, max, is_group);
    for (size_t i = 0; i < count && i < max; i++)
        place[i] = (struct meta_place){entry[i]->address, entry[i]->bytes,
                                       entry[i]->is_function ||
                                       is_in_code(&target->image, entry[i]->address)};
    free(entry);
    return count;
}

/* Names that only a library has wait for target_mark_module. */
static size_t select_own(void *arg, const char *name, struct meta_place *place, size_t max,
                         bool *is_group)
{
    const struct target *target = arg;
    struct meta_place first;
    size_t count = select_symbols(arg, name, &first, 1, is_group);

    if (count == 0 || image_segment_at(&target->image, first.address) == NULL)
        return 0;
    return select_symbols(arg, name, place, max, is_group);
}

static const char *near_symbol(void *arg, const char *name)
{
    return symbols_near(((struct target *)arg)->symbols, name);
}

static size_t line_pieces(void *arg, const char *file, unsigned line, struct meta_place *pieces,
                          size_t max)
{
    const struct symbols_line *piece;
    size_t count = 0, all = symbols_lines(((struct target *)arg)->symbols, &piece);

    for (size_t i = 0; i < all; i++, piece++) {
        if ((line != 0 && piece->line != line) || !symbols_is_file(piece->file, file))
            continue;
        if (line == 0)
            return 1;
        if (count < max)
            pieces[count] = (struct meta_place){piece->address, piece->end - piece->address, true};
        count++;
    }
    return count;
}

static bool read_code(void *arg, uint64_t address, void *bytes, size_t count)
{
    return symbols_code(((struct target *)arg)->symbols, address, bytes, count);
}

struct meta_resolver target_resolver(struct target *target)
{
    return (struct meta_resolver){
        .arg = target, .section = section_at, .symbol = symbol_at, .line = line_pieces,
        .around = around, .select = select_symbols, .near = near_symbol, .code = read_code,
        .xlen = target->image.xlen,
    };
}

struct meta_resolver target_open_resolver(struct target *target)
{
    struct meta_resolver resolver = target_resolver(target);

    if (!kernel_may_execute(&target->image))
        return resolver;
    resolver.is_open = true;
    resolver.around = around_of_program;
    resolver.select = select_own;
    return resolver;
}

/* Each macro puts its text there as a string; the strings end with zeros. */
static enum err read_section(const struct target *target, const struct image_section *section,
                             struct meta *meta, const struct meta_resolver *resolver,
                             struct diag *diag)
{
    char name[256], *text;
    enum err err;

    text = malloc(section->bytes + 1);
    if (text == NULL)
        return diag_no_memory(diag, "metadata");
    for (uint64_t i = 0; i < section->bytes; i++)
        text[i] = section->content[i] != '\0' ? (char)section->content[i] : '\n';
    snprintf(name, sizeof name, "%.200s(" META_SECTION ")", target->image.path);
    err = meta_read(meta, text, section->bytes, name, resolver, diag);
    free(text);
    return err;
}

enum err target_read_meta(struct target *target, const char *const *file, size_t files,
                          struct meta *meta, struct diag *diag)
{
    const struct image_section *section = image_find_section(&target->image, META_SECTION);
    bool has_section = section != NULL && section->content != NULL;
    struct meta_resolver resolver;
    enum err err = ERR_OK;

    if (!has_section && files == 0)
        return ERR_OK;
    resolver = target_open_resolver(target);
    if (has_section)
        err = read_section(target, section, meta, &resolver, diag);
    for (size_t i = 0; i < files && err == ERR_OK; i++)
        err = meta_read_file(meta, file[i], &resolver, diag);
    return err;
}

/* The module is looked at as if it were a program. */
enum err target_mark_module(const struct target_module *module, struct meta *meta,
                            struct profiler *profiler, struct diag *diag)
{
    struct target alone = {.symbols = module->symbols};
    struct meta_resolver resolver;
    const struct symbols_entry *first;
    struct meta_part part;
    enum err err;

    if (meta->lates == 0 || profiler == NULL)
        return ERR_OK;
    symbols_entries(module->symbols, &first);   /* then the image has all its routines */
    alone.image = module->image;
    resolver = target_resolver(&alone);
    err = meta_read_late(meta, &resolver, &part, diag);
    return err == ERR_OK ? profiler_add_late(profiler, &module->image, &part, diag) : err;
}
