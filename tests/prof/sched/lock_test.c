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
    assert_int_equal(locks_make(&locks, record, sizeof record / sizeof record[0], 100, &diag),
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_go_to_their_lock_and_end_with_the_wake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
