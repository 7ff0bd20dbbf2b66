/* The causes of slots and cycles, and the cycles of each instruction, on a two-wide core: programs
 * whose charges can be counted by hand. */
#include "pmu/exact/topdown.h"
#include "pmu/event.h"
#include "pmu/exact/oracle.h"
#include "sim/core/pipe/core_internal.h"
#include "tests/sim/core/rig.h"

enum { WIDTH = 2, HALF = ORACLE_UNITS / WIDTH };

static struct rig *two_wide(void)
{
    struct rig *rig = rig_new();
    rig->config.fetch_width = rig->config.decode_width = rig->config.dispatch_width = WIDTH;
    rig->config.commit_width = WIDTH;
    rig->config.l1i_prefetch = 0;
    rig->config.pmu_oracle = true;
    return rig;
}

static const struct oracle_insn *insn_at(const struct rig *rig, unsigned index)
{
    const struct oracle_page *page = core_oracle(rig->core)->page[index / 1024];
    return &page->insn[index % 1024 * 2];
}

static const struct oracle_branch *branch_at(const struct rig *rig, unsigned index)
{
    const struct oracle_page *page = core_oracle(rig->core)->page[index / 1024];
    return &page->branch[index % 1024 * 2];
}

/* Units of each emitted instruction, and events, that 100 more rounds of a warm loop cost, which
 * executes `insns` in each. */
struct cost { uint64_t units[64], events[EVENT_COUNT]; };

static void measure(void (*emit_loop)(struct rig *rig, unsigned rounds), unsigned insns,
                    struct cost *cost)
{
    memset(cost, 0, sizeof *cost);
    for (unsigned more = 0; more < 2; more++) {
        struct rig *rig = two_wide();
        unsigned rounds = 100 + 100 * more;
        emit_loop(rig, rounds);
        run(rig, 4 + rounds * insns);
        for (unsigned i = 0; i < rig->count; i++)
            cost->units[i] = insn_at(rig, i)->units - cost->units[i];
        for (unsigned i = 0; i < EVENT_COUNT; i++)
            cost->events[i] = event(rig, i) - cost->events[i];
        rig_free(rig);
    }
}

/* ---- the published examples ------------------------------------------------------------------ */

/* A chain of loads, each of a line of its own. Between two of them the chain has one addition, and
 * commit is busy for three cycles of the round: the load keeps it waiting for 40. */
static void emit_loads(struct rig *rig, unsigned rounds)
{
    rig->config.l2_kib = 0;
    rig->config.dram_cycles = 39;
    rig->config.l1d_prefetch = 0;
    rig->config.bpred_kind = 1;             /* backward taken */
    emit(rig, addi(5, 0, (int32_t)rounds));
    emit(rig, load(6, 9, 0));               /* [4], first of its fetch block */
    emit(rig, addi(12, 0, 1));
    emit(rig, addi(9, 9, 1024));
    emit(rig, add(9, 9, 6));                /* the value is 0: the next address waits for it */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -20));
}

static void a_load_stall_of_40_cycles_is_the_loads_and_not_its_neighbours(void **state)
{
    (void)state;
    struct cost cost;
    measure(emit_loads, 6, &cost);
    assert_int_equal(cost.units[4], 100 * (40 * ORACLE_UNITS + HALF));
    for (unsigned i = 5; i <= 9; i++)
        assert_int_equal(cost.units[i], 100 * HALF);
    assert_int_equal(cost.events[EVENT_CYCLES], 100 * 43);
    assert_int_equal(cost.events[EVENT_CPI_DRAM], 100 * 40);
    assert_int_equal(cost.events[EVENT_CPI_BASE], 100 * 3);
}

static void two_instructions_that_commit_together_take_half_a_cycle_each(void **state)
{
    (void)state;
    struct rig *rig = two_wide();
    for (unsigned i = 0; i < 61; i++)
        emit(rig, addi(12, 0, 1));
    run(rig, rig->count);
    for (unsigned i = 1; i < 64; i++)
        if (i % 16 != 0)                    /* there a cache line begins */
            assert_int_equal(insn_at(rig, i)->units, HALF);
    rig_free(rig);
}

/* A branch that is always mispredicted. It completes in cycle c, and commits in c + 1; fetch goes
 * on in c + 1, two stages of fetch, one of decode and one of rename bring the instruction after it
 * into the reorder buffer in c + 5, where commit of c + 6 finds it. It issues in c + 6 and commits
 * in c + 8. */
static void emit_branches(struct rig *rig, unsigned rounds)
{
    rig->config.bpred_kind = 0;             /* not taken */
    emit(rig, addi(5, 0, (int32_t)rounds));
    emit(rig, addi(12, 0, 1));              /* [4] */
    emit(rig, beq(0, 0, 12));
    emit(rig, 0);
    emit(rig, 0);
    emit(rig, addi(5, 5, -1));              /* [8] */
    emit(rig, bne(5, 0, -20));
}

static void a_misprediction_with_four_empty_cycles_is_the_branchs(void **state)
{
    (void)state;
    enum { ROUNDS = 200, EMPTY = 4 * ORACLE_UNITS };
    struct rig *rig = two_wide();
    emit_branches(rig, ROUNDS);
    run(rig, 4 + ROUNDS * 4);
    assert_int_equal(insn_at(rig, 5)->units, ROUNDS * (HALF + EMPTY));
    assert_int_equal(insn_at(rig, 5)->count, ROUNDS);
    assert_int_equal(branch_at(rig, 5)->taken, ROUNDS);
    assert_int_equal(branch_at(rig, 5)->mispredicted, ROUNDS);
    assert_int_equal(branch_at(rig, 5)->lost, ROUNDS * EMPTY);
    assert_int_equal(branch_at(rig, 9)->taken, ROUNDS - 1);
    assert_int_equal(branch_at(rig, 9)->mispredicted, ROUNDS - 1);
    rig_free(rig);
    struct cost cost;
    measure(emit_branches, 4, &cost);
    assert_int_equal(cost.units[4], 100 * (2 * ORACLE_UNITS + HALF));
    assert_int_equal(cost.units[5], 100 * (HALF + EMPTY));
    /* The branch back waits for the value before it, and commits alone, as that one did. */
    assert_int_equal(cost.units[8], 100 * 3 * ORACLE_UNITS);
    assert_int_equal(cost.units[9], 100 * (ORACLE_UNITS + EMPTY));
    assert_int_equal(cost.events[EVENT_CPI_BRANCH], 100 * 2 * 4);
    assert_int_equal(cost.events[EVENT_CYCLES], 100 * (7 + 8));
}

static void an_instruction_cache_miss_is_the_instructions_that_missed(void **state)
{
    (void)state;
    struct rig *rig = two_wide();
    rig->config.l2_kib = 0;
    for (unsigned i = 0; i < 93; i++)
        emit(rig, addi(12, 0, 1));
    run(rig, rig->count);
    for (unsigned i = 1; i < 95; i++)
        assert_int_equal(insn_at(rig, i)->units,
                         i % 16 != 0 ? HALF : 120 * ORACLE_UNITS + HALF);
    /* The first finds an empty pipeline: a cycle in which fetch begins, and five to get here. */
    assert_int_equal(event(rig, EVENT_LOST_ICACHE), (6 * 120 + 1 + 5) * WIDTH);
    rig_free(rig);
}

/* ---- others ---------------------------------------------------------------------------------- */

enum { CSRW_MTVEC_A0 = 0x30551073, WFI = 0x10500073, ILLEGAL = 0 };

static void an_empty_pipeline_after_a_trap_is_charged_to_the_instruction_that_trapped(void **state)
{
    (void)state;
    struct rig *rig = two_wide();
    emit(rig, 0x00000517);                  /* [3] auipc a0, 0 */
    emit(rig, addi(10, 10, 20));
    emit(rig, CSRW_MTVEC_A0);
    emit(rig, ILLEGAL);                     /* [6] */
    emit(rig, addi(0, 0, 0));
    emit(rig, addi(12, 0, 1));              /* [8] handler */
    run(rig, 7);
    const struct oracle_insn *illegal = insn_at(rig, 6);
    assert_int_equal(illegal->count, 0);
    assert_int_equal(event(rig, EVENT_TRAPS), 1);
    /* It goes the same way from fetch to commit as the handler's instruction, which gets its own
     * two cycles at the head and the one in which it commits; four cycles the buffer is empty. */
    assert_int_equal(insn_at(rig, 8)->units, 3 * ORACLE_UNITS);
    assert_true(illegal->units >= 4 * ORACLE_UNITS);
    rig_free(rig);
}

/* Something of everything: loads and stores that meet, divisions, branches by a random number,
 * misses. */
static void emit_mixture(struct rig *rig)
{
    emit(rig, addi(5, 0, 300));
    emit(rig, addi(7, 0, 77));
    unsigned top = rig->count;
    emit(rig, mul(7, 7, 7));
    emit(rig, addi(7, 7, 19));
    emit(rig, divide(6, 7, 10));
    emit(rig, store(6, 9, 0));
    emit(rig, load(14, 9, 0));
    emit(rig, r_type(0, 11, 6, 7, 15, 0x33));   /* and a5, t1, a1 */
    emit(rig, beq(15, 0, 12));
    emit(rig, load(16, 9, 512));
    emit(rig, addi(9, 9, 64));
    emit(rig, 0x0ff0000f);                      /* fence */
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -4 * (int32_t)(rig->count - top)));
    emit(rig, WFI);
}

static struct rig *run_mixture(bool skip)
{
    struct rig *rig = two_wide();
    emit_mixture(rig);
    rig_start(rig);
    core_run(rig->core, UINT64_MAX, 30000, skip);
    assert_true(core_is_sane(rig->core));
    core_settle(rig->core);
    return rig;
}

static void cycles_of_all_instructions_sum_up_to_all_cycles(void **state)
{
    (void)state;
    struct rig *rig = run_mixture(true);
    char text[256];
    assert_int_equal(oracle_total(core_oracle(rig->core)),
                     event(rig, EVENT_CYCLES) * ORACLE_UNITS);
    assert_true(core_oracle_is_exact(rig->core, text, sizeof text));
    rig->core->oracle->page[0]->insn[8].units--;
    assert_false(core_oracle_is_exact(rig->core, text, sizeof text));
    rig_free(rig);
}

static void slots_and_cycles_sum_up_in_tree_and_stack(void **state)
{
    (void)state;
    struct rig *rig = run_mixture(true);
    char text[256];
    uint64_t slots[TOPDOWN_COUNT], cpi = 0;
    topdown_sum(rig->cpu.pmu.events, slots);
    assert_int_equal(slots[TOPDOWN_SLOTS], event(rig, EVENT_CYCLES) * WIDTH);
    assert_int_equal(slots[TOPDOWN_BACK_END],
                     event(rig, EVENT_SLOTS_ROB_FULL) + event(rig, EVENT_SLOTS_RENAME_FULL) +
                         event(rig, EVENT_SLOTS_QUEUE_FULL) + event(rig, EVENT_SLOTS_LSQ_FULL) +
                         event(rig, EVENT_SLOTS_SERIAL));
    for (unsigned code = 1; code < EVENT_COUNT; code++)
        cpi += event_scope(code) == SCOPE_CPI ? event(rig, code) : 0;
    assert_int_equal(cpi, event(rig, EVENT_CYCLES));
    assert_int_equal(event(rig, EVENT_CPI_BASE),
                     event(rig, EVENT_CYCLES) - event(rig, EVENT_CYCLES_NO_COMMIT));
    assert_true(core_accounts_are_exact(rig->core, text, sizeof text));
    rig->cpu.pmu.events[EVENT_LOST_CUT]++;
    assert_false(core_accounts_are_exact(rig->core, text, sizeof text));
    rig_free(rig);
}

static void skipping_idle_cycles_charges_the_same(void **state)
{
    (void)state;
    struct rig *skipping = run_mixture(true), *stepping = run_mixture(false);
    const struct oracle_page *a = core_oracle(skipping->core)->page[0];
    const struct oracle_page *b = core_oracle(stepping->core)->page[0];
    assert_memory_equal(a->insn, b->insn, sizeof a->insn);
    assert_memory_equal(a->branch, b->branch, sizeof a->branch);
    assert_memory_equal(skipping->cpu.pmu.events, stepping->cpu.pmu.events,
                        sizeof skipping->cpu.pmu.events);
    rig_free(skipping);
    rig_free(stepping);
}

static void emit_divisions(struct rig *rig, unsigned rounds)
{
    rig->config.rob_entries = 8;
    emit(rig, addi(5, 0, (int32_t)rounds));
    for (unsigned i = 0; i < 12; i++)
        emit(rig, divide(6, 6, 10));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -52));
}

static void a_back_end_full_after_divisions_is_the_dividers(void **state)
{
    (void)state;
    struct cost cost;
    measure(emit_divisions, 14, &cost);
    /* A round takes 12 * 12 cycles. In 13 of them something commits; 14 slots are used. */
    assert_int_equal(cost.events[EVENT_CYCLES], 100 * 144);
    assert_int_equal(cost.events[EVENT_CPI_DIV], 100 * (144 - 13));
    assert_in_range(cost.events[EVENT_LOST_DIVIDER], 100 * 260, 100 * (144 * WIDTH - 14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_instructions_that_commit_together_take_half_a_cycle_each),
        cmocka_unit_test(a_load_stall_of_40_cycles_is_the_loads_and_not_its_neighbours),
        cmocka_unit_test(a_misprediction_with_four_empty_cycles_is_the_branchs),
        cmocka_unit_test(an_instruction_cache_miss_is_the_instructions_that_missed),
        cmocka_unit_test(an_empty_pipeline_after_a_trap_is_charged_to_the_instruction_that_trapped),
        cmocka_unit_test(cycles_of_all_instructions_sum_up_to_all_cycles),
        cmocka_unit_test(slots_and_cycles_sum_up_in_tree_and_stack),
        cmocka_unit_test(skipping_idle_cycles_charges_the_same),
        cmocka_unit_test(a_back_end_full_after_divisions_is_the_dividers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
