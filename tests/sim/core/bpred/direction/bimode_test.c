/* Bi-mode by its tables: the parts of an index; outcomes that wait for the tables, the cycles in
 * which they are written, and the values written. */
#include "tests/sim/core/bpred/drive.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/bpred/predictors.h"

/* Sixteen counters of each kind: the pc selects the choice, the history selects a bank's counter.
 * All counters start saturated, the choices at not taken. */
struct tables {
    struct bimode bimode;
    struct chain chain;
    struct run_on run_on;
    uint8_t *block;
};

static void tables_configure(struct config *config, unsigned write_buffer)
{
    config_init(config);
    config->bpred_entries = config->part_bimode_choice = 16;
    config->bpred_pc_bits = 0;
    config->bpred_history = 4;
    config->part_bimode_initial = 1;
    config->part_write_buffer = write_buffer;
}

static void tables_init(struct tables *tables, const struct config *config)
{
    struct arena arena = {0};
    *tables = (struct tables){0};
    bimode_init(&tables->bimode, config, &arena);
    tables->block = calloc(1, arena.used);
    assert_non_null(tables->block);
    arena = (struct arena){.base = tables->block};
    bimode_init(&tables->bimode, config, &arena);
    tables->run_on.chain = &tables->chain;
    tables->bimode.run_on = &tables->run_on;
}

static void tables_open(struct tables *tables, unsigned write_buffer)
{
    struct config config;
    tables_configure(&config, write_buffer);
    tables_init(tables, &config);
}

static uint8_t counters(const struct tables *tables, uint64_t history)
{
    return bimode_counters(&tables->bimode, PC, history);
}

/* The outcome of a branch that was predicted with the counters `seen`. */
static void outcome(struct tables *tables, uint64_t cycle, uint64_t history, uint8_t seen,
                    bool taken)
{
    const struct bimode_write write = {
        .pc = PC, .history = history, .counters = seen, .taken = taken,
    };
    bimode_learn(&tables->bimode, cycle, &write);
}

/* The same in a cycle in which the tables are not read. */
static void outcome_alone(struct tables *tables, uint64_t cycle, uint64_t history, uint8_t seen,
                          bool taken)
{
    outcome(tables, cycle, history, seen, taken);
    bimode_run(&tables->bimode, cycle + 1);
}

static void an_outcome_is_written_at_once_unless_the_tables_are_read(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 4);
    outcome_alone(&tables, 10, 1, bimode_pack(0, 0), true);
    assert_int_equal(counters(&tables, 1), bimode_pack(1, 1));
    bimode_reads(&tables.bimode, 11);
    outcome(&tables, 11, 2, bimode_pack(0, 0), true);
    assert_int_equal(bimode_counter_of(counters(&tables, 2)), 0);
    bimode_reads(&tables.bimode, 12);
    bimode_run(&tables.bimode, 13);
    assert_int_equal(bimode_counter_of(counters(&tables, 2)), 0);
    bimode_run(&tables.bimode, 14);                 /* 13 is free */
    assert_int_equal(bimode_counter_of(counters(&tables, 2)), 1);
    free(tables.block);
}

/* A read in a later cycle leaves the cycles before it free for other accesses. */
static void a_read_to_come_does_not_take_the_place_of_an_earlier_one(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 4);
    bimode_reads(&tables.bimode, 20);
    bimode_run(&tables.bimode, 10);
    bimode_reads(&tables.bimode, 12);
    outcome(&tables, 12, 1, bimode_pack(0, 0), true);
    assert_int_equal(bimode_counter_of(counters(&tables, 1)), 0);
    bimode_run(&tables.bimode, 14);
    assert_int_equal(bimode_counter_of(counters(&tables, 1)), 1);
    free(tables.block);
}

/* Within a cycle fetch runs after execution, but its reads go first all the same. */
static void a_read_that_is_noted_after_an_outcome_of_its_cycle_holds_it_up(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 4);
    outcome(&tables, 10, 1, bimode_pack(0, 0), true);
    bimode_reads(&tables.bimode, 10);
    bimode_reads(&tables.bimode, 11);
    bimode_run(&tables.bimode, 12);
    assert_int_equal(bimode_counter_of(counters(&tables, 1)), 0);
    bimode_run(&tables.bimode, 13);
    assert_int_equal(bimode_counter_of(counters(&tables, 1)), 1);
    free(tables.block);
}

/* Sixteen counters are one row if pc_bits would make longer rows. */
static void a_row_is_at_most_the_whole_bank(void **state)
{
    (void)state;
    for (unsigned pc_bits = 4; pc_bits <= 64; pc_bits += 20) {
        struct config config;
        struct tables tables;
        tables_configure(&config, 0);
        config.part_bimode_index = 1;
        config.bpred_pc_bits = pc_bits;
        config.bpred_history = 64;
        tables_init(&tables, &config);
        assert_int_equal(bimode_row(&tables.bimode, UINT64_MAX), 0);
        bimode_train(&tables.bimode, PC, 0x35, true);
        assert_int_equal(bimode_counter_of(counters(&tables, 0x5)), 1);
        assert_int_equal(bimode_counter_of(counters(&tables, 0x4)), 0);
        free(tables.block);
    }
}

static void one_outcome_per_free_cycle_is_written_and_one_without_a_place_is_lost(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 2);
    for (uint64_t cycle = 5; cycle < 9; cycle++) {
        bimode_reads(&tables.bimode, cycle);
        outcome(&tables, cycle, cycle, bimode_pack(0, 1), true);
    }
    outcome(&tables, 10, 0, bimode_pack(0, 0), false);      /* 9 was free: nothing to write here */
    assert_int_equal(bimode_counter_of(counters(&tables, 5)), 2);
    assert_int_equal(bimode_counter_of(counters(&tables, 6)), 0);
    outcome(&tables, 11, 0, bimode_pack(0, 0), false);
    assert_int_equal(bimode_counter_of(counters(&tables, 6)), 2);
    outcome(&tables, 100, 0, bimode_pack(0, 0), false);
    assert_int_equal(bimode_counter_of(counters(&tables, 7)), 0);
    assert_int_equal(bimode_counter_of(counters(&tables, 8)), 0);
    free(tables.block);
}

static void counters_move_from_what_the_prediction_saw(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 4);
    uint8_t seen = counters(&tables, 3);
    outcome_alone(&tables, 10, 3, seen, true);
    outcome_alone(&tables, 11, 3, seen, true);            /* predicted before the first was known */
    assert_int_equal(counters(&tables, 3), bimode_pack(1, 1));
    outcome_alone(&tables, 12, 3, counters(&tables, 3), true);
    assert_int_equal(bimode_choice_of(counters(&tables, 3)), 2);
    assert_int_equal(bimode_counter_of(counters(&tables, 3)), 3);   /* from the other bank */
    free(tables.block);
}

static void both_counters_are_written_or_neither(void **state)
{
    (void)state;
    struct tables tables;
    tables_open(&tables, 4);
    outcome_alone(&tables, 10, 3, bimode_pack(1, 3), true);       /* right, against the choice */
    assert_int_equal(bimode_choice_of(counters(&tables, 3)), 0);
    outcome_alone(&tables, 11, 3, bimode_pack(1, 2), true);       /* right, not saturated */
    assert_int_equal(bimode_choice_of(counters(&tables, 3)), 2);
    outcome_alone(&tables, 12, 3, bimode_pack(2, 3), true);
    assert_int_equal(bimode_choice_of(counters(&tables, 3)), 3);
    free(tables.block);
}

/* Sixteen rows of four counters: the row by history above its two youngest branches, the counter by
 * these and two bits of the pc. */
static void older_history_chooses_the_row_and_pc_the_counter(void **state)
{
    (void)state;
    struct tables tables;
    struct config config;
    enum { HISTORY = 0x35, BLOCK = 16 };
    const struct bimode_write write = {
        .pc = PC, .history = HISTORY, .counters = bimode_pack(0, 0), .taken = true,
    };
    tables_configure(&config, 4);
    config.bpred_entries = 64;
    config.bpred_history = 6;
    config.part_bimode_index = 1;
    config.bpred_pc_bits = 2;
    config.part_bimode_shift = 4;
    tables_init(&tables, &config);
    bimode_learn(&tables.bimode, 1, &write);
    bimode_run(&tables.bimode, 2);
    const struct { uint64_t pc, history; bool is_same; } cases[] = {
        {PC, HISTORY, true}, {PC + 4 * BLOCK, HISTORY, true}, {PC + BLOCK, HISTORY ^ 1, true},
        {PC + BLOCK, HISTORY, false}, {PC, HISTORY ^ 1, false}, {PC, HISTORY ^ 4, false},
        {PC, HISTORY ^ 64, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(bimode_counter_of(bimode_counters(&tables.bimode, cases[i].pc,
                                                           cases[i].history)), cases[i].is_same);
    free(tables.block);
}

/* Rows of four counters and of eight choices, read through the port. */
static void rows_open(struct tables *tables)
{
    struct config config;
    tables_configure(&config, 4);
    config.bpred_entries = 64;
    config.part_bimode_choice = 64;
    config.bpred_history = 6;
    config.part_bimode_index = 1;
    config.bpred_pc_bits = 2;
    config.part_bimode_shift = 4;
    tables_init(tables, &config);
    memset(tables->bimode.choice, 2, 64);           /* of bank 1, whose counters are 3 */
}

static uint8_t seen(struct tables *tables, uint64_t now, uint64_t pc, uint64_t history)
{
    return bimode_seen(&tables->bimode, now, pc, history, false);
}

/* History 0 throughout, so that every branch is in row 0. The first two rows after a redirect are
 * read in its cycle and the one after it, the third when the first branch is predicted. */
static void counters_are_read_two_branches_ahead(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    bimode_redirect(&tables.bimode, 10, PC, 0, false);
    bimode_run(&tables.bimode, 12);
    tables.bimode.bank[1][0] = 1;
    assert_int_equal(bimode_counter_of(seen(&tables, 12, PC, 0)), 3);
    bimode_reads_counters(&tables.bimode, 13, 0, false, false);
    assert_int_equal(bimode_counter_of(seen(&tables, 13, PC, 0)), 3);
    bimode_reads_counters(&tables.bimode, 14, 0, false, false);
    assert_int_equal(bimode_counter_of(seen(&tables, 14, PC, 0)), 1);
    free(tables.block);
}

static void choices_are_kept_until_fetch_goes_elsewhere(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    enum { ROW = 8 * 16 };
    bimode_reads_choices(&tables.bimode, 10, PC, false);
    assert_int_equal(bimode_choice_of(seen(&tables, 11, PC, 0)), 2);
    memset(tables.bimode.choice, 3, 64);
    assert_int_equal(bimode_choice_of(seen(&tables, 12, PC, 0)), 2);
    assert_int_equal(bimode_choice_of(seen(&tables, 13, PC + ROW, 0)), 3);  /* the next row */
    memset(tables.bimode.choice, 1, 64);
    bimode_reads_choices(&tables.bimode, 20, PC + ROW, false);
    assert_int_equal(bimode_choice_of(seen(&tables, 20, PC + ROW, 0)), 3);
    assert_int_equal(bimode_choice_of(seen(&tables, 21, PC + ROW, 0)), 1);
    free(tables.block);
}

/* The redirect uses the choice of another row, and a later write puts this value into the row of
 * the redirect. */
static void a_redirect_while_fetch_is_held_goes_by_the_choices_before(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    enum { ROW = 8 * 16 };
    bimode_reads_choices(&tables.bimode, 10, PC, false);
    bimode_run(&tables.bimode, 11);
    memset(tables.bimode.choice, 3, 64);
    bimode_redirect(&tables.bimode, 12, PC + ROW, 0, true);
    assert_int_equal(bimode_choice_of(seen(&tables, 14, PC + ROW, 0)), 2);
    bimode_redirect(&tables.bimode, 16, PC + ROW, 0, false);
    assert_int_equal(bimode_choice_of(seen(&tables, 18, PC + ROW, 0)), 3);
    free(tables.block);
}

/* The second branch gets the choice of the first, whether or not the first began in another block.
 * After a taken transfer, or a redirect, its own choice is read as usual. */
static void a_further_branch_of_a_block_has_the_choice_of_the_first(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    struct bimode *bimode = &tables.bimode;
    enum { BLOCK = 16 };
    uint64_t second = PC + BLOCK + 8;
    bimode_reads_choices(bimode, 10, PC, false);
    bimode_passes(bimode, PC + BLOCK, bimode_pack(1, 0));       /* began in the block before */
    assert_int_equal(bimode_choice_of(seen(&tables, 12, second, 0)), 1);
    assert_int_equal(bimode_choice_of(seen(&tables, 13, second + BLOCK, 0)), 2);
    bimode_turns(bimode);
    assert_int_equal(bimode_choice_of(seen(&tables, 14, second, 0)), 2);
    bimode_passes(bimode, PC + BLOCK, bimode_pack(1, 0));
    bimode_redirect(bimode, 15, PC, 0, false);
    assert_int_equal(bimode_choice_of(seen(&tables, 17, second, 0)), 2);
    free(tables.block);
}

/* An outcome of choice 2 and counter 2 waits after reads, as 2: its choice's lower bit and its
 * counter's upper one, moved up. A redirect to its block, with its history, finds it; other
 * histories and blocks, and predictions a cycle later, get the choice of the tables. */
static void a_choice_that_waits_is_seen_after_a_change_of_flow(void **state)
{
    (void)state;
    static const struct { uint64_t pc, history, later; uint8_t choice; } cases[] = {
        {PC, 5, 0, 2}, {PC + 16, 5, 0, 3}, {PC, 4, 0, 3}, {PC, 5, 1, 3}, {PC, 5 + 32, 0, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tables tables;
        rows_open(&tables);
        memset(tables.bimode.choice, 3, 64);
        bimode_reads(&tables.bimode, 10);
        outcome(&tables, 10, 5, bimode_pack(2, 2), true);
        bimode_redirect(&tables.bimode, 11, cases[i].pc, cases[i].history, false);
        uint8_t counters = seen(&tables, 12 + cases[i].later, cases[i].pc, cases[i].history);
        assert_int_equal(bimode_choice_of(counters), cases[i].choice);
        free(tables.block);
    }
}

/* Fetch is in the last of eight blocks from cycle 11 on, and leaves it in cycle 14. */
static void outcomes_wait_while_fetch_is_in_the_last_block_of_a_row(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    struct bimode *bimode = &tables.bimode;
    enum { ROW = 8 * 16, LAST = ROW - 16 };
    uint64_t row = PC & ~(uint64_t)(ROW - 1);
    bimode_moves(bimode, 10, 11, row + LAST);
    outcome(&tables, 11, 0, bimode_pack(0, 0), true);
    bimode_run(bimode, 14);
    assert_int_equal(bimode->write_count, 1);
    bimode_moves(bimode, 14, 15, row + ROW);
    bimode_run(bimode, 16);
    assert_int_equal(bimode->write_count, 0);
    assert_true(bimode_ends_row(bimode, row + LAST + 2));
    assert_false(bimode_ends_row(bimode, row + ROW));
    free(tables.block);
}

/* The loop buffer feeds decode from that cycle on, and fetch is at pc. */
static void feed(struct tables *tables, uint64_t cycle, uint64_t pc)
{
    tables->run_on.from = cycle;
    tables->run_on.until = UINT64_MAX;
    tables->run_on.pc = pc;
}

/* In a cycle in which the loop buffer reads, the oldest outcome is written into the row that is
 * read, here that of history 4, and later, in a cycle without a read, into its own row. */
static void a_read_for_the_loop_buffer_misleads_the_outcome_that_waits(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    enum { OTHER = 4 };
    const struct bimode_write write = {
        .pc = PC, .history = 0, .counters = bimode_pack(2, 3), .taken = false,
    };
    feed(&tables, 10, PC);
    bimode_reads_counters(&tables.bimode, 10, OTHER >> 2, true, false);
    bimode_learn(&tables.bimode, 10, &write);
    bimode_run(&tables.bimode, 11);
    assert_int_equal(tables.bimode.bank[1][OTHER], 2);
    assert_int_equal(tables.bimode.bank[1][0], 3);
    bimode_run(&tables.bimode, 12);
    assert_int_equal(tables.bimode.bank[1][0], 2);
    free(tables.block);
}

/* A branch that fetch has come to holds up the outcome, which leaves the queue all the same. */
static void an_outcome_that_a_branch_of_fetch_holds_up_beside_a_loop_is_lost(void **state)
{
    (void)state;
    const struct bimode_write write = {
        .pc = PC, .history = 0, .counters = bimode_pack(2, 3), .taken = false,
    };
    for (unsigned late = 0; late < 2; late++) {
        struct tables tables;
        rows_open(&tables);
        feed(&tables, 10, PC);
        const struct run_on_transfer branch = {PC, PC, PC + 64, RUN_ON_BRANCH, true};
        tables.run_on.text.start = PC;
        run_on_add(&tables.run_on.text, &branch);
        run_on_close(&tables.run_on.text);
        tables.run_on.second.is_valid = true;       /* predicted not taken */
        tables.run_on.second.pc = PC;
        tables.run_on.pc = PC + 16;
        bimode_learn(&tables.bimode, 10 + late, &write);
        bimode_run(&tables.bimode, 20);
        assert_int_equal(tables.bimode.bank[1][0], late ? 2 : 3);
        assert_int_equal(tables.bimode.write_count, 0);
        free(tables.block);
    }
}

/* While fetch is in the last block of a row it reads the next row: nothing is written. */
static void a_crossing_into_the_next_row_holds_up_outcomes_beside_a_loop(void **state)
{
    (void)state;
    struct tables tables;
    const struct bimode_write write = {
        .pc = PC, .history = 0, .counters = bimode_pack(2, 3), .taken = false,
    };
    rows_open(&tables);
    feed(&tables, 10, PC + 7 * 16);
    bimode_learn(&tables.bimode, 10, &write);
    bimode_run(&tables.bimode, 11);
    assert_int_equal(tables.bimode.bank[1][0], 3);
    assert_int_equal(tables.bimode.write_count, 1);
    bimode_run(&tables.bimode, 12);
    assert_int_equal(tables.bimode.bank[1][0], 2);
    assert_int_equal(tables.bimode.write_count, 0);
    free(tables.block);
}

/* The counters that fed the last branch of one stay predict the first branch of the next stay. */
static void the_loop_buffer_keeps_its_counters_and_its_choices(void **state)
{
    (void)state;
    struct tables tables;
    rows_open(&tables);
    bimode_redirect(&tables.bimode, 10, PC, 0, false);
    bimode_keep(&tables.bimode, PC, seen(&tables, 12, PC, 0));
    bimode_reads_counters(&tables.bimode, 13, 0, true, false);
    assert_int_equal(bimode_seen(&tables.bimode, 13, PC, 0, true), bimode_pack(2, 3));
    bimode_run(&tables.bimode, 14);
    memset(tables.bimode.bank[1], 1, 64);
    memset(tables.bimode.choice, 0, 64);
    bimode_redirect(&tables.bimode, 20, PC, 0, false);
    assert_int_equal(bimode_seen(&tables.bimode, 22, PC, 0, true), bimode_pack(2, 3));
    assert_int_equal(seen(&tables, 22, PC, 0), bimode_pack(0, 0));
    const struct bimode_write write = {
        .pc = PC, .history = 0, .counters = bimode_pack(2, 3), .taken = false,
    };
    bimode_learn(&tables.bimode, 23, &write);
    assert_int_equal(bimode_choice_of(bimode_seen(&tables.bimode, 24, PC, 0, true)), 1);
    free(tables.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_is_noted_after_an_outcome_of_its_cycle_holds_it_up),
        cmocka_unit_test(a_read_to_come_does_not_take_the_place_of_an_earlier_one),
        cmocka_unit_test(a_row_is_at_most_the_whole_bank),
        cmocka_unit_test(an_outcome_is_written_at_once_unless_the_tables_are_read),
        cmocka_unit_test(one_outcome_per_free_cycle_is_written_and_one_without_a_place_is_lost),
        cmocka_unit_test(counters_move_from_what_the_prediction_saw),
        cmocka_unit_test(both_counters_are_written_or_neither),
        cmocka_unit_test(older_history_chooses_the_row_and_pc_the_counter),
        cmocka_unit_test(counters_are_read_two_branches_ahead),
        cmocka_unit_test(choices_are_kept_until_fetch_goes_elsewhere),
        cmocka_unit_test(a_redirect_while_fetch_is_held_goes_by_the_choices_before),
        cmocka_unit_test(a_further_branch_of_a_block_has_the_choice_of_the_first),
        cmocka_unit_test(a_choice_that_waits_is_seen_after_a_change_of_flow),
        cmocka_unit_test(outcomes_wait_while_fetch_is_in_the_last_block_of_a_row),
        cmocka_unit_test(a_read_for_the_loop_buffer_misleads_the_outcome_that_waits),
        cmocka_unit_test(an_outcome_that_a_branch_of_fetch_holds_up_beside_a_loop_is_lost),
        cmocka_unit_test(a_crossing_into_the_next_row_holds_up_outcomes_beside_a_loop),
        cmocka_unit_test(the_loop_buffer_keeps_its_counters_and_its_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
