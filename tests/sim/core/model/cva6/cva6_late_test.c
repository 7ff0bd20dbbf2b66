/* A data cache that serves one load at a time: the loads that wait for others, to the cycle. */
#include "sim/core/pipe/core_internal.h"
#include "tests/sim/core/rig.h"

#define NOP addi(0, 0, 0)

/* Loads of `count` lines one after the other, then that many other instructions. */
static uint64_t cycles_of_lines(unsigned count, unsigned others, const char *const *settings)
{
    struct rig *rig = rig_new();
    rig_set(rig, "core.kind=in_order");
    rig_set(rig, "dispatch.width=1");
    rig_set(rig, "l1d.prefetch=none");
    rig_set(rig, "l1i.prefetch=none");
    rig_set(rig, "rob.entries=64");
    for (; *settings != NULL; settings++)
        rig_set(rig, *settings);
    for (unsigned i = 0; i < count; i++)
        emit(rig, load(6 + i, 9, (int32_t)(64 * i)));
    for (unsigned i = 0; i < others; i++)
        emit(rig, NOP);
    uint64_t cycles = run(rig, rig->count);
    rig_free(rig);
    return cycles;
}

static void misses_come_one_after_the_other(void **state)
{
    (void)state;
    const char *const *late = SETTINGS("cva6.late_miss=true", "dram.cycles=100");
    uint64_t one = cycles_of_lines(1, 0, late), two = cycles_of_lines(2, 0, late);
    assert_true(two - one > 100);
    assert_true(cycles_of_lines(3, 0, late) - two > 100);
    const char *const *early = SETTINGS("cva6.late_miss=false", "dram.cycles=100");
    /* the line of code after, asked for meanwhile, goes first */
    assert_true(cycles_of_lines(1, 0, early) < one);
    assert_true(cycles_of_lines(3, 0, early) < one + 50);
}

/* Two words of a line: the second load waits for the line, and then hits. */
static void a_hit_after_a_miss_waits_for_it(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        rig_set(rig, "core.kind=in_order");
        rig_set(rig, "dispatch.width=1");
        rig_set(rig, "cva6.late_miss=true");
        emit(rig, load(6, 9, 0));
        if (i != 0)
            emit(rig, load(7, 9, 8));
        emit(rig, add(5, 6, i != 0 ? 7 : 6));
        cycles[i] = run(rig, rig->count);
        rig_free(rig);
    }
    /* latency.load = 3: the cache takes the second load a cycle before the value of the first is
     * used */
    assert_int_equal(cycles[1] - cycles[0], 2);
}

/* Two loads wait in front of the cache; the fourth, and the instructions after it, wait at
 * issue. */
static void the_front_of_the_cache_holds_two_loads(void **state)
{
    (void)state;
    for (unsigned loads = 1; loads <= 4; loads++) {
        struct rig *rig = rig_new();
        rig_set(rig, "core.kind=in_order");
        rig_set(rig, "dispatch.width=1");
        rig_set(rig, "cva6.late_miss=true");
        rig_set(rig, "dram.cycles=200");
        rig_set(rig, "l1d.prefetch=none");
        for (unsigned i = 0; i < loads; i++)
            emit(rig, load(6 + i, 9, (int32_t)(64 * i)));
        emit(rig, mul(12, 11, 11));
        rig_start(rig);
        while (event(rig, EVENT_UNIT_COMPLEX_BUSY) == 0)
            core_run(rig->core, UINT64_MAX, 1, false);
        assert_int_equal(event(rig, EVENT_UNIT_LOAD_BUSY), loads);
        assert_int_equal(event(rig, EVENT_DCACHE_MISS) != 0, loads == 4);  /* the first is done */
        rig_free(rig);
    }
}

/* A load that misses on the wrong path leaves no waiting instruction. */
static void a_late_load_is_undone(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_set(rig, "core.kind=in_order");
    rig_set(rig, "dispatch.width=2");
    rig_set(rig, "cva6.late_miss=true");
    rig_set(rig, "bpred.kind=not_taken");
    rig_set(rig, "recover.resolve_cycles=3");
    emit(rig, addi(6, 0, 5));
    emit(rig, bne(11, 0, 12));          /* taken */
    emit(rig, load(6, 9, 0));
    emit(rig, load(7, 9, 64));
    emit(rig, add(7, 6, 6));
    emit(rig, load(6, 9, 128));
    emit(rig, add(7, 6, 6));
    run(rig, rig->count - 2);
    assert_int_equal(rig->cpu.hart.reg[7], 0);
    rig_free(rig);
}

/* A mispredicted branch and a load that misses after it, in one cycle or two; is the line of DATA
 * in the cache when the instructions after the branch have committed? */
static uint64_t cycles_with_on_wrong_path(uint32_t insn, const char *setting, const char *memory,
                                          bool is_beside, bool *has_line)
{
    struct rig *rig = rig_new();
    const char *const *each = SETTINGS("core.kind=in_order", "dispatch.width=2", "l2.kib=0",
                                       "cva6.late_miss=true", "bpred.kind=not_taken",
                                       "l1d.prefetch=none", "l1i.prefetch=none", setting, memory);
    for (; *each != NULL; each++)
        rig_set(rig, *each);
    while (rig->count < 7 + (unsigned)is_beside)
        emit(rig, NOP);
    emit(rig, bne(11, 0, 8));           /* taken */
    emit(rig, insn);
    for (unsigned i = 0; i < 4; i++)
        emit(rig, NOP);
    uint64_t cycles = run(rig, rig->count - 1);
    *has_line = memsys_find_dframe(rig->core->mem, PHYS_RAM_BASE + DATA) != MEM_NO_FRAME;
    assert_int_equal(rig->cpu.hart.reg[6], 0);
    rig_free(rig);
    return cycles;
}

/* The additional cycles of a read of memory count twice: for the line of code and for this load. */
static void check_wrong_path(uint32_t insn, bool brings_line)
{
    static const char *const settings[] = {"cva6.cancelled_loads=false",
                                           "cva6.cancelled_loads=true"};
    for (unsigned i = 0; i < 4; i++) {
        bool is_served = i == 3, has_line;
        uint64_t cycles = cycles_with_on_wrong_path(insn, settings[i & 1], "dram.cycles=100",
                                                    i >> 1, &has_line);
        uint64_t more = cycles_with_on_wrong_path(insn, settings[i & 1], "dram.cycles=150",
                                                  i >> 1, &has_line) - cycles;
        assert_int_equal(has_line, is_served && brings_line);
        assert_int_equal(more, is_served ? 100 : 50);
    }
}

static void a_load_beside_a_mispredicted_branch_may_be_served_all_the_same(void **state)
{
    (void)state;
    check_wrong_path(load(6, 9, 0), true);
    check_wrong_path(load(6, 0, 16), false);    /* through a null pointer: no memory is there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_come_one_after_the_other),
        cmocka_unit_test(a_hit_after_a_miss_waits_for_it),
        cmocka_unit_test(the_front_of_the_cache_holds_two_loads),
        cmocka_unit_test(a_late_load_is_undone),
        cmocka_unit_test(a_load_beside_a_mispredicted_branch_may_be_served_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
