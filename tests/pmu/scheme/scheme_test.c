/* The profiling schemes, fed by hand: the instructions that each of them charges. */
#include "tests/pmu/scheme/scheme_feed.h"

#include "pmu/scheme/scheme_cost.h"

static const struct scheme_settings each_cycle = {.period = 1, .transfers = 4};

/* ---- states of the commit stage (MICRO 2021, figure 4) --------------------------------------- */

static void instructions_that_commit_together_share_their_cycle(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);

    commit_pair(&feed, insn_at(I1), insn_at(I2));
    commit_pair(&feed, insn_at(I3), insn_at(I4));
    for (unsigned i = 0; i < 4; i++) {
        assert_units(feed, TIP, I1 + 4 * i, ALL / 2);
        assert_units(feed, NCI_ILP, I1 + 4 * i, ALL / 2);
        assert_units(feed, NCI, I1 + 4 * i, i % 2 == 0 ? ALL : 0);
        assert_units(feed, TIP_ILP, I1 + 4 * i, i % 2 == 0 ? ALL : 0);
        assert_units(feed, LCI, I1 + 4 * i, i % 2 == 0 ? 0 : ALL);
    }
    schemes_free(feed.schemes);
}

static void a_share_that_does_not_divide_is_the_first_ones(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn group[11];

    for (unsigned i = 0; i < 11; i++)
        group[i] = insn_at(I1 + 4 * i);
    commit(&feed, group, 11);
    assert_units(feed, TIP, I1, ALL - 10 * (ALL / 11));
    assert_units(feed, TIP, I1 + 40, ALL / 11);
    schemes_free(feed.schemes);
}

static void a_load_that_stalls_has_its_cycles(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn load = insn_at(I2);

    commit_one(&feed, insn_at(I1));
    wait_for(&feed, 40, &load);
    commit_pair(&feed, load, insn_at(I3));
    assert_units(feed, TIP, I2, 40 * ALL + ALL / 2);
    assert_units(feed, TIP, I3, ALL / 2);
    assert_units(feed, TIP_ILP, I2, 41 * ALL);
    assert_units(feed, NCI, I2, 41 * ALL);
    assert_units(feed, NCI, I3, 0);
    assert_units(feed, NCI_ILP, I2, 41 * ALL / 2);
    assert_units(feed, NCI_ILP, I3, 41 * ALL / 2);
    assert_units(feed, LCI, I1, 41 * ALL);
    assert_units(feed, LCI, I2, 0);
    assert_units(feed, LCI, I3, ALL);
    schemes_free(feed.schemes);
}

static void a_flush_is_the_branchs(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn branch = insn_at(I2), target = insn_at(I5);

    branch.flags = SCHEME_FLUSHES | SCHEME_TAKEN;
    branch.next_pc = I5;
    commit_pair(&feed, insn_at(I1), branch);
    wait_for(&feed, 4, NULL);
    wait_for(&feed, 1, &target);
    commit_one(&feed, target);
    assert_units(feed, TIP, I2, ALL / 2 + 4 * ALL);
    assert_units(feed, TIP, I5, 2 * ALL);
    assert_units(feed, NCI, I2, 0);
    assert_units(feed, NCI, I5, 6 * ALL);
    assert_units(feed, LCI, I2, 6 * ALL);
    schemes_free(feed.schemes);
}

static void an_empty_pipeline_is_the_next_ones(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn late = insn_at(I3);

    commit_pair(&feed, insn_at(I1), insn_at(I2));
    wait_for(&feed, 40, NULL);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_TIP), 1);
    wait_for(&feed, 1, &late);
    commit_one(&feed, late);
    assert_units(feed, TIP, I3, 42 * ALL);
    assert_units(feed, NCI, I3, 42 * ALL);
    assert_units(feed, LCI, I2, 42 * ALL);
    assert_int_equal(schemes_due(feed.schemes), 43);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_TIP), 43);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_TEA), 43);
    schemes_free(feed.schemes);
}

static void a_trap_has_the_cycles_until_its_handler_comes(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn fault = insn_at(I2);

    commit_one(&feed, insn_at(I1));
    wait_for(&feed, 3, NULL);
    wait_for(&feed, 2, &fault);
    schemes_flush(feed.schemes, &fault);
    wait_for(&feed, 5, NULL);
    commit_one(&feed, insn_at(I5));
    assert_units(feed, TIP, I2, 10 * ALL);
    assert_units(feed, TIP, I5, ALL);
    assert_units(feed, NCI, I5, 11 * ALL);
    schemes_free(feed.schemes);
}

static void an_interrupt_is_not_the_flush_of_an_instruction(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn branch = insn_at(I1), head = insn_at(I2);

    branch.flags = SCHEME_FLUSHES;
    head.signature = SCHEME_ST_L1;
    commit_one(&feed, branch);
    wait_for(&feed, 2, &head);
    schemes_flush(feed.schemes, NULL);
    wait_for(&feed, 3, NULL);
    commit_one(&feed, insn_at(I5));
    assert_units(feed, TIP, I1, ALL);
    assert_units(feed, TIP, I2, 2 * ALL);
    assert_units(feed, TIP, I5, 4 * ALL);
    assert_int_equal(stack_units(&feed, SCHEME_STACK_TEA, I2, SCHEME_ST_L1), 2 * ALL);
    schemes_free(feed.schemes);
}

static void a_wait_has_its_cycles_though_nothing_committed(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn wfi = insn_at(I1);

    wfi.id = 1;
    wfi.flags = SCHEME_FLUSHES;
    schemes_wait(feed.schemes, &wfi);
    wait_for(&feed, 6, NULL);
    assert_units(feed, TIP, I1, 6 * ALL);
    assert_units(feed, TIP_ILP, I1, 6 * ALL);
    assert_units(feed, LCI, I1, 6 * ALL);
    commit_one(&feed, insn_at(I5));
    schemes_wait(feed.schemes, &wfi);               /* the wait goes on after a monitor */
    wait_for(&feed, 3, NULL);
    assert_units(feed, TIP, I1, 9 * ALL);
    assert_units(feed, TIP, I5, ALL);
    schemes_free(feed.schemes);
}

static void every_cycle_is_in_one_state(void **state)
{
    (void)state;
    static const char *const name[SCHEME_STATES] = {"computing", "stalled", "flushed", "drained"};
    static const uint64_t cycles[SCHEME_STATES] = {3, 20, 7, 11};
    struct feed feed = begin(each_cycle);
    struct scheme_insn load = insn_at(I1), branch = insn_at(I2);

    branch.flags = SCHEME_FLUSHES;
    wait_for(&feed, 5, NULL);
    wait_for(&feed, 20, &load);
    commit_pair(&feed, load, branch);
    wait_for(&feed, 7, NULL);
    commit_one(&feed, insn_at(I5));
    wait_for(&feed, 6, NULL);
    commit_one(&feed, insn_at(I1));
    for (unsigned i = 0; i < SCHEME_STATES; i++) {
        assert_string_equal(scheme_state_name(i), name[i]);
        assert_int_equal(schemes_cycles(feed.schemes, i), cycles[i]);
    }
    schemes_free(feed.schemes);
}

/* ---- event stacks ---------------------------------------------------------------------------- */

static void a_stall_has_the_events_known_at_commit(void **state)
{
    (void)state;
    struct feed feed = begin(each_cycle);
    struct scheme_insn load = insn_at(I1), branch = insn_at(I2), late = insn_at(I5);

    wait_for(&feed, 10, &load);
    load.signature = SCHEME_ST_L1 | SCHEME_ST_LLC;
    branch.signature = SCHEME_FL_MB;
    branch.flags = SCHEME_FLUSHES;
    commit_pair(&feed, load, branch);
    wait_for(&feed, 7, NULL);
    late.signature = SCHEME_DR_L1;
    commit_one(&feed, late);
    wait_for(&feed, 5, NULL);
    commit_one(&feed, late);
    for (unsigned which = 0; which < SCHEME_STACKS; which++) {
        assert_int_equal(stack_units(&feed, which, I1, SCHEME_ST_L1 | SCHEME_ST_LLC),
                         10 * ALL + ALL / 2);
        assert_int_equal(stack_units(&feed, which, I1, 0), 0);
        assert_int_equal(stack_units(&feed, which, I2, SCHEME_FL_MB), 7 * ALL + ALL / 2);
        assert_int_equal(stack_units(&feed, which, I5, SCHEME_DR_L1), 7 * ALL);
    }
    assert_units(feed, TEA, I1, 10 * ALL + ALL / 2);
    assert_units(feed, TEA, I5, 7 * ALL);
    schemes_free(feed.schemes);
}

static void signatures_have_names(void **state)
{
    (void)state;
    char text[SCHEME_SIGNATURE_TEXT];

    assert_string_equal(scheme_signature_text(0, text), "-");
    assert_string_equal(scheme_signature_text(SCHEME_ST_L1 | SCHEME_DR_SQ, text), "DR-SQ ST-L1");
    assert_int_equal(strlen(scheme_signature_text((1 << SCHEME_EVENTS) - 1, text)), 56);
}

/* ---- tags and interrupts --------------------------------------------------------------------- */

/* One instruction a cycle, fetched nine, decoded six and dispatched four cycles before: in cycle c
 * commits number c, at I1 + 4 * c. */
static void run(struct feed *feed, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles; i++) {
        struct scheme_insn insn = insn_at(I1 + 4 * feed->cycle);

        insn.id = feed->cycle;
        insn.fetch_cycle = feed->cycle - 9;
        insn.decode_cycle = feed->cycle - 6;
        insn.dispatch_cycle = feed->cycle - 4;
        feed->dispatched = feed->cycle + 4;
        insn.latency_cycles = 3;
        commit_one(feed, insn);
    }
}

static void a_tag_commits_with_the_instruction_that_dispatched(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 10, .transfers = 4});

    feed.cycle = 10;
    run(&feed, 15);
    assert_units(feed, DISPATCH, I1 + 4 * 14, ALL);
    assert_units(feed, DISPATCH, I1 + 4 * 24, ALL);
    assert_units(feed, NCI, I1 + 4 * 10, ALL);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_DISPATCH), 2);
    schemes_free(feed.schemes);
}

static void samples_under_way_do_not_hinder_each_other(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 10, .transfers = 4});
    struct scheme_insn load = insn_at(I1), next = insn_at(I2);

    load.id = 3;
    next.id = 4;
    next.dispatch_cycle = 20;
    wait_for(&feed, 9, NULL);
    feed.dispatched = 3;
    wait_for(&feed, 1, NULL);
    wait_for(&feed, 9, &load);
    feed.dispatched = 4;
    wait_for(&feed, 1, &load);
    wait_for(&feed, 10, &load);
    commit_pair(&feed, load, next);
    assert_int_equal(schemes_due(feed.schemes), 3);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_DISPATCH), 2);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_TIP), 3);
    assert_units(feed, DISPATCH, I1, ALL);
    assert_units(feed, DISPATCH, I2, ALL);
    assert_units(feed, SOFTWARE, I1, 3 * ALL);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_CTR), 3);
    schemes_free(feed.schemes);
}

/* MICRO 2021, figure 2: after a load that stalls, the instruction that waits to dispatch is
 * tagged. */
static void a_stall_tags_what_dispatches_when_it_is_over(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 10, .transfers = 4});
    struct scheme_insn load = insn_at(I1), late = insn_at(I5);

    load.id = 1;
    late.id = 129;
    wait_for(&feed, 30, &load);
    feed.dispatched = 129;
    commit_one(&feed, load);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_DISPATCH), 0);
    commit_one(&feed, late);
    assert_units(feed, DISPATCH, I1, 0);
    assert_units(feed, DISPATCH, I5, 3 * ALL);
    assert_units(feed, TIP, I1, 3 * ALL);
    schemes_free(feed.schemes);
}

static void a_tag_that_is_squashed_is_lost(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 10, .transfers = 4});
    struct scheme_insn branch = insn_at(I1), wrong = insn_at(I2), right = insn_at(I5);

    branch.id = 1;
    wrong.id = 2;
    right.id = 9;
    wait_for(&feed, 9, &branch);
    feed.dispatched = wrong.id;
    wait_for(&feed, 1, &branch);
    commit_one(&feed, branch);
    feed.dispatched = right.id;
    wait_for(&feed, 1, NULL);
    commit_one(&feed, right);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_DISPATCH), 0);
    wait_for(&feed, 6, NULL);
    right.id = feed.dispatched = 10;
    wait_for(&feed, 1, NULL);           /* cycle 20: the next sample is on its own */
    commit_one(&feed, right);
    assert_units(feed, DISPATCH, I5, ALL);
    schemes_free(feed.schemes);
}

static void an_interrupt_at_commit_names_the_next_to_commit(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){
        .period = 10, .interrupt_cycles = 3, .transfers = 4});

    feed.cycle = 7;
    run(&feed, 10);
    assert_units(feed, SOFTWARE, I1 + 4 * 13, ALL);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_SOFTWARE), 1);
    schemes_free(feed.schemes);
}

static void an_interrupt_waits_for_an_instruction_that_acts_alone(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){
        .period = 10, .interrupt_cycles = 3, .transfers = 4});
    struct scheme_insn csr = insn_at(I1);

    csr.flags = SCHEME_SERIAL;
    csr.dispatch_cycle = 12;
    wait_for(&feed, 12, NULL);
    wait_for(&feed, 3, &csr);
    commit_one(&feed, csr);
    commit_one(&feed, insn_at(I2));
    assert_units(feed, SOFTWARE, I1, 0);
    assert_units(feed, SOFTWARE, I2, ALL);
    csr.dispatch_cycle = 23;            /* it came when the interrupt was there already */
    wait_for(&feed, 7, NULL);
    commit_one(&feed, csr);
    assert_units(feed, SOFTWARE, I1, ALL);
    schemes_free(feed.schemes);
}

static void an_interrupt_at_decode_comes_after_all_older_instructions(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){
        .period = 10, .interrupt_cycles = 3, .interrupt = SCHEME_AT_DECODE, .transfers = 4});

    feed.cycle = 7;
    run(&feed, 14);
    assert_units(feed, SOFTWARE, I1 + 4 * 19, ALL);
    schemes_free(feed.schemes);
}

static void an_interrupt_at_fetch_comes_after_all_in_the_front_end(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){
        .period = 10, .interrupt_cycles = 3, .interrupt = SCHEME_AT_FETCH, .transfers = 4});

    feed.cycle = 10;
    run(&feed, 14);
    assert_units(feed, SOFTWARE, I1 + 4 * 22, ALL);
    assert_int_equal(schemes_taken(feed.schemes, SCHEME_SOFTWARE), 1);
    schemes_free(feed.schemes);
}

static void a_maskable_interrupt_waits_for_interrupts_to_be_on(void **state)
{
    (void)state;
    for (unsigned maskable = 0; maskable < 2; maskable++) {
        struct feed feed = begin((struct scheme_settings){
            .period = 10, .is_maskable = maskable != 0, .transfers = 4});

        feed.cycle = 7;
        feed.is_masked = true;
        run(&feed, 8);
        feed.is_masked = false;
        run(&feed, 3);
        assert_units(feed, SOFTWARE, I1 + 4 * 10, maskable ? 0 : ALL);
        assert_units(feed, SOFTWARE, I1 + 4 * 15, maskable ? ALL : 0);
        schemes_free(feed.schemes);
    }
}

static void marked_instructions_are_all_counted(void **state)
{
    (void)state;
    struct feed feed = begin((struct scheme_settings){.period = 1000, .transfers = 4});

    feed.cycle = 7;
    run(&feed, 14);
    assert_units(feed, COUNTS, I1 + 4 * 9, 1);
    assert_units(feed, LATENCY, I1 + 4 * 9, 3);
    assert_int_equal(schemes_due(feed.schemes), 0);
    schemes_free(feed.schemes);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void tip_needs_57_bytes_where_four_commit(void **state)
{
    (void)state;
    const struct scheme_machine boom = {
        .commit_width = 4, .rob_entries = 128, .fetch_buffer = 32, .load_queue = 32,
        .l1i_lines = 512, .l1i_line_bytes = 64, .transfers = 32,
    };

    assert_int_equal(scheme_storage_bits(SCHEME_TIP, &boom), 57 * 8);
    assert_int_equal(scheme_sample_bytes(SCHEME_TIP, &boom), 88);
    assert_int_equal(scheme_sample_bytes(SCHEME_NCI, &boom), 56);
    assert_int_equal(scheme_storage_bits(SCHEME_SOFTWARE, &boom), 0);
    assert_int_equal(scheme_storage_bits(SCHEME_COUNTS, &boom), 512 * (32 * 256 + 128));
    assert_int_equal(scheme_sample_bytes(SCHEME_COUNTS, &boom), 0);
    for (unsigned id = SCHEME_DISPATCH; id < scheme_count(); id++)
        assert_int_not_equal(scheme_storage_bits(id, &boom), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_that_commit_together_share_their_cycle),
        cmocka_unit_test(a_share_that_does_not_divide_is_the_first_ones),
        cmocka_unit_test(a_load_that_stalls_has_its_cycles),
        cmocka_unit_test(a_flush_is_the_branchs),
        cmocka_unit_test(an_empty_pipeline_is_the_next_ones),
        cmocka_unit_test(a_trap_has_the_cycles_until_its_handler_comes),
        cmocka_unit_test(an_interrupt_is_not_the_flush_of_an_instruction),
        cmocka_unit_test(a_wait_has_its_cycles_though_nothing_committed),
        cmocka_unit_test(every_cycle_is_in_one_state),
        cmocka_unit_test(a_stall_has_the_events_known_at_commit),
        cmocka_unit_test(signatures_have_names),
        cmocka_unit_test(a_tag_commits_with_the_instruction_that_dispatched),
        cmocka_unit_test(samples_under_way_do_not_hinder_each_other),
        cmocka_unit_test(a_stall_tags_what_dispatches_when_it_is_over),
        cmocka_unit_test(a_tag_that_is_squashed_is_lost),
        cmocka_unit_test(an_interrupt_at_commit_names_the_next_to_commit),
        cmocka_unit_test(an_interrupt_waits_for_an_instruction_that_acts_alone),
        cmocka_unit_test(an_interrupt_at_decode_comes_after_all_older_instructions),
        cmocka_unit_test(an_interrupt_at_fetch_comes_after_all_in_the_front_end),
        cmocka_unit_test(a_maskable_interrupt_waits_for_interrupts_to_be_on),
        cmocka_unit_test(marked_instructions_are_all_counted),
        cmocka_unit_test(tip_needs_57_bytes_where_four_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
