/* Scheduling as text, as JSON, and as a time line; see sched.h. */
#include "prof/profile/json.h"
#include "prof/sched/sched.h"

#include <inttypes.h>

/* ---- text ------------------------------------------------------------------------------------ */

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

/* Cycles that have records, of threads. */
static uint64_t recorded(const struct sched *sched)
{
    return sched->end - sched->start - sched->paused;
}

static void print_number(uint64_t number, FILE *out)
{
    fprintf(out, "%13" PRIu64, number);
}

static void print_share(uint64_t part, uint64_t whole, FILE *out)
{
    fprintf(out, "%13" PRIu64 "%8.2f%%", part, share(part, whole));
}

/* The parts of the running time in the program and in the kernel. */
static void print_modes(uint64_t user, uint64_t running, FILE *out)
{
    print_number(user, out);
    print_number(running - user, out);
}

static bool has_names(const struct sched *sched)
{
    for (size_t i = 0; i < sched->threads; i++)
        if (sched->thread[i].name != NULL)
            return true;
    return false;
}

/* The last column, and the end of the row. */
static void end_head(const struct sched *sched, FILE *out)
{
    fprintf(out, "%s\n", has_names(sched) ? "  name" : "");
}

static void end_row(const struct sched_thread *thread, FILE *out)
{
    fprintf(out, "%s%s\n", thread->name != NULL ? "  " : "",
            thread->name != NULL ? thread->name : "");
}

static void print_harts(const struct sched *sched, FILE *out)
{
    bool has_paused = sched->paused != 0;

    fprintf(out, "%6s%13s%9s%13s%11s%s%10s%13s%13s\n", "hart", "running", "", "idle", "idle path",
            has_paused ? "       paused" : "", "switches", "user", "kernel");
    for (size_t i = 0; i < sched->harts; i++) {
        const struct sched_hart *hart = &sched->hart[i];

        fprintf(out, "%6zu", i);
        print_share(hart->running, hart->cycles - hart->paused, out);
        print_number(hart->idle, out);
        fprintf(out, "%11" PRIu64, hart->away - hart->idle);
        if (has_paused)
            print_number(hart->paused, out);
        fprintf(out, "%10" PRIu64, hart->switches);
        print_modes(hart->user, hart->running, out);
        fputc('\n', out);
    }
}

static void print_times(const struct sched *sched, FILE *out)
{
    fprintf(out, "\n%6s%13s%9s%13s", "thread", "running", "", "ready");
    for (unsigned i = KERNEL_REASON_LOCK; i < KERNEL_REASON_EXIT; i++)
        fprintf(out, "%13s", sched_reason_name(i));
    fprintf(out, "%13s%13s", "user", "kernel");
    end_head(sched, out);
    for (size_t i = 0; i < sched->threads; i++) {
        const struct sched_thread *thread = &sched->thread[i];

        fprintf(out, "%6" PRIu32, thread->tid);
        print_share(thread->running, recorded(sched), out);
        print_number(thread->ready, out);
        for (unsigned k = KERNEL_REASON_LOCK; k < KERNEL_REASON_EXIT; k++)
            print_number(thread->blocked[k], out);
        print_modes(thread->user, thread->running, out);
        end_row(thread, out);
    }
}

static void print_switches(const struct sched *sched, FILE *out)
{
    fprintf(out, "\n%6s%10s", "thread", "switches");
    for (unsigned i = 0; i < SCHED_REASONS; i++)
        fprintf(out, "%10s", sched_reason_name(i));
    fprintf(out, "%12s", "migrations");
    end_head(sched, out);
    for (size_t i = 0; i < sched->threads; i++) {
        const struct sched_thread *thread = &sched->thread[i];

        fprintf(out, "%6" PRIu32 "%10" PRIu64, thread->tid, thread->switches);
        for (unsigned k = 0; k < SCHED_REASONS; k++)
            fprintf(out, "%10" PRIu64, thread->left[k]);
        fprintf(out, "%12" PRIu64, thread->migrations);
        end_row(thread, out);
    }
}

static void print_waits(uint64_t waits, uint64_t cycles, const struct spread *wait, FILE *out)
{
    fprintf(out, "%10" PRIu64, waits);
    print_number(cycles, out);
    print_number(waits != 0 ? cycles / waits : 0, out);
    print_number(wait->median, out);
    print_number(wait->p90, out);
    print_number(wait->p99, out);
    print_number(wait->max, out);
}

/* The latency of the run queues. */
static void print_latency(const struct sched *sched, FILE *out)
{
    uint64_t all = 0;

    fprintf(out, "\n%6s%10s%13s%13s%13s%13s%13s%13s", "thread", "waits", "cycles", "mean",
            "median", "p90", "p99", "longest");
    end_head(sched, out);
    for (size_t i = 0; i < sched->threads; i++) {
        const struct sched_thread *thread = &sched->thread[i];

        all += thread->waited;
        fprintf(out, "%6" PRIu32, thread->tid);
        print_waits(thread->waits, thread->waited, &thread->wait, out);
        end_row(thread, out);
    }
    fprintf(out, "%6s", "all");
    print_waits(sched->waits, all, &sched->all_waits, out);
    fputc('\n', out);
}

/* For each hart, the threads that it ran. */
static void print_shares(const struct sched *sched, FILE *out)
{
    fprintf(out, "\n%6s%8s%13s%9s", "hart", "thread", "running", "");
    end_head(sched, out);
    for (size_t i = 0; i < sched->harts; i++)
        for (size_t k = 0; k < sched->threads; k++) {
            const struct sched_thread *thread = &sched->thread[k];

            if (thread->on_hart[i] == 0)
                continue;
            fprintf(out, "%6zu%8" PRIu32, i, thread->tid);
            print_share(thread->on_hart[i], sched->hart[i].running, out);
            end_row(thread, out);
        }
}

void sched_print(const struct sched *sched, bool shares, FILE *out)
{
    print_harts(sched, out);
    if (shares)
        print_shares(sched, out);
    print_times(sched, out);
    print_switches(sched, out);
    print_latency(sched, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_reasons(cJSON *object, const char *key, const uint64_t *value,
                        unsigned first, unsigned end)
{
    cJSON *reasons = cJSON_AddObjectToObject(object, key);

    for (unsigned i = first; i < end; i++)
        json_number(reasons, sched_reason_name(i), value[i]);
}

/* Cycles, and each wait in order of time. */
static void add_waits(cJSON *object, const struct sched_thread *thread,
                      const struct sched_wait *wait)
{
    cJSON *latency = cJSON_AddObjectToObject(object, "wait"), *list;

    json_number(latency, "total", thread->waited);
    json_number(latency, "median", thread->wait.median);
    json_number(latency, "p90", thread->wait.p90);
    json_number(latency, "p99", thread->wait.p99);
    json_number(latency, "max", thread->wait.max);
    list = cJSON_AddArrayToObject(latency, "list");
    for (size_t i = 0; i < thread->waits; i++)
        json_append_number(list, wait[i].cycles);
}

static void add_modes(cJSON *object, uint64_t user, uint64_t running)
{
    json_number(object, "user", user);
    json_number(object, "kernel", running - user);
}

static void add_thread(cJSON *array, const struct sched *sched,
                       const struct sched_thread *thread, const struct sched_wait *wait)
{
    cJSON *object = json_append_object(array), *on_hart;

    json_number(object, "thread", thread->tid);
    if (thread->name != NULL)
        cJSON_AddStringToObject(object, "name", thread->name);
    json_number(object, "running", thread->running);
    add_modes(object, thread->user, thread->running);
    json_number(object, "ready", thread->ready);
    add_reasons(object, "blocked", thread->blocked, KERNEL_REASON_LOCK, KERNEL_REASON_EXIT);
    on_hart = cJSON_AddArrayToObject(object, "on_hart");
    for (size_t i = 0; i < sched->harts; i++)
        json_append_number(on_hart, thread->on_hart[i]);
    json_number(object, "switches", thread->switches);
    json_number(object, "preempted", thread->left[KERNEL_REASON_NONE]);
    add_reasons(object, "left", thread->left, KERNEL_REASON_NONE, SCHED_REASONS);
    json_number(object, "migrations", thread->migrations);
    json_number(object, "waits", thread->waits);
    json_number(object, "longest_wait", thread->wait.max);
    add_waits(object, thread, wait);
}

static void add_hart(cJSON *array, const struct sched_hart *hart)
{
    cJSON *object = json_append_object(array);

    json_number(object, "cycles", hart->cycles);
    json_number(object, "running", hart->running);
    add_modes(object, hart->user, hart->running);
    json_number(object, "idle", hart->idle);
    json_number(object, "idle_path", hart->away - hart->idle);
    json_number(object, "away", hart->away);
    json_number(object, "paused", hart->paused);
    json_number(object, "switches", hart->switches);
}

enum err sched_print_json(const struct sched *sched, cJSON *root, FILE *out, struct diag *diag)
{
    cJSON *harts, *threads;
    size_t waits = 0;

    json_number(root, "start", sched->start);
    json_number(root, "end", sched->end);
    json_number(root, "paused", sched->paused);
    harts = cJSON_AddArrayToObject(root, "harts");
    for (size_t i = 0; i < sched->harts; i++)
        add_hart(harts, &sched->hart[i]);
    threads = cJSON_AddArrayToObject(root, "threads");
    for (size_t i = 0; i < sched->threads; i++) {
        add_thread(threads, sched, &sched->thread[i],
                   sched->waits != 0 ? &sched->wait[waits] : NULL);
        waits += sched->thread[i].waits;
    }
    return json_print(root, out, diag);
}

/* ---- time line ------------------------------------------------------------------------------- */

static enum err add_event(struct timeline *timeline, const struct kernel_record *record,
                          uint32_t tid, enum timeline_kind kind, const char *name,
                          struct diag *diag)
{
    struct timeline_event event = {
        .time = record->cycle, .order = record->order, .kind = (uint8_t)kind, .hart = record->hart,
        .name = TIMELINE_NO_NAME,
    };
    char text[16];
    enum err err = ERR_OK;

    if (tid == 0)
        return ERR_OK;
    snprintf(text, sizeof text, "%" PRIu32, tid);
    err = names_add(&timeline->thread, text, &event.thread, diag);
    if (err == ERR_OK && name != NULL)
        err = names_add(&timeline->name, name, &event.name, diag);
    return err == ERR_OK ? timeline_add(timeline, &event, diag) : err;
}

static enum err add_record(struct timeline *timeline, const struct kernel_record *record,
                           struct diag *diag)
{
    enum err err;

    switch (record->event) {
    case KERNEL_SWITCH:
        err = add_event(timeline, record, record->thread, TIMELINE_SWITCH_OUT, NULL, diag);
        return err != ERR_OK ? err : add_event(timeline, record, record->other,
                                               TIMELINE_SWITCH_IN, NULL, diag);
    case KERNEL_PAUSE:
        return add_event(timeline, record, record->thread, TIMELINE_SWITCH_OUT, NULL, diag);
    case KERNEL_RESUME:
        return add_event(timeline, record, record->thread, TIMELINE_SWITCH_IN, NULL, diag);
    case KERNEL_WAKE:
        return add_event(timeline, record, record->thread, TIMELINE_WAKE, NULL, diag);
    case KERNEL_MIGRATE:
        return add_event(timeline, record, record->thread, TIMELINE_MIGRATE, NULL, diag);
    case KERNEL_BLOCK:
        return add_event(timeline, record, record->thread, TIMELINE_BLOCK,
                         sched_reason_name(record->reason), diag);
    case KERNEL_SAMPLE:
        return add_event(timeline, record, record->thread, TIMELINE_SAMPLE,
                         record->value == SAMPLER_KIND_TO ? "sample to idle" : "sample from idle",
                         diag);
    default: return ERR_OK;
    }
}

enum err sched_timeline(struct timeline *timeline, const struct kernel_record *record,
                        size_t records, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < records && err == ERR_OK; i++)
        err = add_record(timeline, &record[i], diag);
    return err;
}
