/* See write_stream.h. */
#include "sim/mem/cache/write_stream.h"

enum { STREAM_NONE, STREAM_STARTS, STREAM_GROWS, STREAM_RUNS };
enum { STRIDE_MAX = 8, CONFIDENCE_MAX = 3 };

static uint32_t length(int64_t stride)
{
    return (uint32_t)(stride < 0 ? -stride : stride);
}

/* True if the distance repeats; only its last five bits are compared. */
static bool repeats(const struct write_stream *stream, int64_t moved)
{
    return ((uint64_t)(moved ^ stream->stride) & 31) == 0;
}

static uint8_t grow(struct write_stream *stream, int64_t moved)
{
    if (!repeats(stream, moved))
        return STREAM_NONE;
    stream->bytes += length(stream->stride);
    stream->confidence = CONFIDENCE_MAX;
    return stream->bytes < stream->needed ? STREAM_GROWS : STREAM_RUNS;
}

static uint8_t start(struct write_stream *stream, int64_t moved)
{
    stream->stride = moved;
    stream->bytes = 0;
    return moved >= -STRIDE_MAX && moved <= STRIDE_MAX ? STREAM_GROWS : STREAM_NONE;
}

static uint8_t run(struct write_stream *stream, int64_t moved)
{
    if (stream->confidence == 0)
        return STREAM_NONE;
    stream->confidence = (uint8_t)(stream->confidence - !repeats(stream, moved));
    return STREAM_RUNS;
}

bool write_stream_store(struct write_stream *stream, uint64_t pa, bool is_missing)
{
    int64_t moved = (int64_t)(pa - stream->last);
    stream->last = pa;
    if (moved == 0)
        return stream->state == STREAM_RUNS;
    switch (stream->state) {
    case STREAM_NONE: stream->state = is_missing ? STREAM_STARTS : STREAM_NONE; break;
    case STREAM_STARTS: stream->state = start(stream, moved); break;
    case STREAM_GROWS: stream->state = grow(stream, moved); break;
    case STREAM_RUNS: stream->state = run(stream, moved); break;
    }
    return stream->state == STREAM_RUNS;
}
