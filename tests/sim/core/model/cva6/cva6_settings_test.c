/* CVA6: the settings that its settings need. */
#include "tests/sim/core/model/refused.h"
#include "tests/sim/core/rig.h"

static void loads_are_cancelled_where_misses_are_late(void **state)
{
    (void)state;
    assert_string_equal(refused(SETTINGS("core.kind=in_order", "cva6.cancelled_loads=true")),
                        "cva6.cancelled_loads = true needs cva6.late_miss");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_cancelled_where_misses_are_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
