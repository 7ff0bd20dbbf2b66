/* Traps: entry, delegation, return, the interrupt that is due, the monitor's own trap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "isa/trap.h"

#define BIT(n) (UINT64_C(1) << (n))

static struct hart new_hart(unsigned priv)
{
    struct hart hart;
    hart_reset(&hart, 0, 0x80000000, 0);
    csr_write(&hart, CSR_mtvec, 0x80001000);
    csr_write(&hart, CSR_stvec, 0x80002000);
    hart.priv = (uint8_t)priv;
    return hart;
}

static unsigned mpp(const struct hart *hart)
{
    return (unsigned)((hart->mstatus & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT);
}

/* ---- entry ----------------------------------------------------------------------------------- */

static void an_exception_enters_machine_mode_and_stacks_the_status(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_U);
    hart.mstatus |= MSTATUS_MIE;
    trap_enter(&hart, TRAP_LOAD_PAGE, 0x1234, 0x5678);
    assert_int_equal(hart.priv, PRIV_M);
    assert_int_equal(hart.pc, 0x80001000);
    assert_int_equal(hart.mepc, 0x1234);
    assert_int_equal(hart.mcause, TRAP_LOAD_PAGE);
    assert_int_equal(hart.mtval, 0x5678);
    assert_int_equal(mpp(&hart), PRIV_U);
    assert_true(hart.mstatus & MSTATUS_MPIE);
    assert_false(hart.mstatus & MSTATUS_MIE);
}

static void a_delegated_exception_enters_supervisor_mode(void **state)
{
    (void)state;
    for (unsigned priv = PRIV_U; priv <= PRIV_S; priv++) {
        struct hart hart = new_hart(priv);
        csr_write(&hart, CSR_medeleg, BIT(TRAP_ECALL_U) | BIT(TRAP_LOAD_PAGE));
        hart.mstatus |= MSTATUS_SIE;
        trap_enter(&hart, TRAP_LOAD_PAGE, 0x1234, 0x5678);
        assert_int_equal(hart.priv, PRIV_S);
        assert_int_equal(hart.pc, 0x80002000);
        assert_int_equal(hart.sepc, 0x1234);
        assert_int_equal(hart.scause, TRAP_LOAD_PAGE);
        assert_int_equal(hart.stval, 0x5678);
        assert_int_equal((hart.mstatus & MSTATUS_SPP) != 0, priv == PRIV_S);
        assert_true(hart.mstatus & MSTATUS_SPIE);
        assert_false(hart.mstatus & MSTATUS_SIE);
        assert_int_equal(hart.mcause, 0);
    }
}

static void machine_mode_never_delegates_its_own_traps(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    csr_write(&hart, CSR_medeleg, UINT64_MAX);
    trap_enter(&hart, TRAP_ILLEGAL, 0x1234, 0);
    assert_int_equal(hart.priv, PRIV_M);
    assert_int_equal(mpp(&hart), PRIV_M);
    assert_int_equal(hart.pc, 0x80001000);
}

static void vectored_mode_spreads_interrupts_but_not_exceptions(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_U);
    csr_write(&hart, CSR_mtvec, 0x80001001);
    csr_write(&hart, CSR_stvec, 0x80002001);
    csr_write(&hart, CSR_mideleg, BIT(IRQ_SSI));
    trap_enter(&hart, TRAP_INTERRUPT | IRQ_MTI, 0, 0);
    assert_int_equal(hart.pc, 0x80001000 + 4 * IRQ_MTI);
    hart.priv = PRIV_U;
    trap_enter(&hart, TRAP_ILLEGAL, 0, 0);
    assert_int_equal(hart.pc, 0x80001000);
    hart.priv = PRIV_U;
    trap_enter(&hart, TRAP_INTERRUPT | IRQ_SSI, 0, 0);
    assert_int_equal(hart.pc, 0x80002000 + 4 * IRQ_SSI);
    assert_int_equal(hart.scause, TRAP_INTERRUPT | IRQ_SSI);
}

/* ---- return ---------------------------------------------------------------------------------- */

static void mret_undoes_the_entry(void **state)
{
    (void)state;
    for (unsigned ie = 0; ie < 2; ie++) {
        struct hart hart = new_hart(PRIV_S);
        hart.mstatus |= ie ? MSTATUS_MIE : 0;
        trap_enter(&hart, TRAP_ILLEGAL, 0x4000, 0);
        assert_int_equal(trap_mret(&hart), TRAP_NONE);
        assert_int_equal(hart.priv, PRIV_S);
        assert_int_equal(hart.pc, 0x4000);
        assert_int_equal((hart.mstatus & MSTATUS_MIE) != 0, ie);
        assert_true(hart.mstatus & MSTATUS_MPIE);
        assert_int_equal(mpp(&hart), PRIV_U);
    }
}

static void sret_undoes_the_entry(void **state)
{
    (void)state;
    for (unsigned ie = 0; ie < 2; ie++) {
        struct hart hart = new_hart(PRIV_S);
        csr_write(&hart, CSR_medeleg, BIT(TRAP_BREAKPOINT));
        hart.mstatus |= ie ? MSTATUS_SIE : 0;
        trap_enter(&hart, TRAP_BREAKPOINT, 0x4000, 0);
        assert_int_equal(trap_sret(&hart), TRAP_NONE);
        assert_int_equal(hart.priv, PRIV_S);
        assert_int_equal(hart.pc, 0x4000);
        assert_int_equal((hart.mstatus & MSTATUS_SIE) != 0, ie);
        assert_true(hart.mstatus & MSTATUS_SPIE);
        assert_false(hart.mstatus & MSTATUS_SPP);
    }
}

static void returns_need_their_privilege(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    assert_int_equal(trap_mret(&hart), TRAP_ILLEGAL);
    hart.mstatus |= MSTATUS_TSR;
    assert_int_equal(trap_sret(&hart), TRAP_ILLEGAL);
    hart.priv = PRIV_M;
    assert_int_equal(trap_sret(&hart), TRAP_NONE);  /* TSR binds S-mode only */
    assert_int_equal(hart.priv, PRIV_U);
    assert_int_equal(trap_sret(&hart), TRAP_ILLEGAL);
}

static void leaving_machine_mode_clears_mprv(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.mstatus |= MSTATUS_MPRV | MSTATUS_MPP;
    trap_mret(&hart);
    assert_int_equal(hart.priv, PRIV_M);
    assert_true(hart.mstatus & MSTATUS_MPRV);
    trap_mret(&hart);
    assert_int_equal(hart.priv, PRIV_U);
    assert_false(hart.mstatus & MSTATUS_MPRV);
    hart = new_hart(PRIV_M);
    hart.mstatus |= MSTATUS_MPRV | MSTATUS_SPP;
    trap_sret(&hart);
    assert_int_equal(hart.priv, PRIV_S);
    assert_false(hart.mstatus & MSTATUS_MPRV);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void interrupts_come_in_the_order_of_the_manual(void **state)
{
    (void)state;
    static const unsigned order[] = {IRQ_MEI, IRQ_MSI, IRQ_MTI,   IRQ_SEI,
                                     IRQ_SSI, IRQ_STI, IRQ_LCOFI, IRQ_INDICATOR};
    struct hart hart = new_hart(PRIV_U);
    csr_write(&hart, CSR_mie, UINT64_MAX);
    hart.irq_lines = UINT64_MAX;
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(trap_pending_interrupt(&hart), order[i]);
        hart.irq_lines &= ~BIT(order[i]);
    }
    assert_int_equal(trap_pending_interrupt(&hart), -1);
}

static void undelegated_interrupts_come_before_delegated_ones(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_U);
    csr_write(&hart, CSR_mie, BIT(IRQ_SEI) | BIT(IRQ_LCOFI));
    csr_write(&hart, CSR_mideleg, BIT(IRQ_SEI));
    hart.irq_lines = BIT(IRQ_SEI) | BIT(IRQ_LCOFI);
    assert_int_equal(trap_pending_interrupt(&hart), IRQ_LCOFI);
}

/* Taken below its mode always, at its mode with the enable, above it never. */
static void global_enables_count_only_in_their_own_mode(void **state)
{
    (void)state;
    for (unsigned delegated = 0; delegated < 2; delegated++) {
        for (unsigned priv = PRIV_U; priv <= PRIV_M; priv += priv == PRIV_S ? 2 : 1) {
            for (unsigned enabled = 0; enabled < 2; enabled++) {
                struct hart hart = new_hart(priv);
                unsigned home = delegated ? PRIV_S : PRIV_M;
                csr_write(&hart, CSR_mideleg, delegated ? BIT(IRQ_SSI) : 0);
                csr_write(&hart, CSR_mie, BIT(IRQ_SSI));
                hart.mip_software = BIT(IRQ_SSI);
                hart.mstatus |= !enabled ? 0 : delegated ? MSTATUS_SIE : MSTATUS_MIE;
                bool expected = priv < home || (priv == home && enabled);
                assert_int_equal(trap_pending_interrupt(&hart), expected ? IRQ_SSI : -1);
            }
        }
    }
}

static void waiting_ends_for_an_enabled_interrupt_even_when_none_is_taken(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.irq_lines = BIT(IRQ_MTI);
    assert_false(trap_wakes(&hart));
    csr_write(&hart, CSR_mie, BIT(IRQ_MTI));
    assert_true(trap_wakes(&hart));
    assert_int_equal(trap_pending_interrupt(&hart), -1);
    hart.waiting = true;
    hart.mstatus |= MSTATUS_MIE;
    trap_enter(&hart, TRAP_INTERRUPT | IRQ_MTI, 0, 0);
    assert_false(hart.waiting);
}

static void the_supervisor_timer_follows_its_comparator(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    csr_write(&hart, CSR_stimecmp, 100);
    trap_update_timer(&hart, 200);
    assert_false(trap_mip(&hart) & BIT(IRQ_STI));       /* not switched on */
    csr_write(&hart, CSR_menvcfg, MENVCFG_STCE);
    trap_update_timer(&hart, 99);
    assert_false(trap_mip(&hart) & BIT(IRQ_STI));
    trap_update_timer(&hart, 100);
    assert_true(trap_mip(&hart) & BIT(IRQ_STI));
    csr_write(&hart, CSR_stimecmp, 101);
    trap_update_timer(&hart, 100);
    assert_false(trap_mip(&hart) & BIT(IRQ_STI));
}

/* ---- the monitor ----------------------------------------------------------------------------- */

static void the_monitor_enters_and_returns_without_touching_the_guests_trap_state(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    hart.monitor_vector = 0x80ff0000;
    hart.pc = 0x4444;
    struct hart before = hart;
    trap_enter_monitor(&hart, IRQ_INDICATOR, 0x4444);
    assert_true(hart.in_monitor);
    assert_int_equal(hart.pc, 0x80ff0000);
    assert_int_equal(hart.priv, PRIV_M);
    assert_int_equal(hart.monitor_cause, IRQ_INDICATOR);
    assert_int_equal(trap_return_monitor(&hart), TRAP_NONE);
    assert_int_equal(hart.pc, 0x4444);
    assert_int_equal(hart.priv, PRIV_S);
    before.monitor_cause = hart.monitor_cause;
    before.monitor_epc = hart.monitor_epc;
    before.monitor_status = hart.monitor_status;
    assert_memory_equal(&hart, &before, sizeof hart);
}

static void nothing_interrupts_the_monitor(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_U);
    hart.monitor_vector = 0x80ff0000;
    csr_write(&hart, CSR_mie, UINT64_MAX);
    hart.irq_lines = UINT64_MAX;
    assert_int_equal(trap_pending_interrupt(&hart), IRQ_MEI);
    hart.mstatus |= MSTATUS_MIE;
    hart.waiting = true;
    trap_enter_monitor(&hart, IRQ_LCOFI, 0x4000);
    assert_false(hart.waiting);
    assert_int_equal(trap_pending_interrupt(&hart), -1);
    trap_enter_monitor(&hart, IRQ_INDICATOR, 0x5000);
    assert_int_equal(hart.monitor_epc, 0x4000);
    assert_int_equal(trap_mret(&hart), TRAP_ILLEGAL);
    assert_int_equal(trap_sret(&hart), TRAP_ILLEGAL);
}

static void a_reserved_privilege_in_the_monitors_status_returns_to_the_least(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.monitor_vector = 0x80ff0000;
    trap_enter_monitor(&hart, IRQ_LCOFI, 0x4000);
    hart.monitor_status = 2;
    assert_int_equal(trap_return_monitor(&hart), TRAP_NONE);
    assert_int_equal(hart.priv, PRIV_U);
}

static void without_a_monitor_there_is_no_entry_and_no_return(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M), before = hart;
    trap_enter_monitor(&hart, IRQ_LCOFI, 0x4000);
    assert_memory_equal(&hart, &before, sizeof hart);
    assert_int_equal(trap_return_monitor(&hart), TRAP_ILLEGAL);
}

static void every_cause_has_its_own_name(void **state)
{
    (void)state;
    assert_string_equal(trap_name(TRAP_STORE_PAGE), "store page fault");
    assert_string_equal(trap_name(TRAP_INTERRUPT | IRQ_MTI), "machine timer interrupt");
    assert_string_equal(trap_name(10), "unknown trap");
    assert_string_equal(trap_name(TRAP_INTERRUPT | 63), "unknown trap");
    for (uint64_t a = 0; a < 64; a++) {
        for (uint64_t b = 0; b < a; b++) {
            bool is_same = strcmp(trap_name(a), trap_name(b)) == 0;
            assert_true(!is_same || strcmp(trap_name(a), "unknown trap") == 0);
        }
    }
}

static void a_hart_that_is_led_takes_what_it_is_told(void **state)
{
    (void)state;
    struct hart hart;
    hart_reset(&hart, 0, 0, 0);
    hart.mie = UINT64_C(1) << IRQ_MTI;
    hart.mstatus = MSTATUS_MIE;
    hart.irq_lines = UINT64_C(1) << IRQ_MTI;
    hart_lead(&hart, HART_LED);
    assert_int_equal(trap_pending_interrupt(&hart), -1);
    assert_true(trap_wakes(&hart));                 /* as the line says */
    hart.irq_lines = 0;
    assert_false(trap_wakes(&hart));
    hart_lead(&hart, IRQ_MSI);
    assert_int_equal(trap_pending_interrupt(&hart), IRQ_MSI);
    assert_true(trap_wakes(&hart));
    hart_lead(&hart, HART_LED);
    assert_int_equal(trap_pending_interrupt(&hart), -1);
    assert_int_equal(hart.irq_lines, 0);
    hart.irq_lines = UINT64_C(1) << IRQ_MTI;
    hart_lead(&hart, HART_NOT_LED);
    assert_int_equal(trap_pending_interrupt(&hart), IRQ_MTI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hart_that_is_led_takes_what_it_is_told),
        cmocka_unit_test(an_exception_enters_machine_mode_and_stacks_the_status),
        cmocka_unit_test(a_delegated_exception_enters_supervisor_mode),
        cmocka_unit_test(machine_mode_never_delegates_its_own_traps),
        cmocka_unit_test(vectored_mode_spreads_interrupts_but_not_exceptions),
        cmocka_unit_test(mret_undoes_the_entry),
        cmocka_unit_test(sret_undoes_the_entry),
        cmocka_unit_test(returns_need_their_privilege),
        cmocka_unit_test(leaving_machine_mode_clears_mprv),
        cmocka_unit_test(interrupts_come_in_the_order_of_the_manual),
        cmocka_unit_test(undelegated_interrupts_come_before_delegated_ones),
        cmocka_unit_test(global_enables_count_only_in_their_own_mode),
        cmocka_unit_test(waiting_ends_for_an_enabled_interrupt_even_when_none_is_taken),
        cmocka_unit_test(the_supervisor_timer_follows_its_comparator),
        cmocka_unit_test(the_monitor_enters_and_returns_without_touching_the_guests_trap_state),
        cmocka_unit_test(nothing_interrupts_the_monitor),
        cmocka_unit_test(a_reserved_privilege_in_the_monitors_status_returns_to_the_least),
        cmocka_unit_test(without_a_monitor_there_is_no_entry_and_no_return),
        cmocka_unit_test(every_cause_has_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
