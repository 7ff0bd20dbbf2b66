/* ELF cores of the simulated program: the input of prof/hang/core_file.h. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "prof/hang/core_file.h"
#include "sim/base/array.h"
#include "sim/cli/command/hang/hang_run.h"
#include "sim/host/tasks.h"

/* SIGNAL_XCPU: Linux ends with it a process that ran too long. */
enum { SIGNAL_XCPU = 24, VECTOR_MAX = 64, NS_PER_US = 1000 };

struct parts {
    struct core_thread *thread;
    struct core_piece *piece;
    struct core_mapped *mapped;
    uint64_t vector[VECTOR_MAX][2];
    size_t vectors;
    char *arguments;
};

struct reader { const struct machine *machine; const struct process_view *process; };

static bool read_memory(void *arg, uint64_t va, void *bytes, size_t count)
{
    const struct reader *reader = arg;

    return tasks_read(reader->machine, reader->process, va, bytes, count);
}

static uint64_t run_ns(const struct machine *machine, const struct task_view *task)
{
    return task->busy_ticks * machine->config.machine_timebase_divider * NS_PER_US /
           machine->config.machine_clock_mhz;
}

static bool add_threads(struct parts *parts, struct core_file *core,
                        const struct machine *machine, const struct tasks *tasks,
                        const struct task_view *first)
{
    parts->thread = calloc(tasks->count + 1, sizeof *parts->thread);
    if (parts->thread == NULL)
        return false;
    parts->thread[core->threads++] = (struct core_thread){
        first->tid, SIGNAL_XCPU, run_ns(machine, first), first->reg, first->fp};
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task_view *task = &tasks->thread[i];

        if (task != first && task->process == first->process)
            parts->thread[core->threads++] = (struct core_thread){
                task->tid, SIGNAL_XCPU, run_ns(machine, task), task->reg, task->fp};
    }
    core->thread = parts->thread;
    return true;
}

static bool add_piece(struct parts *parts, struct core_file *core,
                      const struct core_piece *piece)
{
    struct core_piece *grown = array_grow(parts->piece, core->pieces, sizeof *grown);

    if (grown == NULL)
        return false;
    parts->piece = grown;
    parts->piece[core->pieces++] = *piece;
    core->piece = parts->piece;
    return true;
}

/* Where a part of the memory has no page yet. */
static bool add_gaps(struct parts *parts, struct core_file *core, const struct reader *reader,
                     const struct piece_view *zero)
{
    struct piece_view view;
    bool is_added = true;

    for (uint64_t va = zero->start; va < zero->end && is_added; va = view.end) {
        if (!tasks_piece(reader->machine, reader->process, va, &view) || view.start >= zero->end)
            view.start = view.end = zero->end;
        if (va < view.start)
            is_added = add_piece(parts, core,
                                 &(struct core_piece){va, view.start, zero->prot, true});
    }
    return is_added;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct core_piece *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static bool add_pieces(struct parts *parts, struct core_file *core, const struct reader *reader)
{
    struct piece_view view;
    bool is_added = true;

    for (uint64_t va = 0; is_added && tasks_piece(reader->machine, reader->process, va, &view);
         va = view.end)
        is_added = add_piece(parts, core,
                             &(struct core_piece){view.start, view.end, view.prot, false});
    for (size_t i = 0; i < reader->process->zeros && is_added; i++)
        is_added = add_gaps(parts, core, reader, &reader->process->zero[i]);
    if (core->pieces != 0)
        qsort(parts->piece, core->pieces, sizeof *parts->piece, compare_pieces);
    return is_added;
}

static bool add_mapped(struct parts *parts, struct core_file *core,
                       const struct process_view *process)
{
    parts->mapped = calloc(process->mappings + 1, sizeof *parts->mapped);
    if (parts->mapped == NULL)
        return false;
    for (size_t i = 0; i < process->mappings; i++) {
        const struct mapped_view *mapped = &process->mapped[i];

        parts->mapped[core->mappings++] = (struct core_mapped){
            mapped->start, mapped->end, mapped->offset, mapped->path};
    }
    core->mapped = parts->mapped;
    return true;
}

static void add_vector(struct parts *parts, struct core_file *core, const struct reader *reader)
{
    uint64_t va = reader->process->vector;

    while (va != 0 && parts->vectors < VECTOR_MAX &&
           tasks_read(reader->machine, reader->process, va + 16 * parts->vectors,
                      parts->vector[parts->vectors], 16) &&
           parts->vector[parts->vectors++][0] != AT_NULL)
        ;
    core->vector = parts->vectors != 0 ? parts->vector : NULL;
    core->vector_bytes = parts->vectors * sizeof parts->vector[0];
}

static bool add_arguments(struct parts *parts, struct core_file *core, char **argv)
{
    size_t bytes = 0;
    FILE *out = open_memstream(&parts->arguments, &bytes);

    if (out == NULL)
        return false;
    for (char **at = argv; *at != NULL; at++)
        fprintf(out, "%s%s", at != argv ? " " : "", *at);
    core->name = symbols_base_name(argv[0]);
    if (fclose(out) != 0)
        return false;
    core->arguments = parts->arguments;
    return true;
}

static uint32_t flags_of(const struct image *image)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;

    memcpy(&narrow, image->file, sizeof narrow);
    if (image->xlen == 32)
        return narrow.e_flags;
    memcpy(&wide, image->file, sizeof wide);
    return wide.e_flags;
}

enum err hang_dump(const struct machine *machine, const struct tasks *tasks,
                   const struct task_view *thread, const char *path, char **argv,
                   struct diag *diag)
{
    const struct process_view *process = &tasks->process[thread->process];
    struct reader reader = {machine, process};
    struct parts parts = {.vectors = 0};
    struct core_file core = {
        .pid = process->pid, .parent = process->parent, .group = process->group,
        .session = process->session, .read = read_memory, .arg = &reader,
        .flags = flags_of(machine->image), .is_32 = machine->xlen == 32,
    };
    bool is_whole = add_threads(&parts, &core, machine, tasks, thread) &&
                    add_pieces(&parts, &core, &reader) && add_mapped(&parts, &core, process) &&
                    add_arguments(&parts, &core, argv);
    enum err err = is_whole ? ERR_OK : diag_no_memory(diag, "a core file");

    add_vector(&parts, &core, &reader);
    if (err == ERR_OK)
        err = core_file_write(&core, path, diag);
    free(parts.thread);
    free(parts.piece);
    free(parts.mapped);
    free(parts.arguments);
    return err;
}
