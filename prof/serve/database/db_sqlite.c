/* SQLite for db.h. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prof/serve/database/db_internal.h"

#define IN_MEMORY ":memory:"            /* SQLite's name for a database without a file */
enum { WAIT_MS = 20000, CACHE_KIB = 65536 };

static enum err fail(struct db *db)
{
    sqlite3 *handle = db->handle;
    enum err err = sqlite3_errcode(handle) == SQLITE_NOMEM ? ERR_NO_MEMORY : ERR_IO;

    return db_fail(db, err, sqlite3_errmsg(handle));
}

static enum err sqlite_script(struct db *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : fail(db);
}

static bool find_directory(const char *where, struct stat *directory)
{
    const char *slash = strrchr(where, '/');
    char *path = slash == NULL ? strdup(".") : strndup(where, (size_t)(slash - where) + 1);
    bool is_there = path != NULL && stat(path, directory) == 0;

    free(path);
    return is_there;
}

/* A file that root makes belongs to the owner of its directory, so that a service which runs as
 * that user can write it. SQLite gives the files beside it to the same owner. */
static void make_for_owner(const char *where, const struct stat *directory)
{
    int file = geteuid() == 0 ? open(where, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (file < 0)
        return;
    if (fchown(file, directory->st_uid, directory->st_gid) != 0)
        unlink(where);                  /* SQLite makes it */
    close(file);
}

/* With a write-ahead log, synchronous=FULL waits for the disk at every commit. */
static enum err sqlite_open(struct db *db, const char *where, struct diag *diag)
{
    static const char settings[] =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF; "
        "PRAGMA wal_autocheckpoint=8192; PRAGMA journal_size_limit=67108864; "
        "PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;";
    sqlite3 *handle = NULL;
    struct stat directory;
    char cache[64];

    if (where[0] == '\0')               /* to SQLite a database that is deleted at the end */
        return diag_set(diag, ERR_USAGE, "--database: expected the name of a file");
    if (strcmp(where, IN_MEMORY) != 0 && !find_directory(where, &directory))
        return diag_set(diag, ERR_IO, "%s: there is no such directory; systemd makes that of a "
                        "service when the service starts", where);
    if (strcmp(where, IN_MEMORY) != 0)
        make_for_owner(where, &directory);
    if (sqlite3_open_v2(where, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                        SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        diag_set(diag, ERR_IO, "%s: %s", where,
                 handle != NULL ? sqlite3_errmsg(handle) : "out of memory");
        sqlite3_close(handle);
        return ERR_IO;
    }
    db->handle = handle;
    sqlite3_busy_timeout(handle, WAIT_MS);
    sqlite3_extended_result_codes(handle, 0);
    snprintf(cache, sizeof cache, "PRAGMA cache_size=-%d;", CACHE_KIB);
    if (sqlite_script(db, settings) != ERR_OK || sqlite_script(db, cache) != ERR_OK)
        return diag_set(diag, ERR_IO, "%s: %s", where, db->error);
    return ERR_OK;
}

static void sqlite_close(struct db *db)
{
    sqlite3_close(db->handle);
}

static enum err sqlite_prepare(struct db *db, const char *sql, unsigned number, void **statement)
{
    sqlite3_stmt *made = NULL;

    (void)number;
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, NULL) !=
        SQLITE_OK)
        return fail(db);
    *statement = made;
    return ERR_OK;
}

static void sqlite_forget(struct db *db, void *statement)
{
    (void)db;
    sqlite3_finalize(statement);
}

/* SQLite treats "$1" as a name, and numbers names by their order in the text. */
static enum err sqlite_start(struct db *db, void *statement, const struct db_value *value,
                             unsigned values, struct db_rows *rows)
{
    int result = SQLITE_OK;

    for (unsigned i = 0; i < values && result == SQLITE_OK; i++) {
        int at = (int)i + 1;

        result = value[i].is_text
                     ? sqlite3_bind_text(statement, at, value[i].text, -1, SQLITE_TRANSIENT)
                     : sqlite3_bind_int64(statement, at, value[i].number);
    }
    if (result != SQLITE_OK)
        return fail(db);
    rows->state = statement;
    return ERR_OK;
}

static bool sqlite_next(struct db_rows *rows)
{
    int result = sqlite3_step(rows->state);

    if (result != SQLITE_ROW && result != SQLITE_DONE)
        rows->err = fail(rows->db);
    return result == SQLITE_ROW;
}

static const char *sqlite_text(struct db_rows *rows, int column)
{
    return (const char *)sqlite3_column_text(rows->state, column);
}

static void sqlite_end(struct db_rows *rows)
{
    sqlite3_reset(rows->state);
    sqlite3_clear_bindings(rows->state);
}

static uint64_t sqlite_bytes(struct db *db)
{
    int64_t pages = 0, bytes = 0;

    if (db_number_of(db, &pages, "PRAGMA page_count", "") != ERR_OK ||
        db_number_of(db, &bytes, "PRAGMA page_size", "") != ERR_OK)
        return 0;
    return (uint64_t)(pages * bytes);
}

const struct db_kind db_sqlite = {
    .open = sqlite_open, .close = sqlite_close, .script = sqlite_script,
    .prepare = sqlite_prepare, .forget = sqlite_forget, .start = sqlite_start,
    .next = sqlite_next, .text = sqlite_text, .end = sqlite_end, .bytes = sqlite_bytes,
};
