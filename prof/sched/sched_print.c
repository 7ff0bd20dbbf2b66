/* Scheduling as text, as JSON, and as a time line; see sched.h. */
#include "prof/json.h"
#include "prof/sched/sched.h"

#include <inttypes.h>

/* ---- text ------------------------------------------------------------------------------------ */

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

/* Cycles that have records. */
static uint64_t recorded(const struct sched *sched)
{
    return sched->end - sched->start - sched->paused;
}

/* The last column: of the running time, what the program itself had; the rest is the kernel's. */
static void print_user(const struct sched *sched, uint64_t user, FILE *out)
{
    if (sched->has_user)
        fprintf(out, "%14" PRIu64, user);
    fputc('\n', out);
}

static void print_thread(const struct sched *sched, const struct sched_thread *thread, FILE *out)
{
    fprintf(out, "%6" PRIu32 "%14" PRIu64 "%8.2f%%%14" PRIu64, thread->tid, thread->running,
            share(thread->running, recorded(sched)), thread->ready);
    for (unsigned i = KERNEL_REASON_LOCK; i < KERNEL_REASON_EXIT; i++)
        fprintf(out, "%14" PRIu64, thread->blocked[i]);
    fprintf(out, "%10" PRIu64 "%10" PRIu64 "%11" PRIu64 "%14" PRIu64 "%14" PRIu64,
            thread->switches, thread->preempted, thread->migrations,
            thread->waits != 0 ? thread->ready / thread->waits : 0, thread->longest_wait);
    print_user(sched, thread->user, out);
}

void sched_print(const struct sched *sched, FILE *out)
{
    const char *user = sched->has_user ? "          user" : "";
    uint64_t span = recorded(sched);

    fprintf(out, "%6s%14s%9s%14s%10s%s\n", "hart", "running", "", "idle", "switches", user);
    for (size_t i = 0; i < sched->harts; i++) {
        const struct sched_hart *hart = &sched->hart[i];

        fprintf(out, "%6zu%14" PRIu64 "%8.2f%%%14" PRIu64 "%10" PRIu64, i, hart->running,
                share(hart->running, span), hart->idle, hart->switches);
        print_user(sched, hart->user, out);
    }
    fprintf(out, "\n%6s%14s%9s%14s", "thread", "running", "", "ready");
    for (unsigned i = KERNEL_REASON_LOCK; i < KERNEL_REASON_EXIT; i++)
        fprintf(out, "%14s", sched_reason_name(i));
    fprintf(out, "%10s%10s%11s%14s%14s%s\n", "switches", "preempted", "migrations", "mean wait",
            "longest wait", user);
    for (size_t i = 0; i < sched->threads; i++)
        print_thread(sched, &sched->thread[i], out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_thread(cJSON *array, const struct sched *sched,
                       const struct sched_thread *thread)
{
    cJSON *object = cJSON_CreateObject(), *blocked;

    cJSON_AddItemToArray(array, object);
    json_number(object, "thread", thread->tid);
    json_number(object, "running", thread->running);
    if (sched->has_user)
        json_number(object, "user", thread->user);
    json_number(object, "ready", thread->ready);
    blocked = cJSON_AddObjectToObject(object, "blocked");
    for (unsigned i = KERNEL_REASON_LOCK; i < KERNEL_REASON_EXIT; i++)
        json_number(blocked, sched_reason_name(i), thread->blocked[i]);
    json_number(object, "switches", thread->switches);
    json_number(object, "preempted", thread->preempted);
    json_number(object, "migrations", thread->migrations);
    json_number(object, "waits", thread->waits);
    json_number(object, "longest_wait", thread->longest_wait);
}

enum err sched_print_json(const struct sched *sched, FILE *out, struct diag *diag)
{
    cJSON *root = json_document(), *harts, *threads;

    json_number(root, "start", sched->start);
    json_number(root, "end", sched->end);
    json_number(root, "paused", sched->paused);
    harts = cJSON_AddArrayToObject(root, "harts");
    for (size_t i = 0; i < sched->harts; i++) {
        cJSON *object = cJSON_CreateObject();

        cJSON_AddItemToArray(harts, object);
        json_number(object, "running", sched->hart[i].running);
        if (sched->has_user)
            json_number(object, "user", sched->hart[i].user);
        json_number(object, "idle", sched->hart[i].idle);
        json_number(object, "switches", sched->hart[i].switches);
    }
    threads = cJSON_AddArrayToObject(root, "threads");
    for (size_t i = 0; i < sched->threads; i++)
        add_thread(threads, sched, &sched->thread[i]);
    return json_print(root, out, diag);
}

/* ---- time line ------------------------------------------------------------------------------- */

static enum err add_event(struct timeline *timeline, const struct kernel_record *record,
                          uint32_t tid, enum timeline_kind kind, const char *name,
                          struct diag *diag)
{
    struct timeline_event event = {
        .time = record->cycle, .kind = (uint8_t)kind, .hart = record->hart,
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
