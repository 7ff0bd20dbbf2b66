/* Limits of elapsed time. A waiting thread is on no hart, so no hart can count for it: the
 * simulator checks from outside, in the first cycle in which a limit can expire.
 *
 * Limits of calls that began before a check are known, and a call that begins after it expires no
 * earlier than the smallest limit later, so no check is late. With several harts a check is at the
 * end of a turn, up to ROUND_CYCLES of machine_run.c later. */
#include <stdlib.h>

#include "pmu/key.h"
#include "sim/base/array.h"
#include "sim/cli/command/hang/hang_watch.h"

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

/* A look at all threads. The first one reads only their limits: it finds whether there is an alarm,
 * which a second one raises, and when the next look is due. */
struct look { struct watch *watch; struct tasks tasks; uint64_t now; bool raises, is_due; };

/* Raises an alarm if the call has exceeded its limit; else returns the cycle in which it will. */
static uint64_t look_at(struct look *look, const struct task_view *task,
                        const struct pmu_limit *limit)
{
    struct watch *watch = look->watch;
    uint64_t program = look->tasks.process[task->process].program;
    const struct hang_told call = {task->tid, key_of(program, limit->function), limit->began};
    struct hang_alarm alarm = {
        .executed = limit->counted, .elapsed = look->now - limit->began, .cycle = look->now,
    };

    if (limit->state != PROF_LIMIT_IS_ELAPSED ||
        !hang_find_limit(watch->hang, call.function, &alarm.limit))
        return UINT64_MAX;
    if (after(limit->began, limit->cycles) > look->now)
        return after(limit->began, limit->cycles);
    if (was_told(watch, &call))
        return UINT64_MAX;
    look->is_due = true;
    if (!look->raises)
        return UINT64_MAX;
    remember(watch, &call);
    hang_watch_alarm(watch, &look->tasks, task, &alarm);
    return UINT64_MAX;
}

/* Returns the cycle of the next check, as far as the threads determine it. */
static uint64_t look_at_all(struct look *look)
{
    const struct machine *machine = &look->watch->job->machine;
    const struct tasks *tasks = &look->tasks;
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < tasks->count; i++)
        for (unsigned k = 0; k < tasks->thread[i].limits; k++) {
            uint64_t at = look_at(look, &tasks->thread[i], &tasks->thread[i].limit[k]);

            next = at < next ? at : next;
        }
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->cpu[i].pmu.limits.depth != 0 && tasks_on(tasks, i) == NULL &&
            after(look->now, SOON_CYCLES) < next)
            next = after(look->now, SOON_CYCLES);
    return next;
}

/* Takes the threads and looks at them; UINT64_MAX if the look fails. */
static uint64_t take_and_look(struct look *look, enum tasks_part part)
{
    struct watch *watch = look->watch;
    uint64_t next = UINT64_MAX;

    watch->err = tasks_take(&look->tasks, &watch->job->machine, part, watch->diag);
    if (watch->err == ERR_OK)
        next = look_at_all(look);
    tasks_free(&look->tasks);
    return next;
}

/* machine->interval */
static void look(void *arg, struct machine *machine)
{
    struct watch *watch = arg;
    struct look look = {.watch = watch, .now = machine_cycles(machine)};
    uint64_t next = after(look.now, smallest(watch->hang)), known;
    size_t before = watch->hang->alarms;

    if (watch->err != ERR_OK)
        return;
    known = take_and_look(&look, TASKS_LIMITS);
    look.raises = look.is_due;
    if (look.is_due)
        known = take_and_look(&look, TASKS_MEMORY);
    machine->next_interval = known < next ? known : next;
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
