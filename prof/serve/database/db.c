/* See db.h. */
#include "prof/serve/database/db_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool db_is_postgresql(const char *where)
{
    return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

enum err db_fail(struct db *db, enum err err, const char *text)
{
    snprintf(db->error, sizeof db->error, "%.*s", (int)strcspn(text, "\n"), text);
    return err;
}

const char *db_error(const struct db *db)
{
    return db->error;
}

void db_keep_error(struct db *db, const char *text)
{
    db_fail(db, ERR_IO, text);
}

bool db_is_lost(const struct db *db)
{
    return db->is_lost;
}

bool db_is_server(const struct db *db)
{
    return db->kind->is_server;
}

uint64_t db_bytes(struct db *db)
{
    return db->kind->bytes(db);
}

enum err db_open(struct db **db, const char *where, struct diag *diag)
{
    enum err err;

    *db = calloc(1, sizeof **db);
    if (*db == NULL)
        return diag_no_memory(diag, "the database");
#ifdef SERVE_HAS_POSTGRESQL
    (*db)->kind = db_is_postgresql(where) ? &db_postgresql : &db_sqlite;
#else
    if (db_is_postgresql(where)) {
        free(*db);
        *db = NULL;
        return diag_set(diag, ERR_USAGE, "%s: rvsim was built without PostgreSQL (libpq)", where);
    }
    (*db)->kind = &db_sqlite;
#endif
    err = (*db)->kind->open(*db, where, diag);
    if (err == ERR_OK)
        return ERR_OK;
    db_close(*db);
    *db = NULL;
    return err;
}

static void forget_statements(struct db *db)
{
    for (unsigned i = 0; i < db->statements; i++) {
        db->kind->forget(db, db->statement[i].statement);
        free(db->statement[i].sql);
    }
    db->statements = 0;
}

void db_close(struct db *db)
{
    if (db == NULL)
        return;
    forget_statements(db);
    db->kind->close(db);
    free(db);
}

enum err db_script(struct db *db, const char *sql)
{
    return db->kind->script(db, sql);
}

/* The text with DB_ROWS replaced by rows of parameters, or of arrays of them. */
static char *expand(const struct db *db, const char *sql, const char *types)
{
    const char *at = strstr(sql, DB_ROWS);
    bool is_array = db->kind->start_table != NULL;
    char *text = NULL;
    size_t bytes;
    FILE *out;

    if (at == NULL)
        return strdup(sql);
    out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    fprintf(out, "%.*s%s", (int)(at - sql), sql, is_array ? "SELECT * FROM unnest(" : "VALUES (");
    for (unsigned i = 0; types[i] != '\0'; i++)
        fprintf(out, "%s$%u%s", i > 0 ? ", " : "", i + 1,
                !is_array ? "" : types[i] == 't' ? "::text[]" : "::bigint[]");
    fprintf(out, ")");
    for (unsigned i = 0; is_array && types[i] != '\0'; i++)
        fprintf(out, "%scolumn%u", i > 0 ? ", " : " AS rows (", i + 1);
    fprintf(out, "%s%s", is_array ? ")" : "", at + strlen(DB_ROWS));
    return fclose(out) == 0 ? text : NULL;
}

static enum err prepare(struct db *db, const char *sql, const char *types, void **statement)
{
    char *text = expand(db, sql, types);
    enum err err = text != NULL ? db->kind->prepare(db, text, db->statements, statement)
                                : db_fail(db, ERR_NO_MEMORY, "out of memory");

    free(text);
    return err;
}

/* Texts come from few places, so the table is seldom full; then it starts anew. */
enum err db_find_statement(struct db *db, const char *sql, const char *types, void **statement)
{
    struct db_statement *free_place;
    enum err err;

    for (unsigned i = 0; i < db->statements; i++)
        if (strcmp(db->statement[i].sql, sql) == 0) {
            *statement = db->statement[i].statement;
            return ERR_OK;
        }
    if (db->statements == DB_STATEMENTS)
        forget_statements(db);
    free_place = &db->statement[db->statements];
    free_place->sql = strdup(sql);
    if (free_place->sql == NULL)
        return db_fail(db, ERR_NO_MEMORY, "out of memory");
    err = prepare(db, sql, types, &free_place->statement);
    if (err != ERR_OK) {
        free(free_place->sql);
        return err;
    }
    *statement = free_place->statement;
    db->statements++;
    return ERR_OK;
}

void db_query_values(struct db *db, struct db_rows *rows, const char *sql,
                     const struct db_value *value, unsigned values)
{
    void *statement = NULL;

    *rows = (struct db_rows){.db = db, .at = -1};
    rows->err = db_find_statement(db, sql, "", &statement);
    if (rows->err == ERR_OK)
        rows->err = db->kind->start(db, statement, value, values, rows);
}

static unsigned take_values(struct db_value *value, const char *types, va_list arguments)
{
    unsigned values = 0;

    for (; values < DB_VALUES && types[values] != '\0'; values++) {
        value[values].is_text = types[values] == 't';
        if (value[values].is_text)
            value[values].text = va_arg(arguments, const char *);
        else
            value[values].number = va_arg(arguments, int64_t);
    }
    return values;
}

void db_query(struct db *db, struct db_rows *rows, const char *sql, const char *types, ...)
{
    struct db_value value[DB_VALUES];
    va_list arguments;
    unsigned values;

    va_start(arguments, types);
    values = take_values(value, types, arguments);
    va_end(arguments);
    db_query_values(db, rows, sql, value, values);
}

bool db_next(struct db_rows *rows)
{
    rows->is_row = rows->err == ERR_OK && rows->db->kind->next(rows);
    return rows->is_row;
}

const char *db_text(struct db_rows *rows, int column)
{
    const char *text = rows->is_row ? rows->db->kind->text(rows, column) : NULL;

    return text != NULL ? text : "";
}

int64_t db_number(struct db_rows *rows, int column)
{
    return strtoll(db_text(rows, column), NULL, 10);
}

enum err db_end(struct db_rows *rows)
{
    if (rows->state != NULL)
        rows->db->kind->end(rows);
    rows->state = NULL;
    return rows->err;
}

static enum err run_values(struct db *db, const char *sql, const struct db_value *value,
                           unsigned values)
{
    struct db_rows rows;

    db_query_values(db, &rows, sql, value, values);
    while (db_next(&rows))
        continue;
    return db_end(&rows);
}

enum err db_run(struct db *db, const char *sql, const char *types, ...)
{
    struct db_value value[DB_VALUES];
    va_list arguments;
    unsigned values;

    va_start(arguments, types);
    values = take_values(value, types, arguments);
    va_end(arguments);
    return run_values(db, sql, value, values);
}

enum err db_number_of(struct db *db, int64_t *number, const char *sql, const char *types, ...)
{
    struct db_value value[DB_VALUES];
    struct db_rows rows;
    va_list arguments;
    unsigned values;
    bool is_there;
    enum err err;

    va_start(arguments, types);
    values = take_values(value, types, arguments);
    va_end(arguments);
    db_query_values(db, &rows, sql, value, values);
    is_there = db_next(&rows);
    if (is_there)
        *number = db_number(&rows, 0);
    err = db_end(&rows);
    return err == ERR_OK && !is_there ? ERR_USAGE : err;
}
