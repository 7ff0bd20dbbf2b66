/* Copies to and from user memory, and pages that come from files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/run/linux/space.h"

/* A temporary file with `bytes` of the alphabet, as vm_map wants it. */
static struct vm_file *make_file(size_t bytes)
{
    char name[] = "/tmp/vm_test.XXXXXX";
    struct vm_file *file = calloc(1, sizeof *file);
    size_t i;

    assert_non_null(file);
    file->fd = mkstemp(name);
    assert_true(file->fd >= 0);
    unlink(name);
    for (i = 0; i < bytes; i++) {
        char letter = (char)('a' + i % 26);

        assert_int_equal(write(file->fd, &letter, 1), 1);
    }
    return file;
}

static int map_file(uint64_t start, uint64_t pages, unsigned flags, struct vm_file *file,
                    uint64_t offset)
{
    struct vm_region region = {.start = start, .end = start + pages * PAGE, .prot = RW,
                               .flags = flags, .file = file, .offset = offset};

    return vm_map(&vm, &region);
}

/* ---- files ------------------------------------------------------------------------------ */

static void a_private_file_page_is_read_when_touched(void **state)
{
    char text[4];

    (void)state;
    assert_int_equal(map_file(BASE, 3, 0, make_file(PAGE + 30), 0), 0);
    assert_true(vm_read(&vm, BASE + 1, text, 3));
    assert_memory_equal(text, "bcd", 3);
    assert_true(vm_read(&vm, BASE + PAGE + 29, text, 2));
    assert_int_equal(text[0], 'a' + (PAGE + 29) % 26);
    assert_int_equal(text[1], 0);
    assert_int_equal(vm_touch(&vm, BASE + 2 * PAGE, VM_READ), VM_BEYOND_FILE);
}

static void a_split_file_region_keeps_its_offsets(void **state)
{
    char letter;

    (void)state;
    assert_int_equal(map_file(BASE, 3, 0, make_file(5 * PAGE), PAGE), 0);
    assert_int_equal(vm_unmap(&vm, BASE + PAGE, PAGE), 0);
    assert_true(vm_read(&vm, BASE + 2 * PAGE, &letter, 1));
    assert_int_equal(letter, 'a' + 3 * PAGE % 26);
}

static void shared_pages_go_back_to_the_file_and_no_further(void **state)
{
    struct vm_file *file = make_file(100);
    int copy = dup(file->fd);
    char text[2] = "";

    (void)state;
    assert_int_equal(map_file(BASE, 1, VM_SHARED, file, 0), 0);
    assert_true(vm_write(&vm, BASE + 10, "X", 1));
    vm_sync(&vm, BASE, PAGE);
    assert_int_equal(pread(copy, text, 1, 10), 1);
    assert_int_equal(text[0], 'X');
    assert_true(vm_write(&vm, BASE + 11, "Y", 1));
    assert_int_equal(vm_unmap(&vm, BASE, PAGE), 0);
    assert_int_equal(pread(copy, text, 1, 11), 1);
    assert_int_equal(text[0], 'Y');
    assert_int_equal(lseek(copy, 0, SEEK_END), 100);
    close(copy);
}

/* ---- copies ----------------------------------------------------------------------------- */

static void copies_cross_pages_that_lie_apart(void **state)
{
    uint8_t out[3 * PAGE], in[3 * PAGE];
    size_t i;

    (void)state;
    assert_int_equal(map(BASE, 4, RW), 0);
    assert_int_equal(vm_touch(&vm, BASE + 3 * PAGE, VM_READ), VM_OK);
    assert_int_equal(vm_touch(&vm, BASE + PAGE, VM_READ), VM_OK);
    for (i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t)(i * 7);
    }
    assert_true(vm_write(&vm, BASE + 100, out, sizeof out));
    assert_true(vm_read(&vm, BASE + 100, in, sizeof in));
    assert_memory_equal(in, out, sizeof in);
}

static void copies_stop_at_the_first_bad_page(void **state)
{
    uint8_t bytes[2 * PAGE] = {0};

    (void)state;
    assert_int_equal(map(BASE, 1, RW), 0);
    assert_int_equal(map(BASE + PAGE, 1, VM_READ), 0);
    assert_false(vm_write(&vm, BASE, bytes, sizeof bytes));
    assert_true(vm_read(&vm, BASE, bytes, sizeof bytes));
    assert_false(vm_read(&vm, BASE + 1, bytes, sizeof bytes));
    assert_int_equal(vm_accessible(&vm, BASE + 10, 2 * PAGE, VM_WRITE), PAGE - 10);
    assert_int_equal(vm_accessible(&vm, BASE + 10, 5, VM_WRITE), 5);
    assert_int_equal(vm_accessible(&vm, 0, 5, VM_WRITE), 0);
    assert_false(vm_read(&vm, UINT64_MAX - 3, bytes, 8));
}

static void a_string_ends_at_its_zero_or_with_an_error(void **state)
{
    char text[16];

    (void)state;
    assert_int_equal(map(BASE, 2, RW), 0);
    assert_true(vm_write(&vm, BASE + PAGE - 3, "across", 7));
    assert_int_equal(vm_read_string(&vm, BASE + PAGE - 3, text, sizeof text), 6);
    assert_string_equal(text, "across");
    assert_int_equal(vm_read_string(&vm, BASE + PAGE - 3, text, 6), -ENAMETOOLONG);
    assert_int_equal(vm_read_string(&vm, 0, text, sizeof text), -EFAULT);
    assert_true(vm_write(&vm, BASE + 2 * PAGE - 4, "open", 4));
    assert_int_equal(vm_read_string(&vm, BASE + 2 * PAGE - 4, text, sizeof text), -EFAULT);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_private_file_page_is_read_when_touched),
        CASE(a_split_file_region_keeps_its_offsets),
        CASE(shared_pages_go_back_to_the_file_and_no_further),
        CASE(copies_cross_pages_that_lie_apart),
        CASE(copies_stop_at_the_first_bad_page),
        CASE(a_string_ends_at_its_zero_or_with_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
