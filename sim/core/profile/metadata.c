/* Metadata beside the caches: their fill with a line, the lookup of marks, and the wait for them.
 *
 * shadow.placement = separate: each cache frame has a shadow frame, filled with it, without waiting
 * unless shadow.latency sets a delay. While METADATA_MOVES transfers are under way, a line with
 * metadata arrives only when the oldest of them has ended, so that the bus is never promised to
 * more metadata than that. Or there are fewer shadow frames, in sets of their own: these are filled
 * with the line too, and again when they have lost it and fetch or commit needs it (a metadata miss
 * of a line in the cache).
 * line: metadata is part of the cache's line. The line arrives later by the time to move the
 * metadata, from memory or L2 alike, and there are no other misses. mixed: perfinst blocks are
 * lines of L1D and L2 like data, and evict data. Fetch and commit read the head of the block and
 * the record there; the fill of a line shows whether it has metadata.
 * While profiling is off (PROF_MODE_ENABLE), lines bring no metadata. Metadata is written back and
 * dropped when the mode is cleared, and returns with lines filled later. Marks of data are looked
 * up when the access commits: missing ones hold commit. mixed: a lookup in L1D takes a port, a bank
 * and a miss register like a load, and a count those of a store; a refused access is retried in the
 * next cycle. A count's line is dirty, and written back like others. Nothing commits before the
 * counts of the last commit are written. With separate and line, counts are written back in one
 * transfer with the read of the block that replaces them. Left out: issue ports, which metadata
 * does not take, and the cost of counts that find no frame, and go to memory. */
#include "sim/core/profile/metadata.h"

#include <string.h>

#include "shadowcache/shadow.h"
#include "sim/base/cycle.h"
#include "sim/core/fetch/ftq.h"
#include "sim/core/lsu/late_loads.h"
#include "sim/core/pipe/stage_account.h"
#include "sim/core/pipe/stage_lsu.h"
#include "sim/core/profile/marks.h"

enum { TRAFFIC_L2 = 1 };                                                    /* of shadow.traffic */

enum { METADATA_PC = 2 };           /* the pc of all lookups in L1D: they train as one sequence */

bool metadata_is_extra(const struct config *config)
{
    return config->shadow_iframes != 0 || config->shadow_dframes != 0 ||
           config->shadow_latency != 0 || config->shadow_placement != PLACEMENT_SEPARATE;
}

static bool is_mixed(const struct core *core)
{
    return core->config->shadow_placement == PLACEMENT_MIXED;
}

bool metadata_touches_marks(const struct core *core, const struct uop *uop)
{
    const struct phys *phys = core->cpu->phys;
    if (!cpu_marks_data(core->cpu, uop->priv) || (uop->flags & UOP_MONITOR) ||
        cpu_accessed_bytes(uop->kind, uop->access_bytes, uop->value) == 0 ||
        !phys_is_ram(phys, uop->pa, uop->access_bytes))
        return false;
    return ((phys_flags(phys, uop->pa) | phys_flags(phys, uop->pa + uop->access_bytes - 1)) &
            PHYS_META_DATA) != 0;
}

/* True if the cache's shadow frames are a separate structure. */
static bool is_apart(const struct core *core, const struct shadow *shadow)
{
    return (shadow == core->cpu->ishadow ? core->config->shadow_iframes
                                         : core->config->shadow_dframes) != 0;
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* Returns the cycle in which the data read arrive. */
static uint64_t move(struct core *core, const struct shadow_traffic *traffic)
{
    uint32_t bytes = traffic->read_bytes + traffic->written_bytes;
    core->events[EVENT_META_WRITEBACK] += traffic->written_bytes != 0;
    core->events[EVENT_META_BYTES] += bytes;
    if (bytes == 0)
        return core->now;
    if (core->config->shadow_traffic != TRAFFIC_L2)
        return memsys_metadata(core->mem, traffic->pa, bytes, false, core->now);
    if (traffic->written_bytes != 0)
        memsys_metadata(core->mem, traffic->written_pa, traffic->written_bytes, true, core->now);
    if (traffic->read_bytes == 0)
        return core->now;
    return memsys_metadata(core->mem, traffic->pa, traffic->read_bytes, false, core->now);
}

/* A transfer for the line that the response filled has been requested, and ends at `end`: the line
 * waits for a place in the queue of transfers. */
static void queue_move(struct core *core, const struct shadow_traffic *traffic, uint64_t end,
                       bool is_fetch, struct mem_response *response)
{
    if (traffic->read_bytes + traffic->written_bytes == 0)
        return;
    uint64_t *place = &core->move_end[core->moves++ % METADATA_MOVES], free = *place;
    *place = end;
    if (free <= core->now || response == NULL)
        return;
    response->ready = later(response->ready, free);
    memsys_delay(core->mem, is_fetch, response);
}

static void count_fill(struct core *core, bool hit, bool none)
{
    core->events[EVENT_META_HIT] += hit;
    core->events[EVENT_META_NONE] += none;
}

/* Loads the line's metadata into the frame. Returns the cycle in which they can be used. */
static uint64_t load_frame(struct core *core, struct shadow *shadow, uint32_t frame,
                           uint64_t block, struct shadow_traffic *traffic)
{
    shadow_fill(shadow, frame, block, traffic);
    core->events[EVENT_META_MISS] += traffic->hit;
    uint64_t ready = move(core, traffic);
    if (traffic->read_bytes != 0)
        ready += core->config->shadow_latency;
    *shadow_ready(shadow, frame) = ready;
    return ready;
}

static void raise_on_miss(struct core *core, const struct mem_response *response, uint64_t pc,
                          uint64_t va, unsigned kind)
{
    if (!core->cpu->marks_on || core->hart->in_monitor)
        return;
    const struct indicator indicator = {
        .iaddr = pc, .daddr = va, .level = lsu_indicator_level(response->level),
        .flags = MARK_ON_MISS | MARK_INTERRUPT | kind,
        .insns = pmu_program_insns(&core->cpu->pmu),
    };
    cpu_raise_indicator(core->cpu, &indicator);
}

/* A line arrived whose metadata are not beside it; the metadata may already be present. */
static bool fill_apart(struct core *core, struct shadow *shadow, uint64_t block)
{
    struct shadow_lookup lookup;
    shadow_look_up(shadow, block, &lookup);
    count_fill(core, lookup.has_marks, lookup.is_covered && !lookup.has_marks);
    if (!is_mixed(core) && lookup.is_covered && shadow_use(shadow, block) == SHADOW_NO_FRAME) {
        struct shadow_traffic traffic;
        load_frame(core, shadow, shadow_victim(shadow, block), block, &traffic);
    }
    return lookup.on_miss;
}

static bool fill_beside(struct core *core, struct shadow *shadow, struct mem_response *response,
                        bool is_fetch)
{
    struct shadow_traffic traffic;
    uint64_t ready = load_frame(core, shadow, response->frame, response->block, &traffic);
    count_fill(core, traffic.hit, traffic.none);
    if (core->config->shadow_placement == PLACEMENT_LINE) {
        response->ready = later(response->ready, ready);
        memsys_delay(core->mem, is_fetch, response);
    } else {
        queue_move(core, &traffic, ready, is_fetch, response);
    }
    return traffic.on_miss;
}

/* Frames that changed without an access of this hart: their counters go to memory. */
static void follow_changes(struct core *core)
{
    struct mem_change change;
    while (memsys_next_change(core->mem, &change)) {
        struct shadow *shadow = change.is_fetch ? core->cpu->ishadow : core->cpu->dshadow;
        struct shadow_traffic traffic = {0};
        if (shadow == NULL || isolation_is_apart(core) || is_mixed(core) ||
            is_apart(core, shadow))
            continue;
        if (change.is_filled && core->cpu->marks_on) {
            struct mem_response response = {.frame = change.frame};
            uint64_t end = load_frame(core, shadow, change.frame, change.block, &traffic);
            count_fill(core, traffic.hit, traffic.none);
            queue_move(core, &traffic, end, change.is_fetch, &response);
        } else {
            shadow_drop(shadow, change.frame, &traffic);
            queue_move(core, &traffic, move(core, &traffic), change.is_fetch, NULL);
        }
    }
}

static void follow_fill(struct core *core, struct shadow *shadow, struct mem_response *response,
                        uint64_t pc, uint64_t va)
{
    bool is_data = shadow == core->cpu->dshadow;
    if (response->changed)
        follow_changes(core);
    if (core->late != NULL)
        late_loads_follow(core);
    if (!response->filled || shadow == NULL || !core->cpu->marks_on || isolation_is_apart(core))
        return;
    if (is_mixed(core) || is_apart(core, shadow)
            ? fill_apart(core, shadow, response->block)
            : fill_beside(core, shadow, response, !is_data))
        raise_on_miss(core, response, pc, va, is_data ? MARK_DATA : 0);
}

RARELY void lsu_follow_change(struct core *core, struct mem_response *response,
                              const struct uop *uop)
{
    if (response->changed || response->filled)
        follow_fill(core, core->cpu->dshadow, response, uop == NULL ? 0 : uop->pc,
                    uop == NULL ? 0 : uop->va);
    if (core->late != NULL && uop != NULL && uop->kind == KIND_LOAD &&
        (response->filled || response->merged))
        late_loads_note(core, uop, response);
}

void fetch_follow_fill(struct core *core, struct mem_response *response, uint64_t pc)
{
    if (response->changed || response->filled)
        follow_fill(core, core->cpu->ishadow, response, pc, 0);
}

/* ---- use ------------------------------------------------------------------------------------- */

/* A number that identifies the present attempt of fetch or commit, and changes when it succeeds. */
static uint64_t attempt(const struct core *core, const struct shadow *shadow)
{
    if (shadow == core->cpu->dshadow)
        return core->commit_seq;
    return core_config(core)->fetch_ftq != 0 ? core->ftq->head : core->fetch_seq;
}

/* A block that was read for this attempt, and may have been evicted since: it is still used, as
 * several blocks needed by one instruction may share a place. NULL: it was not read for this
 * attempt. */
static struct metadata_arrival *find_arrival(struct core *core, const struct shadow *shadow,
                                             uint64_t block)
{
    struct metadata_arrival *arrival = core->arrival[shadow == core->cpu->dshadow];
    uint64_t now_wanted_for = attempt(core, shadow);
    for (unsigned i = 0; i < METADATA_ARRIVALS; i++)
        if (arrival[i].ready != 0 && arrival[i].block == block &&
            arrival[i].wanted_for == now_wanted_for)
            return &arrival[i];
    return NULL;
}

static void note_arrival(struct core *core, const struct shadow *shadow, uint64_t block,
                         uint64_t ready)
{
    struct metadata_arrival *arrival = core->arrival[shadow == core->cpu->dshadow];
    memmove(&arrival[0], &arrival[1], (METADATA_ARRIVALS - 1) * sizeof arrival[0]);
    arrival[METADATA_ARRIVALS - 1] = (struct metadata_arrival){
        .block = block, .ready = ready, .wanted_for = attempt(core, shadow)};
}

/* Reads a line of metadata in L1D. Returns the cycle of its arrival. */
static uint64_t read_metadata(struct core *core, const struct shadow *shadow, uint64_t pa)
{
    struct mem_response response;
    uint64_t block = pa & ~(uint64_t)(core->config->l1d_line_bytes - 1);
    struct metadata_arrival *arrival = find_arrival(core, shadow, block);
    if (arrival != NULL)            /* two lines, one port: each is requested once */
        return arrival->ready;
    if (!memsys_load(core->mem, METADATA_PC, pa, core->now, &response))
        return core->now + 1;
    core->events[EVENT_L1D_READ]--;                 /* not a load's access */
    core->events[EVENT_L1D_READ_MISS] -= response.miss;
    if (response.changed)
        follow_changes(core);
    if (!response.miss) {
        uint64_t there = response.merged ? response.ready : core->now;
        note_arrival(core, shadow, block, there);
        return there;
    }
    core->events[EVENT_META_MISS]++;
    core->events[EVENT_META_FRAME_MISS]++;
    core->events[EVENT_META_BYTES] += core->config->l1d_line_bytes;
    uint64_t ready = response.ready + core->config->shadow_latency;
    note_arrival(core, shadow, block, ready);
    return ready;
}

static uint64_t use_mixed(struct core *core, const struct shadow *shadow, uint64_t pa)
{
    struct shadow_lookup lookup;
    uint64_t line = core->config->l1d_line_bytes, ready = core->now;
    if (!shadow_look_up(shadow, pa, &lookup))
        return ready;
    ready = read_metadata(core, shadow, lookup.pa);
    if ((lookup.item_pa ^ lookup.pa) >= line)
        ready = later(ready, read_metadata(core, shadow, lookup.item_pa));
    return ready;
}

static uint64_t use_apart(struct core *core, struct shadow *shadow, uint64_t block)
{
    uint32_t frame = shadow_use(shadow, block);
    struct metadata_arrival *arrival = find_arrival(core, shadow, block);
    uint64_t ready = core->now;
    struct shadow_traffic traffic;
    if (frame != SHADOW_NO_FRAME)
        ready = *shadow_ready(shadow, frame);
    else if (arrival != NULL)
        ready = arrival->ready;
    else if (!shadow_covers(shadow, block))
        return ready;
    if (frame == SHADOW_NO_FRAME && arrival == NULL) {
        core->events[EVENT_META_FRAME_MISS]++;
        ready = load_frame(core, shadow, shadow_victim(shadow, block), block, &traffic);
        note_arrival(core, shadow, block, ready);
    }
    return ready;
}

/* Makes the marks of pa available. beside: the frame of its line in the cache. Returns the cycle in
 * which they are. */
static uint64_t use(struct core *core, struct shadow *shadow, uint64_t pa, uint32_t beside)
{
    uint64_t line = shadow == core->cpu->ishadow ? core->config->l1i_line_bytes
                                                 : core->config->l1d_line_bytes;
    if (core->config->shadow_placement == PLACEMENT_LINE)
        return core->now;
    if (is_mixed(core))
        return use_mixed(core, shadow, pa);
    if (is_apart(core, shadow))
        return use_apart(core, shadow, pa & ~(line - 1));
    return beside != MEM_NO_FRAME && core->config->shadow_latency != 0
               ? *shadow_ready(shadow, beside) : core->now;
}

static uint32_t find_frame(const struct core *core, const struct shadow *shadow, uint64_t pa,
                           uint32_t beside)
{
    uint64_t line = shadow == core->cpu->ishadow ? core->config->l1i_line_bytes
                                                 : core->config->l1d_line_bytes;
    uint32_t frame;
    if (is_mixed(core))
        return SHADOW_IN_MEMORY;
    if (!is_apart(core, shadow))
        return beside;
    frame = shadow_find(shadow, pa & ~(line - 1));
    return frame != SHADOW_NO_FRAME ? frame : SHADOW_IN_MEMORY;
}

uint32_t metadata_iframe(const struct core *core, uint64_t pa)
{
    uint32_t beside = memsys_find_iframe(core->mem, pa);
    if ((core_extras(core) & EXTRA_METADATA) == 0)
        return beside;
    return find_frame(core, core->cpu->ishadow, pa, beside);
}

uint32_t metadata_dframe(const struct core *core, uint64_t pa)
{
    uint32_t beside = memsys_find_dframe(core->mem, pa);
    if ((core_extras(core) & EXTRA_METADATA) == 0)
        return beside;
    return find_frame(core, core->cpu->dshadow, pa, beside);
}

uint64_t metadata_fetch(struct core *core, uint64_t pa, uint32_t *frame)
{
    struct shadow *shadow = core->cpu->ishadow;
    if (!core->cpu->marks_on || core->hart->in_monitor)
        return core->now;
    uint64_t ready = use(core, shadow, pa, *frame);
    *frame = find_frame(core, shadow, pa, *frame);
    if (ready > core->now)
        core->events[EVENT_META_WAIT] += ready - core->now;
    return ready;
}

/* Writes counts in L1D, the oldest first. False: one was refused, and waits. */
static bool write_counts(struct core *core)
{
    while (core->count_writes != 0) {
        struct mem_response response = {.changed = false};
        uint64_t writes = core->events[EVENT_L1D_WRITE];
        uint64_t misses = core->events[EVENT_L1D_WRITE_MISS];
        uint64_t l2_hits = core->events[EVENT_STORE_L2_HIT];
        uint64_t l2_misses = core->events[EVENT_STORE_L2_MISS];
        bool is_taken = memsys_store(core->mem, METADATA_PC, core->count_write[0], core->now,
                                     &response);
        core->events[EVENT_L1D_WRITE] = writes;         /* not a store's access */
        core->events[EVENT_L1D_WRITE_MISS] = misses;
        core->events[EVENT_STORE_L2_HIT] = l2_hits;
        core->events[EVENT_STORE_L2_MISS] = l2_misses;
        if (response.changed)
            follow_changes(core);
        if (!is_taken)
            return false;
        core->count_write[0] = core->count_write[--core->count_writes];
    }
    return true;
}

bool metadata_is_there(struct core *core, const struct uop *uop)
{
    uint64_t line = core->config->l1d_line_bytes, last = uop->pa + uop->access_bytes - 1u;
    if (core->count_writes != 0 && !write_counts(core)) {
        core->events[EVENT_META_WAIT]++;
        return false;
    }
    if ((core_extras(core) & EXTRA_WATCHED) == 0 || !metadata_touches_marks(core, uop))
        return true;
    uint64_t ready = use(core, core->cpu->dshadow, uop->pa,
                         memsys_find_dframe(core->mem, uop->pa));
    if (((uop->pa ^ last) & ~(line - 1)) != 0 && ((uop->va ^ (uop->va + uop->access_bytes - 1u)) &
                                                  ~(uint64_t)(PHYS_PAGE_BYTES - 1)) == 0)
        ready = later(ready, use(core, core->cpu->dshadow, last,
                                 memsys_find_dframe(core->mem, last)));
    core->events[EVENT_META_WAIT] += ready > core->now;
    return ready <= core->now;
}

void metadata_counted(struct core *core, const struct mark *mark, bool is_data)
{
    const struct cpu *cpu = core->cpu;
    uint64_t pa = (mark->flags & MARK_COUNTER) != 0 ? mark->item_pa : 0;
    if (!is_mixed(core))
        return;
    if ((mark->flags & MARK_AREA) != 0)
        pa = shadow_cell_pa(is_data ? cpu->dshadow : cpu->ishadow, mark);
    if (pa == 0)
        return;
    core->count_write[core->count_writes++] = pa;
    write_counts(core);
}
