/* Limits of elapsed time. A waiting thread is on no hart, so no hart can count for it: the
 * simulator checks from outside, in the first cycle in which a limit can expire.
 *
 * Limits of calls that began before a check are known, and a call that begins after it expires no
 * earlier than the smallest limit later, so no check is late. With several harts a check is at the
 * end of a turn, up to ROUND_CYCLES of machine_run.c later. */
#include <stdlib.h>

#include "sim/base/array.h"
#include "sim/cli/hang_watch.h"

/* The delay while the kernel switches threads, and the limits of one are in no known place. */
enum { SOON_CYCLES = 200 };

static uint64_t smallest(const struct hang *hang)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < hang->limits; i++)
        if (hang->limit[i].is_elapsed && hang->limit[i].report != HANG_NO_REPORT &&
            hang->limit[i].cycles < least)
            least = hang->limit[i].cycles;
    return least;
}

static uint64_t after(uint64_t now, uint64_t cycles)
{
    return cycles < UINT64_MAX - now ? now + cycles : UINT64_MAX;
}

static bool was_told(const struct watch *watch, const struct hang_told *call)
{
    for (size_t i = 0; i < watch->tolds; i++)
        if (watch->told[i].tid == call->tid && watch->told[i].function == call->function &&
            watch->told[i].began == call->began)
            return true;
    return false;
}

static void remember(struct watch *watch, const struct hang_told *call)
{
    struct hang_told *grown = array_grow(watch->told, watch->tolds, sizeof *grown);

    if (grown == NULL) {
        watch->err = diag_no_memory(watch->diag, "alarms");
        return;
    }
    watch->told = grown;
    watch->told[watch->tolds++] = *call;
}

/* Raises an alarm if the call has exceeded its limit; else returns the cycle in which it will. */
static uint64_t look_at(struct watch *watch, const struct tasks *tasks,
                        const struct task_view *task, const struct pmu_limit *limit, uint64_t now)
{
    const struct hang_told call = {task->tid, limit->function, limit->began};
    struct hang_alarm alarm = {
        .executed = limit->counted, .elapsed = now - limit->began, .cycle = now,
    };

    if (limit->state != PROF_LIMIT_IS_ELAPSED ||
        !hang_find_limit(watch->hang, limit->function, &alarm.limit))
        return UINT64_MAX;
    if (after(limit->began, limit->cycles) > now)
        return after(limit->began, limit->cycles);
    if (was_told(watch, &call))
        return UINT64_MAX;
    remember(watch, &call);
    hang_watch_alarm(watch, tasks, task, &alarm);
    return UINT64_MAX;
}

/* Returns the cycle of the next check, as far as the threads determine it. */
static uint64_t look_at_all(struct watch *watch, const struct tasks *tasks, uint64_t now)
{
    const struct machine *machine = &watch->job->machine;
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < tasks->count; i++)
        for (unsigned k = 0; k < tasks->thread[i].limits; k++) {
            const struct task_view *task = &tasks->thread[i];
            uint64_t at = look_at(watch, tasks, task, &task->limit[k], now);

            next = at < next ? at : next;
        }
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->cpu[i].pmu.limits.depth != 0 && tasks_on(tasks, i) == NULL &&
            after(now, SOON_CYCLES) < next)
            next = after(now, SOON_CYCLES);
    return next;
}

/* machine->interval */
static void look(void *arg, struct machine *machine)
{
    struct watch *watch = arg;
    uint64_t now = machine_cycles(machine), next = after(now, smallest(watch->hang)), known;
    size_t before = watch->hang->alarms;
    struct tasks tasks;

    if (watch->err != ERR_OK)
        return;
    watch->err = tasks_take(&tasks, machine, TASKS_MEMORY, watch->diag);
    if (watch->err == ERR_OK) {
        known = look_at_all(watch, &tasks, now);
        next = known < next ? known : next;
    }
    tasks_free(&tasks);
    machine->next_interval = next;
    if (watch->hang->alarms != before || watch->err != ERR_OK) {
        int hart = watch->hang->alarms != before
                       ? watch->hang->alarm[watch->hang->alarms - 1].hart : 0;

        hang_watch_end(watch, before, hart >= 0 ? (unsigned)hart : 0);
    }
}

void hang_watch_elapsed(struct watch *watch)
{
    struct machine *machine = &watch->job->machine;
    uint64_t least = smallest(watch->hang);

    if (least == UINT64_MAX)
        return;
    machine->interval = look;
    machine->interval_wakes = true;
    machine->interval_arg = watch;
    machine->next_interval = after(machine_cycles(machine), least);
}
