/* The permutation test against all permutations counted out, and its behaviour where nothing
 * differs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/api/api_compare.h"

enum { COSTS = 5 };

static struct api_row row_of(const unsigned *bucket, size_t count)
{
    struct api_row row = {.function = 0};

    for (size_t i = 0; i < count; i++)
        api_bucket_add(&row.bucket[bucket[i]], UINT64_C(1) << bucket[i]);
    return row;
}

/* A by its definition. */
static double effect_of(const unsigned *mine, size_t own, const unsigned *other, size_t others)
{
    double wins = 0;

    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j < others; j++)
            wins += mine[i] > other[j] ? 1 : mine[i] == other[j] ? 0.5 : 0;
    return wins / (double)(own * others);
}

/* The share of all ways to choose COSTS of 2 * COSTS whose A is at least that of the first ones. */
static double exact_p(const unsigned *both)
{
    double seen = effect_of(both, COSTS, both + COSTS, COSTS);
    unsigned reached = 0, all = 0;

    for (unsigned set = 0; set < 1u << 2 * COSTS; set++) {
        unsigned mine[COSTS], other[COSTS], own = 0, others = 0;

        if (__builtin_popcount(set) != COSTS)
            continue;
        for (unsigned i = 0; i < 2 * COSTS; i++) {
            if ((set >> i & 1) != 0)
                mine[own++] = both[i];
            else
                other[others++] = both[i];
        }
        all++;
        reached += effect_of(mine, COSTS, other, COSTS) >= seen - 1e-9;
    }
    return (double)reached / all;
}

static void p_is_that_of_all_permutations(void **state)
{
    static const unsigned costs[][2 * COSTS] = {
        {9, 9, 8, 8, 7, 3, 3, 4, 4, 5}, {3, 4, 5, 6, 7, 3, 4, 5, 6, 7},
        {5, 5, 6, 6, 6, 5, 5, 5, 5, 6}, {2, 9, 2, 9, 9, 2, 2, 2, 9, 2},
        {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        struct api_row mine = row_of(costs[i], COSTS), other = row_of(costs[i] + COSTS, COSTS);
        double exact = exact_p(costs[i]), sum = 0;

        assert_true(fabs(api_compare_effect(&mine, &other) -
                         effect_of(costs[i], COSTS, costs[i] + COSTS, COSTS)) < 1e-12);
        for (uint64_t seed = 0; seed < 8; seed++)
            sum += api_compare_p(&mine, &other, seed, 20000);
        assert_true(fabs(sum / 8 - exact) < 0.01 * exact + 0.005);
    }
}

/* If both are drawn from the same costs, p is below a level as often as the level says. */
static void p_is_fair_where_nothing_differs(void **state)
{
    unsigned below[3] = {0}, seed = 1;
    static const double level[3] = {0.05, 0.2, 0.5};
    const unsigned trials = 800;

    (void)state;
    for (unsigned trial = 0; trial < trials; trial++) {
        struct api_row mine = {.function = 0}, other = {.function = 0};
        double p;

        for (unsigned i = 0; i < 90; i++) {
            uint64_t cost;

            seed = seed * 1103515245u + 12345u;
            cost = UINT64_C(1) << (seed >> 16) % 12;
            api_bucket_add(&(i < 30 ? &mine : &other)->bucket[api_bucket_of(cost)], cost);
        }
        p = api_compare_p(&mine, &other, trial, 400);
        for (unsigned i = 0; i < 3; i++)
            below[i] += p <= level[i];
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(fabs(below[i] / (double)trials - level[i]) <
                    4 * sqrt(level[i] * (1 - level[i]) / trials) + 0.005);
}

static void charge(struct api *api, const char *function, unsigned calls, uint64_t cost)
{
    for (unsigned i = 0; i < calls; i++)
        assert_int_equal(api_charge(api, function, "cycles", cost + i % 7, NULL), ERR_OK);
}

static void only_a_change_for_the_worse_is_marked(void **state)
{
    struct api mine = {.table.rows = 0}, published = {.table.rows = 0};
    struct api_comparisons comparisons, again;
    unsigned worse = 0;

    (void)state;
    charge(&mine, "main;slow", 50, 4000);
    charge(&published, "main;slow", 500, 1000);
    charge(&mine, "main;same", 50, 1000);
    charge(&published, "main;same", 500, 1000);
    charge(&mine, "main;fast", 50, 100);
    charge(&published, "main;fast", 500, 1000);
    charge(&mine, "main;few", 1, 9000);
    charge(&published, "main;few", 3, 1000);
    charge(&mine, "main;mine", 9, 9000);
    assert_int_equal(api_compare(&comparisons, &mine, &published, 7, NULL), ERR_OK);
    for (size_t i = 0; i < comparisons.count; i++) {
        const struct api_comparison *one = &comparisons.one[i];
        const char *name = mine.table.function.text[one->mine->function];

        assert_true(strcmp(name, "mine") != 0);
        worse += one->is_worse;
        if (one->is_worse)
            assert_string_equal(name, "slow");
        assert_true(one->corrected >= one->p);
    }
    assert_int_equal(worse, 2);                 /* inclusive and exclusive */
    assert_int_equal(api_compare(&again, &mine, &published, 7, NULL), ERR_OK);
    for (size_t i = 0; i < comparisons.count; i++)
        assert_true(again.one[i].p == comparisons.one[i].p);
    api_comparisons_free(&again);
    api_comparisons_free(&comparisons);
    api_free(&mine);
    api_free(&published);
}

/* Millions of costs: as many as a service has. */
static void large_samples_are_compared(void **state)
{
    struct api_row mine = {.function = 0}, other = {.function = 0};

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        mine.bucket[i] = (struct api_bucket){1000000 + 1000 * i, 1, 1};
        other.bucket[i] = (struct api_bucket){UINT64_C(1000000000), 1, 1};
    }
    assert_true(api_compare_p(&mine, &other, 1, 150) < 0.01);
    assert_true(api_compare_effect(&mine, &other) > 0.5);
    assert_true(api_compare_p(&other, &mine, 1, 150) > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_is_that_of_all_permutations),
        cmocka_unit_test(p_is_fair_where_nothing_differs),
        cmocka_unit_test(only_a_change_for_the_worse_is_marked),
        cmocka_unit_test(large_samples_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
