/* An output file is complete, or does not exist. Each case has a folder of its own. */
#define _GNU_SOURCE              /* O_TMPFILE */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
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

/* Also where a name would be too long for a temporary file, which is not known once the file is
 * complete. */
static void a_file_has_its_name_at_once_or_at_its_end(void **state)
{
    struct output output;
    char name[NAME_MAX + 1];
    int can = open(".", O_TMPFILE | O_WRONLY, 0600);

    (void)state;
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    assert_int_equal(files(), can >= 0 ? 0 : 1);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    expect("f", "");
    for (size_t length = NAME_MAX - 14; length <= NAME_MAX; length++) {
        memset(name, 'n', length);
        name[length] = '\0';
        assert_int_equal(output_open(&output, name, NULL), ERR_OK);
        fputs("new", output.file);
        assert_int_equal(output_close(&output, true, NULL), ERR_OK);
        expect(name, "new");
        unlink(name);
    }
    if (can >= 0)
        close(can);
}

static unsigned made(int watch)
{
    char events[4096];
    ssize_t bytes = read(watch, events, sizeof events);
    unsigned count = 0;

    for (ssize_t at = 0; at < bytes;) {
        struct inotify_event event;

        memcpy(&event, events + at, sizeof event);
        count++;
        at += (ssize_t)(sizeof event + event.len);
    }
    return count;
}

static void no_temporary_file_is_made_that_is_not_needed(void **state)
{
    struct output output;
    int watch = inotify_init1(IN_NONBLOCK), can = open(".", O_TMPFILE | O_WRONLY, 0600);

    (void)state;
    assert_true(inotify_add_watch(watch, ".", IN_CREATE) >= 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
        assert_int_equal(made(watch), can >= 0 ? 0 : 1);
        assert_int_equal(output_close(&output, i != 1, NULL), ERR_OK);
        assert_int_equal(made(watch), can >= 0 && i != 1 ? 1 : 0);
    }
    assert_int_equal(files(), 1);
    close(watch);
    if (can >= 0)
        close(can);
}

static void a_name_that_is_taken_is_not_used(void **state)
{
    struct output output;
    char taken[64];

    (void)state;
    snprintf(taken, sizeof taken, "f.%06x.part", (unsigned)getpid() % (1u << 24));
    put(taken, "other");
    assert_int_equal(output_open(&output, "f", NULL), ERR_OK);
    fputs("new", output.file);
    assert_int_equal(output_close(&output, true, NULL), ERR_OK);
    expect(taken, "other");
    expect("f", "new");
    assert_int_equal(files(), 2);
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
        CASE(a_file_has_its_name_at_once_or_at_its_end),
        CASE(no_temporary_file_is_made_that_is_not_needed),
        CASE(a_name_that_is_taken_is_not_used),
        CASE(a_device_is_written_directly_and_its_error_is_told),
        CASE(only_a_dash_is_standard_output),
        CASE(a_check_leaves_no_file_and_changes_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
