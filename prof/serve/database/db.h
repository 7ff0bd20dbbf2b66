/* A database: SQLite in a file, or PostgreSQL. Both take the same statements.
 *
 * A statement is SQL that both understand, with parameters $1, $2, ... that first appear in this
 * order. Values are passed separately: 't' a text, 'n' an int64_t. Prepared statements are cached
 * by their text. The caller reads all rows, or calls db_end. A connection belongs to one thread at
 * a time.
 *
 * SQLite: write-ahead log, every commit is on the disk before it returns. " WITHOUT ROWID" is left
 * out for PostgreSQL, which has no other kind of table. */
#ifndef PROF_SERVE_DATABASE_DB_H
#define PROF_SERVE_DATABASE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct db;
struct db_rows { struct db *db; void *state; bool is_row; int at; enum err err; };

/* True for "postgresql://..." and "postgres://...". */
bool db_is_postgresql(const char *where);
/* `where`: a file, made if it is missing (by root for the owner of its directory); ":memory:", a
 * database of this connection alone, gone with it; or a URL of PostgreSQL. */
enum err db_open(struct db **db, const char *where, struct diag *diag);
void db_close(struct db *db);
/* The error message of the last failed statement; one line. */
const char *db_error(const struct db *db);
/* Replaces the last error by an earlier one. */
void db_keep_error(struct db *db, const char *text);
/* True if the connection is lost: the server went away. */
bool db_is_lost(const struct db *db);
/* A database server, and not a file. */
bool db_is_server(const struct db *db);
/* Bytes on the disk; 0: not known. */
uint64_t db_bytes(struct db *db);

/* Runs statements without rows and parameters, each closed by a semicolon: for schemas. */
enum err db_script(struct db *db, const char *sql);
/* Runs a statement; its rows are dropped. `types` holds a letter for each value. */
enum err db_run(struct db *db, const char *sql, const char *types, ...);
/* The number in the first column of the first row. ERR_USAGE: there is no row. */
enum err db_number_of(struct db *db, int64_t *number, const char *sql, const char *types, ...);

struct db_value { bool is_text; const char *text; int64_t number; };
/* Starts a statement with rows; db_next reads the first. */
void db_query(struct db *db, struct db_rows *rows, const char *sql, const char *types, ...);
void db_query_values(struct db *db, struct db_rows *rows, const char *sql,
                     const struct db_value *value, unsigned values);
bool db_next(struct db_rows *rows);
/* A column of the present row; a text is valid until the next row. */
const char *db_text(struct db_rows *rows, int column);
int64_t db_number(struct db_rows *rows, int column);
/* Ends the query; returns the error, if there was one. */
enum err db_end(struct db_rows *rows);

/* Rows of values for one statement, whose text has DB_ROWS where "VALUES ($1, $2), ..." would
 * stand: a table of the columns column1, column2, ... PostgreSQL takes all rows at once, as arrays;
 * SQLite runs the statement once a row. */
#define DB_ROWS "@rows"
struct db_table { const char *types; struct db_value *value; size_t values, room; };

/* Adds a row, as `types` says. The table has copies of its texts. */
enum err db_table_add(struct db_table *table, ...);
/* Adds a row of numbers: one for each column, all of which are 'n'. */
enum err db_table_add_numbers(struct db_table *table, const int64_t *number);
void db_table_free(struct db_table *table);
/* Runs the statement for the table's rows; `take`, which may be NULL, gets each row of answers. */
typedef void db_take(void *context, struct db_rows *answer);
enum err db_run_table(struct db *db, const char *sql, const struct db_table *table, db_take *take,
                      void *context);

#endif
