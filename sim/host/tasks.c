/* Threads of the guest kernel, found by its directory; and those of runs without it. See
 * tasks.h. */
#define _GNU_SOURCE     /* realpath, readlink, strdup */
#include "sim/host/tasks_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/array.h"
#include "sim/base/utf8.h"
#include "sim/host/state.h"
#include "sim/run/kernel/kernel_host.h"
#include "sim/run/linux/process_internal.h"

/* Lists that lead nowhere end here: the kernel may be amid a change. */
enum { ELEMENTS_MAX = 1 << 16, REG_TP = 4 };

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
    char *grown = array_grow(*array, *count, bytes);

    if (grown == NULL)
        return NULL;
    *array = grown;
    memset(grown + *count * bytes, 0, bytes);
    return grown + (*count)++ * bytes;
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
        tasks_take_saved(reader, thread, at, frame);
    thread->hart = TASKS_NO_HART;
    if (thread->state == KERNEL_THREAD_DEAD)
        threads->count--;
    if (thread->state != KERNEL_THREAD_RUNNING || hart >= reader->machine->harts) {
        tasks_read_limits(reader, thread, word(reader, at + directory->thread_limits));
        thread->reg_pa = frame - KERNEL_MAP;
        thread->fp_pa = at + directory->thread_fp - KERNEL_MAP;
        thread->fp_hart_pa = at + directory->thread_fp_hart - KERNEL_MAP;
        return ERR_OK;
    }
    thread->hart = (int)hart;
    if (reader->part != TASKS_LIMITS)
        tasks_take_running(reader, thread, frame);
    tasks_take_limits(thread, &reader->machine->cpu[hart].pmu);
    return ERR_OK;
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

static uint64_t program_of(const struct reader *reader, uint64_t process)
{
    return kernel_host_program(reader->machine->kernel,
                               word(reader, process + reader->directory.process_context));
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
    process->program = program_of(reader, at);
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
    tasks_take_hart(thread, &hart);
    tasks_take_limits(thread, &machine->cpu[number].pmu);
    thread->hart = (int)number;
    thread->tid = machine->process != NULL ? GUEST_PID : number + 1;
    thread->state = hart.waiting ? KERNEL_THREAD_BLOCKED : KERNEL_THREAD_RUNNING;
    thread->reason = hart.waiting ? KERNEL_REASON_SLEEP : KERNEL_REASON_NONE;
    snprintf(thread->name, sizeof thread->name, "%s",
             machine->process != NULL ? machine->process->name : "");
    utf8_clean(thread->name);
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

uint32_t tasks_name(const struct machine *machine, uint64_t place,
                    char name[KERNEL_NAME_BYTES + 1])
{
    struct reader reader = {.machine = machine};

    name[0] = name[KERNEL_NAME_BYTES] = '\0';
    if (place == 0)
        return 0;
    read_directory(&reader);
    read_kernel(&reader, place + reader.directory.thread_name, name, KERNEL_NAME_BYTES);
    utf8_clean(name);
    return half(&reader, place + reader.directory.thread_tid);
}

uint64_t tasks_context(const struct machine *machine, unsigned hart)
{
    struct reader reader = {.machine = machine};
    uint64_t thread = tasks_place(machine, hart);

    read_directory(&reader);
    return thread != 0 ? word(&reader, word(&reader, thread + reader.directory.thread_process) +
                                           reader.directory.process_context) : 0;
}

enum err tasks_take_thread(struct tasks *threads, const struct machine *machine, uint64_t place,
                           struct diag *diag)
{
    struct reader reader = {
        .machine = machine, .threads = threads, .part = TASKS_THREADS, .diag = diag,
    };
    struct process_view *process;
    uint64_t at, space;

    *threads = (struct tasks){.count = 0};
    read_directory(&reader);
    process = grow((void **)&threads->process, &threads->processes, sizeof *process);
    if (process == NULL)
        return diag_no_memory(diag, "threads");
    at = word(&reader, place + reader.directory.thread_process);
    process->program = program_of(&reader, at);
    space = word(&reader, at + reader.directory.process_space);
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
