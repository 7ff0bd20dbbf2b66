/* Schemes beside the oracle: the bounds of basic blocks, and the size of the errors. */
#include "tests/prof/made.h"

#include "prof/compare/compare.h"

static struct diag diag;

enum { HERE = MADE_AT(MAIN, 0), BLOCKMATE = MADE_AT(MAIN, 4), BEHIND_CALL = MADE_AT(MAIN, 20),
       ELSEWHERE = MADE_AT(SORT, 0) };

struct made {
    struct profile_cost cost[8];
    struct profile profile;
    struct schemes *schemes;
    struct symbols *symbols;
    struct compare compare;
    uint64_t cycle;
};

static struct made begin(void)
{
    const struct scheme_settings settings = {.period = 1, .transfers = 8};

    return (struct made){.schemes = schemes_new(&settings), .symbols = made_symbols(), .cycle = 1};
}

/* The truth: cycles and commits, in order of address. */
static void truth(struct made *made, uint64_t address, uint64_t cycles, uint64_t count)
{
    made->cost[made->profile.costs++] = (struct profile_cost){
        .address = address, .units = cycles * SCHEME_UNITS, .count = count};
}

/* A scheme that samples sees the instruction commit in that many cycles. */
static void seen(struct made *made, uint64_t address, unsigned cycles)
{
    const struct scheme_insn insn = {.place = address, .next_pc = address};

    for (unsigned i = 0; i < cycles; i++)
        schemes_cycle(made->schemes,
                      &(struct scheme_cycle){made->cycle++, 1, &insn, 1, NULL, false, 0});
}

static void finish(struct made *made)
{
    const struct schemes *all[1] = {made->schemes};

    made->profile.cost = made->cost;
    assert_int_equal(compare_make(&made->compare, &made->profile, all, 1, made->symbols, &diag),
                     ERR_OK);
}

static void end(struct made *made)
{
    compare_free(&made->compare);
    schemes_free(made->schemes);
    symbols_free(made->symbols);
}

#define assert_errors(made, insn, block, function)                                          \
    do {                                                                                    \
        const double *error = (made).compare.error[SCHEME_TIP];                             \
        assert_float_equal(error[COMPARE_INSN], insn, 1e-12);                               \
        assert_float_equal(error[COMPARE_BLOCK], block, 1e-12);                             \
        assert_float_equal(error[COMPARE_FUNCTION], function, 1e-12);                       \
    } while (0)

static void the_truth_has_no_error(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 30, 5);
    truth(&made, ELSEWHERE, 10, 5);
    seen(&made, HERE, 3);
    seen(&made, ELSEWHERE, 1);
    finish(&made);
    assert_errors(made, 0, 0, 0);
    assert_int_equal(made.compare.due, 4);
    assert_int_equal(made.compare.taken[SCHEME_TIP], 4);
    end(&made);
}

static void an_error_within_a_block_is_one_of_instructions_only(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 6, 5);
    truth(&made, BLOCKMATE, 4, 5);
    seen(&made, HERE, 1);
    seen(&made, BLOCKMATE, 9);
    finish(&made);
    assert_errors(made, 0.5, 0, 0);
    end(&made);
}

static void an_error_across_a_gap_is_one_of_blocks(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 10, 5);
    truth(&made, BEHIND_CALL, 0, 5);
    seen(&made, BEHIND_CALL, 4);
    finish(&made);
    assert_errors(made, 1, 1, 0);
    end(&made);
}

static void another_count_begins_another_block(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 1, 5);
    truth(&made, BLOCKMATE, 3, 6);
    seen(&made, HERE, 4);
    finish(&made);
    assert_errors(made, 0.75, 0.75, 0);
    end(&made);
}

/* The call of main jumps to itself. */
static void a_transfer_ends_a_block_and_its_target_begins_one(void **state)
{
    (void)state;
    struct made made = begin();
    uint64_t call = MADE_AT(MAIN, MADE_CALL);

    truth(&made, call - 4, 1, 5);
    truth(&made, call, 1, 5);
    truth(&made, call + 4, 1, 5);
    finish(&made);
    assert_int_equal(made.compare.row[0].group[COMPARE_BLOCK], 0);
    assert_int_equal(made.compare.row[1].group[COMPARE_BLOCK], 1);
    assert_int_equal(made.compare.row[2].group[COMPARE_BLOCK], 2);
    assert_int_equal(made.compare.row[2].group[COMPARE_FUNCTION], 0);
    end(&made);
}

static void time_charged_to_no_instruction_is_missed_by_all_levels(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 3, 5);
    made.profile.outside = 1 * SCHEME_UNITS;
    seen(&made, HERE, 4);
    finish(&made);
    assert_errors(made, 0.25, 0.25, 0.25);
    end(&made);
}

static void the_largest_errors_come_first(void **state)
{
    (void)state;
    struct made made = begin();
    const struct compare_row *worst[3];

    truth(&made, HERE, 50, 5);
    truth(&made, BLOCKMATE, 40, 5);
    truth(&made, BEHIND_CALL, 10, 5);
    seen(&made, HERE, 2);
    seen(&made, BLOCKMATE, 7);
    seen(&made, BEHIND_CALL, 1);
    finish(&made);
    assert_int_equal(compare_worst(&made.compare, SCHEME_TIP, 3, worst), 2);
    assert_int_equal(worst[0]->address, HERE);
    assert_int_equal(worst[1]->address, BLOCKMATE);
    assert_float_equal(compare_truth(&made.compare, worst[0]), 0.5, 1e-12);
    assert_float_equal(compare_share(&made.compare, worst[0], SCHEME_TIP), 0.2, 1e-12);
    assert_int_equal(compare_worst(&made.compare, SCHEME_TIP, 1, worst), 1);
    end(&made);
}

static void marked_instructions_count_executions(void **state)
{
    (void)state;
    struct made made = begin();

    truth(&made, HERE, 90, 2);
    truth(&made, BLOCKMATE, 10, 8);
    seen(&made, HERE, 1);
    seen(&made, BLOCKMATE, 4);
    finish(&made);
    assert_float_equal(made.compare.count_error, 0, 1e-12);
    assert_float_equal(made.compare.error[SCHEME_COUNTS][COMPARE_INSN], 0.7, 1e-12);
    end(&made);
}

/* The instructions between two transfers share the cycles that the records give. */
static void records_are_spread_over_what_ran_between_them(void **state)
{
    (void)state;
    struct made made = begin();
    struct scheme_insn body[2] = {{.place = HERE, .next_pc = BLOCKMATE},
                                  {.place = BLOCKMATE, .next_pc = HERE, .flags = SCHEME_TAKEN}};

    for (unsigned i = 0; i < 4; i++)
        schemes_cycle(made.schemes,
                      &(struct scheme_cycle){made.cycle++, 1, body, 2, NULL, false, 0});
    truth(&made, HERE, 1, 4);
    truth(&made, BLOCKMATE, 3, 4);
    finish(&made);
    assert_int_equal(made.compare.row[0].units[SCHEME_CTR],
                     made.compare.row[1].units[SCHEME_CTR]);
    assert_int_not_equal(made.compare.units[SCHEME_CTR], 0);
    assert_float_equal(made.compare.error[SCHEME_CTR][COMPARE_INSN], 0.25, 1e-12);
    end(&made);
}

static void harts_are_summed(void **state)
{
    (void)state;
    struct made made = begin(), other = begin();
    const struct schemes *all[2] = {made.schemes, other.schemes};

    truth(&made, HERE, 1, 4);
    truth(&made, ELSEWHERE, 1, 4);
    seen(&made, HERE, 5);
    seen(&other, ELSEWHERE, 5);
    made.profile.cost = made.cost;
    assert_int_equal(compare_make(&made.compare, &made.profile, all, 2, made.symbols, &diag),
                     ERR_OK);
    assert_errors(made, 0, 0, 0);
    assert_int_equal(made.compare.due, 10);
    assert_int_equal(made.compare.stacks, 2);
    assert_float_equal(made.compare.stack_error, 0, 1e-12);
    end(&other);
    end(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_has_no_error),
        cmocka_unit_test(an_error_within_a_block_is_one_of_instructions_only),
        cmocka_unit_test(an_error_across_a_gap_is_one_of_blocks),
        cmocka_unit_test(another_count_begins_another_block),
        cmocka_unit_test(a_transfer_ends_a_block_and_its_target_begins_one),
        cmocka_unit_test(time_charged_to_no_instruction_is_missed_by_all_levels),
        cmocka_unit_test(the_largest_errors_come_first),
        cmocka_unit_test(marked_instructions_count_executions),
        cmocka_unit_test(records_are_spread_over_what_ran_between_them),
        cmocka_unit_test(harts_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
