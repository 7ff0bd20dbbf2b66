/* Detects stores that fill consecutive lines. After some number of lines such stores bypass the
 * cache, which would otherwise read each line only to have it overwritten.
 *
 * A store that misses starts the search; the distance to the next store (at most eight bytes)
 * becomes the stream's, and must repeat in its last five bits, so a stream that starts over at a
 * line's begin goes on. Three stores that break the sequence end it. The size of a store is
 * ignored: a store narrower than the distance counts as if it filled the distance.
 * Source: T-Head openC906, aq_lsu_amr.v (adaptive memory region: AMR_CALS, AMR_CHCK, AMR_FUNC). */
#ifndef SIM_MEM_WRITE_STREAM_H
#define SIM_MEM_WRITE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct write_stream {
    uint64_t last;              /* address of the last store */
    int64_t stride;
    uint32_t bytes;             /* bytes filled by stores at that distance */
    uint32_t needed;            /* lines that make a stream; 0: streams are not detected */
    uint8_t state, confidence;
};

/* A store at `pa`; is_missing: its line is not in the cache. True: it belongs to a stream. A
 * repeated address, as of a retried store, changes nothing. */
bool write_stream_store(struct write_stream *stream, uint64_t pa, bool is_missing);

/* As write_stream_store, if streams are detected at all. */
static inline bool write_stream_takes(struct write_stream *stream, uint64_t pa, bool is_missing)
{
    return stream->needed != 0 && write_stream_store(stream, pa, is_missing);
}

#endif
