/* The operations of each kind of database, for db.c. */
#ifndef PROF_SERVE_DATABASE_DB_INTERNAL_H
#define PROF_SERVE_DATABASE_DB_INTERNAL_H

#include "prof/serve/database/db.h"

enum { DB_VALUES = 16, DB_STATEMENTS = 96, DB_ERROR = 256 };

struct db_kind {
    bool is_server;
    enum err (*open)(struct db *db, const char *where, struct diag *diag);
    void (*close)(struct db *db);
    enum err (*script)(struct db *db, const char *sql);
    /* prepare: makes *statement for a new text; the next member frees it. */
    enum err (*prepare)(struct db *db, const char *sql, unsigned number, void **statement);
    void (*forget)(struct db *db, void *statement);
    enum err (*start)(struct db *db, void *statement, const struct db_value *value,
                      unsigned values, struct db_rows *rows);
    /* Starts it for all rows of a table at once. NULL: `start` is used for each row. */
    enum err (*start_table)(struct db *db, void *statement, const struct db_table *table,
                            struct db_rows *rows);
    bool (*next)(struct db_rows *rows);
    const char *(*text)(struct db_rows *rows, int column);
    void (*end)(struct db_rows *rows);
    uint64_t (*bytes)(struct db *db);
};

/* A statement by its text. */
struct db_statement { char *sql; void *statement; };

struct db {
    const struct db_kind *kind;
    void *handle;                   /* sqlite3, PGconn */
    struct db_statement statement[DB_STATEMENTS];
    unsigned statements;
    char error[DB_ERROR];
    bool is_lost;
};

extern const struct db_kind db_sqlite, db_postgresql;

/* The prepared statement of a text. `types`: of the columns where the text has DB_ROWS; else "". */
enum err db_find_statement(struct db *db, const char *sql, const char *types, void **statement);
/* Keeps the error's description, in one line; returns `err`. */
enum err db_fail(struct db *db, enum err err, const char *text);

#endif
