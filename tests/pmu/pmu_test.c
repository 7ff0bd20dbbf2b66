/* Counters: snapshots, writes, inhibit, modes, overflow, filters, ranges, toggle, the queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/abi_metadata.h"
#include "pmu/key.h"
#include "pmu/pmu.h"

enum { MCYCLE = 0xb00, MINSTRET = 0xb02, COUNTER3 = 0xb03, EVENT3 = 0x323, INHIBIT = 0x320 };

#define OF   (UINT64_C(1) << 63)
#define MINH (UINT64_C(1) << 62)
#define SINH (UINT64_C(1) << 61)
#define UINH (UINT64_C(1) << 60)

static struct pmu pmu;

static int fresh(void **state)
{
    (void)state;
    pmu_init(&pmu, 8, 64, 64);
    return 0;
}

static uint64_t get(unsigned number)
{
    uint64_t value = 0xdead;

    assert_true(pmu_csr_read(&pmu, number, &value));
    return value;
}

static void set(unsigned number, uint64_t value)
{
    assert_true(pmu_csr_write(&pmu, number, value));
}

/* The work of an engine for one committed instruction. */
static void commit(struct retire retire)
{
    retire.events |= EVENT_BIT(INSNS_RETIRED);
    for (unsigned code = 1; code < 64; code++)
        pmu.events[code] += (retire.events >> code) & 1;
    if (pmu.watching != 0)
        pmu_retire(&pmu, &retire);
}

static void commit_at(uint64_t pc)
{
    commit((struct retire){.pc = pc});
}

/* A CSR instruction that writes: it is counted after its own write. */
static void commit_write(unsigned number, uint64_t value)
{
    set(number, value);
    commit_at(0);
}

static uint64_t selector(unsigned event, unsigned filter, unsigned argument)
{
    return event | (uint64_t)filter << PMU_FILTER_SHIFT |
           (uint64_t)argument << PMU_ARGUMENT_SHIFT;
}

static void instret_counts_what_committed_before_the_read(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        commit_at(0);
    assert_int_equal(get(MINSTRET), 5);
    assert_int_equal(get(0xc02), 5);
}

static void a_write_is_read_back_by_the_next_instruction(void **state)
{
    (void)state;
    commit_at(0);
    commit_write(MINSTRET, 100);
    assert_int_equal(get(MINSTRET), 100);
    commit_at(0);
    assert_int_equal(get(MINSTRET), 101);
    set(MCYCLE, 7);
    pmu.events[EVENT_CYCLES] += 3;
    assert_int_equal(get(MCYCLE), 10);
}

static void a_programmable_counter_counts_its_event_and_zero_counts_nothing(void **state)
{
    (void)state;
    pmu.events[EVENT_L1D_READ_MISS] = 40;
    set(EVENT3, EVENT_L1D_READ_MISS);
    pmu.events[EVENT_L1D_READ_MISS] += 2;
    assert_int_equal(get(COUNTER3), 2);
    set(EVENT3, 0);
    pmu.events[EVENT_L1D_READ_MISS] += 5;
    pmu.events[0] += 5;
    assert_int_equal(get(COUNTER3), 2);
    set(EVENT3, EVENT_CYCLES);
    pmu.events[EVENT_CYCLES] += 1;
    assert_int_equal(get(COUNTER3), 3);
}

static void counters_that_do_not_exist_are_zero_and_ignore_writes(void **state)
{
    uint64_t value;

    (void)state;
    set(0xb00 + 11, 5);
    set(0x320 + 11, EVENT_CYCLES);
    assert_int_equal(get(0xb00 + 11), 0);
    assert_int_equal(get(0x320 + 11), 0);
    assert_false(pmu_csr_read(&pmu, 0xb01, &value));
    assert_false(pmu_csr_write(&pmu, 0xb01, 1));
    assert_false(pmu_csr_read(&pmu, 0x7c0, &value));
    assert_false(pmu_csr_write(&pmu, 0xc02, 1));
}

static void selectors_keep_their_48_bits_and_the_mode_bits(void **state)
{
    (void)state;
    set(EVENT3, ~UINT64_C(0));
    assert_int_equal(get(EVENT3), OF | MINH | SINH | UINH | 0xffffffffffff);
    set(0x321, ~UINT64_C(0));
    assert_int_equal(get(0x321), MINH | SINH | UINH);
}

static void inhibit_stops_and_restarts_without_losing_counts(void **state)
{
    (void)state;
    commit_at(0);
    commit_write(INHIBIT, 4);
    assert_int_equal(get(MINSTRET), 2);
    commit_at(0);
    commit_at(0);
    assert_int_equal(get(MINSTRET), 2);
    commit_write(INHIBIT, 0);
    assert_int_equal(get(MINSTRET), 2);
    commit_at(0);
    assert_int_equal(get(MINSTRET), 3);
    set(INHIBIT, ~UINT64_C(0));
    assert_int_equal(get(INHIBIT), 0x7fd);
}

static void excluded_modes_do_not_count(void **state)
{
    (void)state;
    set(EVENT3, EVENT_CYCLES | MINH);
    set(EVENT3 + 1, EVENT_CYCLES | UINH);
    set(0x321, SINH);
    pmu.events[EVENT_CYCLES] += 10;
    pmu_set_privilege(&pmu, PRIV_S, false);
    pmu.events[EVENT_CYCLES] += 100;
    pmu_set_privilege(&pmu, PRIV_U, false);
    pmu.events[EVENT_CYCLES] += 1000;
    assert_int_equal(get(COUNTER3), 1100);
    assert_int_equal(get(COUNTER3 + 1), 110);
    assert_int_equal(get(MCYCLE), 1010);
}

static void the_monitor_counts_as_machine_mode(void **state)
{
    (void)state;
    set(EVENT3, EVENT_CYCLES | MINH);
    pmu_set_privilege(&pmu, PRIV_U, false);
    pmu.events[EVENT_CYCLES] += 10;
    pmu_set_privilege(&pmu, PRIV_U, true);
    pmu.events[EVENT_CYCLES] += 100;
    pmu_set_privilege(&pmu, PRIV_U, false);
    assert_int_equal(get(COUNTER3), 10);
    assert_int_equal(get(MCYCLE), 110);
}

static void overflow_sets_of_once_and_reports_once(void **state)
{
    (void)state;
    set(COUNTER3, (uint64_t)-3);
    set(EVENT3, EVENT_CYCLES);
    pmu.events[EVENT_CYCLES] += 2;
    assert_false(pmu_overflow(&pmu));
    pmu.events[EVENT_CYCLES] += 2;
    assert_true(pmu_overflow(&pmu));
    assert_false(pmu_overflow(&pmu));
    assert_int_equal(get(COUNTER3), 1);
    assert_true((get(EVENT3) & OF) != 0);
    assert_int_equal(get(0xda0), 8);
    set(COUNTER3, (uint64_t)-1);
    pmu.events[EVENT_CYCLES] += 2;
    assert_false(pmu_overflow(&pmu));
    set(COUNTER3, (uint64_t)-1);
    set(EVENT3, EVENT_CYCLES);
    assert_int_equal(get(0xda0), 0);
    pmu.events[EVENT_CYCLES] += 1;
    assert_true(pmu_overflow(&pmu));
}

static void writing_a_counter_never_overflows_it(void **state)
{
    (void)state;
    set(EVENT3, EVENT_INSNS_RETIRED);
    set(COUNTER3, UINT64_MAX);
    assert_false(pmu_overflow(&pmu));
    commit_at(0);
    assert_false(pmu_overflow(&pmu));
    commit_at(0);
    assert_true(pmu_overflow(&pmu));
    set(COUNTER3, 0);
    assert_false(pmu_overflow(&pmu));
}

static void an_overflow_is_not_lost_when_the_mode_changes_first(void **state)
{
    (void)state;
    set(COUNTER3, UINT64_MAX);
    set(EVENT3, EVENT_CYCLES | UINH);
    pmu.events[EVENT_CYCLES] += 1;
    pmu_set_privilege(&pmu, PRIV_U, false);
    assert_true(pmu_overflow(&pmu));
}

static void the_fixed_counters_have_no_overflow(void **state)
{
    (void)state;
    set(MCYCLE, UINT64_MAX);
    pmu.events[EVENT_CYCLES] += 5;
    assert_false(pmu_overflow(&pmu));
    assert_int_equal(get(MCYCLE), 4);
    assert_int_equal(get(0xda0), 0);
}

static void the_marked_filter_sees_only_marked_instructions(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_DCACHE_MISS, PMU_FILTER_MARKED, 0));
    assert_int_equal(pmu.watching, PMU_WATCH_FILTER);
    commit((struct retire){.events = EVENT_BIT(DCACHE_MISS), .is_marked = true});
    commit((struct retire){.events = EVENT_BIT(DCACHE_MISS)});
    commit((struct retire){.events = EVENT_BIT(DCACHE_HIT), .is_marked = true});
    assert_int_equal(get(COUNTER3), 1);
    set(EVENT3, 0);
    assert_int_equal(pmu.watching, 0);
}

static void the_label_filter_selects_one_label(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_INSNS_RETIRED, PMU_FILTER_LABEL, 3));
    set(EVENT3 + 1, selector(EVENT_INSNS_RETIRED, PMU_FILTER_LABEL, 0));
    commit((struct retire){.label = 3});
    commit((struct retire){.label = 2});
    commit((struct retire){.label = 0});
    assert_int_equal(get(COUNTER3), 1);
    assert_int_equal(get(COUNTER3 + 1), 0);
}

static void execution_cycles_of_marked_instructions_add_up(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_EXEC_CYCLES, PMU_FILTER_MARKED, 0));
    commit((struct retire){.latency_cycles = 12, .is_marked = true});
    commit((struct retire){.latency_cycles = 50});
    commit((struct retire){.latency_cycles = 30, .is_marked = true});
    assert_int_equal(get(COUNTER3), 42);
}

static void a_filter_that_cannot_be_decided_counts_nothing(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_CYCLES, PMU_FILTER_MARKED, 0));
    pmu.events[EVENT_CYCLES] += 10;
    commit((struct retire){.is_marked = true});
    assert_int_equal(get(COUNTER3), 0);
}

static void the_toggle_counts_instructions_and_cycles_while_set(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_INSNS_RETIRED, PMU_FILTER_TOGGLE, 0));
    set(EVENT3 + 1, selector(EVENT_CYCLES, PMU_FILTER_TOGGLE, 0));
    pmu.events[EVENT_CYCLES] += 10;
    commit_at(0);
    pmu_set_toggle(&pmu, true);
    pmu.events[EVENT_CYCLES] += 20;
    commit_at(0);
    commit_at(0);
    pmu_set_toggle(&pmu, false);
    pmu.events[EVENT_CYCLES] += 40;
    commit_at(0);
    assert_int_equal(get(COUNTER3), 2);
    assert_int_equal(get(COUNTER3 + 1), 20);
}

static void filters_do_not_see_the_monitor(void **state)
{
    (void)state;
    set(EVENT3, selector(EVENT_INSNS_RETIRED, PMU_FILTER_TOGGLE, 0));
    set(EVENT3 + 1, selector(EVENT_CYCLES, PMU_FILTER_TOGGLE, 0));
    pmu_set_toggle(&pmu, true);
    commit_at(0);
    pmu.events[EVENT_CYCLES] += 1;
    pmu_set_privilege(&pmu, PRIV_M, true);
    commit_at(0);
    pmu.events[EVENT_CYCLES] += 10;
    pmu_set_privilege(&pmu, PRIV_M, false);
    pmu.events[EVENT_CYCLES] += 100;
    assert_int_equal(get(COUNTER3), 1);
    assert_int_equal(get(COUNTER3 + 1), 101);
}

static void an_instruction_range_counts_entries_and_executions(void **state)
{
    static const uint64_t path[] = {0x100, 0x200, 0x204, 0x100, 0x208, 0x20c, 0x1fe, 0x200};

    (void)state;
    pmu.irange[2] = (struct pmu_range){.start = 0x200, .end = 0x20c};
    pmu_range_set(&pmu, &pmu.irange[2]);
    pmu_ranges_changed(&pmu);
    assert_int_equal(pmu.watching, PMU_WATCH_RANGE);
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        commit_at(path[i]);
    assert_int_equal(pmu.irange[2].executed, 4);
    assert_int_equal(pmu.irange[2].entries, 3);
}

static void a_range_belongs_to_its_program(void **state)
{
    const uint64_t second = UINT64_C(1) << KEY_SHIFT;

    (void)state;
    pmu.irange[0] = (struct pmu_range){.start = 0x200, .end = 0x300};
    pmu.irange[1] = (struct pmu_range){.start = 0x200 | second, .end = 0x300 | second};
    pmu.irange[2] = (struct pmu_range){.start = KERNEL_PA, .end = KERNEL_PA + 0x100};
    for (unsigned i = 0; i < 3; i++)
        pmu_range_set(&pmu, &pmu.irange[i]);
    pmu_ranges_changed(&pmu);
    commit_at(0x200);
    pmu_set_program(&pmu, second);
    commit_at(0x204);
    commit_at(0x208);
    commit_at(KERNEL_PA);
    pmu_set_program(&pmu, second << 1);
    commit_at(0x204);
    commit_at(KERNEL_PA + 4);
    pmu_set_program(&pmu, 0);
    commit_at(0x200);
    assert_int_equal(pmu.irange[0].executed, 2);
    assert_int_equal(pmu.irange[0].entries, 2);
    assert_int_equal(pmu.irange[1].executed, 2);
    assert_int_equal(pmu.irange[1].entries, 1);
    assert_int_equal(pmu.irange[2].executed, 2);
}

/* Sv48 has addresses that look like keys. */
static void a_range_without_programs_has_any_address(void **state)
{
    const uint64_t high = UINT64_C(1) << KEY_SHIFT;

    (void)state;
    pmu.irange[0] = (struct pmu_range){.start = 0x200 | high, .end = 0x300 | high};
    pmu_range_set(&pmu, &pmu.irange[0]);
    pmu_ranges_changed(&pmu);
    commit_at(0x200);
    commit_at(0x2fe | high);
    commit_at(0x300 | high);
    assert_int_equal(pmu.irange[0].executed, 1);
}

static void the_monitor_does_not_leave_a_range(void **state)
{
    (void)state;
    pmu.irange[0] = (struct pmu_range){.start = 0x200, .end = 0x300};
    pmu_range_set(&pmu, &pmu.irange[0]);
    pmu_ranges_changed(&pmu);
    commit_at(0x200);
    pmu_set_privilege(&pmu, PRIV_M, true);
    commit_at(0x9000);
    pmu_set_privilege(&pmu, PRIV_M, false);
    commit_at(0x204);
    assert_int_equal(pmu.irange[0].entries, 1);
    assert_int_equal(pmu.irange[0].executed, 2);
}

static void a_data_range_counts_accesses_that_touch_it(void **state)
{
    static const struct { uint64_t va; uint8_t bytes; } access[] = {
        {0x1000, 8}, {0xff8, 8}, {0xffc, 8}, {0x103f, 1}, {0x1040, 1}, {0x1008, 4}};

    (void)state;
    pmu.drange[0] = (struct pmu_range){.start = 0x1000, .end = 0x1040};
    pmu_range_set(&pmu, &pmu.drange[0]);
    pmu_ranges_changed(&pmu);
    for (size_t i = 0; i < sizeof access / sizeof access[0]; i++) {
        commit((struct retire){.va = access[i].va, .access_bytes = access[i].bytes});
        commit_at(0x1010);
    }
    assert_int_equal(pmu.drange[0].executed, 4);
    assert_int_equal(pmu.drange[0].entries, 3);
    assert_int_equal(pmu.irange[0].executed, 0);
}

static void the_range_filter_counts_events_and_cycles_inside(void **state)
{
    (void)state;
    pmu.irange[1] = (struct pmu_range){.start = 0x200, .end = 0x300};
    pmu_range_set(&pmu, &pmu.irange[1]);
    pmu_ranges_changed(&pmu);
    set(EVENT3, selector(EVENT_BRANCHES, PMU_FILTER_RANGE, 1));
    set(EVENT3 + 1, selector(EVENT_CYCLES, PMU_FILTER_RANGE, 1));
    set(EVENT3 + 2, selector(EVENT_BRANCHES, PMU_FILTER_RANGE, 99));
    commit((struct retire){.pc = 0x100, .events = EVENT_BIT(BRANCHES)});
    pmu.events[EVENT_CYCLES] += 10;
    commit((struct retire){.pc = 0x200, .events = EVENT_BIT(BRANCHES)});
    pmu.events[EVENT_CYCLES] += 5;
    commit((struct retire){.pc = 0x300, .events = EVENT_BIT(BRANCHES)});
    pmu.events[EVENT_CYCLES] += 10;
    assert_int_equal(get(COUNTER3), 1);
    assert_int_equal(get(COUNTER3 + 1), 5);
    assert_int_equal(get(COUNTER3 + 2), 0);
}

static void a_range_register_that_wraps_interrupts(void **state)
{
    (void)state;
    pmu.irange[0] = (struct pmu_range){.start = 0, .end = 0x100, .executed = UINT64_MAX};
    pmu_range_set(&pmu, &pmu.irange[0]);
    pmu_ranges_changed(&pmu);
    commit_at(0x10);
    assert_true(pmu_overflow(&pmu));
    commit_at(0x10);
    assert_false(pmu_overflow(&pmu));
    assert_int_equal(pmu.irange[0].executed, 1);
}

static void a_filtered_counter_overflows_too(void **state)
{
    (void)state;
    set(COUNTER3, UINT64_MAX);
    set(EVENT3, selector(EVENT_INSNS_RETIRED, PMU_FILTER_MARKED, 0));
    commit((struct retire){.is_marked = false});
    assert_false(pmu_overflow(&pmu));
    commit((struct retire){.is_marked = true});
    assert_true(pmu_overflow(&pmu));
    assert_int_equal(get(0xda0), 8);
}

static void indicators_beyond_the_queue_are_counted_as_lost(void **state)
{
    struct indicator indicator = {.flags = MARK_INTERRUPT};

    (void)state;
    for (unsigned i = 0; i < PMU_QUEUE + 3; i++) {
        indicator.iaddr = i;
        pmu_raise_indicator(&pmu, &indicator);
    }
    assert_int_equal(pmu.queue_length, PMU_QUEUE);
    assert_int_equal(pmu.lost, 3);
    assert_int_equal(pmu.queue[pmu.queue_head].iaddr, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(instret_counts_what_committed_before_the_read),
        TEST(a_write_is_read_back_by_the_next_instruction),
        TEST(a_programmable_counter_counts_its_event_and_zero_counts_nothing),
        TEST(counters_that_do_not_exist_are_zero_and_ignore_writes),
        TEST(selectors_keep_their_48_bits_and_the_mode_bits),
        TEST(inhibit_stops_and_restarts_without_losing_counts),
        TEST(excluded_modes_do_not_count),
        TEST(the_monitor_counts_as_machine_mode),
        TEST(overflow_sets_of_once_and_reports_once),
        TEST(writing_a_counter_never_overflows_it),
        TEST(an_overflow_is_not_lost_when_the_mode_changes_first),
        TEST(the_fixed_counters_have_no_overflow),
        TEST(the_marked_filter_sees_only_marked_instructions),
        TEST(the_label_filter_selects_one_label),
        TEST(execution_cycles_of_marked_instructions_add_up),
        TEST(a_filter_that_cannot_be_decided_counts_nothing),
        TEST(the_toggle_counts_instructions_and_cycles_while_set),
        TEST(filters_do_not_see_the_monitor),
        TEST(an_instruction_range_counts_entries_and_executions),
        TEST(a_range_belongs_to_its_program),
        TEST(a_range_without_programs_has_any_address),
        TEST(the_monitor_does_not_leave_a_range),
        TEST(a_data_range_counts_accesses_that_touch_it),
        TEST(the_range_filter_counts_events_and_cycles_inside),
        TEST(a_range_register_that_wraps_interrupts),
        TEST(a_filtered_counter_overflows_too),
        TEST(indicators_beyond_the_queue_are_counted_as_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
