/* Loading a program under the guest kernel; see kernel.h. */
#define _POSIX_C_SOURCE 200809L     /* faccessat */
#include "sim/run/kernel/kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/csr.h"
#include "pmu/abi_directory.h"
#include "sim/run/kernel/kernel_host.h"
#include "sim/run/kernel/kernel_probes.h"
#include "sim/run/kernel/kernel_sampler.h"
#include "sim/run/linux/process_internal.h"
#include "sim/run/machine_internal.h"

#define NS_PER_US 1000
enum { SLICE_NS = 1000000, RING_RECORDS = 4096, STRINGS_MAX = 256 << 10, PAGE = PHYS_PAGE_BYTES };

/* ---- which programs -------------------------------------------------------------------------- */

enum { CLONE = 220, EXECVE = 221, CLONE3 = 435 };

static bool is_execve(uint32_t call)
{
    return call == EXECVE;
}

static bool needs_kernel(uint32_t call)
{
    return call == CLONE || call == EXECVE || call == CLONE3;
}

/* Searches `code` for a halfword-aligned `li a7, n` of such a call. The search is for the first
 * byte, as every run of a Linux program comes here. */
static bool has_call(const uint8_t *code, uint64_t bytes, bool (*is_wanted)(uint32_t call))
{
    enum { LI_A7 = 0x00893 };
    const uint8_t *end = code + bytes, *at = code;

    while (end - at >= 4 && (at = memchr(at, LI_A7 & 0xff, (size_t)(end - at) - 3)) != NULL) {
        uint32_t insn;
        memcpy(&insn, at, sizeof insn);
        if ((insn & 0xfffff) == LI_A7 && (at - code) % 2 == 0 && is_wanted(insn >> 20))
            return true;
        at++;
    }
    return false;
}

/* A dynamically linked program has its calls in its libraries. */
static bool may_call(const struct image *image, bool (*is_wanted)(uint32_t call))
{
    if (image->interpreter != 0)
        return true;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if ((segment->flags & PF_X) != 0 &&
            has_call(segment->bytes, segment->file_bytes, is_wanted))
            return true;
    }
    return false;
}

bool kernel_is_needed(const struct image *image)
{
    return may_call(image, needs_kernel);
}

bool kernel_may_execute(const struct image *image)
{
    return image->is_linux && may_call(image, is_execve);
}

bool kernel_is_wanted(const struct image *image, enum program_os os)
{
    return image->is_linux && os != PROGRAM_OS_HOST &&
           (os == PROGRAM_OS_KERNEL || kernel_is_needed(image));
}

/* ---- boot information ------------------------------------------------------------------------ */

struct boot {
    struct kernel_boot info;
    char strings[STRINGS_MAX];
};

static bool add_string(struct boot *boot, const char *text)
{
    size_t bytes = strlen(text) + 1;

    if (bytes > sizeof boot->strings - boot->info.strings_bytes)
        return false;
    memcpy(boot->strings + boot->info.strings_bytes, text, bytes);
    boot->info.strings_bytes += bytes;
    return true;
}

static bool add_strings(struct boot *boot, const struct machine *machine,
                        const struct program *program)
{
    bool fits = add_string(boot, machine->process->files.exe_name);

    for (int i = 0; i < program->argc && fits; i++, boot->info.argc++)
        fits = add_string(boot, program->argv[i]);
    for (int i = 0; fits && program->env != NULL && program->env[i] != NULL;
         i++, boot->info.envc++)
        fits = add_string(boot, program->env[i]);
    return fits;
}

static void describe_machine(struct kernel_boot *info, const struct machine *machine)
{
    uint64_t user_letters = 0;

    for (const char *letter = "IMAFDCV"; *letter != '\0'; letter++)
        user_letters |= UINT64_C(1) << (*letter - 'A');
    info->magic = KERNEL_MAGIC;
    info->harts = machine->harts;
    info->memory_end = PHYS_RAM_BASE + machine->phys.ram_bytes - machine->reserve_top_bytes;
    info->tick_ns_up = (uint64_t)machine->config.machine_timebase_divider * NS_PER_US;
    info->tick_ns_down = machine->config.machine_clock_mhz;
    info->epoch_seconds = machine->process->epoch_seconds;
    info->seed = machine->config.machine_seed;
    info->hwcap = machine->cpu[0].hart.misa & user_letters;
    info->slice_ns = SLICE_NS;
}

static uint64_t look_ticks(const struct config *config)
{
    uint64_t ticks = (uint64_t)KERNEL_LOOK_NS * config->machine_clock_mhz /
                     (config->machine_timebase_divider * NS_PER_US);

    return ticks != 0 ? ticks : 1;
}

static void describe_program(struct kernel_boot *info, const struct image *image)
{
    info->exec_stack = image->needs_exec_stack;
    info->entry = image->entry;
    info->phdr_va = image->phdr_vaddr;
    info->phdr_bytes = image->phdr_bytes;
    info->phdr_count = image->phdr_vaddr != 0 ? image->phdr_count : 0;
    info->interpreter_va = image->interpreter;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static enum err too_little_memory(const struct machine *machine, struct diag *diag)
{
    return diag_set(diag, ERR_USAGE, "%s: does not fit into memory with the guest kernel; raise "
                    "machine.memory_mib", machine->image->path);
}

/* Page tables for the segments, after them in memory: the time the kernel takes to start does not
 * depend on the size of the image. */
static enum err make_tables(struct machine *machine, struct kernel_boot *info, struct diag *diag)
{
    const struct process_segment *place = machine->process->segments;
    struct vm vm;
    bool fits = vm_init(&vm, &machine->phys, info->memory_pa, info->memory_end, VM_USER_END);

    for (size_t i = 0; i < info->segments && fits; i++)
        fits = vm_load(&vm, info->segment[i].va, info->segment[i].bytes,
                       (unsigned)info->segment[i].prot, place[i].paddr) == 0;
    info->image_root_pa = vm.table.root_pa;
    info->memory_pa = vm.table.next_pa;
    vm_free(&vm);
    return fits ? ERR_OK : too_little_memory(machine, diag);
}

/* Segments follow each other from the kernel's end on; without a kernel, from the start of
 * memory. */
static enum err load_program(struct machine *machine, struct boot *boot, struct diag *diag)
{
    const struct image *image = machine->image;
    struct kernel_boot *info = &boot->info;
    struct process *process = machine->process;
    enum err err = process_check_addresses(image, diag);

    if (err != ERR_OK)
        return err;
    if (image->segment_count > KERNEL_SEGMENTS)
        return diag_set(diag, ERR_USAGE, "%s: %zu segments; the guest kernel takes %d",
                        image->path, image->segment_count, KERNEL_SEGMENTS);
    info->memory_pa = process_place_segments(process, KERNEL_PA + KERNEL_BYTES);
    if (info->memory_pa >= info->memory_end)
        return too_little_memory(machine, diag);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        unsigned flags = segment->flags;

        info->segment[info->segments++] = (struct kernel_segment){
            segment->vaddr, segment->mem_bytes,
            (flags & PF_R ? VM_READ : 0u) | (flags & PF_W ? VM_WRITE : 0u) |
                (flags & PF_X ? VM_EXEC : 0u),
            (uint64_t)(segment->bytes - image->file)};
        phys_copy_in(&machine->phys, process->segments[i].paddr, segment->bytes,
                     segment->file_bytes);
    }
    return make_tables(machine, info, diag);
}

/* Makes rings for the scheduler's records; they are off until requested. */
static void place_rings(struct machine *machine, struct kernel_boot *info)
{
    uint64_t records_pa = info->memory_pa + PAGE;
    uint64_t bytes = RING_RECORDS * sizeof(struct kernel_record);

    info->rings_pa = info->memory_pa;
    for (unsigned i = 0; i < machine->harts; i++) {
        const struct kernel_ring ring = {.capacity = RING_RECORDS,
                                         .records_pa = records_pa + i * bytes};

        phys_copy_in(&machine->phys, info->rings_pa + i * sizeof ring, &ring, sizeof ring);
    }
    info->memory_pa = (records_pa + machine->harts * bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    machine->kernel->rings_pa = info->rings_pa;
    machine->kernel->harts = machine->harts;
}

/* Makes trees of call stacks, if idle harts are to be sampled. */
static enum err place_sampler(struct machine *machine, struct kernel_boot *info,
                              struct diag *diag)
{
    uint64_t end = 0;
    enum err err;

    if (machine->wants == NULL || machine->wants->sampling == NULL)
        return ERR_OK;
    err = kernel_sampler_place(machine, info->memory_pa, &end, diag);
    info->sampler_pa = machine->kernel->sampler_pa;
    info->memory_pa = end;
    return err;
}

static enum err load_kernel(struct machine *machine, const struct image *image, struct diag *diag)
{
    const struct image_symbol *directory = image_find_symbol(image, KERNEL_DIRECTORY);

    for (size_t i = 0; i < image->segment_count; i++)
        phys_copy_in(&machine->phys, image->segments[i].paddr, image->segments[i].bytes,
                     image->segments[i].file_bytes);
    if (directory != NULL)
        machine->kernel->directory_pa = directory->addr - KERNEL_MAP;
    if (image->entry != KERNEL_MAP + KERNEL_PA)
        return diag_set(diag, ERR_USAGE, "%s: is no guest kernel", image->path);
    return ERR_OK;
}

static enum err load_kernel_file(struct machine *machine, const char *path, struct diag *diag)
{
    struct image image;
    enum err err = image_open(&image, path, diag);

    if (err != ERR_OK)
        return err;
    err = load_kernel(machine, &image, diag);
    image_close(&image);
    return err;
}

/* A missing dynamic linker is the user's mistake, and is reported before the kernel runs. */
static enum err check_interpreter(const struct machine *machine, struct diag *diag)
{
    const struct image *image = machine->image;
    struct place place;
    const char *path = NULL;

    for (size_t i = 0; i < image->segment_count && image->interpreter != 0; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t offset = image->interpreter - segment->vaddr;

        if (offset < segment->file_bytes &&
            memchr(segment->bytes + offset, '\0', segment->file_bytes - offset) != NULL)
            path = (const char *)segment->bytes + offset;
    }
    if (image->interpreter == 0)
        return ERR_OK;
    if (path != NULL && files_resolve(&machine->process->files, FILES_CWD, path, true,
                                      &place) == 0) {
        bool is_there = place.kind == PLACE_FILE &&
                        faccessat(place.dir_fd, place.name, R_OK, 0) == 0;

        place_free(&place);
        if (is_there)
            return ERR_OK;
    }
    return diag_set(diag, ERR_USAGE, "%s: dynamically linked, and its interpreter %s is not below "
                    "the root; name a root that has it and the libraries (--root), or link it "
                    "with -static", image->path, path != NULL ? path : "(unnamed)");
}

static enum err load_all(struct machine *machine, const struct program *program,
                         struct boot *boot, struct diag *diag)
{
    enum err err = check_interpreter(machine, diag);

    if (err == ERR_OK)
        err = program->kernel_image != NULL ? load_kernel(machine, program->kernel_image, diag)
                                            : load_kernel_file(machine, program->kernel, diag);

    describe_machine(&boot->info, machine);
    describe_program(&boot->info, machine->image);
    if (err == ERR_OK)
        err = load_program(machine, boot, diag);
    if (err == ERR_OK)
        err = kernel_probes_describe(machine, &boot->info, diag);
    if (err == ERR_OK && !add_strings(boot, machine, program))
        err = diag_set(diag, ERR_USAGE, "%s: arguments and environment take more than %d KiB",
                       program->path, STRINGS_MAX >> 10);
    if (err != ERR_OK)
        return err;
    place_rings(machine, &boot->info);
    err = place_sampler(machine, &boot->info, diag);
    if (err != ERR_OK)
        return err;
    if (boot->info.memory_pa + (1 << 20) > boot->info.memory_end)
        return too_little_memory(machine, diag);
    phys_copy_in(&machine->phys, KERNEL_BOOT_PA, &boot->info,
                 sizeof boot->info + boot->info.strings_bytes);
    return ERR_OK;
}

/* ---- boot ------------------------------------------------------------------------------------ */

/* Sets all counts to zero, so that no figure of the program includes the boot. */
static void begin_at_zero(struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++) {
        struct cpu *cpu = &machine->cpu[i];

        machine->boot_insns += pmu_program_insns(&cpu->pmu);
        memset(cpu->pmu.events, 0, sizeof cpu->pmu.events);
        cpu->pmu.thread.modes = (struct pmu_modes){.since_cycles = 0};
        cpu->left_monitor = UINT64_MAX;
        fast_free(machine->fast[i]);
        machine->fast[i] = NULL;
    }
    machine->devices->clint.mtime = machine->devices->clint.latest = 0;
    machine->devices->cycle = 0;
    machine->synced_cycles = machine->turn_end = machine->round_end = 0;
    machine->turn_hart = machine->harts;
    machine->result = (struct result){.reason = RESULT_EXIT};
}

static enum err boot_kernel(struct machine *machine, struct diag *diag)
{
    const struct limits limits = {.max_insns = 100000000};
    enum engine wanted = machine->engine;
    void (*progress)(void *, const struct machine *) = machine->progress;

    for (unsigned i = 0; i < machine->harts; i++) {
        hart_reset(&machine->cpu[i].hart, i, KERNEL_PA, 0);
        hart_set_xlen(&machine->cpu[i].hart, 64);
        machine->cpu[i].pmu.user = PROF_USER_ALL;
        cpu_privilege_changed(&machine->cpu[i]);
    }
    machine->engine = ENGINE_FAST;
    machine->progress = NULL;
    machine_run(machine, &limits);
    machine->engine = wanted;
    machine->progress = progress;
    if (machine->result.reason == RESULT_INTERRUPTED)
        return diag_set(diag, ERR_INTERRUPTED, "%s: stopped while the guest kernel started",
                        machine->image->path);
    if (machine->result.reason != RESULT_HALTED)
        return diag_set(diag, ERR_USAGE, "%s: the guest kernel did not start it%s%s",
                        machine->image->path, machine->result.text[0] != '\0' ? ": " : "",
                        machine->result.text);
    begin_at_zero(machine);
    return ERR_OK;
}

enum err kernel_load(struct machine *machine, const struct program *program, struct diag *diag)
{
    const struct process_options options = {
        .argc = program->argc, .argv = program->argv, .root = program->root,
        .fds = {machine->io.fds[0], machine->io.fds[1], machine->io.fds[2]},
        .seed = machine->config.machine_seed, .outside = program->outside,
        .time_ns = machine_process_time, .time_arg = machine,
        .epoch_seconds = program->epoch_seconds,
        .log = machine->io.log,
        .trace = machine->io.trace_syscalls,
    };
    struct boot *boot = calloc(1, sizeof *boot);
    enum err err = boot != NULL ? process_new_guest(&machine->process, &machine->phys,
                                                    machine->image, &options, diag)
                                : diag_no_memory(diag, NULL);

    machine->kernel = calloc(1, sizeof *machine->kernel);
    if (err == ERR_OK && (machine->kernel == NULL ||
                          !kernel_host_init(machine->kernel, &machine->phys, machine->process,
                                            machine->devices, look_ticks(&machine->config))))
        err = diag_no_memory(diag, NULL);
    if (err == ERR_OK) {
        machine->kernel->log = machine->io.log;
        machine->kernel->placed = machine->placed;
        machine->kernel->placed_arg = machine->placed_arg;
        machine->kernel->paged = machine->paged;
        machine->kernel->latency_ticks =
            (machine->config.machine_host_call_cycles +
             machine->config.machine_timebase_divider - 1) /
            machine->config.machine_timebase_divider;
        err = load_all(machine, program, boot, diag);
    }
    free(boot);
    return err == ERR_OK ? boot_kernel(machine, diag) : err;
}

void kernel_free(struct machine *machine)
{
    if (machine->kernel != NULL)
        kernel_host_free(machine->kernel);
    machine->kernel = NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void describe_end(struct machine *machine)
{
    static const char *const reasons[] = {"", " at address 0x%llx", "", ": memory is full"};
    const struct kernel_host *host = machine->kernel;
    const struct image_symbol *symbol = kernel_host_program(host, 0) == 0
        ? image_symbol_at(machine->image, host->end_pc) : NULL;     /* else of another program */
    char place[96] = "", where[64] = "";

    if (symbol != NULL)
        snprintf(place, sizeof place, " (%.60s+0x%llx)", symbol->name,
                 (unsigned long long)(host->end_pc - symbol->addr));
    if (host->end_reason == 1)
        snprintf(where, sizeof where, " at address 0x%llx", (unsigned long long)host->end_va);
    else if (host->end_reason < 4)
        snprintf(where, sizeof where, "%s", reasons[host->end_reason]);
    snprintf(machine->result.text, sizeof machine->result.text, "killed by %s%s, pc 0x%llx%s",
             process_signal_name(host->signal), where, (unsigned long long)host->end_pc, place);
}

bool kernel_serve(struct machine *machine)
{
    enum { SIGNALLED = 128 };
    struct kernel_host *host = machine->kernel;

    if (host->is_ready) {
        host->is_ready = false;
        machine->result = (struct result){.reason = RESULT_HALTED};
        return true;
    }
    if (!host->has_ended)
        return false;
    kernel_host_drain(host);
    machine->result = (struct result){.reason = RESULT_EXIT, .exit_code = host->exit_code};
    if (host->signal != 0) {
        machine->result = (struct result){.reason = RESULT_TRAP,
                                          .exit_code = SIGNALLED + host->signal};
        describe_end(machine);
    }
    machine->ended = true;
    return true;
}
