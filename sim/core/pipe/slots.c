/* Issue queues that select by position: the slots of instructions in their queues.
 *
 * A queue without age order issues its lowest ready slot first, whatever the age of the others.
 * Slots are reused in the order in which they were freed, so age and position drift apart, and an
 * old instruction can starve while younger ones pass it. With stripes, each of the n ports of a
 * class looks only at every n-th slot. Kept with EXTRA_SLOTS only. */
#include <string.h>

#include "sim/core/pipe/stage_queue.h"

/* All slots are free, and in order. */
static void free_all(struct slot_list *list)
{
    for (uint32_t i = 0; i < list->size; i++)
        list->slot[i] = (uint16_t)i;
    list->head = 0;
    list->tail = list->size;
}

void slots_init(struct core *core)
{
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
        core->iq.free_slots[queue].size = core->iq.queue_size[queue];
        free_all(&core->iq.free_slots[queue]);
    }
}

/* The caller has seen that the queue has room. */
uint16_t slots_take(struct core *core, unsigned queue)
{
    struct slot_list *list = &core->iq.free_slots[queue];
    return list->slot[list->head++ % ISSUE_QUEUE_SIZE_MAX];
}

void slots_return(struct core *core, unsigned queue, unsigned slot)
{
    struct slot_list *list = &core->iq.free_slots[queue];
    list->slot[list->tail++ % ISSUE_QUEUE_SIZE_MAX] = (uint16_t)slot;
}

static void note_freed(struct core *core, unsigned queue, unsigned slot)
{
    core->iq.freed_ports |= 1u << core->iq.issuing;
    core->iq.freed[core->iq.issuing] = (struct freed_slot){(uint8_t)queue, (uint16_t)slot};
}

/* Slots freed by issue return together, in the order of the ports. */
void slots_give_back(struct core *core, unsigned queue, unsigned slot)
{
    if (core->iq.issuing == NOT_ISSUING)
        slots_return(core, queue, slot);
    else
        note_freed(core, queue, slot);
}

/* An instruction that acts at the head takes a slot of its queue, which is empty, and gives it
 * back. */
void slots_pass(struct core *core, const struct uop *uop)
{
    unsigned queue = core->iq.class_queue[uop->unit_class];
    if (queue != QUEUE_SEVERAL)
        slots_return(core, queue, slots_take(core, queue));
}

/* Notes a slot freed by a squash. These return together, the lowest first, or as
 * slots_end_of_squash decides. */
void slots_squash(struct core *core, unsigned queue, unsigned slot)
{
    core->iq.free_slots[queue].squashed[slot / 64] |= UINT64_C(1) << (slot % 64);
}

void slots_squash_renamed(struct core *core, uint64_t count)
{
    for (uint64_t seq = core->dispatch_seq; count-- != 0; seq++) {
        unsigned queue = core->iq.class_queue[core_uop(core, seq)->unit_class];
        if (queue == QUEUE_SEVERAL || core->iq.queue_used[queue] == core->iq.queue_size[queue])
            continue;
        core->iq.queue_used[queue]++;
        slots_squash(core, queue, slots_take(core, queue));
    }
}

/* After a squash by commit all slots are free, and in order again. */
static void reset(struct core *core)
{
    places_forget(core);
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++) {
        struct slot_list *list = &core->iq.free_slots[queue];
        free_all(list);
        core->iq.queue_used[queue] = core->iq.leaving[queue] = 0;
        memset(list->squashed, 0, sizeof list->squashed);
    }
}

/* After a squash by execution a counter runs over the slots, two in a cycle from the next cycle on.
 * A slot is reused as many cycles after that as after an issue. (RSD: IssueQueue.sv,
 * returnIndexOffset.) */
enum { RETURNED_AT_ONCE = 2, BEHIND_ALL_PORTS = 0x80 };
static void return_slots(struct core *core, unsigned queue)
{
    struct slot_list *list = &core->iq.free_slots[queue];
    for (unsigned word = 0; word < ISSUE_QUEUE_SIZE_MAX / 64; word++)
        for (uint64_t *bits = &list->squashed[word]; *bits != 0; *bits &= *bits - 1) {
            unsigned slot = word * 64 + (unsigned)__builtin_ctzll(*bits);
            uint64_t cycle = core->now + 1 + slot / RETURNED_AT_ONCE +
                             core_config(core)->issue_release_cycles;
            const struct released place = {
                .order = places_order(cycle, BEHIND_ALL_PORTS + slot % RETURNED_AT_ONCE),
                .queue = (uint8_t)queue, .slot = (uint16_t)slot,
            };
            places_free_later(core, &place);
        }
}

static void end_of_squash_released(struct core *core)
{
    if (!core->is_resolving)
        reset(core);
    else
        for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
            return_slots(core, queue);
}

void slots_end_of_squash(struct core *core)
{
    if (core_extras(core) & EXTRA_RELEASE) {
        end_of_squash_released(core);
        return;
    }
    for (unsigned queue = 0; queue < core_shape(core)->queue_count; queue++)
        for (unsigned word = 0; word < ISSUE_QUEUE_SIZE_MAX / 64; word++) {
            uint64_t *bits = &core->iq.free_slots[queue].squashed[word];
            for (; *bits != 0; *bits &= *bits - 1)
                slots_return(core, queue, word * 64 + (unsigned)__builtin_ctzll(*bits));
        }
}

void slots_end_of_issue(struct core *core)
{
    for (uint32_t ports = core->iq.freed_ports; ports != 0; ports &= ports - 1) {
        const struct freed_slot *freed = &core->iq.freed[__builtin_ctz(ports)];

        slots_return(core, freed->queue, freed->slot);
    }
    core->iq.freed_ports = 0;
}

/* Store data have a slot of their own in another queue. */
static uint16_t slot_in(const struct core *core, const struct uop *uop, unsigned queue)
{
    return (core_extras(core) & EXTRA_STORE_UOPS) && queue != uop->queue ? uop->data_slot
                                                                         : uop->slot;
}

uint32_t slots_ports(const struct core *core, const struct uop *uop, unsigned queue,
                     uint32_t ports)
{
    bool is_one = (ports & (ports - 1)) == 0;           /* or none */
    if (is_one || core_config(core)->issue_select != SELECT_SLOT_STRIPES)
        return ports;
    uint32_t slot = slot_in(core, uop, queue), others = ports & (ports - 1);
    if ((others & (others - 1)) == 0)                   /* two ports */
        return (slot & 1) != 0 ? others : ports ^ others;
    for (uint32_t skip = slot % (uint32_t)__builtin_popcount(ports); skip != 0; skip--)
        ports &= ports - 1;
    return ports & (0 - ports);
}

/* Notes the ready instructions in one word of the bitmap. */
static inline void note_ready(const struct core *core, unsigned queue, uint32_t word,
                              struct ready_slots *ready)
{
    uint64_t bits = core->iq.ready[issue_queue_word(core_shape(core), queue, word * 64)];
    for (; bits != 0; bits &= bits - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
        uint16_t slot = slot_in(core, core_at(core, index), queue);
        ready->used[ready->words == 1 ? 0 : slot / 64] |= UINT64_C(1) << (slot % 64);
        ready->at[slot] = (uint16_t)index;
    }
}

/* Notes the ready instructions of a queue. */
void slots_find_ready(const struct core *core, unsigned queue, struct ready_slots *ready)
{
    uint64_t groups = core_ready_groups(core, queue);
    ready->words = (core->iq.queue_size[queue] + 63) / 64;
    for (uint32_t word = 0; word < ready->words; word++)
        ready->used[word] = 0;
    for (; groups != 0; groups &= groups - 1) {
        uint32_t first = (uint32_t)__builtin_ctzll(groups) << core_shape(core)->group_log2;
        for (uint32_t i = 0; i < 1u << core_shape(core)->group_log2; i++)
            note_ready(core, queue, first + i, ready);
    }
}
