/* Stream: see prefetch.h. An access within the window of a stream moves it; one that is near none
 * begins a stream in the place of the one used longest ago. */
#include "sim/mem/cache/prefetch.h"

#include <stddef.h>

static int64_t distance(const struct stream_entry *entry, uint64_t line)
{
    return (int64_t)(line - entry->line);
}

static struct stream_entry *find(struct prefetch_stream *stream, uint64_t line)
{
    for (unsigned i = 0; i < STREAM_ENTRIES; i++) {
        struct stream_entry *entry = &stream->entries[i];
        int64_t moved = distance(entry, line);
        if (entry->used != 0 && moved < STREAM_WINDOW && moved > -STREAM_WINDOW)
            return entry;
    }
    return NULL;
}

static struct stream_entry *oldest(struct prefetch_stream *stream)
{
    struct stream_entry *entry = &stream->entries[0];
    for (unsigned i = 1; i < STREAM_ENTRIES; i++)
        if (stream->entries[i].used < entry->used)
            entry = &stream->entries[i];
    return entry;
}

/* Lines behind `ahead`, up to STREAM_DISTANCE from the access. */
static unsigned run_ahead(const struct prefetcher *prefetcher, struct stream_entry *entry,
                          uint64_t *pa)
{
    unsigned shift = prefetcher->line_shift, count = 0;
    int64_t lead = (int64_t)(entry->ahead - entry->line) * entry->direction;
    if (lead < 0)               /* the program has overtaken it */
        lead = 0;
    while (count < prefetcher->degree && lead < STREAM_DISTANCE) {
        uint64_t next = entry->line + (uint64_t)(entry->direction * ++lead);
        if (!prefetch_same_page(next << shift, entry->line << shift))
            break;
        entry->ahead = next;
        pa[count++] = next << shift;
    }
    return count;
}

unsigned prefetch_stream(struct prefetcher *prefetcher, const struct prefetch_access *access,
                         uint64_t *pa)
{
    struct prefetch_stream *stream = &prefetcher->stream;
    uint64_t line = access->pa >> prefetcher->line_shift;
    struct stream_entry *entry = find(stream, line);
    if (entry == NULL) {
        *oldest(stream) = (struct stream_entry){line, line, ++stream->clock, 0, 0};
        return 0;
    }
    int64_t moved = distance(entry, line);
    entry->used = ++stream->clock;
    if (moved == 0)
        return 0;
    int32_t direction = moved > 0 ? 1 : -1;
    if (direction != entry->direction) {
        entry->confidence = 0;
        entry->ahead = line;
    }
    entry->direction = direction;
    entry->line = line;
    if (entry->confidence < STREAM_TRUST)
        entry->confidence++;
    return entry->confidence == STREAM_TRUST ? run_ahead(prefetcher, entry, pa) : 0;
}
