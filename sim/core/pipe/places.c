/* Places in the issue queues: the cycles in which the places of issued or squashed instructions
 * become free.
 *
 * With issue.release_cycles a place becomes free some cycles after issue. With slots, the places of
 * one cycle become free in the order of the ports, kept in a list. Without slots all places are
 * alike, and it is enough to count them for each of the next cycles. */
#include <string.h>

#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/stage_queue.h"

void places_free_later(struct core *core, const struct released *place)
{
    uint32_t at = core->iq.release_tail++;
    if (places_count_leaving(core))
        core->iq.leaving[place->queue]++;
    for (; at != core->iq.release_head; at--) {
        const struct released *before = &core->iq.released[(at - 1) % RELEASES_MAX];
        if (before->order < place->order)
            break;
        core->iq.released[at % RELEASES_MAX] = *before;
    }
    core->iq.released[at % RELEASES_MAX] = *place;
}

/* The place is not the only one of its cycle and port, or becomes free in a cycle too far away. Of
 * the places of one cycle and port, the one that left last comes first. */
void places_free_otherwise(struct core *core, struct freed_slot place, uint64_t cycle)
{
    unsigned port = core->iq.issuing;
    struct freed_slot other = place;
    if (cycle - core->now - 1 < RELEASE_CYCLES - 1 && port < ISSUE_PORTS_MAX) {
        other = core->iq.release_slot[cycle % RELEASE_CYCLES][port];
        core->iq.release_slot[cycle % RELEASE_CYCLES][port] = place;
        if (places_count_leaving(core)) {
            core->iq.leaving[place.queue]++;
            core->iq.leaving[other.queue]--;
        }
    }
    const struct released listed = {
        .order = places_order(cycle, port), .queue = other.queue, .slot = other.slot,
    };
    places_free_later(core, &listed);
}

static void release_later(struct core *core, const struct uop *uop, unsigned queue, unsigned slot)
{
    uint64_t cycle = port_place_until(core, uop) + core_config(core)->issue_release_cycles;
    const struct freed_slot place = {(uint8_t)queue, (uint16_t)slot};
    if ((core_extras(core) & EXTRA_SLOTS) && core->iq.issuing < ISSUE_PORTS_MAX)
        places_free_slot_at(core, place, core->iq.issuing, cycle);
    else if (core_extras(core) & EXTRA_SLOTS)
        places_free_otherwise(core, place, cycle);
    else
        places_free_at(core, queue, cycle);
}

void places_leave_at(struct core *core, const struct uop *uop, unsigned queue, unsigned slot)
{
    if ((core_extras(core) & EXTRA_RELEASE) && core->iq.issuing != NOT_ISSUING) {
        release_later(core, uop, queue, slot);
        return;
    }
    if ((core_extras(core) & EXTRA_RELEASE) && (core_extras(core) & EXTRA_SLOTS)) {
        slots_squash(core, queue, slot);
        return;
    }
    core->iq.queue_used[queue]--;
    if (core_extras(core) & EXTRA_SLOTS) {
        if (core->iq.issuing == NOT_ISSUING)
            slots_squash(core, queue, slot);
        else
            slots_give_back(core, queue, slot);
    }
}

void places_leave(struct core *core, struct uop *uop)
{
    if (uop->flags & UOP_REPLAYING)
        core->iq.replaying--;
    else if ((core_extras(core) & EXTRA_STORE_UOPS) == 0 || !store_data_keeps_entry(uop))
        places_leave_at(core, uop, uop->queue, uop->slot);
}

/* Few instructions check whether a queue is empty, and not for all queues. */
void places_begin_cycle(struct core *core)
{
    struct issue_queues *iq = &core->iq;
    uint32_t count = core_shape(core)->queue_count;
    memcpy(iq->began_used, iq->queue_used, count * sizeof iq->began_used[0]);
    memcpy(iq->began_leaving, iq->leaving, count * sizeof iq->began_leaving[0]);
    iq->unentered = UINT32_MAX;
}

/* ---- the cycle comes ------------------------------------------------------------------------- */

static void free_place(struct core *core, unsigned queue, unsigned slot)
{
    core->iq.queue_used[queue]--;
    if (places_count_leaving(core))
        core->iq.leaving[queue]--;
    slots_return(core, queue, slot);
}

/* Frees the places in the list that come before `order`. */
static void free_listed(struct core *core, uint64_t order)
{
    for (; core->iq.release_head != core->iq.release_tail; core->iq.release_head++) {
        const struct released *place = &core->iq.released[core->iq.release_head % RELEASES_MAX];
        if (place->order >= order)
            return;
        core->active = true;
        free_place(core, place->queue, place->slot);
    }
}

/* The ports that took instructions whose places become free in that cycle, which has come. */
static inline uint32_t take_ports(struct core *core, unsigned at)
{
    uint32_t ports = core->iq.release_ports[at];
    core->iq.release_cycles &= ~(1u << at);
    core->iq.release_ports[at] = 0;
    core->active |= ports != 0;
    return ports;
}

/* Frees the places of that cycle, and older ones of the list. */
APART void free_slots_and_listed(struct core *core, uint64_t cycle)
{
    unsigned at = (unsigned)(cycle % RELEASE_CYCLES);
    for (uint32_t ports = take_ports(core, at); ports != 0; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        const struct freed_slot place = core->iq.release_slot[at][port];
        free_listed(core, places_order(cycle, port));
        free_place(core, place.queue, place.slot);
    }
    free_listed(core, places_order(cycle + 1, 0));
}

/* The queue; in an instance of a machine with a single queue, a constant. */
static inline unsigned queue_of(const struct core *core, unsigned queue)
{
    return core_shape(core)->queue_count == 1 ? 0 : queue;
}

/* Frees the places of that cycle. The list is seldom of any length. */
static inline void free_slots(struct core *core, uint64_t cycle)
{
    unsigned at = (unsigned)(cycle % RELEASE_CYCLES);
    if (core->iq.release_head != core->iq.release_tail) {
        free_slots_and_listed(core, cycle);
        return;
    }
    if (core->iq.release_ports[at] == 0)
        return;
    uint32_t ports = take_ports(core, at);
    const struct freed_slot *places = core->iq.release_slot[at];
    do {
        const struct freed_slot *place = &places[__builtin_ctz(ports)];
        free_place(core, queue_of(core, place->queue), place->slot);
        ports &= ports - 1;
    } while (ports != 0);
}

/* Frees the places counted for one cycle. */
static void free_counted(struct core *core, unsigned at)
{
    struct releases *releases = &core->iq.releases[at];
    for (uint32_t queues = releases->queues; queues != 0; queues &= queues - 1) {
        unsigned queue = (unsigned)__builtin_ctz(queues);
        core->iq.queue_used[queue] -= releases->count[queue];
        core->iq.leaving[queue] = (uint8_t)(core->iq.leaving[queue] - releases->count[queue]);
        releases->count[queue] = 0;
    }
    releases->queues = 0;
    core->iq.release_cycles &= ~(1u << at);
    core->active = true;
}

void places_free_due(struct core *core)
{
    unsigned now = (unsigned)(core->now % RELEASE_CYCLES);
    if (core_extras(core) & EXTRA_SLOTS) {
        free_slots(core, core->now);
    } else if (core->iq.release_cycles >> now & 1) {
        free_counted(core, now);
    }
}

void places_pass(struct core *core, uint64_t cycles)
{
    for (uint64_t n = 0; n < RELEASE_CYCLES && n < cycles && core->iq.release_cycles != 0; n++) {
        unsigned at = (unsigned)((core->now + n) % RELEASE_CYCLES);
        if ((core->iq.release_cycles >> at & 1) == 0)
            continue;
        if (core_extras(core) & EXTRA_SLOTS)
            free_slots(core, core->now + n);
        else
            free_counted(core, at);
    }
}

uint64_t places_next(const struct core *core)
{
    unsigned now = (unsigned)(core->now % RELEASE_CYCLES);
    uint32_t from_now = core->iq.release_cycles >> now |
                        core->iq.release_cycles << (RELEASE_CYCLES - now);
    uint64_t next = from_now == 0 ? NEVER : core->now + (unsigned)__builtin_ctz(from_now);
    if (core->iq.release_head == core->iq.release_tail)
        return next;
    return earlier(next, core->iq.released[core->iq.release_head % RELEASES_MAX].order >> 8);
}

/* With slots: forgets all places noted, as all are free. */
void places_forget(struct core *core)
{
    core->iq.release_head = core->iq.release_tail;
    core->iq.release_cycles = 0;
    for (unsigned at = 0; at < RELEASE_CYCLES; at++)
        core->iq.release_ports[at] = 0;
}
