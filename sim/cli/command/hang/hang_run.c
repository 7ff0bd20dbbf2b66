/* The watched run; see hang_run.h. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream, strdup */
#include "sim/cli/command/hang/hang_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/key.h"
#include "sim/cli/command/hang/hang_watch.h"
#include "sim/cli/job/debugging.h"
#include "sim/host/tasks.h"

/* ---- threads --------------------------------------------------------------------------------- */

static void describe_wait(const struct watch *watch, const struct tasks *tasks,
                          const struct task_view *task, struct hang_thread *thread)
{
    static const char *const reasons[] = {
        [KERNEL_REASON_NONE] = "nothing", [KERNEL_REASON_LOCK] = "lock",
        [KERNEL_REASON_SLEEP] = "sleep", [KERNEL_REASON_IO] = "i/o",
        [KERNEL_REASON_CHILD] = "child", [KERNEL_REASON_SIGNAL] = "signal",
        [KERNEL_REASON_EXIT] = "exit",
    };
    struct tasks_lock lock = tasks_lock(tasks, &watch->job->machine, task);

    thread->wait = task->hart >= 0 && task->state == KERNEL_THREAD_RUNNING ? HANG_RUNS
                   : task->state == KERNEL_THREAD_READY ? HANG_IS_READY : HANG_WAITS;
    thread->reason = task->state == KERNEL_THREAD_STOPPED ? "stopped"
                     : task->reason <= KERNEL_REASON_EXIT ? reasons[task->reason] : "unknown";
    if (lock.wait == TASKS_WAITS_NOT)
        return;
    thread->wait = lock.wait == TASKS_WAITS_LOCK ? HANG_WAITS_LOCK : HANG_WAITS_END;
    thread->lock = key_of(tasks->process[task->process].program, lock.address);
    thread->holder = lock.holder;
}

static void describe_thread(const struct watch *watch, const struct tasks *tasks,
                            const struct task_view *task, struct hang_thread *thread)
{
    *thread = (struct hang_thread){.tid = task->tid, .hart = task->hart};
    memcpy(thread->name, task->name, sizeof thread->name);
    describe_wait(watch, tasks, task, thread);
    tasks_walk(tasks, &watch->job->machine, &watch->frames, task, &thread->stack);
}

/* All threads, `first` first. NULL: no memory. */
static struct hang_thread *describe_threads(const struct watch *watch, const struct tasks *tasks,
                                            const struct task_view *first)
{
    struct hang_thread *thread = calloc(tasks->count + 1, sizeof *thread);
    size_t at = 0;

    if (thread == NULL)
        return NULL;
    if (first != NULL)
        describe_thread(watch, tasks, first, &thread[at++]);
    for (size_t i = 0; i < tasks->count; i++)
        if (&tasks->thread[i] != first)
            describe_thread(watch, tasks, &tasks->thread[i], &thread[at++]);
    return thread;
}

/* ---- dumps ----------------------------------------------------------------------------------- */

/* The name of a file; the second one has .2 before its suffix. NULL: no memory. */
static char *dump_name(const char *path, size_t number)
{
    const char *base = symbols_base_name(path), *dot = strchr(base, '.');
    size_t stem = dot != NULL && dot != base ? (size_t)(dot - path) : strlen(path);
    char *text = NULL;
    size_t bytes;
    FILE *out;

    if (number == 0)
        return strdup(path);
    out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    fprintf(out, "%.*s.%zu%s", (int)stem, path, number + 1, path + stem);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static size_t all_dumps(const struct watch *watch)
{
    size_t dumps = 0;

    for (size_t i = 0; i < watch->hang->limits; i++)
        dumps += watch->dumped[i];
    return dumps;
}

/* Writes the core of an alarm, unless its function already has its number of dumps. */
static enum err dump(struct watch *watch, const struct tasks *tasks,
                     const struct task_view *task, struct hang_alarm *alarm)
{
    const struct hang_wishes *wishes = watch->wishes;
    enum err err;

    if (wishes->dump == NULL || watch->dumped[alarm->limit] == wishes->dumps ||
        watch->hang->limit[alarm->limit].report != HANG_FULL)
        return ERR_OK;
    alarm->dump = dump_name(wishes->dump, all_dumps(watch));
    if (alarm->dump == NULL)
        return diag_no_memory(watch->diag, "a core file");
    err = hang_dump(&watch->job->machine, tasks, task, alarm->dump,
                    watch->job->options->program_argv, watch->diag);
    watch->dumped[alarm->limit] += err == ERR_OK;
    return err;
}

/* ---- alarms ---------------------------------------------------------------------------------- */

/* Describes all threads for the first alarm of its group, and only the hanging thread otherwise and
 * in a light report. */
static enum err describe_alarm(struct watch *watch, const struct tasks *tasks,
                               const struct task_view *task, struct hang_alarm *alarm)
{
    bool is_full = watch->hang->limit[alarm->limit].report == HANG_FULL;
    struct hang_thread first;

    tasks_follow_modules(&watch->frames, &watch->job->target);
    describe_thread(watch, tasks, task, &first);
    alarm->group = hang_group(watch->hang->symbols, &first.stack);
    if (alarm->group == NULL)
        return diag_no_memory(watch->diag, "alarms");
    is_full &= hang_first(watch->hang, alarm->limit, alarm->group) == NULL;
    alarm->threads = is_full ? tasks->count : 1;
    alarm->thread = is_full ? describe_threads(watch, tasks, task) : calloc(1, sizeof first);
    if (alarm->thread == NULL)
        return diag_no_memory(watch->diag, "alarms");
    alarm->thread[0] = first;
    return dump(watch, tasks, task, alarm);
}

void hang_watch_alarm(struct watch *watch, const struct tasks *tasks,
                      const struct task_view *task, struct hang_alarm *alarm)
{
    struct hang_limit *limit = &watch->hang->limit[alarm->limit];

    if (watch->err != ERR_OK)
        return;
    if (limit->times != 0 && limit->alarms >= limit->times) {
        watch->hang->unreported++;
        return;
    }
    limit->alarms++;
    alarm->tid = task->tid;
    alarm->hart = task->hart;
    alarm->time_ns = machine_time_ns(&watch->job->machine);
    watch->err = describe_alarm(watch, tasks, task, alarm);
    if (watch->err == ERR_OK)
        watch->err = hang_add(watch->hang, alarm, watch->diag);
}

static void on_alarm(struct watch *watch, const struct cpu *cpu, const struct indicator *indicator)
{
    const struct pmu_limit *limit = &cpu->pmu.limits.limit[indicator->level % PROF_LIMITS];
    uint64_t elapsed = limit->expired - limit->began;
    struct hang_alarm alarm = {
        .executed = indicator->count, .cycle = limit->expired,
        .elapsed = (int64_t)(elapsed - indicator->count) > 0 ? elapsed : indicator->count,
    };
    const struct task_view *task;
    struct tasks tasks;

    if (!hang_find_limit(watch->hang, pmu_thread_key(&cpu->pmu.thread, indicator->iaddr),
                         &alarm.limit) || watch->err != ERR_OK)
        return;
    watch->err = tasks_take(&tasks, &watch->job->machine, TASKS_MEMORY, watch->diag);
    task = tasks_on(&tasks, (unsigned)cpu->hart.id);
    if (task != NULL)
        hang_watch_alarm(watch, &tasks, task, &alarm);
    tasks_free(&tasks);
}

/* After alarms the run may end, or stop for the debugger. */
void hang_watch_end(struct watch *watch, size_t before, unsigned hart)
{
    const struct hang *hang = watch->hang;

    if (watch->err != ERR_OK ||
        (watch->wishes->most != 0 && hang->alarms >= watch->wishes->most))
        watch->job->machine.halt = true;
    if (hang->alarms != before && watch->job->debugger != NULL)
        debugging_stop(watch->job, hart);
}

/* machine->monitor */
static void serve(void *arg, struct machine *machine, struct cpu *cpu)
{
    struct watch *watch = arg;
    const struct pmu *pmu = &cpu->pmu;
    size_t before = watch->hang->alarms;

    for (unsigned i = 0; i < pmu->queue_length; i++) {
        const struct indicator *indicator = &pmu->queue[(pmu->queue_head + i) % PMU_QUEUE];

        if (IND_KIND(indicator->flags) == IND_KIND_LIMIT)
            on_alarm(watch, cpu, indicator);
    }
    profiler_serve(watch->job->profiler, machine, cpu);
    hang_watch_end(watch, before, (unsigned)cpu->hart.id);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A program that ends by a trap or waits for ever is reported as a result. */
static void take_end(struct watch *watch)
{
    struct machine *machine = &watch->job->machine;
    struct hang *hang = watch->hang;
    struct tasks tasks;

    if (machine->result.reason != RESULT_TRAP || watch->err != ERR_OK)
        return;
    snprintf(hang->end, sizeof hang->end, "%s", machine->result.text);
    watch->err = tasks_take(&tasks, machine, TASKS_MEMORY, watch->diag);
    if (watch->err == ERR_OK) {
        tasks_follow_modules(&watch->frames, &watch->job->target);
        hang->left = describe_threads(watch, &tasks, NULL);
        hang->lefts = hang->left != NULL ? tasks.count : 0;
    }
    tasks_free(&tasks);
    machine->result.reason = RESULT_HALTED;
}

static void sum_up(struct watch *watch)
{
    const struct machine *machine = &watch->job->machine;

    for (unsigned i = 0; i < machine->harts; i++) {
        watch->hang->begun += machine->cpu[i].pmu.limits.begun;
        watch->hang->refused += machine->cpu[i].pmu.limits.refused;
    }
}

static enum err run_watched(void *arg, struct job *job, const struct limits *limits,
                            struct diag *diag)
{
    struct watch *watch = arg;
    enum err err = frames_build(&watch->frames, &job->target.image, diag);

    if (err != ERR_OK)
        return err;
    watch->job = job;
    watch->diag = diag;
    watch->hang->symbols = job->target.symbols;
    job->machine.monitor = serve;
    job->machine.monitor_arg = watch;
    hang_watch_elapsed(watch);
    if (job->debugger != NULL)
        err = debugging_run(job, limits, diag);
    else
        machine_run(&job->machine, limits);
    take_end(watch);
    sum_up(watch);
    watch->hang->symbols = watch->tool->target.symbols;
    frames_free(&watch->frames);
    return err == ERR_OK ? watch->err : err;
}

/* The limits as a metadata file; NULL: no memory. */
static char *make_marks(const struct hang *hang)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < hang->limits; i++) {
        const struct hang_limit *limit = &hang->limit[i];

        if (limit->report == HANG_NO_REPORT)
            continue;
        if (limit->awaited != NULL)
            fprintf(out, "\"%s\"", limit->awaited);
        else
            fprintf(out, "0x%" PRIx64, limit->address);
        fprintf(out, " 2 alarm=%s%" PRIu64 "\n", limit->is_elapsed ? "elapsed:" : "",
                limit->cycles);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static enum err run_unwatched(struct hang *hang, struct tool *tool, struct diag *diag)
{
    const struct trial trial = {.what = "the cost of watching", .no_monitor = true};
    struct trial_result result;
    enum err err = tool_run(tool, &trial, &result, diag);

    if (err != ERR_OK)
        return err;
    if (!tool->is_interrupted)
        hang->cycles_without = result.profile.cycles;
    profile_free(&result.profile);
    return ERR_OK;
}

enum err hang_run(struct hang *hang, const struct hang_wishes *wishes, struct tool *tool,
                  bool costs, struct diag *diag)
{
    struct watch watch = {.hang = hang, .wishes = wishes, .tool = tool};
    char *marks = make_marks(hang);
    const struct trial trial = {
        .what = "watching", .marks = marks, .on_host = true, .slices = run_watched,
        .slices_arg = &watch,
    };
    struct trial_result result;
    enum err err;

    watch.dumped = calloc(hang->limits + 1, sizeof *watch.dumped);
    if (marks == NULL || watch.dumped == NULL)
        err = diag_no_memory(diag, "limits");
    else {
        tool->options.gdb = wishes->gdb;
        err = tool_run(tool, &trial, &result, diag);
        tool->options.gdb = NULL;
        if (err == ERR_OK) {
            hang->cycles = result.profile.cycles;
            costs &= !result_is_cut(result.end);
            profile_free(&result.profile);
        }
    }
    free(watch.dumped);
    free(watch.told);
    free(marks);
    costs &= err == ERR_OK && hang->end[0] == '\0' &&
             (wishes->most == 0 || hang->alarms < wishes->most);
    return costs ? run_unwatched(hang, tool, diag) : err;
}
