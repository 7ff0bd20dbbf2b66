/* The cost of a miss of fetch beyond the wait for its line, and the effect of a squash on the miss,
 * to the cycle. The code of a loop lies so that its last branch ends a line: the line after it is
 * asked for only by mistake. */
#include "sim/core/pipe/core_state.h"
#include "sim/mem/cache/coherence.h"
#include "sim/mem/cache/memshared.h"
#include "tests/sim/core/rig.h"

enum { ROUNDS = 100, LINES = 24, INSNS_IN_LINE = 16 };
#define NOP addi(0, 0, 0)

static struct rig *rig_with(const char *const *settings)
{
    struct rig *rig = rig_new();
    rig_set(rig, "l1i.prefetch=none");
    rig_set(rig, "bpred.kind=static");
    rig_set(rig, "core.kind=in_order");
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    return rig;
}

/* Straight code, each line for the first time. */
static uint64_t cold_cycles(const char *const *settings)
{
    struct rig *rig = rig_with(settings);
    while (rig->count < LINES * INSNS_IN_LINE)
        emit(rig, NOP);
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void the_block_after_a_refill_waits(void **state)
{
    (void)state;
    uint64_t cycles = cold_cycles(SETTINGS("cva6.refill_bubble=0"));
    /* one cycle of the first line is hidden */
    assert_int_equal(cold_cycles(SETTINGS("cva6.refill_bubble=2")), cycles + LINES * 2 - 1);
}

static void a_miss_goes_out_when_it_has_been_found(void **state)
{
    (void)state;
    uint64_t cycles = cold_cycles(SETTINGS("fetch.miss_delay=0"));
    assert_int_equal(cold_cycles(SETTINGS("fetch.miss_delay=3")), cycles + LINES * 3);
}

/* A loop of one line, whose last instruction is the backward branch. */
static uint64_t loop_in_a_line(const char *const *settings, unsigned rounds, uint64_t *misses)
{
    struct rig *rig = rig_with(settings);
    while (rig->count < INSNS_IN_LINE - 1)
        emit(rig, NOP);
    emit(rig, addi(5, 0, (int32_t)rounds));
    while (rig->count < 2 * INSNS_IN_LINE - 2)
        emit(rig, NOP);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (INSNS_IN_LINE - 1)));
    uint64_t cycles = run(rig, INSNS_IN_LINE + (uint64_t)rounds * INSNS_IN_LINE);
    *misses = event(rig, EVENT_L1I_MISS);
    rig_free(rig);
    return cycles;
}

static uint64_t warm_loop(const char *const *settings)
{
    uint64_t misses;
    return loop_in_a_line(settings, 2 * ROUNDS, &misses) -
           loop_in_a_line(settings, ROUNDS, &misses);
}

static void a_taken_branch_takes_the_request_for_a_missing_block_back(void **state)
{
    (void)state;
    uint64_t cycles = warm_loop(SETTINGS("bpred.taken_bubble=1", "cva6.untaken_bubble=0"));
    assert_int_equal(warm_loop(SETTINGS("bpred.taken_bubble=1", "cva6.untaken_bubble=1")),
                     cycles + ROUNDS);
}

/* The same with a forward branch that is predicted not taken, which is wrong: the line after it is
 * asked for again in every round, or once. */
static uint64_t wrong_path(const char *const *settings, uint64_t *misses)
{
    struct rig *rig = rig_with(settings);
    emit(rig, addi(5, 0, ROUNDS));
    while (rig->count < 2 * INSNS_IN_LINE - 1)
        emit(rig, NOP);
    emit(rig, bne(5, 0, 4 * (INSNS_IN_LINE + 1)));      /* over a line */
    for (unsigned i = 0; i < INSNS_IN_LINE; i++)
        emit(rig, NOP);
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (INSNS_IN_LINE + 2)));
    uint64_t cycles = run(rig, 2 * INSNS_IN_LINE - 1 + 3 * (uint64_t)ROUNDS);
    *misses = event(rig, EVENT_L1I_MISS);
    rig_free(rig);
    return cycles;
}

static void a_line_that_is_thrown_away_is_waited_for_and_missed_again(void **state)
{
    (void)state;
    uint64_t kept, dropped;
    uint64_t cycles = wrong_path(SETTINGS("l2.kib=0", "dram.cycles=50"), &kept);
    uint64_t more = wrong_path(SETTINGS("l2.kib=0", "dram.cycles=50", "cva6.squashed_miss=drop"),
                               &dropped);
    assert_int_equal(kept, 4);
    assert_int_equal(dropped, 4 + ROUNDS);
    assert_true(more > cycles + 40 * ROUNDS);       /* of 50; the branch takes some */
}

static void a_miss_that_has_not_gone_out_is_taken_back(void **state)
{
    (void)state;
    uint64_t misses;        /* the branch executes three cycles after it is fetched */
    wrong_path(SETTINGS("core.kind=in_order", "fetch.stages=1", "rename.stages=0",
                        "fetch.miss_delay=4"), &misses);
    assert_int_equal(misses, 3);
    wrong_path(SETTINGS("core.kind=in_order", "fetch.stages=1", "rename.stages=0"), &misses);
    assert_int_equal(misses, 4);
}

/* A return with an empty stack, in one block with a jump. Returns the reads of memory other than
 * those of missing lines. */
static uint64_t reads_of_return(const char *setting, bool has_jump)
{
    struct rig *rig = rig_with(SETTINGS(setting, "bpred.ras_entries=2", "dispatch.width=1",
                                        "bpred.indirect=btb", "bpred.indirect_entries=0",
                                        "bpred.btb_allocate=indirect"));
    emit(rig, 0 << 12 | 1 << 7 | 0x17);                 /* auipc x1, 0 */
    emit(rig, addi(1, 1, 4 * 8));
    while (rig->count % 4 != 0)
        emit(rig, NOP);
    emit(rig, 1 << 15 | 0x67);                          /* ret */
    emit(rig, has_jump ? 8 << 20 | 0x6f : NOP);
    while (rig->count < 3 + 8)
        emit(rig, NOP);
    emit(rig, NOP);
    run(rig, 9);
    uint64_t reads = event(rig, EVENT_DRAM_READ) - event(rig, EVENT_L1I_MISS);
    rig_free(rig);
    return reads;
}

static void a_return_with_an_empty_stack_may_read_address_zero(void **state)
{
    (void)state;
    assert_int_equal(reads_of_return("cva6.empty_return=false", false), 0);
    assert_int_equal(reads_of_return("cva6.empty_return=false", true), 0);
    assert_int_equal(reads_of_return("cva6.empty_return=true", false), 0);
    assert_int_equal(reads_of_return("cva6.empty_return=true", true), 1);
}

/* Calls fetched after a return with an empty stack, when a call begins in the return's block of 16
 * bytes and ends in the next, where the instructions in front of it are dropped. */
static unsigned calls_after_return(const char *setting)
{
    const uint32_t call = 1 << 7 | 0x6f, two = 0x0001 << 16 | 0x0001;   /* jal ra, 0; c.nop twice */
    struct rig *rig = rig_with(SETTINGS(setting, "core.kind=in_order", "fetch.bytes=16",
                                        "bpred.ras_entries=2", "dram.cycles=300"));
    emit(rig, load(1, 9, 0));
    while (rig->count % 4 != 0)
        emit(rig, NOP);
    emit(rig, 1 << 15 | 0x67);                          /* ret */
    emit(rig, two);
    emit(rig, two);
    emit(rig, call << 16 | 0x0001);
    emit(rig, 0x0001 << 16 | call >> 16);
    rig_start(rig);
    core_run(rig->core, UINT64_MAX, 600, true);
    unsigned calls = 0;
    for (uint64_t seq = rig->core->dispatch_seq; seq < rig->core->fetch_seq; seq++)
        calls += core_uop(rig->core, seq)->kind == KIND_JAL;
    rig_free(rig);
    return calls;
}

static void half_an_instruction_is_kept_after_a_return_with_an_empty_stack(void **state)
{
    (void)state;
    assert_true(calls_after_return("cva6.empty_return=true") > 0);
}

/* Straight code across lines, fetched with a 4-byte instruction across their ends; an inclusive
 * level takes back each line while fetch waits for it, and the lines that have come. */
static uint64_t cycles_of_robbed(const char *setting, bool is_robbed, uint64_t *misses)
{
    struct rig *rig = rig_with(SETTINGS(setting, "fetch.bytes=64", "fetch.width=8"));
    for (unsigned i = 0; i < INSNS_IN_LINE * 2 - 4; i++)
        emit(rig, NOP);
    emit(rig, NOP << 16 | 0x0001);                      /* c.nop: what follows is shifted */
    for (unsigned i = 0; i < INSNS_IN_LINE; i++)
        emit(rig, (NOP & 0xffff) << 16 | NOP >> 16);
    rig_start(rig);
    uint64_t done = 2 * INSNS_IN_LINE + 8;
    while (event(rig, EVENT_INSNS_RETIRED) < done) {
        uint64_t cycles = event(rig, EVENT_CYCLES);
        core_run(rig->core, done - event(rig, EVENT_INSNS_RETIRED), 1, true);
        assert_true(event(rig, EVENT_CYCLES) < 2000 && event(rig, EVENT_CYCLES) > cycles);
        if (is_robbed)
            memshared_recall(rig->shared, PHYS_RAM_BASE, 4 * 64);
    }
    uint64_t cycles = event(rig, EVENT_CYCLES);
    *misses = event(rig, EVENT_L1I_MISS);
    core_settle(rig->core);
    rig_free(rig);
    return cycles;
}

static void a_line_that_was_taken_away_on_its_way_is_used_once(void **state)
{
    static const char *const settings[] = {"fetch.ftq=0", "fetch.ftq=4", "core.kind=in_order"};
    (void)state;
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        uint64_t misses, more;
        uint64_t cycles = cycles_of_robbed(settings[i], false, &misses);
        assert_true(cycles_of_robbed(settings[i], true, &more) > cycles);
        assert_in_range(misses, 3, 5);          /* lines ahead may be missed, too */
        assert_in_range(more, 5, 20);           /* once for each group of eight, not for ever */
    }
}

enum { JUMPS = 10 };

/* Jumps after additions that wait for a load from memory: returns the number of jumps in the
 * instruction buffer meanwhile. */
static unsigned held_jumps(const char *setting, unsigned additions)
{
    struct rig *rig = rig_with(SETTINGS(setting, "core.kind=in_order", "dispatch.width=1",
                                        "decode.width=1", "dram.cycles=300"));
    emit(rig, load(6, 9, 0));
    for (unsigned i = 0; i < additions; i++)
        emit(rig, add(6, 6, 6));
    for (unsigned i = 0; i < JUMPS; i++) {
        emit(rig, 8 << 20 | 0x6f);              /* over the next instruction */
        emit(rig, NOP);
    }
    rig_start(rig);
    core_run(rig->core, UINT64_MAX, 600, true);
    unsigned held = 0;
    for (uint64_t seq = rig->core->decode_seq; seq < rig->core->fetch_seq; seq++)
        held += core_uop(rig->core, seq)->kind == KIND_JAL;
    core_run(rig->core, UINT64_MAX, 2000, true);
    assert_true(core_is_sane(rig->core));
    rig_free(rig);
    return held;
}

static void the_buffer_holds_a_limited_number_of_predicted_transfers(void **state)
{
    (void)state;
    assert_in_range(held_jumps("cva6.transfers=0", 4), 4, JUMPS);
    assert_int_equal(held_jumps("cva6.transfers=2", 4), 3);    /* the third is read again */
    /* The register before issue holds the addition, so the first jump, which has been decoded, is
     * still in the queue. */
    assert_int_equal(held_jumps("cva6.transfers=2", 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_after_a_refill_waits),
        cmocka_unit_test(a_miss_goes_out_when_it_has_been_found),
        cmocka_unit_test(a_taken_branch_takes_the_request_for_a_missing_block_back),
        cmocka_unit_test(a_line_that_is_thrown_away_is_waited_for_and_missed_again),
        cmocka_unit_test(a_miss_that_has_not_gone_out_is_taken_back),
        cmocka_unit_test(a_line_that_was_taken_away_on_its_way_is_used_once),
        cmocka_unit_test(the_buffer_holds_a_limited_number_of_predicted_transfers),
        cmocka_unit_test(a_return_with_an_empty_stack_may_read_address_zero),
        cmocka_unit_test(half_an_instruction_is_kept_after_a_return_with_an_empty_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
