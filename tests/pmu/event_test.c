/* The event table: codes, scopes and names follow the rules that event.def states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"

struct row {
    unsigned code;
    const char *name;
    unsigned scope;
};

#define EVENT(id, number, text, in_scope, place, meaning) {number, text, SCOPE_##in_scope},
static const struct row rows[] = {
#include "pmu/event.def"
};
#undef EVENT

enum { ROWS = sizeof rows / sizeof rows[0] };

static void no_two_events_share_a_code_or_a_name(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ROWS; a++)
        for (unsigned b = a + 1; b < ROWS; b++) {
            assert_int_not_equal(rows[a].code, rows[b].code);
            assert_string_not_equal(rows[a].name, rows[b].name);
        }
}

static void codes_fit_the_selector_and_zero_counts_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++)
        assert_in_range(rows[i].code, 1, EVENT_COUNT - 1);
    assert_null(event_name(0));
    assert_null(event_name(EVENT_COUNT));
}

static void only_events_of_instructions_have_a_bit_in_the_mask(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++)
        assert_int_equal(rows[i].scope == SCOPE_INSN, rows[i].code < 64);
}

static void names_of_slots_and_cycles_tell_their_scope(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        assert_int_equal(rows[i].scope == SCOPE_SLOT, strncmp(rows[i].name, "slots_", 6) == 0);
        assert_int_equal(rows[i].scope == SCOPE_LOST, strncmp(rows[i].name, "lost_", 5) == 0);
        assert_int_equal(rows[i].scope == SCOPE_CPI, strncmp(rows[i].name, "cpi_", 4) == 0);
    }
}

static void lookups_agree_with_the_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        assert_string_equal(event_name(rows[i].code), rows[i].name);
        assert_int_equal(event_by_name(rows[i].name), rows[i].code);
        for (unsigned last = EVENT_NONE; last < EVENT_COUNT; last++)
            assert_int_equal(event_by_name_after(last, rows[i].name), rows[i].code);
        assert_int_equal(event_scope(rows[i].code), rows[i].scope);
        assert_true(strlen(event_meaning(rows[i].code)) > 0);
    }
    assert_int_equal(event_by_name("no_such_event"), EVENT_NONE);
    assert_int_equal(event_by_name_after(EVENT_COUNT - 1, "no_such_event"), EVENT_NONE);
    assert_int_equal(event_scope(0x3f), 0);
}

static void a_walk_meets_each_event_once_in_the_order_of_codes(void **state)
{
    unsigned code = EVENT_NONE, before = EVENT_NONE, met = 0;
    const char *name;
    (void)state;
    while ((name = event_next(&code)) != NULL) {
        assert_true(code > before);
        assert_string_equal(name, event_name(code));
        before = code;
        met++;
    }
    assert_int_equal(met, ROWS);
}

static void abi_codes_never_change(void **state)
{
    (void)state;
    assert_int_equal(EVENT_INSNS_RETIRED, 0x01);
    assert_int_equal(EVENT_BRANCHES_MISPREDICTED, 0x04);
    assert_int_equal(EVENT_DCACHE_MISS, 0x12);
    assert_int_equal(EVENT_CYCLES, 0x40);
    assert_int_equal(EVENT_SLOTS_RETIRING, 0x60);
    assert_int_equal(EVENT_META_BYTES, 0x94);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_events_share_a_code_or_a_name),
        cmocka_unit_test(codes_fit_the_selector_and_zero_counts_nothing),
        cmocka_unit_test(only_events_of_instructions_have_a_bit_in_the_mask),
        cmocka_unit_test(names_of_slots_and_cycles_tell_their_scope),
        cmocka_unit_test(lookups_agree_with_the_table),
        cmocka_unit_test(a_walk_meets_each_event_once_in_the_order_of_codes),
        cmocka_unit_test(abi_codes_never_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
