/* The lock-step check: agrees with itself; sees a wrong bit in a register, in memory, in code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/run/check/check.h"
#include "tests/sim/run/elf_file.h"
#include "tests/sim/run/encode.h"

#define TEXT (PHYS_RAM_BASE + 0x1000)
#define TOHOST (PHYS_RAM_BASE + 0x3000)
#define DATUM (PHYS_RAM_BASE + 0x2000)
enum { TOHOST_PAGE = 0x80003, DATA_PAGE = 0x80002 };

#define ADDRESS(reg, page) lui(reg, page), slli(reg, reg, 32), i_type(32, reg, 5, reg, 0x13)

struct bench {
    struct config config;
    struct machine machine;
    struct check *check;
    struct core_observer core;
    struct fast_observer fast;
    char *text;
    size_t bytes;
};

static void on_leave(void *arg, const struct core_trace_record *record)
{
    struct bench *b = arg;

    check_record(b->check, 0, record);
}

static void on_step(void *arg, const struct fast_record *record)
{
    struct bench *b = arg;

    check_step(b->check, 0, record);
}

static void load(struct bench *b)
{
    /* Ten times: read, add, write; then the end. */
    const uint32_t loop[] = {
        ADDRESS(T0, DATA_PAGE), addi(T2, ZERO, 10),
        ld(T1, T0, 0), addi(T1, T1, 7), sd(T1, T0, 0), addi(T2, T2, -1), bne(T2, ZERO, -16),
        ADDRESS(T0, TOHOST_PAGE), addi(T1, ZERO, 1), sd(T1, T0, 0), jal(ZERO, 0),
    };
    char path[] = "/tmp/check_testXXXXXX";
    char *argv[] = {path, NULL};
    const struct program program = {.path = path, .argc = 1, .argv = argv};
    struct elf_file file;
    struct diag diag;
    int fd = mkstemp(path);

    elf_file_make(&file, TEXT, PHYS_RAM_BASE + 0x5000);
    elf_file_add_symbol(&file, "tohost", TOHOST, 8, STT_OBJECT, SHN_ABS);
    elf_file_add_symbol(&file, "start", TEXT, sizeof loop, STT_FUNC, 1);
    memcpy(&file.bytes[ELF_TEXT], loop, sizeof loop);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file.bytes, sizeof file.bytes), sizeof file.bytes);
    close(fd);
    assert_int_equal(machine_init(&b->machine, &b->config, &diag), ERR_OK);
    assert_int_equal(machine_load(&b->machine, &program, &diag), ERR_OK);
    unlink(path);
}

static void begin(struct bench *b, enum engine engine)
{
    struct machine *machine = &b->machine;
    struct diag diag;

    memset(b, 0, sizeof *b);
    config_init(&b->config);
    b->config.machine_memory_mib = 2;
    load(b);
    machine->engine = engine;
    assert_int_equal(check_open(&b->check, machine, "self", "", &diag), ERR_OK);
    b->core = (struct core_observer){.arg = b, .leave = on_leave};
    b->fast = (struct fast_observer){.arg = b, .step = on_step};
    if (engine == ENGINE_DETAILED) {
        machine->core[0] = core_new(&machine->cpu[0], machine->memshared);
        core_set_observer(machine->core[0], &b->core);
    } else {
        machine->fast[0] = fast_new(&machine->cpu[0]);
        fast_set_observer(machine->fast[0], &b->fast);
    }
}

/* Runs to the end; leaves the message of the check in b->text. */
static void run(struct bench *b)
{
    FILE *out = open_memstream(&b->text, &b->bytes);

    machine_run(&b->machine, &(struct limits){.max_insns = 10000});
    check_finish(b->check);
    check_report(b->check, out);
    fclose(out);
}

static void end(struct bench *b)
{
    check_close(b->check);
    machine_free(&b->machine);
    free(b->text);
}

static void both_engines_agree_with_the_reference(void **state)
{
    static const enum engine engine[] = {ENGINE_DETAILED, ENGINE_FAST};
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(&b, engine[i]);
        run(&b);
        assert_false(check_has_failed(b.check));
        assert_non_null(strstr(b.text, "59 instructions and 0 traps agree"));
        assert_int_equal(b.machine.result.reason, RESULT_EXIT);
        end(&b);
    }
}

static void a_wrong_bit_in_memory_ends_the_run_at_the_load_that_reads_it(void **state)
{
    static const enum engine engine[] = {ENGINE_DETAILED, ENGINE_FAST};
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(&b, engine[i]);
        *phys_host(&b.machine.phys, DATUM) ^= 4;        /* without the knowledge of the check */
        run(&b);
        assert_true(check_has_failed(b.check));
        assert_int_equal(b.machine.result.reason, RESULT_HALTED);
        assert_non_null(strstr(b.text, "hart 0 differs at its instruction 4"));
        assert_non_null(strstr(b.text, "ld t1, 0(t0)"));
        assert_non_null(strstr(b.text, "x6 0x0000000000000004"));
        assert_non_null(strstr(b.text, "x6 0x0000000000000000"));
        end(&b);
    }
}

static void a_wrong_register_is_seen_in_the_address_of_a_store(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, ENGINE_FAST);
    machine_run(&b.machine, &(struct limits){.max_insns = 6});
    b.machine.cpu[0].hart.reg[T0] += 64;
    run(&b);
    assert_true(check_has_failed(b.check));
    assert_non_null(strstr(b.text, "differs at its instruction 6"));
    assert_non_null(strstr(b.text, "[0x80002040]"));
    assert_non_null(strstr(b.text, "[0x80002000]"));
    end(&b);
}

static void memory_that_no_instruction_read_is_compared_at_the_end(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, ENGINE_DETAILED);
    *phys_host(&b.machine.phys, DATUM + 0x123) = 0x5a;
    run(&b);
    assert_true(check_has_failed(b.check));
    assert_non_null(strstr(b.text, "0x80002123 holds 0x5a, in the reference 0x00"));
    end(&b);
}

static void a_trap_that_the_reference_does_not_take_is_a_difference(void **state)
{
    struct bench b;
    const uint32_t illegal = 0;

    (void)state;
    begin(&b, ENGINE_DETAILED);
    b.machine.cpu[0].hart.mtvec = TEXT;         /* a handler, so that the trap is taken */
    memcpy(phys_host(&b.machine.phys, TEXT + 5 * 4), &illegal, sizeof illegal);
    run(&b);
    assert_true(check_has_failed(b.check));
    assert_non_null(strstr(b.text, "illegal instruction at pc 0x80001014"));
    assert_non_null(strstr(b.text, "no trap at pc 0x80001014"));
    end(&b);
}

static void data_that_the_host_writes_reach_the_reference(void **state)
{
    static const uint64_t value = 0x1234;
    struct bench b;

    (void)state;
    begin(&b, ENGINE_DETAILED);
    phys_copy_in(&b.machine.phys, DATUM, &value, sizeof value);
    run(&b);
    assert_false(check_has_failed(b.check));
    end(&b);
}

static void specifications_are_checked(void **state)
{
    enum check_kind kind;
    const char *path;
    struct diag diag;

    (void)state;
    assert_int_equal(check_parse("spike:/a/b", &kind, &path, &diag), ERR_OK);
    assert_int_equal(kind, CHECK_SPIKE);
    assert_string_equal(path, "/a/b");
    assert_int_equal(check_parse("qemu", &kind, &path, &diag), ERR_OK);
    assert_null(path);
    assert_int_equal(check_parse("self:/a", &kind, &path, &diag), ERR_USAGE);
    assert_int_equal(check_parse("spik", &kind, &path, &diag), ERR_USAGE);
    assert_non_null(strstr(diag.text, "did you mean spike?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_engines_agree_with_the_reference),
        cmocka_unit_test(a_wrong_bit_in_memory_ends_the_run_at_the_load_that_reads_it),
        cmocka_unit_test(a_wrong_register_is_seen_in_the_address_of_a_store),
        cmocka_unit_test(memory_that_no_instruction_read_is_compared_at_the_end),
        cmocka_unit_test(a_trap_that_the_reference_does_not_take_is_a_difference),
        cmocka_unit_test(data_that_the_host_writes_reach_the_reference),
        cmocka_unit_test(specifications_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
