/* See write_buffer.h. */
#include "sim/mem/cache/write_buffer.h"

#include <stdlib.h>

#include "pmu/event.h"
#include "sim/base/config.h"
#include "sim/base/cycle.h"
#include "sim/mem/cache/ahead.h"

bool write_buffer_init(struct write_buffer *buffer, const struct config *config)
{
    uint32_t count = config->l1d_write_buffer;
    *buffer = (struct write_buffer){
        .entries = calloc(count, sizeof buffer->entries[0]), .count = count,
        .granule_bytes = config->l1d_write_buffer_bytes, .flights = config->part_writes,
        .least_cycles = config->l1d_write_cycles,
    };
    return buffer->entries != NULL;
}

void write_buffer_free(struct write_buffer *buffer)
{
    free(buffer->entries);
    *buffer = (struct write_buffer){0};
}

/* The entry of this granule, else a free one, else NULL. */
static struct write_entry *find_entry(struct write_buffer *buffer, uint64_t granule, uint64_t now)
{
    struct write_entry *free_entry = NULL;
    for (uint32_t i = 0; i < buffer->count; i++) {
        struct write_entry *entry = &buffer->entries[i];
        if (entry->granule == granule && entry->done > now)
            return entry;
        if (entry->done <= now)
            free_entry = entry;
    }
    return free_entry;
}

/* The write slot that is free first; for a write to an entry on its way, the slot of that entry. */
static uint64_t *next_flight(struct write_buffer *buffer, const struct write_entry *entry,
                             uint64_t now)
{
    for (uint32_t i = 0; entry->done > now && i < buffer->flights; i++)
        if (buffer->flight_done[i] == entry->done)
            return &buffer->flight_done[i];
    return first_free(buffer->flight_done, buffer->flights);
}

bool write_buffer_put(struct write_buffer *buffer, struct memshared *shared, uint64_t pa,
                      uint64_t now, uint64_t *events)
{
    uint64_t granule = pa / buffer->granule_bytes;
    memshared_clock(shared, now);
    struct write_entry *entry = find_entry(buffer, granule, now);
    if (entry == NULL) {
        events[EVENT_WRITE_BUFFER_FULL]++;
        return false;
    }
    if (entry->start > now) {
        events[EVENT_WRITE_BUFFER_MERGED]++;
        return true;
    }
    uint64_t *flight = next_flight(buffer, entry, now);
    uint64_t start = later(later(now, entry->done), *flight);
    const struct mem_request request = {
        .pa = granule * buffer->granule_bytes, .now = start, .events = events,
        .bytes = buffer->granule_bytes,
    };
    uint64_t done = later(memshared_write(shared, &request), start + buffer->least_cycles);
    *entry = (struct write_entry){granule, start, done};
    *flight = done;
    return true;
}

uint64_t write_buffer_empty_from(const struct write_buffer *buffer)
{
    uint64_t empty = 0;
    for (uint32_t i = 0; buffer->entries != NULL && i < buffer->count; i++)
        empty = later(empty, buffer->entries[i].done);
    return empty;
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
