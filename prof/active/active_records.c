/* See active_records.h. */
#include "prof/active/active_records.h"

static enum err add(struct timeline *timeline, const struct kernel_record *record, uint32_t tid,
                    enum timeline_kind kind, const char *name, struct diag *diag)
{
    struct timeline_event event = {.time = record->cycle, .kind = (uint8_t)kind,
                                   .hart = record->hart, .name = TIMELINE_NO_NAME};
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

/* A probe of the unwinder takes its work, and besides that what the entry of a section does. */
static enum err add_work(struct timeline *timeline, const struct kernel_record *record,
                         struct diag *diag)
{
    size_t before = timeline->events;
    enum err err = add(timeline, record, record->thread, TIMELINE_SAMPLE, NULL, diag);

    if (err != ERR_OK || timeline->events == before)
        return err;
    timeline->event[before].has_overhead = true;
    timeline->event[before].overhead = record->value + timeline->overhead[TIMELINE_ENTER];
    return ERR_OK;
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
            err = add(timeline, at, at->thread, TIMELINE_ENTER, name[at->value], diag);
        } else if (at->event == KERNEL_UNWIND) {
            err = add_work(timeline, at, diag);
        } else if (at->event == KERNEL_LEAVE) {
            err = add(timeline, at, at->thread, TIMELINE_LEAVE, name[at->value], diag);
        }
    }
    return err;
}
