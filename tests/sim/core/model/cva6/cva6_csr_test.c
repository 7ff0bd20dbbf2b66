/* CSR instructions and fences in a buffer (cva6.csr_buffer), and the order of commits, to the
 * cycle. */
#include "tests/sim/core/inorder/extra_cycles.h"

#define BUFFERED BUFFERED_WITH("l1d.write_cycles=0")
#define BUFFERED_WITH(setting) SETTINGS( \
    "l1d.write=write_through_around", setting, \
    "core.kind=in_order", "dispatch.width=1", "commit.width=2", "latency.csr=1", "l2.kib=0", \
    "l1i.prefetch=none", "cva6.csr_buffer=true")

/* It commits two cycles after its issue: the next operation issues a cycle later than after
 * another, and one that reads the result two. */
static void an_operation_waits_until_the_access_commits(void **state)
{
    (void)state;
    const uint32_t read = csr(T1, CSR_mscratch, SET, 0), write = csr(0, CSR_mscratch, WRITE, A0);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){read, NOP}, 2), 1);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){write, NOP}, 2), 1);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){read, write}, 2), 2);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){read, addi(T2, T1, 1)}, 2), 2);
    assert_true(extra_cycles(BUFFERED, (uint32_t[]){csr(0, CSR_mstatus, SET, A0), NOP}, 2) > 3);
}

/* Loads and stores issue after it; and beside it an integer unit with a write port of its own. */
static void loads_and_stores_pass_a_csr_instruction(void **state)
{
    (void)state;
    const uint32_t read = csr(T1, CSR_mscratch, SET, 0);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){read, store(A0, 9, 0)}, 2), 0);
    assert_int_equal(extra_cycles(BUFFERED, (uint32_t[]){read, load(T2, 9, 0), NOP}, 3), 0);
}

static void instructions_after_a_fence_are_fetched_again(void **state)
{
    (void)state;
    const uint32_t after_store[] = {store(A0, 9, 0), FENCE};
    int64_t cycles = extra_cycles(BUFFERED_WITH("l1d.write_cycles=10"), after_store, 2);
    assert_true(extra_cycles(BUFFERED, (uint32_t[]){FENCE, NOP}, 2) > 3);
    assert_int_equal(extra_cycles(BUFFERED_WITH("l1d.write_cycles=30"), after_store, 2) - cycles,
                     20);
}

/* The buffered access reads its operand when it issues and writes its result when it commits; it
 * does not overwrite the result of a younger instruction that was issued meanwhile. */
static void values_are_those_of_program_order(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set_all(rig, BUFFERED);
    emit(rig, addi(A0, 0, 77));
    emit(rig, store(A0, 9, 8));
    emit(rig, addi(T2, 0, 5));
    emit(rig, csr(T0, CSR_mscratch, WRITE, T2));
    emit(rig, load(T2, 9, 8));                  /* writes the operand */
    emit(rig, csr(T1, CSR_mscratch, SET, 0));
    emit(rig, load(T1, 9, 8));                  /* writes the result */
    emit(rig, csr(A0, CSR_mscratch, SET, 0));
    for (unsigned i = 0; i < 8; i++)
        emit(rig, NOP);
    run(rig, rig->count);
    assert_int_equal(rig->cpu.hart.mscratch, 5);
    assert_int_equal(rig->cpu.hart.reg[T0], 0);
    assert_int_equal(rig->cpu.hart.reg[T1], 77);
    assert_int_equal(rig->cpu.hart.reg[T2], 77);
    assert_int_equal(rig->cpu.hart.reg[A0], 5);
    rig_free(rig);
}

/* A load or store whose address comes from the buffered access waits for it: the register's value
 * before the access is no address, or another one. */
static void addresses_come_from_the_result(void **state)
{
    static const int32_t before[] = {2, 16};
    (void)state;
    for (unsigned i = 0; i < sizeof before / sizeof before[0]; i++) {
        struct rig *rig = rig_new();
        rig_set_all(rig, BUFFERED);
        emit(rig, addi(A0, 0, 77));
        emit(rig, store(A0, 9, 8));
        emit(rig, csr(0, CSR_mscratch, WRITE, 9));
        emit(rig, addi(T1, i == 0 ? 0 : 9, before[i]));
        emit(rig, load(T0, 9, 512));                /* misses; the access waits behind it */
        emit(rig, csr(T1, CSR_mscratch, SET, 0));
        emit(rig, load(T2, T1, 8));
        emit(rig, store(T2, T1, 24));
        emit(rig, load(A0, 9, 24));
        for (unsigned n = 0; n < 8; n++)
            emit(rig, NOP);
        run(rig, rig->count);
        assert_int_equal(rig->cpu.hart.mcause, 0);
        assert_int_equal(rig->cpu.hart.reg[T2], 77);
        assert_int_equal(rig->cpu.hart.reg[A0], 77);
        rig_free(rig);
    }
}

/* It counts the instructions that are older than it, and no others. */
static void reading_minstret_counts_the_older_instructions(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set_all(rig, BUFFERED);
    unsigned before = rig->count + 1;
    emit(rig, load(T2, 9, 64));
    emit(rig, csr(T1, CSR_minstret, SET, 0));
    for (unsigned i = 0; i < 8; i++)
        emit(rig, NOP);
    run(rig, rig->count);
    assert_int_equal(rig->cpu.hart.reg[T1], before);
    rig_free(rig);
}

/* An illegal access traps when it commits, and a store after it has no effect. */
static void an_illegal_access_traps(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set_all(rig, BUFFERED);
    emit(rig, csr(T1, 0x123, SET, 0));
    emit(rig, store(A0, 9, 0));
    for (unsigned i = 0; i < 8; i++)
        emit(rig, NOP);
    rig_start(rig);
    rig->cpu.hart.mtvec = PHYS_RAM_BASE + 4 * (rig->count - 4);
    core_run(rig->core, 5, UINT64_MAX, true);
    uint64_t stored;
    assert_true(phys_read(&rig->phys, PHYS_RAM_BASE + DATA, 8, &stored));
    assert_int_equal(rig->cpu.hart.mcause, TRAP_ILLEGAL);
    assert_int_equal(rig->cpu.hart.mepc, PHYS_RAM_BASE + 4 * 3);
    assert_int_equal(stored, 0);
    rig_free(rig);
}

/* Two instructions issue and commit in a cycle. With `before` instructions in front of a store,
 * does the store commit second in its cycle? */
static bool store_commits_second(const char *setting, unsigned before)
{
    struct rig *rig = rig_new();
    uint64_t retired = 0, at;
    rig_set_all(rig, SETTINGS("core.kind=in_order", "dispatch.width=2", "commit.width=2", setting));
    for (unsigned i = 0; i < before; i++)
        emit(rig, NOP);
    at = rig->count;
    emit(rig, store(A0, 9, 0));
    emit(rig, NOP);
    rig_start(rig);
    while (event(rig, EVENT_INSNS_RETIRED) <= at) {
        retired = event(rig, EVENT_INSNS_RETIRED);
        core_run(rig->core, UINT64_MAX, 1, false);
    }
    rig_free(rig);
    return retired != at;
}

static void a_store_may_have_to_be_the_first(void **state)
{
    (void)state;
    const char *on = "cva6.stores_first=true", *off = "cva6.stores_first=false";
    assert_int_equal(store_commits_second(off, 4) + store_commits_second(off, 5), 1);
    assert_int_equal(store_commits_second(on, 4) + store_commits_second(on, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operation_waits_until_the_access_commits),
        cmocka_unit_test(loads_and_stores_pass_a_csr_instruction),
        cmocka_unit_test(instructions_after_a_fence_are_fetched_again),
        cmocka_unit_test(values_are_those_of_program_order),
        cmocka_unit_test(addresses_come_from_the_result),
        cmocka_unit_test(reading_minstret_counts_the_older_instructions),
        cmocka_unit_test(an_illegal_access_traps),
        cmocka_unit_test(a_store_may_have_to_be_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
