/* The fetch-target queue and the loop buffer: what they save, to the cycle where it can be worked
 * out, and that they change nothing else. */
#include "tests/sim/core/rig.h"

#include "sim/core/pipe/core_internal.h"

enum { LINES = 64, INSNS_IN_LINE = 16 };

/* Two more additions in a loop of 100 more rounds, with settings. */
static uint64_t cycles_of_100_rounds(uint32_t loop_bytes, uint32_t taken_bubble, uint64_t *reads)
{
    uint64_t cycles[2], accesses[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        rig->config.fetch_loop_bytes = loop_bytes;
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
        rig->config.fetch_loop_bytes = 64;
        rig->config.fetch_loop_width = loop_width;
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

static bool take(struct loop_buffer *loop, uint64_t pc, uint64_t target, bool taken)
{
    const struct loop_branch branch = {
        .pc = pc, .target = target, .length = 4, .is_taken = taken,
    };
    loop_buffer_branch(loop, &branch, 32, 1);
    return loop->is_active;
}

/* Met, filled, fed; when fetch comes back, fed at once. */
static void a_loop_is_fed_from_its_third_round_and_later_from_the_first(void **state)
{
    (void)state;
    struct loop_buffer loop = {0};
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_true(take(&loop, 0x1010, 0x1000, true));
    assert_false(loop_buffer_supplies(&loop, 0x1014));
    assert_true(take(&loop, 0x1010, 0x1000, true));
}

/* It is remembered two cycles after its fetch, unless a misprediction comes before. */
static void a_misprediction_forestalls_what_the_loop_buffer_would_remember(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct loop_buffer loop = {0};
        const struct loop_change before = {.cycle = 10};
        take(&loop, 0x1010, 0x1000, true);
        loop_buffer_note(&loop, &before);
        loop_buffer_undo(&loop, 12 + late);
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
        struct loop_buffer loop = {0};
        take(&loop, 0x1010, 0x1000, true);
        take(&loop, 0x1010, 0x1000, true);
        if (i == 3)
            take(&loop, 0x1000, 0x1008, false);
        take(&loop, inside[i].pc, inside[i].target, inside[i].taken);
        for (unsigned round = 0; round < 4; round++)
            assert_false(take(&loop, 0x1010, 0x1000, true));
    }
}

/* What is in the buffer is thrown out once, when the loop around it is met. */
static void a_loop_around_another_does_not_get_into_the_loop_buffer(void **state)
{
    (void)state;
    struct loop_buffer loop = {0};
    for (unsigned round = 0; round < 3; round++)
        take(&loop, 0x100c, 0x1004, true);
    take(&loop, 0x100c, 0x1004, false);
    loop_buffer_supplies(&loop, 0x1010);
    for (unsigned round = 0; round < 3; round++) {
        assert_false(take(&loop, 0x1014, 0x1000, true));
        assert_int_equal(take(&loop, 0x100c, 0x1004, true), round != 0);
        assert_true(round != 0 || take(&loop, 0x100c, 0x1004, true));
        loop_buffer_squash(&loop);
    }
}

/* A branch over 0x1008 is taken while the loop 0x1000 to 0x1010 is filled. */
static void fill_with_a_gap(struct loop_buffer *loop)
{
    *loop = (struct loop_buffer){0};
    take(loop, 0x1010, 0x1000, true);
    take(loop, 0x1010, 0x1000, true);
    take(loop, 0x1004, 0x100c, true);
    assert_true(take(loop, 0x1010, 0x1000, true));
    assert_true(take(loop, 0x1004, 0x100c, true));
}

static void what_a_taken_branch_skipped_is_filled_when_it_is_needed(void **state)
{
    (void)state;
    struct loop_buffer loop;
    fill_with_a_gap(&loop);
    assert_false(take(&loop, 0x1004, 0x100c, false));
    assert_true(take(&loop, 0x1010, 0x1000, true));
    assert_true(take(&loop, 0x1004, 0x100c, false));
    fill_with_a_gap(&loop);
    take(&loop, 0x1004, 0x100c, false);
    loop_buffer_refuse(&loop, 0x1008);          /* and holds what cannot be held */
    assert_false(take(&loop, 0x1010, 0x1000, true));
    assert_false(take(&loop, 0x1010, 0x1000, true));
    fill_with_a_gap(&loop);
    take(&loop, 0x1004, 0x100c, false);
    loop_buffer_refuse(&loop, 0x100c);          /* that is after it */
    assert_true(take(&loop, 0x1010, 0x1000, true));
}

static void the_loop_buffer_forgets_all_at_a_flush(void **state)
{
    (void)state;
    struct loop_buffer loop;
    fill_with_a_gap(&loop);
    loop_buffer_flush(&loop);
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

/* Straight code that is nowhere in the caches. */
static uint64_t cycles_of_cold_code(uint32_t ftq, uint32_t prefetch, uint64_t *misses)
{
    struct rig *rig = rig_new();
    rig->config.fetch_ftq = ftq;
    rig->config.fetch_ftq_prefetch = prefetch;
    rig->config.l1i_prefetch = 0;
    while (rig->count < LINES * INSNS_IN_LINE)
        emit(rig, addi(6, 0, 1));
    uint64_t cycles = run(rig, rig->count);
    *misses = event(rig, EVENT_L1I_MISS);
    rig_free(rig);
    return cycles;
}

static void blocks_in_the_fetch_target_queue_prefetch_their_lines(void **state)
{
    (void)state;
    uint64_t misses;
    uint64_t coupled = cycles_of_cold_code(0, 0, &misses);
    assert_in_range(misses, LINES, LINES + 1);
    uint64_t unprefetched = cycles_of_cold_code(16, 0, &misses);
    assert_in_range(misses, LINES, LINES + 1);
    /* the queue alone hides nothing of a miss; its blocks come a cycle later */
    assert_in_range(unprefetched, coupled, coupled + 2);
    /* a queue of one block is a cycle between prediction and cache */
    assert_in_range(cycles_of_cold_code(1, 0, &misses), coupled, coupled + 4 * LINES);
    /* four blocks a line: sixteen reach four lines ahead, and as many misses overlap */
    uint64_t prefetched = cycles_of_cold_code(16, 1, &misses);
    assert_in_range(misses, LINES, LINES + 4);
    assert_in_range(prefetched, coupled / 5, coupled / 3);
}

/* Jumps that the target buffer has never seen, each over one instruction, in one line. */
enum { JUMPS = 6 };
static uint64_t cycles_of_jumps(uint32_t ftq, uint32_t stages, uint64_t *misses)
{
    struct rig *rig = rig_new();
    rig->config.fetch_ftq = ftq;
    rig->config.bpred_btb_miss_stage = stages;
    for (unsigned i = 0; i < JUMPS; i++) {
        emit(rig, 8 << 20 | 0x6f);
        emit(rig, addi(6, 0, 1));
    }
    uint64_t cycles = run(rig, rig->count - JUMPS);
    *misses = event(rig, EVENT_BTB_MISS);
    rig_free(rig);
    return cycles;
}

static void the_predictor_waits_for_decode_at_a_jump_that_the_target_buffer_missed(void **state)
{
    (void)state;
    uint64_t misses;
    uint64_t one = cycles_of_jumps(8, 1, &misses);
    assert_in_range(misses, JUMPS, JUMPS + 1);
    uint64_t five = cycles_of_jumps(8, 5, &misses);
    /* the last jump's wait is after the last instruction that commits */
    assert_in_range(five - one, (JUMPS - 1) * 4, JUMPS * 4);
}

/* Lines of straight code, each after a branch that is not taken and waits for a division. */
static uint64_t cycles_of_branches(uint32_t ftq, uint32_t is_speculative)
{
    struct rig *rig = rig_new();
    rig->config.fetch_ftq = ftq;
    rig->config.fetch_ftq_prefetch = 0;
    rig->config.fetch_speculative_miss = is_speculative;
    rig->config.l1i_prefetch = 0;
    for (unsigned line = 0; line < LINES; line++) {
        emit(rig, 0x02b545b3);                  /* div a1, a0, a1 */
        emit(rig, bne(11, 11, 8));
        while (rig->count % INSNS_IN_LINE != 0)
            emit(rig, addi(6, 0, 1));
    }
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void misses_that_may_not_be_speculative_wait_for_branches_before_them_alone(void **state)
{
    (void)state;
    uint64_t coupled = cycles_of_branches(0, false), speculative = cycles_of_branches(0, true);
    assert_in_range(coupled - speculative, 10 * LINES, 16 * LINES);     /* a division each */
    /* branches that wait in the queue are after the line and hold nothing */
    assert_in_range(cycles_of_branches(16, false), coupled - LINES, coupled + 2 * LINES);
}

/* Two hundred rounds of eight instructions, of which every other goes on in the next block. */
static uint64_t cycles_of_halves(const char *assignment)
{
    struct rig *rig = rig_new();
    rig_set(rig, "bpred.kind=gshare");
    if (assignment != NULL)
        rig_set(rig, assignment);
    emit(rig, addi(5, 0, 200));
    uint16_t parcel[32];
    unsigned count = 0;
    for (unsigned i = 0; i < 8; i++) {          /* six bytes and two: 0, 6, 8, 14, 16, 22, ... */
        const uint32_t word = addi(12 + i, 12 + i, 1);
        if (i % 2 == 0)
            parcel[count++] = 0x0001;           /* c.nop */
        parcel[count++] = (uint16_t)word;
        parcel[count++] = (uint16_t)(word >> 16);
    }
    for (unsigned i = 0; i < count; i += 2)
        emit(rig, parcel[i] | (uint32_t)parcel[i + 1] << 16);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -(int32_t)(2 * count + 4)));
    uint64_t cycles = run(rig, 4 + 200 * (8 + 4 + 2));
    assert_int_equal(rig->cpu.hart.reg[19], 200);
    rig_free(rig);
    return cycles;
}

static void a_half_is_kept_where_the_cache_is_read_at_one_place(void **state)
{
    (void)state;
    uint64_t any = cycles_of_halves(NULL);
    assert_int_equal(cycles_of_halves("l1i.ports=2"), any);
    assert_in_range(cycles_of_halves("l1i.ports=1"), any, any + 2 * 200);
    assert_in_range(cycles_of_halves("l1i.banks=2"), any, any + 2 * 200);
}

/* What is fetched ahead of decode at most, in a loop of divisions, each of which waits for the one
 * before. */
static uint64_t most_ahead(uint32_t loop_bytes)
{
    struct rig *rig = rig_new();
    uint64_t most = 0;
    rig->config.fetch_loop_bytes = loop_bytes;
    rig->config.fetch_loop_width = 3;
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
        cmocka_unit_test(what_a_taken_branch_skipped_is_filled_when_it_is_needed),
        cmocka_unit_test(the_loop_buffer_forgets_all_at_a_flush),
        cmocka_unit_test(the_loop_buffer_feeds_its_own_width),
        cmocka_unit_test(the_loop_buffer_does_not_run_ahead_of_decode),
        cmocka_unit_test(a_loop_with_a_jump_in_it_stays_out_of_the_loop_buffer),
        cmocka_unit_test(blocks_in_the_fetch_target_queue_prefetch_their_lines),
        cmocka_unit_test(the_predictor_waits_for_decode_at_a_jump_that_the_target_buffer_missed),
        cmocka_unit_test(a_half_is_kept_where_the_cache_is_read_at_one_place),
        cmocka_unit_test(misses_that_may_not_be_speculative_wait_for_branches_before_them_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
