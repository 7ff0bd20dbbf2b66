/* Records of the monitor: samples with equal stacks share one, a full table drops new ones, and the
 * sizes are those of the ABI. The table is made by hand, without guest memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pmu/monitor/monitor.h"

enum { SLOTS = 8 };

/* A header with its records after it. */
static struct monitor_header *new_table(void)
{
    struct monitor_header *header =
        calloc(1, sizeof *header + SLOTS * sizeof(struct monitor_record));

    assert_non_null(header);
    header->slots = SLOTS;
    return header;
}

static void equal_stacks_share_a_record_and_others_do_not(void **state)
{
    struct monitor_header *table = new_table();
    struct monitor_sample sample = {.iaddr = 0x100, .count = 14, .cycles = 9, .insns = 50,
                                    .daddr = 0x77, .flags = MARK_INTERRUPT};
    struct monitor_stack stack = {.address = {0x104, 0x200, 0x300}, .depth = 3};

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        monitor_store(table, &sample, &stack);
    stack.address[2] = 0x304;
    monitor_store(table, &sample, &stack);
    stack.depth = 2;
    monitor_store(table, &sample, &stack);
    sample.iaddr = 0x108;
    monitor_store(table, &sample, &stack);
    assert_int_equal(table->used, 4);
    assert_int_equal(table->interrupts, 6);
    stack.address[2] = 0x300;
    stack.depth = 3;
    sample.iaddr = 0x100;
    const struct monitor_record *record = monitor_find(table, &sample, &stack);
    assert_int_equal(record->samples, 3);
    assert_int_equal(record->count_sum, 42);
    assert_int_equal(record->cycles_sum, 27);
    assert_int_equal(record->insns_sum, 150);
    assert_int_equal(record->daddr_last, 0x77);
    assert_int_equal(record->depth, 3);
    assert_int_equal(record->stack[1], 0x200);
    free(table);
}

static void traps_at_one_place_are_records_by_their_cause(void **state)
{
    struct monitor_header *table = new_table();
    struct monitor_sample sample = {.iaddr = 0x100, .insns = 5,
                                    .flags = IND_KIND_SYSCALL << IND_KIND_SHIFT};
    struct monitor_stack stack = {.address = {0x100}, .depth = 1};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        sample.count = 8 | (unsigned long long)(i % 2 + 63) << IND_NUMBER_SHIFT;
        monitor_store(table, &sample, &stack);
    }
    assert_int_equal(table->used, 2);
    const struct monitor_record *record = monitor_find(table, &sample, &stack);
    assert_int_equal(record->samples, 3);
    assert_int_equal(IND_CAUSE(record->count_sum), 8);
    assert_int_equal(IND_NUMBER(record->count_sum), 64);
    assert_int_equal(record->insns_sum, 15);
    free(table);
}

static void marks_of_code_and_of_data_at_one_instruction_are_two_records(void **state)
{
    struct monitor_header *table = new_table();
    struct monitor_sample sample = {.iaddr = 0x100, .count = 14, .flags = MARK_INTERRUPT};
    struct monitor_stack stack = {.address = {0x100}, .depth = 1};
    const struct monitor_record *code;

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        sample.flags = MARK_INTERRUPT | (i % 2 != 0 ? MARK_DATA : 0);
        monitor_store(table, &sample, &stack);
    }
    assert_int_equal(table->used, 2);
    code = monitor_find(table, &sample, &stack);
    assert_int_equal(code->samples, 3);
    assert_int_equal(code->flags & MARK_DATA, 0);
    sample.flags |= MARK_DATA;
    assert_int_equal(monitor_find(table, &sample, &stack)->samples, 2);
    free(table);
}

static void late_indicators_share_out_what_executed(void **state)
{
    unsigned long long last = 100;

    (void)state;
    assert_int_equal(monitor_insns_until(&last, 130), 30);
    assert_int_equal(monitor_insns_until(&last, 120), 0);
    assert_int_equal(monitor_insns_until(&last, 131), 1);
}

static void a_full_table_drops_new_stacks_and_keeps_counting_old_ones(void **state)
{
    struct monitor_header *table = new_table();
    struct monitor_sample sample = {.flags = MARK_INTERRUPT};
    struct monitor_stack stack = {.depth = 1};

    (void)state;
    for (unsigned i = 0; i < SLOTS + 3; i++) {
        stack.address[0] = i;
        monitor_store(table, &sample, &stack);
    }
    assert_int_equal(table->used, SLOTS);
    assert_int_equal(table->dropped, 3);
    stack.address[0] = 2;
    monitor_store(table, &sample, &stack);
    assert_int_equal(table->dropped, 3);
    assert_int_equal(table->interrupts, SLOTS + 4);
    free(table);
}

static void records_have_the_size_of_the_abi(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct monitor_record), 560);
    assert_int_equal(sizeof(struct monitor_header), 64);
    assert_int_equal(sizeof(struct perfinst_item), 32);
    assert_int_equal(sizeof(struct perfinst_block), 16);
    assert_true(MONITOR_STACK_BYTES + sizeof(struct monitor_hart) <= 4096);
    assert_int_equal(MONITOR_STACK_BYTES % 16, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_share_a_record_and_others_do_not),
        cmocka_unit_test(traps_at_one_place_are_records_by_their_cause),
        cmocka_unit_test(marks_of_code_and_of_data_at_one_instruction_are_two_records),
        cmocka_unit_test(late_indicators_share_out_what_executed),
        cmocka_unit_test(a_full_table_drops_new_stacks_and_keeps_counting_old_ones),
        cmocka_unit_test(records_have_the_size_of_the_abi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
