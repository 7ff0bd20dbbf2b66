/* See schema.h. */
#include "prof/serve/database/schema.h"

#include <stdio.h>

/* A row of `submission` for each id that was taken, so that one sent twice counts once.
 * A bucket of 64 has the costs of 0. `total` is the sum over a row's buckets, for lists. */
static const char version_1[] =
    "CREATE TABLE state (name TEXT PRIMARY KEY, value BIGINT NOT NULL);"
    "INSERT INTO state VALUES ('schema', 1);"
    "INSERT INTO state VALUES ('sequence', 0);"
    "CREATE TABLE token (hash TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,"
    "  program TEXT NOT NULL, made BIGINT NOT NULL);"
    "CREATE TABLE submission (id TEXT PRIMARY KEY, digest TEXT NOT NULL,"
    "  sequence BIGINT NOT NULL, received BIGINT NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX submission_received ON submission (received);"
    "CREATE TABLE program (id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL,"
    "  UNIQUE (name, version));"
    "CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE function (id INTEGER PRIMARY KEY, name TEXT NOT NULL, module TEXT NOT NULL,"
    "  namespace TEXT NOT NULL, changed BIGINT NOT NULL, UNIQUE (name, module));"
    "CREATE INDEX function_changed ON function (changed);"
    "CREATE INDEX function_module ON function (module);"
    "CREATE INDEX function_namespace ON function (namespace);"
    "CREATE TABLE cost (function INTEGER NOT NULL, kind INTEGER NOT NULL, scope INTEGER NOT NULL,"
    "  program INTEGER NOT NULL, bucket INTEGER NOT NULL,"
    "  count_hi BIGINT NOT NULL, count_lo BIGINT NOT NULL, sum_hi BIGINT NOT NULL,"
    "  sum_lo BIGINT NOT NULL, squares_hi BIGINT NOT NULL, squares_lo BIGINT NOT NULL,"
    "  PRIMARY KEY (function, kind, scope, program, bucket)) WITHOUT ROWID;"
    "CREATE TABLE total (function INTEGER NOT NULL, kind INTEGER NOT NULL,"
    "  scope INTEGER NOT NULL, program INTEGER NOT NULL,"
    "  count_hi BIGINT NOT NULL, count_lo BIGINT NOT NULL, sum_hi BIGINT NOT NULL,"
    "  sum_lo BIGINT NOT NULL, squares_hi BIGINT NOT NULL, squares_lo BIGINT NOT NULL,"
    "  PRIMARY KEY (kind, scope, function, program)) WITHOUT ROWID;";

/* Hangs: a group for each tag and stack of a program; the last reports of each group in full.
 * `control`: settings of programs for a tag; tag '*' is for all others. */
static const char version_2[] =
    "CREATE TABLE hang_group (id INTEGER PRIMARY KEY, program INTEGER NOT NULL,"
    "  tag TEXT NOT NULL, digest TEXT NOT NULL, stack TEXT NOT NULL, reports BIGINT NOT NULL,"
    "  first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL, longest BIGINT NOT NULL,"
    "  unit TEXT NOT NULL, UNIQUE (program, tag, digest));"
    "CREATE TABLE hang_report (sequence BIGINT NOT NULL, part INTEGER NOT NULL,"
    "  hang_group INTEGER NOT NULL, number BIGINT NOT NULL, received BIGINT NOT NULL,"
    "  text TEXT NOT NULL, PRIMARY KEY (hang_group, number)) WITHOUT ROWID;"
    "CREATE TABLE control (program TEXT NOT NULL, tag TEXT NOT NULL, threshold TEXT NOT NULL,"
    "  report TEXT NOT NULL, times BIGINT NOT NULL, PRIMARY KEY (program, tag)) WITHOUT ROWID;"
    "UPDATE state SET value = 2 WHERE name = 'schema';";

#define PLACE_SUM(name) \
    "CAST(SUM(c." name "_hi) + CAST(SUM(c." name "_lo) AS BIGINT) / 4294967296 AS BIGINT), " \
    "CAST(SUM(c." name "_lo) AS BIGINT) % 4294967296"

/* Sums of costs by place: modules and namespaces of functions. Reports on all of one place then
 * need no costs of single functions. */
static const char version_3[] =
    "CREATE TABLE place (id INTEGER PRIMARY KEY, module TEXT NOT NULL, namespace TEXT NOT NULL,"
    "  UNIQUE (module, namespace));"
    "CREATE TABLE place_cost (place INTEGER NOT NULL, kind INTEGER NOT NULL,"
    "  scope INTEGER NOT NULL, program INTEGER NOT NULL, bucket INTEGER NOT NULL,"
    "  count_hi BIGINT NOT NULL, count_lo BIGINT NOT NULL, sum_hi BIGINT NOT NULL,"
    "  sum_lo BIGINT NOT NULL, squares_hi BIGINT NOT NULL, squares_lo BIGINT NOT NULL,"
    "  PRIMARY KEY (place, kind, scope, program, bucket)) WITHOUT ROWID;"
    "INSERT INTO place (id, module, namespace) SELECT ROW_NUMBER() OVER (), d.module, d.namespace"
    "  FROM (SELECT DISTINCT module, namespace FROM function) d;"
    "INSERT INTO place_cost SELECT p.id, c.kind, c.scope, c.program, c.bucket, "
    PLACE_SUM("count") ", " PLACE_SUM("sum") ", " PLACE_SUM("squares")
    "  FROM cost c JOIN function f ON f.id = c.function"
    "  JOIN place p ON p.module = f.module AND p.namespace = f.namespace"
    "  GROUP BY p.id, c.kind, c.scope, c.program, c.bucket;"
    "UPDATE state SET value = 3 WHERE name = 'schema';";

/* The sequence of the last submission that had a function has a table of its own: to change it
 * touches no index of the functions. */
static const char version_4[] =
    "CREATE TABLE change (function INTEGER PRIMARY KEY, sequence BIGINT NOT NULL);"
    "INSERT INTO change (function, sequence) SELECT id, changed FROM function;"
    "CREATE INDEX change_sequence ON change (sequence);"
    "DROP INDEX function_changed;"
    "ALTER TABLE function DROP COLUMN changed;"
    "UPDATE state SET value = 4 WHERE name = 'schema';";

/* An ordered index of PostgreSQL takes texts of at most 2,700 bytes, a hash index all. The writer
 * makes no name twice. Pages keep room for new versions of rows beside the old ones. */
static const char version_4_postgresql[] =
    "ALTER TABLE function DROP CONSTRAINT function_name_module_key;"
    "ALTER TABLE place DROP CONSTRAINT place_module_namespace_key;"
    "DROP INDEX function_namespace;"
    "CREATE INDEX function_name ON function USING hash (name);"
    "CREATE INDEX function_namespace ON function USING hash (namespace);"
    "CREATE INDEX place_namespace ON place USING hash (namespace);"
    "ALTER TABLE cost SET (fillfactor = 80);"
    "ALTER TABLE total SET (fillfactor = 80);"
    "ALTER TABLE place_cost SET (fillfactor = 80);"
    "ALTER TABLE state SET (fillfactor = 10);";

/* Statements that lead to a version: for all databases, and then for PostgreSQL. */
static const struct { const char *all, *postgresql; } version[SCHEMA_VERSION] = {
    {version_1, ""}, {version_2, ""}, {version_3, ""}, {version_4, version_4_postgresql},
};

struct present { int version; char unread[256]; };    /* 0: empty, or cannot be read, and why */

static struct present find_present(struct db *db)
{
    struct present present = {.version = 0};
    int64_t number;

    if (db_number_of(db, &number, "SELECT value FROM state WHERE name = 'schema'", "") == ERR_OK)
        present.version = (int)number;
    else
        snprintf(present.unread, sizeof present.unread, "%s", db_error(db));
    return present;
}

/* From version `from` to the next one. */
static enum err upgrade(struct db *db, int from)
{
    enum err err = db_script(db, version[from].all);

    return err == ERR_OK && db_is_server(db) ? db_script(db, version[from].postgresql) : err;
}

enum err schema_upgrade(struct db *db, int wanted, bool *is_new, struct diag *diag)
{
    struct present found = find_present(db);
    int present = found.version;
    enum err err;

    *is_new = present == 0;
    if (present > SCHEMA_VERSION)
        return diag_set(diag, ERR_USAGE, "the database has schema %d, which is newer than this "
                        "rvsim's (%d)", present, SCHEMA_VERSION);
    if (present >= wanted)
        return ERR_OK;
    err = db_script(db, "BEGIN;");
    for (int i = present; i < wanted && err == ERR_OK; i++)
        err = upgrade(db, i);
    if (err == ERR_OK)
        err = db_script(db, "COMMIT;");
    if (err == ERR_OK)
        return ERR_OK;
    diag_set(diag, ERR_IO, "the database cannot be made ready: %s%s%s", db_error(db),
             present == 0 ? "; before that: " : "", found.unread);
    db_script(db, "ROLLBACK;");
    return ERR_IO;
}
