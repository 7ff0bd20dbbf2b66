/* Perfetto's protocol buffer: a Trace of TracePackets, track descriptors first. */
#include "prof/export/protobuf.h"
#include "prof/timeline/timeline_trace.h"

#include <stdlib.h>

enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_FLAGS = 13,
       PACKET_TRACK = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22,
       EVENT_NAME = 23, EVENT_VALUE = 30 };
enum { ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };
enum { TYPE_COUNTER = 4 };
enum { SEQUENCE = 1, STATE_CLEARED = 1, PER_NANOSECOND = 1000 };

struct perfetto { struct protobuf packet, part; FILE *out; bool any; struct protobuf trace; };
static const char *const group_name[TRACE_GROUPS] = {"threads", "running", "harts", "idle",
                                                     "counts"};

static uint64_t uuid_of(enum trace_group group, uint32_t number)
{
    return ((uint64_t)group + 1) << 32 | (number + 1);
}

/* The uuid of a group's own track. */
static uint64_t group_uuid(enum trace_group group)
{
    return ((uint64_t)group + 1) << 32;
}

static void put_packet(struct perfetto *perfetto)
{
    protobuf_number(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE);
    if (!perfetto->any)
        protobuf_number(&perfetto->packet, PACKET_FLAGS, STATE_CLEARED);
    perfetto->any = true;
    protobuf_message(&perfetto->trace, TRACE_PACKET, &perfetto->packet);
    fwrite(perfetto->trace.byte, 1, perfetto->trace.bytes, perfetto->out);
    perfetto->trace.bytes = 0;
}

static void put_track(struct perfetto *perfetto, uint64_t uuid, uint64_t parent, const char *name,
                      bool is_count)
{
    struct protobuf counter = {.bytes = 0};

    protobuf_number(&perfetto->part, TRACK_UUID, uuid);
    protobuf_text(&perfetto->part, TRACK_NAME, name);
    if (parent != 0)
        protobuf_number(&perfetto->part, TRACK_PARENT, parent);
    if (is_count)
        protobuf_message(&perfetto->part, TRACK_COUNTER, &counter);
    protobuf_message(&perfetto->packet, PACKET_TRACK, &perfetto->part);
    put_packet(perfetto);
}

static void perfetto_track(void *arg, enum trace_group group, uint32_t number, const char *name)
{
    if (number == 0)
        put_track(arg, group_uuid(group), 0, group_name[group], false);
    put_track(arg, uuid_of(group, number), group_uuid(group), name, group == TRACE_COUNT);
}

static void perfetto_event(void *arg, enum trace_phase phase, enum trace_group group,
                           uint32_t number, uint64_t picoseconds, const char *name)
{
    struct perfetto *perfetto = arg;

    protobuf_number(&perfetto->part, EVENT_TYPE, (uint64_t)phase + 1);
    protobuf_number(&perfetto->part, EVENT_TRACK, uuid_of(group, number));
    if (phase != TRACE_END) {
        protobuf_text(&perfetto->part, EVENT_CATEGORY, group_name[group]);
        protobuf_text(&perfetto->part, EVENT_NAME, name);
    }
    protobuf_number(&perfetto->packet, PACKET_TIMESTAMP, picoseconds / PER_NANOSECOND);
    protobuf_message(&perfetto->packet, PACKET_EVENT, &perfetto->part);
    put_packet(perfetto);
}

/* The cycles are an annotation of the begin. */
static void perfetto_idle(void *arg, uint32_t hart, uint64_t from, uint64_t to, const char *name,
                          uint64_t cycles)
{
    struct perfetto *perfetto = arg;
    struct protobuf annotation = {.bytes = 0};

    protobuf_number(&annotation, ANNOTATION_UINT, cycles);
    protobuf_text(&annotation, ANNOTATION_NAME, "cycles");
    perfetto->part.has_failed |= annotation.has_failed;
    protobuf_message(&perfetto->part, EVENT_ANNOTATION, &annotation);
    perfetto_event(arg, TRACE_BEGIN, TRACE_IDLE, hart, from, name);
    perfetto_event(arg, TRACE_END, TRACE_IDLE, hart, to, name);
    protobuf_free(&annotation);
}

static void perfetto_count(void *arg, uint32_t number, uint64_t picoseconds, const char *name,
                           uint64_t value)
{
    struct perfetto *perfetto = arg;

    (void)name;
    protobuf_number(&perfetto->part, EVENT_TYPE, TYPE_COUNTER);
    protobuf_number(&perfetto->part, EVENT_TRACK, uuid_of(TRACE_COUNT, number));
    protobuf_number(&perfetto->part, EVENT_VALUE, value);
    protobuf_number(&perfetto->packet, PACKET_TIMESTAMP, picoseconds / PER_NANOSECOND);
    protobuf_message(&perfetto->packet, PACKET_EVENT, &perfetto->part);
    put_packet(perfetto);
}

enum err timeline_write_perfetto(const struct timeline *timeline, FILE *out, struct diag *diag)
{
    static const struct trace_format format = {perfetto_track, perfetto_event, perfetto_idle,
                                               perfetto_count};
    struct perfetto perfetto = {.out = out};
    enum err err = timeline_walk(timeline, &format, &perfetto, diag);

    if (err == ERR_OK && (perfetto.packet.has_failed || perfetto.part.has_failed ||
                          perfetto.trace.has_failed))
        err = diag_no_memory(diag, "a trace");
    protobuf_free(&perfetto.packet);
    protobuf_free(&perfetto.part);
    protobuf_free(&perfetto.trace);
    return err;
}
