/* See write_buffer.h. */
#include "sim/mem/write_buffer.h"

#include <stdlib.h>

#include "pmu/pmu.h"

bool write_buffer_init(struct write_buffer *buffer, uint32_t count, uint32_t granule_bytes)
{
    *buffer = (struct write_buffer){
        .entries = calloc(count, sizeof buffer->entries[0]), .count = count,
        .granule_bytes = granule_bytes,
    };
    return buffer->entries != NULL;
}

void write_buffer_free(struct write_buffer *buffer)
{
    free(buffer->entries);
    *buffer = (struct write_buffer){0};
}

/* The entry that waits with this granule, else a free one, else NULL. */
static struct write_entry *find_entry(struct write_buffer *buffer, uint64_t granule, uint64_t now)
{
    struct write_entry *free_entry = NULL;
    for (uint32_t i = 0; i < buffer->count; i++) {
        struct write_entry *entry = &buffer->entries[i];
        if (entry->granule == granule && entry->start > now)
            return entry;
        if (entry->done <= now)
            free_entry = entry;
    }
    return free_entry;
}

bool write_buffer_put(struct write_buffer *buffer, struct memshared *shared, uint64_t pa,
                      uint64_t now, uint64_t *events)
{
    uint64_t granule = pa / buffer->granule_bytes;
    shared->bus.dram.clock = now;
    struct write_entry *entry = find_entry(buffer, granule, now);
    if (entry == NULL) {
        events[EVENT_WRITE_BUFFER_FULL]++;
        return false;
    }
    if (entry->start > now) {
        events[EVENT_WRITE_BUFFER_MERGED]++;
        return true;
    }
    uint64_t start = now > buffer->last_done ? now : buffer->last_done;
    const struct mem_request request = {
        .pa = granule * buffer->granule_bytes, .now = start, .events = events,
        .bytes = buffer->granule_bytes,
    };
    uint64_t done = memshared_write(shared, &request);
    *entry = (struct write_entry){granule, start, done};
    buffer->last_done = done;
    return true;
}

uint64_t write_buffer_clear_of(const struct write_buffer *buffer, uint64_t line_pa,
                               uint32_t line_bytes, uint64_t now)
{
    uint64_t clear = now;
    for (uint32_t i = 0; buffer->entries != NULL && i < buffer->count; i++) {
        const struct write_entry *entry = &buffer->entries[i];
        uint64_t pa = entry->granule * buffer->granule_bytes;
        if (pa < line_pa + line_bytes && line_pa < pa + buffer->granule_bytes &&
            entry->done > clear)
            clear = entry->done;
    }
    return clear;
}
