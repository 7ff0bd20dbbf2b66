/* The in-order back end on random programs, in machines of many shapes: registers and memory as the
 * fast engine leaves them, and the same counts whether idle cycles are skipped or not. */
#include "tests/sim/core/random_program.h"
#include "tests/sim/core/same_end.h"

enum { PROGRAMS = 24, INSNS = 6000 };

/* Writes of registers that keep the value, with and without a new fetch of the instructions after
 * them, and a fence. */
static uint32_t any_system(uint64_t *random)
{
    static const uint16_t numbers[] = {CSR_mscratch, CSR_mepc, CSR_sstatus, CSR_mcounteren};
    uint32_t action = 1 + draw(random, 3) + (draw(random, 2) << 2);
    if (draw(random, 4) == 0)
        return 0x0ff0000f;
    return (uint32_t)numbers[draw(random, 4)] << 20 | draw(random, 32) << 15 | action << 12 |
           any_target(random) << 7 | 0x73;
}

static uint32_t any_of_all(uint64_t *random)
{
    return draw(random, 32) == 0 ? any_system(random) : any_insn(random);
}

static void any_biriscv(struct config *config, uint64_t random)
{
    config->biriscv_waw_stall = draw(&random, 2);
    config->biriscv_miss_stalls = draw(&random, 2);
    config->biriscv_aligned_pairs = draw(&random, 2);
    config->biriscv_store_load_cycles = draw(&random, 3);
    config->biriscv_relookup_cycles = draw(&random, 4);
    config->biriscv_skip_to_target = draw(&random, 2);
    config->biriscv_stores = draw(&random, 2);
    config->biriscv_raw_fields = draw(&random, 2);
    config->biriscv_after_memory = draw(&random, 2) != 0 ? 127 : draw(&random, 128);
}

static void any_c906(struct config *config, uint64_t random)
{
    config->c906_conflict_polls = draw(&random, 3);
    config->c906_mul_short = draw(&random, 3);
    config->c906_waw_written = draw(&random, 2);
    config->c906_late_branch = draw(&random, 3);
    config->c906_store_data_loads = draw(&random, 2);
    config->c906_store_fp_late = draw(&random, 5);
    config->c906_fp_place = draw(&random, 2);
    config->c906_forward_exact = draw(&random, 2);
    config->c906_store_again = draw(&random, 3);
    config->c906_shared_port = draw(&random, 2);
    config->c906_plain_fences = draw(&random, 2);
    config->c906_csr_wait = draw(&random, 3);
    config->c906_serial_cycles = draw(&random, 3);
    config->c906_fp_double = draw(&random, 3);
    config->c906_drain_pending = draw(&random, 2);
}

static void any_cva6(struct config *config, uint64_t random)
{
    config->cva6_alu_bypass = draw(&random, 2);
    config->cva6_write_ports = draw(&random, 3);
    config->cva6_divide_holds = draw(&random, 2);
    config->cva6_csr_buffer = draw(&random, 2);
    config->cva6_late_miss = draw(&random, 2);
    config->cva6_cancelled_loads = config->cva6_late_miss != 0 ? draw(&random, 2) : 0;
    config->cva6_forward = draw(&random, 2);
    config->cva6_store_cycles = 1 + draw(&random, 3);
    config->cva6_stores_first = draw(&random, 2);
    config->cva6_squashed_miss = draw(&random, 2);
    config->cva6_refill_bubble = draw(&random, 3);
    config->cva6_untaken_bubble = draw(&random, 3);
    config->cva6_transfers = draw(&random, 5);
    config->cva6_empty_return = draw(&random, 2);
}

static void any_machine(struct config *config, uint64_t seed)
{
    uint64_t random = seed * 31;
    static void (*const any_model[])(struct config *, uint64_t) = {any_biriscv, any_c906, any_cva6};
    if (seed % 4 != 3)
        any_model[seed % 4](config, seed * 37);
    config->core_kind = 1;
    config->dispatch_width = 1 + draw(&random, 4);
    config->rob_entries = 4u << draw(&random, 5);
    config->lsq_stores = 1 + draw(&random, 8);
    config->unit_ints = 1 + draw(&random, 4);
    config->bpred_kind = draw(&random, 4);
    config->l1d_kib = 1;
    config->l1d_ways = 1;
    config->l1d_mshrs = 1 + draw(&random, 3);
    config->inorder_memory_ops = 1 + draw(&random, 2);
    config->inorder_late_alu = draw(&random, 3);
    config->inorder_store_data_late = draw(&random, 3);
    config->recover_resolve_cycles = draw(&random, 4);
    config->inorder_conflict_cycles = draw(&random, 3);
    config->fetch_bytes = 4u << draw(&random, 3);
    config->fetch_speculative_miss = draw(&random, 2);
    config->part_btb_leads = draw(&random, 2);
    config->part_ras_overflow = draw(&random, 2);
    config->latency_div_min = draw(&random, 4);
    config->latency_fdiv_min = draw(&random, 3);
    config->commit_early_loads = draw(&random, 2);
    config->inorder_loads_in_flight = 1 + draw(&random, 4);
    config->recover_csr_writes = draw(&random, 4);
    config->latency_csr = draw(&random, 3);
    config->inorder_divide_holds = draw(&random, 2);
    static const char *const pairs[] = {"all", "load:int+mul+fp int:none", "load:branch+store",
                                        "int:load+div load:int"};
    snprintf(config->inorder_pairs, sizeof config->inorder_pairs, "%s", pairs[draw(&random, 4)]);
}

static struct rig *detailed(uint64_t seed, bool skip)
{
    struct rig *rig = rig_new();
    write_program_of(rig, seed, any_of_all);
    any_machine(&rig->config, seed);
    rig_start(rig);
    for (uint64_t insns = 0; insns < INSNS; insns += INSNS / 4) {
        assert_int_equal(core_run(rig->core, INSNS / 4, UINT64_MAX, skip), STOP_QUOTA);
        assert_true(core_is_sane(rig->core));
    }
    core_settle(rig->core);
    /* an instruction that acted at the head commits all the same */
    assert_in_range(event(rig, EVENT_INSNS_RETIRED), INSNS, INSNS + 1);
    return rig;
}

static void functions_are_those_of_the_fast_engine(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rig *timed = detailed(seed, true), *plain = rig_new();
        write_program_of(plain, seed, any_of_all);
        assert_fast_engine_ends_alike(plain, timed);
        rig_free(timed);
        rig_free(plain);
    }
}

static void skipping_idle_cycles_changes_no_count(void **state)
{
    (void)state;
    assert_skipping_changes_no_count(detailed, PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_those_of_the_fast_engine),
        cmocka_unit_test(skipping_idle_cycles_changes_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
