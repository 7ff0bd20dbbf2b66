/* The rules of the C906, to the cycle (rounds.h). */
#include "tests/sim/core/inorder/rounds.h"

static void a_part_of_a_store_may_be_no_reason_to_forward(void **state)
{
    (void)state;
    const uint32_t word = load(6, 9, 0) & ~(1u << 12);          /* ld to lw */
    const uint32_t body[] = {store(6, 9, 0), word}, whole[] = {store(6, 9, 0), load(6, 9, 0)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 4);
    assert_int_equal(CYCLES(body, 1, "c906.forward_exact=true"), ROUNDS * 5);
    assert_int_equal(CYCLES(whole, 1, "c906.forward_exact=true"), ROUNDS * 4);
}

/* Two words, and a load of both: it comes in 2 and asks in 4 and 6; the stores go in 3 and 5. The
 * instruction that uses it issues two cycles later. */
static void a_load_that_asks_again_keeps_stores_from_the_cache(void **state)
{
    (void)state;
    const uint32_t half = ~(1u << 12);                          /* sd to sw */
    const uint32_t two[] = {store(11, 9, 0) & half, store(11, 9, 4) & half, load(6, 9, 0)};
    const uint32_t one[] = {store(11, 9, 0) & half, load(6, 9, 0)};
    const char *const forward = "c906.forward_exact=true", *const polls =
        "c906.conflict_polls=2";
    uint64_t of_two = CYCLES(two, 1, forward, "inorder.conflict_cycles=1");
    uint64_t of_one = CYCLES(one, 1, forward, "inorder.conflict_cycles=1");
    assert_int_equal(of_two, of_one + ROUNDS);
    assert_int_equal(CYCLES(two, 1, forward, "inorder.conflict_cycles=1", polls),
                     of_two + ROUNDS * 2);
    assert_int_equal(CYCLES(one, 1, forward, "inorder.conflict_cycles=1", polls), of_one);
}

static void a_store_right_after_one_to_its_bytes_is_tried_again(void **state)
{
    (void)state;
    /* 0, 1; the third, which would issue in 2, in 4; then the loop's two */
    const uint32_t body[] = {store(6, 9, 0), store(6, 9, 0), store(6, 9, 64)};
    assert_int_equal(CYCLES(body, 1), ROUNDS * 5);
    assert_int_equal(CYCLES(body, 1, "c906.store_again=2"), ROUNDS * 7);
    const uint32_t apart[] = {store(6, 9, 0), addi(7, 0, 1), store(6, 9, 0), store(6, 9, 64)};
    assert_int_equal(CYCLES(apart, 1, "c906.store_again=2"), ROUNDS * 6);
    const uint32_t others[] = {store(6, 9, 0), store(6, 9, 8), store(6, 9, 16)};
    assert_int_equal(CYCLES(others, 1, "c906.store_again=2"), ROUNDS * 5);
}

static void a_write_waits_until_another_unit_has_written_its_register(void **state)
{
    (void)state;
    const uint32_t moved[] = {load(6, 9, 0), addi(6, 6, 1)};
    const uint32_t used[] = {load(6, 9, 0), addi(7, 6, 1)};
    const uint32_t loads[] = {load(6, 9, 0), load(6, 9, 8)};
    const uint32_t sums[] = {addi(6, 0, 1), addi(6, 0, 2)};
    const uint32_t product[] = {mul(6, 11, 11), addi(6, 0, 1)};
    const uint32_t quotient[] = {divide(6, 11, 11), addi(6, 0, 1)};
    const char *on = "c906.waw_written=true";
    assert_int_equal(CYCLES(used, 1, on), ROUNDS * 6);
    assert_int_equal(CYCLES(moved, 1), ROUNDS * 6);
    assert_int_equal(CYCLES(moved, 1, on), ROUNDS * 7);
    assert_int_equal(CYCLES(loads, 1, on), ROUNDS * 4);
    assert_int_equal(CYCLES(sums, 1, on), ROUNDS * 4);
    assert_int_equal(CYCLES(product, 1, on, "latency.mul=3"), ROUNDS * 7);
    assert_int_equal(CYCLES(quotient, 1, on, "latency.div=9"), ROUNDS * 12);
}

static void a_branch_waits_for_a_load_in_its_unit(void **state)
{
    (void)state;
    const uint32_t loaded[] = {load(6, 9, 0), bne(6, 6, 8), addi(7, 0, 1)};
    const uint32_t product[] = {mul(6, 11, 11), bne(6, 6, 8), addi(7, 0, 1)};
    assert_int_equal(CYCLES(loaded, 1), ROUNDS * 7);
    assert_int_equal(CYCLES(loaded, 1, "c906.late_branch=1"), ROUNDS * 6);
    assert_int_equal(CYCLES(loaded, 1, "c906.late_branch=3"), ROUNDS * 5);
    assert_int_equal(CYCLES(product, 1, "c906.late_branch=3", "latency.mul=3"), ROUNDS * 7);
    /* It holds its unit until it has executed. */
    const uint32_t two[] = {load(6, 9, 0), bne(6, 6, 8), addi(7, 0, 1), bne(11, 11, 8)};
    assert_int_equal(CYCLES(two, 1), ROUNDS * 8);
    assert_int_equal(CYCLES(two, 1, "c906.late_branch=2"), ROUNDS * 7);
}

static void a_multiplication_of_small_operands_is_short(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(6, 11, 11), add(7, 6, 11)};
    const uint32_t wide[] = {mul(6, 9, 9), add(7, 6, 11)};      /* an address */
    assert_int_equal(CYCLES(body, 1, "latency.mul=6"), ROUNDS * 9);
    assert_int_equal(CYCLES(body, 1, "latency.mul=6", "c906.mul_short=3"), ROUNDS * 6);
    assert_int_equal(CYCLES(wide, 1, "latency.mul=6", "c906.mul_short=3"), ROUNDS * 6);
    const uint32_t product[] = {mul(6, 9, 9), mul(6, 6, 9), add(7, 6, 11)};
    assert_int_equal(CYCLES(product, 1, "latency.mul=6", "c906.mul_short=3"), ROUNDS * 12);
    const uint32_t beside[] = {mul(6, 9, 9), mul(6, 6, 9), addi(7, 0, 1)};  /* it stays for 4 */
    assert_int_equal(CYCLES(beside, 1, "latency.mul=6"), ROUNDS * 10);
    assert_int_equal(CYCLES(beside, 1, "latency.mul=6", "c906.mul_short=3"), ROUNDS * 10);
}

static void data_of_a_store_may_come_late_from_loads_alone(void **state)
{
    (void)state;
    const uint32_t copied[] = {load(6, 9, 0), store(6, 9, 8)};
    const uint32_t product[] = {mul(6, 11, 11), store(6, 9, 8)};
    const char *late = "inorder.store_data_late=2", *loads = "c906.store_data_loads=true";
    assert_int_equal(CYCLES(copied, 1, late, loads), ROUNDS * 4);
    assert_int_equal(CYCLES(product, 1, late, loads, "latency.mul=3"), ROUNDS * 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_store_may_be_no_reason_to_forward),
        cmocka_unit_test(a_load_that_asks_again_keeps_stores_from_the_cache),
        cmocka_unit_test(a_store_right_after_one_to_its_bytes_is_tried_again),
        cmocka_unit_test(a_write_waits_until_another_unit_has_written_its_register),
        cmocka_unit_test(a_branch_waits_for_a_load_in_its_unit),
        cmocka_unit_test(a_multiplication_of_small_operands_is_short),
        cmocka_unit_test(data_of_a_store_may_come_late_from_loads_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
