/* The profiling schemes, fed by hand: records of control transfers, and when samples come. */
#include "tests/pmu/scheme/scheme_feed.h"

/* ---- control-transfer records ---------------------------------------------------------------- */

/* A loop of four instructions, `cycles` each round. */
static void loop(struct feed *feed, unsigned rounds, uint64_t cycles)
{
    struct scheme_insn body[4] = {insn_at(I1), insn_at(I2), insn_at(I3), insn_at(I4)};

    body[3].next_pc = I1;
    body[3].flags = SCHEME_TAKEN;
    for (unsigned i = 0; i < rounds; i++) {
        wait_for(feed, cycles - 1, &body[0]);
        commit(feed, body, 4);
    }
}

static void records_say_what_ran_between_transfers(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 100, .transfers = 4});

    loop(&feed, 19, 5);                 /* the last in cycle 95; the interrupt comes in 100 */
    loop(&feed, 1, 5);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_CTR), 1);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_COUNT), 3);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_CYCLES), 15);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_UNITS), ALL);
    schemes_free(feed.schemes);
}

static void a_trap_is_a_transfer(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 100, .transfers = 4});
    struct scheme_insn fault = insn_at(I3), back = insn_at(I5 + 4);

    back.next_pc = I3;
    back.flags = SCHEME_TAKEN | SCHEME_SERIAL;
    loop(&feed, 2, 5);
    commit_pair(&feed, insn_at(I1), insn_at(I2));
    schemes_flush(feed.schemes, &fault);
    wait_for(&feed, 8, NULL);
    commit_one(&feed, insn_at(I5));
    commit_one(&feed, back);
    wait_for(&feed, 100, NULL);
    commit_one(&feed, fault);
    assert_int_equal(segment(&feed, I1, I2, SCHEME_SEGMENT_CYCLES), 10);
    assert_int_equal(segment(&feed, I5, I5 + 4, SCHEME_SEGMENT_CYCLES), 1);
    assert_int_equal(segment(&feed, I1, I2, SCHEME_SEGMENT_UNITS), 525);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_UNITS), 262);
    assert_int_equal(segment(&feed, I5, I5 + 4, SCHEME_SEGMENT_UNITS), ALL - 525 - 262);
    schemes_free(feed.schemes);
}

static void long_times_lose_low_bits_as_ctrdata_does(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 30000, .transfers = 4});

    loop(&feed, 1, 5);
    loop(&feed, 1, 8191);
    loop(&feed, 1, 8193);
    loop(&feed, 1, 20000);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_COUNT), 2);
    assert_int_equal(segment(&feed, I1, I4, SCHEME_SEGMENT_CYCLES), 8191 + 8192);
    schemes_free(feed.schemes);
}

/* ---- when samples come ----------------------------------------------------------------------- */

static bool have_equal_rows(const struct scheme_table *a, const struct scheme_table *b)
{
    struct scheme_table copy = *b;
    const uint64_t *row;
    uint64_t key[2];
    size_t at = 0;

    if (a->used != b->used)
        return false;
    while ((row = scheme_table_next(a, &at, key)) != NULL)
        if (memcmp(scheme_table_at(&copy, key[0], key[1]), row, a->values * sizeof *row) != 0)
            return false;
    return true;
}

/* A program with every kind of cycle; `is_whole`: equal cycles come in one call. */
static struct feed ramble(uint64_t seed, bool is_whole)
{
    struct feed feed = begin((struct scheme_settings){
        .period = 7, .dither = 5, .seed = seed, .interrupt_cycles = 2, .transfers = 8});
    uint64_t random = 1, place = I1;

    for (unsigned i = 0; i < 3000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        struct scheme_insn insn = insn_at(place);
        uint64_t cycles = random >> 60, pieces = is_whole ? 1 : cycles;

        insn.id = i + 1;
        insn.decode_cycle = insn.dispatch_cycle = feed.cycle;
        insn.flags = (uint16_t)(random >> 50 & (SCHEME_FLUSHES | SCHEME_TAKEN | SCHEME_SERIAL));
        insn.next_pc = place = insn.flags & SCHEME_TAKEN ? I1 + 4 * (random >> 40 & 31) : place + 4;
        for (uint64_t n = 0; n < pieces && cycles != 0; n++)
            wait_for(&feed, cycles / pieces, random >> 55 & 1 ? &insn : NULL);
        if ((random >> 30 & 31) == 0) {
            schemes_flush(feed.schemes, random >> 29 & 1 ? &insn : NULL);
            continue;
        }
        feed.dispatched = insn.id + 1;
        commit_one(&feed, insn);
    }
    return feed;
}

static bool are_equal(const struct feed *a, const struct feed *b)
{
    for (unsigned id = 0; id < scheme_count(); id++)
        if (schemes_taken(a->schemes, id) != schemes_taken(b->schemes, id))
            return false;
    return schemes_due(a->schemes) == schemes_due(b->schemes) &&
           have_equal_rows(schemes_places(a->schemes), schemes_places(b->schemes)) &&
           have_equal_rows(schemes_stacks(a->schemes), schemes_stacks(b->schemes)) &&
           have_equal_rows(schemes_segments(a->schemes), schemes_segments(b->schemes));
}

static void cycles_in_one_call_are_as_one_by_one(void **state)
{
    (void)state;
    struct feed whole = ramble(1, true), single = ramble(1, false), other = ramble(2, true);

    assert_true(are_equal(&whole, &single));
    assert_false(are_equal(&whole, &other));
    assert_int_equal(schemes_due(whole.schemes), schemes_due(other.schemes));
    schemes_free(whole.schemes);
    schemes_free(single.schemes);
    schemes_free(other.schemes);
}

static void each_period_has_one_sample_wherever_it_falls(void **state)
{
    (void)state;
    for (uint64_t dither = 0; dither <= 10; dither += 5) {
        struct feed feed = begin((struct scheme_settings){
            .period = 10, .dither = dither, .seed = 3, .transfers = 4});

        for (unsigned period = 0; period < 500; period++) {
            wait_for(&feed, period == 0 ? 9 : 10, NULL);
            assert_int_equal(schemes_due(feed.schemes), period);
        }
        schemes_free(feed.schemes);
    }
}

static void samples_due_while_nobody_looked_are_not_taken(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 10, .transfers = 4});

    wait_for(&feed, 5, NULL);
    feed.cycle = 96;
    wait_for(&feed, 5, NULL);
    assert_int_equal(schemes_due(feed.schemes), 1);
    schemes_free(feed.schemes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_say_what_ran_between_transfers),
        cmocka_unit_test(a_trap_is_a_transfer),
        cmocka_unit_test(long_times_lose_low_bits_as_ctrdata_does),
        cmocka_unit_test(cycles_in_one_call_are_as_one_by_one),
        cmocka_unit_test(each_period_has_one_sample_wherever_it_falls),
        cmocka_unit_test(samples_due_while_nobody_looked_are_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
