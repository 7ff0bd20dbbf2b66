/* The walk by struct frames against the truth, at every few instructions of compiled programs: C
 * and C++, static glibc and bare metal, RV64 and RV32, several levels of optimisation, with frame
 * pointers and without, stripped and not. Every walk must be exact.
 *
 * The truth is worked out from the instructions that a program executes alone: a call puts its
 * return address and sp on a shadow stack, the jump back to both takes it off. A jump that raises
 * sp further (longjmp, an exception) takes off all calls below. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pmu/key.h"
#include "sim/run/frames/frames.h"
#include "sim/run/machine.h"

enum { SHADOW_DEPTH = 4096, SHADOW_FAULTS = 1 };

/* The sanitizers take ten times as long, and get every eighth program. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 8 };
#else
enum { STRIDE = 1 };
#endif

struct shadow_call {
    uint64_t back, sp;
};

struct shadow {
    struct machine machine;
    struct config config;
    struct frames frames;
    struct monitor_rule rules[MONITOR_RULES];
    struct shadow_call call[SHADOW_DEPTH];
    unsigned depth;
    uint64_t walks, exact, broken;      /* compared; the same; said to be broken */
    uint64_t skipped;                   /* in code that is left out */
    bool is_stripped;                   /* the table is made without symbols */
    bool is_old;                        /* walks without the table */
    const char *const *left_out;        /* functions, NULL at the end; or NULL */
    const char *const *left_out_below;  /* the same with what they call */
    unsigned faults;                    /* shown */
};

static bool shadow_read(void *arg, unsigned long long va, unsigned long long *value)
{
    const struct cpu *cpu = arg;
    uint64_t pa;

    return mmu_probe(&cpu->mmu, va, MMU_LOAD, cpu->hart.priv, &pa) == TRAP_NONE &&
           phys_copy_out(cpu->phys, pa, value, sizeof *value);
}

static struct insn shadow_insn(struct cpu *cpu, uint64_t pc)
{
    unsigned long long low = 0, high = 0;
    unsigned shift = (unsigned)(pc & 7) * 8;
    struct insn insn;
    uint32_t bits;

    shadow_read(cpu, pc & ~7ull, &low);
    shadow_read(cpu, (pc & ~7ull) + 8, &high);
    bits = (uint32_t)(shift == 0 ? low : low >> shift | high << (64 - shift));
    insn_decode_xlen(&insn, insn_length(bits) == 2 ? bits & 0xffff : bits, hart_xlen(&cpu->hart));
    return insn;
}

static uint64_t shadow_register(const struct cpu *cpu, unsigned reg)
{
    return hart_address(&cpu->hart, cpu->hart.reg[reg]);
}

/* ---- the truth ------------------------------------------------------------------------------- */

static bool shadow_is_same_function(const struct shadow *shadow, uint64_t a, uint64_t b)
{
    const struct image_symbol *x = image_symbol_at(shadow->machine.image, a);
    const struct image_symbol *y = image_symbol_at(shadow->machine.image, b);
    size_t length;

    if (x == NULL || y == NULL || (x == y && a == x->addr))
        return false;
    length = strcspn(x->name, ".");
    return strncmp(x->name, y->name, length) == 0 && strcspn(y->name, ".") == length;
}

static void shadow_jump(struct shadow *shadow, const struct insn *insn, uint64_t pc,
                               uint64_t sp)
{
    const struct shadow_call *top;

    while (shadow->depth != 0 && shadow->call[shadow->depth - 1].sp < sp &&
           insn->rs1 != UNWIND_T0)
        shadow->depth--;
    if (shadow->depth == 0)
        return;
    top = &shadow->call[shadow->depth - 1];
    if ((top->back == pc && (top->sp == sp || insn->rs1 == UNWIND_T0)) ||
        (top->sp == sp && shadow_is_same_function(shadow, pc, top->back - 1)))
        shadow->depth--;
}

/* Executes these instructions. A run of the machine begins without a cached translation, which
 * costs much more than the instructions, so the engine goes on alone until the machine has to serve
 * a stop. */
static void shadow_execute(struct machine *machine, uint64_t insns, enum insn_kind last)
{
    struct limits limits = {.max_insns = machine_insns(machine) + insns};
    enum stop stop = STOP_HOST_CALL;

    if (machine->fast[0] != NULL && last != KIND_SYSTEM && !machine->cpu[0].phys->event)
        stop = fast_run(machine->fast[0], insns);
    if (stop != STOP_QUOTA)
        machine_run(machine, &limits);
    assert_true(machine->ended || machine_insns(machine) == limits.max_insns);
}

/* The instructions from here to the first that may not be followed by the next one, which is the
 * last of them, or `most`: one run of the engine costs much more than one instruction. */
static uint64_t shadow_straight(struct cpu *cpu, uint64_t most, struct insn *last, uint64_t *back)
{
    uint64_t pc = cpu->hart.pc, insns = 0;
    enum insn_kind kind;

    do {
        *last = shadow_insn(cpu, pc);
        pc += last->length;
        kind = insn_info[last->op].kind;
    } while (++insns < most && (kind == KIND_ALU || kind == KIND_LOAD || kind == KIND_STORE));
    *back = pc;
    return insns;
}

/* Executes at most `most` instructions, and returns how many. */
static uint64_t shadow_step(struct shadow *shadow, uint64_t most)
{
    struct cpu *cpu = &shadow->machine.cpu[0];
    struct insn insn;
    uint64_t back, insns = shadow_straight(cpu, most, &insn, &back);
    enum insn_kind kind = insn_info[insn.op].kind;
    bool is_call = (kind == KIND_JAL || kind == KIND_JALR) &&
                   (insn.rd == UNWIND_RA || insn.rd == UNWIND_T0);

    shadow_execute(&shadow->machine, insns, kind);
    if (is_call && shadow->depth < SHADOW_DEPTH)
        shadow->call[shadow->depth++] =
            (struct shadow_call){.back = back, .sp = shadow_register(cpu, UNWIND_SP)};
    else if (kind == KIND_JALR)
        shadow_jump(shadow, &insn, cpu->hart.pc, shadow_register(cpu, UNWIND_SP));
    return insns;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static const char *shadow_name(const struct shadow *shadow, uint64_t address)
{
    const struct image_symbol *symbol = image_symbol_at(shadow->machine.image, address);

    return symbol != NULL ? symbol->name : "?";
}

static bool shadow_is_named(const char *const *list, const char *name)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

/* In one of these functions. */
static bool shadow_is_left_out(const struct shadow *shadow, uint64_t pc)
{
    bool is_out = shadow_is_named(shadow->left_out, shadow_name(shadow, pc)) ||
                  shadow_is_named(shadow->left_out_below, shadow_name(shadow, pc));

    for (unsigned i = 0; i < shadow->depth && !is_out; i++)
        is_out = shadow_is_named(shadow->left_out_below,
                                 shadow_name(shadow, shadow->call[i].back - 1));
    return is_out;
}

static void shadow_show(struct shadow *shadow, const struct monitor_stack *stack)
{
    if (shadow->faults++ >= SHADOW_FAULTS)
        return;
    printf("# walk %u:", stack->walk);
    for (unsigned i = 0; i < stack->depth; i++)
        printf(" %s %llx", shadow_name(shadow, stack->address[i] - (i != 0)), stack->address[i]);
    printf("\n# truth:");
    for (unsigned i = shadow->depth; i-- > 0;)
        printf(" %s %" PRIx64, shadow_name(shadow, shadow->call[i].back - 1),
               shadow->call[i].back);
    printf("\n");
}

static bool shadow_is_same(const struct shadow *shadow, const struct monitor_stack *stack)
{
    unsigned depth = shadow->depth + 1 < MONITOR_DEPTH_MAX ? shadow->depth + 1 : MONITOR_DEPTH_MAX;

    if (stack->depth != depth || stack->walk == MONITOR_WALK_BROKEN)
        return false;
    for (unsigned i = 1; i < depth; i++)
        if (stack->address[i] != shadow->call[shadow->depth - i].back)
            return false;
    return true;
}

static void shadow_compare(struct shadow *shadow)
{
    struct cpu *cpu = &shadow->machine.cpu[0];
    struct monitor_stack stack;
    struct unwind unwind = {
        .read = shadow_read, .arg = cpu, .pc = cpu->hart.pc, .rules = shadow->rules,
        .ra = shadow_register(cpu, UNWIND_RA), .sp = shadow_register(cpu, UNWIND_SP),
        .fp = shadow_register(cpu, UNWIND_FP), .is_32 = hart_xlen(&cpu->hart) == 32,
        .frames = shadow->is_old ? NULL : shadow->frames.table,
    };

    if (shadow_is_left_out(shadow, cpu->hart.pc)) {
        shadow->skipped++;
        return;
    }
    monitor_walk(&unwind, &stack);
    shadow->walks++;
    shadow->broken += stack.walk == MONITOR_WALK_BROKEN;
    if (shadow_is_same(shadow, &stack))
        shadow->exact++;
    else
        shadow_show(shadow, &stack);
}

/* Runs the program and compares at every `each`-th instruction. `strip`: the walk knows no symbol.
 * False: it could not be run. */
static bool shadow_run(struct shadow *shadow, const char *path, unsigned each, bool strip)
{
    struct diag diag = {0};
    char *argv[] = {(char *)path, NULL};
    struct program program = {.path = path, .argc = 1, .argv = argv};
    struct image *image = &shadow->machine.own_image;
    size_t symbols;
    bool is_built;

    config_init(&shadow->config);
    if (machine_init(&shadow->machine, &shadow->config, &diag) != ERR_OK)
        return false;
    shadow->machine.engine = ENGINE_FAST;
    shadow->machine.io.out = shadow->machine.io.err = NULL;
    is_built = machine_load(&shadow->machine, &program, &diag) == ERR_OK;
    symbols = image->symbol_count;
    if (strip)
        image->symbol_count = 0;
    is_built = is_built && frames_build(&shadow->frames, image, &diag) == ERR_OK;
    image->symbol_count = symbols;
    for (uint64_t i = 0; is_built && !shadow->machine.ended;) {
        if (i % each == 0)
            shadow_compare(shadow);
        i += shadow_step(shadow, each - i % each);
    }
    if (!is_built)
        printf("# %s: %s\n", path, diag.text);
    frames_free(&shadow->frames);
    machine_free(&shadow->machine);
    return is_built;
}

/* ---- programs -------------------------------------------------------------------------------- */

#define PROGRAMS "tests/sim/run/frames/programs/"
#define BARE "-mcmodel=medany -ffreestanding -nostdlib -DSTACK_BYTES=65536 " \
             "-T tests/programs/bare.ld tests/programs/start.S -I. "
#define BARE_64 "${GUEST_CC:-riscv64-unknown-elf-gcc} -march=rv64gc -mabi=lp64d " BARE
#define BARE_32 "${GUEST_CC:-riscv64-unknown-elf-gcc} -march=rv32imafc_zicsr -mabi=ilp32f " BARE
#define LINUX "${LINUX_CC:-riscv64-linux-gnu-gcc} -I. "
#define LINUX_CXX "${LINUX_CXX:-riscv64-linux-gnu-g++} -I. "

/* Assembler that leaves its frame amid: sets all registers from memory. */
static const char *const assembler[] = {
    "__longjmp", "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_DebugHook", NULL,
};
/* libgcc's routines of -msave-restore, which enter each other. */
static const char *const saving[] = {
    "__riscv_save_12", "__riscv_save_10", "__riscv_save_11", "__riscv_save_8", "__riscv_save_9",
    "__riscv_save_6", "__riscv_save_7", "__riscv_save_4", "__riscv_save_5", "__riscv_save_2",
    "__riscv_save_3", "__riscv_save_0", "__riscv_save_1", "__riscv_restore_12",
    "__riscv_restore_10", "__riscv_restore_11", "__riscv_restore_8", "__riscv_restore_9",
    "__riscv_restore_6", "__riscv_restore_7", "__riscv_restore_4", "__riscv_restore_5",
    "__riscv_restore_2", "__riscv_restore_3", "__riscv_restore_0", "__riscv_restore_1",
    "__longjmp", "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_DebugHook", NULL,
};
/* Replaces the saved registers of its caller by those of the handler's frame. */
static const char *const replacing[] = {"uw_install_context_1", NULL};

static int status_of(const char *command)
{
    int status = system(command);

    return status != -1 && (status & 0x7f) == 0 ? status >> 8 & 0xff : -1;
}

/* Compiles, runs and compares. The share with the table, or without it. */
static void walk(struct shadow *shadow, const char *compiler, const char *flags,
                 const char *source, unsigned each)
{
    char path[] = "/tmp/frames-XXXXXX", command[1024];
    int file = mkstemp(path);

    assert_true(file >= 0);
    snprintf(command, sizeof command, "%s -w -static %s " PROGRAMS "%s -o %s", compiler, flags,
             source, path);
    if (status_of(command) != 0)
        fail_msg("does not build: %s", command);
    shadow->left_out = strstr(flags, "-msave-restore") != NULL ? saving : assembler;
    shadow->left_out_below = replacing;
    assert_true(shadow_run(shadow, path, each, shadow->is_stripped));
    assert_int_equal(shadow->machine.result.exit_code, 0);
    close(file);
    unlink(path);
}

static bool has_compilers(void)
{
    return status_of("command -v riscv64-unknown-elf-gcc riscv64-linux-gnu-g++ >/dev/null") == 0;
}

static void expect_exact(const char *compiler, const char *flags, const char *source,
                         unsigned each)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);

    assert_non_null(shadow);
    if (!has_compilers()) {
        free(shadow);
        skip();
    }
    walk(shadow, compiler, flags, source, each);
    print_message("# %s %s: %" PRIu64 " of %" PRIu64 " stacks exact\n", source, flags,
                  shadow->exact, shadow->walks);
    if (shadow->exact != shadow->walks || shadow->walks < 400)
        fail_msg("%s %s: %" PRIu64 " of %" PRIu64 " stacks exact", source, flags, shadow->exact,
                 shadow->walks);
    assert_true(shadow->skipped < shadow->walks / 50);
    free(shadow);
}

static const char *const flags[] = {
    "-O0", "-O1", "-O2", "-Os", "-O3", "-O2 -fno-omit-frame-pointer", "-O2 -g",
    "-O2 -fasynchronous-unwind-tables -fno-omit-frame-pointer", "-O1 -s", "-Os -s",
};

static void bare_metal_stacks_are_exact_at_every_instruction(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i += STRIDE) {
        expect_exact(BARE_64, flags[i], "bare.c", 1);
        expect_exact(BARE_32, flags[i], "bare.c", 1);
    }
}

static void stacks_of_a_c_library_are_exact_down_to_start(void **state)
{
    (void)state;
    for (size_t i = 0; i < 8; i += STRIDE)
        expect_exact(LINUX, flags[i], "linux.c", 7);
}

/* A static program sorts the frames of all functions at its first exception, which is nine tenths
 * of its instructions; with these options it looks them up in the linker's table, as dynamic
 * programs do. */
#define SEARCHED " -Wl,--eh-frame-hdr,--defsym=__register_frame_info=0," \
                 "--defsym=__deregister_frame_info=0"

/* The assembler code that is left out is a large part of such a short run. */
static void expect_exceptions_exact(const char *flags_of, unsigned each)
{
    struct shadow *shadow;

    if (!has_compilers())
        skip();
    shadow = calloc(1, sizeof *shadow);
    assert_non_null(shadow);
    walk(shadow, LINUX_CXX, flags_of, "throws.cc", each);
    print_message("# throws.cc %s: %" PRIu64 " of %" PRIu64 " stacks exact\n", flags_of,
                  shadow->exact, shadow->walks);
    assert_int_equal(shadow->exact, shadow->walks);
    assert_true(shadow->walks >= 10000);
    free(shadow);
}

static void stacks_of_exceptions_are_exact(void **state)
{
    (void)state;
    if (STRIDE == 1)
        expect_exact(LINUX_CXX, "-O2", "throws.cc", 29);
    else
        expect_exceptions_exact("-O2" SEARCHED, 5);
}

/* Compilers describe the frame wrongly where they jump to the routine that restores registers. */
static void frames_that_routines_save_and_restore_are_left_exactly(void **state)
{
    (void)state;
    expect_exceptions_exact("-Os -msave-restore" SEARCHED, 3);
}

/* Where functions start is guessed. */
static void without_symbols_nearly_all_stacks_of_a_c_library_are_exact(void **state)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);

    (void)state;
    assert_non_null(shadow);
    shadow->is_stripped = true;
    walk(shadow, LINUX, "-O2", "linux.c", 3);
    print_message("# stripped: %" PRIu64 " of %" PRIu64 " stacks exact\n", shadow->exact,
                  shadow->walks);
    assert_true(shadow->exact * 1000 >= shadow->walks * 995);
    free(shadow);
}

/* Without the table, frame pointers and the code ahead tell little of a C library. */
static void without_the_table_most_stacks_of_a_c_library_are_not_exact(void **state)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);

    (void)state;
    assert_non_null(shadow);
    shadow->is_old = true;
    shadow->faults = SHADOW_FAULTS;
    walk(shadow, LINUX, "-O2", "linux.c", 3);
    assert_true(shadow->exact < shadow->walks / 2);
    free(shadow);
}

/* Each of three programs has its own file, and the two others also libraries; all have the kernel.
 * The kernel's file is any, at its addresses. */
static void other_programs_have_tables_of_their_own(void **state)
{
    const uint64_t bias[] = {KERNEL_MAP, UINT64_C(1) << KEY_SHIFT, UINT64_C(2) << KEY_SHIFT,
                             (UINT64_C(1) << KEY_SHIFT) + 0x10000000,
                             (UINT64_C(1) << KEY_SHIFT) + 0x20000000};
    enum { IMAGES = sizeof bias / sizeof bias[0] };
    char path[] = "/tmp/frames-XXXXXX", command[1024];
    int file = mkstemp(path);
    struct image image[IMAGES], first;
    struct frames frames;
    const struct frames *second;
    struct diag diag = {""};

    (void)state;
    assert_true(file >= 0);
    snprintf(command, sizeof command, LINUX "-w -static -O1 " PROGRAMS "linux.c -o %s", path);
    if (status_of("command -v riscv64-linux-gnu-gcc >/dev/null") != 0)
        skip();
    assert_int_equal(status_of(command), 0);
    assert_int_equal(image_open(&first, path, &diag), ERR_OK);
    assert_int_equal(frames_build(&frames, &first, &diag), ERR_OK);
    for (unsigned i = 0; i < IMAGES; i++) {
        assert_int_equal(image_open_module(&image[i], path, bias[i], &diag), ERR_OK);
        assert_int_equal(frames_add_module(&frames, &image[i], &diag), ERR_OK);
    }
    second = frames_of(&frames, bias[1]);
    assert_ptr_equal(frames_of(&frames, 0), &frames);
    assert_int_equal(frames.modules, 1);
    assert_int_equal(frames.taken, IMAGES);
    assert_int_equal(second->table->base, frames.table->base);
    assert_int_equal(second->modules, 3);
    assert_ptr_equal(second->module[0], frames.module[0]);
    assert_int_equal(second->module[1]->base, frames.table->base + 0x10000000);
    assert_int_equal(second->module[2]->base, frames.table->base + 0x20000000);
    assert_int_equal(frames_of(&frames, bias[2])->modules, 1);
    assert_null(frames_of(&frames, UINT64_C(3) << KEY_SHIFT)->table);
    frames_free(&frames);
    for (unsigned i = 0; i < IMAGES; i++)
        image_close(&image[i]);
    image_close(&first);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_metal_stacks_are_exact_at_every_instruction),
        cmocka_unit_test(stacks_of_a_c_library_are_exact_down_to_start),
        cmocka_unit_test(stacks_of_exceptions_are_exact),
        cmocka_unit_test(frames_that_routines_save_and_restore_are_left_exactly),
        cmocka_unit_test(without_symbols_nearly_all_stacks_of_a_c_library_are_exact),
        cmocka_unit_test(without_the_table_most_stacks_of_a_c_library_are_not_exact),
        cmocka_unit_test(other_programs_have_tables_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
