/* Transactions and their submissions; see store.h. */
#include "prof/serve/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
enum { KNOWN_MAX = 100000 };

/* ---- transactions ---------------------------------------------------------------------------- */

static void empty(struct store *store)
{
    store->submissions = 0;
    store->rows = 0;
}

void store_free(struct store *store)
{
    store_forget_texts(store);
    free(store->submission);
    free(store->row);
    db_close(store->db);
    *store = (struct store){.db = NULL};
}

/* A writer that changes the row waits for other writers' transactions to end. */
enum err store_begin(struct store *store)
{
    enum err err = db_script(store->db, "BEGIN;");

    empty(store);
    if (store->texts[STORE_FUNCTION].text.count > KNOWN_MAX)
        store_forget_texts(store);
    if (err == ERR_OK)
        err = db_number_of(store->db, &store->sequence, "UPDATE state SET value = value + 0 "
                           "WHERE name = 'sequence' RETURNING value", "");
    if (err != ERR_OK)
        store_rollback(store);
    return err;
}

/* Ids made in the transaction are void, so all cached ids are dropped and looked up again. */
void store_rollback(struct store *store)
{
    char *error = strdup(db_error(store->db));

    store_forget_texts(store);
    empty(store);
    db_script(store->db, "ROLLBACK;");
    if (error != NULL)                  /* error before the rollback */
        db_keep_error(store->db, error);
    free(error);
}

/* ---- submissions ----------------------------------------------------------------------------- */

static enum err add(struct store *store, const struct store_submission *submission)
{
    struct store_submission *grown = array_grow(store->submission, store->submissions,
                                                sizeof *grown);

    if (grown == NULL)
        return ERR_NO_MEMORY;
    store->submission = grown;
    *submission->result = STORE_ADDED;
    store->submission[store->submissions++] = *submission;
    return ERR_OK;
}

enum err store_add_costs(struct store *store, const struct summary *summary, const char *digest,
                         enum store_result *result)
{
    return add(store, &(struct store_submission){.head = &summary->head, .summary = summary,
                                                 .digest = digest, .result = result});
}

enum err store_add_hangs(struct store *store, const struct hang_reports *reports,
                         const char *digest, enum store_result *result)
{
    return add(store, &(struct store_submission){.head = &reports->head, .reports = reports,
                                                 .digest = digest, .result = result});
}

/* ---- ids, each of which counts once ---------------------------------------------------------- */

/* An id that was there before the transaction. */
static void take_known(void *context, struct db_rows *answer)
{
    struct store *store = context;
    const struct store_submission *one = &store->submission[db_number(answer, 0)];

    *one->result = strcmp(db_text(answer, 1), one->digest) == 0 ? STORE_KNOWN : STORE_CONFLICT;
}

/* An id that an earlier submission of the transaction has. */
static enum err find_repeated(struct store *store)
{
    struct names ids = {.count = 0};
    size_t *first = calloc(store->submissions, sizeof *first);
    enum err err = first != NULL ? ERR_OK : ERR_NO_MEMORY;

    for (size_t i = 0; i < store->submissions && err == ERR_OK; i++) {
        const struct store_submission *one = &store->submission[i];
        size_t before = ids.count;
        uint32_t number;

        err = names_add(&ids, one->head->id, &number, NULL);
        if (err == ERR_OK && ids.count > before)
            first[number] = i;
        else if (err == ERR_OK && *one->result == STORE_ADDED)
            *one->result = strcmp(store->submission[first[number]].digest, one->digest) == 0
                               ? STORE_KNOWN : STORE_CONFLICT;
    }
    names_free(&ids);
    free(first);
    return err;
}

static enum err find_known(struct store *store)
{
    struct db_table ids = {.types = "nt"};
    enum err err = ERR_OK;

    for (size_t i = 0; i < store->submissions && err == ERR_OK; i++)
        err = db_table_add(&ids, (int64_t)i, store->submission[i].head->id);
    if (err == ERR_OK)
        err = db_run_table(store->db, "SELECT r.column1, s.digest FROM (" DB_ROWS ") AS r "
                           "JOIN submission s ON s.id = r.column2", &ids, take_known, store);
    db_table_free(&ids);
    return err == ERR_OK && store->submissions > 1 ? find_repeated(store) : err;
}

/* Gives new submissions the next sequence numbers. */
static enum err write_ids(struct store *store, int64_t now)
{
    struct db_table ids = {.types = "ttnn"};
    enum err err = find_known(store);

    for (size_t i = 0; i < store->submissions && err == ERR_OK; i++) {
        struct store_submission *one = &store->submission[i];

        if (*one->result != STORE_ADDED)
            continue;
        one->sequence = ++store->sequence;
        err = db_table_add(&ids, one->head->id, one->digest, one->sequence, now);
    }
    if (err == ERR_OK)
        err = db_run_table(store->db, "INSERT INTO submission (id, digest, sequence, received) "
                           DB_ROWS, &ids, NULL, NULL);
    db_table_free(&ids);
    return err;
}

enum err store_forget(struct store *store, int64_t then)
{
    return db_run(store->db, "DELETE FROM submission WHERE received < $1", "n", then);
}

/* ---- all together ---------------------------------------------------------------------------- */

static enum err gather(struct store *store, const struct store_submission *one)
{
    int64_t program;
    enum err err = store_text(store, STORE_PROGRAM, one->head->program, one->head->version, 0,
                              &program);

    return err == ERR_OK && one->summary != NULL ? store_gather_costs(store, one) : err;
}

enum err store_write(struct store *store, int64_t now)
{
    enum err err = store->submissions > 0 ? write_ids(store, now) : ERR_OK;

    for (size_t i = 0; i < store->submissions && err == ERR_OK; i++)
        if (*store->submission[i].result == STORE_ADDED)
            err = gather(store, &store->submission[i]);
    if (err == ERR_OK)
        err = store_resolve(store);
    if (err == ERR_OK)
        err = store_write_costs(store);
    for (size_t i = 0; i < store->submissions && err == ERR_OK; i++)
        if (*store->submission[i].result == STORE_ADDED && store->submission[i].reports != NULL)
            err = store_write_hangs(store, &store->submission[i], now);
    return err;
}

enum err store_commit(struct store *store, int64_t now)
{
    enum err err = store_write(store, now);

    if (err == ERR_OK)
        err = db_run(store->db, "UPDATE state SET value = $1 WHERE name = 'sequence'", "n",
                     store->sequence);
    if (err == ERR_OK)
        err = db_script(store->db, "COMMIT;");
    if (err != ERR_OK)
        store_rollback(store);
    return err;
}
