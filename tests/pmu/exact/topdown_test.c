/* The top-down tree: its shape, and its sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "pmu/exact/topdown.h"

static unsigned leaves_of(unsigned event)
{
    unsigned leaves = 0;

    for (unsigned node = 0; node < TOPDOWN_COUNT; node++)
        leaves += topdown_row(node).event == event;
    return leaves;
}

static void parents_come_before_children_and_only_the_root_has_none(void **state)
{
    (void)state;
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        struct topdown_row row = topdown_row(node);

        assert_true(node == TOPDOWN_SLOTS ? row.parent == node : row.parent < node);
        assert_int_equal(topdown_row(row.parent).event, EVENT_NONE);
        assert_int_equal(row.depth, node == TOPDOWN_SLOTS ? 0 : topdown_row(row.parent).depth + 1);
    }
}

static void every_lost_event_is_exactly_one_leaf(void **state)
{
    (void)state;
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        if (event_scope(code) == SCOPE_LOST)
            assert_int_equal(leaves_of(code), 1);
    assert_int_equal(leaves_of(EVENT_SLOTS_RETIRING), 1);
    assert_int_equal(leaves_of(EVENT_SLOTS_SERIAL), 1);
    assert_int_equal(leaves_of(EVENT_SLOTS_IDLE), 1);
}

static void an_inner_node_is_the_sum_of_its_children(void **state)
{
    (void)state;
    uint64_t events[EVENT_COUNT] = {0}, slots[TOPDOWN_COUNT], children[TOPDOWN_COUNT] = {0};

    for (unsigned code = 1; code < EVENT_COUNT; code++)
        events[code] = code * UINT64_C(1000003) % 4999;
    topdown_sum(events, slots);
    for (unsigned node = 1; node < TOPDOWN_COUNT; node++)
        children[topdown_row(node).parent] += slots[node];
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++) {
        unsigned event = topdown_row(node).event;

        assert_int_equal(slots[node], event != EVENT_NONE ? events[event] : children[node]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_before_children_and_only_the_root_has_none),
        cmocka_unit_test(every_lost_event_is_exactly_one_leaf),
        cmocka_unit_test(an_inner_node_is_the_sum_of_its_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
