/* Contradictions between settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/config.h"
#include "sim/base/config_read.h"

static struct diag diag;

static struct config defaults(void)
{
    struct config config;
    config_init(&config);
    return config;
}

static void assert_contradiction(const char *assignments[], const char *message)
{
    struct config config = defaults();
    for (size_t i = 0; assignments[i] != NULL; i++)
        assert_int_equal(config_set(&config, assignments[i], &diag), ERR_OK);
    assert_int_equal(config_check(&config, &diag), ERR_USAGE);
    assert_string_equal(diag.text, message);
}

#define CONTRADICTION(message, ...) \
    assert_contradiction((const char *[]){__VA_ARGS__, NULL}, message)

static void cache_shapes_must_make_a_whole_number_of_sets(void **state)
{
    (void)state;
    CONTRADICTION("l1d.kib = 32, l1d.ways = 3 and l1d.line_bytes = 64 make 170.7 sets; expected a "
                  "whole number", "l1d.ways=3");
    CONTRADICTION("l1i.kib = 1, l1i.ways = 32 and l1i.line_bytes = 64 make 0.5 sets; expected a "
                  "whole number", "l1i.kib=1", "l1i.ways=32");
    CONTRADICTION("l2.kib = 512, l2.ways = 24 and l2.line_bytes = 64 make 341.3 sets; expected a "
                  "whole number", "l2.ways=24");
}

static void lines_must_fit_into_those_of_the_next_level(void **state)
{
    (void)state;
    CONTRADICTION("l2.line_bytes = 32 is smaller than l1i.line_bytes = 64", "l2.line_bytes=32");
    CONTRADICTION("l2.line_bytes = 64 is smaller than l1d.line_bytes = 128", "l1d.line_bytes=128");
}

static void a_third_level_needs_a_second_and_lines_that_fit(void **state)
{
    (void)state;
    CONTRADICTION("l3.kib = 1024 without an L2 (l2.kib = 0)", "l2.kib=0", "l3.kib=1024");
    CONTRADICTION("l3.kib = 1024, l3.ways = 3 and l2.line_bytes = 64 make 5461 sets; expected a "
                  "whole number", "l3.kib=1024", "l3.ways=3");
}

static void an_instruction_set_is_written_as_a_compiler_takes_it(void **state)
{
    static const char *const wrong[] = {"foo", "rv64", "RV64GC", "rv128i", "rv32mi", "rv64gc zba"};
    char message[200], assignment[40];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(assignment, sizeof assignment, "machine.isa=%s", wrong[i]);
        snprintf(message, sizeof message, "machine.isa = %s: expected any, or rv32 or rv64 with i, "
                 "e or g and extensions in small letters, such as rv32imf", wrong[i]);
        CONTRADICTION(message, assignment);
    }
    struct config config = defaults();
    assert_int_equal(config_set(&config, "machine.isa=rv64gcv_zba1p0", &diag), ERR_OK);
    assert_int_equal(config_check(&config, &diag), ERR_OK);
}

static void exclusive_levels_need_equal_lines(void **state)
{
    (void)state;
    CONTRADICTION("l2.inclusion = exclusive with l2.line_bytes = 128 and l1i.line_bytes = 64; "
                  "expected equal lines", "l2.inclusion=exclusive", "l2.line_bytes=128");
    CONTRADICTION("l2.inclusion = exclusive with l2.line_bytes = 64 and l1d.line_bytes = 32; "
                  "expected equal lines", "l2.inclusion=exclusive", "l1d.line_bytes=32");
}

static void dueling_needs_sets_enough(void **state)
{
    (void)state;
    CONTRADICTION("l1i.replacement = drrip with 16 sets; expected at least 32, of which some duel",
                  "l1i.kib=8", "l1i.replacement=drrip");
}

static void parts_of_lines_are_not_longer_than_lines(void **state)
{
    (void)state;
    CONTRADICTION("l1d.line_bytes = 8 is smaller than l1d.write_buffer_bytes = 16",
                  "l1d.line_bytes=8", "l1d.write_buffer_bytes=16");
}

static void memory_refreshes_for_less_than_its_interval(void **state)
{
    (void)state;
    CONTRADICTION("dram.trefi = 100 is smaller than dram.trfc = 350", "dram.kind=banked",
                  "dram.trefi=100");
}

static void allocating_direct_jumps_needs_misses_noticed_at_decode(void **state)
{
    (void)state;
    CONTRADICTION("bpred.btb_allocate = direct needs bpred.btb_miss = decode, where decode "
                  "notices what the target buffer does not know",
                  "bpred.btb_allocate=direct", "bpred.btb_miss=none");
}

static void a_list_of_latencies_has_three(void **state)
{
    (void)state;
    CONTRADICTION("pmu.latency = 10 50; expected three numbers of cycles, such as 10 50 100",
                  "pmu.latency=10 50");
}

static void a_tournament_has_tables_for_its_history(void **state)
{
    (void)state;
    CONTRADICTION("bpred.history = 21: expected at most 20, with bpred.kind = tournament",
                  "bpred.kind=tournament", "bpred.history=21");
}

static void counters_begin_with_a_value_they_have(void **state)
{
    (void)state;
    CONTRADICTION("bpred.counter_initial = 4 does not fit in bpred.counter_bits = 2",
                  "bpred.counter_initial=4");
}

static void prefetchers_are_where_they_can_be(void **state)
{
    (void)state;
    CONTRADICTION("l1d.prefetch = staged brings lines into L1, and L2; expected l1d.prefetch_into "
                  "= l1", "l1d.prefetch=staged");
    CONTRADICTION("l1i.prefetch = stride tells accesses apart by their instruction; expected "
                  "none|next_line|stream|best_offset", "l1i.prefetch=stride");
}

static void without_an_l2_its_settings_do_not_matter(void **state)
{
    (void)state;
    struct config config = defaults();
    config.l2_kib = 0;
    config.l2_line_bytes = 8;
    assert_int_equal(config_check(&config, &diag), ERR_OK);
}

static void predictor_and_tlb_shapes_are_checked(void **state)
{
    (void)state;
    CONTRADICTION("bpred.btb_entries = 4096 and bpred.btb_ways = 3 make 1365 sets; expected a "
                  "whole number", "bpred.btb_ways=3");
    CONTRADICTION("bpred.btb_entries = 2 and bpred.btb_ways = 4 make 0.5 sets; expected a whole "
                  "number", "bpred.btb_entries=2");
    CONTRADICTION("bpred.loop_entries = 49: expected a multiple of 4, its ways",
                  "bpred.loop_entries=49");
    CONTRADICTION("bpred.entries = 3000: expected a power of two, with bpred.kind = bimode",
                  "bpred.kind=bimode", "bpred.entries=3000");
    CONTRADICTION("l2tlb.entries = 2 and l2tlb.ways = 4 make 0.5 sets; expected a whole number",
                  "l2tlb.entries=2");
    CONTRADICTION("itlb.entries = 32 and itlb.ways = 5 make 6.4 sets; expected a whole number",
                  "itlb.ways=5");
    CONTRADICTION("dtlb.entries = 48 and dtlb.ways = 5 make 9.6 sets; expected a whole number",
                  "dtlb.ways=5");
}

static void widths_must_not_exceed_the_buffers_they_fill(void **state)
{
    (void)state;
    CONTRADICTION("rename.int_buffers = 2 is smaller than dispatch.width = 4",
                  "rename.int_buffers=2");
    CONTRADICTION("rob.entries = 4 is smaller than commit.width = 8", "rob.entries=4",
                  "commit.width=8");
    CONTRADICTION("fetch.buffer = 2 is smaller than fetch.width = 4", "fetch.buffer=2");
    CONTRADICTION("lsq.stores = 1 is smaller than unit.stores = 2", "lsq.stores=1",
                  "unit.stores=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_shapes_must_make_a_whole_number_of_sets),
        cmocka_unit_test(lines_must_fit_into_those_of_the_next_level),
        cmocka_unit_test(a_third_level_needs_a_second_and_lines_that_fit),
        cmocka_unit_test(an_instruction_set_is_written_as_a_compiler_takes_it),
        cmocka_unit_test(exclusive_levels_need_equal_lines),
        cmocka_unit_test(dueling_needs_sets_enough),
        cmocka_unit_test(parts_of_lines_are_not_longer_than_lines),
        cmocka_unit_test(memory_refreshes_for_less_than_its_interval),
        cmocka_unit_test(allocating_direct_jumps_needs_misses_noticed_at_decode),
        cmocka_unit_test(a_list_of_latencies_has_three),
        cmocka_unit_test(a_tournament_has_tables_for_its_history),
        cmocka_unit_test(counters_begin_with_a_value_they_have),
        cmocka_unit_test(prefetchers_are_where_they_can_be),
        cmocka_unit_test(without_an_l2_its_settings_do_not_matter),
        cmocka_unit_test(predictor_and_tlb_shapes_are_checked),
        cmocka_unit_test(widths_must_not_exceed_the_buffers_they_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
