/* The place of fetch, for a bi-mode predictor with one port: when its stages stand still as a
 * misprediction is found, the row of choices that the redirect reads is lost. */
#include "sim/core/bpred/bpred_internal.h"
#include "sim/core/pipe/core_internal.h"
#include "tests/sim/core/rig.h"

enum { FREE = 3, LINE_INSNS = 16, PLACES = LINE_INSNS - 5 };
#define CALL_NEXT jal(1, 4)

/* A branch that was predicted not taken, and calls after it in its line, one fetched in each cycle,
 * the first `distance` cycles after the branch. Returns whether the choices are lost. */
static bool loses_choices(unsigned distance, unsigned calls, const char *setting)
{
    struct rig *rig = rig_new();
    const char *const *each = SETTINGS(
        "bpred.kind=bimode", "c910.bimode_index=rows", "bpred.train=resolve", "bpred.pc_bits=4",
        "c910.write_buffer=4", "c910.bimode_shift=4", "bpred.btb_miss=none", "fetch.width=1",
        "fetch.bytes=4", "l1i.prefetch=none", "fetch.stages=3", "bpred.ras_entries=0", setting);
    for (; *each != NULL; each++)
        rig_set(rig, *each);
    emit(rig, bne(11, 0, 4 * (LINE_INSNS - FREE)));     /* to the next line */
    while (rig->count < LINE_INSNS)
        emit(rig, rig->count - FREE - 1 - distance < calls ? CALL_NEXT : addi(0, 0, 0));
    for (unsigned i = 0; i < LINE_INSNS; i++)
        emit(rig, addi(0, 0, 0));
    rig_start(rig);
    while (rig->core->bpred->entered == 0)
        core_run(rig->core, UINT64_MAX, 1, true);
    const struct bimode *bimode = &rig->core->bpred->by.bimode;
    bool is_lost = false;
    for (unsigned i = 0; i < bimode->read_count; i++)
        is_lost |= bimode->read[i].what == PORT_CHOICES_LOST;
    assert_int_equal(rig->core->bpred->entered, PHYS_RAM_BASE + 4 * LINE_INSNS);
    rig_free(rig);
    return is_lost;
}

/* The number of distances from the branch at which they are lost. */
static unsigned places_that_lose(unsigned calls, const char *setting)
{
    unsigned places = 0;
    for (unsigned distance = 0; distance + calls <= PLACES; distance++)
        places += loses_choices(distance, calls, setting);
    return places;
}

static void a_call_in_the_last_stage_of_fetch_holds_it(void **state)
{
    (void)state;
    assert_int_equal(places_that_lose(1, "c910.jumps_wait=false"), 0);
    assert_int_equal(places_that_lose(0, "c910.jumps_wait=true"), 0);
    assert_int_equal(places_that_lose(1, "c910.jumps_wait=true"), 1);
}

/* Any call may be the one in the last stage, not only the youngest. */
static void every_call_on_its_way_through_fetch_holds_it_once(void **state)
{
    (void)state;
    assert_int_equal(places_that_lose(2, "c910.jumps_wait=true"), 2);
    assert_int_equal(places_that_lose(3, "c910.jumps_wait=true"), 3);
}

/* The tables of directions are read while fetch is in the last block of a row, here of eight
 * instructions. Returns the number of such cycles in a straight run that begins with these
 * divisions. */
static unsigned cycles_at_row_ends(unsigned insns, unsigned divisions)
{
    struct rig *rig = rig_new();
    const char *const *each = SETTINGS(
        "bpred.kind=bimode", "c910.bimode_index=rows", "bpred.train=resolve", "bpred.pc_bits=4",
        "c910.write_buffer=4", "c910.bimode_shift=2", "fetch.width=1", "fetch.bytes=4",
        "fetch.buffer=4", "rob.entries=8");
    for (; *each != NULL; each++)
        rig_set(rig, *each);
    for (unsigned i = 0; i < insns; i++)
        emit(rig, i < divisions ? divide(12, 12, 11) : addi(0, 0, 0));
    rig_start(rig);
    const struct bimode *bimode = &rig->core->bpred->by.bimode;
    unsigned cycles = 0;
    while (rig->core->fetch_seq <= insns) {
        uint64_t now = rig->core->now;
        cycles += bimode->end_from <= now && now < bimode->end_until;
        core_run(rig->core, UINT64_MAX, 1, true);
    }
    rig_free(rig);
    return cycles;
}

/* With four instructions in the fetch buffer and eight after it the divisions stop fetch. */
static void fetch_at_the_end_of_a_row_reads_the_tables_until_it_goes_on(void **state)
{
    (void)state;
    assert_int_equal(cycles_at_row_ends(48, 0), 6);
    assert_true(cycles_at_row_ends(48, 8) > 6);
}

/* A block of eight instructions, of which the second and others are branches that are not taken:
 * the cycle ends after the first branch if another is in the block, even after a jump. */
static void a_cycle_of_fetch_ends_after_a_branch_that_another_follows(void **state)
{
    (void)state;
    enum { BLOCK = 8, FIRST = 2 };              /* after the first branch */
    for (unsigned second = FIRST; second <= BLOCK; second++) {
        struct rig *rig = rig_new();
        rig_set_all(rig, SETTINGS("fetch.bytes=32", "fetch.width=8", "c910.branches=1",
                                  "bpred.kind=not_taken"));
        while (rig->count <= BLOCK)
            emit(rig, addi(6, 0, 1));
        emit(rig, bne(0, 0, 8));
        for (unsigned i = FIRST; i < 2 * BLOCK; i++)
            emit(rig, i == second ? bne(0, 0, 8)
                      : i == FIRST ? jal(0, 4 * (BLOCK - FIRST)) : addi(6, 0, 1));
        rig_start(rig);
        while (rig->core->fetch_pc != PHYS_RAM_BASE + 4 * BLOCK)
            core_run(rig->core, UINT64_MAX, 1, true);
        uint64_t start = rig->core->fetch_seq;
        while (rig->core->fetch_seq == start)
            core_run(rig->core, UINT64_MAX, 1, true);
        assert_int_equal(rig->core->fetch_seq - start, second == BLOCK ? FIRST + 1 : FIRST);
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_in_the_last_stage_of_fetch_holds_it),
        cmocka_unit_test(fetch_at_the_end_of_a_row_reads_the_tables_until_it_goes_on),
        cmocka_unit_test(a_cycle_of_fetch_ends_after_a_branch_that_another_follows),
        cmocka_unit_test(every_call_on_its_way_through_fetch_holds_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
