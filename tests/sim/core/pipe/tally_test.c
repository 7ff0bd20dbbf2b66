/* Sets of events are counted as their events are one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/event.h"
#include "sim/core/pipe/tally.h"

enum { SETS = 1000 };

static void events_are_there_once_they_are_settled(void **state)
{
    (void)state;
    uint64_t events[EVENT_COUNT] = {0};
    struct core *core = calloc(1, sizeof *core);
    assert_non_null(core);
    core->events = events;
    tally_add(core, EVENT_BIT(LOADS) | EVENT_BIT(DCACHE_HIT));
    tally_add(core, EVENT_BIT(LOADS) | EVENT_BIT(DCACHE_MISS));
    tally_add(core, EVENT_BIT(LOADS) | EVENT_BIT(DCACHE_HIT));
    tally_add(core, 0);
    assert_int_equal(events[EVENT_LOADS], 0);
    tally_settle(core);
    assert_int_equal(events[EVENT_LOADS], 3);
    assert_int_equal(events[EVENT_DCACHE_HIT], 2);
    assert_int_equal(events[EVENT_DCACHE_MISS], 1);
    tally_settle(core);
    assert_int_equal(events[EVENT_LOADS], 3);
    assert_int_equal(events[EVENT_NONE], 0);
    free(core);
}

static void more_sets_than_places_count_the_same(void **state)
{
    (void)state;
    uint64_t events[EVENT_COUNT] = {0}, expected[EVENT_COUNT] = {0};
    struct core *core = calloc(1, sizeof *core);
    assert_non_null(core);
    core->events = events;
    for (uint64_t i = 0; i < 4 * SETS; i++) {
        uint64_t set = i % SETS * i % SETS << 1;
        for (unsigned event = 0; event < 64; event++)
            expected[event] += set >> event & 1;
        tally_add(core, set);
    }
    tally_settle(core);
    assert_memory_equal(events, expected, sizeof events);
    free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_there_once_they_are_settled),
        cmocka_unit_test(more_sets_than_places_count_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
