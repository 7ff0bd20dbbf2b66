/* See active_records.h. */
#include "prof/active/active_records.h"

static enum err add(struct timeline *timeline, const struct kernel_record *record, uint32_t tid,
                    enum timeline_kind kind, const char *name, struct diag *diag)
{
    struct timeline_event event = {.time = record->cycle, .order = record->order,
                                   .kind = (uint8_t)kind, .hart = record->hart,
                                   .name = TIMELINE_NO_NAME};
    char text[16];
    enum err err;

    if (tid == 0)
        return ERR_OK;
    snprintf(text, sizeof text, "%u", (unsigned)tid);
    err = names_add(&timeline->thread, text, &event.thread, diag);
    if (err == ERR_OK && name != NULL)
        err = names_add(&timeline->name, name, &event.name, diag);
    return err == ERR_OK ? timeline_add(timeline, &event, diag) : err;
}

/* The overhead of a probe is the time in its record plus the time of its kind; without a trap it is
 * 0. */
static enum err add_probe(struct timeline *timeline, const struct kernel_record *record,
                          enum timeline_kind kind, enum timeline_kind costs, const char *name,
                          struct diag *diag)
{
    size_t before = timeline->events;
    enum err err = add(timeline, record, record->thread, kind, name, diag);

    if (err != ERR_OK || timeline->events == before)
        return err;
    timeline->event[before].has_overhead = true;
    if (record->other != 0)
        timeline->event[before].overhead = record->other + timeline->overhead[costs];
    return ERR_OK;
}

/* Makes a sample of the thread's last entry, which is void: only its overhead counts. */
static void undo_entry(struct timeline *timeline, uint32_t tid)
{
    char text[16];
    long thread;

    snprintf(text, sizeof text, "%u", (unsigned)tid);
    thread = names_find(&timeline->thread, text);
    for (size_t i = timeline->events; i-- > 0;) {
        struct timeline_event *event = &timeline->event[i];

        if (event->kind != TIMELINE_ENTER || event->thread != (uint32_t)thread)
            continue;
        event->kind = TIMELINE_SAMPLE;
        event->name = TIMELINE_NO_NAME;
        return;
    }
}

enum err active_add_records(struct timeline *timeline, const struct kernel_record *record,
                            size_t records, const char *const *name, struct diag *diag)
{
    enum err err = ERR_OK;

    for (size_t i = 0; i < records && err == ERR_OK; i++) {
        const struct kernel_record *at = &record[i];

        if (at->event == KERNEL_SWITCH) {
            err = add(timeline, at, at->thread, TIMELINE_SWITCH_OUT, NULL, diag);
            if (err == ERR_OK)
                err = add(timeline, at, at->other, TIMELINE_SWITCH_IN, NULL, diag);
        } else if (at->event == KERNEL_ENTER) {
            err = add_probe(timeline, at, TIMELINE_ENTER, TIMELINE_ENTER, name[at->value], diag);
        } else if (at->event == KERNEL_UNDO) {
            undo_entry(timeline, at->thread);
        } else if (at->event == KERNEL_UNWIND) {
            err = add_probe(timeline, at, TIMELINE_SAMPLE, TIMELINE_ENTER, NULL, diag);
        } else if (at->event == KERNEL_LEAVE) {
            err = add_probe(timeline, at, TIMELINE_LEAVE, TIMELINE_LEAVE, name[at->value], diag);
        }
    }
    return err;
}
