/* Programs: the state of hart and memory at the start, and the effects of faults. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/run/linux/guest.h"

/* ---- the start -------------------------------------------------------------------------- */

static void the_hart_begins_in_user_mode_at_the_entry(void **state)
{
    (void)state;
    assert_int_equal(cpu.hart.priv, PRIV_U);
    assert_int_equal(cpu.hart.pc, TEXT);
    assert_int_equal(cpu.hart.reg[SP] % 16, 0);
    assert_int_equal(cpu.hart.satp >> 60, 8);
    assert_int_equal(cpu.hart.mstatus >> 13 & 3, 3);
    assert_true(cpu.host_serves_traps);
}

static void segments_lie_one_after_the_other_with_their_contents(void **state)
{
    struct process_segment text, data;
    uint64_t pa;

    (void)state;
    assert_true(process_segment(process, 0, &text));
    assert_true(process_segment(process, 1, &data));
    assert_false(process_segment(process, 2, &data));
    assert_int_equal(text.vaddr, TEXT);
    assert_int_equal(text.paddr, PHYS_RAM_BASE);
    assert_int_equal(data.vaddr, DATA);
    assert_int_equal(data.paddr, PHYS_RAM_BASE + PAGE + 0x800);
    assert_int_equal(data.bytes, 0x2000);
    assert_true(process_translate(process, DATA + 0x1fff, &pa));
    assert_int_equal(pa, data.paddr + 0x1fff);
    assert_int_equal(*(uint8_t *)at(TEXT), 0x13);
    assert_int_equal(*(uint8_t *)at(DATA + 0x7f), 0xda);
    assert_int_equal(*(uint8_t *)at(DATA + 0x80), 0);
}

static void the_stack_holds_arguments_environment_and_facts(void **state)
{
    uint64_t sp = cpu.hart.reg[SP], i, page_bytes = 0, entry = 0, random = 0;

    (void)state;
    assert_int_equal(word(sp), 2);
    assert_string_equal(at(word(sp + 8)), "app");
    assert_string_equal(at(word(sp + 16)), "one");
    assert_int_equal(word(sp + 24), 0);
    assert_string_equal(at(word(sp + 32)), "K=V");
    assert_int_equal(word(sp + 40), 0);
    for (i = sp + 48; word(i) != AT_NULL; i += 16) {
        page_bytes = word(i) == AT_PAGESZ ? word(i + 8) : page_bytes;
        entry = word(i) == AT_ENTRY ? word(i + 8) : entry;
        random = word(i) == AT_RANDOM ? word(i + 8) : random;
    }
    assert_int_equal(page_bytes, PAGE);
    assert_int_equal(entry, TEXT);
    assert_int_not_equal(word(random), 0);
}

static void the_reserved_top_of_memory_is_left_alone(void **state)
{
    struct diag diag;
    uint64_t va = 0x20000000, i, reserved = 15 << 20;

    (void)state;
    process_free(process);
    assert_int_equal(start(reserved, &diag), ERR_OK);
    va = (uint64_t)call(NR_mmap, 0, 4 << 20, 3, 0x4022, UINT64_MAX);
    for (i = 0; i < 1024 && trap(TRAP_STORE_PAGE, TEXT, va + i * PAGE) == PROCESS_CONTINUE; i++) {
        uint64_t pa;

        assert_true(process_translate(process, va + i * PAGE, &pa));
        assert_true(pa < PHYS_RAM_BASE + RAM_BYTES - reserved);
    }
    assert_in_range(i, 200, 255);
    assert_int_equal(process_signal(process), 9);
    assert_non_null(strstr(process_text(process), "memory is full"));
}

static void a_program_that_does_not_fit_is_refused(void **state)
{
    struct diag diag;

    (void)state;
    process_free(process);
    process = NULL;
    assert_int_equal(start(RAM_BYTES - 2 * PAGE, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "app: does not fit into memory; raise machine.memory_mib");
    image.segments[1].vaddr = UINT64_C(1) << 40;
    assert_int_equal(start(0, &diag), ERR_USAGE);
    assert_non_null(strstr(diag.text, "outside user addresses"));
}

/* ---- faults ----------------------------------------------------------------------------- */

static void a_stack_page_appears_and_the_instruction_runs_again(void **state)
{
    uint64_t va = cpu.hart.reg[SP] - 100 * PAGE, pa;

    (void)state;
    assert_false(process_translate(process, va, &pa));
    assert_int_equal(trap(TRAP_STORE_PAGE, TEXT + 4, va), PROCESS_CONTINUE);
    assert_int_equal(cpu.hart.pc, TEXT + 4);
    assert_true(process_translate(process, va, &pa));
}

static void bad_accesses_kill_with_the_signal_linux_would_send(void **state)
{
    static const struct { uint64_t cause, tval; int signal; const char *text; } cases[] = {
        {TRAP_LOAD_PAGE, 0, 11, "load from 0x0 at pc 0x10010 (main+0x10): nothing is mapped"},
        {TRAP_STORE_PAGE, TEXT, 11, "store to 0x10000 at pc 0x10010 (main+0x10): the memory"},
        {TRAP_FETCH_PAGE, DATA, 11, "jump to 0x12800"},
        {TRAP_LOAD_PAGE, UINT64_MAX, 11, "load from 0xffffffffffffffff"},
        {TRAP_STORE_PAGE, 0x3fff7effff, 11, "stack overflow"},
        {TRAP_ILLEGAL, 0xffff, 4, "SIGILL"},
        {TRAP_BREAKPOINT, 0, 5, "SIGTRAP"},
        {TRAP_STORE_MISALIGNED, DATA + 1, 7, "SIGBUS"},
        {TRAP_LOAD_ACCESS, DATA, 7, "SIGBUS"},
    };
    struct diag diag;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(trap(cases[i].cause, TEXT + 0x10, cases[i].tval), PROCESS_KILLED);
        assert_int_equal(process_signal(process), cases[i].signal);
        assert_int_equal(process_exit_code(process), 128 + cases[i].signal);
        assert_non_null(strstr(process_text(process), cases[i].text));
        process_free(process);
        assert_int_equal(start(0, &diag), ERR_OK);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_hart_begins_in_user_mode_at_the_entry),
        CASE(segments_lie_one_after_the_other_with_their_contents),
        CASE(the_stack_holds_arguments_environment_and_facts),
        CASE(the_reserved_top_of_memory_is_left_alone),
        CASE(a_program_that_does_not_fit_is_refused),
        CASE(a_stack_page_appears_and_the_instruction_runs_again),
        CASE(bad_accesses_kill_with_the_signal_linux_would_send),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
