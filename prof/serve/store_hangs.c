/* Hang reports, grouped by tag and stack; see store.h. */
#include <string.h>

#include "prof/serve/store.h"
#include "prof/serve/token.h"

/* The group's id comes back with how many reports it has had: the number of this one. */
static const char add_group[] =
    "INSERT INTO hang_group (id, program, tag, digest, stack, reports, first_seen, last_seen, "
    "longest, unit) VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM hang_group), $1, $2, $3, $4, 1, "
    "$5, $6, $7, $8) ON CONFLICT (program, tag, digest) DO UPDATE SET "
    "reports = hang_group.reports + 1, last_seen = excluded.last_seen, longest = CASE WHEN "
    "hang_group.longest > excluded.longest THEN hang_group.longest ELSE excluded.longest END "
    "RETURNING id, reports";

static enum err add_report(struct store *store, const struct hang_report *hang, int64_t part,
                           int64_t program, int64_t now)
{
    char digest[TOKEN_HASH];
    struct db_rows rows;
    int64_t group = 0, number = 0;
    enum err err;

    token_hash(hang->stack, strlen(hang->stack), digest);
    db_query(store->db, &rows, add_group, "ntttnnnt", program,
             hang->tag, digest, hang->stack, now, now, (int64_t)hang->executed, hang->unit);
    if (db_next(&rows)) {
        group = db_number(&rows, 0);
        number = db_number(&rows, 1);
    }
    err = db_end(&rows);
    if (err == ERR_OK)
        err = db_run(store->db, "INSERT INTO hang_report (sequence, part, hang_group, number, "
                     "received, text) VALUES ($1, $2, $3, $4, $5, $6)", "nnnnnt", store->sequence,
                     part, group, number, now, hang->text);
    if (err == ERR_OK && number > store->reports_kept)
        err = db_run(store->db, "DELETE FROM hang_report WHERE hang_group = $1 AND number <= $2",
                     "nn", group, number - store->reports_kept);
    return err;
}

static enum err add_reports(struct store *store, const struct hang_reports *reports, int64_t now)
{
    int64_t program;
    enum err err = store_program(store, &reports->head, &program);

    for (size_t i = 0; i < reports->hangs && err == ERR_OK; i++)
        err = add_report(store, &reports->hang[i], (int64_t)i, program, now);
    return err;
}

enum err store_add_hangs(struct store *store, const struct hang_reports *reports,
                         const char *digest, int64_t now, enum store_result *result)
{
    int64_t before = store->sequence;
    enum err err = store_submission(store, reports->head.id, digest, now, result);

    if (err == ERR_OK && *result == STORE_ADDED)
        err = add_reports(store, reports, now);
    if (err != ERR_OK)
        store->sequence = before;
    return store_finish(store, err);
}
