/* See images.h. */
#include "sim/cli/images.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/pmu_modes.h"
#include "sim/base/array.h"
#include "sim/base/sorted.h"
#include "sim/cli/job.h"
#include "sim/run/kernel/kernel_host.h"

enum { USER = 0, FIRST = 0 };
static const uint32_t UNKNOWN = UINT32_MAX;

struct image_sum { char *path; uint64_t insns, cycles; };

/* A thread. image UNKNOWN: of a process that the host has not heard of; root: its page table. */
struct thread { uint64_t id, root, insns, cycles; uint32_t image; };

struct follower {
    struct images *images;
    struct cpu *cpu;
    struct pmu_listener listener;
    uint64_t insns, cycles;         /* in user mode, already added */
};

struct images {
    struct machine *machine;
    struct image_sum *image;        /* [images]; the first is the program of the command line */
    struct thread *thread;          /* [threads] by id */
    size_t images, threads;
    struct follower *follower;      /* [harts] */
    bool has_failed;                /* no memory */
};

/* ---- threads --------------------------------------------------------------------------------- */

static bool is_before(const void *row, const void *id)
{
    const struct thread *thread = row;

    return thread->id < *(const uint64_t *)id;
}

/* NULL: no memory. */
static struct thread *thread_of(struct images *images, uint64_t id)
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
    grown[at] = (struct thread){.id = id, .image = images->threads == 0 ? FIRST : UNKNOWN};
    images->threads++;
    return &grown[at];
}

/* What the hart did in user mode since it was asked before. */
static void take(struct follower *follower, uint64_t thread_id)
{
    const struct pmu_modes *modes = &follower->cpu->pmu.thread.modes;
    struct thread *thread = thread_id != 0 ? thread_of(follower->images, thread_id) : NULL;

    if (thread != NULL) {
        thread->insns += modes->insns[USER] - follower->insns;
        thread->cycles += modes->cycles[USER] - follower->cycles;
        thread->root = follower->cpu->hart.satp;
    }
    follower->insns = modes->insns[USER];
    follower->cycles = modes->cycles[USER];
}

static void switched(void *arg, uint64_t before, uint64_t now)
{
    (void)now;
    take(arg, before);
}

/* The program of a thread: its own, or else that of another one with its page table. */
static uint32_t image_of(const struct images *images, const struct thread *thread)
{
    if (thread->image != UNKNOWN)
        return thread->image;
    for (size_t i = images->threads; i-- != 0;)
        if (images->thread[i].root == thread->root && images->thread[i].image != UNKNOWN)
            return images->thread[i].image;
    return FIRST;
}

static void settle(struct images *images, struct thread *thread)
{
    struct image_sum *image = &images->image[image_of(images, thread)];

    image->insns += thread->insns;
    image->cycles += thread->cycles;
    thread->insns = thread->cycles = 0;
}

/* ---- fork and execve ------------------------------------------------------------------------- */

static struct follower *caller(struct images *images)
{
    return &images->follower[images->machine->active_hart];
}

static bool add_image(struct images *images, const char *path, uint32_t *number)
{
    struct image_sum *grown;

    for (*number = 0; *number < images->images; ++*number)
        if (strcmp(images->image[*number].path, path) == 0)
            return true;
    grown = array_grow(images->image, images->images, sizeof *grown);
    if (grown == NULL)
        return false;
    images->image = grown;
    grown[images->images] = (struct image_sum){.path = strdup(path)};
    return grown[images->images++].path != NULL;
}

/* The calling thread's process goes on as another program. */
static void executed(void *arg, const char *path)
{
    struct images *images = arg;
    struct follower *follower = caller(images);
    uint64_t id = follower->cpu->pmu.thread.id;
    struct thread *thread;
    uint32_t number;

    pmu_count_modes(&follower->cpu->pmu);
    take(follower, id);
    thread = thread_of(images, id);
    if (thread == NULL || !add_image(images, path, &number)) {
        images->has_failed = true;
        return;
    }
    settle(images, thread);
    thread->image = number;
    thread->root = 0;
}

/* The calling thread's process forks; the child's first thread has the number of its process. */
static void forked(void *arg, uint64_t child)
{
    struct images *images = arg;
    const struct thread *parent = thread_of(images, caller(images)->cpu->pmu.thread.id);
    uint32_t image = parent != NULL ? image_of(images, parent) : FIRST;
    struct thread *thread = thread_of(images, child);

    if (thread != NULL)
        thread->image = image;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* By the path that execve finds, too. */
static bool add_first(struct images *images, const char *given)
{
    char *path = realpath(given, NULL);
    uint32_t number;
    bool is_there = add_image(images, path != NULL ? path : given, &number);

    free(path);
    return is_there;
}

enum err images_open(struct job *job, struct diag *diag)
{
    struct machine *machine = &job->machine;
    struct images *images = calloc(1, sizeof *images);

    job->images = images;
    if (images == NULL)
        return diag_no_memory(diag, "programs");
    images->machine = machine;
    images->follower = calloc(machine->harts, sizeof *images->follower);
    if (images->follower == NULL || !add_first(images, job->target.image.path))
        return diag_no_memory(diag, "programs");
    for (unsigned i = 0; i < machine->harts; i++) {
        struct follower *follower = &images->follower[i];

        *follower = (struct follower){
            .images = images, .cpu = &machine->cpu[i],
            .listener = {.changed = switched, .arg = follower}};
        pmu_listen(&machine->cpu[i].pmu.thread, &follower->listener);
    }
    machine->kernel->executed = executed;
    machine->kernel->forked = forked;
    machine->kernel->executed_arg = images;
    return ERR_OK;
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

void images_begin(struct images *images)
{
    take_all(images);
    for (size_t i = 0; i < images->images; i++)
        images->image[i].insns = images->image[i].cycles = 0;
}

bool images_collect(struct images *images, struct job *job)
{
    struct profile *profile = &job->profile;

    take_all(images);
    if (images->has_failed)
        return false;
    if (images->images == 1)
        return true;
    profile->image = profile_alloc(profile, images->images, sizeof profile->image[0]);
    for (size_t i = 0; profile->image != NULL && i < images->images; i++)
        profile->image[profile->images++] = (struct profile_image){
            profile_text(profile, images->image[i].path), images->image[i].insns,
            images->image[i].cycles};
    return profile->image != NULL;
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
    free(images->image);
    free(images->thread);
    free(images->follower);
    free(images);
}
