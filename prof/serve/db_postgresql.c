/* PostgreSQL for db.h. */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/db_internal.h"

enum { NUMBER_BYTES = 24, QUEUE_MAX = 100 };

static enum err fail(struct db *db)
{
    db->is_lost = PQstatus(db->handle) != CONNECTION_OK;
    return db_fail(db, ERR_IO, PQerrorMessage(db->handle));
}

/* Notices, such as "already exists, skipping", are of no interest. */
static void ignore(void *arg, const char *message)
{
    (void)arg;
    (void)message;
}

static enum err postgresql_open(struct db *db, const char *where, struct diag *diag)
{
    db->handle = PQconnectdb(where);
    if (db->handle == NULL)
        return diag_no_memory(diag, "PostgreSQL");
    if (PQstatus(db->handle) != CONNECTION_OK) {
        fail(db);
        return diag_set(diag, ERR_IO, "PostgreSQL: %s", db->error);
    }
    PQsetNoticeProcessor(db->handle, ignore, NULL);
    PQsetClientEncoding(db->handle, "UTF8");
    return ERR_OK;
}

static void postgresql_close(struct db *db)
{
    PQfinish(db->handle);
}

/* A text without " WITHOUT ROWID". The caller frees it. */
static char *translate(const char *sql)
{
    static const char extra[] = " WITHOUT ROWID";
    char *text = strdup(sql), *at;

    while (text != NULL && (at = strstr(text, extra)) != NULL)
        memmove(at, at + sizeof extra - 1, strlen(at + sizeof extra - 1) + 1);
    return text;
}

static enum err postgresql_script(struct db *db, const char *sql)
{
    char *text = translate(sql);
    PGresult *result = text != NULL ? PQexec(db->handle, text) : NULL;
    bool is_done = PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK ||
                   PQresultStatus(result) == PGRES_EMPTY_QUERY;

    PQclear(result);
    free(text);
    return is_done ? ERR_OK : fail(db);
}

/* *statement is the name that the server knows it by, "sN". */
static enum err postgresql_prepare(struct db *db, const char *sql, unsigned number,
                                   void **statement)
{
    char *name = malloc(NUMBER_BYTES);
    PGresult *result;
    bool is_done;

    if (name == NULL)
        return db_fail(db, ERR_NO_MEMORY, "out of memory");
    snprintf(name, NUMBER_BYTES, "s%u", number);
    result = PQprepare(db->handle, name, sql, 0, NULL);
    is_done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    *statement = name;
    if (is_done)
        return ERR_OK;
    free(name);
    return fail(db);
}

static void postgresql_forget(struct db *db, void *statement)
{
    char deallocate[64];

    snprintf(deallocate, sizeof deallocate, "DEALLOCATE %s", (const char *)statement);
    PQclear(PQexec(db->handle, deallocate));
    free(statement);
}

/* Values as texts: numbers are written to `number`. */
static void to_texts(const struct db_value *value, unsigned values,
                     char number[DB_VALUES][NUMBER_BYTES], const char *text[DB_VALUES])
{
    for (unsigned i = 0; i < values; i++) {
        snprintf(number[i], NUMBER_BYTES, "%lld", (long long)value[i].number);
        text[i] = value[i].is_text ? value[i].text : number[i];
    }
}

static enum err postgresql_start(struct db *db, void *statement, const struct db_value *value,
                                 unsigned values, struct db_rows *rows)
{
    char number[DB_VALUES][NUMBER_BYTES];
    const char *text[DB_VALUES];
    PGresult *result;

    to_texts(value, values, number, text);
    result = PQexecPrepared(db->handle, statement, (int)values, text, NULL, NULL, 0);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        PQclear(result);
        return fail(db);
    }
    rows->state = result;
    return ERR_OK;
}

/* Statements are sent one after the other, and their results are read together: not every one
 * waits for its answer. */
static enum err postgresql_flush(struct db *db)
{
    PGresult *result;
    enum err err = PQpipelineSync(db->handle) == 1 ? ERR_OK : fail(db);
    bool is_end = err != ERR_OK;

    while (!is_end) {
        ExecStatusType status;

        result = PQgetResult(db->handle);
        status = PQresultStatus(result);
        is_end = status == PGRES_PIPELINE_SYNC || PQstatus(db->handle) != CONNECTION_OK;
        if (result != NULL && status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC &&
            status != PGRES_PIPELINE_ABORTED && err == ERR_OK)
            err = db_fail(db, ERR_IO, PQresultErrorMessage(result));
        PQclear(result);
    }
    db->queued = 0;
    if (PQexitPipelineMode(db->handle) != 1 || PQstatus(db->handle) != CONNECTION_OK)
        return fail(db);
    return err;
}

static enum err postgresql_queue(struct db *db, void *statement, const struct db_value *value,
                                 unsigned values)
{
    char number[DB_VALUES][NUMBER_BYTES];
    const char *text[DB_VALUES];

    if (db->queued == 0 && PQenterPipelineMode(db->handle) != 1)
        return fail(db);
    to_texts(value, values, number, text);
    db->queued++;
    if (PQsendQueryPrepared(db->handle, statement, (int)values, text, NULL, NULL, 0) != 1)
        return fail(db);
    return db->queued < QUEUE_MAX ? ERR_OK : postgresql_flush(db);
}

static bool postgresql_next(struct db_rows *rows)
{
    return ++rows->at < PQntuples(rows->state);
}

static const char *postgresql_text(struct db_rows *rows, int column)
{
    return PQgetvalue(rows->state, rows->at, column);
}

static void postgresql_end(struct db_rows *rows)
{
    PQclear(rows->state);
}

static uint64_t postgresql_bytes(struct db *db)
{
    int64_t bytes = 0;

    if (db_number_of(db, &bytes, "SELECT pg_database_size(current_database())", "") != ERR_OK)
        return 0;
    return (uint64_t)bytes;
}

const struct db_kind db_postgresql = {
    .open = postgresql_open, .close = postgresql_close, .script = postgresql_script,
    .prepare = postgresql_prepare, .forget = postgresql_forget, .start = postgresql_start,
    .queue = postgresql_queue, .flush = postgresql_flush,
    .next = postgresql_next, .text = postgresql_text, .end = postgresql_end,
    .bytes = postgresql_bytes,
};
