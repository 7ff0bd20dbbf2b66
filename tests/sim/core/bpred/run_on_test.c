/* Fetch that runs on while the loop buffer feeds decode: its addresses, cycle by cycle. */
#include "tests/sim/core/bpred/drive.h"

#include <stdlib.h>

#include "sim/core/bpred/run_on.h"

enum { HEAD = PC + 8, BACK = PC + 20, BLOCK = 16, TAKEN = 3, NOT_TAKEN = 0 };

/* A loop of half a block and one more block, which the closing branch ends; the third block has a
 * return. */
struct loop { struct run_on run_on; struct chain chain; uint8_t *block; };

static void loop_open(struct loop *loop)
{
    struct config config;
    struct arena arena = {0};
    config_init(&config);
    config.part_l0_kind = 1;
    config.bpred_l0_entries = 4;
    config.fetch_bytes = BLOCK;
    *loop = (struct loop){0};
    chain_init(&loop->chain, &config, &arena);
    loop->block = calloc(1, arena.used);
    assert_non_null(loop->block);
    arena = (struct arena){.base = loop->block};
    chain_init(&loop->chain, &config, &arena);
    loop->run_on.chain = &loop->chain;
    loop->run_on.text = (struct run_on_text){
        .start = HEAD, .end = BACK, .count = 2,
        .transfer = {{BACK, BACK + 2, HEAD, RUN_ON_BRANCH, true},
                     {PC + 36, PC + 36, 0, RUN_ON_RETURN, false}},
    };
    run_on_close(&loop->run_on.text);
}

/* One cycle; `counter` predicts the branch that comes to the second stage next. */
static struct run_on_cycle advance(struct loop *loop, uint8_t counter)
{
    struct run_on_cycle cycle = run_on_look(&loop->run_on);
    run_on_step(&loop->run_on, &cycle, counter);
    return cycle;
}

/* The second stage sends fetch back, a cycle after the fetch of the branch's block; from the second
 * such time on an entry leads fetch back at once. */
static void fetch_goes_round_the_loop_and_learns_the_way(void **state)
{
    (void)state;
    static const uint64_t pc[] = {HEAD, PC + BLOCK, PC + 2 * BLOCK, HEAD, PC + BLOCK,
                                  PC + 2 * BLOCK, HEAD, PC + BLOCK, HEAD, PC + BLOCK, HEAD};
    struct loop loop;
    loop_open(&loop);
    run_on_begin(&loop.run_on, 10, HEAD, 1, false);
    for (unsigned i = 0; i < sizeof pc / sizeof pc[0]; i++) {
        assert_int_equal(loop.run_on.pc, pc[i]);
        struct run_on_cycle cycle = advance(&loop, TAKEN);
        assert_int_equal(cycle.has_branch, i != 0 && (pc[i - 1] == PC + BLOCK));
    }
    free(loop.block);
}

/* A return with an empty stack sends fetch, from the third stage, to the place at which fetch came
 * into the block. */
static void after_the_loop_a_return_turns_it_back(void **state)
{
    (void)state;
    static const uint64_t pc[] = {HEAD, PC + BLOCK, PC + 2 * BLOCK, PC + 3 * BLOCK,
                                  PC + 4 * BLOCK, PC + 2 * BLOCK};
    struct loop loop;
    loop_open(&loop);
    run_on_begin(&loop.run_on, 10, HEAD, 1, false);
    for (unsigned i = 0; i < sizeof pc / sizeof pc[0]; i++) {
        assert_int_equal(loop.run_on.pc, pc[i]);
        advance(&loop, NOT_TAKEN);
    }
    free(loop.block);
}

/* If the branch in front of the return in its block is not taken, fetch follows the return, unless
 * the chained first level has already led fetch to the return's target. */
static void a_return_after_a_branch_turns_it_back(void **state)
{
    (void)state;
    for (unsigned is_led = 0; is_led < 2; is_led++) {
        struct loop loop;
        loop_open(&loop);
        loop.run_on.text.transfer[1].pc = loop.run_on.text.transfer[1].end = BACK + 4;
        run_on_close(&loop.run_on.text);
        if (is_led) {
            chain_make(&loop.chain, PC + BLOCK, BACK + 4, 0, true);
            loop.run_on.top = loop.run_on.early_top = PC + 0x100;
        }
        run_on_begin(&loop.run_on, 10, HEAD, 1, false);
        loop.run_on.hit = 0;
        advance(&loop, NOT_TAKEN);
        advance(&loop, NOT_TAKEN);
        assert_true(advance(&loop, NOT_TAKEN).has_branch);
        assert_int_equal(loop.run_on.returns, !is_led);
        assert_int_equal(loop.run_on.pc, is_led ? PC + 0x110 : PC + 3 * BLOCK);
        assert_true(is_led || advance(&loop, NOT_TAKEN).next_pc == PC + BLOCK);
        free(loop.block);
    }
}

/* The entry that the first level found for the block in which fetch was stays in force. */
static void the_loop_begins_with_the_entry_of_where_fetch_was(void **state)
{
    (void)state;
    struct loop loop;
    loop_open(&loop);
    chain_make(&loop.chain, PC + BLOCK, BACK, HEAD, false);
    loop.chain.entry[0].is_ready = true;
    run_on_begin(&loop.run_on, 10, HEAD, 1, false);
    assert_int_equal(advance(&loop, TAKEN).next_pc, HEAD);
    struct run_on_cycle cycle = advance(&loop, TAKEN);
    assert_true(cycle.is_mistaken);             /* no transfer is in the first block */
    assert_int_equal(cycle.next_pc, PC + BLOCK);
    advance(&loop, TAKEN);
    assert_int_equal(chain_number(&loop.chain, PC + BLOCK), 0);
    free(loop.block);
}

static void a_branch_that_the_target_buffer_does_not_know_leads_back_to_its_block(void **state)
{
    (void)state;
    static const uint64_t pc[] = {HEAD, PC + BLOCK, PC + 2 * BLOCK, PC + BLOCK, PC + 2 * BLOCK,
                                  PC + BLOCK};
    struct loop loop;
    loop_open(&loop);
    loop.run_on.text.transfer[0].is_known = false;
    run_on_begin(&loop.run_on, 10, HEAD, 1, false);
    for (unsigned i = 0; i < sizeof pc / sizeof pc[0]; i++) {
        assert_int_equal(loop.run_on.pc, pc[i]);
        advance(&loop, TAKEN);
    }
    assert_int_equal(chain_number(&loop.chain, PC + BLOCK), 0);
    free(loop.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetch_goes_round_the_loop_and_learns_the_way),
        cmocka_unit_test(a_branch_that_the_target_buffer_does_not_know_leads_back_to_its_block),
        cmocka_unit_test(after_the_loop_a_return_turns_it_back),
        cmocka_unit_test(a_return_after_a_branch_turns_it_back),
        cmocka_unit_test(the_loop_begins_with_the_entry_of_where_fetch_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
