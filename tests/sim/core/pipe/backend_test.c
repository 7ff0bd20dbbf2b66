/* Settings of the out-of-order back end, on loops whose cycles can be counted by hand. */
#include "sim/core/pipe/core_types.h"
#include "tests/sim/core/rig.h"

static uint32_t slli(uint32_t rd, uint32_t rs1, uint32_t amount)
{
    return r_type(0, amount, rs1, 1, rd, 0x13);
}

/* ---- queues and ports ------------------------------------------------------------------------ */

#define ONE_QUEUE "issue.queues=all:16"

static void a_port_of_several_classes_starts_one_of_them_a_cycle(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), mul(11, 6, 7), addi(12, 0, 1), mul(13, 6, 7), addi(14, 0, 1), mul(15, 6, 7),
    };
    /* six and the counter on one port, the branch beside them */
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE, "issue.ports=int+complex branch mem fp"),
                                          body, 6), 700);
    /* three multiplications on one, four additions on the other */
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int complex branch mem fp"),
                                          body, 6), 400);
}

static void shifts_can_have_fewer_ports_than_additions(void **state)
{
    (void)state;
    const uint32_t body[] = {
        slli(10, 6, 1), slli(11, 6, 1), slli(12, 6, 1), slli(13, 6, 1), addi(14, 0, 1),
    };
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int alu branch complex mem fp"),
                                          body, 5), 400);
    assert_int_equal(warm_cycles(SETTINGS(ONE_QUEUE,
                                                   "issue.ports=int int branch complex mem fp"),
                                          body, 5), 300);
}

static void a_port_bound_to_a_queue_takes_nothing_from_another(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), addi(11, 0, 1), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1),
    };
    const char *queues = "issue.queues=int:8 branch+complex+mem+fp:16";
    assert_int_equal(warm_cycles(SETTINGS(queues, "issue.ports=all@1 int@0"), body, 5),
                     600);
    assert_int_equal(warm_cycles(SETTINGS(queues, "issue.ports=all@1 int int"), body, 5),
                     300);
}

static void queues_of_one_class_share_its_instructions(void **state)
{
    (void)state;
    const uint32_t body[] = {
        addi(10, 0, 1), addi(11, 0, 1), addi(12, 0, 1), addi(13, 0, 1), addi(14, 0, 1),
    };
    assert_int_equal(warm_cycles(
                         SETTINGS("issue.queues=int:8 int:8 branch+complex+mem+fp:16",
                                  "issue.ports=int@0 int@1 branch complex mem fp"), body, 5), 300);
}

static void a_divider_need_not_keep_its_port(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(10, 6, 7), mul(11, 6, 7), mul(12, 6, 7)};
    assert_int_equal(warm_cycles(SETTINGS("latency.div=12"), body, 3), 1400);
    assert_int_equal(warm_cycles(SETTINGS("latency.div=12",
                                                   "issue.iterative_blocks_port=false"), body, 3),
                     1200);
}

static void the_old_can_starve_in_a_queue_without_age_order(void **state)
{
    (void)state;
    uint32_t body[32];
    for (unsigned i = 0; i < 32; i++)
        body[i] = load(12 + i % 8, 9, 8 * (int32_t)(i % 8));
    const char *ports = "issue.ports=int+branch int+branch complex load store fp";
    uint64_t oldest = warm_cycles(SETTINGS(ONE_QUEUE, ports, "lsq.loads=16"), body, 32);
    uint64_t lowest = warm_cycles(SETTINGS(ONE_QUEUE, ports, "lsq.loads=16", "issue.select=slot"),
                                  body, 32);
    assert_in_range(oldest, 3200, 3300);
    assert_true(lowest > oldest + 200);
}

static void a_place_in_a_queue_can_be_free_later(void **state)
{
    (void)state;
    const uint32_t body[] = {
        mul(12, 6, 7), mul(13, 6, 7), mul(14, 6, 7), mul(15, 6, 7), mul(16, 6, 7), mul(17, 6, 7),
    };
    /* one place: dispatched, issued, and the next dispatched in the cycle of that, or later */
    assert_int_equal(warm_cycles(SETTINGS("issue.complex_queue=1"), body, 6), 600);
    assert_int_equal(warm_cycles(SETTINGS("issue.complex_queue=1", "issue.release_cycles=2"), body,
                                 6), 1800);
}

/* ---- division -------------------------------------------------------------------------------- */

/* A branch that is always mispredicted, after the subtraction it depends on: a cycle a round less
 * when that passes its queue. It does not when another instruction of its cycle has done so. */
static void an_operation_passes_an_empty_queue(void **state)
{
    (void)state;
    for (unsigned before = 0; before < 2; before++) {
        uint64_t cycles[2];
        for (unsigned passes = 0; passes < 2; passes++) {
            struct rig *rig = rig_new();
            rig_set(rig, ONE_QUEUE);
            rig_set(rig, passes ? "c910.queue_bypass=true" : "c910.queue_bypass=false");
            rig_set(rig, "bpred.kind=not_taken");
            emit(rig, addi(5, 0, 100));
            for (unsigned i = 0; i < before; i++)
                emit(rig, addi(10, 0, 1));
            emit(rig, addi(5, 5, -1));
            emit(rig, bne(5, 0, -4 * (int32_t)(before + 1)));
            cycles[passes] = run(rig, 4 + 100 * (uint64_t)(before + 2));
            rig_free(rig);
        }
        assert_in_range(cycles[0] - cycles[1], before ? 0 : 99, before ? 1 : 101);
    }
}

static void a_divider_can_start_before_its_last_result_is_there(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(12, 6, 7), divide(13, 6, 7)};
    assert_int_equal(warm_cycles(SETTINGS("latency.div=12", "latency.div_overlap=4"), body, 2),
                     1600);
}

static void division_takes_as_long_as_its_quotient(void **state)
{
    (void)state;
    const char *const *settings = SETTINGS("latency.div=40", "latency.div_min=3",
                                           "latency.div_bits=2");
    const uint32_t by_zero[] = {divide(12, 6, 7)}, three_by_one[] = {divide(12, 10, 11)};
    const uint32_t long_one[] = {divide(12, 9, 11)};    /* s1 is an address of 32 bits */
    assert_int_equal(warm_cycles(settings, by_zero, 1), 300);
    assert_int_equal(warm_cycles(settings, three_by_one, 1), 400);
    assert_int_equal(warm_cycles(settings, long_one, 1), 1900);
    assert_int_equal(warm_cycles(SETTINGS("latency.div=9", "latency.div_min=3"), long_one, 1), 900);
}

/* ---- renaming -------------------------------------------------------------------------------- */

#define PHYSICAL "rename.kind=physical"

static void a_physical_file_counts_the_architectural_registers(void **state)
{
    (void)state;
    const uint32_t body[] = {
        divide(12, 6, 7), addi(13, 0, 1), addi(14, 0, 1), addi(15, 0, 1), addi(16, 0, 1),
        mul(17, 6, 7), addi(18, 0, 1), addi(19, 0, 1),
    };
    uint64_t buffers = warm_cycles(SETTINGS("rename.int_buffers=6"), body, 8);
    assert_int_equal(buffers, warm_cycles(SETTINGS(PHYSICAL, "rename.int_buffers=38"), body, 8));
    assert_true(warm_cycles(NULL, body, 8) < buffers);
}

static void an_eliminated_move_costs_its_reader_nothing(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 6, 1), addi(7, 6, 0), add(6, 0, 7)};
    struct rig *rig = rig_new();
    rig_set(rig, PHYSICAL);
    rig_set(rig, "rename.eliminates=moves");
    emit(rig, addi(6, 0, 5));
    for (unsigned n = 0; n < 20; n++)
        for (unsigned i = 0; i < 3; i++)
            emit(rig, body[i]);
    run(rig, 4 + 60);
    assert_int_equal(rig->cpu.hart.reg[6], 25);
    assert_int_equal(rig->cpu.hart.reg[7], 25);
    assert_int_equal(event(rig, EVENT_ELIMINATED), 40);
    rig_free(rig);
    uint32_t chain[15];
    for (unsigned i = 0; i < 15; i++)
        chain[i] = body[i % 3];
    assert_int_equal(warm_cycles(NULL, chain, 15), 1500);
    assert_int_equal(warm_cycles(SETTINGS(PHYSICAL, "rename.eliminates=moves"), chain, 15),
                     500);
}

static void a_zero_idiom_waits_for_nothing(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(6, 6, 7), r_type(0, 6, 6, 4, 6, 0x33)};
    assert_int_equal(warm_cycles(NULL, body, 2), 400);
    assert_int_equal(warm_cycles(SETTINGS(PHYSICAL, "rename.eliminates=zeros"), body, 2), 100);
}

static void moves_without_free_registers_still_go(void **state)
{
    (void)state;
    const uint32_t body[] = {
        divide(12, 6, 7), addi(13, 11, 0), addi(14, 13, 0), addi(15, 14, 0), addi(16, 15, 0),
        addi(17, 16, 0), addi(13, 17, 1), addi(14, 17, 2), addi(15, 17, 3), addi(16, 17, 4),
    };
    warm_cycles(SETTINGS(PHYSICAL, "rename.eliminates=moves", "rename.int_buffers=36"), body,
                10);
}

static void two_dependent_additions_fit_into_a_cycle_with_a_bypass(void **state)
{
    (void)state;
    uint32_t body[31];
    for (unsigned i = 0; i < 31; i++)
        body[i] = add(6, 6, 7);
    assert_int_equal(warm_cycles(NULL, body, 31), 3100);
    assert_in_range(warm_cycles(SETTINGS("issue.alu_bypass=true"), body, 31), 1550, 1600);
}

static void folded_instructions_share_an_entry(void **state)
{
    (void)state;
    uint32_t body[24];
    body[0] = divide(11, 6, 7);
    for (unsigned i = 1; i < 24; i++)
        body[i] = addi(12 + i % 8, 0, 1);
    uint64_t one = warm_cycles(SETTINGS("rob.entries=8"), body, 24);
    uint64_t four = warm_cycles(SETTINGS("rob.entries=8", "c910.fold=4"), body, 24);
    uint64_t enough = warm_cycles(NULL, body, 24);
    assert_true(four < one);
    assert_in_range(four, enough, enough + 200);
}

/* ---- recovery -------------------------------------------------------------------------------- */

/* Each round's branch is mispredicted. */
#define NOT_TAKEN "bpred.kind=not_taken"

static void the_way_from_a_branch_to_fetch_costs_what_is_set(void **state)
{
    (void)state;
    const uint32_t body[] = {addi(6, 6, 1)};
    uint64_t least = warm_cycles(SETTINGS(NOT_TAKEN), body, 1);
    assert_int_equal(warm_cycles(SETTINGS(NOT_TAKEN, "recover.resolve_cycles=3"), body, 1),
                     least + 300);
}

static void undoing_holds_dispatch_unless_there_is_a_checkpoint(void **state)
{
    (void)state;
    const uint32_t body[] = {mul(5, 5, 11), mul(5, 5, 11), mul(5, 5, 11), mul(5, 5, 11)};
    const char *undo = "recover.undo_width=1";
    uint64_t least = warm_cycles(SETTINGS(NOT_TAKEN), body, 4);
    assert_true(warm_cycles(SETTINGS(NOT_TAKEN, undo), body, 4) > least + 500);
    assert_int_equal(warm_cycles(SETTINGS(NOT_TAKEN, undo, "recover.checkpoints=64"), body, 4),
                     least);
}

static void dispatch_waits_for_a_checkpoint(void **state)
{
    (void)state;
    const uint32_t body[] = {divide(6, 6, 7), bne(6, 6, 8), bne(6, 6, 8), addi(12, 0, 1)};
    assert_true(warm_cycles(SETTINGS("recover.checkpoints=1"), body, 4) >
                warm_cycles(SETTINGS("recover.checkpoints=8"), body, 4));
}

/* ---- any machine ----------------------------------------------------------------------------- */

static uint32_t store_byte(uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return store(rs2, rs1, imm) & ~(UINT32_C(7) << 12);
}

/* Branches on data, stores whose addresses come late, loads that alias, moves and zeros. */
static void emit_anything(struct rig *rig)
{
    emit(rig, addi(5, 0, 200));
    emit(rig, mul(6, 5, 5));
    emit(rig, r_type(0, 5, 6, 7, 7, 0x33));             /* and t2, t1, t0 */
    emit(rig, r_type(0, 8, 6, 7, 12, 0x13));            /* andi a2, t1, 8 */
    emit(rig, slli(12, 12, 3));
    emit(rig, add(13, 12, 9));
    emit(rig, store(6, 13, 0));
    emit(rig, load(14, 9, 0));
    emit(rig, divide(15, 6, 10));
    emit(rig, addi(16, 14, 0));
    emit(rig, r_type(0, 16, 16, 4, 17, 0x33));          /* xor a7, a6, a6 */
    emit(rig, add(17, 17, 16));
    emit(rig, r_type(0, 4, 15, 7, 18, 0x13));           /* andi s2, a5, 4 */
    emit(rig, beq(18, 0, 24));
    emit(rig, add(19, 19, 17));
    emit(rig, store(19, 9, 8));
    emit(rig, store_byte(17, 9, 9));
    emit(rig, load(22, 9, 8));
    emit(rig, add(21, 21, 22));
    emit(rig, load(20, 13, 0));
    emit(rig, add(21, 21, 20));
    emit(rig, addi(5, 5, -1));
    emit(rig, bne(5, 0, -84));
}

static unsigned pick(uint64_t *seed, unsigned count)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(*seed >> 33) % count;
}

static const char *const choices[][4] = {
    {"issue.queues=auto", "issue.queues=int:4 branch+complex:4 mem:4 fp:4 store_data:2",
     "issue.queues=int:2 int:3 branch+complex:2 mem:3 fp+store_data:2", "issue.queues=all:3"},
    {"issue.ports=auto", "issue.ports=all",
     "issue.ports=int+branch int+complex load store store_data fp", "issue.ports=all all"},
    {"rename.eliminates=none", PHYSICAL, PHYSICAL, "rename.int_buffers=40"},
    {"rob.entries=128", "rob.entries=8", "rob.entries=16", "rob.entries=64"},
    {"issue.alu_bypass=false", "issue.alu_bypass=true", "latency.div_min=2",
     "issue.iterative_blocks_port=false"},
    {"recover.undo_width=0", "recover.undo_width=1", "recover.undo_width=2",
     "recover.undo_width=0"},
    {"recover.checkpoints=0", "recover.checkpoints=2", "recover.checkpoints=8",
     "recover.undo_width=1"},
    {"recover.resolve_cycles=0", "recover.resolve_cycles=3", "recover.resolve_cycles=1",
     "commit.stages=0"},
    {"lsq.speculation=blind", "lsq.speculation=conservative", "lsq.speculation=predict",
     "lsq.stores=2"},
    {"lsq.speculation=blind", "lsq.speculation=wait_all", "lsq.speculation=store_sets",
     "lsq.stores=3"},
    {"lsq.partial=drain", "lsq.partial=any", "lsq.partial=refetch", "lsq.unaligned_cycles=3"},
    {"lsq.store_data=with_address", "lsq.store_data=separate", "lsq.store_data=micro_op",
     "unit.loads=1"},
    {"issue.replay=none", "issue.replay=selective", "issue.replay=all", "issue.replay=selective"},
    {"issue.replay_cycles=1", "issue.replay_cycles=1", "issue.replay_cycles=4",
     "issue.replay_cycles=4"},
    {"issue.select=oldest", "issue.select=slot", "issue.select=slot_stripes",
     "issue.select=oldest"},
    {"issue.release_cycles=0", "issue.release_cycles=1", "issue.release_cycles=3",
     "latency.div_overlap=5"},
    {"latency.fdiv_min=0", "latency.fdiv_min=2", "latency.fdiv_min=4", "latency.fdiv_early=exact"},
    {"latency.store=1", "latency.store=3", "latency.store=2", "latency.load=5"},
    {"recover.violation=at_once", "recover.violation=at_commit", "lsq.speculation=blind",
     "l1d.mshrs=1"},
    {NOT_TAKEN, "bpred.kind=gshare", "bpred.kind=bimodal", "bpred.kind=gshare"},
    {"commit.early_loads=false", "recover.csr_writes=all", "recover.csr_writes=any",
     "commit.early_loads=true"},
    /* parts of one model */
    {"latency.int=1", "c910.fold=3", "c910.store_buffer=8", "c910.store_merge=true"},
    {"latency.int=1", "c910.fold=2", "c910.store_buffer=1", "latency.int=1"},
};

static void configure(struct rig *rig, uint64_t seed)
{
    for (unsigned i = 0; i < sizeof choices / sizeof choices[0]; i++)
        rig_set(rig, choices[i][pick(&seed, 4)]);
    if (rig->config.rename_kind != RENAME_PHYSICAL)
        return;
    rig_set(rig, pick(&seed, 2) ? "rename.int_buffers=40" : "rename.int_buffers=128");
    rig->config.rename_eliminates = pick(&seed, 4);
}

enum { ANY_INSNS = 3500 };

static void run_anything(struct rig *rig, bool skip)
{
    struct diag diag;
    if (config_check(&rig->config, &diag) != ERR_OK)
        fail_msg("%s", diag.text);
    emit_anything(rig);
    rig_start(rig);
    while (event(rig, EVENT_INSNS_RETIRED) < ANY_INSNS) {
        core_run(rig->core, ANY_INSNS - event(rig, EVENT_INSNS_RETIRED), 97, skip);
        assert_true(core_is_sane(rig->core));
    }
}

static void any_back_end_computes_the_same_and_skips_the_same(void **state)
{
    (void)state;
    struct rig *plain = rig_new();
    run_anything(plain, true);
    core_settle(plain->core);
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct rig *rig = rig_new(), *stepping = rig_new();
        configure(rig, seed);
        configure(stepping, seed);
        run_anything(rig, true);
        run_anything(stepping, false);
        assert_memory_equal(rig->cpu.pmu.events, stepping->cpu.pmu.events,
                            sizeof rig->cpu.pmu.events);
        core_settle(rig->core);
        assert_true(core_is_sane(rig->core));
        assert_memory_equal(rig->cpu.hart.reg, plain->cpu.hart.reg, 64 * sizeof(uint64_t));
        assert_memory_equal(phys_host(&rig->phys, PHYS_RAM_BASE + DATA),
                            phys_host(&plain->phys, PHYS_RAM_BASE + DATA), 4096);
        rig_free(rig);
        rig_free(stepping);
    }
    rig_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_of_several_classes_starts_one_of_them_a_cycle),
        cmocka_unit_test(shifts_can_have_fewer_ports_than_additions),
        cmocka_unit_test(a_port_bound_to_a_queue_takes_nothing_from_another),
        cmocka_unit_test(queues_of_one_class_share_its_instructions),
        cmocka_unit_test(a_divider_need_not_keep_its_port),
        cmocka_unit_test(the_old_can_starve_in_a_queue_without_age_order),
        cmocka_unit_test(a_place_in_a_queue_can_be_free_later),
        cmocka_unit_test(an_operation_passes_an_empty_queue),
        cmocka_unit_test(a_divider_can_start_before_its_last_result_is_there),
        cmocka_unit_test(division_takes_as_long_as_its_quotient),
        cmocka_unit_test(a_physical_file_counts_the_architectural_registers),
        cmocka_unit_test(an_eliminated_move_costs_its_reader_nothing),
        cmocka_unit_test(a_zero_idiom_waits_for_nothing),
        cmocka_unit_test(moves_without_free_registers_still_go),
        cmocka_unit_test(two_dependent_additions_fit_into_a_cycle_with_a_bypass),
        cmocka_unit_test(folded_instructions_share_an_entry),
        cmocka_unit_test(the_way_from_a_branch_to_fetch_costs_what_is_set),
        cmocka_unit_test(undoing_holds_dispatch_unless_there_is_a_checkpoint),
        cmocka_unit_test(dispatch_waits_for_a_checkpoint),
        cmocka_unit_test(any_back_end_computes_the_same_and_skips_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
