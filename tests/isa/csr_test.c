/* Control and status registers: the modes that may access them, and their values after writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "pmu/abi.h"

#define BIT(n) (UINT64_C(1) << (n))

static struct hart new_hart(unsigned priv)
{
    struct hart hart;
    hart_reset(&hart, 3, 0x80000000, 0x87000000);
    hart.priv = (uint8_t)priv;
    return hart;
}

static uint64_t written(struct hart *hart, unsigned number, uint64_t value)
{
    csr_write(hart, number, value);
    return csr_read(hart, number);
}

static bool may_read(const struct hart *hart, unsigned number)
{
    return csr_is_allowed(hart, number, false);
}

/* ---- which exist, who may -------------------------------------------------------------------- */

static void the_table_agrees_with_itself(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned number = 0; number < 4096; number++) {
        assert_int_equal(csr_owner(number) == CSR_NONE, csr_name(number) == NULL);
        count += csr_owner(number) != CSR_NONE;
    }
    unsigned rows = 0;
#define CSR(number, name, owner, guard, rule)          \
    assert_string_equal(csr_name(number), #name);      \
    assert_int_equal(csr_owner(number), CSR_##owner);  \
    rows++;
#include "isa/csr.def"
#undef CSR
    assert_int_equal(count, rows);      /* no two rows have one number */
    assert_int_equal(csr_owner(4096), CSR_NONE);
    assert_null(csr_name(4096));
}

static void profiling_registers_are_where_the_contract_puts_them(void **state)
{
    (void)state;
    static const struct { unsigned number; const char *name; } contract[] = {
        {CSR_PROF_MODE, "prof_mode"},     {CSR_PROF_SMODE, "prof_smode"},
        {CSR_MON_VECTOR, "mon_vector"},   {CSR_MON_EPC, "mon_epc"},
        {CSR_MON_CAUSE, "mon_cause"},     {CSR_MON_STATUS, "mon_status"},
        {CSR_MON_SCRATCH, "mon_scratch"}, {CSR_PROF_INDEX, "prof_index"},
        {CSR_PROF_DATA, "prof_data"},     {CSR_IND_IADDR, "ind_iaddr"},
        {CSR_IND_DADDR, "ind_daddr"},     {CSR_IND_COUNT, "ind_count"},
        {CSR_IND_CYCLES, "ind_cycles"},   {CSR_IND_FLAGS, "ind_flags"},
        {CSR_PROF_LINES, "prof_lines"},   {CSR_PROF_DATAH, "prof_datah"},
        {CSR_IND_COUNTH, "ind_counth"},   {CSR_IND_CYCLESH, "ind_cyclesh"},
        {CSR_PROF_THREAD, "prof_thread"}, {CSR_PROF_TOGGLE, "prof_toggle"},
        {CSR_PROF_LIMITS, "prof_limits"}, {CSR_PROF_LIMIT, "prof_limit"},
        {CSR_PROF_LIMIT_DATA, "prof_limit_data"}, {CSR_PROF_SINDEX, "prof_sindex"},
        {CSR_PROF_SDATA, "prof_sdata"},   {CSR_PROF_SDATAH, "prof_sdatah"},
        {CSR_PROF_OWN, "prof_own"},
    };
    for (size_t i = 0; i < sizeof contract / sizeof *contract; i++) {
        assert_int_equal(csr_owner(contract[i].number), CSR_PROFILE);
        assert_string_equal(csr_name(contract[i].number), contract[i].name);
    }
}

static void the_number_of_a_csr_gives_the_modes_that_may_access_it(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.mstatus |= MSTATUS_FS;
    hart.mcounteren = hart.scounteren = 0xffffffff;
    hart.menvcfg = MENVCFG_STCE | MENVCFG_CDE;
    for (unsigned number = 0; number < 4096; number++) {
        bool is_high_half;
        csr_whole(number, &is_high_half);
        for (unsigned priv = PRIV_U; priv <= PRIV_M; priv += priv == PRIV_S ? 2 : 1) {
            hart.priv = (uint8_t)priv;
            bool exists = csr_name(number) != NULL && !is_high_half;
            bool is_high_enough = priv >= (number >> 8 & 3), is_read_only = number >> 10 == 3;
            assert_int_equal(may_read(&hart, number), exists && is_high_enough);
            assert_int_equal(csr_is_allowed(&hart, number, true),
                             exists && is_high_enough && !is_read_only);
        }
    }
}

static void counters_open_bit_by_bit(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        struct hart hart = new_hart(PRIV_M);
        unsigned number = CSR_cycle + i;
        assert_true(may_read(&hart, number));
        hart.priv = PRIV_S;
        hart.scounteren = BIT(i);
        assert_false(may_read(&hart, number));
        hart.mcounteren = BIT(i);
        assert_true(may_read(&hart, number));
        hart.priv = PRIV_U;
        assert_true(may_read(&hart, number));
        hart.scounteren = ~BIT(i);
        assert_false(may_read(&hart, number));
    }
}

static void floating_point_registers_need_fs(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    for (unsigned number = CSR_fflags; number <= CSR_fcsr; number++) {
        hart.mstatus &= ~MSTATUS_FS;
        assert_false(may_read(&hart, number));
        for (uint64_t fs = 1; fs <= 3; fs++) {
            hart.mstatus = (hart.mstatus & ~MSTATUS_FS) | fs << MSTATUS_FS_SHIFT;
            assert_true(may_read(&hart, number));
        }
    }
}

static void tvm_closes_satp_to_the_supervisor_only(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    assert_true(may_read(&hart, CSR_satp));
    hart.mstatus |= MSTATUS_TVM;
    assert_false(may_read(&hart, CSR_satp));
    hart.priv = PRIV_M;
    assert_true(may_read(&hart, CSR_satp));
}

static void the_supervisor_comparator_needs_stce_and_tm(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 4; bits++) {
        struct hart hart = new_hart(PRIV_S);
        hart.menvcfg = bits & 1 ? MENVCFG_STCE : 0;
        hart.mcounteren = bits & 2 ? BIT(1) : 0;
        assert_int_equal(may_read(&hart, CSR_stimecmp), bits == 3);
        hart.priv = PRIV_M;
        assert_true(may_read(&hart, CSR_stimecmp));
    }
}

static void an_installed_monitor_is_out_of_the_programs_reach(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    assert_true(csr_is_allowed(&hart, CSR_mon_vector, true));
    hart.monitor_vector = 0x80ff0000;
    for (unsigned number = CSR_mon_vector; number <= CSR_mon_scratch; number++) {
        hart.in_monitor = false;
        assert_false(may_read(&hart, number));
        hart.in_monitor = true;
        assert_true(csr_is_allowed(&hart, number, true));
    }
}

/* ---- legal values ---------------------------------------------------------------------------- */

/* After any write, the value read back can be written back: WARL fields hold legal values. */
static void any_value_read_can_be_written_back(void **state)
{
    (void)state;
    uint64_t random = 0x2545f4914f6cdd1d;
    struct hart hart = new_hart(PRIV_M);
    hart.mideleg = UINT64_MAX;
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned number = 0; number < 4096; number++) {
            if (csr_owner(number) != CSR_HART) {
                continue;
            }
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t value = round == 0 ? 0 : round == 1 ? UINT64_MAX : random;
            if (number == CSR_pmpcfg0 || number == CSR_pmpcfg2) {
                value &= 0x7f7f7f7f7f7f7f7f;    /* locks would end the experiment */
            }
            uint64_t first = written(&hart, number, value);
            assert_int_equal(written(&hart, number, first), first);
        }
    }
}

static void mstatus_keeps_legal_fields(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    uint64_t fixed = MSTATUS_UXL | MSTATUS_SXL;
    assert_int_equal(csr_read(&hart, CSR_mstatus), fixed);
    for (uint64_t priv = 0; priv < 4; priv++) {
        csr_write(&hart, CSR_mstatus, MSTATUS_MPP);
        uint64_t value = written(&hart, CSR_mstatus, priv << MSTATUS_MPP_SHIFT);
        assert_int_equal(value & MSTATUS_MPP, priv == 2 ? MSTATUS_MPP : priv << MSTATUS_MPP_SHIFT);
    }
    uint64_t all = written(&hart, CSR_mstatus, UINT64_MAX);
    assert_int_equal(all, fixed | MSTATUS_SD | 0x7e79aa);
    assert_int_equal(written(&hart, CSR_mstatus, 0), fixed);
    for (uint64_t fs = 0; fs < 4; fs++) {
        uint64_t value = written(&hart, CSR_mstatus, fs << MSTATUS_FS_SHIFT);
        assert_int_equal(value & MSTATUS_SD, fs == 3 ? MSTATUS_SD : 0);
    }
}

static void sstatus_is_a_window_on_mstatus(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    assert_int_equal(written(&hart, CSR_sstatus, UINT64_MAX), MSTATUS_UXL | MSTATUS_SD | 0xc6122);
    uint64_t machine = csr_read(&hart, CSR_mstatus);
    assert_int_equal(machine, MSTATUS_UXL | MSTATUS_SXL | MSTATUS_SD | 0xc6122);
    csr_write(&hart, CSR_mstatus, UINT64_MAX);
    csr_write(&hart, CSR_sstatus, 0);
    assert_int_equal(csr_read(&hart, CSR_mstatus),
                     MSTATUS_UXL | MSTATUS_SXL | (0x7e79aa & ~0xc6122));
}

static void trap_vectors_know_two_modes(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    static const unsigned vectors[] = {CSR_mtvec, CSR_stvec};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(written(&hart, vectors[i], 0x80001001), 0x80001001);
        assert_int_equal(written(&hart, vectors[i], 0x80002002), 0x80002001);
        assert_int_equal(written(&hart, vectors[i], 0x80003000), 0x80003000);
        assert_int_equal(written(&hart, vectors[i], 0x80004003), 0x80004000);
    }
}

static void satp_ignores_a_mode_it_does_not_know(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    uint64_t sv39 = UINT64_C(8) << 60 | 0x123456, sv48 = UINT64_C(9) << 60 | 0x1abcd00001;
    assert_int_equal(csr_write(&hart, CSR_satp, sv39), CSR_EFFECT_TRANSLATION);
    assert_int_equal(csr_read(&hart, CSR_satp), sv39);
    assert_int_equal(csr_write(&hart, CSR_satp, UINT64_C(10) << 60 | 7), CSR_EFFECT_NONE);
    assert_int_equal(csr_read(&hart, CSR_satp), sv39);
    assert_int_equal(written(&hart, CSR_satp, sv48), sv48);
    assert_int_equal(written(&hart, CSR_satp, 0), 0);
}

static void fixed_registers_stay(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    uint64_t misa = csr_read(&hart, CSR_misa);
    assert_int_equal(misa, UINT64_C(2) << 62 | BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(5) | BIT(8) |
                               BIT(12) | BIT(18) | BIT(20));
    assert_int_equal(written(&hart, CSR_misa, 0), misa);
    assert_int_equal(csr_read(&hart, CSR_mhartid), 3);
    static const unsigned zero[] = {CSR_mvendorid, CSR_marchid, CSR_mimpid, CSR_mconfigptr,
                                    CSR_tselect,   CSR_tdata1,  CSR_tdata2, CSR_tdata3};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        assert_int_equal(written(&hart, zero[i], UINT64_MAX), 0);
    }
}

static void exception_pcs_are_even_and_delegation_has_its_mask(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    assert_int_equal(written(&hart, CSR_mepc, 0x1235), 0x1234);
    assert_int_equal(written(&hart, CSR_sepc, 0x1237), 0x1236);
    assert_int_equal(written(&hart, CSR_medeleg, UINT64_MAX), 0xb3ff);
    assert_int_equal(written(&hart, CSR_mideleg, UINT64_MAX),
                     BIT(1) | BIT(5) | BIT(9) | BIT(13) | BIT(24));
    assert_int_equal(written(&hart, CSR_mie, UINT64_MAX), BIT(24) | 0x2aaa);
    assert_int_equal(written(&hart, CSR_mcounteren, UINT64_MAX), 0xffffffff);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void software_sets_some_pending_bits(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    assert_int_equal(written(&hart, CSR_mip, UINT64_MAX), BIT(1) | BIT(5) | BIT(9) | BIT(13));
    hart.irq_lines = BIT(IRQ_MTI);
    assert_int_equal(written(&hart, CSR_mip, 0), BIT(IRQ_MTI));
}

static void the_supervisor_sees_and_sets_what_is_delegated(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_S);
    hart.irq_lines = BIT(IRQ_SEI) | BIT(IRQ_MTI) | BIT(IRQ_INDICATOR);
    assert_int_equal(written(&hart, CSR_sip, UINT64_MAX), 0);
    assert_int_equal(hart.mip_software, 0);
    csr_write(&hart, CSR_mideleg, BIT(1) | BIT(9) | BIT(13));
    assert_int_equal(written(&hart, CSR_sip, UINT64_MAX), BIT(1) | BIT(9) | BIT(13));
    assert_int_equal(hart.mip_software, BIT(1) | BIT(13));
    csr_write(&hart, CSR_mie, BIT(7));
    assert_int_equal(written(&hart, CSR_sie, UINT64_MAX), BIT(1) | BIT(9) | BIT(13));
    assert_int_equal(hart.mie, BIT(1) | BIT(7) | BIT(9) | BIT(13));
}

static void setting_a_bit_of_mip_does_not_freeze_the_external_line(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.irq_lines = BIT(IRQ_SEI);
    assert_int_equal(csr_read(&hart, CSR_mip), BIT(IRQ_SEI));
    csr_write(&hart, CSR_mip, csr_read_modify(&hart, CSR_mip) | BIT(IRQ_SSI));
    hart.irq_lines = 0;
    assert_int_equal(csr_read(&hart, CSR_mip), BIT(IRQ_SSI));
}

static void software_clears_the_overflow_interrupt_wherever_it_was_set(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    hart.irq_lines = BIT(IRQ_LCOFI);
    hart.mip_software = BIT(IRQ_LCOFI);
    assert_int_equal(written(&hart, CSR_mip, 0), 0);
}

static void the_comparator_takes_the_timer_bit_from_software(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    csr_write(&hart, CSR_mip, BIT(IRQ_STI));
    csr_write(&hart, CSR_menvcfg, UINT64_MAX);
    assert_int_equal(hart.menvcfg, MENVCFG_STCE | MENVCFG_CDE | MENVCFG_FIOM);
    assert_int_equal(csr_read(&hart, CSR_mip), 0);
    assert_int_equal(written(&hart, CSR_mip, BIT(IRQ_STI)), 0);
    hart.irq_lines = BIT(IRQ_STI);
    csr_write(&hart, CSR_menvcfg, 0);
    assert_int_equal(csr_read(&hart, CSR_mip), 0);
}

/* ---- floating point, effects, reset ---------------------------------------------------------- */

static void fcsr_is_made_of_frm_and_fflags_and_writing_makes_fs_dirty(void **state)
{
    (void)state;
    for (unsigned number = CSR_fflags; number <= CSR_fcsr; number++) {
        struct hart hart = new_hart(PRIV_M);
        hart.mstatus |= BIT(MSTATUS_FS_SHIFT);
        assert_int_equal(csr_write(&hart, number, 0), CSR_EFFECT_FP);
        assert_int_equal(hart.mstatus & MSTATUS_FS, MSTATUS_FS);
    }
    struct hart hart = new_hart(PRIV_M);
    assert_int_equal(written(&hart, CSR_fcsr, UINT64_MAX), 0xff);
    assert_int_equal(written(&hart, CSR_frm, 2), 2);
    assert_int_equal(written(&hart, CSR_fflags, 0x15), 0x15);
    assert_int_equal(csr_read(&hart, CSR_fcsr), 0x55);
}

static void writes_report_what_others_must_follow(void **state)
{
    (void)state;
    struct hart hart = new_hart(PRIV_M);
    assert_int_equal(csr_write(&hart, CSR_mscratch, 1), CSR_EFFECT_NONE);
    assert_int_equal(csr_write(&hart, CSR_pmpaddr7, 1), CSR_EFFECT_TRANSLATION);
    assert_int_equal(csr_write(&hart, CSR_pmpcfg0, 1), CSR_EFFECT_TRANSLATION);
    assert_int_equal(csr_write(&hart, CSR_mie, 8), CSR_EFFECT_INTERRUPTS);
    assert_int_equal(csr_write(&hart, CSR_stimecmp, 8), CSR_EFFECT_INTERRUPTS);
    assert_int_equal(csr_write(&hart, CSR_sstatus, MSTATUS_SUM), CSR_EFFECT_TRANSLATION);
    assert_int_equal(csr_write(&hart, CSR_sstatus, MSTATUS_SUM), CSR_EFFECT_NONE);
    assert_int_equal(csr_write(&hart, CSR_mstatus, MSTATUS_SUM | MSTATUS_MIE | MSTATUS_FS),
                     CSR_EFFECT_INTERRUPTS | CSR_EFFECT_FP);
}

static void reset_is_machine_mode_at_the_entry(void **state)
{
    (void)state;
    struct hart hart;
    memset(&hart, 0xa5, sizeof hart);
    hart_reset(&hart, 3, 0x80000000, 0x87000000);
    assert_int_equal(hart.priv, PRIV_M);
    assert_int_equal(hart.pc, 0x80000000);
    assert_int_equal(hart.reg[10], 3);
    assert_int_equal(hart.reg[11], 0x87000000);
    assert_true(hart_fp_is_off(&hart));
    assert_int_equal(hart.pmp_active, 0);
    assert_false(hart.in_monitor || hart.waiting || hart.reservation_valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_agrees_with_itself),
        cmocka_unit_test(profiling_registers_are_where_the_contract_puts_them),
        cmocka_unit_test(the_number_of_a_csr_gives_the_modes_that_may_access_it),
        cmocka_unit_test(counters_open_bit_by_bit),
        cmocka_unit_test(floating_point_registers_need_fs),
        cmocka_unit_test(tvm_closes_satp_to_the_supervisor_only),
        cmocka_unit_test(the_supervisor_comparator_needs_stce_and_tm),
        cmocka_unit_test(an_installed_monitor_is_out_of_the_programs_reach),
        cmocka_unit_test(any_value_read_can_be_written_back),
        cmocka_unit_test(mstatus_keeps_legal_fields),
        cmocka_unit_test(sstatus_is_a_window_on_mstatus),
        cmocka_unit_test(trap_vectors_know_two_modes),
        cmocka_unit_test(satp_ignores_a_mode_it_does_not_know),
        cmocka_unit_test(fixed_registers_stay),
        cmocka_unit_test(exception_pcs_are_even_and_delegation_has_its_mask),
        cmocka_unit_test(software_sets_some_pending_bits),
        cmocka_unit_test(the_supervisor_sees_and_sets_what_is_delegated),
        cmocka_unit_test(setting_a_bit_of_mip_does_not_freeze_the_external_line),
        cmocka_unit_test(software_clears_the_overflow_interrupt_wherever_it_was_set),
        cmocka_unit_test(the_comparator_takes_the_timer_bit_from_software),
        cmocka_unit_test(fcsr_is_made_of_frm_and_fflags_and_writing_makes_fs_dirty),
        cmocka_unit_test(writes_report_what_others_must_follow),
        cmocka_unit_test(reset_is_machine_mode_at_the_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
