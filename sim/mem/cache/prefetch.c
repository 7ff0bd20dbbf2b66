/* See prefetch.h. */
#include "sim/mem/cache/prefetch.h"

void prefetch_init(struct prefetcher *prefetcher, enum prefetch_kind kind, uint32_t line_bytes,
                   unsigned degree)
{
    *prefetcher = (struct prefetcher){
        .kind = kind, .line_shift = (unsigned)__builtin_ctz(line_bytes), .degree = degree,
    };
    if (kind == PREFETCH_BEST_OFFSET)
        prefetcher->best_offset.offset = 1;
}

unsigned prefetch_train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                        uint64_t pa[PREFETCH_DEGREE_MAX])
{
    switch (prefetcher->kind) {
    case PREFETCH_NEXT_LINE:
        return prefetch_next_line(prefetcher, access->pa, pa);
    case PREFETCH_STRIDE:
        return prefetch_stride(prefetcher, access, pa);
    case PREFETCH_STREAM:
        return prefetch_stream(prefetcher, access, pa);
    case PREFETCH_BEST_OFFSET:
        return prefetch_best_offset(prefetcher, access, pa);
    default:
        return 0;
    }
}

void prefetch_note_fill(struct prefetcher *prefetcher, uint64_t pa, bool is_prefetch,
                        uint64_t ready)
{
    if (prefetcher->kind == PREFETCH_BEST_OFFSET)
        prefetch_best_offset_fill(prefetcher, pa, is_prefetch, ready);
}

void prefetch_refuse(struct prefetcher *prefetcher, uint64_t pa)
{
    if (prefetcher->kind == PREFETCH_STRIDE && prefetcher->distance != 0)
        prefetch_stride_refuse(prefetcher, pa);
}

uint64_t prefetch_storage_bits(enum prefetch_kind kind)
{
    enum { ADDRESS = 40, LINE = 34, STRIDE = 13, OFFSET = 8, SCORE = 5, RECENT_TAG = 12,
           PC = 15, SEQUENCE = 7 };
    switch (kind) {
    case PREFETCH_STRIDE:
        return STRIDE_ENTRIES * (ADDRESS + ADDRESS + STRIDE + 2);
    case PREFETCH_STAGED:
        return STAGED_FILTERS * (PC + 1 + 8 + 3) +
               (STAGED_STREAMS + 1) * (PC + 3 * ADDRESS + STRIDE) +
               STAGED_DETECTORS * (PC + 8 + STAGED_SAMPLES * (ADDRESS + SEQUENCE));
    case PREFETCH_STREAM:
        return STREAM_ENTRIES * (2 * LINE + 2 + 2 + 4);         /* 4: order of use */
    case PREFETCH_BEST_OFFSET:
        return OFFSET_RECENT * RECENT_TAG + OFFSETS * SCORE + OFFSET + 6 + 7 + 1;
    default:
        return 0;
    }
}
