/* The host's record of a process that a guest kernel runs; see process.h. */
#include <stdlib.h>
#include <string.h>

#include "sim/run/linux/process_internal.h"

static struct process *make(struct phys *phys)
{
    struct process *process = calloc(1, sizeof *process);

    if (process != NULL) {
        process->vm.is_guest = true;
        process->vm.table.phys = phys;
        process->vm.table.root_pa = PHYS_RAM_BASE;
        process->vm.pages = phys->ram_bytes / PHYS_PAGE_BYTES;
        process->files.root_fd = -1;
    }
    return process;
}

enum err process_new_guest(struct process **out, struct phys *phys, const struct image *image,
                           const struct process_options *options, struct diag *diag)
{
    struct process *process = make(phys);
    enum err err;

    if (process == NULL)
        return diag_no_memory(diag, NULL);
    process->image = image;
    process->random = options->seed;
    process_set_clock(process, options);
    process->pid = GUEST_PID;
    process->outside = options->outside;
    process->log = options->log;
    process->trace = options->trace;
    process->segments = calloc(image->segment_count, sizeof *process->segments);
    err = process->segments == NULL ? diag_no_memory(diag, NULL)
                                    : files_init(&process->files, options->root, options->fds,
                                                 image->path, diag);
    if (err == ERR_OK)
        *out = process;
    else
        process_free(process);
    return err;
}

struct process *process_clone_guest(const struct process *from, uint64_t id)
{
    struct process *process = make(from->vm.table.phys);

    if (process == NULL)
        return NULL;
    process->image = from->image;
    process->random = from->random ^ id << 32;
    process->time_ns = from->time_ns;
    process->time_arg = from->time_arg;
    process->epoch_seconds = from->epoch_seconds;
    process->pid = (uint32_t)id;
    process->outside = from->outside;
    process->log = from->log;
    process->trace = from->trace;
    memcpy(process->noted, from->noted, sizeof process->noted);
    if (files_clone(&process->files, &from->files))
        return process;
    process_free(process);
    return NULL;
}
