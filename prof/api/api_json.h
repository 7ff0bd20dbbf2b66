/* Parts of the JSON of cost tables, for other documents: see api_write_json. */
#ifndef PROF_API_API_JSON_H
#define PROF_API_API_JSON_H

#include "prof/api/api.h"
#include "prof/profile/json.h"

const char *api_scope_name(enum api_scope scope);
enum api_scope api_scope_read(struct json_reader *reader, const cJSON *json);

/* An element of "buckets"; returns the bucket. */
unsigned api_bucket_read(struct json_reader *reader, const cJSON *json, struct api_bucket *bucket);
/* Adds "count", "sum" and "sum_of_squares". */
void api_bucket_write(cJSON *object, const struct api_bucket *bucket);
/* Adds "buckets", without empty ones. */
void api_buckets_write(cJSON *object, const struct api_bucket bucket[API_SLOTS]);
/* Adds an element of "functions" or "stacks" to the array, and returns it. */
cJSON *api_row_write(cJSON *array, const struct api_table *table, const struct api_row *row,
                     bool is_stack);

#endif
