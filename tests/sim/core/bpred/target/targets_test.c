/* Targets: both levels of the BTB, the cost of a miss, indirect jumps, the time at which tables
 * learn. */
#include "tests/sim/core/bpred/drive.h"

static struct prediction jump_at(struct drive *drive, uint64_t pc, int32_t distance)
{
    const struct insn insn = jal_by(distance, 0);
    return step(drive, pc, &insn, KIND_JAL, true, pc + (uint64_t)(int64_t)distance);
}

static struct prediction indirect_at(struct drive *drive, uint64_t pc, uint64_t target)
{
    const struct insn insn = jalr_through(10, 0);
    return step(drive, pc, &insn, KIND_JALR, true, target);
}

static void assert_jump(struct prediction prediction, uint64_t next_pc, unsigned bubble,
                        bool btb_miss)
{
    assert_int_equal(prediction.next_pc, next_pc);
    assert_int_equal(prediction.bubble, bubble);
    assert_int_equal(prediction.btb_miss, btb_miss);
}

static void decode_corrects_a_jump_the_btb_missed(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.btb_miss_stage=3", "bpred.taken_bubble=1");
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 3 + 1, true);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 1, false);
    drive_close(&drive);
}

static void a_transfer_that_nothing_corrects_falls_through(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.btb_miss=none", "bpred.kind=bimodal", "bpred.counter_initial=3");
    assert_jump(jump_at(&drive, PC, 64), PC + 4, 0, true);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 0, false);
    assert_false(branch_at(&drive, PC + 32, 64, true));     /* the counter says taken */
    assert_true(branch_at(&drive, PC + 32, 64, true));
    drive_close(&drive);
    OPEN(&drive, "bpred.btb_miss=jumps", "bpred.kind=bimodal", "bpred.counter_initial=3");
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 1, true);
    assert_false(branch_at(&drive, PC + 32, 64, true));
    drive_close(&drive);
}

/* First level: two entries. Third jump displaces the least used; it stays in the main level. */
static void the_first_level_costs_nothing_and_the_second_its_bubble(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.l0_entries=2", "bpred.btb_bubble=2");
    jump_at(&drive, PC, 64);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 2, false);    /* moves up */
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 0, false);
    for (unsigned i = 1; i < 3; i++) {
        jump_at(&drive, PC + 16 * i, 64);
        assert_jump(jump_at(&drive, PC + 16 * i, 64), PC + 16 * i + 64, 2, false);
    }
    assert_jump(jump_at(&drive, PC + 16, 64), PC + 16 + 64, 0, false);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 2, false);
    drive_close(&drive);
}

/* Four entries in one set; five jumps in turn. */
static void replacement_is_as_set(void **state)
{
    (void)state;
    static const char *const orders[] = {"bpred.btb_replacement=lru",
                                         "bpred.btb_replacement=fifo"};
    for (unsigned o = 0; o < 2; o++) {
        struct drive drive;
        OPEN(&drive, orders[o], "bpred.btb_entries=4", "bpred.btb_ways=4");
        for (unsigned i = 0; i < 4; i++)
            jump_at(&drive, PC + 16 * i, 64);
        assert_false(jump_at(&drive, PC, 64).btb_miss);         /* used again */
        jump_at(&drive, PC + 64, 64);                           /* displaces one */
        assert_int_equal(jump_at(&drive, PC, 64).btb_miss, o == 1);
        drive_close(&drive);
    }
}

static void transfers_with_like_low_bits_are_told_apart(void **state)
{
    (void)state;
    enum { ENTRIES = 16, NEAR = 16, LIKE = 512 };
    struct drive drive;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=16", "bpred.l0_entries=4");
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < ENTRIES; i++)
            assert_int_equal(jump_at(&drive, PC + i * (i % 2 ? LIKE : NEAR), 64).btb_miss,
                             round == 0);
    assert_true(jump_at(&drive, PC + ENTRIES * LIKE, 64).btb_miss);
    assert_true(jump_at(&drive, PC, 64).btb_miss);              /* evicted; so is the next oldest */
    assert_false(jump_at(&drive, PC + 3 * LIKE, 64).btb_miss);
    assert_true(jump_at(&drive, PC + LIKE, 64).btb_miss);
    drive_close(&drive);
}

static void random_replacement_keeps_some_of_too_many(void **state)
{
    (void)state;
    struct drive drive;
    unsigned hits = 0;
    OPEN(&drive, "bpred.btb_replacement=random", "bpred.btb_entries=4", "bpred.btb_ways=4");
    for (unsigned i = 0; i < 500; i++)
        hits += !jump_at(&drive, PC + 16 * (uint64_t)(i % 5), 64).btb_miss;
    assert_true(hits > 100 && hits < 400);      /* LRU: none */
    drive_close(&drive);
}

/* Of the register 1, b400, 5a00, ... the low two bits: entries 1, 0, 0. */
static void a_shift_register_names_the_entry_whether_it_is_empty_or_not(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.btb_replacement=lfsr", "bpred.btb_entries=4", "bpred.btb_ways=4");
    for (unsigned i = 0; i < 3; i++)
        jump_at(&drive, PC + 16 * i, 64);
    assert_false(jump_at(&drive, PC, 64).btb_miss);
    assert_false(jump_at(&drive, PC + 32, 64).btb_miss);
    assert_true(jump_at(&drive, PC + 16, 64).btb_miss);         /* both others are in its place */
    drive_close(&drive);
}

static void a_block_remembers_one_transfer(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "part.btb_block_bytes=16");
    jump_at(&drive, PC, 64);
    jump_at(&drive, PC + 8, 64);
    jump_at(&drive, PC + 16, 64);
    assert_false(jump_at(&drive, PC + 16, 64).btb_miss);
    assert_false(jump_at(&drive, PC + 8, 64).btb_miss);
    assert_true(jump_at(&drive, PC, 64).btb_miss);
    drive_close(&drive);
}

/* 16 sets of one; pcs 32 << 4 apart have the same 4-bit tag. The wrong target is followed if no
 * stage corrects it. */
static void partial_tags_take_one_transfer_for_another(void **state)
{
    (void)state;
    struct drive drive;
    const uint64_t alias = PC + (32 << 4), other = PC + 32;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "bpred.btb_tag_bits=4",
         "bpred.btb_miss=none");
    jump_at(&drive, PC, 64);
    assert_jump(jump_at(&drive, alias, 128), PC + 64, 0, true);
    assert_jump(jump_at(&drive, other, 64), other + 4, 0, true);
    drive_close(&drive);
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "bpred.btb_tag_bits=4");
    jump_at(&drive, PC, 64);
    assert_jump(jump_at(&drive, alias, 128), alias + 128, 1, true);
    drive_close(&drive);
}

/* A bit between index and tag is not compared: pcs 32 and 64 apart differ in it and above it. */
static void a_bit_that_tags_leave_out_tells_nothing_apart(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "bpred.btb_tag_bits=4",
         "part.btb_tag_skip=1", "bpred.btb_miss=none");
    jump_at(&drive, PC, 64);
    assert_jump(jump_at(&drive, PC + 32, 128), PC + 64, 0, true);
    assert_jump(jump_at(&drive, PC + 64, 64), PC + 68, 0, true);
    drive_close(&drive);
}

/* A learned entry waits in a buffer until the next transfer is unknown; a transfer that was given a
 * wrong target replaces the waiting entry. */
static void transfers_enter_through_a_buffer_of_one(void **state)
{
    (void)state;
    struct drive drive;
    const uint64_t alias = PC + (32 << 4), other = PC + 4;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "bpred.btb_tag_bits=4",
         "part.btb_refill=1");
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 1, true);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 1, true);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 0, false);
    for (unsigned round = 0; round < 2; round++) {
        assert_jump(jump_at(&drive, alias, 128), alias + 128, 1, true);
        assert_jump(jump_at(&drive, PC, 64), PC + 64, 0, false);
    }
    assert_jump(jump_at(&drive, other, 64), other + 64, 1, true);
    assert_jump(jump_at(&drive, alias, 128), alias + 128, 0, false);
    assert_jump(jump_at(&drive, PC, 64), PC + 64, 1, true);
    drive_close(&drive);
}

/* Misses until the target is found, when a squash comes that many cycles after the last of `before`
 * misses; 0: none comes. */
static unsigned misses_after_a_squash(unsigned before, unsigned cycles)
{
    struct drive drive;
    unsigned misses = 0;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "part.btb_refill=1");
    for (unsigned i = 0; i < before; i++)
        jump_at(&drive, PC, 64);
    if (cycles != 0)
        bpred_redirected(drive.bpred, drive.now + cycles, PC, false, true);
    drive.now += 10;
    while (jump_at(&drive, PC, 64).btb_miss)
        misses++;
    drive_close(&drive);
    return misses;
}

/* Up to two cycles later nothing is written, up to four later nothing waits. */
static void a_squash_undoes_what_enters_through_the_buffer(void **state)
{
    (void)state;
    assert_int_equal(misses_after_a_squash(1, 0), 1);
    for (unsigned cycles = 1; cycles <= 6; cycles++) {
        assert_int_equal(misses_after_a_squash(1, cycles), cycles <= 4 ? 2 : 1);
        assert_int_equal(misses_after_a_squash(2, cycles), cycles <= 2 ? 1 : 0);
    }
}

static void without_tags_an_entry_answers_for_all_of_its_index(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.btb_entries=16", "bpred.btb_ways=1", "part.btb_tags=0",
         "bpred.indirect=btb", "bpred.indirect_entries=0", "bpred.btb_allocate=indirect");
    indirect_at(&drive, PC, PC + 0x400);
    assert_int_equal(indirect_at(&drive, PC, PC + 0x400).next_pc, PC + 0x400);
    assert_int_equal(indirect_at(&drive, PC + 32, PC + 0x800).next_pc, PC + 0x400);
    assert_int_equal(indirect_at(&drive, PC, PC + 0x800).next_pc, PC + 0x800);
    assert_int_equal(indirect_at(&drive, PC + 2, PC + 0x800).next_pc, PC + 6);
    drive_close(&drive);
}

static void the_btb_is_given_what_is_set(void **state)
{
    (void)state;
    static const char *const policies[] = {"bpred.btb_allocate=taken", "bpred.btb_allocate=all",
                                           "bpred.btb_allocate=indirect"};
    static const bool branch_known[] = {false, true, false}, jump_known[] = {true, true, false};
    for (unsigned i = 0; i < 3; i++) {
        struct drive drive;
        OPEN(&drive, policies[i], "bpred.btb_miss=none", "bpred.kind=bimodal",
             "bpred.counter_initial=3", "bpred.indirect=btb");
        branch_at(&drive, PC, 64, false);               /* counter 2: still taken */
        assert_int_equal(branch_at(&drive, PC, 64, false), branch_known[i]);
        jump_at(&drive, PC + 32, 64);
        assert_int_equal(jump_at(&drive, PC + 32, 64).next_pc == PC + 32 + 64, jump_known[i]);
        indirect_at(&drive, PC + 64, PC + 512);
        assert_int_equal(indirect_at(&drive, PC + 64, PC + 512).next_pc, PC + 512);
        drive_close(&drive);
    }
}

static void direct_transfers_enter_when_they_were_predicted_taken(void **state)
{
    (void)state;
    struct drive drive;
    static const bool is_missed[] = {false, true, false};       /* not taken; it enters; known */
    const struct insn branch = branch_by(64);
    OPEN(&drive, "bpred.btb_allocate=direct", "bpred.kind=bimodal", "bpred.counter_initial=1",
         "bpred.indirect=btb", "bpred.indirect_entries=0");
    for (unsigned i = 0; i < 3; i++) {
        struct prediction seen = step(&drive, PC, &branch, KIND_BRANCH, true, PC + 64);
        assert_int_equal(seen.next_pc, i == 0 ? PC + 4 : PC + 64);
        assert_int_equal(seen.btb_miss, is_missed[i]);
    }
    assert_true(jump_at(&drive, PC + 32, 64).btb_miss);
    assert_false(jump_at(&drive, PC + 32, 64).btb_miss);
    for (unsigned i = 0; i < 3; i++)
        assert_int_not_equal(indirect_at(&drive, PC + 64, PC + 512).next_pc, PC + 512);
    drive_close(&drive);
}

/* ---- indirect jumps -------------------------------------------------------------------------- */

static void fetch_waits_for_a_jump_that_nothing_predicts(void **state)
{
    (void)state;
    struct drive drive;
    OPEN(&drive, "bpred.indirect=none");
    for (unsigned i = 0; i < 3; i++)
        assert_true(indirect_at(&drive, PC, PC + 512).next_pc == BPRED_UNKNOWN);
    drive_close(&drive);
}

/* Misses of 200 jumps whose targets follow `period`, after 2000. */
static unsigned misses_with(const char *indirect, const char *index, unsigned period)
{
    struct drive drive;
    unsigned wrong = 0;
    OPEN(&drive, indirect, index);
    for (unsigned i = 0; i < 2200; i++) {
        uint64_t target = PC + 512 + 64 * (uint64_t)(i % period * 5 % 7);
        wrong += i >= 2000 && indirect_at(&drive, PC, target).next_pc != target;
        if (i < 2000)
            indirect_at(&drive, PC, target);
    }
    drive_close(&drive);
    return wrong;
}

static unsigned misses_of_targets(const char *indirect, unsigned period)
{
    return misses_with(indirect, "part.indirect_index=0", period);
}

/* The BTB repeats the last target. With no branch in between the target cache sees no history
 * either; ITTAGE has the targets themselves. */
static void ittage_learns_targets_from_targets(void **state)
{
    (void)state;
    assert_int_equal(misses_of_targets("bpred.indirect=btb", 1), 0);
    assert_int_equal(misses_of_targets("bpred.indirect=btb", 3), 200);
    assert_int_equal(misses_of_targets("bpred.indirect=target_cache", 3), 200);
    assert_int_equal(misses_of_targets("bpred.indirect=ittage", 3), 0);
    assert_int_equal(misses_of_targets("bpred.indirect=ittage", 7), 0);
}

/* A branch tells which of two targets comes. In eight rounds it changes six times. */
static void the_target_cache_learns_targets_from_branches(void **state)
{
    (void)state;
    static const char *const kinds[] = {"bpred.indirect=btb", "bpred.indirect=target_cache",
                                        "bpred.indirect=ittage"};
    static const char pattern[] = "TTNTNNTN";
    for (unsigned k = 0; k < 3; k++) {
        struct drive drive;
        unsigned wrong = 0;
        OPEN(&drive, kinds[k]);
        for (unsigned i = 0; i < 1800; i++) {
            bool taken = pattern[i % 8] == 'T';
            uint64_t target = taken ? PC + 512 : PC + 1024;
            branch_at(&drive, PC + 32, 64, taken);
            wrong += indirect_at(&drive, PC, target).next_pc != target && i >= 1000;
        }
        assert_int_equal(wrong, k == 0 ? 600 : 0);
        drive_close(&drive);
    }
}

/* Two bits of each of the last four targets tell where a jump comes from; a jump without an entry
 * is not followed, though the BTB has it. */
static void a_path_of_targets_tells_the_next(void **state)
{
    (void)state;
    const char *cache = "bpred.indirect=target_cache", *path = "part.indirect_index=1";
    struct drive drive;
    assert_int_equal(misses_with(cache, path, 3), 0);
    OPEN(&drive, cache, path);
    for (unsigned i = 0; i < 3; i++)                    /* each time with another path */
        assert_int_equal(indirect_at(&drive, PC, PC + 0x1b50).next_pc, PC + 4);
    for (unsigned i = 0; i < 8; i++)
        indirect_at(&drive, PC, PC + 0x1b50);
    assert_int_equal(indirect_at(&drive, PC, PC + 0x1b50).next_pc, PC + 0x1b50);
    drive_close(&drive);
}

/* ---- when tables learn ----------------------------------------------------------------------- */

static bool predict_only(struct drive *drive, uint64_t now, struct bpred_snapshot *snapshot)
{
    const struct insn insn = branch_by(64);
    struct prediction prediction;
    bpred_predict(drive->bpred, now, PC, &insn, KIND_BRANCH, snapshot, &prediction);
    return prediction.next_pc == PC + 64;
}

static void tables_learn_when_the_branch_has_executed(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot first, second, third;
    const struct insn insn = branch_by(64);
    OPEN(&drive, "bpred.kind=bimodal", "bpred.train=resolve");
    assert_false(predict_only(&drive, 10, &first));
    bpred_resolve(drive.bpred, 15, PC, &insn, KIND_BRANCH, &first, true, PC + 64);
    assert_false(predict_only(&drive, 14, &second));
    assert_true(predict_only(&drive, 15, &third));
    bpred_train(drive.bpred, PC, &insn, KIND_BRANCH, &first, true, PC + 64);
    drive_close(&drive);
}

static void a_branch_thrown_away_before_it_executed_teaches_nothing(void **state)
{
    (void)state;
    struct drive drive;
    struct bpred_snapshot first, second;
    const struct insn insn = branch_by(64);
    OPEN(&drive, "bpred.kind=bimodal", "bpred.train=resolve");
    predict_only(&drive, 10, &first);
    bpred_resolve(drive.bpred, 15, PC, &insn, KIND_BRANCH, &first, true, PC + 64);
    bpred_undo(drive.bpred, &first);
    assert_false(predict_only(&drive, 20, &second));
    drive_close(&drive);
}

/* Alternating outcomes, four branches in flight: history at fetch holds the predictions; history
 * at training lacks the four in flight, and the pattern is learned with that delay. */
static void history_may_wait_for_training(void **state)
{
    (void)state;
    static const char *const updates[] = {"bpred.history_update=fetch",
                                          "bpred.history_update=train"};
    for (unsigned u = 0; u < 2; u++) {
        struct drive drive;
        struct bpred_snapshot a, b;
        const struct insn insn = branch_by(64);
        OPEN(&drive, updates[u], "bpred.kind=gshare", "bpred.counter_initial=3");
        predict_only(&drive, 1, &a);
        predict_only(&drive, 1, &b);
        assert_int_equal(a.history, 0);
        assert_int_equal(b.history, u == 0 ? 1 : 0);
        bpred_train(drive.bpred, PC, &insn, KIND_BRANCH, &a, true, PC + 64);
        predict_only(&drive, 2, &b);
        assert_int_equal(b.history, u == 0 ? 3 : 1);
        drive_close(&drive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_corrects_a_jump_the_btb_missed),
        cmocka_unit_test(a_transfer_that_nothing_corrects_falls_through),
        cmocka_unit_test(the_first_level_costs_nothing_and_the_second_its_bubble),
        cmocka_unit_test(replacement_is_as_set),
        cmocka_unit_test(transfers_with_like_low_bits_are_told_apart),
        cmocka_unit_test(random_replacement_keeps_some_of_too_many),
        cmocka_unit_test(a_shift_register_names_the_entry_whether_it_is_empty_or_not),
        cmocka_unit_test(a_block_remembers_one_transfer),
        cmocka_unit_test(partial_tags_take_one_transfer_for_another),
        cmocka_unit_test(a_bit_that_tags_leave_out_tells_nothing_apart),
        cmocka_unit_test(transfers_enter_through_a_buffer_of_one),
        cmocka_unit_test(a_squash_undoes_what_enters_through_the_buffer),
        cmocka_unit_test(without_tags_an_entry_answers_for_all_of_its_index),
        cmocka_unit_test(the_btb_is_given_what_is_set),
        cmocka_unit_test(direct_transfers_enter_when_they_were_predicted_taken),
        cmocka_unit_test(fetch_waits_for_a_jump_that_nothing_predicts),
        cmocka_unit_test(ittage_learns_targets_from_targets),
        cmocka_unit_test(the_target_cache_learns_targets_from_branches),
        cmocka_unit_test(a_path_of_targets_tells_the_next),
        cmocka_unit_test(tables_learn_when_the_branch_has_executed),
        cmocka_unit_test(a_branch_thrown_away_before_it_executed_teaches_nothing),
        cmocka_unit_test(history_may_wait_for_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
