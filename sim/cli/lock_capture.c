/* See lock_capture.h. */
#include "sim/cli/lock_capture.h"

#include <stdlib.h>

#include "sim/host/tasks.h"

struct watched {
    struct lock_capture *capture;
    struct pmu *pmu;
    struct pmu_listener listener;
};

struct lock_capture {
    struct lock_stacks stacks;
    const struct kernel_records *records;
    struct machine *machine;
    struct frames frames;
    struct watched *watched;            /* [harts] */
    enum err err;
    struct diag diag;
};

static void take_stack(struct watched *watched, const struct tasks *tasks,
                       const struct task_view *task)
{
    struct lock_capture *capture = watched->capture;
    struct monitor_stack stack;

    tasks_follow_modules(&capture->frames, capture->records->target);
    tasks_walk(tasks, capture->machine, &capture->frames, task, &stack);
    if (!lock_stacks_add(&capture->stacks, task->tid, watched->pmu->events[EVENT_CYCLES], &stack))
        capture->err = diag_no_memory(&capture->diag, "call stacks");
}

/* The thread `before` leaves the hart; its registers and its memory are as it left them. */
static void thread_changes(void *arg, uint64_t before, uint64_t thread)
{
    struct watched *watched = arg;
    struct lock_capture *capture = watched->capture;
    struct tasks tasks;
    const struct task_view *task;

    (void)thread;
    if (before == 0 || capture->err != ERR_OK)
        return;
    capture->err = tasks_take(&tasks, capture->machine, TASKS_THREADS, &capture->diag);
    task = capture->err == ERR_OK ? tasks_find(&tasks, (uint32_t)before) : NULL;
    if (task != NULL && task->state == KERNEL_THREAD_BLOCKED && task->reason == KERNEL_REASON_LOCK)
        take_stack(watched, &tasks, task);
    tasks_free(&tasks);
}

static enum err begin(void *arg, struct machine *machine, struct diag *diag)
{
    struct lock_capture *capture = arg;
    enum err err = frames_build(&capture->frames, machine->image, diag);

    capture->machine = machine;
    capture->watched = calloc(machine->harts, sizeof *capture->watched);
    if (err == ERR_OK && capture->watched == NULL)
        err = diag_no_memory(diag, "call stacks");
    for (unsigned i = 0; i < machine->harts && err == ERR_OK; i++) {
        struct watched *watched = &capture->watched[i];

        *watched = (struct watched){.capture = capture, .pmu = &machine->cpu[i].pmu};
        watched->listener = (struct pmu_listener){thread_changes, watched, NULL};
        pmu_listen(&watched->pmu->thread, &watched->listener);
    }
    return err;
}

static enum err end(void *arg, const struct machine *machine, struct diag *diag)
{
    struct lock_capture *capture = arg;

    for (unsigned i = 0; i < machine->harts; i++)
        pmu_unlisten(&capture->watched[i].pmu->thread, &capture->watched[i].listener);
    if (capture->err != ERR_OK)
        *diag = capture->diag;
    return capture->err;
}

struct lock_capture *lock_capture_request(struct kernel_records *records)
{
    struct lock_capture *capture = calloc(1, sizeof *capture);

    if (capture == NULL)
        return NULL;
    capture->records = records;
    records->begins = begin;
    records->ended = end;
    records->arg = capture;
    return capture;
}

struct lock_stacks *lock_capture_stacks(struct lock_capture *capture)
{
    return &capture->stacks;
}

void lock_capture_free(struct lock_capture *capture)
{
    if (capture == NULL)
        return;
    lock_stacks_free(&capture->stacks);
    frames_free(&capture->frames);
    free(capture->watched);
    free(capture);
}
