/* A small Linux program made a process without an engine: tests set registers, hand in traps, and
 * look at memory. */
#ifndef TESTS_SIM_RUN_GUEST_H
#define TESTS_SIM_RUN_GUEST_H

#include "sim/run/linux/process.h"
#include "tests/sim/run/elf_file.h"

enum { PAGE = 4096, RAM_BYTES = 16 << 20, TEXT = 0x10000, DATA = 0x12800, BUFFER = DATA + 0x100,
       A0 = 10, A7 = 17, SP = 2,
       AT_CWD = -100 };
enum { NR_getcwd = 17, NR_dup = 23, NR_mkdirat = 34, NR_unlinkat = 35, NR_openat = 56,
       NR_close = 57, NR_pipe2 = 59, NR_getdents64 = 61, NR_lseek = 62, NR_read = 63,
       NR_write = 64, NR_writev = 66, NR_ppoll = 73, NR_readlinkat = 78, NR_newfstatat = 79,
       NR_fstat = 80, NR_exit_group = 94, NR_futex = 98, NR_nanosleep = 101, NR_clock_gettime = 113,
       NR_kill = 129, NR_sigaction = 134, NR_sigprocmask = 135, NR_uname = 160, NR_brk = 214,
       NR_munmap = 215, NR_mremap = 216, NR_clone = 220, NR_mmap = 222, NR_mprotect = 226,
       NR_hwprobe = 258, NR_flush_icache = 259, NR_getrandom = 278 };

static char guest_root[] = "/tmp/process_test.XXXXXX";
static struct config config;
static struct phys phys;
static struct cpu cpu;
static struct image image;
static struct process *process;
static uint64_t now_ns;
static FILE *notes;
static char *notes_text;
static size_t notes_bytes;
static bool may_hand_over;      /* of the processes that start from now on */

static inline uint64_t read_time(void *arg)
{
    return *(uint64_t *)arg;
}

static inline int make_root(void **state)
{
    (void)state;
    return mkdtemp(guest_root) == NULL;
}

static inline int remove_root(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", guest_root);
    return system(command);
}

static inline enum err start(uint64_t reserve_top_bytes, struct diag *diag)
{
    static char *arguments[] = {(char *)"app", (char *)"one", NULL};
    static char *environment[] = {(char *)"K=V", NULL};
    const struct process_options options = {
        .argc = 2, .argv = arguments, .env = environment, .root = guest_root, .fds = {-1, -1, -1},
        .seed = 5, .reserve_top_bytes = reserve_top_bytes, .time_ns = read_time,
        .time_arg = &now_ns, .log = notes, .may_hand_over = may_hand_over};

    return process_new(&process, &cpu, &phys, &image, &options, diag);
}

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
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

static inline enum process_action trap(uint64_t cause, uint64_t pc, uint64_t tval)
{
    cpu.stop_cause = cause;
    cpu.stop_pc = pc;
    cpu.stop_tval = tval;
    return process_trap(process, &cpu);
}

/* A system call at TEXT + 8; its result. */
static inline int64_t call(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                           uint64_t e)
{
    const uint64_t arguments[5] = {a, b, c, d, e};

    memcpy(&cpu.hart.reg[A0], arguments, sizeof arguments);
    cpu.hart.reg[A0 + 5] = 0;
    cpu.hart.reg[A7] = number;
    trap(TRAP_ECALL_U, TEXT + 8, 0);
    return (int64_t)cpu.hart.reg[A0];
}

/* The host address of user memory, touched first so that it exists. */
static inline void *at(uint64_t va)
{
    uint64_t pa;

    if (!process_translate(process, va, &pa)) {
        assert_int_equal(trap(TRAP_LOAD_PAGE, TEXT, va), PROCESS_CONTINUE);
        assert_true(process_translate(process, va, &pa));
    }
    return phys_host(&phys, pa);
}

static inline uint64_t word(uint64_t va)
{
    uint64_t value;

    memcpy(&value, at(va), sizeof value);
    return value;
}

static inline uint64_t put_text(uint64_t va, const char *text)
{
    strcpy(at(va), text);
    return va;
}

static inline int64_t open_guest(const char *path, uint64_t flags)
{
    return call(NR_openat, (uint64_t)AT_CWD, put_text(BUFFER + 0xc00, path), flags, 0644, 0);
}

#endif
