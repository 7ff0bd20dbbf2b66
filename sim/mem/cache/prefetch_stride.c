/* Stride: see prefetch.h. A distance seen STRIDE_TRUST times in a row is trusted; then the next
 * addresses of the sequence are proposed. With a distance set, a trusted sequence runs ahead of the
 * program from its next miss on, by one line or by a longer stride, as fast as there is room, to
 * the end of the page (C906: aq_lsu_pfb.v, PF_INIT, PF_REQ, PF_SUSP). */
#include "sim/mem/cache/prefetch.h"

#include <stddef.h>
#include <string.h>

enum { STRIDE_ENTRIES = 64, STRIDE_TRUST = 2 };
enum { ADDRESS_BITS = 40, STRIDE_BITS = 13, STATE_BITS = 2 };

struct stride_entry {
    uint64_t pc, pa;        /* of the last access; pc 0 = empty */
    uint64_t ahead;         /* with a distance: line proposed last; 0 = it does not run */
    int64_t stride;
    uint32_t confidence, wait;
    uint8_t state;          /* with all_hits: enum watch_state */
};

struct prefetch_stride {
    struct stride_entry entries[STRIDE_ENTRIES];
    struct stride_entry *trained;       /* entry that the last access trained */
    struct stride_entry all;            /* with all_hits: accesses of all instructions */
};

static struct stride_entry *entry_of(struct prefetch_stride *stride, uint64_t pc)
{
    return &stride->entries[(pc >> 1 ^ pc >> 7) % STRIDE_ENTRIES];
}

static int64_t step_of(const struct prefetcher *prefetcher, const struct stride_entry *entry)
{
    int64_t lines = entry->stride / (INT64_C(1) << prefetcher->line_shift);
    return lines != 0 ? lines : entry->stride > 0 ? 1 : -1;
}

/* Steps from the last access to the line proposed last; negative: the program has overtaken it. */
static int64_t lead_of(const struct prefetcher *prefetcher, const struct stride_entry *entry)
{
    return (int64_t)(entry->ahead - (entry->pa >> prefetcher->line_shift)) /
           step_of(prefetcher, entry);
}

static unsigned run_ahead(const struct prefetcher *prefetcher, struct stride_entry *entry,
                          bool is_miss, uint64_t *pa)
{
    unsigned shift = prefetcher->line_shift, count = 0;
    int64_t lead = lead_of(prefetcher, entry);
    if (entry->ahead == 0 && !is_miss)
        return 0;
    if (entry->ahead == 0 || lead < 0 ||
        (lead > (int64_t)prefetcher->distance && prefetcher->all_hits == 0)) {
        entry->ahead = entry->pa >> shift;
        lead = 0;
    }
    while (count < prefetcher->degree && lead < (int64_t)prefetcher->distance) {
        uint64_t next = entry->ahead + (uint64_t)step_of(prefetcher, entry);
        if (!prefetch_same_page(next << shift, entry->pa))
            break;
        entry->ahead = next;
        pa[count++] = next << shift;
        lead++;
    }
    return count;
}

static void refuse(struct prefetcher *prefetcher, uint64_t pa)
{
    const struct prefetch_stride *stride = prefetcher->state;
    struct stride_entry *entry = stride->trained;
    if (prefetcher->distance != 0 && entry != NULL && entry->stride != 0)
        entry->ahead = (pa >> prefetcher->line_shift) - (uint64_t)step_of(prefetcher, entry);
}

/* ---- watched from a miss on (all_hits) ------------------------------------------------------- */

/* After a miss, the distance to the next access is taken, and its repetitions are counted. Then the
 * sequence is followed, until its distance has failed WATCH_TRUST times more often than it held.
 * All accesses together are watched in the same way as those of each instruction; while they are
 * followed, no other sequence is. Source: C906, aq_lsu_pfb.v (PF_CALS, PF_CHKS, PF_INIT,
 * confidence), aq_lsu_pfb_top.v (x_aq_lsu_gpfb). */
enum watch_state { WATCH_NONE, WATCH_BEGINS, WATCH_CHECKS, WATCH_FOLLOWS };
enum { WATCH_TRUST = 7, WATCH_REACH = 1024, WATCH_HITS = 4 };

static unsigned watch(const struct prefetcher *prefetcher, struct stride_entry *entry,
                      const struct prefetch_access *access, uint32_t hits, uint64_t *pa)
{
    int64_t stride = (int64_t)(access->pa - entry->pa);
    bool is_hit = stride == entry->stride;
    entry->pa = access->pa;
    switch (entry->state) {
    case WATCH_BEGINS:
        entry->state = stride != 0 && stride < WATCH_REACH && stride >= -WATCH_REACH ? WATCH_CHECKS
                                                                                     : WATCH_NONE;
        entry->stride = stride;
        entry->wait = hits;
        return 0;
    case WATCH_CHECKS:
        if (!is_hit)
            entry->state = WATCH_NONE;
        else if (--entry->wait == 0)
            entry->state = WATCH_FOLLOWS;
        entry->confidence = WATCH_TRUST;
        entry->ahead = 0;
        return 0;
    default:
        if (entry->confidence == 0) {
            entry->state = WATCH_NONE;
            return 0;
        }
        if (!is_hit)
            entry->confidence--;
        else if (entry->confidence < WATCH_TRUST)
            entry->confidence++;
        return is_hit || entry->ahead != 0 ? run_ahead(prefetcher, entry, access->is_miss, pa) : 0;
    }
}

static void begin_watch(struct stride_entry *entry, const struct prefetch_access *access)
{
    *entry = (struct stride_entry){.pc = access->pc, .pa = access->pa, .state = WATCH_BEGINS};
}

static unsigned watch_each(struct prefetcher *prefetcher, const struct prefetch_access *access,
                           uint64_t *pa)
{
    struct prefetch_stride *state = prefetcher->state;
    struct stride_entry *all = &state->all;
    struct stride_entry *own = entry_of(state, access->pc);
    bool is_own = own->pc == access->pc && own->state != WATCH_NONE;
    bool was_followed = all->state == WATCH_FOLLOWS;
    unsigned count = 0;
    state->trained = all;
    if (all->state != WATCH_NONE)
        count = watch(prefetcher, all, access, prefetcher->all_hits, pa);
    else if (access->is_miss && !(is_own && own->state == WATCH_FOLLOWS))
        begin_watch(all, access);
    if (all->state == WATCH_FOLLOWS) {
        if (!was_followed)
            memset(state->entries, 0, sizeof state->entries);
        return count;
    }
    state->trained = own;
    if (is_own)
        return watch(prefetcher, own, access, WATCH_HITS, pa);
    if (access->is_miss)
        begin_watch(own, access);
    return 0;
}

/* ---- each instruction ------------------------------------------------------------------------ */

static unsigned train(struct prefetcher *prefetcher, const struct prefetch_access *access,
                      uint64_t *pa)
{
    struct prefetch_stride *state = prefetcher->state;
    uint64_t pc = access->pc, at = access->pa;
    if (prefetcher->all_hits != 0)
        return watch_each(prefetcher, access, pa);
    struct stride_entry *entry = entry_of(state, pc);
    int64_t stride = (int64_t)(at - entry->pa);
    state->trained = entry;
    if (entry->pc != pc) {
        *entry = (struct stride_entry){.pc = pc, .pa = at};
        return 0;
    }
    if (stride != entry->stride || stride == 0)
        entry->confidence = 0;
    entry->stride = stride;
    entry->pa = at;
    if (++entry->confidence < STRIDE_TRUST)
        return 0;
    entry->confidence = STRIDE_TRUST;
    if (prefetcher->distance != 0)
        return run_ahead(prefetcher, entry, access->is_miss, pa);
    unsigned count = 0;
    for (uint64_t next = at + (uint64_t)stride;
         count < prefetcher->degree && prefetch_same_page(next, at); next += (uint64_t)stride)
        pa[count++] = next;
    return count;
}

const struct prefetch_model prefetch_stride = {
    .state_bytes = sizeof(struct prefetch_stride), .train = train, .refuse = refuse,
    .storage_bits = STRIDE_ENTRIES * (ADDRESS_BITS + ADDRESS_BITS + STRIDE_BITS + STATE_BITS),
};
