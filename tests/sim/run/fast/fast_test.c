/* The fast engine's contract: quotas, precise traps and interrupts, code that changes, address
 * spaces that change, floating-point state. */
#include "tests/sim/run/fast/fast_bench.h"

/* ---- quotas and counters --------------------------------------------------------------------- */

static void a_quota_is_met_to_the_instruction(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), addi(A1, A1, 2), add(A2, A0, A1), bne(A0, ZERO, -12));
    for (uint64_t insns = 1, done = 0; insns < 120; insns++) {
        run(b, insns);
        done += insns;
        assert_int_equal(b->events[EVENT_INSNS_RETIRED], done);
        assert_int_equal(b->events[EVENT_CYCLES], done);
        assert_int_equal(b->reg[A0], (done + 3) / 4);
        assert_int_equal(b->hart->pc, CODE + done % 4 * 4);
    }
}

static void counters_are_exact_in_the_middle_of_a_block(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, NOP, NOP, csrrs(A0, CSR_minstret, ZERO), NOP,
            csrrs(A1, CSR_mcycle, ZERO), add(ZERO, A0, A0), csrrs(A2, CSR_minstret, ZERO));
    run(b, 7);
    assert_int_equal(b->reg[A0], 2);
    assert_int_equal(b->reg[A1], 4);
    assert_int_equal(b->reg[A2], 6);
}

static void a_counter_overflows_at_the_very_instruction(void **state)
{
    struct bench *b = *state;
    b->reg[A0] = (uint64_t)-(int64_t)10;        /* the event is selected first, then the value */
    b->reg[A1] = EVENT_INSNS_RETIRED;
    b->reg[A2] = LINE(IRQ_LCOFI);
    b->hart->mstatus |= MSTATUS_MIE;
    PROGRAM(&b->board, CODE, csrrs(ZERO, CSR_mie, A2), csrrw(ZERO, CSR_mhpmevent3, A1),
            csrrw(ZERO, CSR_mhpmcounter3, A0), addi(A3, A3, 1), addi(A3, A3, 1), jal(ZERO, -8));
    PROGRAM(&b->board, HANDLER, jal(ZERO, 0));
    run(b, 3 + 10 + 100);
    assert_int_equal(b->hart->mcause, TRAP_INTERRUPT | IRQ_LCOFI);
    assert_int_equal(b->hart->mepc, CODE + 16);
    assert_int_equal(b->reg[A3], 7);            /* 10 instructions: 7 of 3 a round */
}

/* ---- traps and interrupts -------------------------------------------------------------------- */

static void a_fault_in_a_block_is_precise(void **state)
{
    struct bench *b = *state;
    b->reg[A1] = 0x1000;
    PROGRAM(&b->board, CODE, addi(A0, ZERO, 1), ld(A2, A1, 8), addi(A0, ZERO, 2));
    PROGRAM(&b->board, HANDLER, addi(A4, ZERO, 9));
    run(b, 2);
    assert_int_equal(b->reg[A0], 1);
    assert_int_equal(b->reg[A4], 9);
    assert_int_equal(b->hart->mepc, CODE + 4);
    assert_int_equal(b->hart->mtval, 0x1008);
    assert_int_equal(b->hart->mcause, TRAP_LOAD_ACCESS);
    assert_int_equal(b->events[EVENT_TRAPS], 1);
}

static void host_calls_stop_at_the_call(void **state)
{
    struct bench *b = *state;
    pmp_open(b->hart);
    b->board.cpu.host_serves_traps = true;
    set_privilege(&b->board, PRIV_U);
    PROGRAM(&b->board, CODE, addi(A7, ZERO, 93), ECALL, addi(A0, ZERO, 5));
    assert_int_equal(fast_run(b->fast, 100), STOP_HOST_CALL);
    assert_int_equal(b->hart->pc, CODE + 4);
    assert_int_equal(b->events[EVENT_INSNS_RETIRED], 1);
    b->hart->pc += 4;
    run(b, 1);
    assert_int_equal(b->reg[A0], 5);
}

static void a_program_without_a_handler_stops(void **state)
{
    struct bench *b = *state;
    b->hart->mtvec = 0;
    PROGRAM(&b->board, CODE, NOP, ILLEGAL_WORD);
    assert_int_equal(fast_run(b->fast, 100), STOP_TRAP);
    assert_int_equal(b->board.cpu.stop_cause, TRAP_ILLEGAL);
    assert_int_equal(b->board.cpu.stop_pc, CODE + 4);
}

/* A clock of one cycle a tick with an alarm. */
struct alarm { struct bench *bench; uint64_t at; };

static void sync_alarm(void *arg)
{
    struct alarm *alarm = arg;
    if (alarm->bench->events[EVENT_CYCLES] >= alarm->at)
        alarm->bench->hart->irq_lines |= LINE(IRQ_MTI);
}

static uint64_t next_alarm(void *arg)
{
    struct alarm *alarm = arg;
    uint64_t now = alarm->bench->events[EVENT_CYCLES];
    return alarm->at > now ? alarm->at - now : UINT64_MAX;
}

static void a_timer_interrupts_at_its_cycle(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), addi(A0, A0, 1), jal(ZERO, -8));
    PROGRAM(&b->board, HANDLER, jal(ZERO, 0));
    b->hart->mie = LINE(IRQ_MTI);
    b->hart->mstatus |= MSTATUS_MIE;
    for (uint64_t at = 50; at < 60; at++) {
        struct alarm alarm = {b, b->events[EVENT_CYCLES] + at};
        b->board.cpu.time_arg = &alarm;
        b->board.cpu.sync_time = sync_alarm;
        b->board.cpu.next_alarm = next_alarm;
        b->hart->pc = CODE;
        b->reg[A0] = 0;
        run(b, 200);
        assert_int_equal(b->hart->mcause, TRAP_INTERRUPT | IRQ_MTI);
        assert_int_equal(b->reg[A0], at - at / 3);
        assert_int_equal(b->hart->mepc, CODE + at % 3 * 4);
        b->hart->irq_lines = 0;
        b->hart->mstatus |= MSTATUS_MIE;
    }
}

static void waiting_stops_until_something_is_pending(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, WFI, addi(A0, ZERO, 1));
    b->hart->mie = LINE(IRQ_MSI);
    assert_int_equal(fast_run(b->fast, 100), STOP_WAITING);
    assert_int_equal(fast_run(b->fast, 100), STOP_WAITING);
    assert_int_equal(b->events[EVENT_INSNS_RETIRED], 1);
    b->hart->irq_lines = LINE(IRQ_MSI);
    run(b, 1);
    assert_int_equal(b->reg[A0], 1);
}

/* ---- code that changes ----------------------------------------------------------------------- */

static void modified_code_runs_after_fence_i(void **state)
{
    struct bench *b = *state;
    b->reg[A1] = CODE + 12;
    b->reg[A2] = addi(A0, A0, 16);
    PROGRAM(&b->board, CODE, jal(ZERO, 12), sw(A2, A1, 0), FENCE_I, addi(A0, A0, 1),
            bne(A0, ZERO, -12));
    run(b, 3);                                  /* jump, old instruction, branch back */
    assert_int_equal(b->reg[A0], 1);
    run(b, 4);
    assert_int_equal(b->reg[A0], 17);
}

static void a_page_written_before_it_held_code_is_watched_too(void **state)
{
    struct bench *b = *state;
    b->reg[A1] = DATA;
    b->reg[A2] = addi(A0, A0, 1);
    b->reg[A3] = addi(A0, A0, 16);
    b->reg[A4] = jalr(ZERO, RA, 0);
    PROGRAM(&b->board, CODE, sw(A2, A1, 0), sw(A4, A1, 4), jalr(RA, A1, 0), sw(A3, A1, 0), FENCE_I,
            jalr(RA, A1, 0));
    run(b, 3 + 2 + 3 + 2);
    assert_int_equal(b->reg[A0], 17);
}

static void data_beside_code_is_stored_fast_and_right(void **state)
{
    struct bench *b = *state;
    b->reg[A1] = CODE + 0x800;
    PROGRAM(&b->board, CODE, addi(A0, A0, 1), sd(A0, A1, 0), ld(A2, A1, 0), jal(ZERO, -12));
    run(b, 4000);
    assert_int_equal(b->reg[A2], 1000);
    assert_int_equal(get64(&b->board, CODE + 0x800), 1000);
}

static void host_changes_are_seen_after_a_flush(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, addi(A0, ZERO, 1), jal(ZERO, -4));
    run(b, 20);
    PROGRAM(&b->board, CODE, addi(A0, ZERO, 2));
    fast_flush(b->fast);
    run(b, 2);
    assert_int_equal(b->reg[A0], 2);
}

static void one_engines_fence_drops_the_code_of_all(void **state)
{
    struct bench *b = *state;
    static struct cpu other;
    struct fast *engines[3] = {b->fast, NULL, NULL};
    assert_true(cpu_init(&other, &b->board.config, &b->board.phys, 1));
    engines[2] = fast_new(&other);
    fast_set_peers(b->fast, engines, 3);
    fast_set_peers(engines[2], engines, 3);
    other.hart.pc = CODE + 0x100;
    PROGRAM(&b->board, CODE + 0x100, addi(A0, ZERO, 1), jal(ZERO, -4));
    assert_int_equal(fast_run(engines[2], 20), STOP_QUOTA);
    b->reg[A1] = CODE + 0x100;
    b->reg[A2] = addi(A0, ZERO, 2);
    PROGRAM(&b->board, CODE, sw(A2, A1, 0), FENCE_I);
    run(b, 2);
    assert_int_equal(fast_run(engines[2], 2), STOP_QUOTA);
    assert_int_equal(other.hart.reg[A0], 2);
    fast_set_peers(b->fast, engines, 1);
    fast_free(engines[2]);
    cpu_free(&other);
}

/* ---- address spaces that change -------------------------------------------------------------- */

enum { PTE_USER_RWX = 0xdf, PTE_TABLE = 1 };
#define VA UINT64_C(0x400000)

static uint64_t pte(uint64_t pa, unsigned flags)
{
    return pa >> 12 << 10 | flags;
}

/* Maps the two pages at VA; the tables take three pages from `tables` on. */
static void map_code(struct bench *b, uint64_t tables, uint64_t first_pa, uint64_t second_pa)
{
    put64(&b->board, tables, pte(tables + 0x1000, PTE_TABLE));
    put64(&b->board, tables + 0x1000 + (VA >> 21 & 511) * 8, pte(tables + 0x2000, PTE_TABLE));
    put64(&b->board, tables + 0x2000 + (VA >> 12 & 511) * 8, pte(first_pa, PTE_USER_RWX));
    put64(&b->board, tables + 0x2000 + (VA >> 12 & 511) * 8 + 8, pte(second_pa, PTE_USER_RWX));
}

static void use_tables(struct bench *b, uint64_t tables)
{
    b->hart->satp = (uint64_t)SATP_SV39 << SATP_MODE_SHIFT | tables >> PHYS_PAGE_BITS;
    mmu_flush(&b->board.cpu.mmu);
    fast_translation_changed(b->fast);
}

static void enter_user(struct bench *b, uint64_t pc)
{
    pmp_open(b->hart);
    b->hart->pc = pc;
    b->board.cpu.host_serves_traps = true;
    set_privilege(&b->board, PRIV_U);
}

static void remapped_code_runs_in_its_new_place(void **state)
{
    struct bench *b = *state;
    map_code(b, TABLES, DATA, DATA + 0x1000);
    map_code(b, TABLES + 0x4000, DATA + 0x1000, DATA);
    PROGRAM(&b->board, DATA, addi(A0, A0, 1), jal(ZERO, -4));
    PROGRAM(&b->board, DATA + 0x1000, addi(A0, A0, 16), jal(ZERO, -4));
    enter_user(b, VA);
    for (unsigned round = 0; round < 3; round++) {
        use_tables(b, round % 2 == 0 ? TABLES : TABLES + 0x4000);
        b->hart->pc = VA;
        b->reg[A0] = 0;
        run(b, 20);
        assert_int_equal(b->reg[A0], round % 2 == 0 ? 10 : 160);
    }
}

static void an_instruction_across_pages_follows_both(void **state)
{
    struct bench *b = *state;
    const uint32_t one = addi(A0, A0, 1), sixteen = addi(A0, A0, 16);
    uint64_t first = DATA, second = DATA + 0x3000, third = DATA + 0x5000;
    phys_copy_in(&b->board.phys, first + 0xffe, &one, 2);
    phys_copy_in(&b->board.phys, second, (const char *)&one + 2, 2);
    phys_copy_in(&b->board.phys, third, (const char *)&sixteen + 2, 2);
    put32(&b->board, second + 2, jal(ZERO, -4));
    put32(&b->board, third + 2, jal(ZERO, -4));
    enter_user(b, VA + 0xffe);
    map_code(b, TABLES, first, second);
    use_tables(b, TABLES);
    run(b, 200);
    assert_int_equal(b->reg[A0], 100);
    map_code(b, TABLES, first, third);
    use_tables(b, TABLES);
    run(b, 200);
    assert_int_equal(b->reg[A0], 100 + 1600);
    put64(&b->board, TABLES + 0x2000 + (VA >> 12 & 511) * 8 + 8, 0);
    use_tables(b, TABLES);
    assert_int_equal(fast_run(b->fast, 200), STOP_HOST_CALL);
    assert_int_equal(b->board.cpu.stop_cause, TRAP_FETCH_PAGE);
    assert_int_equal(b->board.cpu.stop_pc, VA + 0xffe);
    assert_int_equal(b->board.cpu.stop_tval, VA + 0x1000);
}

static void changing_half_of_an_instruction_across_pages_is_seen(void **state)
{
    struct bench *b = *state;
    const uint32_t one = addi(A0, A0, 1), sixteen = addi(A0, A0, 16);
    phys_copy_in(&b->board.phys, CODE + 0xffe, &one, 4);
    PROGRAM(&b->board, CODE + 0x1002, FENCE_I, jal(ZERO, -8));
    b->hart->pc = CODE + 0xffe;
    run(b, 30);
    assert_int_equal(b->reg[A0], 10);
    phys_copy_in(&b->board.phys, CODE + 0x1000, (const char *)&sixteen + 2, 2);
    run(b, 3);                                  /* the old one, fence.i, jump */
    run(b, 30);
    assert_int_equal(b->reg[A0], 11 + 160);
}

/* ---- floating point -------------------------------------------------------------------------- */

static void floating_point_needs_its_state(void **state)
{
    struct bench *b = *state;
    PROGRAM(&b->board, CODE, fmv_d_x(1, A0));
    PROGRAM(&b->board, HANDLER, NOP);
    run(b, 1);
    assert_int_equal(b->hart->mcause, TRAP_ILLEGAL);
    assert_int_equal(b->hart->mtval, fmv_d_x(1, A0));
    b->hart->mstatus |= UINT64_C(1) << MSTATUS_FS_SHIFT;
    b->hart->pc = CODE;
    run(b, 1);
    assert_int_equal(b->hart->mstatus & MSTATUS_FS, MSTATUS_FS);
}

static void dynamic_rounding_follows_frm(void **state)
{
    struct bench *b = *state;
    b->hart->mstatus |= MSTATUS_FS;
    b->reg[REG_F0 + 1] = 0x3ff0000000000000;    /* 1 */
    b->reg[REG_F0 + 2] = 0x4008000000000000;    /* 3 */
    PROGRAM(&b->board, CODE, fdiv_d(3, 1, 2, 7), csrrwi(ZERO, CSR_frm, 3), fdiv_d(4, 1, 2, 7),
            fdiv_d(5, 1, 2, 0), csrrwi(ZERO, CSR_frm, 5), fdiv_d(6, 1, 2, 7));
    PROGRAM(&b->board, HANDLER, NOP);
    run(b, 5);
    assert_int_equal(b->reg[REG_F0 + 3], 0x3fd5555555555555);
    assert_int_equal(b->reg[REG_F0 + 4], 0x3fd5555555555556);
    assert_int_equal(b->reg[REG_F0 + 5], 0x3fd5555555555555);
    assert_int_equal(b->hart->fflags, 1);
    run(b, 1);
    assert_int_equal(b->hart->mcause, TRAP_ILLEGAL);
    assert_int_equal(b->hart->mepc, CODE + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_quota_is_met_to_the_instruction),
        TEST(counters_are_exact_in_the_middle_of_a_block),
        TEST(a_counter_overflows_at_the_very_instruction),
        TEST(a_fault_in_a_block_is_precise),
        TEST(host_calls_stop_at_the_call),
        TEST(a_program_without_a_handler_stops),
        TEST(a_timer_interrupts_at_its_cycle),
        TEST(waiting_stops_until_something_is_pending),
        TEST(modified_code_runs_after_fence_i),
        TEST(a_page_written_before_it_held_code_is_watched_too),
        TEST(data_beside_code_is_stored_fast_and_right),
        TEST(host_changes_are_seen_after_a_flush),
        TEST(one_engines_fence_drops_the_code_of_all),
        TEST(remapped_code_runs_in_its_new_place),
        TEST(an_instruction_across_pages_follows_both),
        TEST(changing_half_of_an_instruction_across_pages_is_seen),
        TEST(floating_point_needs_its_state),
        TEST(dynamic_rounding_follows_frm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
