/* Groups of decode enter the issue queues together. */
#include "tests/sim/core/rig.h"

/* A queue of two with its port: a round needs both places, and two cycles of the port. A place is
 * free one cycle after issue. So the two places are free 2 and 3 cycles after the cycle in which
 * they were taken. */
static void instructions_decoded_together_enter_the_queues_together(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(10, 0, 1)};
    const char *queues = "issue.queues=int:2 branch+complex+mem+fp:16";
    const char *ports = "issue.ports=int@0 all@1", *release = "issue.release_cycles=1";
    const char *width = "decode.width=3";
    assert_int_equal(warm_cycles(SETTINGS(queues, ports, release, width, "c910.groups=parts"),
                                 body, 1), 200);
    assert_int_equal(warm_cycles(SETTINGS(queues, ports, release, width, "c910.groups=whole"),
                                 body, 1), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_decoded_together_enter_the_queues_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
