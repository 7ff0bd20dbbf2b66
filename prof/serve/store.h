/* Adding to the database. One writer at a time; what a submission brings is added completely or
 * not at all, and only once for each id.
 *
 *     store_begin                          a transaction, and its turn among all writers
 *       store_add_costs, store_add_hangs   any number, each undone alone if it fails
 *     store_commit                         only now they may be acknowledged */
#ifndef PROF_SERVE_STORE_H
#define PROF_SERVE_STORE_H

#include "prof/records/names.h"
#include "prof/serve/db.h"
#include "prof/serve/hang_report.h"
#include "prof/serve/summary.h"
#include "prof/serve/wide.h"

struct store {
    struct db *db;
    int64_t sequence;               /* of the last submission that was added */
    struct names known;             /* costs and functions whose ids are known, until a rollback */
    int64_t *id;                    /* of each; ids are never given again */
    size_t ids_room;
    unsigned reports_kept;          /* of each group of hangs */
};

enum store_result {
    STORE_ADDED,
    STORE_KNOWN,                    /* the same id with the same content was there */
    STORE_CONFLICT,                 /* the id was there with another content */
};

void store_free(struct store *store);
enum err store_begin(struct store *store);
enum err store_commit(struct store *store);
void store_rollback(struct store *store);

/* `digest`: of the submission's text (token_hash); `now`: seconds since 1970. */
enum err store_add_costs(struct store *store, const struct summary *summary, const char *digest,
                         int64_t now, enum store_result *result);
enum err store_add_hangs(struct store *store, const struct hang_reports *reports,
                         const char *digest, int64_t now, enum store_result *result);
/* Forgets ids that were taken before `then`. */
enum err store_forget(struct store *store, int64_t then);

/* A part of a transaction, which is undone alone if it fails; `err`: what became of it. */
enum err store_part(struct store *store);
enum err store_finish(struct store *store, enum err err);

/* Internal: the beginning of a part, ... */
enum err store_submission(struct store *store, const char *id, const char *digest, int64_t now,
                          enum store_result *result);
/* ... and in it. */
enum err store_program(struct store *store, const struct summary_head *head, int64_t *program);

bool store_is_known(const struct store *store, const char *key, int64_t *id);
enum err store_keep(struct store *store, const char *key, int64_t id);

/* Adds an inserted row's sums to those of a table's row. */
#define STORE_ADDED_PART(table, name) \
    name "_hi = " table "." name "_hi + excluded." name "_hi + ((" table "." name "_lo + " \
    "excluded." name "_lo) >> 32), " name "_lo = (" table "." name "_lo + excluded." name \
    "_lo) & 4294967295"
#define STORE_ADDED_SUMS(table) \
    STORE_ADDED_PART(table, "count") ", " STORE_ADDED_PART(table, "sum") ", " \
    STORE_ADDED_PART(table, "squares")

/* store_places.c: sums by place (module and namespace), gathered for a submission. */
enum { STORE_PLACE_KEY = 4 };
struct store_place_cost {
    int64_t key[STORE_PLACE_KEY];       /* place, kind, scope, bucket */
    struct wide sum[3];                 /* count, sum, squares */
};
struct store_places { struct store_place_cost *cost; size_t count, room; };

enum err store_place(struct store *store, const char *module, const char *space, int64_t *place);
enum err store_place_add(struct store_places *places, const struct store_place_cost *cost);
enum err store_places_add(struct store *store, struct store_places *places, int64_t program);
void store_places_free(struct store_places *places);

#endif
