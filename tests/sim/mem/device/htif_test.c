/* How a guest talks to the host and ends the run: HTIF and the finisher. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/mem/device/board.h"

#define TOHOST (PHYS_RAM_BASE + 0x1080)
#define FROMHOST (PHYS_RAM_BASE + 0x1040)
#define BLOCK (PHYS_RAM_BASE + 0x2000)

static void an_odd_word_in_tohost_ends_the_run(void **state)
{
    struct machine *m = *state;
    put(m, TOHOST, 8, 5);                       /* data of the program, before the host listens */
    assert_true(devices_set_htif(&m->devices, TOHOST, FROMHOST));
    put(m, TOHOST + 8, 8, 3);
    put(m, TOHOST - 8, 8, 3);
    assert_false(m->devices.exit.requested || m->phys.event);
    put(m, TOHOST, 8, 0);
    assert_false(m->devices.exit.requested || m->phys.event);
    put(m, TOHOST, 4, 42 << 1 | 1);
    assert_true(m->devices.exit.requested && m->phys.event);
    assert_int_equal(m->devices.exit.code, 42);
}

static void the_write_call_prints_and_answers(void **state)
{
    struct machine *m = *state;
    devices_set_htif(&m->devices, TOHOST, FROMHOST);
    phys_copy_in(&m->phys, PHYS_RAM_BASE + 0x3000, "hello", 5);
    for (uint64_t fd = 1; fd <= 3; fd++) {
        const uint64_t call[8] = {64, fd, PHYS_RAM_BASE + 0x3000, 5};
        phys_copy_in(&m->phys, BLOCK, call, sizeof call);
        put(m, FROMHOST, 8, 0);
        put(m, TOHOST, 8, BLOCK);
        assert_int_equal(get(m, BLOCK, 8), fd == 3 ? (uint64_t)-9 : 5);
        assert_int_equal(get(m, TOHOST, 8), 0);
        assert_int_equal(get(m, FROMHOST, 8), 1);
    }
    assert_printed(m->console.out, "hello");
    assert_printed(m->console.err, "hello");
}

static void calls_with_bad_arguments_fail_and_harm_nothing(void **state)
{
    struct machine *m = *state;
    devices_set_htif(&m->devices, TOHOST, FROMHOST);
    const uint64_t bad[][4] = {
        {64, 1, 0x1000, 5},
        {64, 1, PHYS_RAM_BASE + (1 << 20) - 4, 5},
        {64, 1, PHYS_RAM_BASE, UINT64_MAX},
        {9999, 0, 0, 0},
    };
    for (unsigned i = 0; i < 4; i++) {
        phys_copy_in(&m->phys, BLOCK, bad[i], sizeof bad[i]);
        put(m, TOHOST, 8, BLOCK);
        assert_int_equal(get(m, BLOCK, 8), i == 3 ? (uint64_t)-38 : (uint64_t)-14);
    }
    put(m, TOHOST, 8, 0x1000);      /* no block there */
    assert_int_equal(get(m, TOHOST, 8), 0);
    assert_false(m->devices.exit.requested);
    assert_printed(m->console.out, "");
}

static void the_exit_call_carries_its_code(void **state)
{
    struct machine *m = *state;
    const uint64_t call[8] = {93, 7};
    devices_set_htif(&m->devices, TOHOST, 0);
    phys_copy_in(&m->phys, BLOCK, call, sizeof call);
    put(m, TOHOST, 8, BLOCK);
    assert_true(m->devices.exit.requested);
    assert_int_equal(m->devices.exit.code, 7);
}

static void the_htif_console_writes_and_reads_characters(void **state)
{
    struct machine *m = *state;
    devices_set_htif(&m->devices, TOHOST, FROMHOST);
    put(m, TOHOST, 8, UINT64_C(0x0101) << 48 | 'A');
    assert_int_equal(get(m, TOHOST, 8), 0);
    assert_printed(m->console.out, "A");
    put(m, TOHOST, 8, UINT64_C(0x0100) << 48);
    assert_int_equal(get(m, FROMHOST, 8), 0);           /* nothing was typed yet */
    type(m, "k");
    devices_tick(&m->devices, DIVIDER);
    assert_int_equal(get(m, FROMHOST, 8), UINT64_C(0x0100) << 48 | 0x100 | 'k');
    type(m, "x");                               /* no request waits for this one */
    devices_tick(&m->devices, 20000 * DIVIDER);
    assert_int_equal(get(m, FROMHOST, 8), UINT64_C(0x0100) << 48 | 0x100 | 'k');
}

static void a_command_of_two_words_is_taken_with_the_low_one(void **state)
{
    struct machine *m = *state;
    devices_set_htif(&m->devices, TOHOST, FROMHOST);
    put(m, TOHOST + 4, 4, 0x01010000);
    assert_printed(m->console.out, "");
    put(m, TOHOST, 4, 'B');
    assert_printed(m->console.out, "B");
    assert_int_equal(get(m, TOHOST, 8), 0);
    put(m, TOHOST, 4, 3 << 1 | 1);              /* zero is above it already */
    assert_true(m->devices.exit.requested);
    assert_int_equal(m->devices.exit.code, 3);
    put(m, TOHOST + 4, 4, 0);
    assert_int_equal(m->devices.exit.code, 3);
}

static void htif_words_must_lie_in_memory(void **state)
{
    struct machine *m = *state;
    assert_false(devices_set_htif(&m->devices, 0x1000, 0));
    assert_false(devices_set_htif(&m->devices, TOHOST, 0x1000));
    assert_null(m->phys.htif);
}

static void the_finisher_ends_the_run(void **state)
{
    struct machine *m = *state;
    put(m, FINISHER_BASE, 4, 0x1234);
    assert_false(m->devices.exit.requested);
    put(m, FINISHER_BASE, 4, 5 << 16 | 0x3333);
    assert_true(m->devices.exit.requested && m->phys.event);
    assert_int_equal(m->devices.exit.code, 5);
    put(m, FINISHER_BASE, 4, 0x5555);
    assert_int_equal(m->devices.exit.code, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_odd_word_in_tohost_ends_the_run),
        TEST(the_write_call_prints_and_answers),
        TEST(calls_with_bad_arguments_fail_and_harm_nothing),
        TEST(the_exit_call_carries_its_code),
        TEST(the_htif_console_writes_and_reads_characters),
        TEST(a_command_of_two_words_is_taken_with_the_low_one),
        TEST(htif_words_must_lie_in_memory),
        TEST(the_finisher_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
