/* Memory and its bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/mem/dram.h"

static void a_read_takes_the_latency(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 8};
    assert_int_equal(dram_read(&dram, 50), 150);
}

static void reads_at_once_follow_each_other_by_the_time_of_a_line(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 8};
    assert_int_equal(dram_read(&dram, 0), 100);
    assert_int_equal(dram_read(&dram, 0), 108);
    assert_int_equal(dram_read(&dram, 3), 116);
}

static void the_bus_is_free_again_after_a_line(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 8};
    dram_read(&dram, 0);
    assert_int_equal(dram_read(&dram, 8), 108);
}

static void a_write_delays_the_next_read(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 8};
    dram_write(&dram, 10);
    assert_int_equal(dram_read(&dram, 10), 118);
}

static void other_traffic_takes_the_bus_as_long_as_it_says(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 8};
    assert_int_equal(dram_occupy(&dram, 10, 64), 10);
    assert_int_equal(dram_occupy(&dram, 20, 1), 74);
    assert_int_equal(dram_read(&dram, 20), 175);
}

static void a_line_of_no_cycles_makes_the_bus_infinitely_fast(void **state)
{
    (void)state;
    struct dram dram = {.latency_cycles = 100, .line_cycles = 0};
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(dram_read(&dram, 7), 107);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_the_latency),
        cmocka_unit_test(reads_at_once_follow_each_other_by_the_time_of_a_line),
        cmocka_unit_test(the_bus_is_free_again_after_a_line),
        cmocka_unit_test(a_write_delays_the_next_read),
        cmocka_unit_test(other_traffic_takes_the_bus_as_long_as_it_says),
        cmocka_unit_test(a_line_of_no_cycles_makes_the_bus_infinitely_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
