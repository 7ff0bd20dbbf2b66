/* Atomics, control and status registers, privileged and profiling instructions. */
#include "pmu/abi.h"
#include "tests/sim/core/board.h"

#define PC (CODE + 0x100)
#define MSTATUS_OF(priv) ((uint64_t)(priv) << MSTATUS_MPP_SHIFT)
#define LINE(irq) (UINT64_C(1) << (irq))

static int set_up(void **state)
{
    static struct board board;
    board_init(&board);
    board.cpu.hart.pc = PC;
    board.cpu.hart.mtvec = HANDLER;
    pmp_open(&board.cpu.hart);
    mmu_flush(&board.cpu.mmu);
    *state = &board;
    return 0;
}

static int tear_down(void **state)
{
    board_free(*state);
    return 0;
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void store_conditional_succeeds_once_in_the_reserved_line(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    put64(b, DATA + 8, 5);
    reg[A0] = DATA + 8;
    reg[A1] = 9;
    reg[A3] = DATA + 16;
    assert_int_equal(execute_word(b, amo(AMO_LR, A2, A0, 0, 3)).cause, TRAP_NONE);
    assert_int_equal(reg[A2], 5);
    assert_int_equal(execute_word(b, amo(AMO_SC, A2, A3, A1, 3)).cause, TRAP_NONE);
    assert_int_equal(reg[A2], 0);
    assert_int_equal(get64(b, DATA + 16), 9);
    assert_int_equal(execute_word(b, amo(AMO_SC, A2, A3, A1, 3)).cause, TRAP_NONE);
    assert_int_equal(reg[A2], 1);
    assert_int_equal(b->cpu.hart.pc, PC + 12);
}

static void a_dropped_reservation_fails_the_store(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    reg[A0] = DATA;
    reg[A1] = 9;
    execute_word(b, amo(AMO_LR, A2, A0, 0, 2));
    cpu_drop_reservation(&b->cpu);
    execute_word(b, amo(AMO_SC, A2, A0, A1, 2));
    assert_int_equal(reg[A2], 1);
    assert_int_equal(get64(b, DATA), 0);
}

static void an_amo_returns_the_old_word_sign_extended(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    put64(b, DATA, 0x1ffffffff);
    reg[A0] = DATA;
    reg[A1] = 2;
    assert_int_equal(execute_word(b, amo(AMO_ADD, A0, A0, A1, 2)).cause, TRAP_NONE);
    assert_int_equal(reg[A0], UINT64_MAX);
    assert_int_equal(get64(b, DATA), 0x100000001);
}

static void misaligned_atomics_trap_and_change_nothing(void **state)
{
    struct board *b = *state;
    b->cpu.hart.reg[A0] = DATA + 4;
    struct outcome lr = execute_word(b, amo(AMO_LR, A2, A0, 0, 3));
    assert_int_equal(lr.cause, TRAP_LOAD_MISALIGNED);
    assert_int_equal(lr.tval, DATA + 4);
    assert_int_equal(execute_word(b, amo(AMO_ADD, A2, A0, A1, 3)).cause, TRAP_STORE_MISALIGNED);
    assert_int_equal(execute_word(b, amo(AMO_SC, A2, A0, A1, 3)).cause, TRAP_STORE_MISALIGNED);
    assert_int_equal(b->cpu.hart.pc, PC);
}

static void atomics_outside_memory_are_access_faults(void **state)
{
    struct board *b = *state;
    b->cpu.hart.reg[A0] = 0x1000;
    assert_int_equal(execute_word(b, amo(AMO_LR, A2, A0, 0, 3)).cause, TRAP_LOAD_ACCESS);
    assert_int_equal(execute_word(b, amo(AMO_ADD, A2, A0, A1, 3)).cause, TRAP_STORE_ACCESS);
}

/* ---- control and status registers ------------------------------------------------------------ */

static void csr_instructions_exchange_set_and_clear(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    reg[A0] = 0xf0;
    reg[A1] = 0x3c;
    execute_word(b, csrrw(ZERO, CSR_mscratch, A0));
    execute_word(b, csrrs(A2, CSR_mscratch, A1));
    assert_int_equal(reg[A2], 0xf0);
    execute_word(b, csrrc(A2, CSR_mscratch, A0));
    assert_int_equal(reg[A2], 0xfc);
    execute_word(b, csrrwi(A2, CSR_mscratch, 31));
    assert_int_equal(reg[A2], 0x0c);
    assert_int_equal(b->cpu.hart.mscratch, 31);
    execute_word(b, csrrw(A0, CSR_mscratch, A0));       /* source is read before rd is written */
    assert_int_equal(b->cpu.hart.mscratch, 0xf0);
    assert_int_equal(reg[A0], 31);
}

static void reading_a_read_only_register_is_no_write(void **state)
{
    struct board *b = *state;
    assert_int_equal(execute_word(b, csrrs(A0, CSR_mhartid, ZERO)).cause, TRAP_NONE);
    struct outcome write = execute_word(b, csrrs(A0, CSR_mhartid, A1));
    assert_int_equal(write.cause, TRAP_ILLEGAL);
    assert_int_equal(write.tval, csrrs(A0, CSR_mhartid, A1));
    assert_int_equal(b->cpu.hart.pc, PC + 4);
}

static void registers_that_do_not_exist_are_illegal(void **state)
{
    struct board *b = *state;
    assert_int_equal(execute_word(b, csrrs(A0, 0x123, ZERO)).cause, TRAP_ILLEGAL);
    set_privilege(b, PRIV_U);
    assert_int_equal(execute_word(b, csrrs(A0, CSR_mscratch, ZERO)).cause, TRAP_ILLEGAL);
}

static void sync_clock(void *arg)
{
    *(uint64_t *)arg += 100;
}

static uint64_t read_clock(void *arg)
{
    return *(uint64_t *)arg;
}

static void the_time_register_brings_the_clock_up_first(void **state)
{
    struct board *b = *state;
    static uint64_t mtime;
    mtime = 23;
    b->cpu.read_time = read_clock;
    b->cpu.time_arg = &mtime;
    b->cpu.sync_time = sync_clock;
    assert_int_equal(execute_word(b, csrrs(A0, CSR_time, ZERO)).cause, TRAP_NONE);
    assert_int_equal(b->cpu.hart.reg[A0], 123);
}

static void counters_are_the_pmus(void **state)
{
    struct board *b = *state;
    b->cpu.pmu.events[EVENT_INSNS_RETIRED] = 77;
    execute_word(b, csrrs(A0, CSR_minstret, ZERO));
    assert_int_equal(b->cpu.hart.reg[A0], 77);
    set_privilege(b, PRIV_U);
    assert_int_equal(execute_word(b, csrrs(A0, CSR_instret, ZERO)).cause, TRAP_ILLEGAL);
    b->cpu.hart.mcounteren = b->cpu.hart.scounteren = 4;
    assert_int_equal(execute_word(b, csrrs(A0, CSR_instret, ZERO)).cause, TRAP_NONE);
}

static void a_new_page_table_drops_cached_translations(void **state)
{
    struct board *b = *state;
    uint64_t pa;
    assert_int_equal(mmu_translate(&b->cpu.mmu, DATA, 8, MMU_LOAD, &pa), TRAP_NONE);
    b->cpu.hart.reg[A0] = (uint64_t)SATP_SV39 << SATP_MODE_SHIFT | TABLES >> PHYS_PAGE_BITS;
    struct outcome outcome = execute_word(b, csrrw(ZERO, CSR_satp, A0));
    assert_true(outcome.effects & CPU_EFFECT_REMAP);
    assert_true(outcome.effects & CSR_EFFECT_TRANSLATION);
    assert_int_equal(b->cpu.mmu.cache[MMU_LOAD][DATA / PHYS_PAGE_BYTES % MMU_CACHE_ENTRIES].tag,
                     UINT64_MAX);
}

/* ---- privileged instructions ----------------------------------------------------------------- */

static void calls_and_breakpoints_name_their_origin(void **state)
{
    struct board *b = *state;
    assert_int_equal(execute_word(b, ECALL).cause, TRAP_ECALL_M);
    struct outcome ebreak = execute_word(b, EBREAK);
    assert_int_equal(ebreak.cause, TRAP_BREAKPOINT);
    assert_int_equal(ebreak.tval, PC);
    set_privilege(b, PRIV_S);
    assert_int_equal(execute_word(b, ECALL).cause, TRAP_ECALL_S);
    set_privilege(b, PRIV_U);
    assert_int_equal(execute_word(b, ECALL).cause, TRAP_ECALL_U);
}

static void mret_changes_the_privilege_everywhere(void **state)
{
    struct board *b = *state;
    b->cpu.hart.mepc = DATA;
    b->cpu.hart.mstatus |= MSTATUS_OF(PRIV_U);
    struct outcome outcome = execute_word(b, MRET);
    assert_int_equal(outcome.cause, TRAP_NONE);
    assert_true(outcome.effects & CPU_EFFECT_REDIRECT);
    assert_int_equal(b->cpu.hart.pc, DATA);
    assert_int_equal(b->cpu.pmu.priv, PRIV_U);
    assert_ptr_equal(b->cpu.mmu.cache[MMU_FETCH], b->cpu.mmu.view[MMU_U][MMU_FETCH]);
    assert_int_equal(execute_word(b, MRET).cause, TRAP_ILLEGAL);
    assert_int_equal(execute_word(b, SRET).cause, TRAP_ILLEGAL);
}

static void a_return_counts_for_the_mode_it_leaves(void **state)
{
    struct board *b = *state;
    b->cpu.hart.reg[A0] = UINT64_C(1) << 62;            /* from now on not in M-mode */
    execute_word(b, csrrw(ZERO, CSR_minstretcfg, A0));
    b->cpu.pmu.events[EVENT_INSNS_RETIRED] += 1;
    b->cpu.hart.mepc = DATA;
    execute_word(b, MRET);
    b->cpu.pmu.events[EVENT_INSNS_RETIRED] += 1;        /* the return itself */
    b->cpu.pmu.events[EVENT_INSNS_RETIRED] += 5;        /* in U-mode */
    set_privilege(b, PRIV_M);
    execute_word(b, csrrs(A0, CSR_minstret, ZERO));
    assert_int_equal(b->cpu.hart.reg[A0], 1 + 5);       /* the first csrrw, and U-mode */
}

static void wfi_waits_only_when_nothing_is_pending(void **state)
{
    struct board *b = *state;
    b->cpu.hart.mie = b->cpu.hart.irq_lines = LINE(IRQ_MSI);
    assert_false(execute_word(b, WFI).effects & CPU_EFFECT_WAIT);
    assert_false(b->cpu.hart.waiting);
    b->cpu.hart.irq_lines = 0;
    assert_true(execute_word(b, WFI).effects & CPU_EFFECT_WAIT);
    assert_true(b->cpu.hart.waiting);
    assert_int_equal(b->cpu.hart.pc, PC + 8);
    set_privilege(b, PRIV_S);
    b->cpu.hart.mstatus |= MSTATUS_TW;
    assert_int_equal(execute_word(b, WFI).cause, TRAP_ILLEGAL);
    b->cpu.hart.mstatus &= ~MSTATUS_TW;
    assert_int_equal(execute_word(b, WFI).cause, TRAP_NONE);
    set_privilege(b, PRIV_U);
    assert_int_equal(execute_word(b, WFI).cause, TRAP_ILLEGAL);
}

static void sfence_is_for_supervisors_unless_trapped(void **state)
{
    struct board *b = *state;
    assert_true(execute_word(b, SFENCE_VMA).effects & CPU_EFFECT_TLB);
    set_privilege(b, PRIV_S);
    assert_int_equal(execute_word(b, SFENCE_VMA).cause, TRAP_NONE);
    b->cpu.hart.mstatus |= MSTATUS_TVM;
    assert_int_equal(execute_word(b, SFENCE_VMA).cause, TRAP_ILLEGAL);
    set_privilege(b, PRIV_U);
    b->cpu.hart.mstatus &= ~MSTATUS_TVM;
    assert_int_equal(execute_word(b, SFENCE_VMA).cause, TRAP_ILLEGAL);
}

/* ---- profiling ------------------------------------------------------------------------------- */

static void only_the_monitor_may_probe_and_a_bad_probe_is_no_trap(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    put64(b, DATA, 42);
    reg[A0] = DATA;
    reg[A1] = 0x10;
    assert_int_equal(execute_word(b, profile(PROF_F3_PROBE, A2, A0)).cause, TRAP_ILLEGAL);
    b->cpu.hart.monitor_vector = MONITOR;
    trap_enter_monitor(&b->cpu.hart, PROF_CAUSE_INDICATOR, PC);
    cpu_privilege_changed(&b->cpu);
    assert_int_equal(execute_word(b, profile(PROF_F3_PROBE, A2, A1)).cause, TRAP_NONE);
    assert_int_equal(reg[A2], 0);
    assert_true(b->cpu.hart.monitor_status & 0x100);
    execute_word(b, profile(PROF_F3_PROBE, A2, A0));
    assert_int_equal(reg[A2], 42);
    assert_false(b->cpu.hart.monitor_status & 0x100);
}

static void a_probe_is_as_wide_as_a_register(void **state)
{
    struct board *b = *state;
    uint64_t *reg = b->cpu.hart.reg;
    put64(b, DATA, 0x1122334488776655);
    hart_set_xlen(&b->cpu.hart, 32);
    b->cpu.hart.monitor_vector = MONITOR;
    trap_enter_monitor(&b->cpu.hart, PROF_CAUSE_INDICATOR, PC);
    cpu_privilege_changed(&b->cpu);
    reg[A0] = hart_value(&b->cpu.hart, DATA);
    execute_word(b, profile(PROF_F3_PROBE, A2, A0));
    assert_int_equal(reg[A2], UINT64_C(0xffffffff88776655));
    reg[A0] += 4;                                       /* a multiple of four will do */
    execute_word(b, profile(PROF_F3_PROBE, A2, A0));
    assert_int_equal(reg[A2], 0x11223344);
    assert_false(b->cpu.hart.monitor_status & 0x100);
    reg[A0] += 2;
    execute_word(b, profile(PROF_F3_PROBE, A2, A0));
    assert_true(b->cpu.hart.monitor_status & 0x100);
}

static void a_probe_sees_what_the_interrupted_mode_sees(void **state)
{
    struct board *b = *state;
    put64(b, DATA, 42);
    b->cpu.hart.monitor_vector = MONITOR;
    b->cpu.hart.satp = (uint64_t)SATP_SV39 << SATP_MODE_SHIFT | TABLES >> PHYS_PAGE_BITS;
    set_privilege(b, PRIV_U);
    trap_enter_monitor(&b->cpu.hart, PROF_CAUSE_INDICATOR, PC);
    cpu_privilege_changed(&b->cpu);
    b->cpu.hart.reg[A0] = DATA;                         /* not mapped in the empty table */
    execute_word(b, profile(PROF_F3_PROBE, A2, A0));
    assert_true(b->cpu.hart.monitor_status & 0x100);
}

static void the_monitor_returns_to_where_it_interrupted(void **state)
{
    struct board *b = *state;
    assert_int_equal(execute_word(b, profile(PROF_F3_MRET, ZERO, ZERO)).cause, TRAP_ILLEGAL);
    set_privilege(b, PRIV_U);
    b->cpu.hart.monitor_vector = MONITOR;
    trap_enter_monitor(&b->cpu.hart, PROF_CAUSE_INDICATOR, PC);
    cpu_privilege_changed(&b->cpu);
    assert_int_equal(execute_word(b, profile(PROF_F3_MRET, ZERO, ZERO)).cause, TRAP_NONE);
    assert_int_equal(b->cpu.hart.pc, PC);
    assert_int_equal(b->cpu.hart.priv, PRIV_U);
    assert_false(b->cpu.pmu.in_monitor);
}

static void counts_of_unreadable_addresses_are_load_faults(void **state)
{
    struct board *b = *state;
    b->cpu.hart.reg[A0] = 0x10;
    struct outcome outcome = execute_word(b, profile(PROF_F3_RDIC, A2, A0));
    assert_int_equal(outcome.cause, TRAP_LOAD_ACCESS);
    assert_int_equal(outcome.tval, 0x10);
    b->cpu.hart.reg[A0] = DATA;
    assert_int_equal(execute_word(b, profile(PROF_F3_RDAC, A2, A0)).cause, TRAP_NONE);
    assert_int_equal(b->cpu.hart.reg[A2], 0);
}

static void changing_segments_says_that_marks_changed(void **state)
{
    struct board *b = *state;
    b->cpu.hart.reg[A0] = PROF_REG_SEGMENT + 3;
    b->cpu.hart.reg[A1] = PROF_SEGMENT_TEXT;
    execute_word(b, csrrw(ZERO, CSR_PROF_INDEX, A0));
    assert_true(execute_word(b, csrrw(ZERO, CSR_PROF_DATA, A1)).effects & CPU_EFFECT_MARKS);
    assert_false(b->cpu.marks_on);
    execute_word(b, csrrwi(ZERO, CSR_PROF_MODE, PROF_MODE_ENABLE));
    assert_true(b->cpu.marks_on);
}

static void a_switch_of_threads_is_told_if_enabled(void **state)
{
    struct board *b = *state;
    const struct pmu *pmu = &b->cpu.pmu;

    execute_word(b, csrrwi(ZERO, CSR_PROF_MODE, PROF_MODE_ENABLE));
    execute_word(b, csrrwi(ZERO, CSR_PROF_THREAD, 6));
    assert_int_equal(pmu->queue_length, 0);
    b->cpu.pmu.transfers = PROF_TRANSFER_THREAD;
    execute_word(b, csrrwi(ZERO, CSR_PROF_THREAD, 7));
    assert_int_equal(pmu->queue_length, 1);
    const struct indicator *told = &pmu->queue[pmu->queue_head];
    assert_int_equal(IND_KIND(told->flags), IND_KIND_THREAD);
    assert_int_equal(told->iaddr, PC + 8);
    assert_int_equal(told->daddr, 7);
    assert_int_equal(told->count, 1);
    assert_true(b->cpu.hart.irq_lines & LINE(IRQ_INDICATOR));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(store_conditional_succeeds_once_in_the_reserved_line),
        TEST(a_dropped_reservation_fails_the_store),
        TEST(an_amo_returns_the_old_word_sign_extended),
        TEST(misaligned_atomics_trap_and_change_nothing),
        TEST(atomics_outside_memory_are_access_faults),
        TEST(csr_instructions_exchange_set_and_clear),
        TEST(reading_a_read_only_register_is_no_write),
        TEST(registers_that_do_not_exist_are_illegal),
        TEST(the_time_register_brings_the_clock_up_first),
        TEST(counters_are_the_pmus),
        TEST(a_new_page_table_drops_cached_translations),
        TEST(calls_and_breakpoints_name_their_origin),
        TEST(mret_changes_the_privilege_everywhere),
        TEST(a_return_counts_for_the_mode_it_leaves),
        TEST(wfi_waits_only_when_nothing_is_pending),
        TEST(sfence_is_for_supervisors_unless_trapped),
        TEST(only_the_monitor_may_probe_and_a_bad_probe_is_no_trap),
        TEST(a_probe_sees_what_the_interrupted_mode_sees),
        TEST(a_probe_is_as_wide_as_a_register),
        TEST(the_monitor_returns_to_where_it_interrupted),
        TEST(counts_of_unreadable_addresses_are_load_faults),
        TEST(changing_segments_says_that_marks_changed),
        TEST(a_switch_of_threads_is_told_if_enabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
