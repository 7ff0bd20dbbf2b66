/* Additions to cJSON: exact 64-bit numbers, and reading with precise errors.
 * Internal to prof/ and the statistics. */
#ifndef PROF_PROFILE_JSON_H
#define PROF_PROFILE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/err.h"

/* ---- writing: a lack of memory shows in json_print ------------------------------------------- */

/* The number that every document begins with as "schema", and every schema of docs/reference/schema
 * requires. */
enum { JSON_SCHEMA = 1 };
/* A document of rvsim: an object that begins with this number. */
cJSON *json_document(void);
/* A new object at the end of the array. */
cJSON *json_append_object(cJSON *array);

void json_number(cJSON *object, const char *key, uint64_t value);
void json_signed(cJSON *object, const char *key, int64_t value);
void json_append_number(cJSON *array, uint64_t value);
void json_address(cJSON *object, const char *key, uint64_t value);     /* "0x80000010" */
void json_real(cJSON *object, const char *key, double value);
/* The document on one line, in UTF-8 whatever its names are (sim/base/utf8.h), for cJSON_free; then
 * frees `root`. NULL: no memory. */
char *json_text(cJSON *root);
/* The same, indented, with a newline at the end. */
enum err json_print(cJSON *root, FILE *out, struct diag *diag);

/* ---- reading --------------------------------------------------------------------------------- */

/* Position of a reader: errors name file and key. After the first error all values are 0, "" or
 * empty. */
struct json_reader {
    const char *file;
    struct diag *diag;
    enum err err;
};

/* The text as JSON; the caller deletes it. NULL: an error, which names the line or, for a text that
 * was cut off, its length and the member in which it ends. expected: "JSON as `x` writes it". */
cJSON *json_parse(struct json_reader *reader, const char *text, size_t bytes, const char *expected);

bool json_has(const cJSON *object, const char *key);
enum err json_fail(struct json_reader *reader, const char *where, const char *expected);
const cJSON *json_get_object(struct json_reader *reader, const cJSON *object, const char *key);
/* An array; *count of its elements. */
const cJSON *json_get_array(struct json_reader *reader, const cJSON *object, const char *key,
                            size_t *count);
/* Refuses a document of another version of rvsim. */
enum err json_check_schema(struct json_reader *reader, const cJSON *root);
uint64_t json_get_number(struct json_reader *reader, const cJSON *object, const char *key);
uint64_t json_get_address(struct json_reader *reader, const cJSON *object, const char *key);
/* A number that is not negative. */
double json_get_real(struct json_reader *reader, const cJSON *object, const char *key);
const char *json_get_text(struct json_reader *reader, const cJSON *object, const char *key);
bool json_get_bool(struct json_reader *reader, const cJSON *object, const char *key);
/* The number of an array's element. */
uint64_t json_number_of(struct json_reader *reader, const cJSON *json, const char *where);
uint64_t json_address_of(struct json_reader *reader, const cJSON *json, const char *where);
const char *json_text_of(struct json_reader *reader, const cJSON *json, const char *where);

#endif
