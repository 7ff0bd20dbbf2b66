/* The chained first level: which blocks get an entry, and when fetch may follow it. */
#include "tests/sim/core/bpred/drive.h"

#include <stdlib.h>

#include "sim/core/bpred/target/targets.h"

enum { BLOCK = 16, ENTRIES = 4 };

struct line { struct chain chain; uint8_t *block; uint64_t now; };

static void line_open(struct line *line)
{
    struct config config;
    struct arena arena = {0};
    config_init(&config);
    config.part_l0_kind = 1;
    config.bpred_l0_entries = ENTRIES;
    config.fetch_bytes = BLOCK;
    *line = (struct line){0};
    chain_init(&line->chain, &config, &arena);
    line->block = calloc(1, arena.used);
    assert_non_null(line->block);
    arena = (struct arena){.base = line->block};
    chain_init(&line->chain, &config, &arena);
}

static enum chain_verdict jump(struct line *line, uint64_t pc, uint64_t target)
{
    const struct chain_step step = {
        .now = line->now += 10, .pc = pc, .end = pc + 2, .next_pc = target, .is_taken = true,
        .may_enter = true,
        .is_last = true, .bubble = 1,
    };
    return chain_take(&line->chain, &step);
}

static enum chain_verdict give_back(struct line *line, uint64_t pc, uint64_t target, uint64_t top)
{
    const struct chain_step step = {
        .now = line->now += 10, .pc = pc, .end = pc + 2, .next_pc = target, .is_taken = true,
        .may_enter = true,
        .is_return = true, .early_top = top, .bubble = 2,
    };
    return chain_take(&line->chain, &step);
}

static enum chain_verdict branch(struct line *line, uint64_t pc, uint64_t target, bool is_sure)
{
    const struct chain_step step = {
        .now = line->now += 10, .pc = pc, .end = pc + 2, .next_pc = target, .is_taken = true,
        .may_enter = true,
        .is_branch = true, .is_sure = is_sure, .is_last = true, .bubble = 1,
    };
    return chain_take(&line->chain, &step);
}

static enum chain_verdict stay(struct line *line, uint64_t pc, bool is_last)
{
    const struct chain_step step = {
        .now = line->now += 10, .pc = pc, .end = pc + 2, .next_pc = pc + 4, .is_branch = true,
        .is_last = is_last, .is_cut = !is_last, .back_bubble = 3,
    };
    return chain_take(&line->chain, &step);
}

/* A jump in one block leads to a jump in another block, which leads back: in the second round both
 * are known. */
static void blocks_that_a_jump_leads_to_are_entered(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    for (unsigned round = 0; round < 3; round++) {
        enum chain_verdict seen = round == 0 ? CHAIN_MISS : CHAIN_HIT;
        assert_int_equal(jump(&line, PC + 4, PC + 0x100), round < 2 ? CHAIN_MISS : CHAIN_HIT);
        assert_int_equal(jump(&line, PC + 0x108, PC), seen);
    }
    assert_int_equal(jump(&line, PC + 4, PC + 0x100), CHAIN_HIT);
    assert_int_equal(jump(&line, PC + 0x108, PC + 0x200), CHAIN_WRONG);    /* elsewhere */
    free(line.block);
}

/* In the block after the target's block an entry is made only if fetch entered the target's block
 * in its second half and this block has no branch; a branch in the block of the jump does not
 * matter. A transfer in two blocks belongs to the second. */
static void a_jump_far_after_the_last_gets_no_entry(void **state)
{
    (void)state;
    enum { SECOND = BLOCK + 4, BOTH = BLOCK - 2, BETWEEN = 2 * BLOCK - 2 };
    static const struct { unsigned enters, branch, jump, hits; } cases[] = {
        {0, 0, SECOND, 0}, {8, 0, SECOND, 1}, {8, 10, SECOND, 0}, {8, BLOCK, SECOND, 1},
        {0, 4, BOTH, 1}, {8, BOTH, SECOND, 1}, {8, 0, BETWEEN, 1}, {0, 0, BETWEEN, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct line line;
        unsigned hits = 0;
        line_open(&line);
        for (unsigned round = 0; round < 2; round++) {
            jump(&line, PC + 0x400, PC + cases[i].enters);
            if (cases[i].branch != 0)
                stay(&line, PC + cases[i].branch,
                     (cases[i].branch + 2) / BLOCK != (cases[i].jump + 2) / BLOCK);
            hits += jump(&line, PC + cases[i].jump, PC + 0x200) == CHAIN_HIT;
        }
        assert_int_equal(hits, cases[i].hits);
        free(line.block);
    }
}

/* Two blocks that lead to each other. */
static void go_round_twice(struct line *line)
{
    for (unsigned round = 0; round < 2; round++) {
        jump(line, PC + 0x400, PC);
        jump(line, PC + 4, PC + 0x400);
    }
}

static void after_a_misprediction_the_first_block_is_fetched_without(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    go_round_twice(&line);
    chain_restart(&line.chain, line.now + 10, PC, true);
    assert_int_equal(jump(&line, PC + 4, PC + 0x400), CHAIN_MISS);
    assert_int_equal(jump(&line, PC + 0x400, PC), CHAIN_HIT);
    free(line.block);
}

/* The first transfer of a block to which a misprediction led gets an entry if the flow before it
 * has settled, and none after any other flush. */
static void a_misprediction_opens_a_flow_once_the_last_one_has_settled(void **state)
{
    (void)state;
    static const struct { unsigned after; bool is_branch, hits; } cases[] = {
        {4, true, true}, {3, true, false}, {4, false, false},
    };
    for (unsigned i = 0; i < 3; i++) {
        struct line line;
        line_open(&line);
        jump(&line, PC + 0x400, PC + 0x100);
        chain_restart(&line.chain, line.now + cases[i].after, PC, cases[i].is_branch);
        jump(&line, PC + 4, PC + 0x200);
        jump(&line, PC + 0x400, PC);
        assert_int_equal(jump(&line, PC + 4, PC + 0x200),
                         cases[i].hits ? CHAIN_HIT : CHAIN_MISS);
        free(line.block);
    }
}

/* After a hit a wrong entry is not dropped either. */
static void after_a_hit_entries_stay_as_they_are(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    jump(&line, PC + 0x400, PC);
    jump(&line, PC + 4, PC + 0x100);
    jump(&line, PC + 0x104, PC + 0x200);
    for (unsigned round = 0; round < 2; round++) {
        jump(&line, PC + 0x208, PC);
        assert_int_equal(jump(&line, PC + 4, PC + 0x100), CHAIN_HIT);
        assert_int_equal(jump(&line, PC + 0x108, PC + 0x208), CHAIN_WRONG);
    }
    free(line.block);
}

/* The branch must be taken twice with a saturated counter; its entry is dropped when it hits with
 * another counter. */
static void a_branch_is_followed_from_the_second_time_on(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    static const struct { bool is_sure; enum chain_verdict verdict; } rounds[] = {
        {false, CHAIN_MISS}, {true, CHAIN_MISS}, {false, CHAIN_MISS}, {true, CHAIN_MISS},
        {true, CHAIN_HIT}, {false, CHAIN_HIT}, {true, CHAIN_MISS}, {true, CHAIN_MISS},
        {true, CHAIN_HIT},
    };
    for (unsigned i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        chain_leave_loop(&line.chain, line.now, PC);
        assert_int_equal(branch(&line, PC + 4, PC + 0x400, rounds[i].is_sure), rounds[i].verdict);
    }
    free(line.block);
}

static void a_branch_that_is_not_taken_loses_its_entry(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    go_round_twice(&line);
    jump(&line, PC + 0x400, PC);
    assert_int_equal(stay(&line, PC + 4, false), CHAIN_AHEAD);  /* another branch follows it */
    assert_int_equal(line.chain.led_to, PC + 0x400);
    jump(&line, PC + 0x400, PC);
    assert_int_equal(stay(&line, PC + 8, true), CHAIN_WRONG);   /* any branch, if it is the last */
    assert_true(line.chain.is_masked);          /* the next block is fetched without */
    assert_int_equal(line.chain.flow, PC + 16);
    jump(&line, PC + 0x400, PC);
    assert_int_equal(stay(&line, PC + 4, true), CHAIN_MISS);
    free(line.block);
}

/* A return goes to the top of the stack that this level read, which lacks a call just before. */
static void a_return_goes_to_the_top_of_the_stack_that_was_read(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    jump(&line, PC + 0x800, PC + 0x100);
    assert_int_equal(give_back(&line, PC + 0x104, PC + 4, PC + 4), CHAIN_MISS);
    jump(&line, PC + 0x800, PC + 0x100);
    assert_int_equal(give_back(&line, PC + 0x104, PC + 4, PC + 4), CHAIN_HIT);
    jump(&line, PC + 0x800, PC + 0x100);
    assert_int_equal(give_back(&line, PC + 0x104, PC + 8, PC + 4), CHAIN_WRONG);
    assert_int_equal(line.chain.led_to, PC + 4);
    free(line.block);
}

/* Two branches and a return in one block. The return makes an entry for the whole block. Fetch
 * finds this entry when it enters the block again, but its first view of the block ends after the
 * first branch. Fetch then comes to the second branch by a flow of its own, and makes an entry for
 * the return in the rest of the block. */
static void a_return_after_two_branches_is_wrong_for_the_block(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    for (unsigned round = 0; round < 4; round++) {
        bool is_known = round % 2 != 0;
        jump(&line, PC + 0x800, PC + 0x100);
        assert_int_equal(stay(&line, PC + 0x100, false), is_known ? CHAIN_BACK : CHAIN_MISS);
        assert_int_equal(line.chain.flow, is_known ? PC + 0x104 : PC + 0x100);
        assert_true(!is_known || line.chain.settled == line.now + 6);
        assert_int_equal(stay(&line, PC + 0x108, true), CHAIN_MISS);
        assert_int_equal(give_back(&line, PC + 0x10c, PC + 4, PC + 4),
                         round == 3 ? CHAIN_HIT : CHAIN_MISS);
    }
    free(line.block);
}

/* Fetch stands still with a jump in the stage that redirects: the jump gets an entry wherever it
 * is, and opens the block to which it leads, which a jump with a hit does not. */
static void a_jump_that_waits_opens_its_block_and_the_next(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    jump(&line, PC + 4, PC + 0x100);
    jump(&line, PC + 0x164, PC);                        /* far after PC + 0x100 */
    assert_int_equal(chain_number(&line.chain, PC + 0x160), 0);
    assert_false(chain_waits(&line.chain, line.now - 1));               /* another transfer waits */
    assert_int_equal(chain_number(&line.chain, PC + 0x160), 0);
    assert_false(chain_waits(&line.chain, line.now));
    assert_int_equal(chain_number(&line.chain, PC + 0x160), 1);
    branch(&line, PC + 0x274, PC, false);
    assert_false(chain_waits(&line.chain, line.now));   /* its counter is not saturated */
    assert_int_equal(chain_number(&line.chain, PC + 0x270), 0);
    jump(&line, PC + 4, PC + 0x300);
    assert_int_equal(jump(&line, PC + 0x304, PC), CHAIN_MISS);
    assert_int_equal(jump(&line, PC + 4, PC + 0x300), CHAIN_HIT);
    assert_true(chain_waits(&line.chain, line.now));
    assert_true(line.chain.is_open);
    free(line.block);
}

/* A return that waits in its stage loses the entry that it made in the stage before. */
static void a_return_that_waits_gets_no_entry(void **state)
{
    (void)state;
    struct line line;
    line_open(&line);
    for (unsigned i = 0; i < ENTRIES; i++)
        chain_make(&line.chain, PC + i * 0x10, PC + i * 0x10, PC, false);
    jump(&line, PC + 0x404, PC + 0x100);
    give_back(&line, PC + 0x104, PC + 0x200, 0);
    assert_int_equal(chain_number(&line.chain, PC + 0x100), 1);
    assert_int_equal(chain_number(&line.chain, PC), 0);
    assert_false(chain_waits(&line.chain, line.now));
    assert_int_equal(chain_number(&line.chain, PC + 0x100), 0);
    assert_int_equal(chain_number(&line.chain, PC), 1);
    jump(&line, PC + 0x404, PC + 0x100);
    give_back(&line, PC + 0x104, PC + 0x200, 0);
    assert_int_equal(chain_number(&line.chain, PC + 0x100), 1);
    free(line.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_that_waits_opens_its_block_and_the_next),
        cmocka_unit_test(a_return_that_waits_gets_no_entry),
        cmocka_unit_test(blocks_that_a_jump_leads_to_are_entered),
        cmocka_unit_test(a_jump_far_after_the_last_gets_no_entry),
        cmocka_unit_test(after_a_misprediction_the_first_block_is_fetched_without),
        cmocka_unit_test(a_misprediction_opens_a_flow_once_the_last_one_has_settled),
        cmocka_unit_test(after_a_hit_entries_stay_as_they_are),
        cmocka_unit_test(a_branch_is_followed_from_the_second_time_on),
        cmocka_unit_test(a_branch_that_is_not_taken_loses_its_entry),
        cmocka_unit_test(a_return_goes_to_the_top_of_the_stack_that_was_read),
        cmocka_unit_test(a_return_after_two_branches_is_wrong_for_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
