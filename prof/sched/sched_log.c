/* See sched_log.h. */
#include "prof/sched/sched_log.h"

#include <inttypes.h>
#include <stdlib.h>

#include "prof/sched/sched.h"

/* ---- order ----------------------------------------------------------------------------------- */

struct keyed { struct kernel_record record; size_t place; };

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->record.order != y->record.order)
        return x->record.order > y->record.order ? 1 : -1;
    if (x->record.cycle != y->record.cycle)
        return x->record.cycle > y->record.cycle ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

enum err sched_sort(struct kernel_record *record, size_t records, struct diag *diag)
{
    struct keyed *keyed = malloc((records + 1) * sizeof *keyed);

    if (keyed == NULL)
        return diag_no_memory(diag, "records");
    for (size_t i = 0; i < records; i++)
        keyed[i] = (struct keyed){record[i], i};
    qsort(keyed, records, sizeof *keyed, compare);
    for (size_t i = 0; i < records; i++)
        record[i] = keyed[i].record;
    free(keyed);
    return ERR_OK;
}

/* ---- changes by hart ------------------------------------------------------------------------- */

static bool open_places(struct sched_places *places, const struct sched_log *log)
{
    *places = (struct sched_places){
        .change = malloc((log->changes + 1) * sizeof *places->change),
        .first = calloc(log->harts + 1, sizeof *places->first),
        .at = calloc(log->harts + 1, sizeof *places->at),
        .last = calloc(log->harts + 1, sizeof *places->last),
    };
    return places->change != NULL && places->first != NULL && places->at != NULL &&
           places->last != NULL;
}

bool sched_places_make(struct sched_places *places, const struct sched_log *log)
{
    if (!open_places(places, log))
        return false;
    for (size_t i = 0; i < log->changes; i++)
        places->first[log->change[i].hart + 1]++;
    for (unsigned i = 0; i < log->harts; i++) {
        places->first[i + 1] += places->first[i];
        places->last[i] = places->first[i + 1] - 1;
        places->at[i] = places->first[i];
    }
    for (size_t i = 0; i < log->changes; i++) {
        const struct sched_change *change = &log->change[i];

        places->change[places->at[change->hart]++] = change;
    }
    for (unsigned i = 0; i < log->harts; i++)
        places->at[i] = places->first[i];
    return true;
}

void sched_places_free(struct sched_places *places)
{
    free(places->change);
    free(places->first);
    free(places->at);
    free(places->last);
}

const struct sched_change *sched_log_at(struct sched_places *places, unsigned hart,
                                        uint64_t cycle)
{
    size_t *at = &places->at[hart];

    if (*at < places->last[hart])
        ++*at;
    while (*at < places->last[hart] && places->change[*at]->cycles < cycle)
        ++*at;
    return places->change[*at];
}

/* ---- comma-separated values ------------------------------------------------------------------ */

const char *sched_event_name(unsigned event)
{
    static const char *const name[] = {
        [KERNEL_SWITCH] = "switch", [KERNEL_WAKE] = "wake", [KERNEL_MIGRATE] = "migrate",
        [KERNEL_BLOCK] = "block", [KERNEL_CREATE] = "create", [KERNEL_EXIT] = "exit",
        [KERNEL_SAMPLE] = "sample", [KERNEL_ENTER] = "enter", [KERNEL_LEAVE] = "leave",
        [KERNEL_COUNT] = "count", [KERNEL_UNWIND] = "unwind", [KERNEL_PAUSE] = "pause",
        [KERNEL_RESUME] = "resume", [KERNEL_UNDO] = "undo", [KERNEL_ASKED] = "asked",
    };

    return event < sizeof name / sizeof name[0] && name[event] != NULL ? name[event] : "unknown";
}

/* A row of a hart's counts alone, where the run begins and where it ends. */
static void put_change(const char *event, const struct sched_change *change, FILE *out)
{
    fprintf(out, "%" PRIu32 ",%" PRIu64 ",%s,%" PRIu32 ",,,,,%" PRIu64 ",%" PRIu64 "\n",
            change->hart, change->cycles, event, change->thread, change->user, change->idle);
}

static void put_record(const struct kernel_record *record, struct sched_places *places,
                       FILE *out)
{
    bool is_lock = record->event == KERNEL_BLOCK && record->reason == KERNEL_REASON_LOCK;
    const struct sched_change *change;

    fprintf(out, "%u,%llu,%s,%u,%u,%s,", record->hart, record->cycle,
            sched_event_name(record->event), record->thread, record->other,
            record->reason != KERNEL_REASON_NONE ? sched_reason_name(record->reason) : "");
    fprintf(out, is_lock ? "0x%llx,0x%llx" : "%llu,0x%llx", record->value, record->pc);
    if (record->event != KERNEL_SWITCH && record->event != KERNEL_PAUSE &&
        record->event != KERNEL_RESUME) {
        fputs(",,\n", out);
        return;
    }
    change = sched_log_at(places, record->hart, record->cycle);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", change->user, change->idle);
}

enum err sched_log_write(const struct sched_log *log, FILE *out, struct diag *diag)
{
    struct sched_places places;
    bool fits = sched_places_make(&places, log);

    fputs("hart,cycle,event,thread,other,reason,value,pc,user,idle\n", out);
    for (unsigned i = 0; i < log->harts && fits; i++)
        put_change("begin", places.change[places.first[i]], out);
    for (size_t i = 0; i < log->records && fits; i++)
        put_record(&log->record[i], &places, out);
    for (unsigned i = 0; i < log->harts && fits; i++)
        put_change("end", places.change[places.last[i]], out);
    sched_places_free(&places);
    return fits ? ERR_OK : diag_no_memory(diag, "records");
}
