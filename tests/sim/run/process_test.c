/* Programs: what the hart and memory look like at the start, and what each trap does to them. No
 * engine runs; a test sets registers and hands in the trap. */
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

#include "sim/run/process.h"
#include "tests/sim/run/elf_file.h"

enum { PAGE = 4096, RAM_BYTES = 16 << 20, TEXT = 0x10000, DATA = 0x12800, BUFFER = DATA + 0x100,
       A0 = 10, A7 = 17, SP = 2, AT_CWD = -100 };
enum { NR_getcwd = 17, NR_dup = 23, NR_mkdirat = 34, NR_unlinkat = 35, NR_openat = 56,
       NR_close = 57, NR_pipe2 = 59, NR_getdents64 = 61, NR_lseek = 62, NR_read = 63,
       NR_write = 64, NR_writev = 66, NR_ppoll = 73, NR_readlinkat = 78, NR_newfstatat = 79, NR_fstat = 80,
       NR_exit_group = 94, NR_futex = 98, NR_nanosleep = 101, NR_clock_gettime = 113,
       NR_kill = 129, NR_sigaction = 134, NR_sigprocmask = 135, NR_uname = 160, NR_brk = 214,
       NR_munmap = 215, NR_mremap = 216, NR_clone = 220, NR_mmap = 222, NR_mprotect = 226,
       NR_hwprobe = 258, NR_flush_icache = 259, NR_getrandom = 278 };

static char root[] = "/tmp/process_test.XXXXXX";
static struct config config;
static struct phys phys;
static struct cpu cpu;
static struct image image;
static struct process *process;
static uint64_t now_ns;
static FILE *notes;
static char *notes_text;
static size_t notes_bytes;

static uint64_t read_time(void *arg)
{
    return *(uint64_t *)arg;
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static enum err start(uint64_t reserve_top_bytes, struct diag *diag)
{
    static char *arguments[] = {(char *)"app", (char *)"one", NULL};
    static char *environment[] = {(char *)"K=V", NULL};
    const struct process_options options = {
        .argc = 2, .argv = arguments, .env = environment, .root = root, .fds = {-1, -1, -1},
        .seed = 5, .reserve_top_bytes = reserve_top_bytes, .time_ns = read_time,
        .time_arg = &now_ns, .log = notes};

    return process_new(&process, &cpu, &phys, &image, &options, diag);
}

static int set_up(void **state)
{
    struct elf_file file;
    struct diag diag;

    (void)state;
    now_ns = 0;
    notes = open_memstream(&notes_text, &notes_bytes);
    config_init(&config);
    elf_file_make(&file, TEXT, DATA);
    elf_file_add_symbol(&file, "main", TEXT, 0x100, STT_FUNC, 1);
    assert_true(phys_init(&phys, RAM_BYTES));
    assert_int_equal(cpu_init(&cpu, &config, &phys, 0), true);
    assert_int_equal(image_open_memory(&image, "app", elf_file_copy(&file, ELF_FILE_BYTES),
                                       ELF_FILE_BYTES, &diag), ERR_OK);
    assert_int_equal(start(0, &diag), ERR_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    process_free(process);
    process = NULL;
    image_close(&image);
    cpu_free(&cpu);
    phys_free(&phys);
    fclose(notes);
    free(notes_text);
    return 0;
}

static enum process_action trap(uint64_t cause, uint64_t pc, uint64_t tval)
{
    cpu.stop_cause = cause;
    cpu.stop_pc = pc;
    cpu.stop_tval = tval;
    return process_trap(process, &cpu);
}

/* A system call at TEXT + 8; its result. */
static int64_t call(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    const uint64_t arguments[5] = {a, b, c, d, e};

    memcpy(&cpu.hart.reg[A0], arguments, sizeof arguments);
    cpu.hart.reg[A0 + 5] = 0;
    cpu.hart.reg[A7] = number;
    trap(TRAP_ECALL_U, TEXT + 8, 0);
    return (int64_t)cpu.hart.reg[A0];
}

/* The host address of user memory, touched first so that it exists. */
static void *at(uint64_t va)
{
    uint64_t pa;

    if (!process_translate(process, va, &pa)) {
        assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, va), PROCESS_CONTINUE);
        assert_true(process_translate(process, va, &pa));
    }
    return phys_host(&phys, pa);
}

static uint64_t word(uint64_t va)
{
    uint64_t value;

    memcpy(&value, at(va), sizeof value);
    return value;
}

static uint64_t put_text(uint64_t va, const char *text)
{
    strcpy(at(va), text);
    return va;
}

static int64_t open_guest(const char *path, uint64_t flags)
{
    return call(NR_openat, (uint64_t)AT_CWD, put_text(BUFFER + 0xc00, path), flags, 0644, 0);
}

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

/* ---- calls ------------------------------------------------------------------------------ */

static void a_call_sets_a0_and_steps_over_the_ecall(void **state)
{
    (void)state;
    assert_int_equal(call(172, 0, 0, 0, 0, 0), 1000);
    assert_int_equal(cpu.hart.pc, TEXT + 12);
}

static void exit_ends_with_the_low_byte(void **state)
{
    (void)state;
    call(NR_exit_group, 0x1ff, 0, 0, 0, 0);
    assert_int_equal(process_trap(process, &cpu), PROCESS_EXIT);
    assert_int_equal(process_exit_code(process), 0xff);
    assert_int_equal(process_signal(process), 0);
}

static void unknown_calls_get_enosys_and_one_note_each(void **state)
{
    (void)state;
    assert_int_equal(call(NR_clone, 0, 0, 0, 0, 0), -ENOSYS);
    assert_int_equal(call(NR_clone, 0, 0, 0, 0, 0), -ENOSYS);
    assert_int_equal(call(499, 0, 0, 0, 0, 0), -ENOSYS);
    fflush(notes);
    assert_string_equal(notes_text,
        "rvsim: note: system call 220 (clone) is not supported; the program gets ENOSYS\n"
        "rvsim: note: system call 499 (unknown) is not supported; the program gets ENOSYS\n");
}

static void the_break_moves_and_gives_memory_back(void **state)
{
    uint64_t start_va = (uint64_t)call(NR_brk, 0, 0, 0, 0, 0), pa;

    (void)state;
    assert_int_equal(start_va, 0x15000);
    assert_int_equal(call(NR_brk, start_va + 10000, 0, 0, 0, 0), start_va + 10000);
    *(char *)at(start_va + 9999) = 'x';
    assert_int_equal(call(NR_brk, start_va + 100, 0, 0, 0, 0), start_va + 100);
    assert_false(process_translate(process, start_va + 9999, &pa));
    assert_true((process_take_effects(process) & PROCESS_EFFECT_TRANSLATION) != 0);
    assert_int_equal(process_take_effects(process), 0);
    assert_int_equal(call(NR_brk, start_va + 10000, 0, 0, 0, 0), start_va + 10000);
    assert_int_equal(*(char *)at(start_va + 9999), 0);
    assert_int_equal(call(NR_brk, 1, 0, 0, 0, 0), start_va + 10000);
    assert_int_equal(call(NR_brk, UINT64_C(1) << 37, 0, 0, 0, 0), start_va + 10000);
}

static void mappings_are_made_changed_and_removed(void **state)
{
    uint64_t va = (uint64_t)call(NR_mmap, 0, 3 * PAGE, 3, 0x22, UINT64_MAX), moved;

    (void)state;
    *(char *)at(va + PAGE) = 'm';
    assert_int_equal(call(NR_mprotect, va, PAGE, 1, 0, 0), 0);
    assert_int_equal(call(NR_mprotect, va + 1, PAGE, 1, 0, 0), -EINVAL);
    moved = (uint64_t)call(NR_mremap, va + PAGE, PAGE, 100 * PAGE, 1, 0);
    assert_int_not_equal(moved, va + PAGE);
    assert_int_equal(*(char *)at(moved), 'm');
    assert_int_equal(*(char *)at(moved + 99 * PAGE), 0);
    assert_int_equal(call(NR_munmap, va, 3 * PAGE, 0, 0, 0), 0);
    assert_int_equal(call(NR_munmap, va + 8, PAGE, 0, 0, 0), -EINVAL);
    assert_int_equal(call(NR_mmap, 0, UINT64_C(1) << 33, 3, 0x22, UINT64_MAX), -ENOMEM);
    assert_int_equal(call(NR_mmap, 0, 0, 3, 0x22, UINT64_MAX), -EINVAL);
    assert_int_equal(call(NR_mmap, 0, PAGE, 3, 2, 77), -EBADF);
    assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, va), PROCESS_KILLED);
}

static void files_are_written_read_and_described(void **state)
{
    int64_t fd = open_guest("file", 02 | 0100 | 0200);

    (void)state;
    assert_int_equal(fd, 0);
    assert_int_equal(open_guest("file", 02 | 0100 | 0200), -EEXIST);
    assert_int_equal(call(NR_write, 0, put_text(BUFFER, "some text"), 9, 0, 0), 9);
    assert_int_equal(call(NR_lseek, 0, 5, 0, 0, 0), 5);
    assert_int_equal(call(NR_read, 0, BUFFER + 16, 100, 0, 0), 4);
    assert_memory_equal(at(BUFFER + 16), "text", 4);
    assert_int_equal(call(NR_fstat, 0, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 48), 9);
    assert_int_equal((uint32_t)word(BUFFER + 16), S_IFREG | 0644);
    assert_int_equal(call(NR_close, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_read, 0, BUFFER, 1, 0, 0), -EBADF);
    assert_int_equal(call(NR_unlinkat, (uint64_t)AT_CWD, put_text(BUFFER, "file"), 0, 0, 0), 0);
    assert_int_equal(open_guest("file", 0), -ENOENT);
}

static void bad_pointers_are_efault_and_change_nothing(void **state)
{
    uint64_t limit = DATA + 0x2000;     /* the last mapped byte is before 0x15000 */

    (void)state;
    assert_int_equal(open_guest("/dev/zero", 0), 0);
    assert_int_equal(call(NR_read, 0, 0, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, TEXT, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, UINT64_MAX - 3, 8, 0, 0), -EFAULT);
    assert_int_equal(call(NR_read, 0, (limit | 0xfff) - 7, 100, 0, 0), 8);
    assert_int_equal(call(NR_openat, (uint64_t)AT_CWD, 8, 0, 0, 0), -EFAULT);
    assert_int_equal(call(NR_uname, TEXT, 0, 0, 0, 0), -EFAULT);
    assert_int_equal(call(NR_writev, 0, 8, 1, 0, 0), -EFAULT);
}

static void a_large_transfer_goes_through_in_chunks(void **state)
{
    uint64_t va = (uint64_t)call(NR_mmap, 0, 1 << 20, 3, 0x22, UINT64_MAX), i;

    (void)state;
    for (i = 0; i < 1 << 20; i += PAGE) {
        *(uint32_t *)at(va + i) = (uint32_t)i;
    }
    assert_int_equal(open_guest("large", 02 | 0100), 0);
    assert_int_equal(call(NR_write, 0, va + 1, (1 << 20) - 1, 0, 0), (1 << 20) - 1);
    assert_int_equal(call(NR_lseek, 0, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_read, 0, va, 2 << 20, 0, 0), (1 << 20) - 1);
    assert_int_equal(*(uint32_t *)at(va + 300 * (uint64_t)PAGE - PAGE * 100 - 1), 200 * PAGE);
}

static void a_directory_is_read_in_order(void **state)
{
    int64_t bytes;

    (void)state;
    assert_int_equal(call(NR_mkdirat, (uint64_t)AT_CWD, put_text(BUFFER, "dir"), 0755, 0, 0), 0);
    assert_int_equal(open_guest("dir/b", 0101), 0);
    assert_int_equal(open_guest("dir/a", 0101), 1);
    assert_int_equal(open_guest("dir", 0200000), 2);
    bytes = call(NR_getdents64, 2, BUFFER, 1024, 0, 0);
    assert_int_equal(bytes, 4 * 24);
    assert_string_equal((char *)at(BUFFER) + 19, ".");
    assert_string_equal((char *)at(BUFFER) + 48 + 19, "a");
    assert_string_equal((char *)at(BUFFER) + 72 + 19, "b");
    assert_int_equal(((uint8_t *)at(BUFFER))[72 + 18], 8);
    assert_int_equal(call(NR_getdents64, 2, BUFFER, 1024, 0, 0), 0);
    assert_int_equal(call(NR_lseek, 2, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_getdents64, 2, BUFFER, 50, 0, 0), 48);
    assert_int_equal(call(NR_getdents64, 0, BUFFER, 1024, 0, 0), -ENOTDIR);
}

static void special_files_can_be_used_but_not_changed(void **state)
{
    uint64_t first;

    (void)state;
    assert_int_equal(open_guest("/dev/urandom", 0), 0);
    assert_int_equal(call(NR_read, 0, BUFFER, 8, 0, 0), 8);
    first = word(BUFFER);
    assert_int_equal(call(NR_read, 0, BUFFER, 8, 0, 0), 8);
    assert_int_not_equal(first, word(BUFFER));
    assert_int_equal(call(NR_unlinkat, (uint64_t)AT_CWD, put_text(BUFFER, "/dev/null"), 0, 0, 0),
                     -EPERM);
    assert_int_equal(access("/dev/null", F_OK), 0);
    assert_int_equal(call(NR_getcwd, BUFFER, 64, 0, 0, 0), 2);
    assert_string_equal(at(BUFFER), "/");
}

static void random_numbers_follow_the_seed(void **state)
{
    uint64_t first[2];
    struct diag diag;

    (void)state;
    assert_int_equal(call(NR_getrandom, BUFFER, 16, 0, 0, 0), 16);
    memcpy(first, at(BUFFER), sizeof first);
    process_free(process);
    assert_int_equal(start(0, &diag), ERR_OK);
    assert_int_equal(call(NR_getrandom, BUFFER, 16, 0, 0, 0), 16);
    assert_memory_equal(first, at(BUFFER), sizeof first);
}

static void sleeping_advances_guest_time(void **state)
{
    static const uint64_t nap[2] = {3, 500000000};

    (void)state;
    now_ns = 250;
    assert_int_equal(call(NR_clock_gettime, 1, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 8), 250);
    memcpy(at(BUFFER), nap, sizeof nap);
    assert_int_equal(call(NR_nanosleep, BUFFER, 0, 0, 0, 0), 0);
    assert_int_equal(process_slept_ns(process), 3500000000);
    assert_int_equal(call(NR_clock_gettime, 0, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER), 1704067200 + 3);
    assert_int_equal(word(BUFFER + 8), 500000250);
    assert_int_equal(call(NR_clock_gettime, 2, BUFFER, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER), 0);
    assert_int_equal(call(NR_clock_gettime, 77, BUFFER, 0, 0, 0), -EINVAL);
}

static void waiting_for_ever_ends_the_program(void **state)
{
    struct diag diag;

    (void)state;
    call(NR_ppoll, 0, 0, 0, 0, 0);
    assert_non_null(strstr(process_text(process), "waits for ever"));
    process_free(process);
    assert_int_equal(start(0, &diag), ERR_OK);
    assert_int_equal(call(NR_futex, BUFFER, 0, 1, 0, 0), -EAGAIN);
    assert_int_equal(call(NR_futex, BUFFER, 1, 1, 0, 0), 0);
    call(NR_futex, BUFFER, 128, 0, 0, 0);
    assert_int_equal(process_signal(process), 9);
    assert_non_null(strstr(process_text(process), "waits for ever"));
}

static void a_signal_to_itself_has_its_default_action(void **state)
{
    uint64_t ignore[3] = {1, 0, 0}, mask = UINT64_C(1) << 14;

    (void)state;
    assert_int_equal(call(NR_kill, 1000, 17, 0, 0, 0), 0);
    assert_int_equal(call(NR_kill, 4711, 15, 0, 0, 0), -ESRCH);
    assert_int_equal(call(NR_kill, 1000, 65, 0, 0, 0), -EINVAL);
    memcpy(at(BUFFER), ignore, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 10, BUFFER, 0, 8, 0), 0);
    assert_int_equal(call(NR_kill, 1000, 10, 0, 0, 0), 0);
    assert_int_equal(call(NR_sigaction, 9, BUFFER, 0, 8, 0), -EINVAL);
    memcpy(at(BUFFER), &mask, sizeof mask);
    assert_int_equal(call(NR_sigprocmask, 0, BUFFER, BUFFER + 8, 8, 0), 0);
    assert_int_equal(call(NR_kill, 1000, 15, 0, 0, 0), 0);
    assert_int_equal(process_signal(process), 0);
    call(NR_sigprocmask, 1, BUFFER, 0, 8, 0);
    assert_int_equal(process_signal(process), 15);
}

static void a_broken_pipe_kills_unless_ignored(void **state)
{
    uint64_t ignore[3] = {1, 0, 0};
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);

    (void)state;
    assert_int_equal(call(NR_pipe2, BUFFER, 0, 0, 0, 0), 0);
    assert_int_equal(call(NR_write, 1, BUFFER, 5, 0, 0), 5);
    assert_int_equal(call(NR_close, 0, 0, 0, 0, 0), 0);
    memcpy(at(BUFFER), ignore, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 13, BUFFER, 0, 8, 0), 0);
    assert_int_equal(call(NR_write, 1, BUFFER, 5, 0, 0), -EPIPE);
    memset(at(BUFFER), 0, sizeof ignore);
    assert_int_equal(call(NR_sigaction, 13, BUFFER, 0, 8, 0), 0);
    call(NR_write, 1, BUFFER, 5, 0, 0);
    assert_int_equal(process_signal(process), 13);
    signal(SIGPIPE, old);
}

static void the_probe_names_what_the_decoder_knows(void **state)
{
    static const uint64_t pairs[4] = {3, 0, 99, 7};
    struct insn insn;

    (void)state;
    memcpy(at(BUFFER), pairs, sizeof pairs);
    assert_int_equal(call(NR_hwprobe, BUFFER, 2, 0, 0, 0), 0);
    assert_int_equal(word(BUFFER + 8), 1);
    assert_int_equal(word(BUFFER + 16), UINT64_MAX);
    *(uint64_t *)at(BUFFER) = 4;
    assert_int_equal(call(NR_hwprobe, BUFFER, 1, 0, 0, 0), 0);
    insn_decode(&insn, 0x20b52533);
    assert_int_equal(word(BUFFER + 8) >> 3 & 1, insn.op == OP_sh1add);
    assert_int_equal(word(BUFFER + 8) & 3, 3);
}

static void flushing_the_instruction_cache_is_passed_on(void **state)
{
    (void)state;
    assert_int_equal(call(NR_flush_icache, 0, 0, 0, 0, 0), 0);
    assert_int_equal(process_take_effects(process), PROCESS_EFFECT_CODE);
}

/* Any call with any arguments returns or ends the program; nothing else. */
static void calls_survive_nonsense(void **state)
{
    uint64_t values[6] = {0, 1, BUFFER, UINT64_MAX, TEXT, 0x7fffffff}, seed = 1;
    struct diag diag;
    unsigned round;

    (void)state;
    for (round = 0; round < 60000; round++) {
        uint64_t number, a[5];
        int i;

        for (i = 0; i < 5; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            a[i] = seed >> 61 < 6 ? values[seed >> 61] : seed >> 40 & 0xffff;
        }
        number = (seed >> 20) % 460;
        if (number == NR_pipe2 || number == 71 || number == 285) {
            continue;       /* may wait for ever on a pipe, or copy gigabytes of zeros */
        }
        if (round % 100 == 0) {
            put_text(BUFFER, "/dev/zero");
        }
        call(number, a[0], a[1], a[2], a[3], a[4]);
        if (process_trap(process, &cpu) != PROCESS_CONTINUE) {
            process_free(process);
            assert_int_equal(start(0, &diag), ERR_OK);
        }
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
        CASE(a_call_sets_a0_and_steps_over_the_ecall),
        CASE(exit_ends_with_the_low_byte),
        CASE(unknown_calls_get_enosys_and_one_note_each),
        CASE(the_break_moves_and_gives_memory_back),
        CASE(mappings_are_made_changed_and_removed),
        CASE(files_are_written_read_and_described),
        CASE(bad_pointers_are_efault_and_change_nothing),
        CASE(a_large_transfer_goes_through_in_chunks),
        CASE(a_directory_is_read_in_order),
        CASE(special_files_can_be_used_but_not_changed),
        CASE(random_numbers_follow_the_seed),
        CASE(sleeping_advances_guest_time),
        CASE(waiting_for_ever_ends_the_program),
        CASE(a_signal_to_itself_has_its_default_action),
        CASE(a_broken_pipe_kills_unless_ignored),
        CASE(the_probe_names_what_the_decoder_knows),
        CASE(flushing_the_instruction_cache_is_passed_on),
        CASE(calls_survive_nonsense),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
