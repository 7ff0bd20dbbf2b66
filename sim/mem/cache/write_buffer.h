/* Stores on their way past the data cache: all stores of a write-through cache; the missing stores
 * of a write-back cache without write-allocate.
 *
 * An entry holds one aligned granule. Entries leave in order, each as a whole, and as many as
 * cva6.writes are on their way at once, each for l1d.write_cycles at least. A store to a granule
 * that has an entry joins it; if the entry is already on its way, it leaves a second time. Other
 * stores wait while the buffer is full. A read miss of a line in the buffer waits until its entries
 * have left. */
#ifndef SIM_MEM_WRITE_BUFFER_H
#define SIM_MEM_WRITE_BUFFER_H

#include "sim/mem/cache/memshared.h"

enum { WRITE_FLIGHTS_MAX = 16 };

struct write_entry {
    uint64_t granule;           /* address / granule_bytes */
    uint64_t start, done;       /* cycles in which the entry leaves, and has left */
};

struct write_buffer {
    struct write_entry *entries;        /* NULL: no store goes past the cache */
    uint32_t count, granule_bytes, least_cycles, flights;
    uint64_t flight_done[WRITE_FLIGHTS_MAX];    /* cycles in which the latest writes have left */
};

/* False: no memory. */
bool write_buffer_init(struct write_buffer *buffer, const struct config *config);
void write_buffer_free(struct write_buffer *buffer);
/* Takes a store. False: full, try again. */
bool write_buffer_put(struct write_buffer *buffer, struct memshared *shared, uint64_t pa,
                      uint64_t now, uint64_t *events);
/* The cycle from which no write is on its way. */
uint64_t write_buffer_empty_from(const struct write_buffer *buffer);
/* The cycle from which the next level can deliver the line: not before `now`. */
uint64_t write_buffer_clear_of(const struct write_buffer *buffer, uint64_t line_pa,
                               uint32_t line_bytes, uint64_t now);

#endif
