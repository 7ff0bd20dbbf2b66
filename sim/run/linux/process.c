/* A user-mode program: loading it, and handling its traps; see process.h. */
#include "sim/run/linux/process.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/linux/process_internal.h"

#define PAGE_MASK ((uint64_t)PHYS_PAGE_BYTES - 1)
#define MAP_END (PROCESS_STACK_START - STACK_GAP_BYTES)

enum { SIG_ILL = 4, SIG_TRAP = 5, SIG_BUS = 7, SIG_KILLED = 9, SIG_SEGV = 11 };

/* ---- loading ---------------------------------------------------------------------------- */

static unsigned prot_of(unsigned flags)
{
    return (flags & PF_R ? VM_READ : 0u) | (flags & PF_W ? VM_WRITE : 0u) |
           (flags & PF_X ? VM_EXEC : 0u);
}

static uint64_t page_of(uint64_t address) { return address & ~PAGE_MASK; }

/* Chooses physical addresses one after the other; a page shared with the segment before counts
 * once. Returns the end. */
uint64_t process_place_segments(struct process *process, uint64_t pa)
{
    uint64_t next_pa = pa, mapped_end = 0;
    size_t i;

    for (i = 0; i < process->image->segment_count; i++) {
        const struct image_segment *segment = &process->image->segments[i];
        uint64_t first = page_of(segment->vaddr);
        uint64_t end = page_of(segment->vaddr + segment->mem_bytes + PAGE_MASK);
        uint64_t first_pa = first < mapped_end ? next_pa - PHYS_PAGE_BYTES : next_pa;

        process->segments[i] = (struct process_segment){
            segment->vaddr, first_pa + (segment->vaddr & PAGE_MASK), segment->mem_bytes};
        next_pa = first_pa + (end - first);
        mapped_end = end;
    }
    return next_pa;
}

enum err process_check_addresses(const struct image *image, struct diag *diag)
{
    size_t i;

    for (i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];

        if (segment->vaddr < VM_USER_START || segment->vaddr + segment->mem_bytes > MAP_END) {
            return diag_set(diag, ERR_USAGE, "%s: segment at 0x%" PRIx64 " is outside user "
                            "addresses (0x%" PRIx64 " to 0x%" PRIx64 ")", image->path,
                            segment->vaddr, VM_USER_START, MAP_END);
        }
    }
    return ERR_OK;
}

static enum err too_little_memory(const struct process *process, struct diag *diag)
{
    return diag_set(diag, ERR_USAGE, "%s: does not fit into memory; raise machine.memory_mib",
                    process->image->path);
}

static enum err load_segments(struct process *process, struct phys *phys, struct diag *diag)
{
    size_t i;

    for (i = 0; i < process->image->segment_count; i++) {
        const struct image_segment *segment = &process->image->segments[i];
        uint64_t pa = process->segments[i].paddr;

        if (vm_load(&process->vm, segment->vaddr, segment->mem_bytes, prot_of(segment->flags),
                    pa) != 0) {
            return too_little_memory(process, diag);
        }
        phys_copy_in(phys, pa, segment->bytes, segment->file_bytes);
        process->brk_start = page_of(segment->vaddr + segment->mem_bytes + PAGE_MASK);
    }
    process->brk = process->brk_start;
    return ERR_OK;
}

static enum err make_space(struct process *process, struct phys *phys, uint64_t reserve_top_bytes,
                           struct diag *diag)
{
    const struct image *image = process->image;
    uint64_t end_pa = PHYS_RAM_BASE + phys->ram_bytes - reserve_top_bytes, free_pa;
    struct vm_region stack = {
        .start = PROCESS_STACK_START, .end = PROCESS_STACK_TOP, .flags = VM_RESERVE,
        .prot = VM_READ | VM_WRITE | (image->needs_exec_stack ? VM_EXEC : 0u)};
    enum err err = process_check_addresses(image, diag);

    if (err != ERR_OK) {
        return err;
    }
    process->segments = calloc(image->segment_count, sizeof *process->segments);
    if (process->segments == NULL) {
        return diag_no_memory(diag, NULL);
    }
    free_pa = process_place_segments(process, PHYS_RAM_BASE);
    if (reserve_top_bytes > phys->ram_bytes || free_pa >= end_pa ||
        !vm_init(&process->vm, phys, free_pa, end_pa, MAP_END)) {
        return too_little_memory(process, diag);
    }
    err = load_segments(process, phys, diag);
    if (err == ERR_OK && vm_map(&process->vm, &stack) != 0) {
        err = too_little_memory(process, diag);
    }
    return err;
}

/* User mode with every extension enabled; one PMP entry opens all of memory. */
static void set_hart(const struct process *process, struct cpu *cpu, uint64_t sp)
{
    enum { MSTATUS_FS_DIRTY = 3 << 13, PMP_NAPOT_RWX = 0x1f, REG_SP = 2 };
    struct hart *hart = &cpu->hart;

    memset(hart->reg, 0, sizeof hart->reg);
    hart->reg[REG_SP] = sp;
    hart->pc = process->image->entry;
    hart->priv = PRIV_U;
    hart->satp = vm_satp(&process->vm);
    hart->mstatus |= MSTATUS_FS_DIRTY;
    hart->mcounteren = hart->scounteren = UINT32_MAX;
    hart->pmpcfg[0] = PMP_NAPOT_RWX;
    hart->pmpaddr[0] = (UINT64_C(1) << 54) - 1;
    hart->pmp_active = 1;
    cpu->pmu.user = PROF_USER_ALL;
    cpu->host_serves_traps = true;
    cpu_privilege_changed(cpu);
    mmu_flush(&cpu->mmu);
}

enum err process_new(struct process **out, struct cpu *cpu, struct phys *phys,
                     const struct image *image, const struct process_options *options,
                     struct diag *diag)
{
    struct process *process = calloc(1, sizeof *process);
    uint64_t sp;
    enum err err;

    if (process == NULL) {
        return diag_no_memory(diag, NULL);
    }
    process->cpu = cpu;
    process->image = image;
    process->random = options->seed;
    process_set_clock(process, options);
    process->pid = GUEST_PID;
    process->outside = options->outside;
    process->log = options->log;
    process->trace = options->trace;
    process->may_hand_over = options->may_hand_over;
    strncpy(process->name, options->argc > 0 ? options->argv[0] : "", sizeof process->name - 1);
    process->files.root_fd = -1;
    err = make_space(process, phys, options->reserve_top_bytes, diag);
    if (err == ERR_OK) {
        err = files_init(&process->files, options->root, options->fds, image->path, diag);
    }
    if (err == ERR_OK) {
        err = process_build_stack(process, options, &sp, diag);
    }
    if (err != ERR_OK) {
        process_free(process);
        return err;
    }
    set_hart(process, cpu, sp);
    process->vm.changed = false;
    *out = process;
    return ERR_OK;
}

void process_free(struct process *process)
{
    if (process == NULL) {
        return;
    }
    vm_free(&process->vm);
    files_free(&process->files);
    free(process->segments);
    free(process);
}

/* ---- traps ------------------------------------------------------------------------------ */

/* "main+0x1c" with a space before, or nothing. */
static const char *place_name(const struct process *process, uint64_t pc, char text[128])
{
    const struct image_symbol *symbol = image_symbol_at(process->image, pc);

    text[0] = '\0';
    if (symbol != NULL) {
        snprintf(text, 128, " (%.100s+0x%" PRIx64 ")", symbol->name, pc - symbol->addr);
    }
    return text;
}

static const char *fault_reason(const struct process *process, uint64_t va, enum vm_fault fault)
{
    switch (fault) {
    case VM_FORBIDDEN: return "the memory there does not allow it";
    case VM_BEYOND_FILE: return "beyond the end of the mapped file";
    case VM_NO_PAGE: return "memory is full; raise machine.memory_mib";
    default:
        return va >= process->vm.map_end && va < PROCESS_STACK_START ? "stack overflow"
                                                                     : "nothing is mapped there";
    }
}

/* A page fault: the page is made present, or the program ends. */
static void serve_fault(struct process *process, const struct cpu *cpu, unsigned prot)
{
    static const char *const verbs[] = {[VM_READ] = "load from", [VM_WRITE] = "store to",
                                        [VM_EXEC] = "jump to"};
    uint64_t va = cpu->stop_tval;
    enum vm_fault fault = vm_touch(&process->vm, va, prot);
    char name[128];
    int signal = fault == VM_BEYOND_FILE ? SIG_BUS : fault == VM_NO_PAGE ? SIG_KILLED : SIG_SEGV;

    if (fault != VM_OK) {
        process_kill(process, signal, "%s 0x%" PRIx64 " at pc 0x%" PRIx64 "%s: %s", verbs[prot], va,
                     cpu->stop_pc, place_name(process, cpu->stop_pc, name),
                     fault_reason(process, va, fault));
    }
}

bool process_touch(struct process *process, uint64_t va)
{
    return vm_touch(&process->vm, va, 0) == VM_OK;
}

/* Where two segments share a page, the later one's part of the file is mapped. */
void process_reload(const struct process *process, uint64_t va, uint64_t pa)
{
    const struct image *image = process->image;
    uint8_t page[PHYS_PAGE_BYTES] = {0};

    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t from = (uint64_t)(segment->bytes - image->file) + (va - segment->vaddr);
        uint64_t rest = from < image->file_bytes ? image->file_bytes - from : 0;

        if (segment->file_bytes == 0 || va < page_of(segment->vaddr) ||
            va >= segment->vaddr + segment->file_bytes)
            continue;
        memset(page, 0, sizeof page);
        memcpy(page, image->file + from, rest < sizeof page ? rest : sizeof page);
    }
    phys_copy_in(process->vm.table.phys, pa, page, sizeof page);
}

static int signal_of(uint64_t cause)
{
    switch (cause) {
    case TRAP_ILLEGAL: return SIG_ILL;
    case TRAP_BREAKPOINT: return SIG_TRAP;
    default: return SIG_BUS;
    }
}

enum process_action process_trap(struct process *process, struct cpu *cpu)
{
    char name[128];

    process->cpu = cpu;
    cpu->hart.pc = cpu->stop_pc;
    switch (cpu->stop_cause) {
    case TRAP_ECALL_U: syscall_perform(process, cpu); break;
    case TRAP_FETCH_PAGE: serve_fault(process, cpu, VM_EXEC); break;
    case TRAP_LOAD_PAGE: serve_fault(process, cpu, VM_READ); break;
    case TRAP_STORE_PAGE: serve_fault(process, cpu, VM_WRITE); break;
    default:
        process_kill(process, signal_of(cpu->stop_cause), "%s at pc 0x%" PRIx64 "%s, value 0x%"
                     PRIx64, trap_name(cpu->stop_cause), cpu->stop_pc,
                     place_name(process, cpu->stop_pc, name), cpu->stop_tval);
        break;
    }
    if (process->vm.changed) {
        process->vm.changed = false;
        process->effects |= PROCESS_EFFECT_TRANSLATION;
        mmu_flush(&cpu->mmu);
    }
    return process->action;
}

/* ---- asking ----------------------------------------------------------------------------- */

unsigned process_take_effects(struct process *process)
{
    unsigned effects = process->effects;

    process->effects = 0;
    return effects;
}

int process_exit_code(const struct process *process) { return process->exit_code; }
int process_signal(const struct process *process) { return process->signal; }
const char *process_text(const struct process *process) { return process->text; }

bool process_translate(const struct process *process, uint64_t va, uint64_t *pa)
{
    return vm_translate(&process->vm, va, pa);
}

bool process_segment(const struct process *process, unsigned index,
                     struct process_segment *segment)
{
    if (index >= process->image->segment_count) {
        return false;
    }
    *segment = process->segments[index];
    return true;
}

void process_note(struct process *process, const char *format, ...)
{
    va_list arguments;

    if (process->log == NULL) {
        return;
    }
    fputs("rvsim: note: ", process->log);
    va_start(arguments, format);
    vfprintf(process->log, format, arguments);
    va_end(arguments);
    fputc('\n', process->log);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void process_random(struct process *process, void *bytes, size_t count)
{
    uint8_t *at = bytes;

    while (count > 0) {
        uint64_t value = next_random(&process->random);
        size_t part = count < sizeof value ? count : sizeof value;

        memcpy(at, &value, part);
        at += part;
        count -= part;
    }
}
