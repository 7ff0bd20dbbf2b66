/* Hang reports, grouped by tag and stack; see store.h. */
#include <string.h>

#include "prof/serve/store/store.h"
#include "prof/serve/database/token.h"

/* Returns the group's id and its number of reports, which numbers this report. */
static const char add_group[] =
    "INSERT INTO hang_group (id, program, tag, digest, stack, reports, first_seen, last_seen, "
    "longest, unit) VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM hang_group), $1, $2, $3, $4, 1, "
    "$5, $6, $7, $8) ON CONFLICT (program, tag, digest) DO UPDATE SET "
    "reports = hang_group.reports + 1, last_seen = excluded.last_seen, longest = CASE WHEN "
    "hang_group.longest > excluded.longest THEN hang_group.longest ELSE excluded.longest END "
    "RETURNING id, reports";

/* Where and when a report comes: the submission, its part, its program. */
struct place { int64_t sequence, part, program, now; };

static enum err add_report(struct store *store, const struct hang_report *hang,
                           const struct place *place)
{
    char digest[TOKEN_HASH];
    struct db_rows rows;
    int64_t group = 0, number = 0;
    enum err err;

    token_hash(hang->stack, strlen(hang->stack), digest);
    db_query(store->db, &rows, add_group, "ntttnnnt", place->program, hang->tag, digest,
             hang->stack, place->now, place->now, (int64_t)hang->executed, hang->unit);
    if (db_next(&rows)) {
        group = db_number(&rows, 0);
        number = db_number(&rows, 1);
    }
    err = db_end(&rows);
    if (err == ERR_OK)
        err = db_run(store->db, "INSERT INTO hang_report (sequence, part, hang_group, number, "
                     "received, text) VALUES ($1, $2, $3, $4, $5, $6)", "nnnnnt", place->sequence,
                     place->part, group, number, place->now, hang->text);
    if (err == ERR_OK && number > store->reports_kept)
        err = db_run(store->db, "DELETE FROM hang_report WHERE hang_group = $1 AND number <= $2",
                     "nn", group, number - store->reports_kept);
    return err;
}

enum err store_write_hangs(struct store *store, const struct store_submission *submission,
                           int64_t now)
{
    const struct hang_reports *reports = submission->reports;
    int64_t number;
    struct place place = {.sequence = submission->sequence, .now = now};
    enum err err = store_text(store, STORE_PROGRAM, reports->head.program, reports->head.version,
                              0, &number);

    if (err == ERR_OK)
        place.program = store->texts[STORE_PROGRAM].id[number];
    for (size_t i = 0; i < reports->hangs && err == ERR_OK; i++) {
        place.part = (int64_t)i;
        err = add_report(store, &reports->hang[i], &place);
    }
    return err;
}
