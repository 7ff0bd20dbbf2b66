/* A cost summary as a client submits it: one program's costs by function, to be added.
 *
 * {"schema": 1, "id": "...", "program": "...", "version": "...", "functions": [{"function": "...",
 * "module": "...", "cost": "cycles", "scope": "inclusive", "buckets": [...]}]}, with buckets as
 * `rvsim api --json` writes them. All content is validated before any is stored: ids, names,
 * numbers and their consistency (a bucket's sums must be possible for its count). */
#ifndef PROF_SERVE_STORE_SUMMARY_H
#define PROF_SERVE_STORE_SUMMARY_H

#include "prof/api/api_json.h"
#include "prof/api/api_summary.h"

enum { SUMMARY_ID_MAX = 64, SUMMARY_NAME_MAX = API_SUMMARY_NAME, SUMMARY_LABEL_MAX = 200 };

/* The head that cost summaries and hang reports share. Texts belong to `json`. */
struct summary_head { const char *id, *program, *version; };

struct summary_bucket { unsigned at; struct api_bucket sum; };
struct summary_row {
    const char *function, *module, *cost;
    enum api_scope scope;
    size_t first, buckets;          /* in summary->bucket */
};

struct summary {
    cJSON *json;
    struct summary_head head;
    struct summary_row *row;        /* by function and module */
    size_t rows;
    struct summary_bucket *bucket;
    size_t buckets;
};

/* Reads the common head; errors are the reader's. */
struct summary_head summary_head_read(struct json_reader *reader, const cJSON *json);
/* A text of at most `most` bytes without control characters; "" if the key is missing. */
const char *summary_label(struct json_reader *reader, const cJSON *json, const char *key,
                          size_t most);
/* `text` is UTF-8 (body.h). summary_free is due afterwards, also after an error. */
enum err summary_read(struct summary *summary, const char *text, struct diag *diag);
void summary_free(struct summary *summary);

/* The namespace or class that a function of C++ or Rust belongs to: "a::b" of "a::b::f(int)". */
void summary_namespace(const char *function, char *name, size_t bytes);

#endif
