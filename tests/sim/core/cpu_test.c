/* Traps and interrupts of one cpu, without an engine. */
#include "pmu/abi.h"
#include "tests/sim/core/board.h"

#define PC (CODE + 0x100)
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

static void queue_indicator(struct board *b)
{
    static const struct indicator indicator = {.iaddr = 1};
    pmu_raise_indicator(&b->cpu.pmu, &indicator);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static void an_exception_enters_the_guests_handler(void **state)
{
    struct board *b = *state;
    set_privilege(b, PRIV_U);
    assert_int_equal(cpu_trap(&b->cpu, TRAP_LOAD_PAGE, PC, 0x1234), STOP_NONE);
    assert_int_equal(b->cpu.hart.pc, HANDLER);
    assert_int_equal(b->cpu.hart.priv, PRIV_M);
    assert_int_equal(b->cpu.pmu.priv, PRIV_M);
    assert_int_equal(b->cpu.hart.mepc, PC);
    assert_int_equal(b->cpu.hart.mtval, 0x1234);
}

static void a_host_served_exception_leaves_the_hart_untouched(void **state)
{
    struct board *b = *state;
    set_privilege(b, PRIV_U);
    b->cpu.host_serves_traps = true;
    const struct hart before = b->cpu.hart;
    assert_int_equal(cpu_trap(&b->cpu, TRAP_ECALL_U, PC, 7), STOP_HOST_CALL);
    assert_memory_equal(&before, &b->cpu.hart, sizeof before);
    assert_int_equal(b->cpu.stop_cause, TRAP_ECALL_U);
    assert_int_equal(b->cpu.stop_pc, PC);
    assert_int_equal(b->cpu.stop_tval, 7);
}

static void the_host_serves_only_user_mode(void **state)
{
    struct board *b = *state;
    b->cpu.host_serves_traps = true;
    set_privilege(b, PRIV_S);
    assert_int_equal(cpu_trap(&b->cpu, TRAP_ECALL_S, PC, 0), STOP_NONE);
    assert_int_equal(b->cpu.hart.pc, HANDLER);
}

static void a_handler_that_traps_at_once_ends_the_run_with_what_trapped_first(void **state)
{
    struct board *b = *state;
    b->cpu.hart.mtvec = 0;
    assert_int_equal(cpu_trap(&b->cpu, TRAP_ILLEGAL, PC, 0xdead), STOP_NONE);
    assert_int_equal(b->cpu.hart.pc, 0);
    assert_int_equal(cpu_trap(&b->cpu, TRAP_FETCH_ACCESS, 0, 0), STOP_TRAP);
    assert_int_equal(b->cpu.stop_cause, TRAP_ILLEGAL);
    assert_int_equal(b->cpu.stop_pc, PC);
    assert_int_equal(b->cpu.stop_tval, 0xdead);
}

static void a_program_at_its_own_vector_is_reported_itself(void **state)
{
    struct board *b = *state;
    b->cpu.hart.mtvec = PC;
    assert_int_equal(cpu_trap(&b->cpu, TRAP_ILLEGAL, PC, 0xdead), STOP_TRAP);
    assert_int_equal(b->cpu.stop_cause, TRAP_ILLEGAL);
    assert_int_equal(b->cpu.stop_tval, 0xdead);
}

static void the_monitors_own_exception_is_a_fault(void **state)
{
    struct board *b = *state;
    b->cpu.hart.monitor_vector = MONITOR;
    trap_enter_monitor(&b->cpu.hart, PROF_CAUSE_INDICATOR, PC);
    assert_int_equal(cpu_trap(&b->cpu, TRAP_LOAD_ACCESS, MONITOR + 4, 8), STOP_MONITOR_FAULT);
    assert_int_equal(b->cpu.stop_pc, MONITOR + 4);
    assert_true(b->cpu.hart.in_monitor);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void an_enabled_interrupt_is_taken_and_counted(void **state)
{
    struct board *b = *state;
    enum stop stop;
    b->cpu.hart.irq_lines = LINE(IRQ_MTI);
    assert_false(cpu_take_interrupt(&b->cpu, &stop));
    b->cpu.hart.mie = LINE(IRQ_MTI);
    b->cpu.hart.mstatus |= MSTATUS_MIE;
    assert_true(cpu_take_interrupt(&b->cpu, &stop));
    assert_int_equal(stop, STOP_NONE);
    assert_int_equal(b->cpu.hart.mcause, TRAP_INTERRUPT | IRQ_MTI);
    assert_int_equal(b->cpu.hart.mepc, PC);
    assert_int_equal(b->cpu.pmu.events[EVENT_INTERRUPTS], 1);
    assert_false(cpu_take_interrupt(&b->cpu, &stop));
}

static void an_indicator_enters_the_monitor_before_other_interrupts(void **state)
{
    struct board *b = *state;
    enum stop stop;
    queue_indicator(b);
    b->cpu.hart.monitor_vector = MONITOR;
    b->cpu.hart.irq_lines = b->cpu.hart.mie = LINE(IRQ_MTI);
    b->cpu.hart.mstatus |= MSTATUS_MIE;
    set_privilege(b, PRIV_U);
    assert_true(cpu_take_interrupt(&b->cpu, &stop));
    assert_true(b->cpu.hart.in_monitor);
    assert_true(b->cpu.pmu.in_monitor);
    assert_int_equal(b->cpu.hart.pc, MONITOR);
    assert_int_equal(b->cpu.hart.monitor_epc, PC);
    assert_int_equal(b->cpu.hart.monitor_cause, PROF_CAUSE_INDICATOR);
    assert_false(cpu_take_interrupt(&b->cpu, &stop));
}

static void a_claimed_indicator_goes_through_mip(void **state)
{
    struct board *b = *state;
    enum stop stop;
    queue_indicator(b);
    b->cpu.hart.monitor_vector = MONITOR;
    b->cpu.pmu.mode = PROF_MODE_ENABLE | PROF_MODE_CLAIM;
    b->cpu.hart.mie = LINE(IRQ_INDICATOR);
    b->cpu.hart.mstatus |= MSTATUS_MIE;
    assert_true(cpu_take_interrupt(&b->cpu, &stop));
    assert_int_equal(b->cpu.hart.mcause, TRAP_INTERRUPT | IRQ_INDICATOR);
    assert_false(b->cpu.hart.in_monitor);
}

static void the_line_falls_with_the_last_indicator(void **state)
{
    struct board *b = *state;
    enum stop stop;
    queue_indicator(b);
    cpu_take_interrupt(&b->cpu, &stop);
    assert_true(b->cpu.hart.irq_lines & LINE(IRQ_INDICATOR));
    b->cpu.pmu.queue_length = 0;
    cpu_take_interrupt(&b->cpu, &stop);
    assert_false(b->cpu.hart.irq_lines & LINE(IRQ_INDICATOR));
}

static void the_hosts_monitor_gets_a_stop(void **state)
{
    struct board *b = *state;
    enum stop stop;
    queue_indicator(b);
    b->cpu.host_monitor = true;
    assert_false(cpu_take_interrupt(&b->cpu, &stop));
    assert_int_equal(stop, STOP_HOST_CALL);
    assert_int_equal(b->cpu.stop_cause, TRAP_INTERRUPT | PROF_CAUSE_INDICATOR);
    assert_int_equal(b->cpu.stop_pc, PC);
}

static void a_counter_overflow_is_acknowledged_by_entering_the_monitor(void **state)
{
    struct board *b = *state;
    enum stop stop;
    b->cpu.hart.monitor_vector = MONITOR;
    b->cpu.hart.mip_software = LINE(IRQ_LCOFI);
    assert_true(cpu_take_interrupt(&b->cpu, &stop));
    assert_int_equal(b->cpu.hart.monitor_cause, PROF_CAUSE_LCOFI);
    assert_int_equal(trap_mip(&b->cpu.hart), 0);
}

static void a_program_that_enabled_counter_overflow_takes_it_itself(void **state)
{
    struct board *b = *state;
    enum stop stop;
    b->cpu.hart.monitor_vector = MONITOR;
    b->cpu.hart.mip_software = b->cpu.hart.mie = LINE(IRQ_LCOFI);
    b->cpu.hart.mstatus |= MSTATUS_MIE;
    assert_true(cpu_take_interrupt(&b->cpu, &stop));
    assert_false(b->cpu.hart.in_monitor);
    assert_int_equal(b->cpu.hart.mcause, TRAP_INTERRUPT | IRQ_LCOFI);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_exception_enters_the_guests_handler),
        TEST(a_host_served_exception_leaves_the_hart_untouched),
        TEST(the_host_serves_only_user_mode),
        TEST(a_handler_that_traps_at_once_ends_the_run_with_what_trapped_first),
        TEST(a_program_at_its_own_vector_is_reported_itself),
        TEST(the_monitors_own_exception_is_a_fault),
        TEST(an_enabled_interrupt_is_taken_and_counted),
        TEST(an_indicator_enters_the_monitor_before_other_interrupts),
        TEST(a_claimed_indicator_goes_through_mip),
        TEST(the_line_falls_with_the_last_indicator),
        TEST(the_hosts_monitor_gets_a_stop),
        TEST(a_counter_overflow_is_acknowledged_by_entering_the_monitor),
        TEST(a_program_that_enabled_counter_overflow_takes_it_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
