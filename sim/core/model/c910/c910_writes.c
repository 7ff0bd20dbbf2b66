/* A write buffer that uses the data cache in cycles in which no load or store does
 * (c910.drain_spare).
 *
 * A committed store that has its data leaves the store queue, one store a cycle, and passes a
 * stage. It then joins the entry of its aligned block of c910.merge_bytes, or makes one; there are
 * c910.store_buffer entries. Loads and stores, which access the array when their address is
 * generated, and writes of entries share the array. The first entry whose line is in the cache is
 * written when no load or store uses the array. Once all entries except one are in use, or an entry
 * must go so that a store can make it anew, the write comes first, and no load or store passes. If
 * two stores in a row come meanwhile, two entries are written. A load takes bytes from the write
 * buffer as it does from the cache.
 *
 * A store whose line is not in the cache requests the line when it commits, unless the store
 * belongs to a run: c910.write_run entries filled one after the other. A longer run survives one
 * break, or two. An entry whose line is then not in the cache is written past the cache, in order:
 * either all entries of a line together, when they are full, or the first entry alone when it has
 * to go, as for a fence. The last entry of a line stays until the write was answered
 * (l1d.write_cycles).
 *
 * Time: an instruction issued in cycle t uses the array at t + 2; stores leave their queue, and
 * entries are made, "now". A decision made at `now` is therefore about the write of now + 1, if
 * nothing was issued in the cycle before, and about that of now + 2, which delays operations issued
 * now.
 * Source: openc910, lsu/rtl/ct_lsu_wmb.v (write_imme, dcache_req, wmb_write_biu_dcache_line),
 * ct_lsu_wmb_ce.v, ct_lsu_wmb_entry.v (merge_data_permit, write_stall), ct_lsu_dcache_arb.v,
 * ct_lsu_amr.v; rtu/rtl/ct_rtu_rob_rt.v (rob_read0_commit to rob_read2_commit).
 * Left out: stores that do not request their line because one with the same index is in flight;
 * causes that delay the answer to writes past the cache. */
#include "pmu/event.h"
#include "sim/base/cycle.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage_stores.h"
#include "sim/core/profile/metadata.h"
#include "sim/mem/known_lines.h"
#include "sim/mem/memsys.h"

enum {
    ISSUE_TO_ARRAY = 2,
    MADE_TO_SENT = 2,           /* cycles; past the cache */
};

static struct write_entry *write_at(struct core *core, uint64_t number)
{
    return write_entry_at(&core->model->writes, number);
}

static uint32_t entry_bytes(const struct core *core)
{
    return core_config(core)->part_merge_bytes;
}

static uint64_t address_of(const struct core *core, const struct write_entry *entry)
{
    return entry->block * entry_bytes(core);
}

/* memsys_line_from for the entry's line. */
static uint64_t line_from(struct core *core, struct write_entry *entry)
{
    const struct known_lines *lines = core->data_lines;
    if (entry->missed_in == lines && entry->fills == lines->fills)
        return NEVER;
    uint64_t from = memsys_line_from(core->mem, address_of(core, entry));
    entry->missed_in = from == NEVER ? lines : NULL;
    entry->fills = lines->fills;
    return from;
}

/* Skips entries that are no longer in use: they will not come into use again. */
static void pass_unused(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    while (writes->oldest != writes->made && write_at(core, writes->oldest)->there < core->now)
        writes->oldest++;
}

/* The mask of a whole entry. */
static uint64_t all_bytes(const struct core *core)
{
    uint32_t bytes = entry_bytes(core);
    return bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX;
}

/* ---- lines that are requested ---------------------------------------------------------------- */

/* True if the store's line is to be requested: it is not in the cache, and the store belongs to no
 * run. */
static bool brings_line(const struct core *core, uint64_t pa)
{
    return core->model->writes.run.level == 0 && memsys_find_dframe(core->mem, pa) == MEM_NO_FRAME;
}

/* The reorder-buffer entries that left in the last cycle in which any did. */
static uint32_t entries_left(const struct core *core)
{
    const struct c910_search *search = &core->model->search;
    uint32_t entries = 0;
    for (uint64_t seq = search->first; seq != search->end; seq++)
        entries += (core_uop(core, seq)->flags & UOP_FOLDED) == 0;
    return entries;
}

/* True if the committing store was already certain to commit a cycle before: it was among the
 * commit.width oldest entries then, with all older ones done. */
static bool was_certain(const struct core *core)
{
    const struct c910_search *search = &core->model->search;
    if (core->commit_seq != search->end)        /* others have committed in this cycle */
        return false;
    return search->committed + 1 < core->now ||
           (search->committed + 1 == core->now &&
            entries_left(core) < core_config(core)->commit_width);
}

SELDOM static void bring_line(struct core *core, uint64_t pa)
{
    struct mem_response response;
    if (memsys_bring_line(core->mem, pa, core->now, &response))
        lsu_follow_fill(core, &response, NULL);
}

/* The store queue learns of a commit a cycle later, unless that was certain before. */
void c910_writes_commit(struct core *core, struct store *store)
{
    store->pops_from = core->now + !was_certain(core);
    if (store->bytes != 0 && brings_line(core, store->pa))
        bring_line(core, store->pa);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void make_entry(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    struct write_entry *entry = write_at(core, writes->made);
    *entry = (struct write_entry){
        .number = writes->made++, .block = writes->stage.block, .bytes = writes->stage.bytes,
        .made = core->now, .sent = NEVER, .there = NEVER, .held = NEVER, .hurried = NEVER,
    };
    writes->look_from = earlier(writes->look_from,
                                core->now + core_config(core)->lsq_drain_cycles);
    entry->asks = brings_line(core, address_of(core, entry));
    writes->asking += entry->asks;
}

static bool has_place(struct core *core)
{
    const struct c910_writes *writes = &core->model->writes;
    uint64_t entries = core_config(core)->part_store_buffer, made = writes->made;
    return made < entries + writes->oldest ||
           !write_entry_is_used(write_at(core, made - entries), core->now);
}

static bool stage_joins(const struct c910_writes *writes)
{
    return writes->stage.into != NEVER && !writes->stage.waits;
}

/* Moves the stage's store to its entry. False: the store stays in the stage. */
static bool leave_stage(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    if (stage_joins(writes)) {
        write_at(core, writes->stage.into)->bytes |= writes->stage.bytes;
    } else {
        struct write_entry *joined = write_at(core, writes->stage.into);
        if (writes->stage.into != NEVER && joined->there >= core->now) {
            c910_hurry_entry(core, joined, core->now + 1);
            return false;
        }
        if (!has_place(core))
            return false;
        make_entry(core);
    }
    c910_run_follow(core, writes->stage.block, writes->stage.bytes, all_bytes(core));
    return true;
}

/* The entry that a store joins now, or NULL. */
static struct write_entry *find_entry(struct core *core, uint64_t block)
{
    const struct c910_writes *writes = &core->model->writes;
    for (uint64_t number = writes->oldest; number != writes->made; number++) {
        struct write_entry *entry = write_at(core, number);
        if (entry->block == block && entry->there >= core->now)
            return entry;
    }
    return NULL;
}

static void enter_stage(struct core *core, uint64_t block, uint64_t bytes)
{
    struct c910_writes *writes = &core->model->writes;
    struct write_entry *entry = find_entry(core, block);
    writes->stage.block = block;
    writes->stage.bytes = bytes;
    writes->stage.is_taken = true;
    writes->stage.waits = entry != NULL && entry->sent <= core->now;
    writes->stage.into = entry == NULL ? NEVER : entry->number;
    if (entry == NULL || writes->stage.waits)
        return;
    entry->held = core->now + 1;
    if (entry->sent != NEVER) {         /* the entry was about to be written */
        entry->sent = entry->there = NEVER;
        writes->next = earlier(writes->next, entry->number);
        writes->look_from = 0;
    }
}

/* ---- the store queue ------------------------------------------------------------------------- */

SELDOM static void forget_oldest(struct core *core)
{
    store_queue_leave(core, core->now);
}

/* Any number of stores can join an entry. When too many are remembered, the oldest is forgotten. */
static void make_room(struct core *core)
{
    if (core->model->writes.popped - core->sq.head >=
        (uint64_t)core_config(core)->part_store_buffer * WRITE_ENTRY_STORES)
        forget_oldest(core);
}

/* Passes a store to the stage; a store that crosses entries passes twice. False: its second part is
 * still to come. */
static bool take_part(struct core *core, struct store *store)
{
    const struct c910_writes *writes = &core->model->writes;
    uint64_t bytes = entry_bytes(core), first = store->pa / bytes;
    uint64_t last = (store->pa + store->bytes - 1) / bytes;
    uint64_t mask = ((UINT64_C(2) << (store->bytes - 1)) - 1) << store->pa % bytes;
    if (store->is_half_written)
        mask = (UINT64_C(1) << (store->pa + store->bytes - last * bytes)) - 1;
    enter_stage(core, store->is_half_written ? last : first, mask & all_bytes(core));
    uint64_t entry = stage_joins(writes) ? writes->stage.into : writes->made;
    store->entry = store->is_half_written ? later(store->entry, entry) : entry;
    store->is_half_written = !store->is_half_written && first != last;
    return !store->is_half_written;
}

static void pop_store(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    if (writes->stage.is_taken || writes->popped == core->sq.commit)
        return;
    struct store *store = store_queue_at(core, writes->popped);
    if (store->bytes == 0)
        store->entry = NEVER;
    else if (store->pops_from > core->now || store->data_ready + DATA_TO_POP > core->now ||
             !take_part(core, store))
        return;
    make_room(core);
    writes->popped++;
    c910_wait_pop(core, store);
}

/* True if the store's entry has been sent. */
static bool is_sent(struct core *core, uint64_t number)
{
    return number == NEVER || number < core->model->writes.oldest ||
           (number < core->model->writes.made && write_at(core, number)->sent != NEVER);
}

/* Stores whose entry has been sent leave in order. */
static void leave_sent(struct core *core, uint64_t cycle)
{
    while (core->sq.head != core->model->writes.popped &&
           is_sent(core, store_queue_at(core, core->sq.head)->entry))
        store_queue_leave(core, cycle);
}

static void send(struct core *core, struct write_entry *entry, uint64_t cycle, uint64_t there)
{
    struct c910_writes *writes = &core->model->writes;
    entry->sent = cycle;
    entry->there = there;
    while (writes->next != writes->made && write_at(core, writes->next)->sent != NEVER)
        writes->next++;
}

/* Requests, in order, the lines that could not be requested when their stores committed. */
SELDOM static void ask_for_lines(struct core *core)
{
    struct mem_response response;
    for (uint64_t number = core->model->writes.next; number != core->model->writes.made; number++) {
        struct write_entry *entry = write_at(core, number);
        uint64_t pa = address_of(core, entry);
        if (!entry->asks)
            continue;
        if (memsys_line_from(core->mem, pa) == NEVER) {
            if (!memsys_bring_line(core->mem, pa, core->now, &response))
                return;
            lsu_follow_fill(core, &response, NULL);
        }
        entry->asks = false;
        core->model->writes.asking--;
    }
}

/* ---- writes into the cache ------------------------------------------------------------------- */

/* The first cycle of the array in which the entry can be written; NEVER: not before its line
 * comes. */
static inline uint64_t written_from(struct core *core, struct write_entry *entry, uint64_t array)
{
    if (entry->sent != NEVER)
        return NEVER;
    return entry->held == array ? array + 1 : line_from(core, entry);
}

/* The first entry that can be written in this cycle of the array, or NULL. */
static struct write_entry *find_for_cache(struct core *core, uint64_t array)
{
    struct c910_writes *writes = &core->model->writes;
    uint64_t from = NEVER;
    for (uint64_t number = writes->next; number != writes->made; number++) {
        struct write_entry *entry = write_at(core, number);
        uint64_t made = entry->made + core_config(core)->lsq_drain_cycles;
        if (made > array) {
            from = earlier(from, made);
            break;
        }
        from = earlier(from, written_from(core, entry, array));
        if (from <= array)
            return entry;
    }
    writes->look_from = from;
    writes->looked_in = core->data_lines;
    writes->fills = core->data_lines->fills;
    return NULL;
}

/* True if no line has come since no entry could be written. */
static inline bool finds_none(const struct core *core, uint64_t array)
{
    const struct c910_writes *writes = &core->model->writes;
    return array < writes->look_from && writes->looked_in == core->data_lines &&
           writes->fills == core->data_lines->fills;
}

/* Writes in the cycle of the array that belongs to operations issued in cycle `issue`. */
static void write_next(struct core *core, uint64_t issue, bool comes_first)
{
    uint64_t array = issue + ISSUE_TO_ARRAY;
    struct write_entry *entry = finds_none(core, array) ? NULL : find_for_cache(core, array);
    if (entry == NULL)
        return;
    struct mem_response response = {.ready = issue};
    if (comes_first)
        core->model->writes.blocked = issue;
    if (!memsys_store(core->mem, 0, address_of(core, entry), issue, &response))
        return;
    lsu_follow_fill(core, &response, NULL);
    send(core, entry, array, array);
    leave_sent(core, response.ready);
}

/* ---- writes past the cache ------------------------------------------------------------------- */

static bool can_be_sent(const struct core *core, const struct write_entry *entry)
{
    return entry->sent == NEVER && entry->made + MADE_TO_SENT <= core->now &&
           entry->held != core->now;
}

static inline uint32_t entries_in_line(const struct core *core)
{
    return core->config->l1d_line_bytes / entry_bytes(core);
}

/* True if the entries from `next` on, of which there are enough, are a whole line, in ascending or
 * descending order, and can be sent. */
static bool are_line(struct core *core)
{
    const struct c910_writes *writes = &core->model->writes;
    uint32_t count = entries_in_line(core);
    uint64_t first = write_at(core, writes->next)->block;
    uint64_t step = first % count == 0 ? 1 : UINT64_MAX;
    if (step != 1 && first % count != count - 1)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct write_entry *entry = write_at(core, writes->next + i);
        if (entry->block != first + i * step || entry->bytes != all_bytes(core) ||
            !can_be_sent(core, entry))
            return false;
    }
    return true;
}

/* Sends `count` entries past the cache. Their data follow, an entry in a cycle. */
SELDOM static void send_past(struct core *core, uint32_t count)
{
    struct c910_writes *writes = &core->model->writes;
    uint32_t bytes = entry_bytes(core) * count;
    uint64_t number = writes->next, answered = core->config->l1d_write_cycles + count - 1;
    uint64_t pa = address_of(core, write_at(core, number)) & ~(uint64_t)(bytes - 1);
    memsys_write_past(core->mem, pa, bytes, core->now);
    for (uint32_t i = 0; i < count; i++)
        send(core, write_at(core, number + i), core->now,
             core->now + (i + 1 == count ? answered : i + 1));
    leave_sent(core, core->now + answered);
    c910_hurry_relax(core, write_at(core, number));
}

/* True if the next instruction of the program waits until all stores have been written. */
static bool is_waited_for(const struct core *core)
{
    const struct uop *uop = core_uop(core, core->dispatch_seq);
    return core_is_empty(core) && core->dispatch_seq != core->decode_seq &&
           (uop->flags & UOP_SERIAL) && uop->kind != KIND_CSR;
}

static void write_past(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    uint32_t count = entries_in_line(core);
    bool has_line = writes->made - writes->next >= count;
    if (writes->next == writes->made ||
        (!has_line && !writes->hurried && !is_waited_for(core)))
        return;
    struct write_entry *entry = write_at(core, writes->next);
    if (!can_be_sent(core, entry) || entry->asks || line_from(core, entry) != NEVER)
        return;
    has_line = has_line && are_line(core);
    if (has_line || writes->hurried || is_waited_for(core))
        send_past(core, has_line ? count : 1);
}

/* ---- the rest of the core -------------------------------------------------------------------- */

bool c910_writes_lets_pass(struct core *core, const struct uop *uop)
{
    struct c910_writes *writes = &core->model->writes;
    if (core_config(core)->c910_drain_spare == 0)
        return true;
    if ((uop->flags & UOP_IS_STORE) && writes->store != core->now) {
        writes->store_before = writes->store;
        writes->store = core->now;
    }
    if (writes->blocked == core->now || ((uop->flags & UOP_IS_STORE) != 0 &&
                                         memsys_array_is_busy(core->mem, core->now))) {
        core->events[EVENT_L1_PORT_BUSY]++;
        return false;
    }
    writes->issued = core->now;
    return true;
}

bool c910_writes_has_popped(const struct core *core, uint64_t number)
{
    return core_config(core)->c910_drain_spare != 0 && number < core->model->writes.popped;
}

/* True if no entry is in use and no store is in flight to one. */
static bool is_empty(const struct core *core)
{
    const struct c910_writes *writes = &core->model->writes;
    return writes->oldest == writes->made && !writes->stage.is_taken &&
           writes->popped == core->sq.commit && writes->popped == core->sq.head;
}

void c910_writes_step(struct core *core)
{
    struct c910_writes *writes = &core->model->writes;
    uint64_t now = core->now;
    bool goes_on = writes->stepped + 1 == now;
    core->active = true;
    writes->stepped = now;
    writes->holds = goes_on && writes->may_hold && writes->store + 1 == now &&
                    writes->store_before + 2 == now;
    pass_unused(core);
    if (is_empty(core)) {
        writes->hurried = writes->hurries;
        writes->hurries = writes->may_hold = false;
        return;
    }
    if (writes->stage.is_taken)
        writes->stage.is_taken = !leave_stage(core);
    pop_store(core);
    if (writes->asking != 0)
        ask_for_lines(core);
    if (goes_on && writes->issued + 1 != now && writes->blocked + 1 != now)
        write_next(core, now - 1, false);
    write_past(core);
    leave_sent(core, now);
    c910_hurry_decide(core);
    if (writes->hurries)
        write_next(core, now, true);
}
