/* See images.h. */
#include "sim/host/images.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/key.h"
#include "pmu/pmu_modes.h"
#include "pmu/sorted.h"
#include "prof/profile/profile.h"
#include "sim/base/array.h"
#include "sim/host/covers.h"
#include "sim/host/target.h"
#include "sim/host/tasks.h"
#include "sim/run/kernel/kernel_host.h"

enum { USER = 0, FIRST = 0, IMAGES = KEY_COVER };
static const uint32_t UNKNOWN = UINT32_MAX;

/* context: the host's number of it. next: the program that it is about to become, UNKNOWN: none. */
struct process_image { uint64_t context; uint32_t image, next; struct cover_list list; };

struct thread {
    uint64_t id, context, insns, cycles;
    char name[KERNEL_NAME_BYTES + 1];       /* when it left a hart last */
};

struct follower {
    struct images *images;
    struct cpu *cpu;
    struct pmu_listener listener;
    uint64_t insns, cycles;         /* in user mode, already added */
    uint64_t place;                 /* of the hart's thread in the kernel; 0: unknown */
};

struct images {
    struct machine *machine;
    struct image_sum *image;        /* [images]; the first is the program of the command line */
    struct process_image *process;  /* [processes] by context; the first is its process */
    struct thread *thread;          /* [threads] by id */
    struct covers covers;
    size_t images, processes, threads;
    struct follower *follower;      /* [harts] */
    bool has_failed;                /* no memory */
};

/* ---- processes ------------------------------------------------------------------------------- */

static bool is_context_before(const void *row, const void *context)
{
    return ((const struct process_image *)row)->context < *(const uint64_t *)context;
}

static size_t place_of(const struct images *images, uint64_t context)
{
    return sorted_place(images->process, images->processes, sizeof images->process[0],
                        is_context_before, &context);
}

/* The process with this context; an unknown one counts as the first. */
static struct process_image *process_of(const struct images *images, uint64_t context)
{
    size_t at = place_of(images, context);

    return at < images->processes && images->process[at].context == context
               ? &images->process[at] : &images->process[FIRST];
}

static bool has_process(const struct images *images, uint64_t context)
{
    return process_of(images, context)->context == context;
}

static bool add_process(struct images *images, uint64_t context, uint32_t image)
{
    struct process_image process = {context, image, UNKNOWN, {NULL, 0}}, *grown;
    size_t at = place_of(images, context);

    if (at < images->processes && images->process[at].context == context) {
        cover_list_free(&images->process[at].list);
        images->process[at] = process;
        return true;
    }
    grown = array_grow(images->process, images->processes, sizeof *grown);
    if (grown == NULL)
        return false;
    images->process = grown;
    memmove(&grown[at + 1], &grown[at], (images->processes++ - at) * sizeof *grown);
    grown[at] = process;
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool is_before(const void *row, const void *id)
{
    const struct thread *thread = row;

    return thread->id < *(const uint64_t *)id;
}

/* The process of a thread that a hart is about to run for the first time. The first thread of a
 * process has its number. */
static uint64_t context_of(const struct images *images, const struct follower *follower,
                           uint64_t id)
{
    return has_process(images, id)
               ? id : tasks_context(images->machine, (unsigned)(follower - images->follower));
}

/* NULL: no memory. */
static struct thread *thread_of(struct images *images, const struct follower *follower,
                                uint64_t id)
{
    size_t at = sorted_place(images->thread, images->threads, sizeof images->thread[0], is_before,
                             &id);
    struct thread *grown;

    if (at < images->threads && images->thread[at].id == id)
        return &images->thread[at];
    grown = array_grow(images->thread, images->threads, sizeof *grown);
    if (grown == NULL) {
        images->has_failed = true;
        return NULL;
    }
    images->thread = grown;
    memmove(&grown[at + 1], &grown[at], (images->threads - at) * sizeof *grown);
    grown[at] = (struct thread){.id = id, .context = context_of(images, follower, id)};
    images->threads++;
    return &grown[at];
}

/* Reads the thread's name again, as the program may change it at any time. */
static void note_name(const struct follower *follower, struct thread *thread)
{
    char name[KERNEL_NAME_BYTES + 1];

    if (tasks_name(follower->images->machine, follower->place, name) == thread->id)
        memcpy(thread->name, name, sizeof name);
}

/* Adds to the thread the hart's instructions and cycles in user mode since the last call. */
static void take(struct follower *follower, uint64_t thread_id)
{
    const struct pmu_modes *modes = &follower->cpu->pmu.thread.modes;
    struct thread *thread = thread_id != 0 ? thread_of(follower->images, follower, thread_id)
                                           : NULL;

    if (thread != NULL) {
        thread->insns += modes->insns[USER] - follower->insns;
        thread->cycles += modes->cycles[USER] - follower->cycles;
    }
    follower->insns = modes->insns[USER];
    follower->cycles = modes->cycles[USER];
    if (thread != NULL)
        note_name(follower, thread);
}

/* Sets the hart's program and covering files to those of its thread. */
static void name_program(struct follower *follower)
{
    struct pmu *pmu = &follower->cpu->pmu;
    uint64_t id = pmu->thread.id;
    const struct thread *thread = id != 0 ? thread_of(follower->images, follower, id) : NULL;
    const struct process_image *process =
        thread != NULL ? process_of(follower->images, thread->context) : NULL;

    pmu_set_program(pmu, (uint64_t)(process != NULL ? process->image : FIRST) << KEY_SHIFT);
    pmu_set_covers(pmu, process != NULL ? process->list.cover : NULL,
                   process != NULL ? process->list.covers : 0);
}

static void name_programs(struct images *images)
{
    for (unsigned i = 0; i < images->machine->harts; i++)
        name_program(&images->follower[i]);
}

static uint64_t place_of_thread(const struct follower *follower)
{
    return tasks_place(follower->images->machine,
                       (unsigned)(follower - follower->images->follower));
}

static void switched(void *arg, uint64_t before, uint64_t now)
{
    struct follower *follower = arg;

    take(follower, before);
    follower->place = now != 0 ? place_of_thread(follower) : 0;
    name_program(follower);
}

static void settle(struct images *images, struct thread *thread)
{
    struct image_sum *image = &images->image[process_of(images, thread->context)->image];

    image->insns += thread->insns;
    image->cycles += thread->cycles;
    thread->insns = thread->cycles = 0;
}

static void take_all(struct images *images)
{
    for (unsigned i = 0; i < images->machine->harts; i++) {
        struct follower *follower = &images->follower[i];

        pmu_count_modes(&follower->cpu->pmu);
        take(follower, follower->cpu->pmu.thread.id);
    }
    for (size_t i = 0; i < images->threads; i++)
        settle(images, &images->thread[i]);
}

/* ---- fork and execve ------------------------------------------------------------------------- */

static bool add_image(struct images *images, const char *path, uint32_t *number)
{
    struct image_sum *grown;

    for (*number = 0; *number < images->images; ++*number)
        if (strcmp(images->image[*number].path, path) == 0)
            return true;
    grown = images->images < IMAGES ? array_grow(images->image, images->images, sizeof *grown)
                                    : NULL;
    if (grown == NULL)
        return false;
    images->image = grown;
    grown[images->images] = (struct image_sum){.path = strdup(path)};
    return grown[images->images++].path != NULL;
}

static void executing(void *arg)
{
    struct images *images = arg;

    process_of(images, images->machine->kernel->caller)->next = UNKNOWN;
}

/* The first file that is placed for the next program is that program. */
static uint64_t program_of_file(struct images *images, const char *path, bool is_next)
{
    struct process_image *process = process_of(images, images->machine->kernel->caller);
    uint32_t image = process->image;

    if (is_next && process->next == UNKNOWN && !add_image(images, path, &process->next)) {
        process->next = UNKNOWN;
        images->has_failed = true;
    }
    if (is_next && process->next != UNKNOWN)
        image = process->next;
    return (uint64_t)image << KEY_SHIFT;
}

/* Harts refer to the lists of their processes, so these are set again after each change. Records up
 * to now belong to the earlier file. */
static uint64_t cover(struct images *images, const char *path, uint64_t bias, uint64_t program,
                      const struct target_span *span)
{
    struct process_image *process = process_of(images, images->machine->kernel->caller);
    struct pmu_cover cover = {span->start - program, span->end - program, 0};
    bool changes;

    if (span->is_covering)
        cover.program = covers_number(&images->covers, path, bias + program);
    if (cover.program == 0 && process->list.covers == 0)
        return program;
    kernel_host_drain(images->machine->kernel);
    changes = cover_list_clear(&process->list, cover.start, cover.end);
    if (cover.program != 0 && !cover_list_add(&process->list, &cover)) {
        images->has_failed = true;
        cover.program = 0;
    }
    if (changes || cover.program != 0)
        name_programs(images);
    return cover.program != 0 ? cover.program : program;
}

uint64_t images_place(struct images *images, const struct target *target, const char *path,
                      uint64_t bias, bool is_next, uint64_t *plain)
{
    uint64_t program = program_of_file(images, path, is_next);
    struct target_span span;

    *plain = bias + program;
    if (!is_next && target_find_span(target, path, bias + program, &span))
        program = cover(images, path, bias, program, &span);
    return bias + program;
}

static void set_program(struct images *images, struct process_image *process, uint32_t image)
{
    process->image = image;
    process->next = UNKNOWN;
    cover_list_free(&process->list);
    kernel_host_set_program(images->machine->kernel, process->context,
                            (uint64_t)image << KEY_SHIFT);
}

/* The calling process continues as another program. All records of its threads up to now belong to
 * the earlier program: the kernel holds the lock under which records are written. */
static void executed(void *arg, const char *path)
{
    struct images *images = arg;
    struct process_image *process = process_of(images, images->machine->kernel->caller);
    uint32_t number;

    if (!add_image(images, path, &number)) {
        images->has_failed = true;
        return;
    }
    take_all(images);
    kernel_host_drain(images->machine->kernel);
    set_program(images, process, number);
    name_programs(images);
}

static void forked(void *arg, uint64_t child)
{
    struct images *images = arg;
    uint32_t image = process_of(images, images->machine->kernel->caller)->image;
    const struct process_image *parent;
    struct process_image *process;

    if (!add_process(images, child, image)) {
        images->has_failed = true;
        return;
    }
    process = process_of(images, child);
    parent = process_of(images, images->machine->kernel->caller);
    set_program(images, process, image);
    images->has_failed |= !cover_list_copy(&process->list, &parent->list);
    name_programs(images);              /* the child may have the number of one that is over */
}

static uint64_t key_in_thread(void *arg, uint64_t id, uint64_t va)
{
    const struct images *images = arg;
    size_t at = sorted_place(images->thread, images->threads, sizeof images->thread[0], is_before,
                             &id);
    bool is_there = at < images->threads && images->thread[at].id == id;
    uint64_t context = is_there ? images->thread[at].context : id;
    const struct process_image *process = process_of(images, context);

    return pmu_cover_key(process->list.cover, process->list.covers,
                         (uint64_t)process->image << KEY_SHIFT, va);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Adds the first program under the path that execve would find. */
static bool add_first(struct images *images, const char *given, const struct profile_image *known,
                      size_t knowns)
{
    char *path = realpath(given, NULL);
    uint32_t number;
    bool is_there = add_image(images, path != NULL ? path : given, &number);

    for (size_t i = 1; i < knowns && is_there; i++)
        is_there = add_image(images, known[i].path, &number);
    free(path);
    return is_there;
}

enum err images_open(struct images **out, struct machine *machine, const char *path,
                     const struct profile_image *known, size_t knowns, struct diag *diag)
{
    struct images *images = calloc(1, sizeof *images);

    *out = images;
    if (images == NULL)
        return diag_no_memory(diag, "programs");
    images->machine = machine;
    images->follower = calloc(machine->harts, sizeof *images->follower);
    if (images->follower == NULL || !add_first(images, path, known, knowns) ||
        !add_process(images, 0, FIRST))
        return diag_no_memory(diag, "programs");
    for (unsigned i = 0; i < machine->harts; i++) {
        struct follower *follower = &images->follower[i];

        *follower = (struct follower){
            .images = images, .cpu = &machine->cpu[i],
            .listener = {.changed = switched, .arg = follower}};
        pmu_listen(&machine->cpu[i].pmu.thread, &follower->listener);
        follower->place = place_of_thread(follower);
        name_program(follower);
    }
    machine->kernel->executing = executing;
    machine->kernel->executed = executed;
    machine->kernel->forked = forked;
    machine->kernel->key = key_in_thread;
    machine->kernel->executed_arg = images;
    return ERR_OK;
}

void images_begin(struct images *images)
{
    take_all(images);
    for (size_t i = 0; i < images->images; i++)
        images->image[i].insns = images->image[i].cycles = 0;
}

bool images_collect(struct images *images, const struct image_sum **image, size_t *count)
{
    take_all(images);
    *image = images->image;
    *count = images->images;
    return !images->has_failed;
}

bool images_thread(const struct images *images, size_t index, uint64_t *id, const char **name)
{
    if (index >= images->threads)
        return false;
    *id = images->thread[index].id;
    *name = images->thread[index].name;
    return true;
}

void images_close(struct images *images)
{
    if (images == NULL)
        return;
    for (unsigned i = 0; images->follower != NULL && i < images->machine->harts; i++)
        if (images->follower[i].cpu != NULL)
            pmu_unlisten(&images->follower[i].cpu->pmu.thread, &images->follower[i].listener);
    for (size_t i = 0; i < images->images; i++)
        free(images->image[i].path);
    for (size_t i = 0; i < images->processes; i++)
        cover_list_free(&images->process[i].list);
    covers_free(&images->covers);
    free(images->image);
    free(images->process);
    free(images->thread);
    free(images->follower);
    free(images);
}
