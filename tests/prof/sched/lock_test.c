/* Waits for locks, from records. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "prof/sched/lock.h"

static struct diag diag;

static struct kernel_record at(uint64_t cycle, unsigned event, unsigned thread, unsigned reason,
                               uint64_t value)
{
    return (struct kernel_record){
        .cycle = cycle, .event = (uint8_t)event, .thread = thread, .reason = (uint8_t)reason,
        .value = value,
    };
}

static void waits_go_to_their_lock_and_end_with_the_wake(void **state)
{
    struct kernel_record record[] = {
        at(10, KERNEL_BLOCK, 1, KERNEL_REASON_LOCK, 0x100),
        at(20, KERNEL_BLOCK, 2, KERNEL_REASON_LOCK, 0x200),
        at(25, KERNEL_BLOCK, 3, KERNEL_REASON_SLEEP, 0x300), at(30, KERNEL_WAKE, 2, 0, 0),
        at(60, KERNEL_WAKE, 1, 0, 0), at(70, KERNEL_BLOCK, 2, KERNEL_REASON_LOCK, 0x100),
        at(75, KERNEL_WAKE, 3, 0, 0),
    };
    struct locks locks;

    (void)state;
    assert_int_equal(locks_make(&locks, record, sizeof record / sizeof record[0], 100, NULL,
                                &diag),
                     ERR_OK);
    assert_int_equal(locks.rows, 2);
    assert_int_equal(locks.row[0].address, 0x100);
    assert_int_equal(locks.row[0].waits, 2);
    assert_int_equal(locks.row[0].total, 50 + 30);
    assert_int_equal(locks.row[0].longest, 50);
    assert_int_equal(locks.row[1].address, 0x200);
    assert_int_equal(locks.row[1].total, 10);
    locks_free(&locks);
}

static struct monitor_stack stack_of(unsigned long long leaf)
{
    return (struct monitor_stack){.address = {leaf, 0x10}, .depth = 2};
}

static void waits_are_divided_by_the_stack_with_which_the_thread_left(void **state)
{
    const struct kernel_record record[] = {
        at(10, KERNEL_BLOCK, 1, KERNEL_REASON_LOCK, 0x100), at(30, KERNEL_WAKE, 1, 0, 0),
        at(40, KERNEL_BLOCK, 1, KERNEL_REASON_LOCK, 0x100), at(45, KERNEL_WAKE, 1, 0, 0),
        at(50, KERNEL_BLOCK, 1, KERNEL_REASON_LOCK, 0x100), at(90, KERNEL_WAKE, 1, 0, 0),
        at(60, KERNEL_BLOCK, 2, KERNEL_REASON_LOCK, 0x100),
        at(30, KERNEL_WAKE, 2, 0, 0),       /* by a hart whose clock is late: after 0 */
    };
    const struct monitor_stack a = stack_of(0xa0), b = stack_of(0xb0);
    struct lock_stacks stacks = {.stacks = 0};
    struct locks locks;

    (void)state;
    assert_true(lock_stacks_add(&stacks, 2, 61, &b));
    assert_true(lock_stacks_add(&stacks, 1, 12, &a));
    assert_true(lock_stacks_add(&stacks, 1, 52, &a));   /* the second wait ended before it left */
    assert_int_equal(stacks.stacks, 2);
    assert_int_equal(locks_make(&locks, record, sizeof record / sizeof record[0], 100, &stacks,
                                &diag), ERR_OK);
    assert_int_equal(locks.rows, 1);
    assert_int_equal(locks.row[0].total, 20 + 5 + 40 + 0);
    assert_int_equal(locks.row[0].stacks, 3);
    assert_int_equal(locks.by_stack[0].total, 20 + 40);
    assert_int_equal(stacks.stack[locks.by_stack[0].stack].address[0], 0xa0);
    assert_int_equal(locks.by_stack[1].total, 5);
    assert_int_equal(locks.by_stack[1].stack, LOCK_NO_STACK);
    assert_int_equal(locks.by_stack[2].total, 0);
    assert_int_equal(stacks.stack[locks.by_stack[2].stack].address[0], 0xb0);
    locks_free(&locks);
    lock_stacks_free(&stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_go_to_their_lock_and_end_with_the_wake),
        cmocka_unit_test(waits_are_divided_by_the_stack_with_which_the_thread_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
