/* Profiling schemes as a member of a profile's JSON, written and read. */
#include "prof/profile/profile_schemes.h"

#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

void profile_write_scheme(cJSON *object, const struct profile_scheme *scheme)
{
    cJSON_AddStringToObject(object, "scheme", scheme->name);
    json_real(object, "instruction_error", scheme->insn_error);
    json_real(object, "block_error", scheme->block_error);
    json_real(object, "function_error", scheme->function_error);
    if (scheme->has_bias)
        json_real(object, "bias", scheme->bias);
    if (scheme->has_low)
        json_real(object, "interval_low", scheme->low);
    if (scheme->has_high)
        json_real(object, "interval_high", scheme->high);
    json_number(object, "samples", scheme->samples);
    json_number(object, "storage_bits", scheme->storage_bits);
    json_number(object, "sample_bytes", scheme->sample_bytes);
    json_number(object, "handler_cycles", scheme->handler_cycles);
}

void profile_write_schemes(cJSON *root, const struct profile *profile)
{
    const struct profile_schemes *schemes = profile->schemes;
    cJSON *object, *array;

    if (schemes == NULL)
        return;
    object = cJSON_AddObjectToObject(root, "profilers");
    json_number(object, "period", schemes->period);
    json_number(object, "dither", schemes->dither);
    json_number(object, "samples", schemes->samples);
    array = cJSON_AddArrayToObject(object, "schemes");
    for (size_t i = 0; i < schemes->schemes; i++)
        profile_write_scheme(json_append_object(array), &schemes->scheme[i]);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads an optional member; true if it is present. */
static bool read_share(struct profile_reading *reading, const cJSON *json, const char *key,
                       double *share)
{
    if (!json_has(json, key))
        return false;
    *share = json_get_real(&reading->json, json, key);
    return true;
}

static void read_scheme(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_scheme *scheme = element;

    scheme->name = profile_reading_text(reading, json, "scheme");
    scheme->insn_error = json_get_real(reader, json, "instruction_error");
    scheme->block_error = json_get_real(reader, json, "block_error");
    scheme->function_error = json_get_real(reader, json, "function_error");
    scheme->has_bias = read_share(reading, json, "bias", &scheme->bias);
    scheme->has_low = read_share(reading, json, "interval_low", &scheme->low);
    scheme->has_high = read_share(reading, json, "interval_high", &scheme->high);
    scheme->samples = json_get_number(reader, json, "samples");
    scheme->storage_bits = json_get_number(reader, json, "storage_bits");
    scheme->sample_bytes = json_get_number(reader, json, "sample_bytes");
    scheme->handler_cycles = json_get_number(reader, json, "handler_cycles");
}

void profile_read_schemes(struct profile_reading *reading, const cJSON *root)
{
    struct profile_schemes *schemes;
    const cJSON *object;

    if (!json_has(root, "profilers"))
        return;
    object = json_get_object(&reading->json, root, "profilers");
    schemes = profile_reading_alloc(reading, 1, sizeof *schemes);
    if (schemes == NULL)
        return;
    reading->profile->schemes = schemes;
    schemes->period = json_get_number(&reading->json, object, "period");
    schemes->dither = json_get_number(&reading->json, object, "dither");
    schemes->samples = json_get_number(&reading->json, object, "samples");
    schemes->scheme = profile_reading_array(reading, object, "schemes", sizeof schemes->scheme[0],
                                            read_scheme, &schemes->schemes);
}
