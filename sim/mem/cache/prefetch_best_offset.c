/* Best offset: see prefetch.h.
 *
 * A table of recent requests holds base lines X whose prefetch X + D has arrived. An access to line
 * Y tests one offset d of the list: if Y - d is in the table, a prefetch of Y with offset d would
 * have arrived by now, and d scores. A phase ends with the round in which an offset reaches the
 * highest score, or with the OFFSET_ROUND_MAX-th; the best becomes D (the shortest of equals). If
 * even the best scores badly, the prefetcher is off and only learns from demanded lines. As in the
 * paper, a line enters the table when it arrives, not when it is requested; lines in flight wait in
 * a queue. Left out: the paper's control of L3 insertion and of bandwidth. */
#include "sim/mem/cache/prefetch.h"

enum { OFFSET_BITS = 8, SCORE_BITS = 5, TAG_BITS = 12, TEST_BITS = 6, ROUND_BITS = 7 };

/* All numbers up to 256 with no prime factor above 5. */
static const uint16_t offsets[OFFSETS] = {
    1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 27, 30, 32, 36, 40, 45, 48, 50, 54, 60,
    64, 72, 75, 80, 81, 90, 96, 100, 108, 120, 125, 128, 135, 144, 150, 160, 162, 180, 192, 200,
    216, 225, 240, 243, 250, 256,
};

uint32_t prefetch_offset(unsigned index)
{
    return offsets[index];
}

static uint64_t *recent_of(struct prefetch_best_offset *best, uint64_t line)
{
    return &best->recent[(line ^ line >> 8) % OFFSET_RECENT];
}

/* Lines that have arrived by `now` enter the table. */
static void settle(struct prefetch_best_offset *best, uint64_t now)
{
    while (best->count != 0 && best->on_the_way[best->first].ready <= now) {
        uint64_t base = best->on_the_way[best->first].base;
        *recent_of(best, base) = base;
        best->first = (best->first + 1) % OFFSET_ON_THE_WAY;
        best->count--;
    }
}

static void end_phase(struct prefetch_best_offset *best)
{
    unsigned winner = 0;
    for (unsigned i = 1; i < OFFSETS; i++)
        if (best->score[i] > best->score[winner])
            winner = i;
    best->offset = offsets[winner];
    best->is_off = best->score[winner] <= OFFSET_BAD_SCORE;
    for (unsigned i = 0; i < OFFSETS; i++)
        best->score[i] = 0;
    best->test = best->round = 0;
    best->is_found = false;
}

static void learn(struct prefetch_best_offset *best, uint64_t line, unsigned line_shift)
{
    uint64_t base = line - offsets[best->test];
    if (prefetch_same_page(base << line_shift, line << line_shift) &&
        *recent_of(best, base) == base)
        best->is_found |= ++best->score[best->test] == OFFSET_SCORE_MAX;
    if (++best->test == OFFSETS) {
        best->test = 0;
        if (++best->round == OFFSET_ROUND_MAX || best->is_found)
            end_phase(best);
    }
}

static unsigned train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                      uint64_t *pa)
{
    struct prefetch_best_offset *best = prefetcher->state;
    unsigned shift = prefetcher->line_shift, count = 0;
    uint64_t line = access->pa >> shift;
    settle(best, access->now);
    learn(best, line, shift);
    for (uint64_t n = 1; !best->is_off && n <= prefetcher->degree; n++) {
        uint64_t next = (line + n * best->offset) << shift;
        if (!prefetch_same_page(next, access->pa))
            break;
        pa[count++] = next;
    }
    return count;
}

/* A prefetched line enters the table as the line it was prefetched from. While prefetching is off,
 * a demanded line enters it. */
static void note_fill(struct prefetcher *prefetcher, uint64_t access_pa, bool is_prefetch,
                      uint64_t ready)
{
    struct prefetch_best_offset *best = prefetcher->state;
    unsigned shift = prefetcher->line_shift;
    uint64_t line = access_pa >> shift, base = is_prefetch ? line - best->offset : line;
    if (is_prefetch == best->is_off || best->count == OFFSET_ON_THE_WAY ||
        !prefetch_same_page(base << shift, access_pa))
        return;
    uint32_t at = best->first + best->count++;
    for (; at != best->first; at--) {       /* in order of arrival */
        uint32_t before = (at - 1) % OFFSET_ON_THE_WAY;
        if (best->on_the_way[before].ready <= ready)
            break;
        best->on_the_way[at % OFFSET_ON_THE_WAY] = best->on_the_way[before];
    }
    best->on_the_way[at % OFFSET_ON_THE_WAY].ready = ready;
    best->on_the_way[at % OFFSET_ON_THE_WAY].base = base;
}

static void init(struct prefetcher *prefetcher)
{
    struct prefetch_best_offset *best = prefetcher->state;
    best->offset = 1;
}

const struct prefetch_model prefetch_best_offset = {
    .state_bytes = sizeof(struct prefetch_best_offset),
    .init = init, .train = train, .note_fill = note_fill,
    .storage_bits = OFFSET_RECENT * TAG_BITS + OFFSETS * SCORE_BITS + OFFSET_BITS + TEST_BITS +
                    ROUND_BITS + 1,
};
