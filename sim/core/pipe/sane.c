/* The pipeline's invariants, as a check: those stated in core_internal.h, and the sums that follow
 * from them. They hold between cycles, when `now` is a cycle that has not run yet. Changes
 * nothing. */
#include "sim/core/fetch/ftq.h"
#include "sim/core/instance/instance.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_mode.h"
#include "sim/core/pipe/stage_queue.h"
#include "sim/core/pipe/stage_stores.h"

static bool is_dispatched(const struct core *core, uint64_t seq)
{
    return core->commit_seq <= seq && seq < core->dispatch_seq;
}

/* Reorder-buffer entries and checkpoints are held by the instructions that took them. An entry
 * whose first instruction has committed is no longer counted. */
static bool entries_are_sane(const struct core *core)
{
    uint32_t entries = 0, checkpoints = 0, fused = 0;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        uint64_t flags = core_uop(core, seq)->flags;
        entries += (flags & UOP_FOLDED) == 0;
        fused += (flags & UOP_FUSED) != 0;
        checkpoints += (flags & UOP_CHECKPOINT) != 0;
    }
    return ((core_extras(core) & EXTRA_FOLD) == 0 || entries == core->rob_used) &&
           fused == core->fused_in_flight && checkpoints == core->checkpoints_used &&
           entries <= core_config(core)->rob_entries;
}

/* Of a fused pair both halves are in flight, or the first has committed; they end together. */
static bool pairs_are_sane(const struct core *core)
{
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq), *next = core_uop(core, seq + 1);
        if ((uop->flags & UOP_PAIRED) == 0)
            continue;
        if (seq + 1 == core->dispatch_seq || (next->flags & UOP_FUSED) == 0 ||
            uop->complete_cycle != next->complete_cycle)
            return false;
    }
    return true;
}

static bool stages_are_in_order(const struct core *core)
{
    bool has_ftq = core_config(core)->fetch_ftq != 0;

    return core->commit_seq <= core->dispatch_seq && core->dispatch_seq <= core->decode_seq &&
           core->decode_seq <= core->fetch_seq &&
           core->fetch_seq - core->commit_seq <= core->ring_mask &&
           (has_ftq ? core->ftq->read_seq : core->fetch_seq) - core->decode_seq <=
               core_config(core)->fetch_buffer &&
           (core->dispatch_seq - core->commit_seq <=
            core_config(core)->rob_entries * core->config->part_fold *
                (core_extras(core) & EXTRA_FUSION ? 2 : 1)) &&
           entries_are_sane(core) && pairs_are_sane(core);
}

/* The count of a physical register is the number of its names: committed ones (those of now,
 * undone) and those of instructions in flight. A register without a name is free. */
static bool sharing_is_sane(const struct core *core)
{
    uint16_t refs[REGS_MAX] = {0}, map[REG_F0];
    uint32_t free_count = 0;
    memcpy(map, core->int_map, sizeof map);
    for (uint64_t seq = core->dispatch_seq; seq-- > core->commit_seq;) {
        const struct uop *uop = core_uop(core, seq);
        if (uop->insn.rd >= REG_F0)
            continue;
        if (map[uop->insn.rd] != uop->reg)
            return false;
        map[uop->insn.rd] = uop->old_reg;
        refs[uop->reg]++;
    }
    for (unsigned reg = 0; reg < REG_F0; reg++)
        refs[map[reg]]++;
    for (uint32_t reg = 0; reg < core_config(core)->rename_int_buffers; reg++)
        free_count += refs[reg] == 0;
    return memcmp(refs, core->int_refs, sizeof refs) == 0 &&
           free_count == core->buffers_free[POOL_INT];
}

/* Invariant 1; also the buffers that the writers hold. */
static bool writers_are_sane(const struct core *core)
{
    uint64_t youngest[REG_COUNT] = {0};
    uint32_t held[POOL_COUNT] = {0};
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        unsigned rd = uop->insn.rd;
        youngest[rd] = uop->flags & UOP_ELIMINATED ? uop->value_of : seq;
        held[rd / REG_F0] += (uop->flags & UOP_FUSED) == 0;
    }
    for (unsigned reg = 0; reg < REG_COUNT; reg++) {
        uint64_t writer = core->last_writer[reg];
        if (reg != REG_SINK &&
            (youngest[reg] != 0 ? writer != youngest[reg] : writer >= core->commit_seq))
            return false;
    }
    if (core_is_in_order(core))
        return true;
    uint32_t mapped = core_config(core)->rename_kind == RENAME_PHYSICAL ? REG_F0 : 0;
    return (core_extras(core) & EXTRA_SHARED
                ? sharing_is_sane(core)
                : core->buffers_free[POOL_INT] + held[POOL_INT] + mapped ==
                      core_config(core)->rename_int_buffers) &&
           core->buffers_free[POOL_FP] + held[POOL_FP] + mapped ==
               core_config(core)->rename_fp_buffers &&
           core->buffers_free[POOL_NONE] + held[POOL_NONE] == RING_MAX;
}

/* ---- operand links --------------------------------------------------------------------------- */

static bool is_listed(const struct core *core, const struct uop *producer, uint16_t wanted)
{
    uint16_t link = producer->dependents;
    for (uint32_t n = 0; link != NO_LINK && n <= 3 * core->ring_mask; n++) {
        if (link == wanted)
            return true;
        link = core->ring[link >> 2].link_next[link & 3];
    }
    return false;
}

/* The operand that a store issued for its address alone does not wait for. */
static unsigned data_link(const struct core *core, const struct uop *uop)
{
    return (core_extras(core) & EXTRA_STORE_DATA) && uop->kind == KIND_STORE ? 1u << 1 : 0;
}

/* True if the producer has not issued, or is a store whose data have not arrived. */
static bool can_be_waited_for(const struct uop *uop)
{
    return uop->state == UOP_WAITING ||
           ((uop->flags & UOP_IS_STORE) != 0 && uop->complete_cycle == NEVER);
}

/* Operands in a producer's list, as a bit mask. */
static unsigned linked(const struct uop *uop)
{
    unsigned operands = 0;
    for (unsigned operand = 0; operand < 3; operand++)
        operands |= (unsigned)(uop->link_producer[operand] != NO_LINK) << operand;
    return operands;
}

/* Invariant 2: every operand that is linked is in the list of a producer that has not issued. */
static bool operands_are_sane(const struct core *core, const struct uop *uop, uint64_t seq)
{
    if (uop->pending != __builtin_popcount(linked(uop) & ~data_link(core, uop)))
        return false;
    for (unsigned operand = 0; operand < 3; operand++) {
        if (uop->link_producer[operand] == NO_LINK)
            continue;
        uint64_t age = (seq - uop->link_producer[operand]) & core->ring_mask;
        if (age == 0 || age > seq - core->commit_seq)
            return false;
        const struct uop *producer = core_uop(core, seq - age);
        if (!can_be_waited_for(producer) ||
            !is_listed(core, producer, (uint16_t)((seq & core->ring_mask) << 2 | operand)))
            return false;
    }
    return true;
}

/* A list holds younger waiting instructions only, the youngest first: rename_undo relies on it. */
static bool dependents_are_sane(const struct core *core, const struct uop *uop, uint64_t seq)
{
    uint64_t limit = core->dispatch_seq;
    unsigned last_operand = 3;
    for (uint16_t link = uop->dependents; link != NO_LINK;) {
        uint64_t consumer = seq + (((link >> 2) - seq) & core->ring_mask);
        const struct uop *waiting = core_uop(core, consumer);
        unsigned operand = link & 3;
        bool is_next = consumer < limit || (consumer == limit && operand < last_operand);
        if (consumer <= seq || !is_next || !is_dispatched(core, consumer) ||
            !can_be_waited_for(waiting) || waiting->link_producer[operand] == NO_LINK)
            return false;
        limit = consumer;
        last_operand = operand;
        link = waiting->link_next[operand];
    }
    return true;
}

/* ---- issue queues ---------------------------------------------------------------------------- */

static bool has_bit(const uint64_t *bitmap, uint32_t index)
{
    return (bitmap[index / 64] >> (index % 64) & 1) != 0;
}

/* The parts of an instruction, operation and data, that wait only for a cycle or a port. */
struct parts { bool operation, data; };

static struct parts free_parts(const struct core *core, const struct uop *uop)
{
    bool is_free = uop->state == UOP_WAITING && uop->pending == 0 &&
                   (!port_reissues(core) || (uop->flags & UOP_REPLAYING) == 0);
    bool has_data = (core_extras(core) & EXTRA_STORE_UOPS) && (uop->flags & UOP_IS_STORE) &&
                    uop->data_state == DATA_WAITING && uop->data_ready != NEVER;
    return (struct parts){is_free, has_data};
}

/* The instruction's bit in the bitmaps of a queue is its own. */
static bool has_own_bit(const struct core *core, const struct uop *uop, unsigned queue)
{
    return !core_shape(core)->by_slot ||
           (queue == uop->queue && uop->state == UOP_WAITING && (uop->flags & UOP_REPLAYING) == 0);
}

/* Every operand of `asleep` is in its slot of the wheel, and no other is. index: of its bit. */
static bool will_wake(const struct core *core, const struct uop *uop, struct parts asleep,
                      uint32_t index)
{
    for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++)
        for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
            uint32_t word = issue_queue_word(core_shape(core), queue, index);
            bool is_its =
                (asleep.operation && slot == uop->wheel_slot && word == uop->queue_word) ||
                (asleep.data && slot == uop->data_wheel_slot && word == uop->data_word);
            const uint64_t *bits = &core->iq.wheel[slot * core_shape(core)->slot_words + word];
            if (has_own_bit(core, uop, queue) && has_bit(bits, index % 64) != is_its)
                return false;
        }
    return (!asleep.operation || core->iq.wheel_groups[uop->wheel_slot] != 0) &&
           (!asleep.data || core->iq.wheel_groups[uop->data_wheel_slot] != 0);
}

/* Dispatch adds those of the next cycle to the ready ones. An instruction that passed its queue,
 * and is to be issued again, is in the wheel. So are some of those that become ready where issue
 * takes all at once, and wake-up adds the others. */
static bool has_become_ready(const struct core *core, const struct uop *uop, uint32_t index)
{
    uint32_t bit = core_queue_bit(core, uop, index);
    bool is_there = has_bit(&core->iq.ready[uop->queue_word], bit % 64);
    bool was_added = uop->dispatch_cycle + 1 == core->now &&
                     ((core_extras(core) & EXTRA_QUEUE_BYPASS) == 0 || is_there);
    bool is_soon = issue_is_at_once(core_extras(core)) && uop->ready_at == core->now && is_there;
    return uop->ready_at < core->now + was_added || is_soon;
}

/* Invariant 3, and that an instruction that is not ready will be. */
static bool readiness_is_sane(const struct core *core, const struct uop *uop, uint64_t seq)
{
    uint32_t index = (uint32_t)(seq & core->ring_mask);
    struct parts parts = free_parts(core, uop), ready = parts;
    ready.operation &= has_become_ready(core, uop, index);
    ready.data &= uop->data_ready < core->now;
    index = core_queue_bit(core, uop, index);
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
        if (has_own_bit(core, uop, queue) &&
            has_bit(&core->iq.ready[queue << core_shape(core)->words_log2], index) !=
            ((ready.operation && queue == uop->queue) || (ready.data && queue == uop->data_queue)))
            return false;
    parts.operation &= !ready.operation;
    parts.data &= !ready.data;
    return (!parts.operation && !parts.data) || will_wake(core, uop, parts, index);
}

/* True if the instruction holds a place in the queue; *slot: its number. */
static bool holds_place(const struct core *core, const struct uop *uop, unsigned queue,
                        uint16_t *slot)
{
    bool has_data = (core_extras(core) & EXTRA_STORE_UOPS) && (uop->flags & UOP_IS_STORE) &&
                    uop->data_state == DATA_WAITING && uop->data_queue == queue;
    bool is_there = uop->state == UOP_WAITING && uop->queue == queue &&
                    (uop->flags & UOP_REPLAYING) == 0;
    *slot = is_there ? uop->slot : uop->data_slot;
    return is_there || has_data;
}

/* With slots: each is free, and then nothing in it is ready, or held by one instruction that waits
 * in the queue. */
static bool slots_are_sane(const struct core *core, unsigned queue)
{
    bool held[ISSUE_QUEUE_SIZE_MAX] = {false};
    const struct slot_list *list = &core->iq.free_slots[queue];
    uint32_t count = core->iq.queue_size[queue] - core->iq.queue_used[queue];
    if (count > list->size || list->head + count != list->tail)
        return false;
    for (uint32_t i = list->head; i != list->tail; i++)
        held[list->slot[i % ISSUE_QUEUE_SIZE_MAX]] = true;
    for (uint32_t slot = 0; core_shape(core)->by_slot && slot < list->size; slot++)
        if (held[slot] && has_bit(&core->iq.ready[queue << core_shape(core)->words_log2], slot))
            return false;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        uint16_t slot;
        if (!holds_place(core, core_uop(core, seq), queue, &slot))
            continue;
        if (held[slot])
            return false;
        held[slot] = true;
    }
    return true;
}

/* The places of the queue that instructions have left, and which are not free yet. */
static uint32_t leaving(const struct core *core, unsigned queue)
{
    const struct issue_queues *iq = &core->iq;
    uint32_t count = 0;
    if (places_count_leaving(core))
        return iq->leaving[queue];
    for (uint32_t i = iq->release_head; i != iq->release_tail; i++)
        count += iq->released[i % RELEASES_MAX].queue == queue;
    for (unsigned at = 0; at < RELEASE_CYCLES; at++)
        for (uint32_t ports = iq->release_ports[at]; ports != 0; ports &= ports - 1)
            count += iq->release_slot[at][__builtin_ctz(ports)].queue == queue;
    return count;
}

static bool queues_are_sane(const struct core *core)
{
    uint32_t used[ISSUE_QUEUES_MAX] = {0}, replaying = 0;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        if (!readiness_is_sane(core, uop, seq) || !dependents_are_sane(core, uop, seq))
            return false;
        for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
            uint16_t slot;
            used[queue] += holds_place(core, uop, queue, &slot);
        }
        if (uop->state == UOP_WAITING) {
            replaying += (uop->flags & UOP_REPLAYING) != 0;
            if (!operands_are_sane(core, uop, seq))
                return false;
        } else if ((linked(uop) != 0 || uop->dependents != NO_LINK) && !can_be_waited_for(uop)) {
            return false;
        }
    }
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
        used[queue] += leaving(core, queue);
    if ((core_extras(core) & EXTRA_SLOTS) == 0)
        port_count_places(core, used);
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
        uint64_t ready = 0;
        const struct ring_shape *shape = core_shape(core);
        for (uint32_t word = 0; word < 1u << shape->words_log2; word++)
            ready |= (uint64_t)(core->iq.ready[issue_queue_word(shape, queue, word * 64)] != 0)
                     << (word >> shape->group_log2);
        if (used[queue] != core->iq.queue_used[queue] || used[queue] > core->iq.queue_size[queue] ||
            ready != core_ready_groups(core, queue))
            return false;
        if ((core_extras(core) & EXTRA_SLOTS) && !slots_are_sane(core, queue))
            return false;
    }
    return replaying == core->iq.replaying;
}

/* ---- loads, stores, redirects ---------------------------------------------------------------- */

static bool violator_is_sane(const struct core *core, const struct store *store)
{
    if (store->violator == NEVER || store->is_committed)
        return true;
    return store->violator > store->seq && is_dispatched(core, store->violator) &&
           (core_uop(core, store->violator)->flags & UOP_SPECULATED) != 0;
}

/* Invariant 4: the speculative part of the queue has the dispatched stores, in their order. */
static bool stores_are_dispatched(const struct core *core)
{
    uint64_t number = core->sq.commit;
    uint32_t loads = 0;
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        loads += (uop->flags & UOP_IS_LOAD) != 0;
        if ((uop->flags & UOP_IS_STORE) == 0)
            continue;
        const struct store *store = store_queue_at(core, number);
        if (number >= core->sq.tail || uop->store_number != number || store->seq != seq ||
            store->is_committed || store->is_issued != (uop->state == UOP_ISSUED) ||
            !violator_is_sane(core, store))
            return false;
        number++;
    }
    return number == core->sq.tail && loads == core->loads_used;
}

/* The hash counts each granule that a store touches, once for each store. */
static bool store_queue_is_sane(const struct core *core)
{
    uint16_t hash[STORE_HASH] = {0};
    if (core->sq.head > core->sq.commit || core->sq.commit > core->sq.tail ||
        core->sq.unissued > core->sq.tail ||
        core->sq.tail - core->sq.head > core->sq.places)
        return false;
    for (uint64_t number = core->sq.head; number < core->sq.tail; number++) {
        const struct store *store = store_queue_at(core, number);
        if (store->is_committed != (number < core->sq.commit) ||
            (number < core->sq.unissued && !store->is_issued))
            return false;
        if (store->bytes == 0)
            continue;
        uint64_t first = store->pa >> 3, last = (store->pa + store->bytes - 1) >> 3;
        hash[first % STORE_HASH]++;
        if (last != first)
            hash[last % STORE_HASH]++;
    }
    return memcmp(hash, core->sq.hash, sizeof hash) == 0 && stores_are_dispatched(core);
}

/* Invariant 5: a mispredicted branch keeps its redirect until the redirect is taken, or the branch
 * commits. */
static bool has_redirect(const struct core *core, uint64_t seq)
{
    if (core_uop(core, seq)->flags & UOP_SQUASHES)
        return true;
    for (unsigned i = 0; i < core->redirect_count; i++)
        if (core->redirects[i].keep == seq && !core->redirects[i].is_violation)
            return true;
    return false;
}

static bool redirects_are_sane(const struct core *core)
{
    uint64_t next = NEVER;
    for (unsigned i = 0; i < core->redirect_count; i++) {
        const struct redirect *redirect = &core->redirects[i];
        if (redirect->keep >= core->dispatch_seq ||
            redirect->keep + redirect->is_violation < core->commit_seq)
            return false;
        next = redirect->cycle < next ? redirect->cycle : next;
    }
    for (uint64_t seq = core->commit_seq; seq < core->dispatch_seq; seq++) {
        const struct uop *uop = core_uop(core, seq);
        if ((uop->flags & UOP_MISPREDICTED) && uop->state == UOP_ISSUED &&
            uop->complete_cycle >= core->now && !has_redirect(core, seq))
            return false;
    }
    return next == core->redirect_next;
}

static bool accounts_are_sane(const struct core *core)
{
    char text[256];
    return core_accounts_are_exact(core, text, sizeof text);
}

bool sane_check(const struct core *core)
{
    return accounts_are_sane(core) && stages_are_in_order(core) && writers_are_sane(core) &&
           (core_is_in_order(core) ? inorder_is_sane(core) : queues_are_sane(core)) &&
           store_queue_is_sane(core) && redirects_are_sane(core) &&
           core->mode == core_mode(core);
}
