/* Tables and their upgrade; numbers in two parts; the writer's turn. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "prof/serve/database/schema.h"
#include "prof/serve/store/store.h"
#include "prof/serve/database/wide.h"

static struct diag diag;

static char *file_name(void)
{
    static char name[4096];

    snprintf(name, sizeof name, "%s/schema.db",
             getenv("TEST_TMP") != NULL ? getenv("TEST_TMP") : "/tmp");
    unlink(name);
    return name;
}

static void add(struct store *store, const char *id, unsigned n)
{
    char text[512];
    struct summary summary;
    enum store_result result;

    snprintf(text, sizeof text,
             "{\"schema\":1,\"id\":\"%s\",\"program\":\"p\",\"functions\":[{\"function\":\"f\","
             "\"cost\":\"cycles\",\"scope\":\"inclusive\",\"buckets\":[{\"bucket\":2,\"count\":1,"
             "\"sum\":\"%u\",\"sum_of_squares\":\"%u\"}]}]}", id, n, n * n);
    assert_int_equal(summary_read(&summary, text, &diag), ERR_OK);
    assert_int_equal(store_begin(store), ERR_OK);
    assert_int_equal(store_add_costs(store, &summary, "digest", &result), ERR_OK);
    assert_int_equal(store_commit(store, 1), ERR_OK);
    assert_int_equal(result, STORE_ADDED);
    summary_free(&summary);
}

/* As version 1 had it: two functions, whose counts are 2^32 together. */
static void add_old(struct db *db)
{
    assert_int_equal(db_script(db,
        "INSERT INTO program VALUES (1, 'p', '');"
        "INSERT INTO kind VALUES (1, 'cycles');"
        "INSERT INTO function VALUES (1, 'f', '', '', 1);"
        "INSERT INTO function VALUES (2, 'g', '', '', 1);"
        "INSERT INTO cost VALUES (1, 1, 0, 1, 2, 0, 4294967295, 0, 5, 0, 25);"
        "INSERT INTO cost VALUES (2, 1, 0, 1, 2, 0, 1, 0, 10, 0, 50);"
        "INSERT INTO total VALUES (1, 1, 0, 1, 0, 4294967295, 0, 5, 0, 25);"
        "INSERT INTO total VALUES (2, 1, 0, 1, 0, 1, 0, 10, 0, 50);"
        "UPDATE state SET value = 1 WHERE name = 'sequence';"), ERR_OK);
}

static int64_t number(struct db *db, const char *sql)
{
    int64_t value = -1;

    assert_int_equal(db_number_of(db, &value, sql, ""), ERR_OK);
    return value;
}

static void an_old_database_is_upgraded_with_what_it_has(void **state)
{
    struct store store = {.reports_kept = 1};
    const char *name = file_name();
    bool is_new;

    (void)state;
    assert_int_equal(db_open(&store.db, name, &diag), ERR_OK);
    assert_int_equal(schema_upgrade(store.db, 1, &is_new, &diag), ERR_OK);
    assert_true(is_new);
    assert_int_equal(number(store.db, "SELECT value FROM state WHERE name = 'schema'"), 1);
    add_old(store.db);
    assert_int_equal(schema_upgrade(store.db, SCHEMA_VERSION, &is_new, &diag), ERR_OK);
    assert_false(is_new);
    assert_int_equal(number(store.db, "SELECT value FROM state WHERE name = 'schema'"),
                     SCHEMA_VERSION);
    assert_int_equal(number(store.db, "SELECT COUNT(*) FROM hang_group"), 0);
    add(&store, "first-of-version-2", 6);
    assert_int_equal(number(store.db, "SELECT SUM(sum_lo) FROM cost"), 21);
    assert_int_equal(number(store.db, "SELECT SUM(sum_lo) FROM total"), 21);
    assert_int_equal(number(store.db, "SELECT sequence FROM change WHERE function = 1"), 2);
    assert_int_equal(number(store.db, "SELECT sequence FROM change WHERE function = 2"), 1);
    assert_int_equal(number(store.db, "SELECT COUNT(*) FROM place"), 1);
    assert_int_equal(number(store.db, "SELECT COUNT(*) FROM place_cost"), 1);
    assert_int_equal(number(store.db, "SELECT sum_lo FROM place_cost"), 21);
    assert_int_equal(number(store.db, "SELECT count_hi FROM place_cost"), 1);
    assert_int_equal(number(store.db, "SELECT count_lo FROM place_cost"), 1);
    store_free(&store);
}

static void a_newer_database_is_refused(void **state)
{
    struct db *db;
    bool is_new;

    (void)state;
    assert_int_equal(db_open(&db, file_name(), &diag), ERR_OK);
    assert_int_equal(schema_upgrade(db, SCHEMA_VERSION, &is_new, &diag), ERR_OK);
    assert_int_equal(db_run(db, "UPDATE state SET value = 999 WHERE name = 'schema'", ""), ERR_OK);
    assert_int_equal(schema_upgrade(db, SCHEMA_VERSION, &is_new, &diag), ERR_USAGE);
    db_close(db);
}

static void a_database_in_memory_has_no_file_and_is_gone_with_its_connection(void **state)
{
    struct db *db;
    bool is_new;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(db_open(&db, ":memory:", &diag), ERR_OK);
        assert_int_equal(schema_upgrade(db, SCHEMA_VERSION, &is_new, &diag), ERR_OK);
        assert_true(is_new);
        assert_int_not_equal(access(":memory:", F_OK), 0);
        db_close(db);
    }
}

static void numbers_come_back_from_two_parts(void **state)
{
    static const uint64_t value[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX,
                                     UINT64_C(1) << 63, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        struct wide wide = wide_of(value[i]);

        assert_true(wide_value(wide.high, wide.low) == value[i]);
        for (size_t j = 0; j < sizeof value / sizeof value[0]; j++) {
            struct wide other = wide_of(value[j]);
            uint64_t sum = value[i] > UINT64_MAX - value[j] ? UINT64_MAX : value[i] + value[j];

            assert_true(wide_value(wide.high + other.high, wide.low + other.low) == sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_database_is_upgraded_with_what_it_has),
        cmocka_unit_test(a_newer_database_is_refused),
        cmocka_unit_test(a_database_in_memory_has_no_file_and_is_gone_with_its_connection),
        cmocka_unit_test(numbers_come_back_from_two_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
