/* The fetch-target queue, and fetch across blocks: the cycles that they save, exactly where this
 * can be worked out; they change nothing else. */
#include "tests/sim/core/rig.h"

#include "sim/core/pipe/core_internal.h"

enum { LINES = 64, INSNS_IN_LINE = 16 };

/* Straight code that no cache has. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_in_the_fetch_target_queue_prefetch_their_lines),
        cmocka_unit_test(the_predictor_waits_for_decode_at_a_jump_that_the_target_buffer_missed),
        cmocka_unit_test(misses_that_may_not_be_speculative_wait_for_branches_before_them_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
