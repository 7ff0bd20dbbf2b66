/* A scheduler's records as sections: the example of the active-time text, as records of a
 * kernel. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "prof/active/active.h"
#include "prof/active/active_records.h"

static struct diag diag;

static struct kernel_record at(uint64_t cycle, unsigned event, unsigned thread, unsigned other,
                               uint64_t value)
{
    return (struct kernel_record){.cycle = cycle, .event = (uint8_t)event, .thread = thread,
                                  .other = other, .value = value};
}

static void probes_and_switches_make_the_example_of_the_text(void **state)
{
    const struct kernel_record record[] = {
        at(800, KERNEL_SWITCH, 0, 1001, 0), at(900, KERNEL_ENTER, 1001, 1, 0),
        at(1000, KERNEL_SWITCH, 1001, 1002, 0), at(1010, KERNEL_ENTER, 1002, 1, 0),
        at(1100, KERNEL_LEAVE, 1002, 1, 0), at(1190, KERNEL_SWITCH, 1002, 1001, 0),
        at(1200, KERNEL_ENTER, 1001, 1, 1), at(1225, KERNEL_SWITCH, 1001, 0, 0),
        at(1411, KERNEL_SWITCH, 0, 1001, 0), at(1500, KERNEL_LEAVE, 1001, 1, 1),
        at(1550, KERNEL_LEAVE, 1001, 1, 0), at(1560, KERNEL_WAKE, 1002, 1001, 0),
    };
    static const char *const name[] = {"F", "G"};
    struct active_sum sum[2], all;
    struct timeline timeline;
    struct active active;

    (void)state;
    timeline_init(&timeline);
    timeline.overhead[TIMELINE_ENTER] = 2;      /* beside what each record tells: 1 */
    timeline.overhead[TIMELINE_LEAVE] = 1;
    assert_int_equal(active_add_records(&timeline, record, sizeof record / sizeof record[0], name,
                                        &diag), ERR_OK);
    assert_int_equal(active_make(&active, &timeline, &diag), ERR_OK);
    active_sum(&active, (uint32_t)names_find(&timeline.name, "F"), sum, &all);
    assert_int_equal(sum[0].total[ACTIVE_ELAPSED], 650);
    assert_int_equal(sum[0].total[ACTIVE_SWAPPED_OUT], 376);
    assert_int_equal(sum[0].total[ACTIVE_OVERHEAD], 8);
    assert_int_equal(sum[0].total[ACTIVE_ACTIVE], 266);
    assert_int_equal(sum[1].total[ACTIVE_ACTIVE], 90 - 3);
    assert_int_equal(all.activations, 2);
    active_free(&active);
    timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_and_switches_make_the_example_of_the_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
