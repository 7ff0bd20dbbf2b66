/* The custom profiling registers: aliases, the index/data pair, the monitor's, the indicator
 * record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/abi.h"
#include "pmu/pmu.h"
#include "pmu/profile.h"

static struct pmu pmu;
static struct hart hart;

static int fresh(void **state)
{
    (void)state;
    pmu_init(&pmu, 8, 64, 32);
    memset(&hart, 0, sizeof hart);
    return 0;
}

static uint64_t get(unsigned number)
{
    uint64_t value = 0xdead;

    assert_true(profile_csr_read(&pmu, &hart, number, &value));
    return value;
}

static unsigned set(unsigned number, uint64_t value)
{
    unsigned changed = ~0u;

    assert_true(profile_csr_write(&pmu, &hart, number, value, &changed));
    return changed;
}

static uint64_t get_indexed(uint64_t index)
{
    set(CSR_PROF_INDEX, index);
    return get(CSR_PROF_DATA);
}

static unsigned set_indexed(uint64_t index, uint64_t value)
{
    set(CSR_PROF_INDEX, index);
    return set(CSR_PROF_DATA, value);
}

static void the_mode_register_has_a_supervisor_alias(void **state)
{
    (void)state;
    assert_int_equal(set(CSR_PROF_MODE, ~UINT64_C(0)), PMU_CHANGED_MODE);
    assert_int_equal(get(CSR_PROF_SMODE), PROF_MODE_ENABLE | PROF_MODE_CLAIM |
                                              PROF_MODE_USER_DATA | PROF_MODE_MASKABLE);
    assert_int_equal(set(CSR_PROF_SMODE, PROF_MODE_ENABLE), PMU_CHANGED_MODE);
    assert_int_equal(get(CSR_PROF_MODE), PROF_MODE_ENABLE);
}

struct seen { uint64_t before, now; unsigned count; };

static void see_thread(void *arg, uint64_t before, uint64_t now)
{
    struct seen *seen = arg;

    *seen = (struct seen){before, now, seen->count + 1};
}

static void listeners_of_the_thread_register_are_told_of_every_write(void **state)
{
    struct seen seen = {0}, other = {0};
    struct pmu_listener first = {.changed = see_thread, .arg = &seen};
    struct pmu_listener second = {.changed = see_thread, .arg = &other};

    (void)state;
    assert_int_equal(get(CSR_PROF_THREAD), 0);
    assert_int_equal(set(CSR_PROF_THREAD, 1000), 0);
    pmu_listen(&pmu.thread, &first);
    pmu_listen(&pmu.thread, &second);
    set(CSR_PROF_THREAD, 1001);
    assert_int_equal(get(CSR_PROF_THREAD), 1001);
    assert_int_equal(seen.before, 1000);
    assert_int_equal(seen.now, 1001);
    assert_int_equal(seen.count, 1);
    pmu_unlisten(&pmu.thread, &first);
    pmu_unlisten(&pmu.thread, &first);
    set(CSR_PROF_THREAD, 1002);
    assert_int_equal(seen.count, 1);
    assert_int_equal(other.count, 2);
}

static void a_scheduler_saves_and_restores_the_toggle_flag(void **state)
{
    (void)state;
    pmu_set_toggle(&pmu, true);
    assert_int_equal(get(CSR_PROF_TOGGLE), 1);
    set(CSR_PROF_TOGGLE, 0);
    assert_false(pmu.toggle);
    set(CSR_PROF_TOGGLE, 3);
    assert_true(pmu.toggle);
    assert_int_equal(get(CSR_PROF_TOGGLE), 1);
    pmu_set_toggle(&pmu, false);
}

static void a_scheduler_sees_what_a_thread_has_in_use(void **state)
{
    const uint64_t counter = UINT64_C(1) << (PROF_OWN_COUNTER + 3);

    (void)state;
    assert_int_equal(get(CSR_PROF_OWN), 0);
    pmu_set_toggle(&pmu, true);
    set(CSR_PROF_SINDEX, PROF_REG_GATE + 2 * 5);
    set(CSR_PROF_SDATA, 0x4001);
    assert_int_equal(get(CSR_PROF_OWN), 1 << 5 | 1);
    pmu_set_toggle(&pmu, false);
    set(CSR_PROF_SDATA, 0);
    pmu.hint[HINT_AT_SUPERVISOR].label = 1;
    assert_int_equal(get(CSR_PROF_OWN), PROF_OWN_HINTS);
    pmu.hint[HINT_AT_SUPERVISOR].label = 0;

    pmu.user = PROF_USER_ALL;
    set(CSR_PROF_EVENT + 3, 8);
    set(CSR_PROF_EVENT + 31, 8);            /* the machine has no such counter */
    assert_int_equal(get(CSR_PROF_OWN), counter);
    set(CSR_PROF_EVENT + 3, 0);             /* closed: its count can still be read */
    assert_int_equal(get(CSR_PROF_OWN), counter);
    set(CSR_PROF_OWN, 0);
    assert_int_equal(get(CSR_PROF_OWN), 0);
    assert_int_equal(pmu.user, PROF_USER_ALL);
    set(CSR_PROF_OWN, counter | 0xff);
    assert_int_equal(get(CSR_PROF_OWN), counter);
    set(CSR_PROF_OWN, 0);
    pmu.user = 0;
}

static void a_scheduler_reaches_what_can_be_a_threads_and_nothing_else(void **state)
{
    static const uint64_t own[] = {
        PROF_REG_LATENCY + 2, PROF_REG_IRANGE + 1, PROF_REG_DRANGE + 31, PROF_REG_GATE + 2,
        PROF_REG_GATE + 63, PROF_REG_COUNTER + 3,
    }, others[] = {
        PROF_REG_SEGMENT, PROF_REG_LOST, PROF_REG_USER, PROF_REG_COUNTER, PROF_REG_COUNTER + 34,
        PROF_REG_INHIBIT, PROF_REG_MODE, PROF_REG_AREA, PROF_REG_GATE + 64,
    };

    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        set(CSR_PROF_SINDEX, own[i]);
        set(CSR_PROF_SDATA, 100 + i);
        assert_int_equal(get(CSR_PROF_SDATA), 100 + i);
        set(CSR_PROF_INDEX, own[i]);
        assert_int_equal(get(CSR_PROF_DATA), 100 + i);
        set(CSR_PROF_SDATA, 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        set(CSR_PROF_SINDEX, others[i]);
        set(CSR_PROF_INDEX, others[i]);
        set(CSR_PROF_DATA, 0);
        set(CSR_PROF_SDATA, 1);
        assert_int_equal(get(CSR_PROF_SDATA), 0);
        assert_int_equal(get(CSR_PROF_DATA), 0);
    }
    set(CSR_PROF_SINDEX, PROF_REG_GATE);
    set(CSR_PROF_SDATA, 1);
    assert_true(pmu.toggle);
    set(CSR_PROF_SDATA, 0);
}

static void the_processor_says_its_line_sizes(void **state)
{
    (void)state;
    assert_int_equal(get(CSR_PROF_LINES), 6 | 5 << 8);
}

static void every_indexed_register_keeps_its_own_value(void **state)
{
    static const struct { uint64_t first, count; } bank[] = {
        {PROF_REG_SEGMENT, 4 * PROF_SEGMENTS}, {PROF_REG_LATENCY, 3},
        {PROF_REG_IRANGE, 4 * PROF_RANGES}, {PROF_REG_DRANGE, 4 * PROF_RANGES},
        {PROF_REG_LOST, 1}};

    (void)state;
    for (size_t b = 0; b < sizeof bank / sizeof bank[0]; b++)
        for (uint64_t i = 0; i < bank[b].count; i++)
            set_indexed(bank[b].first + i, bank[b].first + i + 7);
    for (size_t b = 0; b < sizeof bank / sizeof bank[0]; b++)
        for (uint64_t i = 0; i < bank[b].count; i++)
            assert_int_equal(get_indexed(bank[b].first + i), bank[b].first + i + 7);
}

static void indices_without_a_register_read_zero_and_ignore_writes(void **state)
{
    static const uint64_t index[] = {PROF_REG_SEGMENT + 4 * PROF_SEGMENTS, PROF_REG_LATENCY - 1,
                                     PROF_REG_LATENCY + 3, PROF_REG_IRANGE + 4 * PROF_RANGES,
                                     PROF_REG_DRANGE + 4 * PROF_RANGES, PROF_REG_USER + 1,
                                     UINT64_MAX};
    struct pmu before = pmu;

    (void)state;
    for (size_t i = 0; i < sizeof index / sizeof index[0]; i++) {
        assert_int_equal(set_indexed(index[i], 99), 0);
        assert_int_equal(get_indexed(index[i]), 0);
    }
    before.index = pmu.index;
    assert_memory_equal(&before, &pmu, sizeof pmu);
}

static void thresholds_reset_to_10_50_100(void **state)
{
    (void)state;
    assert_int_equal(get_indexed(PROF_REG_LATENCY), 10);
    assert_int_equal(get_indexed(PROF_REG_LATENCY + 1), 50);
    assert_int_equal(get_indexed(PROF_REG_LATENCY + 2), 100);
}

static void writing_a_segment_register_is_reported(void **state)
{
    (void)state;
    assert_int_equal(set_indexed(PROF_REG_SEGMENT + 5, 0x1000), PMU_CHANGED_SEGMENTS);
    assert_int_equal(pmu.segment[1][1], 0x1000);
}

static void setting_a_range_makes_the_pmu_watch_and_clearing_it_stops(void **state)
{
    (void)state;
    set_indexed(PROF_REG_DRANGE + 4, 0x100);
    assert_int_equal(pmu.watching, 0);
    set_indexed(PROF_REG_DRANGE + 5, 0x200);
    assert_int_equal(pmu.watching, PMU_WATCH_RANGE);
    set_indexed(PROF_REG_DRANGE + 5, 0);
    assert_int_equal(pmu.watching, 0);
}

static void moving_a_range_makes_the_next_instruction_an_entry(void **state)
{
    struct retire retire = {.pc = 0x100};

    (void)state;
    set_indexed(PROF_REG_IRANGE + 1, 0x200);
    pmu_retire(&pmu, &retire);
    set_indexed(PROF_REG_IRANGE + 1, 0x300);
    pmu_retire(&pmu, &retire);
    assert_int_equal(get_indexed(PROF_REG_IRANGE + 2), 2);
    set_indexed(PROF_REG_IRANGE + 3, 0);
    pmu_retire(&pmu, &retire);
    assert_int_equal(get_indexed(PROF_REG_IRANGE + 2), 2);
    assert_int_equal(get_indexed(PROF_REG_IRANGE + 3), 1);
}

static void the_oldest_indicator_shows_until_it_is_acknowledged(void **state)
{
    const struct indicator first = {1, 2, 3, 4, MARK_INTERRUPT, IND_LEVEL_L1, 5};
    const struct indicator second = {11, 12, 13, 14, MARK_INTERRUPT | MARK_DATA,
                                     IND_LEVEL_MEMORY, 15};

    (void)state;
    pmu_raise_indicator(&pmu, &first);
    pmu_raise_indicator(&pmu, &second);
    hart.irq_lines = UINT64_C(1) << IRQ_INDICATOR | 2;
    assert_int_equal(get(CSR_IND_IADDR), 1);
    assert_int_equal(get(CSR_IND_FLAGS), MARK_INTERRUPT);
    assert_int_equal(set_indexed(PROF_REG_ACK, 0), PMU_CHANGED_QUEUE);
    assert_true((hart.irq_lines >> IRQ_INDICATOR & 1) != 0);
    assert_int_equal(get(CSR_IND_IADDR), 11);
    assert_int_equal(get(CSR_IND_DADDR), 12);
    assert_int_equal(get(CSR_IND_COUNT), 13);
    assert_int_equal(get(CSR_IND_CYCLES), 14);
    assert_int_equal(get(CSR_IND_FLAGS), MARK_INTERRUPT | MARK_DATA);
    assert_int_equal(get(CSR_IND_LEVEL), IND_LEVEL_MEMORY);
    assert_int_equal(get(CSR_IND_INSNS), 15);
    set_indexed(PROF_REG_ACK, 0);
    assert_int_equal(hart.irq_lines, 2);
    assert_int_equal(get(CSR_IND_FLAGS), 0);
    set_indexed(PROF_REG_ACK, 0);
    assert_int_equal(pmu.queue_length, 0);
}

static void the_queue_wraps_around_in_order(void **state)
{
    struct indicator indicator = {.flags = MARK_INTERRUPT};

    (void)state;
    for (uint64_t i = 0; i < 5 * PMU_QUEUE; i++) {
        indicator.iaddr = i;
        pmu_raise_indicator(&pmu, &indicator);
        if (i >= 3) {
            assert_int_equal(get(CSR_IND_IADDR), i - 3);
            set_indexed(PROF_REG_ACK, 0);
        }
    }
    assert_int_equal(pmu.lost, 0);
}

static void the_monitors_registers_are_the_harts(void **state)
{
    (void)state;
    set(CSR_MON_VECTOR, 0x80001003);
    set(CSR_MON_EPC, 0x80002001);
    set(CSR_MON_CAUSE, 24);
    set(CSR_MON_STATUS, ~UINT64_C(0));
    set(CSR_MON_SCRATCH, 0x1234567890abcdef);
    assert_int_equal(hart.monitor_vector, 0x80001000);
    assert_int_equal(hart.monitor_epc, 0x80002000);
    assert_int_equal(get(CSR_MON_CAUSE), 24);
    assert_int_equal(get(CSR_MON_STATUS), 0x303);
    assert_int_equal(get(CSR_MON_SCRATCH), 0x1234567890abcdef);
}

static void other_csr_numbers_are_not_handled(void **state)
{
    uint64_t value;
    unsigned changed;

    (void)state;
    assert_false(profile_csr_read(&pmu, &hart, 0x7c8, &value));
    assert_false(profile_csr_write(&pmu, &hart, CSR_IND_IADDR, 0, &changed));
    assert_false(profile_csr_write(&pmu, &hart, CSR_PROF_LINES, 0, &changed));
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

static void user_mode_programs_the_counters_it_is_let(void **state)
{
    uint64_t value, select = UINT64_C(3) << 61 | 0x109;
    unsigned changed;

    (void)state;
    hart.priv = PRIV_U;
    assert_false(profile_csr_read(&pmu, &hart, CSR_PROF_EVENT + 4, &value));
    assert_false(profile_csr_write(&pmu, &hart, CSR_PROF_UMODE, 1, &changed));
    assert_false(profile_csr_write(&pmu, &hart, CSR_PROF_USYNC, 0, &changed));
    hart.priv = PRIV_M;
    set(CSR_PROF_INDEX, PROF_REG_USER);
    set(CSR_PROF_DATA, 1 << 4 | 7);
    assert_int_equal(get(CSR_PROF_DATA), 1 << 4);       /* there is no such bit as 2, 1, 0 */
    hart.priv = PRIV_U;
    assert_false(profile_csr_write(&pmu, &hart, CSR_PROF_EVENT + 3, 1, &changed));
    set(CSR_PROF_EVENT + 4, select);
    assert_int_equal(get(CSR_PROF_EVENT + 4), select);
    assert_true(pmu_csr_read(&pmu, 0x324, &value));     /* mhpmevent4 */
    assert_int_equal(value, select);
    assert_true(profile_is_event(CSR_PROF_EVENT + 3) && profile_is_event(CSR_PROF_EVENT + 31));
    assert_false(profile_is_event(CSR_PROF_EVENT + 2) || profile_is_event(CSR_PROF_EVENT + 32));
}

static void user_mode_switches_marks_and_nothing_else_of_the_mode(void **state)
{
    (void)state;
    hart.priv = PRIV_M;
    set(CSR_PROF_INDEX, PROF_REG_USER);
    set(CSR_PROF_DATA, PROF_USER_ALL);
    set(CSR_PROF_MODE, PROF_MODE_CLAIM);
    hart.priv = PRIV_U;
    assert_int_equal(set(CSR_PROF_UMODE, UINT64_MAX), PMU_CHANGED_MODE);
    assert_int_equal(get(CSR_PROF_UMODE), PROF_MODE_ENABLE);
    assert_int_equal(pmu.mode, PROF_MODE_ENABLE | PROF_MODE_CLAIM);
    set(CSR_PROF_UMODE, 0);
    assert_int_equal(pmu.mode, PROF_MODE_CLAIM);
    assert_int_equal(set(CSR_PROF_USYNC, 0), PMU_CHANGED_SEGMENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_mode_register_has_a_supervisor_alias),
        TEST(listeners_of_the_thread_register_are_told_of_every_write),
        TEST(a_scheduler_saves_and_restores_the_toggle_flag),
        TEST(a_scheduler_sees_what_a_thread_has_in_use),
        TEST(a_scheduler_reaches_what_can_be_a_threads_and_nothing_else),
        TEST(the_processor_says_its_line_sizes),
        TEST(user_mode_programs_the_counters_it_is_let),
        TEST(user_mode_switches_marks_and_nothing_else_of_the_mode),
        TEST(every_indexed_register_keeps_its_own_value),
        TEST(indices_without_a_register_read_zero_and_ignore_writes),
        TEST(thresholds_reset_to_10_50_100),
        TEST(writing_a_segment_register_is_reported),
        TEST(setting_a_range_makes_the_pmu_watch_and_clearing_it_stops),
        TEST(moving_a_range_makes_the_next_instruction_an_entry),
        TEST(the_oldest_indicator_shows_until_it_is_acknowledged),
        TEST(the_queue_wraps_around_in_order),
        TEST(the_monitors_registers_are_the_harts),
        TEST(other_csr_numbers_are_not_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
