/* Shared by all submissions; see store.h. */
#include "prof/serve/store.h"

#include <stdlib.h>
#include <string.h>

static void forget_ids(struct store *store)
{
    names_free(&store->known);
    store->known = (struct names){.count = 0};
}

void store_free(struct store *store)
{
    forget_ids(store);
    free(store->id);
    db_close(store->db);
    *store = (struct store){.db = NULL};
}

/* A writer that changes the row waits for other writers' transactions to end. */
enum err store_begin(struct store *store)
{
    enum err err = db_script(store->db, "BEGIN;");

    if (err == ERR_OK)
        err = db_number_of(store->db, &store->sequence, "UPDATE state SET value = value + 0 "
                           "WHERE name = 'sequence' RETURNING value", "");
    if (err != ERR_OK)
        store_rollback(store);
    return err;
}

enum err store_commit(struct store *store)
{
    enum err err = db_run(store->db, "UPDATE state SET value = $1 WHERE name = 'sequence'", "n",
                          store->sequence);

    if (err == ERR_OK)
        err = db_script(store->db, "COMMIT;");
    if (err != ERR_OK)
        store_rollback(store);
    return err;
}

void store_rollback(struct store *store)
{
    char *error = strdup(db_error(store->db));

    forget_ids(store);
    db_flush(store->db);
    db_script(store->db, "ROLLBACK;");
    if (error != NULL)                  /* why it came to this */
        db_keep_error(store->db, error);
    free(error);
}

enum err store_part(struct store *store)
{
    return db_script(store->db, "SAVEPOINT submission;");
}

enum err store_submission(struct store *store, const char *id, const char *digest, int64_t now,
                          enum store_result *result)
{
    struct db_rows rows;
    int64_t sequence;
    enum err err = store_part(store);

    if (err != ERR_OK)
        return err;
    err = db_number_of(store->db, &sequence, "INSERT INTO submission (id, digest, sequence, "
                       "received) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING "
                       "RETURNING sequence", "ttnn", id, digest, store->sequence + 1, now);
    *result = STORE_ADDED;
    if (err == ERR_OK)
        store->sequence = sequence;
    if (err != ERR_USAGE)
        return err;
    db_query(store->db, &rows, "SELECT digest FROM submission WHERE id = $1", "t", id);
    *result = db_next(&rows) && strcmp(db_text(&rows, 0), digest) == 0 ? STORE_KNOWN
                                                                       : STORE_CONFLICT;
    return db_end(&rows);
}

enum err store_finish(struct store *store, enum err err)
{
    if (err == ERR_OK)
        err = db_script(store->db, "RELEASE SAVEPOINT submission;");
    if (err == ERR_OK)
        return ERR_OK;
    db_flush(store->db);
    forget_ids(store);
    db_script(store->db, "ROLLBACK TO SAVEPOINT submission;");
    db_script(store->db, "RELEASE SAVEPOINT submission;");
    return err;
}

enum err store_program(struct store *store, const struct summary_head *head, int64_t *program)
{
    return db_number_of(store->db, program, "INSERT INTO program (id, name, version) VALUES "
                        "((SELECT COALESCE(MAX(id), 0) + 1 FROM program), $1, $2) "
                        "ON CONFLICT (name, version) DO UPDATE SET name = excluded.name "
                        "RETURNING id", "tt", head->program, head->version);
}

enum err store_forget(struct store *store, int64_t then)
{
    return db_run(store->db, "DELETE FROM submission WHERE received < $1", "n", then);
}
