/* See json.h. */
#include "prof/profile/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/utf8.h"

/* The largest number up to which a double holds every integer. */
#define EXACT_MAX 9007199254740992.0

enum { DIGITS_MOST = 24 };

/* ---- writing --------------------------------------------------------------------------------- */

/* The decimal digits of a value. Documents are mostly numbers, and printf takes six times as long
 * for one. */
static const char *digits_of(uint64_t value, char text[DIGITS_MOST])
{
    char *at = &text[DIGITS_MOST - 1];

    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return at;
}

cJSON *json_document(void)
{
    cJSON *root = cJSON_CreateObject();

    json_number(root, "schema", JSON_SCHEMA);
    return root;
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    return object;
}

void json_number(cJSON *object, const char *key, uint64_t value)
{
    char text[DIGITS_MOST];

    cJSON_AddRawToObject(object, key, digits_of(value, text));
}

void json_signed(cJSON *object, const char *key, int64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddRawToObject(object, key, text);
}

void json_append_number(cJSON *array, uint64_t value)
{
    char text[DIGITS_MOST];

    cJSON_AddItemToArray(array, cJSON_CreateRaw(digits_of(value, text)));
}

void json_address(cJSON *object, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%" PRIx64, value);
    cJSON_AddStringToObject(object, key, text);
}

void json_real(cJSON *object, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.9g", value);
    cJSON_AddRawToObject(object, key, text);
}

/* Writes a tab after a colon as one space, others as two. */
static void print_text(const char *text, FILE *out)
{
    char part[4096] = "", before = '\0';
    size_t bytes = 0;

    for (; *text != '\0'; before = *text++) {
        part[bytes++] = *text != '\t' ? *text : ' ';
        if (*text == '\t' && before != ':')
            part[bytes++] = ' ';
        if (bytes >= sizeof part - 1) {
            fwrite(part, 1, bytes, out);
            bytes = 0;
        }
    }
    fwrite(part, 1, bytes, out);
}

static char *finish(cJSON *root, char *text)
{
    cJSON_Delete(root);
    if (text != NULL)
        utf8_mend(text);
    return text;
}

char *json_text(cJSON *root)
{
    return finish(root, cJSON_PrintUnformatted(root));
}

/* cJSON indents with tabs; within strings it writes them as \t. */
enum err json_print(cJSON *root, FILE *out, struct diag *diag)
{
    char *text = finish(root, cJSON_Print(root));

    if (text == NULL)
        return diag_no_memory(diag, "JSON");
    print_text(text, out);
    fputc('\n', out);
    cJSON_free(text);
    return ERR_OK;
}

/* ---- parsing --------------------------------------------------------------------------------- */

enum { MEMBER_MOST = 40 };

/* What brackets and quotes tell of a text that cannot be parsed. */
struct outline {
    size_t depth;                       /* of brackets that are open at its end */
    bool is_in_string;
    const char *string, *string_end;    /* the last one; the end is that of its text */
    const char *member, *member_end;    /* the last name in the outermost object; NULL: none */
};

static const char *end_of_string(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at;
}

static void step(struct outline *outline, char character)
{
    if (character == '{' || character == '[')
        outline->depth++;
    else if ((character == '}' || character == ']') && outline->depth != 0)
        outline->depth--;
    else if (character == ':' && outline->depth == 1) {
        outline->member = outline->string;
        outline->member_end = outline->string_end;
    }
}

static struct outline outline_of(const char *text, size_t bytes)
{
    struct outline outline = {.depth = 0};
    const char *end = text + bytes;

    for (const char *at = text; at < end; at++) {
        if (*at != '"') {
            step(&outline, *at);
            continue;
        }
        outline.string = at + 1;
        outline.string_end = at = end_of_string(at + 1, end);
        outline.is_in_string = at == end;
    }
    return outline;
}

static size_t line_of(const char *text, const char *place)
{
    size_t line = 1;

    for (; text < place; text++)
        line += *text == '\n';
    return line;
}

static enum err refuse_text(struct json_reader *reader, const char *text, size_t bytes,
                            const char *place, const char *expected)
{
    const struct outline outline = outline_of(text, bytes);
    bool is_json = bytes != 0 && (text[0] == '{' || text[0] == '[');
    char within[MEMBER_MOST + 16] = "";

    if (outline.member != NULL && outline.member_end - outline.member <= MEMBER_MOST)
        snprintf(within, sizeof within, ", in its member %.*s",
                 (int)(outline.member_end - outline.member), outline.member);
    if (bytes == 0)
        return diag_set(reader->diag, ERR_USAGE, "%s: the file is empty; expected %s",
                        reader->file, expected);
    if (is_json && (outline.depth != 0 || outline.is_in_string))
        return diag_set(reader->diag, ERR_USAGE, "%s: the file was cut off: it ends after %zu "
                        "bytes in line %zu%s", reader->file, bytes,
                        line_of(text, text + bytes), within);
    return diag_set(reader->diag, ERR_USAGE, "%s: line %zu: expected %s", reader->file,
                    line_of(text, place), expected);
}

cJSON *json_parse(struct json_reader *reader, const char *text, size_t bytes, const char *expected)
{
    const char *place = text;
    cJSON *json = cJSON_ParseWithLengthOpts(text, bytes, &place, false);

    if (json == NULL && reader->err == ERR_OK)
        reader->err = refuse_text(reader, text, bytes, place, expected);
    return json;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool json_has(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
}

enum err json_fail(struct json_reader *reader, const char *where, const char *expected)
{
    if (reader->err == ERR_OK)
        reader->err = diag_set(reader->diag, ERR_USAGE, "%s: %s: expected %s", reader->file, where,
                               expected);
    return reader->err;
}

static const cJSON *get(struct json_reader *reader, const cJSON *object, const char *key,
                        const char *expected)
{
    const cJSON *json =
        reader->err == ERR_OK ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;

    if (json == NULL)
        json_fail(reader, key, expected);
    return json;
}

const cJSON *json_get_object(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "an object");

    if (json != NULL && !cJSON_IsObject(json))
        json_fail(reader, key, "an object");
    return reader->err == ERR_OK ? json : NULL;
}

const cJSON *json_get_array(struct json_reader *reader, const cJSON *object, const char *key,
                            size_t *count)
{
    const cJSON *json = get(reader, object, key, "an array");

    *count = 0;
    if (json != NULL && !cJSON_IsArray(json))
        json_fail(reader, key, "an array");
    if (reader->err != ERR_OK)
        return NULL;
    *count = (size_t)cJSON_GetArraySize(json);
    return json;
}

uint64_t json_number_of(struct json_reader *reader, const cJSON *json, const char *where)
{
    double value = json != NULL && cJSON_IsNumber(json) ? json->valuedouble : -1;

    if (!(value >= 0) || value > EXACT_MAX || value != (double)(uint64_t)value) {
        json_fail(reader, where, "a whole number, not negative");
        return 0;
    }
    return (uint64_t)value;
}

uint64_t json_address_of(struct json_reader *reader, const cJSON *json, const char *where)
{
    const char *text = json != NULL && cJSON_IsString(json) ? json->valuestring : "";
    unsigned long long value;
    char *end = NULL;

    errno = 0;
    value = strncmp(text, "0x", 2) == 0 && text[2] != '\0' && strchr("+-", text[2]) == NULL
                ? strtoull(text + 2, &end, 16) : 0;
    if (end == NULL || *end != '\0' || errno != 0) {
        json_fail(reader, where, "an address as text, such as \"0x80000000\"");
        return 0;
    }
    return value;
}

const char *json_text_of(struct json_reader *reader, const cJSON *json, const char *where)
{
    if (json != NULL && cJSON_IsString(json))
        return json->valuestring;
    json_fail(reader, where, "a text");
    return "";
}

uint64_t json_get_number(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "a number");

    return json != NULL ? json_number_of(reader, json, key) : 0;
}

enum err json_check_schema(struct json_reader *reader, const cJSON *root)
{
    uint64_t schema = json_get_number(reader, root, "schema");

    if (reader->err == ERR_OK && schema != JSON_SCHEMA)
        reader->err = diag_set(reader->diag, ERR_USAGE, "%s: has schema %llu, as another version "
                               "of rvsim writes it; expected schema %d", reader->file,
                               (unsigned long long)schema, JSON_SCHEMA);
    return reader->err;
}

uint64_t json_get_address(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "an address");

    return json != NULL ? json_address_of(reader, json, key) : 0;
}

double json_get_real(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "a number");

    if (json != NULL && !(cJSON_IsNumber(json) && json->valuedouble >= 0 &&
                          json->valuedouble <= EXACT_MAX))
        json_fail(reader, key, "a number, not negative");
    return reader->err == ERR_OK ? json->valuedouble : 0;
}

const char *json_get_text(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "a text");

    return json != NULL ? json_text_of(reader, json, key) : "";
}

bool json_get_bool(struct json_reader *reader, const cJSON *object, const char *key)
{
    const cJSON *json = get(reader, object, key, "true or false");

    if (json != NULL && !cJSON_IsBool(json))
        json_fail(reader, key, "true or false");
    return json != NULL && cJSON_IsTrue(json);
}
