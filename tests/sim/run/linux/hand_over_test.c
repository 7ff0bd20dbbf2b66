/* A program that the host serves begins again under the guest kernel when it needs that, unless
 * somebody outside could notice that it ran before. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/sim/run/linux/guest.h"

enum { NR_mknodat = 33, NR_symlinkat = 36, NR_ftruncate = 46, NR_pread64 = 67, NR_setitimer = 103,
       NR_sigsuspend = 133, NR_fcntl = 25, NR_memfd_create = 279, NR_newlib_open = 1024,
       NR_newlib_mkdir = 1030 };
enum { READ = 0, WRITE = 1, CREATE = 0100, TRUNCATE = 01000 };

static int begin(void **state)
{
    may_hand_over = true;
    return make_root(state);
}

/* Whether a call that only the kernel serves would hand over now. */
static bool hands_over(void)
{
    call(NR_setitimer, 0, 0, 0, 0, 0);
    return cpu.hart.pc == TEXT + 8;
}

static void make_file(const char *name)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", guest_root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("contents", file);
    fclose(file);
}

static uint64_t open_file(const char *name, uint64_t flags)
{
    int64_t fd = open_guest(name, flags);

    assert_true(fd >= 0);
    return (uint64_t)fd;
}

static void a_call_that_the_kernel_serves_hands_over_and_says_what_for(void **state)
{
    (void)state;
    call(172, 0, 0, 0, 0, 0);
    assert_true(hands_over());
    assert_int_equal(trap(TRAP_ECALL_U, TEXT + 8, 0), PROCESS_HAND_OVER);
    assert_string_equal(process_text(process), "the system call setitimer");
    fflush(notes);
    assert_string_equal(notes_text, "");
}

static void a_handler_hands_over_for_a_signal_and_for_a_fault(void **state)
{
    static const uint64_t action[3] = {TEXT, 0, 0};

    (void)state;
    memcpy(at(BUFFER), action, sizeof action);
    assert_int_equal(call(NR_sigaction, SIGSEGV, BUFFER, 0, 8, 0), 0);
    assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, 8), PROCESS_HAND_OVER);
    assert_string_equal(process_text(process), "its handler for SIGSEGV");
}

static void a_fault_without_a_handler_ends_the_program(void **state)
{
    (void)state;
    assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, 8), PROCESS_KILLED);
}

static void reading_and_own_pipes_and_files_without_a_name_go_unnoticed(void **state)
{
    uint64_t fd;
    int32_t ends[2];

    (void)state;
    make_file("read");
    fd = open_file("read", READ);
    assert_int_equal(call(NR_read, fd, BUFFER, 4, 0, 0), 4);
    assert_int_equal(call(NR_lseek, fd, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_pread64, fd, BUFFER, 4, 0, 0), 4);
    assert_true((int64_t)call(NR_mmap, 0, PAGE, 1, 2, fd) > 0);
    assert_int_equal(call(NR_pipe2, BUFFER, 0, 0, 0, 0), 0);
    memcpy(ends, at(BUFFER), sizeof ends);
    assert_int_equal(call(NR_write, (uint64_t)ends[1], BUFFER, 4, 0, 0), 4);
    assert_int_equal(call(NR_read, (uint64_t)ends[0], BUFFER, 4, 0, 0), 4);
    fd = (uint64_t)call(NR_memfd_create, put_text(BUFFER, "memory"), 0, 0, 0, 0);
    assert_int_equal(call(NR_write, fd, BUFFER, 4, 0, 0), 4);
    assert_int_equal(call(NR_ftruncate, fd, 0, 0, 0, 0), 0);
    fd = open_file("/dev/null", WRITE);
    assert_int_equal(call(NR_write, fd, BUFFER, 4, 0, 0), 4);
    assert_true(hands_over());
}

static void write_to_a_file(void) { call(NR_write, open_file("w", WRITE), BUFFER, 4, 0, 0); }
static void map_a_file(void) { call(NR_mmap, 0, PAGE, 3, 1, open_file("w", 2)); }
static void shorten_a_file(void) { call(NR_ftruncate, open_file("w", WRITE), 0, 0, 0, 0); }
static void open_and_shorten(void) { open_file("w", WRITE | TRUNCATE); }
static void make_a_file(void) { open_file("new", WRITE | CREATE); }
static void make_a_directory(void)
{
    call(NR_mkdirat, (uint64_t)AT_CWD, put_text(BUFFER, "made"), 0700, 0, 0);
}
static void make_a_pipe(void)
{
    call(NR_mknodat, (uint64_t)AT_CWD, put_text(BUFFER, "fifo"), S_IFIFO | 0600, 0, 0);
}
static void make_a_link(void)
{
    call(NR_symlinkat, put_text(BUFFER, "w"), (uint64_t)AT_CWD, put_text(BUFFER + 16, "link"), 0,
         0);
}
static void remove_a_file(void)
{
    call(NR_unlinkat, (uint64_t)AT_CWD, put_text(BUFFER, "w"), 0, 0, 0);
}
static void make_a_file_of_newlib(void)
{
    call(NR_newlib_open, put_text(BUFFER, "newlib"), 0x201, 0600, 0, 0);
}
static void make_a_directory_of_newlib(void)
{
    call(NR_newlib_mkdir, put_text(BUFFER, "newlib.d"), 0700, 0, 0, 0);
}

static void a_change_that_others_can_see_is_noticed(void **state)
{
    static void (*const acts[])(void) = {
        write_to_a_file, map_a_file, shorten_a_file, open_and_shorten, make_a_file,
        make_a_directory, make_a_pipe, make_a_link, remove_a_file, make_a_file_of_newlib,
        make_a_directory_of_newlib,
    };
    struct diag diag;

    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (i != 0) {
            process_free(process);
            assert_int_equal(start(0, &diag), ERR_OK);
        }
        make_file("w");
        acts[i]();
        if (hands_over())
            fail_msg("act %zu went unnoticed", i);
    }
    (void)state;
    fflush(notes);
    assert_non_null(strstr(notes_text, "with --os kernel the call is served"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_call_that_the_kernel_serves_hands_over_and_says_what_for),
        CASE(a_handler_hands_over_for_a_signal_and_for_a_fault),
        CASE(a_fault_without_a_handler_ends_the_program),
        CASE(reading_and_own_pipes_and_files_without_a_name_go_unnoticed),
        CASE(a_change_that_others_can_see_is_noticed),
    };

    return cmocka_run_group_tests(tests, begin, remove_root);
}
