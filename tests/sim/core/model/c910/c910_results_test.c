/* The cycles in which results are ready, and the ways by which they leave, on loops whose cycles
 * can be counted by hand: shared ways out, results that a divider keeps, sums of products, reads
 * past a move, and branches that commit late. */
#include "tests/sim/core/rig.h"

#define QUEUE "issue.queues=all:16"
#define DIVIDER "latency.div=40", "latency.div_min=9", "latency.div_bits=4"

static uint32_t remainder_of(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return r_type(1, rs2, rs1, 6, rd, 0x33);
}

static void a_multiplication_keeps_an_addition_from_the_way_out_of_its_port(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(6, 6, 7), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1)};
    const uint32_t muls[] = {mul(11, 6, 7), mul(12, 6, 7), mul(13, 6, 7), mul(14, 6, 7)};
    const char *port = "issue.ports=int+mul branch div mem fp";
    const char *ports = "issue.ports=int mul branch div mem fp";
    /* four and the counter on one port, and then a cycle in which the port stands still */
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port), body, 4), 500);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, "c910.mul_holds=2"), body, 4), 600);
    /* another multiplication can use this cycle; with separate ports there is no conflict */
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, ports, "c910.mul_holds=2"), body, 4), 400);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, ports, "c910.mul_holds=2"), muls, 4), 400);
}

static void a_branch_predicted_right_can_commit_as_late_as_a_mispredicted_one(void **state)
{
    (void)state;
    /* An instruction that executes alone waits for the commit of the branch in front of it, which
     * otherwise comes a cycle after the branch's end. */
    const uint32_t csrrs_x11_mscratch = 0x340u << 20 | 2u << 12 | 11u << 7 | 0x73;
    const uint32_t body[] = {csrrs_x11_mscratch};
    const char *late = "recover.resolve_cycles=3", *all = "c910.resolves_all=true";
    uint64_t least = warm_cycles(SETTINGS(late), body, 1);
    assert_int_equal(warm_cycles(SETTINGS(all), body, 1), least);
    assert_int_equal(warm_cycles(SETTINGS(late, all), body, 1), least + 200);
}

static void a_division_keeps_its_port_for_a_cycle_before_its_result(void **state)
{
    (void)state;
    uint32_t body[12] = {divide(11, 6, 7)};
    for (unsigned i = 1; i < 12; i++)
        body[i] = addi(11 + i, 0, 1);
    const char *port = "issue.ports=int+div mul branch mem fp";
    const char *free = "issue.iterative_blocks_port=false", *div = "latency.div=8";
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, free, div), body, 12), 1300);
    assert_int_equal(warm_cycles(SETTINGS(QUEUE, port, free, div, "c910.div_holds=3"), body, 12),
                     1400);
}

static void the_first_cycle_of_a_division_makes_bits_of_its_own(void **state)
{
    (void)state;
    /* quotients of one, seven, eight, twelve bits and none */
    static const struct { int32_t a, b; uint64_t without, with; } division[] = {
        {100, 51, 10, 10}, {100, 1, 11, 10}, {128, 1, 11, 11}, {2047, 1, 12, 11}, {100, 101, 9, 9},
    };
    for (unsigned i = 0; i < sizeof division / sizeof division[0]; i++) {
        const uint32_t body[] = {
            addi(6, 0, division[i].a), addi(7, 0, division[i].b), divide(12, 6, 7),
        };
        assert_int_equal(warm_cycles(SETTINGS(DIVIDER), body, 3), 100 * division[i].without);
        assert_int_equal(warm_cycles(SETTINGS(DIVIDER, "c910.div_first=7"), body, 3),
                         100 * division[i].with);
    }
}

static void divisions_that_the_divider_knows_take_no_iteration(void **state)
{
    (void)state;
    const uint32_t same[] = {
        addi(6, 0, 1000), addi(7, 0, 7), divide(12, 6, 7), remainder_of(13, 6, 7),
    };
    const uint32_t three[] = {
        addi(6, 0, 1000), addi(7, 0, 7), divide(12, 6, 7), divide(13, 7, 7),
        addi(8, 0, 8), divide(14, 8, 7),
    };
    const uint32_t by_zero[] = {addi(6, 0, 1000), divide(12, 6, 0)};
    const uint32_t less[] = {addi(6, 0, 5), addi(7, 0, 7), divide(12, 6, 7)};
#define KEEPS(n) "latency.div_repeat=5", "c910.div_results=" n
    /* quotients of eight bits: eleven cycles for each division, or five */
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER), same, 4), 2200);
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER, KEEPS("1")), same, 4), 1000);
    /* three divisions in turn, with quotients of eight, one and one bits: with two places none of
     * them is kept long enough */
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER, KEEPS("2")), three, 6), 3100);
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER, KEEPS("3")), three, 6), 1500);
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER), by_zero, 2), 900);
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER, KEEPS("1")), by_zero, 2), 500);
    /* a quotient of zero is not kept */
    assert_int_equal(warm_cycles(SETTINGS(DIVIDER, KEEPS("1")), less, 3), 900);
}

/* The cycles of a hundred rounds with floating point. */
static uint64_t fp_cycles(const char *const *settings, const uint32_t *body, unsigned count)
{
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        for (const char *const *setting = settings; *setting != NULL; setting++)
            rig_set(rig, *setting);
        emit(rig, addi(5, 0, 100 + 100 * (int32_t)i));
        for (unsigned n = 0; n < count; n++)
            emit(rig, body[n]);
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -4 * (int32_t)(count + 1)));
        rig_start(rig);
        rig->cpu.hart.mstatus |= MSTATUS_FS;
        core_run(rig->core, 1 + (count + 2) * (100 + 100 * i), UINT64_MAX, true);
        cycles[i] = event(rig, EVENT_CYCLES);
        rig_free(rig);
    }
    return cycles[1] - cycles[0];
}

/* fmadd.d f1, f<a>, f2, f<c> */
static uint64_t sum_cycles(const char *const *settings, uint32_t a, uint32_t c)
{
    const uint32_t sum = c << 27 | 1u << 25 | 2u << 20 | a << 15 | 1u << 7 | 0x43;
    return fp_cycles(settings, &sum, 1);
}

static void moves_to_the_other_file_can_be_issued_as_integer_operations(void **state)
{
    (void)state;
    uint32_t body[4];
    for (unsigned i = 0; i < 4; i++)
        body[i] = 0xf2000053 | 6u << 15 | i << 7;           /* fmv.d.x f<i>, x6 */
    const char *port = "issue.ports=int mul branch div mem fp";
    /* four on a port of their own, or together with the counter on the integer port */
    assert_int_equal(fp_cycles(SETTINGS(QUEUE, port), body, 4), 400);
    assert_int_equal(fp_cycles(SETTINGS(QUEUE, port, "c910.moves_as_int=true"), body, 4), 500);
}

static void a_sum_of_products_waits_less_for_its_addend_than_for_a_factor(void **state)
{
    (void)state;
    const char *const *without = SETTINGS("latency.fma=5");
    const char *const *with = SETTINGS("latency.fma=5", "c910.fma_addend=3");
    assert_int_equal(sum_cycles(without, 3, 1), 500);
    assert_int_equal(sum_cycles(with, 3, 1), 300);
    assert_int_equal(sum_cycles(with, 1, 3), 500);
    assert_int_equal(sum_cycles(with, 1, 1), 500);
}

static void an_instruction_decoded_with_a_move_reads_the_moves_source(void **state)
{
    (void)state;
#define PAST "c910.move_bypass=true"
    /* a group of four with the counter and the branch */
    const uint32_t next[] = {addi(7, 6, 0), addi(6, 7, 1)};
    assert_int_equal(warm_cycles(NULL, next, 2), 200);
    assert_int_equal(warm_cycles(SETTINGS(PAST), next, 2), 100);
    assert_int_equal(warm_cycles(SETTINGS(PAST, "decode.width=1"), next, 2), 400);
    /* if the source is overwritten in between, the reader waits for the move; and the move takes
     * its slot */
    const uint32_t overwritten[] = {addi(7, 6, 0), addi(6, 6, 1), add(6, 7, 7)};
    assert_int_equal(warm_cycles(SETTINGS("decode.width=8", "fetch.width=8", PAST), overwritten, 3),
                     200);
    const uint32_t moves[] = {addi(11, 6, 0), addi(12, 6, 0), addi(13, 6, 0), addi(14, 6, 0)};
    assert_int_equal(warm_cycles(SETTINGS("unit.ints=1", PAST), moves, 4), 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_multiplication_keeps_an_addition_from_the_way_out_of_its_port),
        cmocka_unit_test(moves_to_the_other_file_can_be_issued_as_integer_operations),
        cmocka_unit_test(a_branch_predicted_right_can_commit_as_late_as_a_mispredicted_one),
        cmocka_unit_test(a_division_keeps_its_port_for_a_cycle_before_its_result),
        cmocka_unit_test(the_first_cycle_of_a_division_makes_bits_of_its_own),
        cmocka_unit_test(divisions_that_the_divider_knows_take_no_iteration),
        cmocka_unit_test(a_sum_of_products_waits_less_for_its_addend_than_for_a_factor),
        cmocka_unit_test(an_instruction_decoded_with_a_move_reads_the_moves_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
