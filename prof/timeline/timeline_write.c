/* Time lines as tables, which timeline_read reads; see timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "prof/records/csv.h"
#include "prof/timeline/timeline.h"

static const char *const kind_name[TIMELINE_KINDS] = {
#define TIMELINE_KIND(id, name, meaning) name,
#include "prof/timeline/kind.def"
};

/* "F-entry", "switch-in". */
static enum err put_event(const struct timeline *timeline, const struct timeline_event *event,
                          FILE *out, struct diag *diag)
{
    bool has_section = event->kind <= TIMELINE_LEAVE && event->name != TIMELINE_NO_NAME;
    char *text = NULL;
    size_t bytes;
    FILE *whole = open_memstream(&text, &bytes);

    if (whole == NULL)
        return diag_no_memory(diag, "records");
    fprintf(whole, "%s%s%s", has_section ? timeline->name.text[event->name] : "",
            has_section ? "-" : "", kind_name[event->kind]);
    if (fclose(whole) == 0)
        csv_put(out, text);
    free(text);
    return ERR_OK;
}

enum err timeline_write(const struct timeline *timeline, FILE *out, struct diag *diag)
{
    char time[TIMELINE_TEXT], overhead[TIMELINE_TEXT];
    enum err err = ERR_OK;

    fputs("time,thread,event,overhead,hart,order\n", out);
    for (size_t i = 0; i < timeline->events && err == ERR_OK; i++) {
        const struct timeline_event *event = &timeline->event[i];

        fprintf(out, "%s,", timeline_text(timeline, event->time, time));
        csv_put(out, timeline->thread.text[event->thread]);
        fputc(',', out);
        err = put_event(timeline, event, out, diag);
        fprintf(out, ",%s,", timeline_text(timeline, timeline_overhead(timeline, event), overhead));
        if (event->hart != TIMELINE_NO_HART)
            fprintf(out, "%u", (unsigned)event->hart);
        fprintf(out, ",%" PRIu64 "\n", event->order);
    }
    return err;
}
