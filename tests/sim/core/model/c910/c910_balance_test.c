/* Groups of instructions and the places that they take together, on loops whose cycles can be
 * counted by hand. */
#include "tests/sim/core/rig.h"

#define QUEUE "issue.queues=all:16"

static void a_queue_takes_a_limited_number_of_a_group_at_once(void **state)
{
    (void)state;
    /* a group of four with the counter and the branch, three of them to the integer queue */
    const uint32_t body[] = {addi(11, 0, 1), addi(12, 0, 1)};
#define WHOLE "c910.groups=whole", "fetch.bytes=32", "fetch.width=8"
    assert_int_equal(warm_cycles(SETTINGS(WHOLE), body, 2), 100);
    assert_int_equal(warm_cycles(SETTINGS(WHOLE, "c910.per_queue=3"), body, 2), 100);
    assert_int_equal(warm_cycles(SETTINGS(WHOLE, "c910.per_queue=2"), body, 2), 200);
    /* loads have a queue of their own */
    const uint32_t mixed[] = {addi(11, 0, 1), load(12, 9, 0)};
    assert_int_equal(warm_cycles(SETTINGS(WHOLE, "c910.per_queue=2"), mixed, 2), 100);
}

static void the_rest_of_a_group_goes_with_the_next(void **state)
{
    (void)state;
    /* Two of three go; the third goes together with the three after it, if four can go in a
     * cycle. */
    uint32_t body[10];
    for (unsigned i = 0; i < 10; i++)
        body[i] = addi(11 + i, 0, 1);
    const char *rows = "decode.width=3", *most = "c910.per_queue=2";
    assert_int_equal(warm_cycles(SETTINGS(WHOLE, rows, most, "dispatch.width=4"), body, 10), 600);
    assert_int_equal(warm_cycles(SETTINGS(WHOLE, rows, most, "dispatch.width=3"), body, 10), 700);
}

static void computing_operations_can_share_an_entry_of_the_reorder_buffer(void **state)
{
    (void)state;
    /* A division of twelve cycles; after it the buffer of four entries takes three
     * multiplications, or three groups of them. */
    uint32_t body[14] = {divide(12, 6, 7)};
    for (unsigned i = 1; i < 14; i++)
        body[i] = mul(13 + i % 4, 6, 7);
#define SMALL "rob.entries=4", "c910.fold=4", "unit.complexes=4", "issue.complex_queue=32"
    assert_true(warm_cycles(SETTINGS(SMALL, "c910.folds=computing"), body, 14) <
                warm_cycles(SETTINGS(SMALL), body, 14));
    /* simple operations share their entries either way */
    const uint32_t simple[] = {addi(11, 0, 1), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1)};
    assert_int_equal(warm_cycles(SETTINGS(SMALL, "c910.folds=computing"), simple, 4),
                     warm_cycles(SETTINGS(SMALL), simple, 4));
}

static void addresses_of_code_keep_their_port(void **state)
{
    (void)state;
    const char *port = "issue.ports=int mul branch div mem fp", *holds = "c910.pc_holds=1";
    const uint32_t auipc[] = {11u << 7 | 0x17, addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1)};
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port), auipc, 4), 500);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, holds), auipc, 4), 600);
    /* a return address takes a cycle of the port and keeps it for another */
    uint32_t call[10] = {jal(1, 4)};
    for (unsigned i = 1; i < 10; i++)
        call[i] = addi(10 + i, 0, 1);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port), call, 10), 1000);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, holds), call, 10), 1200);
    /* without the setting it does not hold the port, whatever else holds ports */
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, "c910.mul_holds=1"), call, 10), 1000);
    call[0] = jal(0, 4);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, holds), call, 10), 1000);
    /* but not from an older instruction that is ready: the sum for which the product waits */
    const uint32_t product[] = {addi(13, 0, 1), addi(14, 0, 1), addi(15, 0, 1),
                                addi(11, 12, 1), jal(1, 4), mul(12, 11, 6)};
#define WIDE QUEUE, WHOLE, "decode.width=8", "dispatch.width=8", "rob.entries=4"
    assert_int_equal(warm_cycles(SETTINGS(WIDE, port), product, 6), 800);
    assert_int_equal(warm_cycles(SETTINGS(WIDE, port, holds), product, 6), 800);
}

/* A call in front of a branch that is always mispredicted: if the queue is empty, the return
 * address is made when the jump is dispatched, and the subtraction goes a cycle earlier. */
static void a_return_address_passes_an_empty_queue(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned passes = 0; passes < 2; passes++) {
        struct rig *rig = rig_new();
        const char *const *settings =
            SETTINGS("issue.queues=int:16 branch+div+mul+mem+fp:16", "bpred.kind=not_taken",
                     "issue.ports=int branch mul div mem fp", "c910.pc_holds=1");
        for (; *settings != NULL; settings++)
            rig_set(rig, *settings);
        rig_set(rig, passes ? "c910.queue_bypass=true" : "c910.queue_bypass=false");
        emit(rig, addi(5, 0, 100));
        emit(rig, jal(1, 4));
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -8));
        cycles[passes] = run(rig, 1 + 100 * 3);
        rig_free(rig);
    }
    assert_in_range(cycles[0] - cycles[1], 99, 101);
}

static void places_are_dealt_out_around_what_has_its_queue(void **state)
{
    (void)state;
    /* Three instructions, the counter and the branch: two additions go to the first queue, the
     * multiplication and the counter to the second, so that each port has two. If all were dealt
     * out in turn from the first queue on, the third addition would go to the first queue, too. */
    const char *const *settings = SETTINGS("c910.balance=in_turn", "c910.groups=whole",
                                           "issue.queues=int:8 int+mul:8 branch+div+mem+fp:16",
                                           "issue.ports=int@0 int+mul@1 branch div mem fp",
                                           "fetch.width=8", "decode.width=8", "dispatch.width=8",
                                           "fetch.bytes=32", "commit.width=8");
    const uint32_t three[] = {mul(11, 6, 7), addi(12, 0, 1), addi(13, 0, 1)};
    const uint32_t four[] = {mul(11, 6, 7), mul(14, 6, 7), addi(12, 0, 1), addi(13, 0, 1)};
    assert_int_equal(warm_cycles(settings, three, 3), 200);
    assert_in_range(warm_cycles(settings, four, 4), 250, 300);
}

static void a_group_that_waits_keeps_its_queues(void **state)
{
    (void)state;
    /* Four chains, three instructions a cycle to two queues of eight, each of which frees one place
     * a cycle. The queues are full in most cycles, and a waiting group goes to the queues that were
     * chosen when it came. If its queues were chosen anew while it waits, the chains would be
     * spread evenly, two a cycle. */
    const char *const *settings = SETTINGS("c910.balance=in_turn", "c910.groups=whole",
                                           "issue.queues=int:8 int:8 branch+div+mul+mem+fp:16",
                                           "issue.ports=int@0 int@1 branch div mul mem fp",
                                           "c910.queue_bypass=true", "issue.release_cycles=2",
                                           "decode.width=3", "dispatch.width=3", "fetch.width=8",
                                           "fetch.bytes=32", "rob.entries=256", "commit.width=8");
    uint32_t body[64];
    for (unsigned i = 0; i < 64; i++)
        body[i] = addi(11 + i % 4, 11 + i % 4, 1);
    assert_int_equal(warm_cycles(settings, body, 64), 3400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_takes_a_limited_number_of_a_group_at_once),
        cmocka_unit_test(the_rest_of_a_group_goes_with_the_next),
        cmocka_unit_test(computing_operations_can_share_an_entry_of_the_reorder_buffer),
        cmocka_unit_test(addresses_of_code_keep_their_port),
        cmocka_unit_test(a_return_address_passes_an_empty_queue),
        cmocka_unit_test(places_are_dealt_out_around_what_has_its_queue),
        cmocka_unit_test(a_group_that_waits_keeps_its_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
