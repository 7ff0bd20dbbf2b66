/* Marks at commit: order, thresholds, limits, the contents of an indicator, several items of an
 * access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/profile/marks.h"

enum { LINE = 64, RAM_BYTES = 1 << 20, GRANULE = 4 };

#define CODE        (PHYS_RAM_BASE + 0x1000)
#define DATUM       (PHYS_RAM_BASE + 0x2000)
#define TABLE_CODE  (PHYS_RAM_BASE + 0x10000)
#define TABLE_DATUM (PHYS_RAM_BASE + 0x10100)
#define BLOCK_CODE  (PHYS_RAM_BASE + 0x11000)
#define BLOCK_DATUM (PHYS_RAM_BASE + 0x12000)

static struct config config;
static struct phys phys;
static struct cpu cpu;

static void put_table(uint64_t table, uint64_t block, unsigned granule_log2)
{
    struct perfinst_block head = {.items = LINE >> granule_log2,
                                  .granule_log2 = (unsigned char)granule_log2};

    assert_true(phys_copy_in(&phys, table, &block, sizeof block));
    assert_true(phys_copy_in(&phys, block, &head, sizeof head));
}

static uint64_t item_at(uint64_t block, unsigned index)
{
    return block + sizeof(struct perfinst_block) + index * sizeof(struct perfinst_item);
}

static void mark_code(unsigned index, struct perfinst_item item)
{
    assert_true(phys_copy_in(&phys, item_at(BLOCK_CODE, index), &item, sizeof item));
}

static void mark_datum(unsigned index, struct perfinst_item item)
{
    assert_true(phys_copy_in(&phys, item_at(BLOCK_DATUM, index), &item, sizeof item));
}

static struct perfinst_item read_item(uint64_t block, unsigned index)
{
    struct perfinst_item item;

    shadow_flush(cpu.ishadow);
    shadow_flush(cpu.dshadow);
    assert_true(phys_copy_out(&phys, item_at(block, index), &item, sizeof item));
    return item;
}

static int fresh(void **state)
{
    static const uint64_t segment[2][4] = {{CODE, LINE, TABLE_CODE, PROF_SEGMENT_TEXT},
                                           {DATUM, LINE, TABLE_DATUM, PROF_SEGMENT_DATA}};

    (void)state;
    config_init(&config);
    if (!phys_init(&phys, RAM_BYTES) || !cpu_init(&cpu, &config, &phys, 0))
        return -1;
    put_table(TABLE_CODE, BLOCK_CODE, 1);
    put_table(TABLE_DATUM, BLOCK_DATUM, 2);
    memcpy(cpu.pmu.segment, segment, sizeof segment);
    cpu.pmu.mode = PROF_MODE_ENABLE;
    cpu_profiling_changed(&cpu);
    return 0;
}

static int done(void **state)
{
    (void)state;
    cpu_free(&cpu);
    phys_free(&phys);
    return 0;
}

/* Commits the instruction at CODE + pc; *retire gets the instruction and its events. */
static bool commit(struct retire *retire, uint64_t pc)
{
    struct mark imark, dmark;
    bool has_imark, has_dmark, pending;

    retire->pc = retire->pa = CODE + pc;
    retire->events |= EVENT_BIT(INSNS_RETIRED);
    has_imark = shadow_mark(cpu.ishadow, SHADOW_NO_FRAME, retire->pa, &imark);
    has_dmark = retire->access_bytes != 0 &&
                shadow_access_mark(cpu.dshadow, SHADOW_NO_FRAME, retire->data_pa,
                                   retire->access_bytes, &dmark);
    pending = cpu_apply_marks(&cpu, retire, &(struct marking){
                                                .insn = has_imark ? &imark : NULL,
                                                .datum = has_dmark ? &dmark : NULL,
                                                .iframe = SHADOW_NO_FRAME,
                                                .dframe = SHADOW_NO_FRAME,
                                            });
    if (cpu.pmu.watching != 0)
        pmu_retire(&cpu.pmu, retire);
    return pending;
}

static uint64_t run(uint64_t pc, uint32_t latency)
{
    struct retire retire = {.latency_cycles = latency};

    commit(&retire, pc);
    return retire.events & ~EVENT_BIT(INSNS_RETIRED);
}

static const struct indicator *last_indicator(void)
{
    assert_true(cpu.pmu.queue_length > 0);
    return &cpu.pmu.queue[(cpu.pmu.queue_head + cpu.pmu.queue_length - 1) % PMU_QUEUE];
}

static void count_marks_the_instruction_and_nothing_else_does(void **state)
{
    struct retire retire = {0};

    (void)state;
    mark_code(2, (struct perfinst_item){.flags = MARK_COUNT});
    mark_code(4, (struct perfinst_item){.flags = MARK_COUNTER});
    commit(&retire, 4);
    assert_true(retire.is_marked);
    assert_int_equal(retire.events, EVENT_BIT(INSNS_RETIRED) | EVENT_BIT(MARKED_INSNS));
    retire = (struct retire){0};
    commit(&retire, 8);
    assert_false(retire.is_marked);
    assert_int_equal(read_item(BLOCK_CODE, 4).count, 1);
}

static void marks_are_ignored_when_switched_off_or_in_the_monitor(void **state)
{
    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_COUNT | MARK_COUNTER | MARK_INTERRUPT});
    cpu.hart.in_monitor = true;
    assert_int_equal(run(0, 1), 0);
    cpu.hart.in_monitor = false;
    cpu.pmu.mode = 0;
    cpu_profiling_changed(&cpu);
    assert_false(cpu.marks_on);
    assert_int_equal(run(0, 1), 0);
    assert_int_equal(read_item(BLOCK_CODE, 0).count, 0);
    assert_int_equal(cpu.pmu.queue_length, 0);
}

static void a_threshold_lets_through_only_what_is_slower(void **state)
{
    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_COUNT | MARK_COUNTER | MARK_THRESHOLD,
                                        .latency_cycles = 100});
    assert_int_equal(run(0, 100), 0);
    assert_int_equal(run(0, 101), EVENT_BIT(MARKED_INSNS) | EVENT_BIT(LATENCY_EXCEEDED));
    assert_int_equal(read_item(BLOCK_CODE, 0).count, 1);
}

static void threshold_bits_add_up_their_registers(void **state)
{
    static const struct { uint8_t bits; uint32_t cycles; } set[] = {
        {1, 10}, {2, 50}, {3, 60}, {4, 100}, {5, 110}, {6, 150}, {7, 160}};

    (void)state;
    for (unsigned i = 0; i < sizeof set / sizeof set[0]; i++) {
        mark_code(i, (struct perfinst_item){.flags = MARK_THRESHOLD, .latency_bits = set[i].bits});
        assert_int_equal(run(2 * i, set[i].cycles), 0);
        assert_int_equal(run(2 * i, set[i].cycles + 1), EVENT_BIT(LATENCY_EXCEEDED));
    }
    cpu.pmu.latency[0] = 500;
    assert_int_equal(run(0, 500), 0);
    assert_int_equal(run(0, 501), EVENT_BIT(LATENCY_EXCEEDED));
}

static void an_interrupt_mark_raises_each_time_and_says_where(void **state)
{
    struct retire retire = {.va = 0x1234, .access_bytes = 8, .latency_cycles = 33,
                            .data_pa = PHYS_RAM_BASE};

    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_INTERRUPT});
    assert_true(commit(&retire, 0));
    assert_int_equal(last_indicator()->iaddr, CODE);
    assert_int_equal(last_indicator()->daddr, 0x1234);
    assert_int_equal(last_indicator()->cycles, 33);
    assert_int_equal(last_indicator()->count, 0);
    assert_int_equal(last_indicator()->flags, MARK_INTERRUPT);
    assert_true((cpu.hart.irq_lines >> IRQ_INDICATOR & 1) != 0);
    run(0, 1);
    assert_int_equal(last_indicator()->daddr, 0);
    assert_int_equal(cpu.pmu.queue_length, 2);
    assert_int_equal(cpu.pmu.events[EVENT_INDICATOR_INTERRUPTS], 2);
    assert_int_equal(read_item(BLOCK_CODE, 0).interrupts, 2);
}

static void a_limit_raises_when_passed_and_carries_the_count(void **state)
{
    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_COUNTER | MARK_INTERRUPT, .limit = 13});
    for (unsigned i = 1; i <= 28; i++) {
        bool is_due = i % 14 == 0;
        assert_int_equal(run(0, 1), is_due ? EVENT_BIT(COUNT_EXCEEDED) : 0);
        assert_int_equal(cpu.pmu.queue_length, i / 14);
    }
    assert_int_equal(last_indicator()->count, 14);
    assert_int_equal(read_item(BLOCK_CODE, 0).cleared, 28);
    assert_int_equal(read_item(BLOCK_CODE, 0).interrupts, 2);
}

static void a_counter_without_limit_tells_its_count_with_each_interrupt(void **state)
{
    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_COUNTER | MARK_INTERRUPT});
    run(0, 1);
    run(0, 1);
    assert_int_equal(last_indicator()->count, 2);
    assert_int_equal(cpu.pmu.queue_length, 2);
}

static void a_limit_without_interrupt_signals_and_clears(void **state)
{
    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_COUNTER, .limit = 1});
    assert_int_equal(run(0, 1), 0);
    assert_int_equal(run(0, 1), EVENT_BIT(COUNT_EXCEEDED));
    assert_int_equal(cpu.pmu.queue_length, 0);
    assert_int_equal(read_item(BLOCK_CODE, 0).count, 0);
}

static void start_counts_itself_and_stop_does_not(void **state)
{
    uint64_t value;

    (void)state;
    mark_code(2, (struct perfinst_item){.flags = MARK_START});
    mark_code(6, (struct perfinst_item){.flags = MARK_STOP});
    mark_code(10, (struct perfinst_item){.flags = MARK_TOGGLE});
    pmu_csr_write(&cpu.pmu, 0x323, EVENT_INSNS_RETIRED | PMU_FILTER_TOGGLE << PMU_FILTER_SHIFT);
    for (unsigned pc = 0; pc < 20; pc += 2)
        run(pc, 1);
    pmu_csr_read(&cpu.pmu, 0xb03, &value);
    assert_int_equal(value, 4);
    run(20, 1);
    pmu_csr_read(&cpu.pmu, 0xb03, &value);
    assert_int_equal(value, 5);
    run(20, 1);
    pmu_csr_read(&cpu.pmu, 0xb03, &value);
    assert_int_equal(value, 5);
}

static struct retire access_to(unsigned offset, unsigned bytes, uint32_t cycles)
{
    return (struct retire){.va = DATUM + offset, .data_pa = DATUM + offset,
                           .access_bytes = (uint8_t)bytes, .access_cycles = cycles,
                           .latency_cycles = 1};
}

static void an_access_counts_in_every_item_it_touches(void **state)
{
    struct retire retire = access_to(6, 8, 1);

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        mark_datum(i, (struct perfinst_item){.flags = i == 2 ? 0 : MARK_COUNTER});
    commit(&retire, 0);
    assert_int_equal(read_item(BLOCK_DATUM, 0).count, 0);
    assert_int_equal(read_item(BLOCK_DATUM, 1).count, 1);
    assert_int_equal(read_item(BLOCK_DATUM, 3).count, 1);
    assert_int_equal(read_item(BLOCK_DATUM, 4).count, 0);
    retire = access_to(5, 1, 1);
    commit(&retire, 0);
    assert_int_equal(read_item(BLOCK_DATUM, 1).count, 2);
}

/* Bare translation: the next page is the next physical one. */
static void an_access_across_pages_counts_on_both_sides(void **state)
{
    const struct perfinst_item counter = {.flags = MARK_COUNTER};
    uint64_t last_line = DATUM + PHYS_PAGE_BYTES - LINE;
    struct retire retire = {.va = DATUM + PHYS_PAGE_BYTES - 4, .access_bytes = 8,
                            .data_pa = DATUM + PHYS_PAGE_BYTES - 4};

    (void)state;
    cpu.pmu.segment[1][0] = last_line;
    cpu.pmu.segment[1][1] = 2 * LINE;
    put_table(TABLE_DATUM + 8, BLOCK_DATUM + 0x1000, 2);
    cpu_profiling_changed(&cpu);
    mark_datum(15, counter);
    assert_true(phys_copy_in(&phys, item_at(BLOCK_DATUM + 0x1000, 0), &counter, sizeof counter));
    commit(&retire, 0);
    assert_int_equal(read_item(BLOCK_DATUM, 15).count, 1);
    assert_int_equal(read_item(BLOCK_DATUM + 0x1000, 0).count, 1);
}

static void a_data_mark_measures_the_access_and_names_its_address(void **state)
{
    struct retire retire = access_to(4, 4, 80);

    (void)state;
    mark_datum(1, (struct perfinst_item){.flags = MARK_INTERRUPT | MARK_THRESHOLD | MARK_COUNT,
                                         .latency_cycles = 50});
    commit(&retire, 0);
    assert_int_equal(retire.events, EVENT_BIT(INSNS_RETIRED) | EVENT_BIT(MARKED_DATA) |
                                        EVENT_BIT(LATENCY_EXCEEDED));
    assert_int_equal(last_indicator()->cycles, 80);
    assert_int_equal(last_indicator()->daddr, DATUM + 4);
    assert_true((last_indicator()->flags & MARK_DATA) != 0);
    retire = access_to(4, 4, 50);
    commit(&retire, 0);
    assert_int_equal(cpu.pmu.queue_length, 1);
}

static void the_instructions_label_goes_before_that_of_its_datum(void **state)
{
    struct retire retire = access_to(0, 4, 1);

    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_LABEL, .label = 5});
    mark_datum(0, (struct perfinst_item){.flags = MARK_LABEL, .label = 6});
    commit(&retire, 0);
    assert_int_equal(retire.label, 5);
    retire = access_to(0, 4, 1);
    commit(&retire, 2);
    assert_int_equal(retire.label, 6);
}

static void pages_with_marked_data_are_flagged_when_segments_are_registered(void **state)
{
    (void)state;
    assert_true((phys_flags(&phys, DATUM) & PHYS_META_DATA) != 0);
    assert_false((phys_flags(&phys, CODE) & PHYS_META_DATA) != 0);
    assert_false((phys_flags(&phys, DATUM + 0x1000) & PHYS_META_DATA) != 0);
}

static void segments_with_absurd_registers_do_no_harm(void **state)
{
    static const uint64_t bad[][4] = {
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, PROF_SEGMENT_DATA},
        {0, UINT64_MAX, TABLE_DATUM, PROF_SEGMENT_DATA},
        {PHYS_RAM_BASE, UINT64_C(1) << 62, TABLE_DATUM, PROF_SEGMENT_DATA},
        {CODE, LINE, 3, PROF_SEGMENT_TEXT},
    };

    (void)state;
    memcpy(cpu.pmu.segment, bad, sizeof bad);
    cpu_profiling_changed(&cpu);
    assert_int_equal(run(0, 1), 0);
}

/* ---- how thresholds are measured ------------------------------------------------------------- */

static void mark_slow_code(void)
{
    for (unsigned i = 0; i < 4; i++)
        mark_code(i, (struct perfinst_item){.flags = MARK_THRESHOLD | MARK_COUNT | MARK_INTERRUPT |
                                                     MARK_COUNTER,
                                            .latency_cycles = 20});
}

/* Events of the instruction at CODE + pc, 30 cycles long, in this group and slot. */
static uint64_t run_slow(uint64_t pc, uint64_t group, uint8_t slot)
{
    struct retire retire = {.latency_cycles = 30, .group = group, .slot = slot};

    commit(&retire, pc);
    return retire.events & ~EVENT_BIT(INSNS_RETIRED);
}

static void t3_each_slow_instruction_signals_for_itself(void **state)
{
    (void)state;
    mark_slow_code();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(run_slow(2 * i, 1, 0),
                         EVENT_BIT(LATENCY_EXCEEDED) | EVENT_BIT(MARKED_INSNS));
    assert_int_equal(cpu.pmu.queue_length, 4);
}

static void t3_a_group_signals_once_and_counts_each(void **state)
{
    (void)state;
    mark_slow_code();
    cpu.pmu.measure = PROF_MEASURE_GROUP;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(run_slow(2 * i, 1 + i / 3, 0),
                         EVENT_BIT(LATENCY_EXCEEDED) |
                             (i % 3 == 0 ? EVENT_BIT(MARKED_INSNS) : 0));
    assert_int_equal(cpu.pmu.queue_length, 2);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(read_item(BLOCK_CODE, i).count, 1);
}

static void t3_a_sample_sees_one_slot(void **state)
{
    (void)state;
    mark_slow_code();
    cpu.pmu.measure = PROF_MEASURE_SAMPLE | 5 << PROF_MEASURE_SLOT_SHIFT;
    for (unsigned slot = 0; slot < 256; slot++)
        assert_int_equal(run_slow(0, slot + 1, (uint8_t)slot) != 0, slot == 5);
    assert_int_equal(cpu.pmu.queue_length, 1);
    assert_int_equal(read_item(BLOCK_CODE, 0).count, 1);
}

static void t2_an_indicator_says_which_level_answered(void **state)
{
    struct retire retire = {.latency_cycles = 9, .level = IND_LEVEL_L3};

    (void)state;
    mark_code(0, (struct perfinst_item){.flags = MARK_INTERRUPT});
    commit(&retire, 0);
    assert_int_equal(cpu.pmu.queue[0].level, IND_LEVEL_L3);
    assert_int_equal(cpu.pmu.queue[0].cycles, 9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(count_marks_the_instruction_and_nothing_else_does),
        TEST(marks_are_ignored_when_switched_off_or_in_the_monitor),
        TEST(a_threshold_lets_through_only_what_is_slower),
        TEST(threshold_bits_add_up_their_registers),
        TEST(an_interrupt_mark_raises_each_time_and_says_where),
        TEST(a_limit_raises_when_passed_and_carries_the_count),
        TEST(a_counter_without_limit_tells_its_count_with_each_interrupt),
        TEST(a_limit_without_interrupt_signals_and_clears),
        TEST(start_counts_itself_and_stop_does_not),
        TEST(an_access_counts_in_every_item_it_touches),
        TEST(an_access_across_pages_counts_on_both_sides),
        TEST(a_data_mark_measures_the_access_and_names_its_address),
        TEST(the_instructions_label_goes_before_that_of_its_datum),
        TEST(pages_with_marked_data_are_flagged_when_segments_are_registered),
        TEST(segments_with_absurd_registers_do_no_harm),
        TEST(t3_each_slow_instruction_signals_for_itself),
        TEST(t3_a_group_signals_once_and_counts_each),
        TEST(t3_a_sample_sees_one_slot),
        TEST(t2_an_indicator_says_which_level_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
