/* The fetch-target queue: predicted blocks that have not been read from the instruction cache.
 *
 * Prediction and cache work side by side: fetch.c puts one predicted block a cycle at the tail,
 * here the cache is read for the block at the head. The instructions of queued blocks are in the
 * ring already, after read_seq, without a fetch cycle. A squash cuts the queue where it cuts the
 * ring. A direct jump that the target buffer missed stops the predictor until decode has seen it.
 * Source: Reinman, Calder, Austin, "Fetch Directed Instruction Prefetching", MICRO 1999. */
#include <stdlib.h>

#include "sim/core/cpu.h"
#include "sim/core/fetch/fetch_line.h"
#include "sim/core/fetch/fetch_port.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/pipe/stage_front.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/memsys.h"

struct ftq *ftq_new(uint64_t first_seq)
{
    struct ftq *ftq = calloc(1, sizeof *ftq);
    if (ftq != NULL)
        *ftq = (struct ftq){.read_seq = first_seq, .wait_seq = NEVER};
    return ftq;
}

static struct ftq_entry *ftq_at(struct core *core, uint64_t number)
{
    return &core->ftq->block[number % FTQ_MAX];
}

/* A youngest block without instructions is reused, and does not count. */
bool ftq_is_full(const struct core *core)
{
    const struct ftq *ftq = core->ftq;
    bool has_empty = ftq->tail != ftq->head &&
                     ftq->block[(ftq->tail - 1) % FTQ_MAX].first_seq == core->fetch_seq;
    return ftq->tail - ftq->head - has_empty >= core_config(core)->fetch_ftq;
}

/* A block starts with the next instruction; an empty one is reused. */
void ftq_open(struct core *core)
{
    if (core->ftq->tail != core->ftq->head &&
        ftq_at(core, core->ftq->tail - 1)->first_seq == core->fetch_seq)
        core->ftq->tail--;
    *ftq_at(core, core->ftq->tail++) = (struct ftq_entry){.first_seq = core->fetch_seq};
}

static void prefetch(struct core *core, uint64_t va, uint64_t pa)
{
    struct mem_response response;
    if (memsys_find_iframe(core->mem, pa) == MEM_NO_FRAME &&
        memsys_fetch(core->mem, pa, core->now, &response)) {
        fetch_follow_fill(core, &response, va);
        core->ftq->events |= response.miss ? EVENT_BIT(ICACHE_MISS) : 0;
    }
}

/* The youngest block also needs the line of pa. */
void ftq_add_line(struct core *core, uint64_t va, uint64_t pa)
{
    struct ftq_entry *entry = ftq_at(core, core->ftq->tail - 1);
    if (port_feeds(core) || entry->lines == FTQ_LINES)
        return;
    entry->va[entry->lines] = va;
    entry->pa[entry->lines++] = pa;
    if (core_config(core)->fetch_ftq_prefetch)
        prefetch(core, va, pa);
}

void ftq_wait_for_decode(struct core *core, uint32_t bubble)
{
    core->ftq->wait_seq = core->fetch_seq - 1;
    core->ftq->wait_bubble = bubble;
    core->fetch_stall_until = NEVER;
}

void ftq_squash(struct core *core, uint64_t keep)
{
    while (core->ftq->tail != core->ftq->head &&
           ftq_at(core, core->ftq->tail - 1)->first_seq > keep)
        core->ftq->tail--;
    if (core->ftq->read_seq > keep + 1)
        core->ftq->read_seq = keep + 1;
    core->ftq->stall_until = core->now;
    core->ftq->wait_seq = NEVER;
    core->ftq->events = 0;
    core->ftq->cause = 0;
}

/* Checks the lines that the block still needs, one after the other. False: one is missing. */
static bool lines_are_ready(struct core *core, struct ftq_entry *entry)
{
    for (; entry->ready < entry->lines; entry->ready++) {
        uint64_t va = entry->va[entry->ready];
        uint32_t frame;
        if (!fetch_itlb_is_ready(core, va) ||
            !fetch_line_is_ready(core, va, entry->pa[entry->ready], &frame))
            return false;
    }
    return true;
}

static void deliver(struct core *core, const struct ftq_entry *entry, uint64_t end)
{
    for (uint64_t seq = entry->first_seq; seq != end; seq++) {
        struct uop *uop = core_uop(core, seq);
        uop->fetch_cycle = core->now;
        uop->events |= core->ftq->events;
        core->ftq->events = 0;
        uop->fetch_cause = core->ftq->cause != 0 ? core->ftq->cause : uop->fetch_cause;
        core->ftq->cause = 0;
        if (core->cpu->marks_on && uop->trap == TRAP_NONE)
            fetch_attach_mark(core, uop);
        if (seq == core->ftq->wait_seq) {
            core->ftq->wait_seq = NEVER;
            core->fetch_stall_until = core->now + 1 + core->ftq->wait_bubble;
        }
    }
    core->ftq->read_seq = end;
    core->ftq->head++;
}

/* Reads the cache for the oldest block. */
void ftq_step(struct core *core)
{
    if (core->ftq->head == core->ftq->tail || core->ftq->stall_until > core->now)
        return;
    struct ftq_entry *entry = ftq_at(core, core->ftq->head);
    bool is_youngest = core->ftq->head + 1 == core->ftq->tail;
    uint64_t end = is_youngest ? core->fetch_seq
                               : ftq_at(core, core->ftq->head + 1)->first_seq;
    if (end == entry->first_seq || end - core->decode_seq > core_config(core)->fetch_buffer)
        return;
    core->active = true;
    if (lines_are_ready(core, entry))
        deliver(core, entry, end);
}
