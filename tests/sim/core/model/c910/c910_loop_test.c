/* The loop buffer: the cycles that it saves, exactly where this can be worked out, and the loops
 * that it holds. */
#include "tests/sim/core/rig.h"

/* The instance of the model keeps its functions to itself. */
#include "sim/core/model/c910/c910_loop.c"
#include "sim/core/pipe/core_internal.h"

/* Two more additions in a loop of 100 more rounds, with settings. */
static uint64_t cycles_of_100_rounds(uint32_t loop_bytes, uint32_t taken_bubble, uint64_t *reads)
{
    uint64_t cycles[2], accesses[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        rig->config.c910_loop_bytes = loop_bytes;
        rig->config.bpred_taken_bubble = taken_bubble;
        unsigned rounds = 200 + 100 * i;
        emit(rig, addi(5, 0, (int32_t)rounds));
        emit(rig, addi(6, 0, 1));
        emit(rig, addi(7, 0, 1));
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -12));
        cycles[i] = run(rig, 4 + 4 * (uint64_t)rounds);
        accesses[i] = event(rig, EVENT_L1I_ACCESS);
        rig_free(rig);
    }
    *reads = accesses[1] - accesses[0];
    return cycles[1] - cycles[0];
}

static void a_loop_in_the_loop_buffer_does_not_read_the_cache(void **state)
{
    (void)state;
    uint64_t reads;
    assert_int_equal(cycles_of_100_rounds(0, 0, &reads), 100);
    assert_in_range(reads, 100, 200);
    assert_int_equal(cycles_of_100_rounds(64, 0, &reads), 100);
    assert_int_equal(reads, 0);
}

static void a_loop_in_the_loop_buffer_pays_no_taken_bubble(void **state)
{
    (void)state;
    uint64_t reads;
    assert_int_equal(cycles_of_100_rounds(0, 2, &reads), 300);
    assert_int_equal(cycles_of_100_rounds(64, 2, &reads), 100);
}

static void a_loop_that_does_not_fit_stays_out_of_the_loop_buffer(void **state)
{
    (void)state;
    uint64_t reads;
    assert_int_equal(cycles_of_100_rounds(8, 2, &reads), 300);
    assert_int_equal(cycles_of_100_rounds(12, 2, &reads), 300);
    assert_int_equal(cycles_of_100_rounds(16, 2, &reads), 100);
}

static uint64_t cycles_of_100_long_rounds(uint32_t loop_width, bool has_jump)
{
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        rig->config.c910_loop_bytes = 64;
        rig->config.c910_loop_width = loop_width;
        rig->config.bpred_taken_bubble = 2;
        unsigned rounds = 200 + 100 * i;
        emit(rig, addi(5, 0, (int32_t)rounds));
        for (unsigned n = 0; n < 6; n++)
            emit(rig, has_jump && n == 2 ? 4 << 20 | 0x6f : addi(6, 0, 1));
        emit(rig, addi(5, 5, -1));
        emit(rig, bne(5, 0, -28));
        cycles[i] = run(rig, 4 + 8 * (uint64_t)rounds);
        rig_free(rig);
    }
    return cycles[1] - cycles[0];
}

static bool take(struct c910_loop *loop, uint64_t pc, uint64_t target, bool taken)
{
    const struct loop_branch branch = {
        .pc = pc, .target = target, .length = 4, .is_taken = taken,
    };
    c910_loop_branch(loop, &branch, 32, 1);
    return loop->is_active;
}

/* The loop is met, filled, and fed to decode; when fetch comes back to it, it is fed at once. */
static void a_loop_is_fed_from_its_third_round_and_later_from_the_first(void **state)
{
    (void)state;
    struct c910_loop loop = {0};
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_true(take(&loop, 0x1010, 0x1000, true));
    assert_false(c910_loop_supplies(&loop, 0x1014));
    assert_true(take(&loop, 0x1010, 0x1000, true));
}

/* A loop is remembered two cycles after its fetch, unless a misprediction comes before. */
static void a_misprediction_forestalls_what_the_loop_buffer_would_remember(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct c910_loop loop = {0};
        const struct loop_change before = {.cycle = 10};
        take(&loop, 0x1010, 0x1000, true);
        c910_loop_note(&loop, &before);
        c910_loop_undo(&loop, 12 + late);
        assert_int_equal(loop.record[loop.newest].state, late ? LOOP_MET : LOOP_NONE);
    }
}

static void a_loop_that_cannot_be_filled_is_not_tried_again(void **state)
{
    (void)state;
    static const struct { uint64_t pc, target; bool taken; } inside[] = {
        {0x1010, 0x1000, false},        /* it ends */
        {0x100c, 0x1004, false},        /* another branch back */
        {0x1004, 0x1014, false},        /* one that leads out */
        {0x1004, 0x1008, false},        /* a second one forward */
    };
    for (unsigned i = 0; i < 4; i++) {
        struct c910_loop loop = {0};
        take(&loop, 0x1010, 0x1000, true);
        take(&loop, 0x1010, 0x1000, true);
        if (i == 3)
            take(&loop, 0x1000, 0x1008, false);
        take(&loop, inside[i].pc, inside[i].target, inside[i].taken);
        for (unsigned round = 0; round < 4; round++)
            assert_false(take(&loop, 0x1010, 0x1000, true));
    }
}

/* The loop in the buffer is thrown out once, when fetch meets the loop around it. */
static void a_loop_around_another_does_not_get_into_the_loop_buffer(void **state)
{
    (void)state;
    struct c910_loop loop = {0};
    for (unsigned round = 0; round < 3; round++)
        take(&loop, 0x100c, 0x1004, true);
    take(&loop, 0x100c, 0x1004, false);
    c910_loop_supplies(&loop, 0x1010);
    for (unsigned round = 0; round < 3; round++) {
        assert_false(take(&loop, 0x1014, 0x1000, true));
        assert_int_equal(take(&loop, 0x100c, 0x1004, true), round != 0);
        assert_true(round != 0 || take(&loop, 0x100c, 0x1004, true));
        c910_loop_squash(&loop);
    }
}

/* A branch over 0x1008 is taken while the loop 0x1000 to 0x1010 is filled. */
static void fill_with_a_gap(struct c910_loop *loop)
{
    *loop = (struct c910_loop){0};
    take(loop, 0x1010, 0x1000, true);
    take(loop, 0x1010, 0x1000, true);
    take(loop, 0x1004, 0x100c, true);
    assert_true(take(loop, 0x1010, 0x1000, true));
    assert_true(take(loop, 0x1004, 0x100c, true));
}

static void code_that_a_taken_branch_skipped_is_filled_when_needed(void **state)
{
    (void)state;
    struct c910_loop loop;
    fill_with_a_gap(&loop);
    assert_false(take(&loop, 0x1004, 0x100c, false));
    assert_true(take(&loop, 0x1010, 0x1000, true));
    assert_true(take(&loop, 0x1004, 0x100c, false));
    fill_with_a_gap(&loop);
    take(&loop, 0x1004, 0x100c, false);
    c910_loop_refuse(&loop, 0x1008);          /* the buffer cannot hold the gap */
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_false(take(&loop, 0x1010, 0x1000, true));
    fill_with_a_gap(&loop);
    take(&loop, 0x1004, 0x100c, false);
    c910_loop_refuse(&loop, 0x100c);          /* the refused instruction is after the gap */
    assert_true(take(&loop, 0x1010, 0x1000, true));
}

static void the_loop_buffer_forgets_all_at_a_flush(void **state)
{
    (void)state;
    struct c910_loop loop;
    fill_with_a_gap(&loop);
    c910_loop_flush(&loop);
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_false(take(&loop, 0x1010, 0x1000, true));
}

static void the_loop_buffer_feeds_its_own_width(void **state)
{
    (void)state;
    assert_in_range(cycles_of_100_long_rounds(4, false), 233, 236);  /* 7 adds on 3 units */
    assert_int_equal(cycles_of_100_long_rounds(2, false), 400);
}

static void a_loop_with_a_jump_in_it_stays_out_of_the_loop_buffer(void **state)
{
    (void)state;
    assert_in_range(cycles_of_100_long_rounds(4, true), 400, 800);
}

/* The largest number of instructions fetched ahead of decode, in a loop of divisions, each of which
 * waits for the one before. */
static uint64_t most_ahead(uint32_t loop_bytes)
{
    struct rig *rig = rig_new();
    uint64_t most = 0;
    rig->config.c910_loop_bytes = loop_bytes;
    rig->config.c910_loop_width = 3;
    rig->config.fetch_stages = 3;
    rig->config.fetch_buffer = 32;
    emit(rig, addi(5, 0, 500));
    emit(rig, divide(6, 6, 7));
    emit(rig, divide(6, 6, 7));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -12));
    rig_start(rig);
    core_run(rig->core, 1000, 10000, false);
    for (unsigned i = 0; i < 500; i++) {
        core_run(rig->core, 1000, 1, false);
        uint64_t ahead = rig->core->fetch_seq - rig->core->decode_seq;
        most = ahead > most ? ahead : most;
    }
    rig_free(rig);
    return most;
}

static void the_loop_buffer_does_not_run_ahead_of_decode(void **state)
{
    (void)state;
    assert_in_range(most_ahead(0), 28, 32);
    assert_int_equal(most_ahead(64), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_in_the_loop_buffer_does_not_read_the_cache),
        cmocka_unit_test(a_loop_in_the_loop_buffer_pays_no_taken_bubble),
        cmocka_unit_test(a_loop_that_does_not_fit_stays_out_of_the_loop_buffer),
        cmocka_unit_test(a_loop_is_fed_from_its_third_round_and_later_from_the_first),
        cmocka_unit_test(a_misprediction_forestalls_what_the_loop_buffer_would_remember),
        cmocka_unit_test(a_loop_that_cannot_be_filled_is_not_tried_again),
        cmocka_unit_test(a_loop_around_another_does_not_get_into_the_loop_buffer),
        cmocka_unit_test(code_that_a_taken_branch_skipped_is_filled_when_needed),
        cmocka_unit_test(the_loop_buffer_forgets_all_at_a_flush),
        cmocka_unit_test(the_loop_buffer_feeds_its_own_width),
        cmocka_unit_test(the_loop_buffer_does_not_run_ahead_of_decode),
        cmocka_unit_test(a_loop_with_a_jump_in_it_stays_out_of_the_loop_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
