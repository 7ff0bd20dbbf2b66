/* Adding to the database. There is one writer at a time. A submission is added completely or not at
 * all, and only once for each id.
 *
 *     store_begin                          a transaction, and its turn among all writers
 *       store_add_costs, store_add_hangs   any number; they are only noted
 *     store_commit                         adds them; only now they may be acknowledged
 *     store_rollback                       instead of it: nothing is there
 *
 * A transaction has all of its submissions or none: after an error, also of the disk, nothing of it
 * is committed. All submissions are added together: rows of the same key are summed first, and each
 * table is changed once. */
#ifndef PROF_SERVE_STORE_STORE_H
#define PROF_SERVE_STORE_STORE_H

#include "prof/records/names.h"
#include "prof/serve/database/db.h"
#include "prof/serve/store/hang_report.h"
#include "prof/serve/store/summary.h"
#include "prof/serve/database/wide.h"

enum store_result {
    STORE_ADDED,
    STORE_KNOWN,                    /* the same id with the same content exists */
    STORE_CONFLICT,                 /* the id exists with another content */
};

/* Tables of texts with ids. */
enum store_domain { STORE_PROGRAM, STORE_KIND, STORE_PLACE, STORE_FUNCTION, STORE_DOMAINS };

/* The texts of one table, as far as they are known: each is one or two labels, with a line break
 * between them. An id never changes, so it is asked for once. */
struct store_texts {
    struct names text;
    int64_t *id;                    /* [text.count]; those of texts below `resolved` are known */
    int64_t *changed;               /* a function's last submission in the transaction; 0: none */
    size_t room, resolved;
};

/* A submission of the present transaction: costs or hangs. */
struct store_submission {
    const struct summary_head *head;
    const struct summary *summary;
    const struct hang_reports *reports;
    const char *digest;
    enum store_result *result;
    int64_t sequence;
};

/* A bucket of a submission. Its texts are numbers in store->texts until they are resolved. */
struct store_row {
    int64_t id[STORE_DOMAINS], scope, bucket;
    struct wide sum[3];             /* count, sum, squares */
};

struct store {
    struct db *db;
    unsigned reports_kept;          /* of each group of hangs */
    int64_t sequence;               /* of the last submission that was added */
    struct store_texts texts[STORE_DOMAINS];
    struct store_submission *submission;
    size_t submissions;
    struct store_row *row;
    size_t rows;
};

void store_free(struct store *store);
enum err store_begin(struct store *store);
/* `now`: seconds since 1970. After an error the transaction is rolled back. */
enum err store_commit(struct store *store, int64_t now);
/* The first half of store_commit: adds all submissions, without committing them. */
enum err store_write(struct store *store, int64_t now);
void store_rollback(struct store *store);

/* `digest`: of the submission's text (token_hash). All must stay until the end of the transaction;
 * *result is known after it. */
enum err store_add_costs(struct store *store, const struct summary *summary, const char *digest,
                         enum store_result *result);
enum err store_add_hangs(struct store *store, const struct hang_reports *reports,
                         const char *digest, enum store_result *result);
/* Forgets ids that were taken before `then`. */
enum err store_forget(struct store *store, int64_t then);

/* Internal, store_texts.c: the number of a text, whose id is known when it is resolved.
 * `sequence`: of the submission, of a function; else 0. */
enum err store_text(struct store *store, enum store_domain domain, const char *first,
                    const char *second, int64_t sequence, int64_t *number);
/* Finds or makes the ids of all texts; functions of the transaction have changed. */
enum err store_resolve(struct store *store);
void store_forget_texts(struct store *store);

/* Internal: rows of a submission are gathered, and added when texts are resolved. */
enum err store_gather_costs(struct store *store, const struct store_submission *submission);
enum err store_write_costs(struct store *store);
enum err store_write_hangs(struct store *store, const struct store_submission *submission,
                           int64_t now);

#endif
