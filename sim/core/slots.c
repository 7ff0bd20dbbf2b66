/* Issue queues that select by position: which slot of its queue an instruction is in.
 *
 * A queue without age order gives its lowest ready slot first, however old what is in the others
 * may be. Slots are handed out in the order in which they were freed, so that age and position
 * drift apart, and an old instruction can starve while younger ones pass it. With stripes each of
 * several ports of a class looks at every n-th slot only. Kept with EXTRA_SLOTS only. */
#include <stdlib.h>

#include "sim/core/stage.h"

bool slots_init(struct core *core)
{
    for (unsigned queue = 0; queue < core->iq.queue_count; queue++) {
        struct slot_list *list = &core->iq.free_slots[queue];
        list->slot = calloc(core->iq.queue_size[queue], sizeof list->slot[0]);
        if (list->slot == NULL)
            return false;
        list->size = list->tail = core->iq.queue_size[queue];
        for (uint32_t i = 0; i < list->size; i++)
            list->slot[i] = (uint16_t)i;
    }
    return true;
}

void slots_free(struct core *core)
{
    for (unsigned queue = 0; queue < ISSUE_QUEUES_MAX; queue++)
        free(core->iq.free_slots[queue].slot);
}

/* The caller has seen that the queue has room. */
uint16_t slots_take(struct core *core, unsigned queue)
{
    struct slot_list *list = &core->iq.free_slots[queue];
    return list->slot[list->head++ % list->size];
}

static void give_back(struct core *core, unsigned queue, uint16_t slot)
{
    struct slot_list *list = &core->iq.free_slots[queue];
    list->slot[list->tail++ % list->size] = slot;
}

/* Slots freed by issue return together, in the order of the ports. */
void slots_give_back(struct core *core, unsigned queue, unsigned slot)
{
    if (core->iq.issuing == NOT_ISSUING)
        give_back(core, queue, (uint16_t)slot);
    else
        core->iq.freed[core->iq.issuing] =
            (struct freed_slot){true, (uint8_t)queue, (uint16_t)slot};
}

/* Slots freed by a squash return together, the lowest first. */
void slots_squash(struct core *core, unsigned queue, unsigned slot)
{
    core->iq.free_slots[queue].squashed[slot / 64] |= UINT64_C(1) << (slot % 64);
}

void slots_end_of_squash(struct core *core)
{
    for (unsigned queue = 0; queue < core->iq.queue_count; queue++)
        for (unsigned word = 0; word < ISSUE_QUEUE_SIZE_MAX / 64; word++) {
            uint64_t *bits = &core->iq.free_slots[queue].squashed[word];
            for (; *bits != 0; *bits &= *bits - 1)
                give_back(core, queue, (uint16_t)(word * 64 + (unsigned)__builtin_ctzll(*bits)));
        }
}

void slots_end_of_issue(struct core *core)
{
    for (unsigned port = 0; port < ISSUE_PORTS_MAX; port++) {
        if (core->iq.freed[port].is_freed)
            give_back(core, core->iq.freed[port].queue, core->iq.freed[port].slot);
        core->iq.freed[port].is_freed = false;
    }
}

/* Store data have a slot of their own in another queue. */
static uint16_t slot_in(const struct core *core, const struct uop *uop, unsigned queue)
{
    return (core->extras & EXTRA_STORE_UOPS) && queue != uop->queue ? uop->data_slot : uop->slot;
}

uint32_t slots_ports(const struct core *core, const struct uop *uop, unsigned queue,
                     uint32_t ports)
{
    if (core->config->issue_select != SELECT_SLOT_STRIPES || (uop->flags & UOP_REPLAYING))
        return ports;
    uint32_t count = (uint32_t)__builtin_popcount(ports);
    uint32_t slot = slot_in(core, uop, queue);
    for (uint32_t skip = count != 0 ? slot % count : 0; skip != 0; skip--)
        ports &= ports - 1;
    return ports & (0 - ports);
}

/* Fills order[] with the ready instructions of a queue, those of the replay queue first, then by
 * slot; returns how many. */
uint32_t slots_order(const struct core *core, unsigned queue, uint64_t order[ISSUE_QUEUE_SIZE_MAX])
{
    uint64_t at[ISSUE_QUEUE_SIZE_MAX];
    uint64_t used[ISSUE_QUEUE_SIZE_MAX / 64] = {0};
    uint32_t count = 0, first = (uint32_t)(core->commit_seq & core->ring_mask);
    const uint64_t *ready = &core->iq.ready[issue_queue_word(&core->iq, queue, 0)];
    for (uint32_t word = 0; word < core->ring_words; word++)
        for (uint64_t bits = ready[word]; bits != 0; bits &= bits - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t seq = core->commit_seq + ((index - first) & core->ring_mask);
            const struct uop *uop = &core->ring[index];
            if ((uop->flags & UOP_REPLAYING) && queue == uop->queue) {
                order[count++ % ISSUE_QUEUE_SIZE_MAX] = seq;
                continue;
            }
            uint16_t slot = slot_in(core, uop, queue);
            used[slot / 64] |= UINT64_C(1) << (slot % 64);
            at[slot] = seq;
        }
    for (uint32_t word = 0; word < ISSUE_QUEUE_SIZE_MAX / 64; word++)
        for (uint64_t bits = used[word]; bits != 0; bits &= bits - 1)
            order[count++ % ISSUE_QUEUE_SIZE_MAX] =
                at[word * 64 + (uint32_t)__builtin_ctzll(bits)];
    return count < ISSUE_QUEUE_SIZE_MAX ? count : ISSUE_QUEUE_SIZE_MAX;
}
