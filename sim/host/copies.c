/* See copies.h. */
#include "sim/host/copies.h"

#include <stdlib.h>

#include "pmu/key.h"
#include "sim/base/array.h"
#include "sim/host/tasks.h"
#include "sim/run/kernel/kernel_host.h"

struct copies {
    const struct machine *machine;
    struct tasks tasks;
    uint64_t *pa;               /* [count] of the last key asked for */
    size_t count;
};

static enum err take(void *arg, struct diag *diag)
{
    struct copies *copies = arg;

    tasks_free(&copies->tasks);
    return tasks_take(&copies->tasks, copies->machine, TASKS_LIMITS, diag);
}

/* Adds a page once, as processes share pages. Without memory the page is left out. */
static void add(struct copies *copies, uint64_t pa)
{
    uint64_t *grown;

    for (size_t i = 0; i < copies->count; i++)
        if (copies->pa[i] == pa)
            return;
    grown = array_grow(copies->pa, copies->count, sizeof *grown);
    if (grown == NULL)
        return;
    copies->pa = grown;
    grown[copies->count++] = pa;
}

static size_t find(void *arg, uint64_t key, const uint64_t **pa)
{
    struct copies *copies = arg;
    uint64_t page;

    copies->count = 0;
    for (size_t i = 0; i < copies->tasks.processes; i++) {
        const struct process_view *process = &copies->tasks.process[i];

        if (process->program == key_program(key) &&
            tasks_translate(copies->machine, process, key & KEY_ADDRESS, &page))
            add(copies, page);
    }
    *pa = copies->pa;
    return copies->count;
}

enum err copies_follow(struct copies **copies, struct profiler *profiler, struct machine *machine,
                       struct diag *diag)
{
    struct profiler_memory memory = {.take = take, .copies = find};

    *copies = NULL;
    if (machine->kernel == NULL)
        return ERR_OK;
    *copies = calloc(1, sizeof **copies);
    if (*copies == NULL)
        return diag_no_memory(diag, "metadata");
    (*copies)->machine = machine;
    memory.arg = *copies;
    profiler_follow_memory(profiler, &memory);
    machine->kernel->follower = (struct kernel_follower){
        .came = profiler_page_came, .freed = profiler_page_freed, .arg = profiler};
    return ERR_OK;
}

void copies_free(struct copies *copies)
{
    if (copies == NULL)
        return;
    tasks_free(&copies->tasks);
    free(copies->pa);
    free(copies);
}
