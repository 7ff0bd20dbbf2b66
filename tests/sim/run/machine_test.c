/* Whole machines: loading, ends of all kinds, limits, engines, several harts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/csr.h"
#include "sim/run/machine.h"
#include "tests/sim/run/elf_file.h"
#include "tests/sim/run/encode.h"

#define TEXT (PHYS_RAM_BASE + 0x1000)
#define DIVU_A0_A1_A2 r_type(1, A2, A1, 5, A0, 0x33)
#define TOHOST (PHYS_RAM_BASE + 0x3000)
enum { TOHOST_PAGE = 0x80003, CLINT_PAGE = 0x2000, MIE_MTIE = 0x80 };

struct bench {
    struct config config;
    struct machine machine;
    FILE *console;
};

static int set_up(void **state)
{
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    config_init(&bench.config);
    bench.config.machine_memory_mib = 2;
    bench.console = tmpfile();
    *state = &bench;
    return bench.console == NULL;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    machine_free(&b->machine);
    fclose(b->console);
    return 0;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* lui sign-extends: a page number with bit 31 set needs its upper half cleared. */
#define ADDRESS(reg, page) lui(reg, page), slli(reg, reg, 32), srli(reg, reg, 32)
#define EXIT(code)                                                                                 \
    ADDRESS(T0, TOHOST_PAGE), addi(T1, ZERO, 2 * (code) + 1), sd(T1, T0, 0), jal(ZERO, 0)

static uint32_t srli(unsigned rd, unsigned rs1, unsigned by)
{
    return i_type(by, rs1, 5, rd, 0x13);
}

static enum err load(struct machine *machine, const struct elf_file *file, struct diag *diag)
{
    char path[] = "/tmp/machine_testXXXXXX";
    int fd = mkstemp(path);
    char *argv[] = {path, NULL};
    const struct program program = {.path = path, .argc = 1, .argv = argv};
    enum err err;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, file->bytes, sizeof file->bytes), sizeof file->bytes);
    close(fd);
    err = machine_load(machine, &program, diag);
    unlink(path);
    return err;
}

static void make(struct elf_file *file, const uint32_t *words, size_t bytes)
{
    elf_file_make(file, TEXT, PHYS_RAM_BASE + 0x5000);
    elf_file_add_symbol(file, "tohost", TOHOST, 8, STT_OBJECT, SHN_ABS);
    elf_file_add_symbol(file, "start", TEXT, 0x100, STT_FUNC, 1);
    assert_true(bytes <= 0x100);
    memcpy(&file->bytes[ELF_TEXT], words, bytes);
}

static void start_machine(struct bench *b, const uint32_t *words, size_t bytes)
{
    struct elf_file file;
    struct diag diag = {""};
    make(&file, words, bytes);
    assert_int_equal(machine_init(&b->machine, &b->config, &diag), ERR_OK);
    b->machine.engine = ENGINE_FAST;
    b->machine.io.out = b->console;
    assert_int_equal(load(&b->machine, &file, &diag), ERR_OK);
}

#define START(b, ...)                                                                              \
    do {                                                                                           \
        const uint32_t words[] = {__VA_ARGS__};                                                    \
        start_machine((b), words, sizeof words);                                                   \
    } while (0)

static const struct limits no_limits;

/* ---- ends ------------------------------------------------------------------------------------ */

static void the_guests_exit_code_is_the_result(void **state)
{
    struct bench *b = *state;
    START(b, EXIT(42));
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_EXIT);
    assert_int_equal(b->machine.result.exit_code, 42);
    assert_true(b->machine.ended);
}

static void the_console_gets_the_guests_characters(void **state)
{
    struct bench *b = *state;
    char text[8] = "";
    START(b, ADDRESS(T0, TOHOST_PAGE), addi(A0, ZERO, 0x101), slli(A0, A0, 48), addi(A0, A0, 'h'),
          sd(A0, T0, 0), addi(A0, A0, 1), sd(A0, T0, 0), EXIT(0));
    machine_run(&b->machine, &no_limits);
    rewind(b->console);
    assert_non_null(fgets(text, sizeof text, b->console));
    assert_string_equal(text, "hi");
}

static void an_unhandled_trap_says_what_where_and_why(void **state)
{
    struct bench *b = *state;
    START(b, NOP, ILLEGAL_WORD);
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_TRAP);
    assert_int_equal(b->machine.result.exit_code, 128 + 4);
    assert_string_equal(b->machine.result.text, "unhandled illegal instruction at pc 0x80001004 "
                                                "(start+0x4), tval 0x0");
}

static void a_hart_that_nothing_can_wake_ends_the_run(void **state)
{
    struct bench *b = *state;
    START(b, WFI, EXIT(0));
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_TRAP);
    assert_non_null(strstr(b->machine.result.text, "waits for an interrupt"));
}

static void waiting_for_the_timer_takes_guest_time_only(void **state)
{
    struct bench *b = *state;
    START(b, lui(T0, CLINT_PAGE + 4), lui(A0, 1000), sd(A0, T0, 0), addi(A1, ZERO, MIE_MTIE),
          csrrs(ZERO, CSR_mie, A1), WFI, csrrs(A2, CSR_time, ZERO), EXIT(0));
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_EXIT);
    assert_int_equal(b->machine.cpu[0].hart.reg[A2], 1000 << 12);
    uint64_t cycles = (UINT64_C(1000) << 12) * b->config.machine_timebase_divider;
    assert_in_range(machine_cycles(&b->machine), cycles, cycles + 100);
    assert_int_equal(machine_cycles(&b->machine) - machine_insns(&b->machine),
                     b->machine.cpu[0].pmu.events[EVENT_CYCLES_IDLE]);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void an_instruction_limit_is_exact_and_the_run_goes_on(void **state)
{
    struct bench *b = *state;
    struct limits limits = {.max_insns = 3};
    START(b, addi(A0, A0, 1), addi(A0, A0, 1), addi(A0, A0, 1), addi(A0, A0, 1), EXIT(7));
    machine_run(&b->machine, &limits);
    assert_int_equal(b->machine.result.reason, RESULT_MAX_INSNS);
    assert_int_equal(machine_insns(&b->machine), 3);
    assert_int_equal(b->machine.cpu[0].hart.reg[A0], 3);
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_EXIT);
    assert_int_equal(b->machine.result.exit_code, 7);
}

static void a_cycle_limit_ends_an_endless_loop(void **state)
{
    struct bench *b = *state;
    struct limits limits = {.max_cycles = 12345};
    START(b, jal(ZERO, 0));
    machine_run(&b->machine, &limits);
    assert_int_equal(b->machine.result.reason, RESULT_MAX_CYCLES);
    assert_int_equal(machine_cycles(&b->machine), 12345);
}

static void a_time_limit_ends_an_endless_loop(void **state)
{
    struct bench *b = *state;
    struct limits limits = {.timeout_seconds = 0.02};
    START(b, jal(ZERO, 0));
    machine_run(&b->machine, &limits);
    assert_int_equal(b->machine.result.reason, RESULT_TIMEOUT);
}

/* ---- the watchdog: 100 cycles, on a machine whose memory answers at once --------------------- */

static void set_watchdog(struct bench *b)
{
    b->config.machine_watchdog = 100;
    b->config.machine_syscall_cycles = 0;
    b->config.dram_cycles = 1;
    b->config.dram_line_cycles = 0;
}

static void assert_stuck(struct bench *b, const char *text)
{
    b->machine.engine = ENGINE_DETAILED;
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_FAILURE);
    assert_string_equal(b->machine.result.text, text);
    assert_true(b->machine.ended);
}

static void a_hart_that_commits_nothing_for_long_ends_the_run(void **state)
{
    struct bench *b = *state;
    set_watchdog(b);
    b->config.latency_div = 128;
    START(b, NOP, DIVU_A0_A1_A2, EXIT(0));
    assert_stuck(b, "hart 0 has committed nothing for 100 cycles (machine.watchdog): "
                    "divu a0, a1, a2 at pc 0x80001004 is executing; cpi_div: cycles without "
                    "commit: integer division at the head; in-order core: also one "
                    "that issue waits for");
    assert_int_equal(machine_insns(&b->machine), 1);
}

static void the_watchdog_sees_fetch_and_every_hart(void **state)
{
    struct bench *b = *state;
    set_watchdog(b);
    b->config.machine_harts = 2;
    b->config.dram_cycles = 2000;
    START(b, NOP, EXIT(0));
    assert_stuck(b, "hart 0 has committed nothing for 1000 cycles (machine.watchdog): the next "
                    "instruction at pc 0x80001000 is being fetched; cpi_icache: cycles without "
                    "commit: reorder buffer empty, the next instruction waited for an "
                    "instruction-cache miss");
}

static void neither_sleep_nor_what_is_allowed_wakes_the_watchdog(void **state)
{
    struct bench *b = *state;
    set_watchdog(b);
    for (unsigned i = 0; i < 2; i++) {
        b->config.machine_watchdog = i == 0 ? 0 : 200;
        b->config.latency_div = 128;
        START(b, DIVU_A0_A1_A2, lui(T0, CLINT_PAGE + 4), lui(A0, 1), sd(A0, T0, 0),
              addi(A1, ZERO, MIE_MTIE), csrrs(ZERO, CSR_mie, A1), WFI, EXIT(4));
        b->machine.engine = ENGINE_DETAILED;
        machine_run(&b->machine, &no_limits);
        assert_int_equal(b->machine.result.reason, RESULT_EXIT);
        assert_int_equal(b->machine.result.exit_code, 4);
        assert_true(machine_cycles(&b->machine) > 400000);
        machine_free(&b->machine);
    }
}

static void stop(void *arg, const struct machine *machine)
{
    (void)machine;
    *(volatile sig_atomic_t *)arg = 15;
}

static void progress_is_reported_and_a_stop_request_obeyed(void **state)
{
    struct bench *b = *state;
    volatile sig_atomic_t request = 0;
    START(b, jal(ZERO, 0));
    b->machine.stop_request = &request;
    b->machine.progress = stop;
    b->machine.progress_arg = (void *)(uintptr_t)&request;
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_INTERRUPTED);
    assert_int_equal(b->machine.result.exit_code, 128 + 15);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void a_segment_outside_memory_is_refused(void **state)
{
    struct bench *b = *state;
    struct elf_file file;
    struct diag diag = {""};
    const uint32_t words[] = {NOP};
    make(&file, words, sizeof words);
    file.phdr[1].p_paddr = file.phdr[1].p_vaddr = PHYS_RAM_BASE + 0x1ff000;
    assert_int_equal(machine_init(&b->machine, &b->config, &diag), ERR_OK);
    assert_int_equal(load(&b->machine, &file, &diag), ERR_USAGE);
    assert_non_null(strstr(diag.text, "0x801ff000..0x80201000 is not in memory"));
}

static void reserved_memory_is_not_the_programs(void **state)
{
    struct bench *b = *state;
    struct elf_file file;
    struct diag diag = {""};
    const uint32_t words[] = {NOP};
    make(&file, words, sizeof words);
    file.phdr[1].p_paddr = file.phdr[1].p_vaddr = PHYS_RAM_BASE + 0x1fc000;
    assert_int_equal(machine_init(&b->machine, &b->config, &diag), ERR_OK);
    b->machine.reserve_top_bytes = 0x3000;
    assert_int_equal(load(&b->machine, &file, &diag), ERR_USAGE);
}

static void the_program_finds_its_hart_and_a_device_tree(void **state)
{
    struct bench *b = *state;
    START(b, NOP);
    const uint64_t *reg = b->machine.cpu[0].hart.reg;
    uint64_t magic = 0;
    assert_int_equal(reg[A0], 0);
    assert_true(phys_copy_out(&b->machine.phys, reg[A1], &magic, 4));
    assert_int_equal(magic, 0xedfe0dd0);
}

/* ---- engines --------------------------------------------------------------------------------- */

/* Sums 1..a0 in memory, for all engines. */
#define SUM                                                                                        \
    ADDRESS(T2, TOHOST_PAGE + 1), addi(A0, ZERO, 100), ld(A1, T2, 0), add(A1, A1, A0),             \
        sd(A1, T2, 0), addi(A0, A0, -1), bne(A0, ZERO, -16), addi(A1, A1, -2000),                  \
        addi(A1, A1, -2000), addi(A1, A1, -1000), ADDRESS(T0, TOHOST_PAGE), slli(T1, A1, 1),       \
        addi(T1, T1, 1), sd(T1, T0, 0), jal(ZERO, 0)

static void the_engines_agree(void **state)
{
    struct bench *b = *state;
    uint64_t insns[2];
    for (unsigned i = 0; i < 2; i++) {
        START(b, SUM);
        b->machine.engine = i == 0 ? ENGINE_FAST : ENGINE_DETAILED;
        machine_run(&b->machine, &no_limits);
        assert_int_equal(b->machine.result.exit_code, 5050 - 5000);
        insns[i] = machine_insns(&b->machine);
        machine_free(&b->machine);
    }
    assert_int_equal(insns[0], insns[1]);
}

static void engines_can_take_turns(void **state)
{
    struct bench *b = *state;
    struct limits limits = {.max_insns = 0};
    START(b, SUM);
    for (unsigned i = 0; !b->machine.ended; i++) {
        limits.max_insns = machine_insns(&b->machine) + 1 + i % 37;
        b->machine.engine = i % 2 == 0 ? ENGINE_FAST : ENGINE_DETAILED;
        machine_run(&b->machine, &limits);
    }
    assert_int_equal(b->machine.result.exit_code, 5050 - 5000);
}

static void code_that_changed_under_one_engine_is_new_to_the_other(void **state)
{
    struct bench *b = *state;
    START(b, jal(ZERO, 16), sw(A2, A1, 0), FENCE_I, jal(ZERO, 4), addi(A0, A0, 1),
          bne(A0, ZERO, -16));
    uint64_t *reg = b->machine.cpu[0].hart.reg;
    reg[A0] = 0;
    reg[A1] = TEXT + 16;
    reg[A2] = addi(A0, A0, 16);
    static const enum engine engines[] = {ENGINE_DETAILED, ENGINE_FAST, ENGINE_DETAILED,
                                          ENGINE_FAST};
    /* the old instruction; store and fence.i; the new one; the new one again */
    static const uint64_t insns[] = {3, 5, 8, 13}, sums[] = {1, 1, 17, 33};
    for (unsigned i = 0; i < 4; i++) {
        const struct limits limits = {.max_insns = insns[i]};
        b->machine.engine = engines[i];
        machine_run(&b->machine, &limits);
        assert_int_equal(reg[A0], sums[i]);
    }
}

static void two_machines_are_independent(void **state)
{
    struct bench *b = *state;
    static struct bench other;
    const struct limits some = {.max_insns = 200};
    other = *b;
    START(b, SUM);
    START(&other, EXIT(3));
    machine_run(&b->machine, &some);
    machine_run(&other.machine, &no_limits);
    machine_run(&b->machine, &no_limits);
    assert_int_equal(other.machine.result.exit_code, 3);
    assert_int_equal(b->machine.result.exit_code, 50);
    machine_free(&other.machine);
}

/* ---- several harts --------------------------------------------------------------------------- */

enum { HARTS = 4 };

/* Each hart adds 1 a hundred times with LR/SC; the first one waits for the sum and exits. */
static void harts_share_memory(void **state)
{
    struct bench *b = *state;
    b->config.machine_harts = HARTS;
    START(b, ADDRESS(T2, TOHOST_PAGE + 1), addi(A2, ZERO, 100), amo(AMO_LR, A3, T2, 0, 3),
          addi(A3, A3, 1), amo(AMO_SC, A4, T2, A3, 3), bne(A4, ZERO, -12), addi(A2, A2, -1),
          bne(A2, ZERO, -20), bne(A0, ZERO, 0), addi(A5, ZERO, 100 * HARTS), ld(A3, T2, 0),
          bne(A3, A5, -4), EXIT(9));
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_EXIT);
    assert_int_equal(b->machine.result.exit_code, 9);
}

/* The first hart wakes the second with a software interrupt; that one ends the run. */
static void a_hart_can_wake_another(void **state)
{
    struct bench *b = *state;
    b->config.machine_harts = 2;
    START(b, bne(A0, ZERO, 20), lui(T0, CLINT_PAGE), addi(T1, ZERO, 1), sw(T1, T0, 4), WFI,
          addi(A1, ZERO, 8), csrrs(ZERO, CSR_mie, A1), WFI, EXIT(11));
    machine_run(&b->machine, &no_limits);
    assert_int_equal(b->machine.result.reason, RESULT_EXIT);
    assert_int_equal(b->machine.result.exit_code, 11);
}

static void a_limit_counts_the_instructions_of_all_harts(void **state)
{
    struct bench *b = *state;
    const struct limits limits = {.max_insns = 54321};
    b->config.machine_harts = HARTS;
    START(b, addi(A2, A2, 1), jal(ZERO, -4));
    machine_run(&b->machine, &limits);
    assert_int_equal(b->machine.result.reason, RESULT_MAX_INSNS);
    assert_int_equal(machine_insns(&b->machine), 54321);
    for (unsigned i = 0; i < HARTS; i++)
        assert_in_range(b->machine.cpu[i].pmu.events[EVENT_INSNS_RETIRED], 12000, 15000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_guests_exit_code_is_the_result),
        TEST(the_console_gets_the_guests_characters),
        TEST(an_unhandled_trap_says_what_where_and_why),
        TEST(a_hart_that_nothing_can_wake_ends_the_run),
        TEST(waiting_for_the_timer_takes_guest_time_only),
        TEST(an_instruction_limit_is_exact_and_the_run_goes_on),
        TEST(a_cycle_limit_ends_an_endless_loop),
        TEST(a_time_limit_ends_an_endless_loop),
        TEST(a_hart_that_commits_nothing_for_long_ends_the_run),
        TEST(the_watchdog_sees_fetch_and_every_hart),
        TEST(neither_sleep_nor_what_is_allowed_wakes_the_watchdog),
        TEST(progress_is_reported_and_a_stop_request_obeyed),
        TEST(a_segment_outside_memory_is_refused),
        TEST(reserved_memory_is_not_the_programs),
        TEST(the_program_finds_its_hart_and_a_device_tree),
        TEST(the_engines_agree),
        TEST(engines_can_take_turns),
        TEST(code_that_changed_under_one_engine_is_new_to_the_other),
        TEST(two_machines_are_independent),
        TEST(harts_share_memory),
        TEST(a_hart_can_wake_another),
        TEST(a_limit_counts_the_instructions_of_all_harts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
