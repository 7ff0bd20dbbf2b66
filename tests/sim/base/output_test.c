/* A file is there complete or not at all. Each case has a folder of its own. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/base/output.h"

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/output-test-XXXXXX");

    *state = folder;
    return folder != NULL && mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static unsigned files(void)
{
    unsigned count = 0;
    DIR *folder = opendir(".");

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int leave_folder(void **state)
{
    DIR *folder = opendir(".");

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        unlink(entry->d_name);
    closedir(folder);
    rmdir(*state);
    free(*state);
    return chdir("/tmp");
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(name, "r");

    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static void the_old_file_stays_until_the_new_one_is_complete(void **state)
{
    struct output output;

    (void)state;
    put("f", "old");
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    fputs("new", output.file);
    fflush(output.file);
    expect("f", "old");
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    expect("f", "new");
    assert_int_equal(files(), 1);
}

static void an_incomplete_file_leaves_nothing(void **state)
{
    struct output output;

    (void)state;
    put("f", "old");
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    fputs("half", output.file);
    assert_int_equal(output_close(&output, false, NULL), ERR_OK);
    expect("f", "old");
    assert_int_equal(output_open(&output, "g", NULL), ERR_OK);
    assert_int_equal(output_close(&output, false, NULL), ERR_OK);
    assert_int_equal(files(), 1);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
}

static void the_mode_of_the_old_file_stays(void **state)
{
    struct output output;
    struct stat found;

    (void)state;
    put("f", "old");
    chmod("f", 0640);
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    assert_int_equal(stat("f", &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
}

static void a_new_file_has_the_mode_of_the_mask(void **state)
{
    mode_t mask = umask(027);
    struct output output;
    struct stat found;

    (void)state;
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    umask(mask);
    assert_int_equal(stat("f", &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
}

static void a_symbolic_link_stays_one(void **state)
{
    struct output output;
    struct stat found;

    (void)state;
    put("f", "old");
    assert_int_equal(symlink("f", "link"), 0);
    assert_int_equal(output_open(&output, "link", NULL), ERR_OK);
    fputs("new", output.file);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    assert_int_equal(lstat("link", &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    expect("f", "new");
}

static void a_device_is_written_directly_and_its_error_is_told(void **state)
{
    struct output output;
    struct diag diag = {""};

    (void)state;
    assert_int_equal(output_open(&output, "/dev/full", &diag), ERR_OK);
    assert_null(output.temporary);
    fputs("text", output.file);
    assert_int_equal(output_close(&output, true, &diag), ERR_IO);
    assert_string_equal(diag.text, "/dev/full: cannot be written: No space left on device");
}

static void a_check_leaves_no_file_and_changes_none(void **state)
{
    struct diag diag = {""};

    (void)state;
    put("f", "old");
    assert_int_equal(output_check("f", &diag), ERR_OK);
    expect("f", "old");
    assert_int_equal(output_check("g", &diag), ERR_OK);
    assert_int_equal(output_check("-", &diag), ERR_OK);
    assert_int_equal(files(), 1);
    assert_int_equal(output_check("no/such/f", &diag), ERR_IO);
    assert_string_equal(diag.text, "no/such/f: No such file or directory");
}

static void only_a_dash_is_standard_output(void **state)
{
    (void)state;
    assert_true(output_is_stdout("-"));
    assert_false(output_is_stdout("-f"));
    assert_false(output_is_stdout(""));
    assert_false(output_is_stdout(NULL));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_old_file_stays_until_the_new_one_is_complete),
        CASE(an_incomplete_file_leaves_nothing),
        CASE(the_mode_of_the_old_file_stays),
        CASE(a_new_file_has_the_mode_of_the_mask),
        CASE(a_symbolic_link_stays_one),
        CASE(a_device_is_written_directly_and_its_error_is_told),
        CASE(only_a_dash_is_standard_output),
        CASE(a_check_leaves_no_file_and_changes_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
