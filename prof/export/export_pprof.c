/* pprof: a Profile of google's pprof as a protocol buffer, compressed with gzip. */
#include <stdlib.h>
#include <string.h>

#include "prof/export/pprof.h"
#include "prof/export/protobuf.h"
#include "prof/export/export.h"
#include "prof/export/stacks.h"
#include "prof/records/names.h"

/* A place in a stack: each pair of function and address once. */
struct location { uint32_t function; uint64_t address; };

struct writer {
    const struct stacks *stacks;
    const struct profile *profile;
    const struct symbols *symbols;
    struct protobuf all, part, inner;
    struct names string, object;    /* object: files other than the program; their mapping is number
                                     * + 2 */
    struct location *location;      /* sorted; a location's id is its index + 1 */
    size_t locations;
    struct diag *diag;
    enum err err;
};

static uint64_t string_of(struct writer *writer, const char *text)
{
    uint32_t number = 0;

    if (writer->err == ERR_OK)
        writer->err = names_add(&writer->string, text, &number, writer->diag);
    return number;
}

/* ---- locations ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct location *x = a, *y = b;

    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

static struct location location_of(const struct stacks *stacks, const struct stacks_frame *frame)
{
    uint64_t routine = stacks->function[frame->function].routine;

    return (struct location){frame->function, frame->address != 0 ? frame->address : routine};
}

static enum err find_locations(struct writer *writer)
{
    const struct stacks *stacks = writer->stacks;
    size_t kept = 0;

    writer->location = malloc((stacks->frames + 1) * sizeof *writer->location);
    if (writer->location == NULL)
        return diag_no_memory(writer->diag, "stacks");
    for (size_t i = 0; i < stacks->frames; i++)
        writer->location[i] = location_of(stacks, &stacks->frame[i]);
    qsort(writer->location, stacks->frames, sizeof *writer->location, compare);
    for (size_t i = 0; i < stacks->frames; i++)
        if (i == 0 || compare(&writer->location[i - 1], &writer->location[i]) != 0)
            writer->location[kept++] = writer->location[i];
    writer->locations = kept;
    return ERR_OK;
}

static uint64_t location_id(const struct writer *writer, const struct stacks_frame *frame)
{
    struct location key = location_of(writer->stacks, frame), *at;

    at = bsearch(&key, writer->location, writer->locations, sizeof key, compare);
    return (uint64_t)(at - writer->location) + 1;
}

/* Traps and the marks of broken stacks have addresses that no program has. */
static bool is_in_program(const struct writer *writer, uint64_t address)
{
    return symbols_at(writer->symbols, address) != NULL;
}

/* The file that contains an address; NULL: the program, or none. */
static const char *other_object(const struct writer *writer, uint64_t address)
{
    const char *object = symbols_object_at(writer->symbols, address);

    return object != symbols_object(writer->symbols) ? object : NULL;
}

static uint64_t mapping_of(const struct writer *writer, uint64_t address)
{
    const char *object = other_object(writer, address);

    return object != NULL ? (uint64_t)names_find(&writer->object, object) + 2 : 1;
}

static void put_location(struct writer *writer, size_t at)
{
    const struct location *location = &writer->location[at];
    const struct symbols_line *line = symbols_line_at(writer->symbols, location->address);
    bool is_known = is_in_program(writer, location->address);

    protobuf_number(&writer->inner, LINE_FUNCTION, location->function + 1);
    if (is_known && line != NULL)
        protobuf_number(&writer->inner, LINE_LINE, line->line);
    protobuf_number(&writer->part, LOCATION_ID, at + 1);
    if (is_known) {
        protobuf_number(&writer->part, LOCATION_MAPPING, mapping_of(writer, location->address));
        protobuf_number(&writer->part, LOCATION_ADDRESS, location->address);
    }
    protobuf_message(&writer->part, LOCATION_LINE, &writer->inner);
    protobuf_message(&writer->all, PROFILE_LOCATION, &writer->part);
}

/* ---- the other messages ---------------------------------------------------------------------- */

static void put_type(struct writer *writer, unsigned field, const char *name, const char *unit)
{
    protobuf_number(&writer->part, TYPE_NAME, string_of(writer, name));
    protobuf_number(&writer->part, TYPE_UNIT, string_of(writer, unit));
    protobuf_message(&writer->all, field, &writer->part);
}

static void put_types(struct writer *writer)
{
    for (unsigned i = 0; i < writer->stacks->values; i++)
        put_type(writer, PROFILE_SAMPLE_TYPE, writer->stacks->value[i].name,
                 writer->stacks->value[i].unit);
}

/* The number of events between two samples; absent in a profile without sampling. */
static void put_period(struct writer *writer)
{
    const struct profile_sampling *sampling = writer->profile->sampling;

    if (sampling == NULL || sampling->period == 0)
        return;
    put_type(writer, PROFILE_PERIOD_TYPE, sampling->event, "count");
    protobuf_number(&writer->all, PROFILE_PERIOD, sampling->period);
}

static void put_samples(struct writer *writer)
{
    const struct stacks *stacks = writer->stacks;

    for (size_t i = 0; i < stacks->samples; i++) {
        const struct stacks_sample *sample = &stacks->sample[i];

        for (uint32_t f = sample->leaf; f != 0; f = stacks_frame(stacks, f)->caller)
            protobuf_number(&writer->part, SAMPLE_LOCATIONS,
                            location_id(writer, stacks_frame(stacks, f)));
        protobuf_packed(&writer->part, SAMPLE_VALUES, sample->value, stacks->values);
        protobuf_message(&writer->all, PROFILE_SAMPLE, &writer->part);
    }
}

static void put_mapping(struct writer *writer, uint64_t id, uint64_t start, uint64_t limit,
                        const char *file, const char *build)
{
    protobuf_number(&writer->part, MAPPING_ID, id);
    protobuf_number(&writer->part, MAPPING_START, start);
    protobuf_number(&writer->part, MAPPING_LIMIT, limit);
    protobuf_number(&writer->part, MAPPING_FILE, string_of(writer, file));
    protobuf_number(&writer->part, MAPPING_BUILD, string_of(writer, build));
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_LINES; field++)
        protobuf_number(&writer->part, field, 1);
    protobuf_message(&writer->all, PROFILE_MAPPING, &writer->part);
}

/* The program as one mapping, up to its last symbol; it starts at the bias if the program was
 * relocated, else at its first function. */
static void put_program(struct writer *writer)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(writer->symbols, &entry);
    uint64_t start = UINT64_MAX, limit = 0;

    for (size_t i = 0; i < entries; i++) {
        if (entry[i].is_function && entry[i].bytes != 0 && start == UINT64_MAX)
            start = entry[i].address;
        if (entry[i].address + entry[i].bytes > limit)
            limit = entry[i].address + entry[i].bytes;
    }
    start = writer->profile->bias != 0 ? writer->profile->bias : start;
    put_mapping(writer, 1, start < limit ? start : 0, limit, writer->profile->program,
                writer->profile->program_id);
}

/* The library of this path; NULL: none. */
static const struct profile_module *module_of(const struct profile *profile, const char *path)
{
    for (size_t i = 0; i < profile->modules; i++)
        if (strcmp(profile->module[i].path, path) == 0)
            return &profile->module[i];
    return NULL;
}

/* Locations are in order of address. A library's file begins at its bias. */
static void put_other(struct writer *writer, size_t number)
{
    const char *name = writer->object.text[number];
    const struct profile_module *module = module_of(writer->profile, name);
    uint64_t start = 0, limit = 0;

    for (size_t i = 0; i < writer->locations; i++) {
        const char *object = other_object(writer, writer->location[i].address);

        if (object == NULL || strcmp(object, name) != 0)
            continue;
        start = limit == 0 ? writer->location[i].address : start;
        limit = writer->location[i].address + 1;
    }
    put_mapping(writer, number + 2, module != NULL ? module->bias : start, limit, name,
                module != NULL ? module->id : "");
}

/* Libraries and the guest kernel, if stacks have frames in them. */
static void put_others(struct writer *writer)
{
    for (size_t i = 0; i < writer->locations && writer->err == ERR_OK; i++) {
        const char *object = other_object(writer, writer->location[i].address);
        uint32_t number = 0;

        if (object != NULL)
            writer->err = names_add(&writer->object, object, &number, writer->diag);
    }
    for (size_t number = 0; number < writer->object.count; number++)
        put_other(writer, number);
}

static void put_functions(struct writer *writer)
{
    for (size_t i = 0; i < writer->stacks->functions; i++) {
        const struct stacks_function *function = &writer->stacks->function[i];
        uint64_t name = string_of(writer, function->name);

        protobuf_number(&writer->part, FUNCTION_ID, i + 1);
        protobuf_number(&writer->part, FUNCTION_NAME, name);
        protobuf_number(&writer->part, FUNCTION_SYSTEM, name);
        protobuf_number(&writer->part, FUNCTION_FILE, string_of(writer, function->file));
        protobuf_number(&writer->part, FUNCTION_LINE, function->line);
        protobuf_message(&writer->all, PROFILE_FUNCTION, &writer->part);
    }
}

static enum err put_all(struct writer *writer)
{
    string_of(writer, "");
    put_types(writer);
    put_samples(writer);
    put_program(writer);
    put_others(writer);
    for (size_t i = 0; i < writer->locations; i++)
        put_location(writer, i);
    put_functions(writer);
    put_period(writer);
    protobuf_number(&writer->all, PROFILE_DEFAULT_TYPE,
                    string_of(writer, writer->stacks->value[writer->stacks->main].name));
    for (size_t i = 0; i < writer->string.count; i++)
        protobuf_text(&writer->all, PROFILE_STRINGS, writer->string.text[i]);
    if (writer->err == ERR_OK && (writer->all.has_failed || writer->part.has_failed))
        writer->err = diag_no_memory(writer->diag, "pprof");
    return writer->err;
}

enum err export_pprof(const struct profile *profile, const struct symbols *symbols, FILE *out,
                      struct diag *diag)
{
    struct stacks stacks;
    struct writer writer = {
        .stacks = &stacks, .profile = profile, .symbols = symbols, .diag = diag,
    };

    writer.err = stacks_make(&stacks, profile, symbols, diag);
    if (writer.err == ERR_OK)
        writer.err = stacks_limit(&stacks, diag);
    if (writer.err == ERR_OK)
        writer.err = find_locations(&writer);
    if (writer.err == ERR_OK)
        writer.err = put_all(&writer);
    if (writer.err == ERR_OK)
        writer.err = protobuf_gzip(&writer.all, out, diag);
    protobuf_free(&writer.all);
    protobuf_free(&writer.part);
    protobuf_free(&writer.inner);
    names_free(&writer.string);
    names_free(&writer.object);
    free(writer.location);
    stacks_free(&stacks);
    return writer.err;
}
