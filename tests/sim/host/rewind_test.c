/* Older copies are farther apart: a way back costs about as much as it is long, however long the
 * run was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/host/rewind.h"

enum { EVERY = 1 << 18 };

/* As rewind_mark, but without a process. */
static void leave(struct rewind *rewind, uint64_t position)
{
    struct rewind_copy *copy = NULL;

    for (unsigned i = 0; i < REWIND_COPIES && copy == NULL; i++)
        if (!rewind->copy[i].is_used)
            copy = &rewind->copy[i];
    if (copy == NULL)
        copy = rewind_least(rewind, position);
    assert_non_null(copy);
    copy->is_used = true;
    copy->position = position;
}

/* The longest way from a copy to a place that lies `back` before now. */
static uint64_t cost(struct rewind *rewind, uint64_t now, uint64_t back)
{
    const struct rewind_copy *copy = rewind_before(rewind, now - back + 1);

    assert_non_null(copy);
    return now - back - copy->position;
}

static void a_way_back_is_repaid_by_its_length(void **state)
{
    struct rewind rewind = {.keeper = 0};

    (void)state;
    for (uint64_t now = 0; now < UINT64_C(6000) * EVERY; now += EVERY) {
        leave(&rewind, now);
        for (uint64_t back = 1; back <= now; back += back / 8 + 1)
            assert_true(cost(&rewind, now, back) <= EVERY + back);
    }
}

static void the_copy_of_the_start_is_kept(void **state)
{
    struct rewind rewind = {.keeper = 0};

    (void)state;
    for (uint64_t now = 0; now < UINT64_C(1000) * EVERY; now += EVERY)
        leave(&rewind, now);
    assert_int_equal(rewind_before(&rewind, 1)->position, 0);
}

/* Copies that are made near a place far back, while the user looks around there, do not make the
 * way there longer. */
static void looking_around_far_back_leaves_the_rest(void **state)
{
    struct rewind rewind = {.keeper = 0};
    uint64_t end = UINT64_C(2000) * EVERY;

    (void)state;
    for (uint64_t now = 0; now <= end; now += EVERY)
        leave(&rewind, now);
    for (uint64_t now = end / 2; now < end / 2 + 100; now++)
        leave(&rewind, now);
    assert_true(cost(&rewind, end, 1) <= end / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_back_is_repaid_by_its_length),
        cmocka_unit_test(the_copy_of_the_start_is_kept),
        cmocka_unit_test(looking_around_far_back_leaves_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
