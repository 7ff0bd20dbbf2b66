/* See flat.h. */
#include "prof/serve/handler/flat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/export/pprof.h"
#include "prof/export/protobuf.h"
#include "prof/records/names.h"
#include "sim/base/array.h"

enum { FRAMES_MAX = 1024 };

enum err flat_add(struct flat *flat, const char *stack, uint64_t count, uint64_t sum)
{
    struct flat_stack *grown = array_grow(flat->stack, flat->stacks, sizeof *grown);

    if (grown == NULL)
        return ERR_NO_MEMORY;
    flat->stack = grown;
    flat->stack[flat->stacks] = (struct flat_stack){strdup(stack), count, sum};
    if (flat->stack[flat->stacks].stack == NULL)
        return ERR_NO_MEMORY;
    flat->stacks++;
    return ERR_OK;
}

void flat_free(struct flat *flat)
{
    for (size_t i = 0; i < flat->stacks; i++)
        free(flat->stack[i].stack);
    free(flat->stack);
    *flat = (struct flat){.stacks = 0};
}

char *flat_folded(const struct flat *flat, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < flat->stacks; i++)
        fprintf(out, "%s %" PRIu64 "\n", flat->stack[i].stack, flat->stack[i].sum);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- pprof ----------------------------------------------------------------------------------- */

struct writer { struct protobuf all, part, inner; struct names string; bool has_failed; };

static uint64_t string_of(struct writer *writer, const char *text)
{
    uint32_t number = 0;

    if (names_add(&writer->string, text, &number, NULL) != ERR_OK)
        writer->has_failed = true;
    return number;
}

static void put_type(struct writer *writer, const char *name, const char *unit)
{
    protobuf_number(&writer->part, TYPE_NAME, string_of(writer, name));
    protobuf_number(&writer->part, TYPE_UNIT, string_of(writer, unit));
    protobuf_message(&writer->all, PROFILE_SAMPLE_TYPE, &writer->part);
}

/* The id of a location, and of its function, is the number of the function's name. */
static void put_sample(struct writer *writer, const struct flat_stack *stack)
{
    uint64_t id[FRAMES_MAX], value[2] = {stack->count, stack->sum};
    size_t frames = 0;
    char *copy = strdup(stack->stack), *rest = copy, *frame;

    while ((frame = strsep(&rest, ";")) != NULL && frames < FRAMES_MAX)
        id[frames++] = string_of(writer, *frame != '\0' ? frame : "?");
    for (size_t i = 0; i < frames / 2; i++) {           /* the leaf must be first */
        uint64_t swapped = id[i];

        id[i] = id[frames - 1 - i];
        id[frames - 1 - i] = swapped;
    }
    protobuf_packed(&writer->part, SAMPLE_LOCATIONS, id, frames);
    protobuf_packed(&writer->part, SAMPLE_VALUES, value, 2);
    protobuf_message(&writer->all, PROFILE_SAMPLE, &writer->part);
    writer->has_failed |= copy == NULL;
    free(copy);
}

static void put_functions(struct writer *writer)
{
    for (size_t i = 1; i < writer->string.count; i++) {
        protobuf_number(&writer->inner, LINE_FUNCTION, i);
        protobuf_number(&writer->part, LOCATION_ID, i);
        protobuf_message(&writer->part, LOCATION_LINE, &writer->inner);
        protobuf_message(&writer->all, PROFILE_LOCATION, &writer->part);
        protobuf_number(&writer->part, FUNCTION_ID, i);
        protobuf_number(&writer->part, FUNCTION_NAME, i);
        protobuf_message(&writer->all, PROFILE_FUNCTION, &writer->part);
    }
    for (size_t i = 0; i < writer->string.count; i++)
        protobuf_text(&writer->all, PROFILE_STRINGS, writer->string.text[i]);
}

char *flat_pprof(const struct flat *flat, const char *count, const char *sum, const char *unit,
                 size_t *bytes)
{
    struct writer writer = {.has_failed = false};
    char *packed = NULL;
    FILE *out = open_memstream(&packed, bytes);

    string_of(&writer, "");
    put_type(&writer, count, "count");
    put_type(&writer, sum, unit);
    for (size_t i = 0; i < flat->stacks; i++)
        put_sample(&writer, &flat->stack[i]);
    put_functions(&writer);
    protobuf_number(&writer.all, PROFILE_DEFAULT_TYPE, string_of(&writer, sum));
    writer.has_failed |= out == NULL || writer.all.has_failed ||
                         protobuf_gzip(&writer.all, out, NULL) != ERR_OK;
    if (out != NULL && (fclose(out) != 0 || writer.has_failed)) {
        free(packed);
        packed = NULL;
    }
    protobuf_free(&writer.all);
    protobuf_free(&writer.part);
    protobuf_free(&writer.inner);
    names_free(&writer.string);
    return packed;
}
