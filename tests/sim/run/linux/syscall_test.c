/* System calls: results, errors, and their effects on memory, files and time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/op.h"
#include "tests/sim/run/linux/guest.h"

static void a_call_sets_a0_and_steps_over_the_ecall(void **state)
{
    (void)state;
    assert_int_equal(call(172, 0, 0, 0, 0, 0), 1000);
    assert_int_equal(cpu.hart.pc, TEXT + 12);
}

static void exit_ends_with_the_low_byte(void **state)
{
    (void)state;
    call(NR_exit_group, 0x1ff, 0, 0, 0, 0);
    assert_int_equal(process_trap(process, &cpu), PROCESS_EXIT);
    assert_int_equal(process_exit_code(process), 0xff);
    assert_int_equal(process_signal(process), 0);
}

static void unknown_calls_get_enosys_and_one_note_each(void **state)
{
    (void)state;
    assert_int_equal(call(NR_clone, 0, 0, 0, 0, 0), -ENOSYS);
    assert_int_equal(call(NR_clone, 0, 0, 0, 0, 0), -ENOSYS);
    assert_int_equal(call(499, 0, 0, 0, 0, 0), -ENOSYS);
    fflush(notes);
    assert_string_equal(notes_text,
        "rvsim: note: system call 220 (clone) is not supported; the program gets ENOSYS, "
        "and with --os kernel the call is served\n"
        "rvsim: note: system call 499 (unknown) is not supported; the program gets ENOSYS\n");
}

/* Both tables are read here again, so the answer for a number must be its row. */
static void calls_that_the_guest_kernel_serves_are_those_of_its_table(void **state)
{
    bool is_served[512] = {false};

    (void)state;
#define KERNEL(number, name)                                                                       \
    is_served[number] = true;                                                                      \
    assert_string_equal(process_syscall_name(number), #name);
#define VALUE(number, name, value)                                                                 \
    is_served[number] = (value) != -ENOSYS;                                                        \
    assert_string_equal(process_syscall_name(number), #name);
#include "pmu/abi_syscall.def"
#undef KERNEL
#undef VALUE
    for (uint64_t number = 0; number < 512; number++)
        assert_int_equal(process_kernel_serves(number), is_served[number]);
    assert_false(process_kernel_serves(UINT64_C(1) << 40));
}

static void a_note_names_the_option_that_serves_a_call(void **state)
{
    static const uint64_t numbers[] = {22, 95, 103, 107, 110, 137, 221, 274, 424, 449};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char line[160];

        assert_int_equal(call(numbers[i], 0, 0, 0, 0, 0), -ENOSYS);
        fflush(notes);
        snprintf(line, sizeof line, "rvsim: note: system call %d (%s) is not supported; the "
                 "program gets ENOSYS, and with --os kernel the call is served\n", (int)numbers[i],
                 process_syscall_name(numbers[i]));
        assert_non_null(strstr(notes_text, line));
    }
}

static void the_break_moves_and_gives_memory_back(void **state)
{
    uint64_t start_va = (uint64_t)call(NR_brk, 0, 0, 0, 0, 0), pa;

    (void)state;
    assert_int_equal(start_va, 0x15000);
    assert_int_equal(call(NR_brk, start_va + 10000, 0, 0, 0, 0), start_va + 10000);
    *(char *)at(start_va + 9999) = 'x';
    assert_int_equal(call(NR_brk, start_va + 100, 0, 0, 0, 0), start_va + 100);
    assert_false(process_translate(process, start_va + 9999, &pa));
    assert_true((process_take_effects(process) & PROCESS_EFFECT_TRANSLATION) != 0);
    assert_int_equal(process_take_effects(process), 0);
    assert_int_equal(call(NR_brk, start_va + 10000, 0, 0, 0, 0), start_va + 10000);
    assert_int_equal(*(char *)at(start_va + 9999), 0);
    assert_int_equal(call(NR_brk, 1, 0, 0, 0, 0), start_va + 10000);
    assert_int_equal(call(NR_brk, UINT64_C(1) << 37, 0, 0, 0, 0), start_va + 10000);
}

static void mappings_are_made_changed_and_removed(void **state)
{
    uint64_t va = (uint64_t)call(NR_mmap, 0, 3 * PAGE, 3, 0x22, UINT64_MAX), moved;

    (void)state;
    *(char *)at(va + PAGE) = 'm';
    assert_int_equal(call(NR_mprotect, va, PAGE, 1, 0, 0), 0);
    assert_int_equal(call(NR_mprotect, va + 1, PAGE, 1, 0, 0), -EINVAL);
    moved = (uint64_t)call(NR_mremap, va + PAGE, PAGE, 100 * PAGE, 1, 0);
    assert_int_not_equal(moved, va + PAGE);
    assert_int_equal(*(char *)at(moved), 'm');
    assert_int_equal(*(char *)at(moved + 99 * PAGE), 0);
    assert_int_equal(call(NR_munmap, va, 3 * PAGE, 0, 0, 0), 0);
    assert_int_equal(call(NR_munmap, va + 8, PAGE, 0, 0, 0), -EINVAL);
    assert_int_equal(call(NR_mmap, 0, UINT64_C(1) << 33, 3, 0x22, UINT64_MAX), -ENOMEM);
    assert_int_equal(call(NR_mmap, 0, 0, 3, 0x22, UINT64_MAX), -EINVAL);
    assert_int_equal(call(NR_mmap, 0, PAGE, 3, 2, 77), -EBADF);
    assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, va), PROCESS_KILLED);
}

static void files_are_written_read_and_described(void **state)
{
    int64_t fd = open_guest("file", 02 | 0100 | 0200);

    (void)state;
    assert_int_equal(fd, 0);
    assert_int_equal(open_guest("file", 02 | 0100 | 0200), -EEXIST);
    assert_int_equal(call(NR_write, 0, put_text(BUFFER, "some text"), 9, 0, 0), 9);
    assert_int_equal(call(NR_lseek, 0, 5, 0, 0, 0), 5);
    assert_int_equal(call(NR_read, 0, BUFFER + 16, 100, 0, 0), 4);
    assert_memory_equal(at(BUFFER + 16), "text", 4);
    assert_int_equal(call(NR_fstat, 0, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 48), 9);
    assert_int_equal((uint32_t)word(BUFFER + 16), S_IFREG | 0644);
    assert_int_equal(call(NR_close, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_read, 0, BUFFER, 1, 0, 0), -EBADF);
    assert_int_equal(call(NR_unlinkat, (uint64_t)AT_CWD, put_text(BUFFER, "file"), 0, 0, 0), 0);
    assert_int_equal(open_guest("file", 0), -ENOENT);
}

static void bad_pointers_are_efault_and_change_nothing(void **state)
{
    uint64_t limit = DATA + 0x2000;     /* the last mapped byte is before 0x15000 */

    (void)state;
    assert_int_equal(open_guest("/dev/zero", 0), 0);
    assert_int_equal(call(NR_read, 0, 0, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, TEXT, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, UINT64_MAX - 3, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, (limit | 0xfff) - 7, 100, 0, 0), 8);
    assert_int_equal(call(NR_openat, (uint64_t)AT_CWD, 8, 0, 0, 0), -EFAULT);
    assert_int_equal(call(NR_uname, TEXT, 0, 0, 0, 0), -EFAULT);
    assert_int_equal(call(NR_writev, 0, 8, 1, 0, 0), -EFAULT);
}

static void a_large_transfer_goes_through_in_chunks(void **state)
{
    uint64_t va = (uint64_t)call(NR_mmap, 0, 1 << 20, 3, 0x22, UINT64_MAX);
    uint32_t i;

    (void)state;
    for (i = 0; i < 1 << 20; i += PAGE) {
        *(uint32_t *)at(va + i) = i;
    }
    assert_int_equal(open_guest("large", 02 | 0100), 0);
    assert_int_equal(call(NR_write, 0, va + 4, (1 << 20) - 4, 0, 0), (1 << 20) - 4);
    assert_int_equal(call(NR_lseek, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_read, 0, va, 2 << 20, 0, 0), (1 << 20) - 4);
    for (i = PAGE; i < 1 << 20; i += PAGE) {
        assert_int_equal(*(uint32_t *)at(va + i - 4), i);
    }
}

static void a_directory_is_read_in_order(void **state)
{
    int64_t bytes;

    (void)state;
    assert_int_equal(call(NR_mkdirat, (uint64_t)AT_CWD, put_text(BUFFER, "dir"), 0755, 0, 0), 0);
    assert_int_equal(open_guest("dir/b", 0101), 0);
    assert_int_equal(open_guest("dir/a", 0101), 1);
    assert_int_equal(open_guest("dir", 0200000), 2);
    bytes = call(NR_getdents64, 2, BUFFER, 1024, 0, 0);
    assert_int_equal(bytes, 4 * 24);
    assert_string_equal((char *)at(BUFFER) + 19, ".");
    assert_string_equal((char *)at(BUFFER) + 48 + 19, "a");
    assert_string_equal((char *)at(BUFFER) + 72 + 19, "b");
    assert_int_equal(((uint8_t *)at(BUFFER))[72 + 18], 8);
    assert_int_equal(call(NR_getdents64, 2, BUFFER, 1024, 0, 0), 0);
    assert_int_equal(call(NR_lseek, 2, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_getdents64, 2, BUFFER, 50, 0, 0), 48);
    assert_int_equal(call(NR_getdents64, 0, BUFFER, 1024, 0, 0), -ENOTDIR);
}

static void special_files_can_be_used_but_not_changed(void **state)
{
    uint64_t first;

    (void)state;
    assert_int_equal(open_guest("/dev/urandom", 0), 0);
    assert_int_equal(call(NR_read, 0, BUFFER, 8, 0, 0), 8);
    first = word(BUFFER);
    assert_int_equal(call(NR_read, 0, BUFFER, 8, 0, 0), 8);
    assert_int_not_equal(first, word(BUFFER));
    assert_int_equal(call(NR_unlinkat, (uint64_t)AT_CWD, put_text(BUFFER, "/dev/null"), 0, 0, 0),
                     -EPERM);
    assert_int_equal(access("/dev/null", F_OK), 0);
    assert_int_equal(call(NR_getcwd, BUFFER, 64, 0, 0, 0), 2);
    assert_string_equal(at(BUFFER), "/");
}

static void random_numbers_follow_the_seed(void **state)
{
    uint64_t first[2];
    struct diag diag;

    (void)state;
    assert_int_equal(call(NR_getrandom, BUFFER, 16, 0, 0, 0), 16);
    memcpy(first, at(BUFFER), sizeof first);
    process_free(process);
    assert_int_equal(start(0, &diag), ERR_OK);
    assert_int_equal(call(NR_getrandom, BUFFER, 16, 0, 0, 0), 16);
    assert_memory_equal(first, at(BUFFER), sizeof first);
}

static void sleeping_advances_guest_time(void **state)
{
    static const uint64_t nap[2] = {3, 500000000};

    (void)state;
    now_ns = 250;
    assert_int_equal(call(NR_clock_gettime, 1, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 8), 250);
    memcpy(at(BUFFER), nap, sizeof nap);
    assert_int_equal(call(NR_nanosleep, BUFFER, 0, 0, 0, 0), 0);
    assert_int_equal(process_take_sleep_ns(process), 3500000000);
    assert_int_equal(process_take_sleep_ns(process), 0);
    now_ns += 3500000000;
    assert_int_equal(call(NR_clock_gettime, 0, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER), PROCESS_EPOCH_SECONDS + 3);
    assert_int_equal(word(BUFFER + 8), 500000250);
    assert_int_equal(call(NR_clock_gettime, 2, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER), 0);
    assert_int_equal(call(NR_clock_gettime, 77, BUFFER, 0, 0, 0), -EINVAL);
}

static void waiting_for_ever_ends_the_program(void **state)
{
    struct diag diag;

    (void)state;
    call(NR_ppoll, 0, 0, 0, 0, 0);
    assert_non_null(strstr(process_text(process), "waits for ever"));
    process_free(process);
    assert_int_equal(start(0, &diag), ERR_OK);
    assert_int_equal(call(NR_futex, BUFFER, 0, 1, 0, 0), -EAGAIN);
    assert_int_equal(call(NR_futex, BUFFER, 1, 1, 0, 0), 0);
    call(NR_futex, BUFFER, 128, 0, 0, 0);
    assert_int_equal(process_signal(process), 9);
    assert_non_null(strstr(process_text(process), "waits for ever"));
}

static void a_signal_to_itself_has_its_default_action(void **state)
{
    uint64_t ignore[3] = {1, 0, 0}, mask = UINT64_C(1) << 14;

    (void)state;
    assert_int_equal(call(NR_kill, 1000, 17, 0, 0, 0), 0);
    assert_int_equal(call(NR_kill, 4711, 15, 0, 0, 0), -ESRCH);
    assert_int_equal(call(NR_kill, 1000, 65, 0, 0, 0), -EINVAL);
    memcpy(at(BUFFER), ignore, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 10, BUFFER, 0, 8, 0), 0);
    assert_int_equal(call(NR_kill, 1000, 10, 0, 0, 0), 0);
    assert_int_equal(call(NR_sigaction, 9, BUFFER, 0, 8, 0), -EINVAL);
    memcpy(at(BUFFER), &mask, sizeof mask);
    assert_int_equal(call(NR_sigprocmask, 0, BUFFER, BUFFER + 8, 8, 0), 0);
    assert_int_equal(call(NR_kill, 1000, 15, 0, 0, 0), 0);
    assert_int_equal(process_signal(process), 0);
    call(NR_sigprocmask, 1, BUFFER, 0, 8, 0);
    assert_int_equal(process_signal(process), 15);
}

static void a_broken_pipe_kills_unless_ignored(void **state)
{
    uint64_t ignore[3] = {1, 0, 0};
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);

    (void)state;
    assert_int_equal(call(NR_pipe2, BUFFER, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_write, 1, BUFFER, 5, 0, 0), 5);
    assert_int_equal(call(NR_close, 0, 0, 0, 0, 0), 0);
    memcpy(at(BUFFER), ignore, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 13, BUFFER, 0, 8, 0), 0);
    assert_int_equal(call(NR_write, 1, BUFFER, 5, 0, 0), -EPIPE);
    memset(at(BUFFER), 0, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 13, BUFFER, 0, 8, 0), 0);
    call(NR_write, 1, BUFFER, 5, 0, 0);
    assert_int_equal(process_signal(process), 13);
    signal(SIGPIPE, old);
}

static void the_probe_names_what_the_decoder_knows(void **state)
{
    static const uint64_t pairs[4] = {3, 0, 99, 7};
    struct insn insn;

    (void)state;
    memcpy(at(BUFFER), pairs, sizeof pairs);
    assert_int_equal(call(NR_hwprobe, BUFFER, 2, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 8), 1);
    assert_int_equal(word(BUFFER + 16), UINT64_MAX);
    *(uint64_t *)at(BUFFER) = 4;
    assert_int_equal(call(NR_hwprobe, BUFFER, 1, 0, 0, 0), 0);
    insn_decode(&insn, 0x20b52533);
    assert_int_equal(word(BUFFER + 8) >> 3 & 1, insn.op == OP_sh1add);
    assert_int_equal(word(BUFFER + 8) & 3, 3);
}

static void flushing_the_instruction_cache_is_passed_on(void **state)
{
    (void)state;
    assert_int_equal(call(NR_flush_icache, 0, 0, 0, 0, 0), 0);
    assert_int_equal(process_take_effects(process), PROCESS_EFFECT_CODE);
}

/* Any call with any arguments returns or ends the program; nothing else. */
static void calls_survive_nonsense(void **state)
{
    uint64_t values[6] = {0, 1, BUFFER, UINT64_MAX, TEXT, 0x7fffffff}, seed = 1;
    struct diag diag;
    unsigned round;

    (void)state;
    for (round = 0; round < 60000; round++) {
        uint64_t number, a[5], pa;
        int i;

        for (i = 0; i < 5; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            a[i] = seed >> 61 < 6 ? values[seed >> 61] : seed >> 40 & 0xffff;
        }
        number = (seed >> 20) % 460;
        if (number == NR_pipe2 || number == 71 || number == 285) {
            continue;       /* may wait for ever on a pipe, or copy gigabytes of zeros */
        }
        if (process_translate(process, BUFFER, &pa)) {
            put_text(BUFFER, "/dev/zero");
        }
        call(number, a[0], a[1], a[2], a[3], a[4]);
        if (process_trap(process, &cpu) != PROCESS_CONTINUE) {
            process_free(process);
            assert_int_equal(start(0, &diag), ERR_OK);
        }
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_call_sets_a0_and_steps_over_the_ecall),
        CASE(exit_ends_with_the_low_byte),
        CASE(unknown_calls_get_enosys_and_one_note_each),
        CASE(calls_that_the_guest_kernel_serves_are_those_of_its_table),
        CASE(a_note_names_the_option_that_serves_a_call),
        CASE(the_break_moves_and_gives_memory_back),
        CASE(mappings_are_made_changed_and_removed),
        CASE(files_are_written_read_and_described),
        CASE(bad_pointers_are_efault_and_change_nothing),
        CASE(a_large_transfer_goes_through_in_chunks),
        CASE(a_directory_is_read_in_order),
        CASE(special_files_can_be_used_but_not_changed),
        CASE(random_numbers_follow_the_seed),
        CASE(sleeping_advances_guest_time),
        CASE(waiting_for_ever_ends_the_program),
        CASE(a_signal_to_itself_has_its_default_action),
        CASE(a_broken_pipe_kills_unless_ignored),
        CASE(the_probe_names_what_the_decoder_knows),
        CASE(flushing_the_instruction_cache_is_passed_on),
        CASE(calls_survive_nonsense),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
