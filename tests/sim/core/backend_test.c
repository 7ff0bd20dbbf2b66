/* Settings of the out-of-order back end, on loops whose cycles can be counted by hand. */
#include "tests/sim/core/rig.h"

static uint32_t slli(uint32_t rd, uint32_t rs1, uint32_t amount)
{
    return r_type(0, amount, rs1, 1, rd, 0x13);
}

/* ---- queues and ports ------------------------------------------------------------------------ */

#define ONE_QUEUE "issue.queues=all:16"

static void a_port_of_several_classes_starts_one_of_them_a_cycle(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), mul(11, 6, 7), addi(12, 0, 1), mul(13, 6, 7), addi(14, 0, 1), mul(15, 6, 7),
    };
    /* six and the counter on one port, the branch beside them */
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE, "issue.ports=int+complex branch mem fp"),
                                          body, 6), 700);
    /* three multiplications on one, four additions on the other */
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int complex branch mem fp"),
                                          body, 6), 400);
}

static void shifts_can_have_fewer_ports_than_additions(void **state)
{
    (void)state;
    const uint32_t body[] = {
        slli(10, 6, 1), slli(11, 6, 1), slli(12, 6, 1), slli(13, 6, 1), addi(14, 0, 1),
    };
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int alu branch complex mem fp"),
                                          body, 5), 400);
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int int branch complex mem fp"),
                                          body, 5), 300);
}

static void a_port_bound_to_a_queue_takes_nothing_from_another(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), addi(11, 0, 1), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1),
    };
    const char *queues = "issue.queues=int:8 branch+complex+mem+fp:16";
    assert_int_equal(warm_cycles(SETTINGS(queues, "issue.ports=all@1 int@0"), body, 5),
                     600);
    assert_int_equal(warm_cycles(SETTINGS(queues, "issue.ports=all@1 int int"), body, 5),
                     300);
}

static void queues_of_one_class_share_its_instructions(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), addi(11, 0, 1), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1),
    };
    assert_int_equal(warm_cycles(
                         SETTINGS("issue.queues=int:8 int:8 branch+complex+mem+fp:16",
                                  "issue.ports=int@0 int@1 branch complex mem fp"), body, 5), 300);
}

static void a_divider_need_not_keep_its_port(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(10, 6, 7), mul(11, 6, 7), mul(12, 6, 7)};
    assert_int_equal(warm_cycles(SETTINGS("latency.div=12"), body, 3), 1400);
    assert_int_equal(warm_cycles(SETTINGS("latency.div=12",
                                                   "issue.iterative_blocks_port=false"), body, 3),
                     1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_of_several_classes_starts_one_of_them_a_cycle),
        cmocka_unit_test(shifts_can_have_fewer_ports_than_additions),
        cmocka_unit_test(a_port_bound_to_a_queue_takes_nothing_from_another),
        cmocka_unit_test(queues_of_one_class_share_its_instructions),
        cmocka_unit_test(a_divider_need_not_keep_its_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
