/* Threads of the guest kernel, found by its directory; and those of runs without it. See
 * tasks.h. */
#define _GNU_SOURCE     /* realpath, readlink, strdup */
#include "sim/host/tasks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/limit.h"
#include "sim/host/state.h"
#include "sim/run/kernel/kernel_host.h"
#include "sim/run/linux/process_internal.h"

/* Lists that lead nowhere end here: the kernel may be amid a change. */
enum { ELEMENTS_MAX = 1 << 16, REG_SP = 2, REG_TP = 4, REG_T0 = 5, REG_T1 = 6 };

struct reader {
    const struct machine *machine;
    struct kernel_directory directory;
    struct tasks *threads;
    enum tasks_part part;
    struct diag *diag;
};

/* ---- the kernel's memory --------------------------------------------------------------------- */

static void read_kernel(const struct reader *reader, uint64_t at, void *bytes, size_t count)
{
    memset(bytes, 0, count);
    phys_copy_out(&reader->machine->phys, at - KERNEL_MAP, bytes, count);
}

static uint64_t word(const struct reader *reader, uint64_t at)
{
    uint64_t value;

    read_kernel(reader, at, &value, sizeof value);
    return value;
}

static uint32_t half(const struct reader *reader, uint64_t at)
{
    uint32_t value;

    read_kernel(reader, at, &value, sizeof value);
    return value;
}

typedef enum err visit(struct reader *reader, uint64_t element, unsigned process);

/* Calls `each` with the elements of a list whose links are at this offset. */
static enum err walk(struct reader *reader, uint64_t head, unsigned link, visit *each,
                     unsigned process)
{
    uint64_t at = word(reader, head);
    enum err err = ERR_OK;

    for (unsigned i = 0; i < ELEMENTS_MAX && at != head && at >= KERNEL_MAP && err == ERR_OK; i++) {
        err = each(reader, at - link, process);
        at = word(reader, at);
    }
    return err;
}

/* Room for one more element; NULL: no memory. */
static void *grow(void **array, size_t *count, size_t bytes)
{
    char *grown = (*count & (*count - 1)) == 0
                      ? realloc(*array, (*count != 0 ? 2 * *count : 1) * bytes) : *array;

    if (grown == NULL)
        return NULL;
    *array = grown;
    memset(grown + *count * bytes, 0, bytes);
    return grown + (*count)++ * bytes;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void take_hart(struct task_view *thread, const struct hart *hart)
{
    memcpy(thread->reg, hart->reg, sizeof thread->reg);
    thread->reg[TASKS_PC] = hart->pc;
    memcpy(thread->fp, &hart->reg[REG_F0], 32 * sizeof thread->fp[0]);
    thread->fp[TASKS_FCSR] = hart->fflags | (uint64_t)hart->frm << 5;
}

/* The kernel's entry has not saved all registers yet. */
static void take_entering(const struct reader *reader, struct task_view *thread,
                          const struct hart *hart, uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t in_hart = hart->reg[REG_TP], saved = hart->pc >= directory->trap_saved;

    for (unsigned i = 1; i < 32; i++)
        thread->reg[i] = saved ? word(reader, frame + 8 * i) : hart->reg[i];
    thread->reg[TASKS_PC] = hart->sepc;
    if (hart->pc == directory->trap_entry)
        return;
    thread->reg[REG_TP] = hart->sscratch;
    if (hart->pc != directory->trap_entry + 4)
        thread->reg[REG_SP] = word(reader, in_hart + directory->hart_sp);
}

/* Machine mode has interrupted other code, and holds two of its registers: as that code sees it. */
static void leave_machine(const struct reader *reader, struct hart *hart)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t held = hart->reg[REG_T0];
    bool holds = hart->pc > directory->machine_entry && hart->pc < directory->machine_left;

    if (holds)
        hart->reg[REG_T0] = hart->mscratch;
    if (holds && hart->pc >= directory->machine_held)
        hart->reg[REG_T1] = word(reader, held + KERNEL_MAP);
    hart->pc = hart->mepc;
    hart->priv = (uint8_t)((hart->mstatus & MSTATUS_MPP) >> MSTATUS_MPP_SHIFT);
}

/* Registers as the kernel saved them, and all else that is in a thread's memory. */
static void take_saved(const struct reader *reader, struct task_view *thread, uint64_t at,
                       uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;

    thread->futex = word(reader, at + directory->thread_futex + 8);
    thread->futex_object = word(reader, at + directory->thread_futex);
    thread->clear_tid = word(reader, at + directory->thread_clear_tid);
    thread->busy_ticks = word(reader, at + directory->thread_busy);
    read_kernel(reader, at + directory->thread_name, thread->name, KERNEL_NAME_BYTES);
    read_kernel(reader, at + directory->thread_fp, thread->fp, sizeof thread->fp);
    read_kernel(reader, frame, thread->reg, sizeof thread->reg);
}

/* Of a thread that runs on a hart: floating point is the hart's, the rest too while it is not in
 * the kernel. */
static void take_running(const struct reader *reader, struct task_view *thread, uint64_t frame)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t reg[32];
    struct hart hart;

    state_view(reader->machine, (unsigned)thread->hart, &hart);
    if (hart.priv == PRIV_M && !hart.in_monitor)
        leave_machine(reader, &hart);
    memcpy(reg, thread->reg, sizeof reg);
    take_hart(thread, &hart);
    if (hart.priv == PRIV_U || hart.in_monitor)
        return;
    memcpy(thread->reg, reg, sizeof reg);
    if (hart.pc >= directory->trap_entry && hart.pc < directory->trap_framed)
        take_entering(reader, thread, &hart, frame);
}

/* ---- limits on functions --------------------------------------------------------------------- */

/* Of the thread that the hart runs. */
static void take_limits(struct task_view *thread, const struct pmu *pmu)
{
    thread->limits = pmu->limits.depth;
    memcpy(thread->limit, pmu->limits.limit, sizeof thread->limit);
    for (unsigned i = 0; i < thread->limits; i++)
        thread->limit[i].counted = pmu_limit_counted(pmu, i);
}

/* Of one that does not run: as the kernel saved them, at this address. */
static void read_limits(const struct reader *reader, struct task_view *thread, uint64_t at)
{
    uint64_t depth = at != 0 ? word(reader, at) : 0;

    thread->limits = depth < PROF_LIMITS ? (unsigned)depth : PROF_LIMITS;
    for (unsigned i = 0; i < thread->limits; i++) {
        uint64_t of[PROF_LIMIT_WORDS];

        read_kernel(reader, at + 8 + i * sizeof of, of, sizeof of);
        thread->limit[i] = (struct pmu_limit){
            .function = of[PROF_LIMIT_FUNCTION], .sp = of[PROF_LIMIT_SP],
            .cycles = of[PROF_LIMIT_CYCLES], .counted = of[PROF_LIMIT_COUNTED],
            .began = of[PROF_LIMIT_BEGAN], .state = of[PROF_LIMIT_STATE] & 3,
        };
    }
}

/* ---- the guest kernel's threads -------------------------------------------------------------- */

static enum err add_thread(struct reader *reader, uint64_t at, unsigned process)
{
    const struct kernel_directory *directory = &reader->directory;
    struct tasks *threads = reader->threads;
    uint64_t frame = word(reader, at + directory->thread_frame);
    struct task_view *thread = grow((void **)&threads->thread, &threads->count, sizeof *thread);
    uint32_t hart = half(reader, at + directory->thread_hart);

    if (thread == NULL)
        return diag_no_memory(reader->diag, "threads");
    thread->process = process;
    thread->tid = half(reader, at + directory->thread_tid);
    thread->state = half(reader, at + directory->thread_state);
    thread->reason = half(reader, at + directory->thread_reason);
    if (reader->part != TASKS_LIMITS)
        take_saved(reader, thread, at, frame);
    thread->hart = TASKS_NO_HART;
    if (thread->state == KERNEL_THREAD_DEAD)
        threads->count--;
    if (thread->state != KERNEL_THREAD_RUNNING || hart >= reader->machine->harts) {
        read_limits(reader, thread, word(reader, at + directory->thread_limits));
        thread->reg_pa = frame - KERNEL_MAP;
        thread->fp_pa = at + directory->thread_fp - KERNEL_MAP;
        thread->fp_hart_pa = at + directory->thread_fp_hart - KERNEL_MAP;
        return ERR_OK;
    }
    thread->hart = (int)hart;
    if (reader->part != TASKS_LIMITS)
        take_running(reader, thread, frame);
    take_limits(thread, &reader->machine->cpu[hart].pmu);
    return ERR_OK;
}

/* Floating point that a hart still holds is not this any more. */
bool tasks_set_register(struct machine *machine, const struct task_view *thread, unsigned number,
                        uint64_t value)
{
    static const uint32_t no_hart = UINT32_MAX;
    bool is_fp = number >= TASKS_FP;

    if (thread->reg_pa == 0 || number >= TASKS_FP + 32)
        return false;
    if (is_fp && !phys_copy_in(&machine->phys, thread->fp_hart_pa, &no_hart, sizeof no_hart))
        return false;
    return phys_copy_in(&machine->phys, is_fp ? thread->fp_pa + 8 * (number - TASKS_FP)
                                              : thread->reg_pa + 8 * number, &value, sizeof value);
}

/* The path on the host of the file that a descriptor of the host has open; NULL: unknown. */
static char *path_of(const struct machine *machine, int64_t handle)
{
    const struct kernel_host *host = machine->kernel;
    char link[64], path[PATH_MAX];
    ssize_t length;

    if (handle < 1 || (uint64_t)handle > host->handle_count ||
        host->handles[handle - 1].path == NULL)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", host->handles[handle - 1].fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return strdup(path);
}

static enum err add_mapped(struct process_view *process, const struct mapped_view *mapped,
                           struct diag *diag)
{
    struct mapped_view *place = grow((void **)&process->mapped, &process->mappings, sizeof *place);

    if (place == NULL) {
        free(mapped->path);
        return diag_no_memory(diag, "threads");
    }
    *place = *mapped;
    return ERR_OK;
}

static enum err add_zeros(struct process_view *process, const struct piece_view *piece,
                          struct diag *diag)
{
    struct piece_view *place;

    if ((piece->prot & VM_READ) == 0)
        return ERR_OK;
    place = grow((void **)&process->zero, &process->zeros, sizeof *place);
    if (place == NULL)
        return diag_no_memory(diag, "threads");
    *place = *piece;
    return ERR_OK;
}

/* The address of a shared futex is that of the object in this region. */
static void place_futexes(const struct reader *reader, uint64_t object,
                          const struct mapped_view *region, unsigned process)
{
    for (size_t i = 0; i < reader->threads->count; i++) {
        struct task_view *thread = &reader->threads->thread[i];

        if (thread->process != process || thread->futex_object != object || object == 0 ||
            thread->futex - region->offset >= region->end - region->start)
            continue;
        thread->futex += region->start - region->offset;
        thread->futex_object = 0;
    }
}

static enum err add_region(struct reader *reader, uint64_t at, unsigned process)
{
    const struct kernel_directory *directory = &reader->directory;
    uint64_t object = word(reader, at + directory->region_object);
    struct mapped_view mapped = {
        .start = word(reader, at + directory->region_start),
        .end = word(reader, at + directory->region_end),
        .offset = word(reader, at + directory->region_offset),
    };

    place_futexes(reader, object, &mapped, process);
    if (object == 0 && reader->part == TASKS_MEMORY)
        return add_zeros(&reader->threads->process[process],
                         &(struct piece_view){mapped.start, mapped.end,
                                              half(reader, at + directory->region_prot)},
                         reader->diag);
    if (object >= KERNEL_MAP && reader->part == TASKS_MEMORY)
        mapped.path = path_of(reader->machine,
                              (int64_t)word(reader, object + directory->object_handle));
    if (mapped.path == NULL)
        return ERR_OK;
    return add_mapped(&reader->threads->process[process], &mapped, reader->diag);
}

/* The program's own file: its segments, which the machine has loaded. */
static enum err add_image(struct process_view *process, const struct machine *machine,
                          struct diag *diag)
{
    const struct image *image = machine->image;
    char path[PATH_MAX];
    enum err err = ERR_OK;

    if (realpath(image->path, path) == NULL)
        return ERR_OK;
    for (size_t i = 0; i < image->segment_count && err == ERR_OK; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t within = segment->vaddr % PHYS_PAGE_BYTES;
        struct mapped_view mapped = {
            .start = segment->vaddr - within, .path = strdup(path),
            .end = (segment->vaddr + segment->file_bytes + PHYS_PAGE_BYTES - 1) &
                   ~(uint64_t)(PHYS_PAGE_BYTES - 1),
            .offset = (uint64_t)(segment->bytes - image->file) - within,
        };

        err = mapped.path != NULL ? add_mapped(process, &mapped, diag)
                                  : diag_no_memory(diag, "threads");
    }
    return err;
}

static enum err add_process(struct reader *reader, uint64_t at, unsigned unused)
{
    const struct kernel_directory *directory = &reader->directory;
    struct tasks *threads = reader->threads;
    uint64_t space = word(reader, at + directory->process_space);
    uint64_t parent = word(reader, at + directory->process_parent);
    unsigned number = (unsigned)threads->processes;
    struct process_view *process = grow((void **)&threads->process, &threads->processes,
                                        sizeof *process);
    enum err err = ERR_OK;

    (void)unused;
    if (process == NULL)
        return diag_no_memory(reader->diag, "threads");
    process->pid = half(reader, at + directory->process_pid);
    process->group = half(reader, at + directory->process_group);
    process->session = half(reader, at + directory->process_session);
    process->parent = parent != 0 ? half(reader, parent + directory->process_pid) : 1;
    if (space == 0)                             /* it has ended */
        return ERR_OK;
    process->root_pa = word(reader, space + directory->space_root);
    process->vector = word(reader, space + directory->space_vector);
    if (word(reader, at + directory->process_context) == 0 && reader->part == TASKS_MEMORY)
        err = add_image(process, reader->machine, reader->diag);
    if (err == ERR_OK)
        err = walk(reader, at + directory->process_threads, directory->thread_link, add_thread,
                   number);
    if (err == ERR_OK && reader->part != TASKS_LIMITS)
        err = walk(reader, space + directory->space_regions, directory->region_link, add_region,
                   number);
    return err;
}

/* ---- without the guest kernel ---------------------------------------------------------------- */

static enum err add_hart(struct tasks *threads, const struct machine *machine, unsigned number,
                         struct diag *diag)
{
    struct task_view *thread = grow((void **)&threads->thread, &threads->count, sizeof *thread);
    struct hart hart;

    if (thread == NULL)
        return diag_no_memory(diag, "threads");
    state_view(machine, number, &hart);
    take_hart(thread, &hart);
    take_limits(thread, &machine->cpu[number].pmu);
    thread->hart = (int)number;
    thread->tid = machine->process != NULL ? GUEST_PID : number + 1;
    thread->state = hart.waiting ? KERNEL_THREAD_BLOCKED : KERNEL_THREAD_RUNNING;
    thread->reason = hart.waiting ? KERNEL_REASON_SLEEP : KERNEL_REASON_NONE;
    snprintf(thread->name, sizeof thread->name, "%s",
             machine->process != NULL ? machine->process->name : "");
    return ERR_OK;
}

static enum err take_regions(struct process_view *process, const struct vm *vm,
                             struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < vm->region_count && err == ERR_OK; i++) {
        const struct vm_region *region = &vm->regions[i];

        if (region->file == NULL)
            err = add_zeros(process, &(struct piece_view){region->start, region->end,
                                                          region->prot}, diag);
    }
    return err;
}

static enum err take_harts(struct tasks *threads, const struct machine *machine,
                           enum tasks_part part, struct diag *diag)
{
    unsigned harts = machine->process != NULL ? 1 : machine->harts;
    struct process_view *process = grow((void **)&threads->process, &threads->processes,
                                        sizeof *process);
    enum err err = process == NULL ? diag_no_memory(diag, "threads")
                   : part == TASKS_MEMORY ? add_image(process, machine, diag) : ERR_OK;

    if (err == ERR_OK && machine->process != NULL) {
        process->pid = process->group = process->session = GUEST_PID;
        process->parent = GUEST_PARENT;
        process->root_pa = machine->process->vm.table.root_pa;
        process->vector = machine->process->vector;
        if (part == TASKS_MEMORY)
            err = take_regions(process, &machine->process->vm, diag);
    }
    for (unsigned i = 0; i < harts && err == ERR_OK; i++)
        err = add_hart(threads, machine, i, diag);
    return err;
}

/* ---- one, or all of them --------------------------------------------------------------------- */

static void read_directory(struct reader *reader)
{
    phys_copy_out(&reader->machine->phys, reader->machine->kernel->directory_pa,
                  &reader->directory, sizeof reader->directory);
}

uint64_t tasks_place(const struct machine *machine, unsigned hart)
{
    struct reader reader = {.machine = machine};
    uint64_t thread;

    read_directory(&reader);
    thread = word(&reader, machine->cpu[hart].hart.reg[REG_TP] + reader.directory.hart_current);
    return thread != 0 && word(&reader, thread + reader.directory.thread_process) != 0 ? thread : 0;
}

enum err tasks_take_thread(struct tasks *threads, const struct machine *machine, uint64_t place,
                           struct diag *diag)
{
    struct reader reader = {
        .machine = machine, .threads = threads, .part = TASKS_THREADS, .diag = diag,
    };
    struct process_view *process;
    uint64_t space;

    *threads = (struct tasks){.count = 0};
    read_directory(&reader);
    process = grow((void **)&threads->process, &threads->processes, sizeof *process);
    if (process == NULL)
        return diag_no_memory(diag, "threads");
    space = word(&reader, word(&reader, place + reader.directory.thread_process) +
                              reader.directory.process_space);
    if (space != 0)
        process->root_pa = word(&reader, space + reader.directory.space_root);
    return add_thread(&reader, place, 0);
}

enum err tasks_take(struct tasks *threads, const struct machine *machine, enum tasks_part part,
                    struct diag *diag)
{
    struct reader reader = {.machine = machine, .threads = threads, .part = part, .diag = diag};

    *threads = (struct tasks){.count = 0};
    if (machine->kernel == NULL)
        return take_harts(threads, machine, part, diag);
    read_directory(&reader);
    return walk(&reader, reader.directory.processes, reader.directory.process_link, add_process, 0);
}

void tasks_free(struct tasks *threads)
{
    for (size_t i = 0; i < threads->processes; i++) {
        for (size_t k = 0; k < threads->process[i].mappings; k++)
            free(threads->process[i].mapped[k].path);
        free(threads->process[i].mapped);
        free(threads->process[i].zero);
    }
    free(threads->process);
    free(threads->thread);
}

const struct task_view *tasks_find(const struct tasks *threads, uint32_t tid)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->thread[i].tid == tid)
            return &threads->thread[i];
    return NULL;
}

const struct task_view *tasks_on(const struct tasks *threads, unsigned hart)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->thread[i].hart == (int)hart)
            return &threads->thread[i];
    return NULL;
}
