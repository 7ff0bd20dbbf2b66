/* Disks that fail: of submissions that are written together each is there completely or not at all,
 * and every acknowledged submission is there.
 *
 * A file of SQLite fails at its nth write or wait for the disk, once or from then on, for each n
 * until none is reached. With a cache of few pages rows are written while statements run, and not
 * only at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <semaphore.h>
#include <sqlite3.h>

#include "prof/serve/database/schema.h"
#include "prof/serve/store/writer.h"

enum { SUBMISSIONS = 4, FUNCTIONS = 40, POINTS_MAX = 2000 };

/* ---- files that fail ------------------------------------------------------------------------- */

static struct { int at, error, seen; bool is_sync, stays, is_reached; } fault;
/* Methods of a kind of file (there are kinds with and without locks), and the methods that they
 * stand for. */
static struct hooked { sqlite3_io_methods methods; const sqlite3_io_methods *real; } hooked[8];
static sqlite3_vfs vfs;

static const sqlite3_io_methods *real_of(const sqlite3_file *file)
{
    return ((const struct hooked *)(const void *)file->pMethods)->real;
}

static bool fails(bool is_sync)
{
    if (fault.at == 0 || is_sync != fault.is_sync)
        return false;
    fault.seen++;
    fault.is_reached = fault.is_reached || fault.seen == fault.at;
    return fault.stays ? fault.seen >= fault.at : fault.seen == fault.at;
}

static int hooked_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    return fails(false) ? fault.error : real_of(file)->xWrite(file, bytes, count, at);
}

/* There is no need to wait for the disk. */
static int hooked_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return fails(true) ? fault.error : SQLITE_OK;
}

static int hooked_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out)
{
    sqlite3_vfs *real = self->pAppData;
    int result = real->xOpen(real, name, file, flags, out);
    struct hooked *at = hooked;

    if (result != SQLITE_OK || file->pMethods == NULL || name == NULL)
        return result;
    while (at->real != NULL && at->real != file->pMethods)
        at++;
    at->real = file->pMethods;
    at->methods = *at->real;
    at->methods.xWrite = hooked_write;
    at->methods.xSync = hooked_sync;
    file->pMethods = &at->methods;
    return result;
}

static int hook(void **state)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);

    (void)state;
    vfs = *real;
    vfs.zName = "failing";
    vfs.pAppData = real;
    vfs.xOpen = hooked_open;
    return sqlite3_vfs_register(&vfs, 1);
}

/* ---- a database and submissions -------------------------------------------------------------- */

static struct diag diag;

static const char *file_name(const char *end)
{
    static char name[4096];

    snprintf(name, sizeof name, "%s/store.db%s",
             getenv("TEST_TMP") != NULL ? getenv("TEST_TMP") : "/tmp", end);
    return name;
}

#define SPACE "a_namespace_whose_name_is_long_so_that_functions_take_many_pages_"

/* A submission of functions of its own and of one that all have; each call costs 4. */
static void make(struct summary *summary, int number)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    fprintf(out, "{\"schema\":1,\"id\":\"a-submission-%06d\",\"program\":\"p%d\",\"functions\":[",
            number, number % 3);
    for (int i = 0; i <= FUNCTIONS; i++) {
        char name[200];

        if (i < FUNCTIONS)
            snprintf(name, sizeof name, SPACE "%d::f%d", number, i);
        else
            snprintf(name, sizeof name, "shared");
        fprintf(out, "%s{\"function\":\"%s\",\"cost\":\"cycles\",\"scope\":\"inclusive\","
                "\"buckets\":[{\"bucket\":2,\"count\":1,\"sum\":\"4\",\"sum_of_squares\":\"16\"}]}",
                i > 0 ? "," : "", name);
    }
    fprintf(out, "]}");
    fclose(out);
    assert_int_equal(summary_read(summary, text, &diag), ERR_OK);
    free(text);
}

static struct db *open_database(void)
{
    struct db *db;

    assert_int_equal(db_open(&db, file_name(""), &diag), ERR_OK);
    assert_int_equal(db_script(db, "PRAGMA cache_size=2;"), ERR_OK);
    return db;
}

static struct db *new_database(void)
{
    struct db *db;
    bool is_new;

    unlink(file_name("-wal"));
    unlink(file_name("-shm"));
    unlink(file_name(""));
    db = open_database();
    assert_int_equal(db_script(db, "PRAGMA synchronous=OFF;"), ERR_OK);
    assert_int_equal(schema_upgrade(db, SCHEMA_VERSION, &is_new, &diag), ERR_OK);
    assert_int_equal(db_script(db, "PRAGMA synchronous=FULL;"), ERR_OK);
    return db;
}

static int64_t number(struct db *db, const char *sql)
{
    int64_t value = -1;

    assert_int_equal(db_number_of(db, &value, sql, ""), ERR_OK);
    return value;
}

/* ---- through the writer ---------------------------------------------------------------------- */

struct one { struct writing writing; struct summary summary; sem_t *gate, *ended; };

static struct one *one_of(struct writing *writing)
{
    return (struct one *)(void *)writing;
}

static enum err wait_at_gate(struct writing *writing, struct store *store)
{
    (void)store;
    sem_wait(one_of(writing)->gate);
    return ERR_OK;
}

static enum err apply(struct writing *writing, struct store *store)
{
    return store_add_costs(store, &one_of(writing)->summary, "digest", &writing->result);
}

static void done(struct writing *writing)
{
    sem_post(one_of(writing)->ended);
}

/* All are queued before the first is written, so they are written together. */
static void write_all(struct db *db, struct one *one)
{
    struct one first = {.writing = {.apply = wait_at_gate, .done = done}};
    struct writer writer;
    sem_t gate, ended;

    sem_init(&gate, 0, 0);
    sem_init(&ended, 0, 0);
    first.gate = &gate;
    first.ended = &ended;
    assert_int_equal(writer_start(&writer, db, file_name(""), 1, 1000, &diag), ERR_OK);
    assert_true(writer_submit(&writer, &first.writing));
    for (int i = 0; i < SUBMISSIONS; i++) {
        one[i].writing = (struct writing){.apply = apply, .done = done};
        one[i].ended = &ended;
        assert_true(writer_submit(&writer, &one[i].writing));
    }
    sem_post(&gate);
    sem_post(&gate);                    /* it may be written alone once more */
    for (int i = 0; i <= SUBMISSIONS; i++)
        sem_wait(&ended);
    fault.at = 0;
    writer_stop(&writer);
    sem_destroy(&gate);
    sem_destroy(&ended);
}

/* Each submission that is there is so in all tables, and each that was acknowledged is there. */
static void check(const struct one *one, bool may_be_there)
{
    struct db *db;
    int there = 0;
    char sql[300];

    assert_int_equal(db_open(&db, file_name(""), &diag), ERR_OK);
    for (int i = 0; i < SUBMISSIONS; i++) {
        bool is_there;

        snprintf(sql, sizeof sql,
                 "SELECT COUNT(*) FROM submission WHERE id = 'a-submission-%06d'", i);
        is_there = number(db, sql) == 1;
        snprintf(sql, sizeof sql, "SELECT COALESCE(SUM(c.sum_lo), 0) FROM cost c JOIN function f "
                 "ON f.id = c.function WHERE f.namespace = '" SPACE "%d'", i);
        assert_int_equal(number(db, sql), is_there ? 4 * FUNCTIONS : 0);
        assert_true(is_there || one[i].writing.err != ERR_OK);
        assert_true(!is_there || one[i].writing.err == ERR_OK || may_be_there);
        there += is_there;
    }
    assert_int_equal(number(db, "SELECT COALESCE(SUM(sum_lo), 0) FROM cost"),
                     4 * (FUNCTIONS + 1) * there);
    assert_int_equal(number(db, "SELECT COALESCE(SUM(sum_lo), 0) FROM total"),
                     4 * (FUNCTIONS + 1) * there);
    assert_int_equal(number(db, "SELECT COALESCE(SUM(sum_lo), 0) FROM place_cost"),
                     4 * (FUNCTIONS + 1) * there);
    assert_int_equal(number(db, "SELECT COUNT(*) FROM change"),
                     FUNCTIONS * there + (there > 0));
    assert_int_equal(number(db, "SELECT value FROM state WHERE name = 'sequence'"), there);
    db_close(db);
}

/* Fails at each point once; returns how many there are. */
static int try_all(int error, bool is_sync, bool stays)
{
    struct one one[SUBMISSIONS];
    int at = 1, failed = 0;

    for (int i = 0; i < SUBMISSIONS; i++)
        make(&one[i].summary, i);
    for (; at < POINTS_MAX; at += is_sync || at < 20 ? 1 : 7) {
        struct db *db = new_database();

        memset(&fault, 0, sizeof fault);
        fault.error = error;
        fault.is_sync = is_sync;
        fault.stays = stays;
        fault.at = at;
        write_all(db, one);
        check(one, is_sync);
        for (int i = 0; i < SUBMISSIONS; i++)
            failed += one[i].writing.err != ERR_OK;
        if (!fault.is_reached)
            break;
        write_all(open_database(), one);    /* sent again, to a disk that works */
        check(one, false);
        for (int i = 0; i < SUBMISSIONS; i++)
            assert_int_equal(one[i].writing.err, ERR_OK);
    }
    for (int i = 0; i < SUBMISSIONS; i++)
        summary_free(&one[i].summary);
    assert_true(failed > 0 || !stays);
    assert_true(failed == 0 || stays || is_sync);
    return at;
}

static void a_full_disk_leaves_whole_submissions(void **state)
{
    (void)state;
    assert_in_range(try_all(SQLITE_FULL, false, true), 100, POINTS_MAX - 1);
    assert_in_range(try_all(SQLITE_FULL, false, false), 100, POINTS_MAX - 1);
}

static void a_disk_that_fails_leaves_whole_submissions(void **state)
{
    (void)state;
    assert_in_range(try_all(SQLITE_IOERR_WRITE, false, true), 100, POINTS_MAX - 1);
    assert_in_range(try_all(SQLITE_IOERR_WRITE, false, false), 100, POINTS_MAX - 1);
}

static void a_commit_that_does_not_reach_the_disk_is_not_acknowledged(void **state)
{
    (void)state;
    assert_in_range(try_all(SQLITE_IOERR_FSYNC, true, true), 2, POINTS_MAX - 1);
    assert_in_range(try_all(SQLITE_IOERR_FSYNC, true, false), 2, POINTS_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_leaves_whole_submissions),
        cmocka_unit_test(a_disk_that_fails_leaves_whole_submissions),
        cmocka_unit_test(a_commit_that_does_not_reach_the_disk_is_not_acknowledged),
    };

    return cmocka_run_group_tests(tests, hook, NULL);
}
