/* Guest paths stay inside the root, whatever links and dots say; descriptors are shared and
 * reused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/run/linux/files.h"

static char top[] = "/tmp/files_test.XXXXXX";
static char root[64];
static struct files files;

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* top/secret is outside; top/root is the root, with links of every kind that point out of it. */
static int make_tree(void **state)
{
    char path[256];

    (void)state;
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    put("secret", "outside");
    snprintf(root, sizeof root, "%s/root", top);
    assert_int_equal(mkdir("root", 0755) | mkdir("root/a", 0755) | mkdir("root/a/b", 0755), 0);
    put("root/file", "top");
    put("root/a/file", "in a");
    put("root/secret", "inside");
    assert_int_equal(symlink("../secret", "root/up"), 0);
    assert_int_equal(symlink("../../../../secret", "root/a/b/far"), 0);
    snprintf(path, sizeof path, "%s/secret", top);
    assert_int_equal(symlink(path, "root/absolute"), 0);
    assert_int_equal(symlink("/secret", "root/a/rooted"), 0);
    assert_int_equal(symlink("/", "root/a/b/slash"), 0);
    assert_int_equal(symlink("..", "root/a/b/parent"), 0);
    assert_int_equal(symlink("a/b", "root/deep"), 0);
    assert_int_equal(symlink("loop2", "root/loop1") | symlink("loop1", "root/loop2"), 0);
    assert_int_equal(symlink("nothing", "root/dangling"), 0);
    return 0;
}

static int remove_tree(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", top);
    return chdir("/") | system(command);
}

static int set_up(void **state)
{
    static const int streams[3] = {0, 1, 2};
    struct diag diag;

    (void)state;
    assert_int_equal(files_init(&files, root, streams, "/bin/sh", &diag), ERR_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    files_free(&files);
    return 0;
}

/* The content of the file a path leads to; or the error number as text. */
static const char *content(int dir_fd, const char *path)
{
    static char text[64];
    struct place place;
    int err = files_resolve(&files, dir_fd, path, true, &place), fd;
    ssize_t got;

    if (err != 0) {
        return strerrorname_np(-err);
    }
    fd = openat(place.dir_fd, place.name, O_RDONLY | O_NOFOLLOW);
    err = errno;
    place_free(&place);
    if (fd < 0) {
        return strerrorname_np(err);
    }
    got = read(fd, text, sizeof text - 1);
    err = errno;
    close(fd);
    if (got < 0) {
        return strerrorname_np(err);
    }
    text[got] = '\0';
    return text;
}

static const char *where(const char *path, bool is_followed)
{
    static struct place place;
    int err = files_resolve(&files, FILES_CWD, path, is_followed, &place);

    if (err != 0) {
        return strerrorname_np(-err);
    }
    place_free(&place);
    return place.path;
}

static void plain_names_are_found(void **state)
{
    (void)state;
    assert_string_equal(content(FILES_CWD, "file"), "top");
    assert_string_equal(content(FILES_CWD, "/file"), "top");
    assert_string_equal(content(FILES_CWD, "//a/./file"), "in a");
    assert_string_equal(content(FILES_CWD, "a/b/../file"), "in a");
    assert_string_equal(content(FILES_CWD, "none"), "ENOENT");
    assert_string_equal(content(FILES_CWD, "none/file"), "ENOENT");
    assert_string_equal(content(FILES_CWD, "file/x"), "ENOTDIR");
    assert_string_equal(content(FILES_CWD, ""), "ENOENT");
    assert_string_equal(content(FILES_CWD, "a"), "EISDIR");
}

static void dots_do_not_lead_out(void **state)
{
    (void)state;
    assert_string_equal(content(FILES_CWD, "../secret"), "inside");
    assert_string_equal(content(FILES_CWD, "/../../secret"), "inside");
    assert_string_equal(content(FILES_CWD, "a/../../../secret"), "inside");
    assert_string_equal(content(FILES_CWD, ".."), "EISDIR");
    assert_string_equal(where("a/../..", true), "");
}

static void links_do_not_lead_out(void **state)
{
    (void)state;
    assert_string_equal(content(FILES_CWD, "up"), "inside");
    assert_string_equal(content(FILES_CWD, "a/b/far"), "inside");
    assert_string_equal(content(FILES_CWD, "absolute"), "ENOENT");
    assert_string_equal(content(FILES_CWD, "a/rooted"), "inside");
    assert_string_equal(content(FILES_CWD, "a/b/slash/secret"), "inside");
    assert_string_equal(content(FILES_CWD, "a/b/slash/../secret"), "inside");
    assert_string_equal(content(FILES_CWD, "deep/parent/file"), "in a");
    assert_string_equal(content(FILES_CWD, "deep/../file"), "in a");
}

static void endless_links_end(void **state)
{
    (void)state;
    assert_string_equal(content(FILES_CWD, "loop1"), "ELOOP");
    assert_string_equal(content(FILES_CWD, "loop1/x"), "ELOOP");
}

static void a_link_at_the_end_is_followed_only_on_request(void **state)
{
    (void)state;
    assert_string_equal(where("up", false), "/up");
    assert_string_equal(where("up", true), "/secret");
    assert_string_equal(where("deep/far", false), "/a/b/far");
    assert_string_equal(where("dangling", true), "/nothing");
    assert_string_equal(where("deep/", false), "/a/b");
    assert_string_equal(where("new/", false), "/new");
}

static void long_names_are_refused(void **state)
{
    char path[2 * PATH_MAX];

    (void)state;
    memset(path, 'x', sizeof path);
    path[NAME_MAX + 1] = '\0';
    assert_string_equal(where(path, true), "ENAMETOOLONG");
    memset(path, '/', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_string_equal(where(path, true), "ENAMETOOLONG");
}

static void relative_names_begin_at_a_directory(void **state)
{
    int fd = files_open(&files, OPEN_HOST, open(root, O_RDONLY | O_DIRECTORY), "/a/b", false);

    (void)state;
    assert_int_equal(fd, 3);
    assert_string_equal(content(fd, "../file"), "in a");
    assert_string_equal(content(fd, "/file"), "top");
    assert_string_equal(content(0, "file"), "ENOTDIR");
    assert_string_equal(content(77, "file"), "EBADF");
    strcpy(files.cwd, "/a");
    assert_string_equal(content(FILES_CWD, "file"), "in a");
}

static void special_names_exist_without_being_in_the_root(void **state)
{
    struct place place;

    (void)state;
    assert_string_equal(content(FILES_CWD, "/dev/null"), "");
    assert_string_equal(content(FILES_CWD, "a/../dev/null"), "");
    assert_int_equal(files_resolve(&files, FILES_CWD, "/dev/urandom", true, &place), 0);
    assert_int_equal(place.kind, PLACE_RANDOM);
    assert_int_equal(files_resolve(&files, FILES_CWD, "/dev/stderr", true, &place), 0);
    assert_int_equal(place.kind, PLACE_DESCRIPTOR);
    assert_int_equal(place.descriptor, 2);
    assert_int_equal(files_resolve(&files, FILES_CWD, "/proc/self/fd/17", true, &place), 0);
    assert_int_equal(place.descriptor, 17);
    assert_int_equal(files_resolve(&files, FILES_CWD, "/proc/self/exe", false, &place), 0);
    assert_int_equal(place.kind, PLACE_EXE);
    assert_int_equal(files_resolve(&files, FILES_CWD, "/dev/sda", true, &place), -ENOENT);
}

static int make_and_read(const char *name)
{
    struct place place;
    int fd, err = files_resolve(&files, FILES_CWD, name, true, &place);

    if (err != 0)
        return err;
    fd = openat(place.dir_fd, place.name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    place_free(&place);
    return fd < 0 ? -errno : close(fd);
}

static void memory_has_files_in_any_root(void **state)
{
    struct place place;

    (void)state;
    assert_int_equal(make_and_read("/dev/shm/one"), 0);
    assert_int_equal(make_and_read("a/..//dev//shm/one"), -EEXIST);
    strcpy(files.cwd, "/dev/shm");
    assert_int_equal(make_and_read("one"), -EEXIST);
    assert_int_equal(make_and_read("../shm/one"), -EEXIST);
    assert_int_equal(make_and_read("two"), 0);
    assert_string_equal(content(FILES_CWD, "/dev/shm/two"), "");
    assert_int_equal(files_resolve(&files, FILES_CWD, "/dev/shmx/one", true, &place), -ENOENT);
    strcpy(files.cwd, "");
    assert_int_not_equal(faccessat(files.root_fd, "dev", F_OK, 0), 0);
}

static void the_first_directory_is_the_hosts_if_inside(void **state)
{
    static const int none[3] = {-1, -1, -1};
    struct files other;
    struct diag diag;
    char cwd[PATH_MAX];

    (void)state;
    assert_string_equal(files.cwd, "");
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_int_equal(files_init(&other, "/", none, "/bin/sh", &diag), ERR_OK);
    assert_string_equal(other.cwd, cwd);
    files_free(&other);
    assert_int_equal(files_init(&other, "nowhere", none, "x", &diag), ERR_USAGE);
    assert_string_equal(diag.text, "root directory nowhere: No such file or directory");
}

static void descriptors_are_the_lowest_free_and_share_when_duplicated(void **state)
{
    int first = files_open(&files, OPEN_HOST, open("/dev/null", O_RDONLY), "/x", false);
    int copy = files_add(&files, files_get(&files, (uint64_t)first), 10, true);

    (void)state;
    assert_int_equal(first, 3);
    assert_int_equal(copy, 10);
    assert_ptr_equal(files_get(&files, 3), files_get(&files, 10));
    assert_int_equal(files_close(&files, 3), 0);
    assert_int_equal(files_close(&files, 3), -EBADF);
    assert_non_null(files_get(&files, 10));
    assert_int_equal(files_open(&files, OPEN_HOST, open("/dev/null", O_RDONLY), NULL, false), 3);
    assert_null(files_get(&files, FILES_MAX));
}

static void descriptors_run_out(void **state)
{
    struct open_file *file = files_get(&files, 0);
    int fd;

    (void)state;
    for (fd = 3; fd < FILES_LIMIT; fd++) {
        assert_int_equal(files_add(&files, file, 0, false), fd);
    }
    assert_int_equal(files_add(&files, file, 0, false), -EMFILE);
}

static void a_directory_is_listed_in_order(void **state)
{
    int fd = files_open(&files, OPEN_HOST, open(root, O_RDONLY | O_DIRECTORY), "", false);
    struct open_file *file = files_get(&files, (uint64_t)fd);
    size_t i;

    (void)state;
    assert_int_equal(files_list(file), 0);
    assert_int_equal(file->entry_count, 11);
    assert_string_equal(file->entries[0].name, ".");
    for (i = 1; i < file->entry_count; i++) {
        assert_true(strcmp(file->entries[i - 1].name, file->entries[i].name) < 0);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(plain_names_are_found),
        CASE(dots_do_not_lead_out),
        CASE(links_do_not_lead_out),
        CASE(endless_links_end),
        CASE(a_link_at_the_end_is_followed_only_on_request),
        CASE(long_names_are_refused),
        CASE(relative_names_begin_at_a_directory),
        CASE(special_names_exist_without_being_in_the_root),
        CASE(memory_has_files_in_any_root),
        CASE(the_first_directory_is_the_hosts_if_inside),
        CASE(descriptors_are_the_lowest_free_and_share_when_duplicated),
        CASE(descriptors_run_out),
        CASE(a_directory_is_listed_in_order),
    };

    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
