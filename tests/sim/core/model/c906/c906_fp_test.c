/* The floating-point unit and the result port after an in-order pipeline, to the cycle: the cycles
 * of one more round of a loop, worked out by hand. One instruction issues a cycle; every loop ends
 * with `addi x5, x5, -1; bne x5, x0`. Numbers in the comments are cycles of issue, counted from the
 * start of the round. */
#include "tests/sim/core/rig.h"

enum { ADD_S = 0x00, ADD_D = 0x01, MUL_D = 0x09, DIV_D = 0x0d, TO_INT_D = 0x71 };

static uint32_t fp(uint32_t f7, uint32_t fd, uint32_t fs1, uint32_t fs2)
{
    return r_type(f7, fs2, fs1, 0, fd, 0x53);
}

static uint32_t fld(uint32_t fd, uint32_t base, uint32_t offset)
{
    return offset << 20 | base << 15 | 3 << 12 | fd << 7 | 0x07;
}

static uint64_t run_rounds(const char *const *settings, const uint32_t *body, unsigned length,
                           unsigned rounds, uint64_t f1)
{
    static const char *const machine[] = {
        "core.kind=in_order", "dispatch.width=1", "latency.fadd=4", "latency.fmul=4",
        "latency.fmisc=3", "latency.load=2", "latency.mul=3", NULL,
    };
    struct rig *rig = rig_new();
    rig_set_all(rig, machine);
    rig_set_all(rig, settings);
    uint64_t insns = emit_rounds(rig, body, length, rounds);
    rig_start(rig);
    rig->cpu.hart.mstatus |= MSTATUS_FS;
    rig->cpu.hart.reg[2] = PHYS_RAM_BASE + DATA;
    rig->cpu.hart.reg[REG_F0 + 1] = f1;
    rig->cpu.hart.reg[REG_F0 + 2] = UINT64_C(0x3ff8) << 48;     /* 1.5 */
    core_run(rig->core, insns, UINT64_MAX, true);
    assert_true(core_is_sane(rig->core));
    uint64_t cycles = event(rig, EVENT_CYCLES);
    rig_free(rig);
    return cycles;
}

/* Cycles of a round, times 100. */
static uint64_t round_of(const char *const *settings, const uint32_t *body, unsigned length,
                         uint64_t f1)
{
    return run_rounds(settings, body, length, 400, f1) -
           run_rounds(settings, body, length, 300, f1);
}

static const uint64_t one = UINT64_C(0x3ff0) << 48;
#define PLACE "c906.fp_place=true"
#define PORT "c906.shared_port=true"
#define ROUND(body, ...) \
    round_of(SETTINGS(__VA_ARGS__), body, sizeof(body) / sizeof(body)[0], one)

static void integer_instructions_pass_one_that_waits_for_fp_operands(void **state)
{
    (void)state;
    const uint32_t body[] = {fp(MUL_D, 3, 1, 2), fp(ADD_D, 4, 3, 2), addi(6, 0, 1),
                             addi(6, 0, 1), addi(6, 0, 1), addi(6, 0, 1)};
    assert_int_equal(ROUND(body, "unit.fps=1"), 100 * (8 + 3));
    assert_int_equal(ROUND(body, PLACE), 100 * 8);
}

static void the_next_fp_instruction_waits_until_the_place_is_free(void **state)
{
    (void)state;
    /* issue in 0; in 1, and out of the waiting place in 4; in 5; the loop's two in 6 and 7 */
    const uint32_t body[] = {fp(MUL_D, 3, 1, 2), fp(ADD_D, 4, 3, 2), fp(ADD_D, 5, 1, 2)};
    assert_int_equal(ROUND(body, PLACE), 100 * 8);
    const uint32_t load[] = {fp(MUL_D, 3, 1, 2), fp(ADD_D, 4, 3, 2), fld(5, 9, 0)};
    assert_int_equal(ROUND(load, PLACE), 100 * 8);
}

static void a_register_is_written_in_another_cycle_than_before(void **state)
{
    (void)state;
    const uint32_t same[] = {fp(ADD_D, 3, 1, 2), fp(ADD_D, 3, 1, 2), fp(ADD_D, 3, 1, 2)};
    assert_int_equal(ROUND(same, PLACE), 100 * 3 * 5);
    const uint32_t other[] = {fp(ADD_D, 3, 1, 2), fp(ADD_D, 4, 1, 2), fp(ADD_D, 6, 1, 2)};
    assert_int_equal(ROUND(other, PLACE), 100 * 5);
    /* issue in 0; in 1, and out of the place in 2, when the load writes; in 3, and out in 7 */
    const uint32_t loaded[] = {fld(3, 9, 0), fp(ADD_D, 3, 1, 2), fp(ADD_D, 4, 3, 2),
                               fp(ADD_D, 6, 1, 2)};
    assert_int_equal(ROUND(loaded, PLACE), 100 * 10);
}

static void a_load_writes_before_a_result_due_in_the_same_cycle(void **state)
{
    (void)state;
    /* The results of the sum issued in 0 and of the load issued in 2 are ready in 4, so that the
     * product leaves its place in 5. */
    const uint32_t body[] = {fp(ADD_D, 4, 1, 2), addi(6, 0, 1), fld(6, 9, 0),
                             fp(MUL_D, 5, 4, 2), fp(ADD_D, 7, 1, 2)};
    assert_int_equal(ROUND(body, PLACE), 100 * 9);
    const uint32_t later[] = {fp(ADD_D, 4, 1, 2), fp(MUL_D, 5, 4, 2), fp(ADD_D, 7, 1, 2),
                              addi(6, 0, 1)};
    assert_int_equal(ROUND(later, PLACE), 100 * 9);
}

static void older_results_are_written_first(void **state)
{
    (void)state;
    /* 4 cycles from 0, and 3 from 1: both results would come in 4. The second comes in 5, its user
     * leaves its place then, and the next instruction issues in 6. */
    const uint32_t body[] = {fp(ADD_D, 3, 1, 2), fp(MUL_D, 4, 1, 2), fp(ADD_D, 5, 4, 2),
                             fp(ADD_D, 6, 1, 2)};
    assert_int_equal(ROUND(body, PLACE, "latency.fmul=3"), 100 * 9);
    assert_int_equal(ROUND(body, PLACE, "latency.fmul=2"), 100 * 7);    /* the second comes in 3 */
    assert_int_equal(ROUND(body, PLACE, "latency.fmul=3", "latency.fadd=3"), 100 * 8);
}

static void a_second_division_waits_in_the_unit(void **state)
{
    (void)state;
    const uint32_t body[] = {fp(DIV_D, 3, 1, 2), fp(DIV_D, 4, 1, 2)};
    assert_int_equal(ROUND(body, PLACE, "latency.fdiv=10"), 100 * 2 * 10);
    /* the next division waits for the write of the same register; integer instructions go on
     * meanwhile */
    const uint32_t more[] = {fp(DIV_D, 3, 1, 2), addi(6, 0, 1), addi(6, 0, 1), addi(6, 0, 1),
                             addi(6, 0, 1), addi(6, 0, 1), addi(6, 0, 1), addi(6, 0, 1),
                             addi(6, 0, 1)};
    assert_int_equal(ROUND(more, PLACE, "latency.fdiv=10"), 100 * 11);
}

static uint32_t sd(uint32_t rs2, uint32_t base, uint32_t offset)
{
    return (offset >> 5 & 127) << 25 | rs2 << 20 | base << 15 | 3 << 12 | (offset & 31) << 7 | 0x23;
}

static void a_store_waits_for_a_line_that_is_on_its_way(void **state)
{
    (void)state;
    /* a store to a new line each round, and another store to this line or to one in the cache */
    const uint32_t same[] = {addi(9, 9, 1024), sd(0, 9, 0), sd(0, 9, 8), addi(6, 0, 1)};
    const uint32_t other[] = {addi(9, 9, 1024), sd(0, 9, 0), sd(0, 2, 8), addi(6, 0, 1)};
    uint64_t alone = ROUND(same, "l1d.prefetch=none", "lsq.stores=16");
    uint64_t waits = ROUND(same, "l1d.prefetch=none", "lsq.stores=16", "c906.drain_pending=true");
    assert_true(waits > alone + 100 * 10);
    assert_int_equal(waits, ROUND(same, "l1d.prefetch=none", "lsq.stores=8",
                                  "c906.drain_pending=true"));
    alone = ROUND(other, "l1d.prefetch=none", "lsq.stores=16");
    assert_int_equal(alone, ROUND(other, "l1d.prefetch=none", "lsq.stores=16",
                                  "c906.drain_pending=true"));
}

static void products_wait_for_a_cycle_without_another_result(void **state)
{
    (void)state;
    /* The addition issued in 2 is at the port in 3, as is the first product; the second product
     * comes after it, in 5. */
    const uint32_t body[] = {mul(6, 11, 11), mul(7, 11, 11), addi(8, 0, 1), add(12, 7, 0)};
    assert_int_equal(ROUND(body, "c906.fp_place=false"), 100 * 7);
    assert_int_equal(ROUND(body, PORT), 100 * 8);
    /* The product is written in 5, after the additions issued in 1 and 2; its register is not
     * written again before. */
    const uint32_t twice[] = {mul(6, 11, 11), addi(8, 0, 1), addi(8, 0, 1), addi(8, 0, 1),
                              addi(6, 0, 1)};
    assert_int_equal(ROUND(twice, "c906.waw_written=true"), 100 * 7);
    assert_int_equal(ROUND(twice, PORT, "c906.waw_written=true"), 100 * 9);
    const uint32_t one_product[] = {mul(6, 11, 11), addi(8, 0, 1), addi(8, 0, 1),
                                    add(12, 6, 0)};
    assert_int_equal(ROUND(one_product, PORT), 100 * 6);    /* its value is ready */
}

static void an_fp_result_for_an_integer_register_waits_for_the_port(void **state)
{
    (void)state;
    const uint32_t body[] = {fp(TO_INT_D, 6, 1, 0), addi(8, 0, 1), addi(8, 0, 1), add(12, 6, 0)};
    assert_int_equal(ROUND(body, PLACE), 100 * 7);
    assert_int_equal(ROUND(body, PLACE, PORT), 100 * 8);
    const uint32_t before[] = {fp(TO_INT_D, 6, 1, 0), addi(8, 0, 1), add(12, 6, 0)};
    assert_int_equal(ROUND(before, PLACE, PORT), 100 * 7);
}

static uint32_t fsd(uint32_t fs2, uint32_t base)
{
    return fs2 << 20 | base << 15 | 3 << 12 | 0x27;
}

static void a_load_is_tried_again_until_stored_fp_data_are_there(void **state)
{
    (void)state;
    /* The sum issued in 0 is ready in 4; the load issued in 2 has it in 8, for the sum of the next
     * round. */
    const uint32_t body[] = {fp(ADD_D, 3, 4, 2), fsd(3, 9), fld(4, 9, 0)};
    assert_int_equal(ROUND(body, PLACE, "c906.store_fp_late=64"), 100 * 8);
    /* an integer register: its user issues in 8 */
    const uint32_t integer[] = {fp(ADD_D, 3, 1, 2), fsd(3, 9), load(6, 9, 0), add(7, 6, 0)};
    assert_int_equal(ROUND(integer, PLACE, "c906.store_fp_late=64"), 100 * 11);
}

static void double_precision_takes_longer(void **state)
{
    (void)state;
    const uint32_t single[] = {fp(ADD_S, 3, 3, 2), fp(ADD_S, 3, 3, 2)};
    const uint32_t twice[] = {fp(ADD_D, 3, 3, 2), fp(ADD_D, 3, 3, 2)};
    assert_int_equal(ROUND(single, "c906.fp_double=2"), 100 * 8);
    assert_int_equal(ROUND(twice, "c906.fp_double=2"), 100 * 12);
}

static void a_product_of_zero_is_there_early(void **state)
{
    (void)state;
    const uint32_t body[] = {fp(MUL_D, 3, 1, 2), fp(ADD_D, 4, 3, 2)};
    const char *const *settings = SETTINGS("c906.fmul_special=2");
    const uint64_t infinity = UINT64_C(0x7ff0) << 48;
    assert_int_equal(round_of(settings, body, 2, one), 100 * 7);
    assert_int_equal(round_of(settings, body, 2, 0), 100 * 5);
    assert_int_equal(round_of(settings, body, 2, infinity), 100 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_instructions_pass_one_that_waits_for_fp_operands),
        cmocka_unit_test(the_next_fp_instruction_waits_until_the_place_is_free),
        cmocka_unit_test(a_register_is_written_in_another_cycle_than_before),
        cmocka_unit_test(a_load_writes_before_a_result_due_in_the_same_cycle),
        cmocka_unit_test(older_results_are_written_first),
        cmocka_unit_test(a_second_division_waits_in_the_unit),
        cmocka_unit_test(a_store_waits_for_a_line_that_is_on_its_way),
        cmocka_unit_test(products_wait_for_a_cycle_without_another_result),
        cmocka_unit_test(an_fp_result_for_an_integer_register_waits_for_the_port),
        cmocka_unit_test(a_load_is_tried_again_until_stored_fp_data_are_there),
        cmocka_unit_test(double_precision_takes_longer),
        cmocka_unit_test(a_product_of_zero_is_there_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
