/* S2: the profiler around a run, which loads tables and registers them: a small bare-metal program
 * is marked, runs on both engines with both monitors, and every number is known beforehand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/core.h"
#include "sim/run/fast/fast.h"
#include "sim/run/profiler/profiler.h"
#include "tests/sim/run/profiler/profiled.h"

/* Runs until every hart spins at its end. */
static void execute_fast(struct run *run, unsigned hart)
{
    struct cpu *cpu = &run->cpu[hart];
    struct fast *fast = fast_new(cpu);

    while (cpu->hart.pc != CODE + SPIN || cpu->hart.in_monitor)
        if (fast_run(fast, 1) == STOP_HOST_CALL)
            profiler_serve(run->profiler, NULL, cpu);
    fast_free(fast);
}

static void execute_detailed(struct run *run)
{
    struct memshared *shared = memshared_new(&run->config);
    struct core *core = core_new(&run->cpu[0], shared);
    unsigned rest = 100;

    while (--rest > 0 && run->cpu[0].hart.pc != CODE + SPIN) {
        if (core_run(core, INSNS, UINT64_MAX, true) == STOP_HOST_CALL)
            profiler_serve(run->profiler, NULL, &run->cpu[0]);
        core_settle(core);
    }
    assert_true(rest > 0);
    core_free(core);
    memshared_free(shared);
}

static const struct profiler_mark *collect(struct run *run, size_t marks)
{
    const struct profiler_mark *mark;

    assert_int_equal(profiler_collect(run->profiler, &run->diag), ERR_OK);
    assert_int_equal(profiler_marks(run->profiler, &mark), marks);
    return mark;
}

#define LIMIT_TEXT                                                                                 \
    "f 4 counter=4 interrupt\n"                                                                    \
    "f+4 8 counter\n"                                                                              \
    "datum * counter granule=8\n"                                                                  \
    "range I0 a *\n"                                                                               \
    "range D3 datum *\n"

static void check_counts(struct run *run, unsigned harts)
{
    const struct profiler_mark *mark = collect(run, 4);
    const struct profiler_range *range;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(mark[i].site->va, CODE + F + 4 * i);
        assert_int_equal(mark[i].count, 2 * ROUNDS * harts);
    }
    assert_int_equal(mark[0].interrupts, 2 * ROUNDS * harts / 5);
    assert_int_equal(mark[3].site->va, DATUM);
    assert_int_equal(mark[3].count, 2 * ROUNDS * harts);
    assert_int_equal(profiler_ranges(run->profiler, &range), 2);
    assert_string_equal(range[0].name, "I0");
    assert_int_equal(range[0].entries, 2 * ROUNDS * harts);
    assert_int_equal(range[0].executed, 9 * ROUNDS * harts);
    assert_string_equal(range[1].name, "D3");
    assert_int_equal(range[1].entries, 2 * ROUNDS * harts);     /* the stack lies between */
    assert_int_equal(range[1].executed, 2 * ROUNDS * harts);
    assert_int_equal(profiler_lost(run->profiler), 0);
}

/* The record whose second frame is `caller`. */
static const struct monitor_record *record_of(const struct run *run, uint64_t caller)
{
    const struct monitor_record *record;
    const struct monitor_header *header = profiler_records(run->profiler, &record);

    for (unsigned i = 0; header != NULL && i < header->slots; i++)
        if (record[i].hash != 0 && record[i].depth > 1 && record[i].stack[1] == caller)
            return &record[i];
    fail_msg("no record of caller 0x%llx", (unsigned long long)caller);
    return NULL;
}

static void check_records(const struct run *run)
{
    static const uint64_t caller[] = {CODE + A_RETURN, CODE + B_RETURN};
    const struct monitor_record *record;
    const struct monitor_header *header = profiler_records(run->profiler, &record);

    assert_non_null(header);
    assert_int_equal(header->used, 2);
    assert_int_equal(header->interrupts, 2 * ROUNDS / 5);
    assert_int_equal(header->dropped, 0);
    for (unsigned i = 0; i < 2; i++) {
        record = record_of(run, caller[i]);
        assert_int_equal(record->samples, ROUNDS / 5);
        assert_int_equal(record->count_sum, ROUNDS);
        assert_int_equal(record->depth, 3);
        assert_int_equal(record->stack[0], CODE + F + 4);
        assert_int_equal(record->stack[2], CODE + LOOP + 4 + 4 * i);
        assert_int_equal(record->walk, MONITOR_WALK_OK);
        assert_int_equal(record->iaddr, CODE + F);
        assert_int_equal(record->flags, MARK_COUNTER | MARK_INTERRUPT);
    }
    /* A round is 28 instructions; after the last interrupt: 2 of f, 4 of b, 2 of the loop. */
    assert_int_equal(record_of(run, caller[0])->insns_sum + record_of(run, caller[1])->insns_sum,
                     28 * ROUNDS - 8);
}

static void the_host_monitor_serves_the_fast_engine(void **state)
{
    struct run *run = begin(LIMIT_TEXT, MONITOR_HOST, 1);

    (void)state;
    execute_fast(run, 0);
    check_counts(run, 1);
    check_records(run);
    end(run);
}

static void the_host_monitor_serves_the_detailed_engine(void **state)
{
    struct run *run = begin(LIMIT_TEXT, MONITOR_HOST, 1);

    (void)state;
    execute_detailed(run);
    check_counts(run, 1);
    check_records(run);
    end(run);
}

/* Runs until the hart is about to execute the address for the n-th time. */
static void run_to(struct fast *fast, const struct cpu *cpu, uint64_t pc, unsigned times)
{
    while (times > 0)
        if (fast_run(fast, 1) == STOP_QUOTA && cpu->hart.pc == pc)
            times--;
}

static void S8_marks_are_added_changed_and_removed_between_runs(void **state)
{
    const struct meta_action counter = {.flags = MARK_COUNTER};
    struct run *run = begin("f 4 count\nf+8 4 counter\ndatum 8 count\n", MONITOR_HOST, 1);
    struct fast *fast = fast_new(&run->cpu[0]);
    const struct profiler_mark *mark;

    (void)state;
    assert_int_equal(profiler_mark_set(run->profiler, CODE + A, true, &counter, &run->diag),
                     ERR_OK);
    run_to(fast, &run->cpu[0], CODE + A, 10);                 /* 9 times through a and f */
    assert_int_equal(profiler_mark_set(run->profiler, CODE + F + 4, true, &counter, &run->diag),
                     ERR_OK);
    assert_int_equal(profiler_mark_set(run->profiler, DATUM, false, &counter, &run->diag), ERR_OK);
    assert_int_equal(profiler_mark_remove(run->profiler, CODE + A, true, &run->diag), ERR_OK);
    run_to(fast, &run->cpu[0], CODE + A, 5);                  /* 5 rounds more */
    assert_int_equal(profiler_mark_set(run->profiler, CODE + A, true, &counter, &run->diag),
                     ERR_OK);
    run_to(fast, &run->cpu[0], CODE + A, 4);
    mark = collect(run, 5);
    assert_int_equal(mark[0].site->va, CODE + A);
    assert_int_equal(mark[0].count, 9 + 4);
    assert_int_equal(mark[2].site->va, CODE + F + 4);
    assert_int_equal(mark[2].count, 2 * (5 + 4));
    assert_int_equal(mark[3].site->va, CODE + F + 8);
    assert_int_equal(mark[3].count, 2 * (9 + 5 + 4));
    assert_int_equal(mark[4].site->va, DATUM);
    assert_int_equal(mark[4].count, 2 * (5 + 4));
    fast_free(fast);
    end(run);
}

static void S8_a_page_in_which_nothing_was_marked_becomes_a_segment(void **state)
{
    const struct meta_action counter = {.flags = MARK_COUNTER};
    struct run *run = begin("f 4 count\n", MONITOR_HOST, 1);
    struct fast *fast = fast_new(&run->cpu[0]);
    const struct profiler_mark *mark;
    enum err err = ERR_OK;
    unsigned pages = 0;

    (void)state;
    run_to(fast, &run->cpu[0], CODE + A, 10);
    assert_int_equal(profiler_mark_set(run->profiler, DATUM, false, &counter, &run->diag), ERR_OK);
    run_to(fast, &run->cpu[0], CODE + A, 5);
    mark = collect(run, 1);
    assert_int_equal(mark[0].site->va, DATUM);
    assert_int_equal(mark[0].count, 2 * 5);
    while (err == ERR_OK && pages < PROF_SEGMENTS)
        err = profiler_mark_set(run->profiler, STACK + PHYS_PAGE_BYTES * (uint64_t)pages++, true,
                                &counter, &run->diag);
    assert_int_equal(err, ERR_USAGE);
    assert_non_null(strstr(run->diag.text, "and all 16 are taken"));
    fast_free(fast);
    end(run);
}

static bool has_monitor(void)
{
    return access(monitor_path, R_OK) == 0;
}

static void the_guest_monitor_serves_the_fast_engine_and_changes_no_register(void **state)
{
    struct run *run, *other;

    (void)state;
    if (!has_monitor())
        skip();
    run = begin(LIMIT_TEXT, MONITOR_GUEST, 1);
    other = begin(LIMIT_TEXT, MONITOR_HOST, 1);
    execute_fast(run, 0);
    execute_fast(other, 0);
    check_counts(run, 1);
    check_records(run);
    assert_memory_equal(run->cpu[0].hart.reg, other->cpu[0].hart.reg, 64 * sizeof(uint64_t));
    assert_int_equal(run->cpu[0].pmu.index, other->cpu[0].pmu.index);
    end(run);
    end(other);
}

static void the_guest_monitor_serves_the_detailed_engine(void **state)
{
    struct run *run;

    (void)state;
    if (!has_monitor())
        skip();
    run = begin(LIMIT_TEXT, MONITOR_GUEST, 1);
    execute_detailed(run);
    check_counts(run, 1);
    check_records(run);
    end(run);
}

static void two_harts_share_counters_and_the_monitors_table(void **state)
{
    const struct monitor_record *record;
    struct run *run;

    (void)state;
    if (!has_monitor())
        skip();
    run = begin(LIMIT_TEXT, MONITOR_GUEST, 2);
    execute_fast(run, 0);
    execute_fast(run, 1);
    check_counts(run, 2);
    assert_int_equal(profiler_records(run->profiler, &record)->interrupts, 4 * ROUNDS / 5);
    assert_int_equal(profiler_records(run->profiler, &record)->used, 2);
    end(run);
}

static void nobody_but_the_monitor_can_touch_its_memory(void **state)
{
    struct run *run;
    uint64_t top = PHYS_RAM_BASE + ((uint64_t)MEMORY_MIB << 20), pa;

    (void)state;
    if (!has_monitor())
        skip();
    run = begin(LIMIT_TEXT, MONITOR_GUEST, 1);
    assert_int_not_equal(mmu_probe(&run->cpu[0].mmu, top - 8, MMU_LOAD, PRIV_M, &pa), TRAP_NONE);
    assert_int_equal(mmu_probe(&run->cpu[0].mmu, top - profiler_reserved_bytes(run->profiler),
                               MMU_LOAD, PRIV_M, &pa), TRAP_NONE);
    end(run);
}

static void without_interrupt_marks_no_monitor_is_installed(void **state)
{
    const struct monitor_record *record;
    struct run *run = begin("f * counter\n", MONITOR_GUEST, 1);

    (void)state;
    assert_int_equal(run->cpu[0].hart.monitor_vector, 0);
    execute_fast(run, 0);
    assert_int_equal(collect(run, 3)[0].count, 2 * ROUNDS);
    assert_null(profiler_records(run->profiler, &record));
    end(run);
}

static void ranges_alone_need_no_memory(void **state)
{
    const struct profiler_range *range;
    struct run *run = begin("range I2 f *\n", MONITOR_GUEST, 1);

    (void)state;
    assert_int_equal(profiler_reserved_bytes(run->profiler), 0);
    execute_fast(run, 0);
    collect(run, 0);
    assert_int_equal(profiler_ranges(run->profiler, &range), 1);
    assert_int_equal(range[0].executed, 3 * 2 * ROUNDS);
    end(run);
}

static void marks_where_no_memory_is_are_a_warning(void **state)
{
    struct run *run = begin("0x1000 8 counter\nf 4 counter\n0x80010000 8 counter\n",
                            MONITOR_NONE, 1);

    (void)state;
    assert_int_equal(run->meta.warnings, 1);
    assert_string_equal(run->meta.warning[0],
                        "x.meta:1: no memory at 0x1000 when the program starts: not marked");
    collect(run, 3);
    end(run);
}

static void marks_all_over_the_place_share_the_segment_registers(void **state)
{
    char text[4096] = "f 4 counter\n";
    struct run *run;

    (void)state;
    for (unsigned i = 0; i < 40; i++)
        snprintf(text + strlen(text), 40, "0x%x 4 counter\n", 0x80100000 + i * 0x20000);
    run = begin(text, MONITOR_NONE, 1);
    execute_fast(run, 0);
    assert_int_equal(collect(run, 41)[0].count, 2 * ROUNDS);
    end(run);
}

static void metadata_larger_than_half_the_memory_is_refused(void **state)
{
    struct run *run = calloc(1, sizeof *run);

    (void)state;
    config_init(&run->config);
    run->config.machine_memory_mib = 1;
    assert_int_equal(prepare(run, "0x80010000 0x80000 counter granule=4\n", MONITOR_NONE),
                     ERR_USAGE);
    assert_non_null(strstr(run->diag.text, "set machine.memory_mib above 1"));
    meta_free(&run->meta);
    free(run);
}

static void a_missing_monitor_is_named(void **state)
{
    struct run *run = calloc(1, sizeof *run);
    char path[sizeof monitor_path];

    (void)state;
    strcpy(path, monitor_path);
    strcpy(monitor_path, "/no/such/monitor.elf");
    config_init(&run->config);
    assert_int_not_equal(prepare(run, LIMIT_TEXT, MONITOR_GUEST), ERR_OK);
    assert_non_null(strstr(run->diag.text, "/no/such/monitor.elf"));
    strcpy(monitor_path, path);
    meta_free(&run->meta);
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S8_marks_are_added_changed_and_removed_between_runs),
        cmocka_unit_test(S8_a_page_in_which_nothing_was_marked_becomes_a_segment),
        cmocka_unit_test(the_host_monitor_serves_the_fast_engine),
        cmocka_unit_test(the_host_monitor_serves_the_detailed_engine),
        cmocka_unit_test(the_guest_monitor_serves_the_fast_engine_and_changes_no_register),
        cmocka_unit_test(the_guest_monitor_serves_the_detailed_engine),
        cmocka_unit_test(two_harts_share_counters_and_the_monitors_table),
        cmocka_unit_test(nobody_but_the_monitor_can_touch_its_memory),
        cmocka_unit_test(without_interrupt_marks_no_monitor_is_installed),
        cmocka_unit_test(ranges_alone_need_no_memory),
        cmocka_unit_test(marks_where_no_memory_is_are_a_warning),
        cmocka_unit_test(marks_all_over_the_place_share_the_segment_registers),
        cmocka_unit_test(metadata_larger_than_half_the_memory_is_refused),
        cmocka_unit_test(a_missing_monitor_is_named),
    };

    snprintf(monitor_path, sizeof monitor_path, "%s/monitor.elf",
             getenv("GUEST") != NULL ? getenv("GUEST") : ".");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
