/* The units of CVA6, to the cycle (rounds.h). */
#include "tests/sim/core/inorder/rounds.h"

static void an_operation_may_use_a_result_of_its_cycle(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1),
                             addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1), addi(6, 6, 1)};
    assert_int_equal(CYCLES(body, 2), ROUNDS * 8);
    assert_int_equal(CYCLES(body, 2, "cva6.alu_bypass=true"), ROUNDS * 5);
}

static void results_that_come_together_need_write_ports(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(6, 11, 11), addi(7, 0, 1)};
    assert_int_equal(CYCLES(body, 1, "latency.mul=2"), ROUNDS * 4);
    assert_int_equal(CYCLES(body, 1, "latency.mul=2", "cva6.write_ports=1"), ROUNDS * 5);
    assert_int_equal(CYCLES(body, 1, "latency.mul=2", "cva6.write_ports=2"), ROUNDS * 4);
}

static void a_division_holds_instructions_without_a_port_of_their_own(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(6, 11, 11), load(7, 9, 0)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 12);
    assert_int_equal(CYCLES(body, 1, "cva6.divide_holds=true"), ROUNDS * 15);
    /* The addition has a port of its own, the branch has not. */
    assert_int_equal(CYCLES(body, 1, "cva6.divide_holds=true", "cva6.write_ports=2"),
                     ROUNDS * 14);
}

static void a_load_waits_until_the_cache_has_the_store(void **state)
{
    (void)state;
    const uint32_t body[] = {store(6, 9, 0), load(6, 9, 0)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 4);
    /* Store done in t+1, committed and in the cache in t+2, as the load; the next store in t+5. */
    assert_int_equal(CYCLES(body, 1, "cva6.forward=false"), ROUNDS * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operation_may_use_a_result_of_its_cycle),
        cmocka_unit_test(results_that_come_together_need_write_ports),
        cmocka_unit_test(a_division_holds_instructions_without_a_port_of_their_own),
        cmocka_unit_test(a_load_waits_until_the_cache_has_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
