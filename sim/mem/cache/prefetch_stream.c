/* See prefetch.h. An access within the window of a stream moves that stream. An access near none
 * begins a new stream in place of the least recently used one. */
#include "sim/mem/cache/prefetch.h"

#include <stddef.h>

enum { LINE_BITS = 34, DIRECTION_BITS = 2, TRUST_BITS = 2, ORDER_BITS = 4 };

struct stream_entry {
    uint64_t line, ahead;       /* line accessed last; line proposed last */
    uint64_t used;              /* time of the last use; 0 = empty */
    int32_t direction;          /* 1, -1, 0 = unknown */
    uint32_t confidence;
};

struct prefetch_stream {
    struct stream_entry entries[STREAM_ENTRIES];
    uint64_t clock;
};

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

/* Lines after `ahead`, up to STREAM_DISTANCE from the access. */
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

static unsigned train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                      uint64_t *pa)
{
    struct prefetch_stream *stream = prefetcher->state;
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

const struct prefetch_model prefetch_stream = {
    .state_bytes = sizeof(struct prefetch_stream), .train = train,
    .storage_bits = STREAM_ENTRIES * (2 * LINE_BITS + DIRECTION_BITS + TRUST_BITS + ORDER_BITS),
};
