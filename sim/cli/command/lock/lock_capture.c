/* See lock_capture.h. */
#include "sim/cli/command/lock/lock_capture.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/sorted.h"
#include "sim/base/array.h"
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
    struct known *known;                /* by thread: those that have come to a hart */
    size_t knowns;
    enum err err;
    struct diag diag;
};

/* Where the kernel keeps a thread. */
struct known { uint32_t tid; uint64_t place; };

static bool is_before(const void *row, const void *tid)
{
    const struct known *known = row;

    return known->tid < *(const uint32_t *)tid;
}

static size_t index_of(const struct lock_capture *capture, uint32_t tid)
{
    return sorted_place(capture->known, capture->knowns, sizeof capture->known[0], is_before, &tid);
}

/* 0: unknown. */
static uint64_t place_of(const struct lock_capture *capture, uint32_t tid)
{
    size_t at = index_of(capture, tid);

    return at < capture->knowns && capture->known[at].tid == tid ? capture->known[at].place : 0;
}

static void know(struct lock_capture *capture, uint32_t tid, uint64_t place)
{
    size_t at = index_of(capture, tid);
    struct known *grown;

    if (at < capture->knowns && capture->known[at].tid == tid) {
        capture->known[at].place = place;
        return;
    }
    grown = array_grow(capture->known, capture->knowns, sizeof *grown);
    if (grown == NULL) {
        capture->err = diag_no_memory(&capture->diag, "call stacks");
        return;
    }
    capture->known = grown;
    memmove(&grown[at + 1], &grown[at], (capture->knowns++ - at) * sizeof *grown);
    grown[at] = (struct known){tid, place};
}

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

/* The thread leaves the hart; its registers and its memory are as it left them. */
static void see_leave(struct watched *watched, uint32_t tid)
{
    struct lock_capture *capture = watched->capture;
    uint64_t place = place_of(capture, tid);
    struct tasks tasks;
    const struct task_view *task;

    capture->err = place != 0 ? tasks_take_thread(&tasks, capture->machine, place, &capture->diag)
                              : tasks_take(&tasks, capture->machine, TASKS_THREADS, &capture->diag);
    task = capture->err == ERR_OK ? tasks_find(&tasks, tid) : NULL;
    if (task != NULL && task->state == KERNEL_THREAD_BLOCKED && task->reason == KERNEL_REASON_LOCK)
        take_stack(watched, &tasks, task);
    tasks_free(&tasks);
}

static void thread_changes(void *arg, uint64_t before, uint64_t thread)
{
    struct watched *watched = arg;
    struct lock_capture *capture = watched->capture;

    if (before != 0 && capture->err == ERR_OK)
        see_leave(watched, (uint32_t)before);
    if (thread != 0 && capture->err == ERR_OK)
        know(capture, (uint32_t)thread,
             tasks_place(capture->machine, (unsigned)(watched - capture->watched)));
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
        watched->listener = (struct pmu_listener){.changed = thread_changes, .arg = watched};
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
    free(capture->known);
    free(capture);
}
