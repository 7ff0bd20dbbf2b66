/* PostgreSQL for db.h. */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/serve/database/db_internal.h"

enum { NUMBER_BYTES = 24 };

static enum err fail(struct db *db)
{
    db->is_lost = PQstatus(db->handle) != CONNECTION_OK;
    return db_fail(db, ERR_IO, PQerrorMessage(db->handle));
}

/* Ignores notices such as "already exists, skipping". */
static void ignore(void *arg, const char *message)
{
    (void)arg;
    (void)message;
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

/* A commit is on the disk before it is answered, also where the server's own setting is not to
 * wait. */
static const char durable[] =
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off';";

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
    return postgresql_script(db, durable) == ERR_OK
               ? ERR_OK : diag_set(diag, ERR_IO, "PostgreSQL: %s", db->error);
}

static void postgresql_close(struct db *db)
{
    PQfinish(db->handle);
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

/* An array of texts or numbers as PostgreSQL reads it: {"a \\"b\\"","c"} or {1,2}. */
static void put_value(FILE *out, const struct db_value *value)
{
    if (!value->is_text) {
        fprintf(out, "%lld", (long long)value->number);
        return;
    }
    putc('"', out);
    for (const char *at = value->text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            putc_unlocked('\\', out);
        putc_unlocked(*at, out);
    }
    putc('"', out);
}

/* A column of a table as an array. The caller frees it. */
static char *column(const struct db_table *table, size_t first, size_t columns)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    putc('{', out);
    for (size_t i = first; i < table->values; i += columns) {
        if (i != first)
            putc(',', out);
        put_value(out, &table->value[i]);
    }
    putc('}', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static enum err postgresql_start_table(struct db *db, void *statement,
                                       const struct db_table *table, struct db_rows *rows)
{
    struct db_value array[DB_VALUES] = {{.text = NULL}};
    size_t columns = strlen(table->types);
    char *text[DB_VALUES];
    bool is_made = true;
    enum err err;

    for (size_t i = 0; i < columns; i++) {
        text[i] = column(table, i, columns);
        is_made = is_made && text[i] != NULL;
        array[i] = (struct db_value){.is_text = true, .text = text[i]};
    }
    err = is_made ? postgresql_start(db, statement, array, (unsigned)columns, rows)
                  : db_fail(db, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < columns; i++)
        free(text[i]);
    return err;
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
    .is_server = true,
    .open = postgresql_open, .close = postgresql_close, .script = postgresql_script,
    .prepare = postgresql_prepare, .forget = postgresql_forget, .start = postgresql_start,
    .start_table = postgresql_start_table, .next = postgresql_next, .text = postgresql_text,
    .end = postgresql_end, .bytes = postgresql_bytes,
};
