/* Chrome's trace events as JSON: threads, running times, harts, their idle times and counts are a
 * process each. */
#include <inttypes.h>
#include <string.h>

#include "prof/timeline/timeline_trace.h"
#include "sim/base/utf8.h"

struct chrome { FILE *out; bool any; };

enum { PER_MICROSECOND = 1000000 };

static void put_text(const char *text, FILE *out)
{
    const char *end = text + strlen(text);

    fputc('"', out);
    while (text < end) {
        size_t length = utf8_length(text, end);

        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (length == 0)
            fputc('?', out);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, length, out);
        text += length != 0 ? length : 1;
    }
    fputc('"', out);
}

static void put_head(struct chrome *chrome, char phase, enum trace_group group, uint32_t number)
{
    fprintf(chrome->out, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%" PRIu32,
            chrome->any ? ",\n" : "", phase, (unsigned)group + 1, number + 1);
    chrome->any = true;
}

static void put_meta(struct chrome *chrome, const char *kind, enum trace_group group,
                     uint32_t number, const char *name)
{
    put_head(chrome, 'M', group, number);
    fprintf(chrome->out, ",\"name\":\"%s\",\"args\":{\"name\":", kind);
    put_text(name, chrome->out);
    fputs("}}", chrome->out);
}

static void chrome_track(void *arg, enum trace_group group, uint32_t number, const char *name)
{
    static const char *const process[] = {"threads", "running", "harts", "idle", "counts"};
    struct chrome *chrome = arg;

    if (number == 0)
        put_meta(chrome, "process_name", group, number, process[group]);
    put_meta(chrome, "thread_name", group, number, name);
}

static void put_time(struct chrome *chrome, uint64_t picoseconds, const char *name)
{
    fprintf(chrome->out, ",\"ts\":%" PRIu64 ".%06" PRIu64 ",\"name\":",
            picoseconds / PER_MICROSECOND, picoseconds % PER_MICROSECOND);
    put_text(name, chrome->out);
}

static void chrome_event(void *arg, enum trace_phase phase, enum trace_group group,
                         uint32_t number, uint64_t picoseconds, const char *name)
{
    struct chrome *chrome = arg;

    put_head(chrome, "BEi"[phase], group, number);
    put_time(chrome, picoseconds, name);
    fputs(phase == TRACE_INSTANT ? ",\"s\":\"t\"}" : "}", chrome->out);
}

static void chrome_idle(void *arg, uint32_t hart, uint64_t from, uint64_t to, const char *name,
                        uint64_t cycles)
{
    struct chrome *chrome = arg;

    put_head(chrome, 'B', TRACE_IDLE, hart);
    put_time(chrome, from, name);
    fprintf(chrome->out, ",\"args\":{\"cycles\":%" PRIu64 "}}", cycles);
    chrome_event(arg, TRACE_END, TRACE_IDLE, hart, to, name);
}

static void chrome_count(void *arg, uint32_t number, uint64_t picoseconds, const char *name,
                         uint64_t value)
{
    struct chrome *chrome = arg;

    put_head(chrome, 'C', TRACE_COUNT, number);
    put_time(chrome, picoseconds, name);
    fprintf(chrome->out, ",\"args\":{\"value\":%" PRIu64 "}}", value);
}

enum err timeline_write_chrome(const struct timeline *timeline, FILE *out, struct diag *diag)
{
    static const struct trace_format format = {chrome_track, chrome_event, chrome_idle,
                                               chrome_count};
    struct chrome chrome = {out, false};
    enum err err;

    fputs("{\"traceEvents\":[\n", out);
    err = timeline_walk(timeline, &format, &chrome, diag);
    fputs("\n]}\n", out);
    return err;
}
