/* A store of the in-order back end that is tried again (c906.store_again), to the cycle: what
 * 100 rounds cost. */
#include "tests/sim/core/rig.h"

enum { ROUNDS = 100, LENGTH = 3 };

static uint64_t warm_cycles_in_order(const uint32_t *body, const char *setting)
{
    return warm_cycles(SETTINGS("core.kind=in_order", "dispatch.width=1", setting), body, LENGTH);
}

/* Two stores to one word, in cycles 0 and 1, and an instruction that would issue in 2. */
static void a_load_right_after_keeps_the_store_buffer_from_the_cache(void **state)
{
    (void)state;
    const uint32_t writes[] = {store(6, 9, 0), store(6, 9, 0), store(6, 9, 64)};
    const uint32_t reads[] = {store(6, 9, 0), store(6, 9, 0), load(7, 9, 64)};
    assert_int_equal(warm_cycles_in_order(writes, "c906.store_again=0"), ROUNDS * 5);
    assert_int_equal(warm_cycles_in_order(writes, "c906.store_again=2"), ROUNDS * 7);
    assert_int_equal(warm_cycles_in_order(reads, "c906.store_again=0"), ROUNDS * 5);
    assert_int_equal(warm_cycles_in_order(reads, "c906.store_again=2"), ROUNDS * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_right_after_keeps_the_store_buffer_from_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
