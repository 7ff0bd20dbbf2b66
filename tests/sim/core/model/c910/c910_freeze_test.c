/* The instruction buffer counted in halfwords, and the stages in front of it that stand still. */
#include "sim/core/model/c910/c910_state.h"
#include "sim/core/pipe/core_state.h"
#include "tests/sim/core/rig.h"

enum { BODY = 62, DIVISIONS = 24, ROUNDS = 3, C_NOPS = 0x00010001 };

/* Rounds of full blocks: divisions, and the instructions that are fetched while the divisions hold
 * up all after them. */
static struct rig *rounds(uint32_t filler, const char *buffer)
{
    struct rig *rig = rig_new();
    const char *const *each = SETTINGS("fetch.width=8", "fetch.bytes=16", "fetch.stages=3",
                                       "fetch.buffer=64", "rob.entries=8", buffer);
    for (; *each != NULL; each++)
        rig_set(rig, *each);
    for (unsigned i = 0; i < 4; i++)
        emit(rig, addi(5, 0, ROUNDS));
    for (unsigned i = 0; i < BODY; i++)
        emit(rig, i < DIVISIONS ? divide(12, 12, 11) : filler);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (BODY + 1)));
    for (unsigned i = 0; i < BODY; i++)
        emit(rig, filler);
    rig_start(rig);
    return rig;
}

static bool runs(const struct rig *rig)
{
    return rig->core->commit_seq <= (BODY + 2) * ROUNDS;
}

/* The largest number of instructions that are fetched and not decoded. */
static uint64_t most_waiting(uint32_t filler, const char *buffer)
{
    struct rig *rig = rounds(filler, buffer);
    uint64_t most = 0;
    while (runs(rig)) {
        uint64_t waiting = rig->core->fetch_seq - rig->core->decode_seq;
        most = waiting > most ? waiting : most;
        core_run(rig->core, UINT64_MAX, 1, true);
    }
    rig_free(rig);
    return most;
}

/* The buffer takes a block if it has room for the block and another halfword: it does after eleven
 * instructions, but not after twelve. Two blocks wait in front of it. */
static void a_buffer_that_may_have_no_room_for_a_block_is_full(void **state)
{
    (void)state;
    assert_int_equal(most_waiting(addi(0, 0, 0), "c910.buffer_halfwords=32"), 11 + 4 + 8);
    assert_int_equal(most_waiting(addi(0, 0, 0), "c910.buffer_halfwords=33"), 12 + 4 + 8);
    assert_int_equal(most_waiting(addi(0, 0, 0), "c910.buffer_halfwords=0"), 64);
}

static void instructions_of_a_halfword_take_one(void **state)
{
    (void)state;
    assert_int_equal(most_waiting(C_NOPS, "c910.buffer_halfwords=32"), 23 + 8 + 16);
}

/* Instructions that stood still are decoded at least as many cycles after their fetch as there are
 * stages. */
static void instructions_that_stood_still_are_decoded_later(void **state)
{
    (void)state;
    struct rig *rig = rounds(addi(0, 0, 0), "c910.buffer_halfwords=32");
    uint64_t decoded = 1, still = 0;
    while (runs(rig)) {
        core_run(rig->core, UINT64_MAX, 1, true);
        still += rig->core->model->front.still_since != 0;
        for (; decoded < rig->core->decode_seq; decoded++) {
            const struct uop *uop = core_uop(rig->core, decoded);
            assert_true(uop->decode_cycle >= uop->fetch_cycle + 3);
        }
    }
    assert_true(still > 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_that_may_have_no_room_for_a_block_is_full),
        cmocka_unit_test(instructions_of_a_halfword_take_one),
        cmocka_unit_test(instructions_that_stood_still_are_decoded_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
