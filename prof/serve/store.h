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

/* Internal: between its savepoint and the end of it. */
enum err store_submission(struct store *store, const char *id, const char *digest, int64_t now,
                          enum store_result *result);
enum err store_program(struct store *store, const struct summary_head *head, int64_t *program);
enum err store_finish(struct store *store, enum err err);

#endif
