/* Spike's log, taken apart by hart, and the set of memory that may differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/run/check/spike_log.h"
#include "sim/run/check/spike_taint.h"

static struct spike_log opened(const char *text, unsigned harts)
{
    struct spike_log log;
    FILE *file = tmpfile();

    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    assert_true(spike_log_init(&log, file, harts));
    return log;
}

static uint64_t next_pc(struct spike_log *log, unsigned hart)
{
    const struct spike_line *line = spike_log_peek(log, hart);
    uint64_t pc = line != NULL ? line->pc : 0;

    spike_log_take(log, hart);
    return pc;
}

static void harts_are_told_apart(void **state)
{
    (void)state;
    struct spike_log log = opened("warning: something\n"
                                  "core   0: 3 0x80000000 (0x0001)\n"
                                  "core   0: 0x80000002 (0x0001) c.nop\n"
                                  "core   1: 3 0x80000010 (0x0001)\n"
                                  "core   7: 3 0x80000070 (0x0001)\n"
                                  "core   1: 3 0x80000012 (0x0001)\n"
                                  "core   0: 3 0x80000002 (0x0001)\n",
                                  2);
    assert_int_equal(next_pc(&log, 1), 0x80000010);
    assert_int_equal(next_pc(&log, 0), 0x80000000);
    assert_int_equal(next_pc(&log, 0), 0x80000002);
    assert_int_equal(next_pc(&log, 1), 0x80000012);
    assert_null(spike_log_peek(&log, 1));
    assert_int_equal(log.end, SPIKE_ENDS);
    assert_null(spike_log_peek(&log, 0));
    assert_string_equal(log.says, "warning: something\n");
    spike_log_free(&log);
}

static void traps_carry_number_and_value(void **state)
{
    (void)state;
    struct spike_log log =
        opened("core   0: exception interrupt #11, epc 0x0000000080000044\n"
               "core   0: exception trap_load_page_fault, epc 0x0000000080000048\n"
               "core   0:           tval 0x0000000000001230\n"
               "core   0: exception trap_illegal_instruction, epc 0x000000008000004c\n",
               1);
    const struct spike_line *line = spike_log_peek(&log, 0);
    assert_true(line->is_exception && line->is_interrupt);
    assert_int_equal(line->interrupt, 11);
    assert_int_equal(line->pc, 0x80000044);
    spike_log_take(&log, 0);
    line = spike_log_peek(&log, 0);
    assert_true(line->is_exception && line->is_page_fault && !line->is_interrupt);
    assert_int_equal(line->tval, 0x1230);
    spike_log_take(&log, 0);
    line = spike_log_peek(&log, 0);
    assert_true(line->is_exception && !line->is_page_fault);
    assert_string_equal(line->trap, "trap_illegal_instruction");
    assert_int_equal(line->pc, 0x8000004c);
    spike_log_free(&log);
}

static void a_hart_can_be_too_far_ahead(void **state)
{
    (void)state;
    enum { LINES = (1 << 17) + 1 };
    struct spike_log log;
    FILE *file = tmpfile();

    assert_non_null(file);
    for (unsigned i = 0; i < LINES; i++)
        fprintf(file, "core   0: 3 0x%08x (0x0001)\n", 0x80000000 + 2 * i);
    fputs("core   1: 3 0x90000000 (0x0001)\n", file);
    rewind(file);
    assert_true(spike_log_init(&log, file, 2));
    assert_null(spike_log_peek(&log, 1));
    assert_int_equal(log.end, SPIKE_FAR_AHEAD);
    for (unsigned i = 0; i < LINES - 1; i++)                /* all lines, in order */
        assert_int_equal(next_pc(&log, 0), 0x80000000 + 2 * i);
    assert_null(spike_log_peek(&log, 0));
    spike_log_free(&log);
}

static void any_text_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "core", "core:", "core   0:", "core   0: ", "core   0: 3", "core   0: 3 0x",
        "core   0: 3 0x1 (",
        "core   0: 3 0x1 (0x) x", "core   0: exception", "core   0: exception , epc 0x",
        "core   0: exception page_fault, epc 0x1", "core 99999999999: 3 0x1 (0x1)\n",
        "core   0: 3 0x1 (0x1) mem", "core   0: 3 0x1 (0x1) mem 0x1 mem\n",
        "core   0: 3 0x1 (0x1) c",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct spike_log log = opened(texts[i], 1);
        while (spike_log_peek(&log, 0) != NULL)
            spike_log_take(&log, 0);
        spike_log_free(&log);
    }
}

static void doublewords_are_remembered_until_they_are_removed(void **state)
{
    (void)state;
    struct spike_taint taint;
    assert_true(spike_taint_init(&taint));
    assert_true(spike_taint_add(&taint, 0x1004, 8));        /* two of them */
    assert_true(spike_taint_meets(&taint, 0x1000, 1));
    assert_true(spike_taint_meets(&taint, 0x100f, 1));
    assert_true(spike_taint_meets(&taint, 0xffd, 4));
    assert_false(spike_taint_meets(&taint, 0xff8, 8));
    assert_false(spike_taint_meets(&taint, 0x1010, 8));
    spike_taint_remove(&taint, 0x1000);
    assert_false(spike_taint_meets(&taint, 0x1000, 8));
    assert_true(spike_taint_meets(&taint, 0x1008, 8));
    assert_int_equal(taint.used, 1);
    spike_taint_free(&taint);
}

static void the_tainted_set_has_a_limit(void **state)
{
    (void)state;
    struct spike_taint taint;
    uint64_t va = 0;
    assert_true(spike_taint_init(&taint));
    while (spike_taint_add(&taint, va, 8))
        va += 8;
    assert_int_equal(va / 8, 1 << 15);
    for (uint64_t at = 0; at < va; at += 16)                /* every second goes, the others stay */
        spike_taint_remove(&taint, at);
    for (uint64_t at = 0; at < va; at += 8)
        assert_int_equal(spike_taint_meets(&taint, at, 8), at % 16 != 0);
    spike_taint_free(&taint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harts_are_told_apart),
        cmocka_unit_test(traps_carry_number_and_value),
        cmocka_unit_test(a_hart_can_be_too_far_ahead),
        cmocka_unit_test(any_text_is_read),
        cmocka_unit_test(doublewords_are_remembered_until_they_are_removed),
        cmocka_unit_test(the_tainted_set_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
