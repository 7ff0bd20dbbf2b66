/* Whole files of any length up to a limit, and the reasons for which a file is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/base/input.h"

enum { ROOM = 1 << 16 };                /* of a first read */

static char path[] = "/tmp/input-test-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void put(size_t bytes)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++)
        putc((int)(i % 251), file);
    fclose(file);
}

static void a_file_is_read_to_its_end(void **state)
{
    const size_t length[] = {0, 1, ROOM - 2, ROOM - 1, ROOM, ROOM + 1, 2 * ROOM - 1, 2 * ROOM,
                             5 * ROOM + 3};
    const struct input input = {.path = path, .use = "a test", .most = SIZE_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
        size_t bytes = 1;
        char *text;

        put(length[i]);
        assert_int_equal(input_read(&input, &text, &bytes, NULL), ERR_OK);
        assert_int_equal(bytes, length[i]);
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal((unsigned char)text[k], k % 251);
        assert_int_equal(text[bytes], '\0');
        free(text);
    }
}

static void a_file_of_the_limit_is_refused(void **state)
{
    const size_t most[] = {1, 2, 1000, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM};

    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        const struct input input = {.path = path, .use = "a test", .most = most[i]};
        struct diag diag = {""};
        size_t bytes;
        char *text;

        put(most[i] - 1);
        assert_int_equal(input_read(&input, &text, &bytes, &diag), ERR_OK);
        assert_int_equal(bytes, most[i] - 1);
        free(text);
        put(most[i]);
        assert_int_equal(input_read(&input, &text, &bytes, &diag), ERR_USAGE);
        assert_null(text);
        assert_non_null(strstr(diag.text, ": too large for a test"));
    }
}

static void the_reason_of_a_failure_is_reported(void **state)
{
    const struct input none = {.path = "/nowhere/at all", .use = "a test", .most = 1000};
    const struct input folder = {.path = "/tmp", .use = "a test", .most = 1000};
    struct diag diag = {""};
    size_t bytes;
    char *text;

    (void)state;
    assert_int_equal(input_read(&none, &text, &bytes, &diag), ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_null(text);
    assert_string_equal(diag.text, "/nowhere/at all: No such file or directory");
    assert_int_equal(input_read(&folder, &text, &bytes, &diag), ERR_IO);
    assert_null(text);
    assert_string_equal(diag.text, "/tmp: cannot be read: Is a directory");
}

static void an_open_file_is_read_from_where_it_is_and_stays_open(void **state)
{
    const struct input input = {.path = "its name", .use = "a test", .most = SIZE_MAX};
    FILE *file;
    size_t bytes;
    char *text;

    (void)state;
    put(300);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_equal(input_read_open(file, &input, &text, &bytes, NULL), ERR_OK);
    assert_int_equal(bytes, 200);
    assert_int_equal((unsigned char)text[0], 100);
    free(text);
    assert_int_equal(fclose(file), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_file, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_is_read_to_its_end),
        CASE(a_file_of_the_limit_is_refused),
        CASE(the_reason_of_a_failure_is_reported),
        CASE(an_open_file_is_read_from_where_it_is_and_stays_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
