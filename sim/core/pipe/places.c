/* Places in the issue queues: the cycles in which those of issued or squashed instructions are
 * free.
 *
 * With issue.release_cycles a place is free some cycles after the issue, and those of one cycle
 * become free in the order of the ports. */
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/stage_queue.h"

void places_free_later(struct core *core, const struct released *place)
{
    uint32_t at = core->iq.release_tail++;
    core->iq.leaving[place->queue]++;
    for (; at != core->iq.release_head; at--) {
        const struct released *before = &core->iq.released[(at - 1) % RELEASES_MAX];
        if (before->order < place->order)
            break;
        core->iq.released[at % RELEASES_MAX] = *before;
    }
    core->iq.released[at % RELEASES_MAX] = *place;
}

static void release_later(struct core *core, const struct uop *uop, unsigned queue, unsigned slot)
{
    uint64_t cycle = port_place_until(core, uop) + core_config(core)->issue_release_cycles;
    const struct released place = {
        .order = places_order(cycle, core->iq.issuing),
        .queue = (uint8_t)queue, .slot = (uint16_t)slot,
    };
    places_free_later(core, &place);
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

/* Frees places whose instruction was issued some cycles ago. */
void places_free_due(struct core *core)
{
    for (; core->iq.release_head != core->iq.release_tail; core->iq.release_head++) {
        const struct released *place = &core->iq.released[core->iq.release_head % RELEASES_MAX];
        if (places_next(core) > core->now)
            return;
        core->active = true;
        core->iq.queue_used[place->queue]--;
        core->iq.leaving[place->queue]--;
        if (core_extras(core) & EXTRA_SLOTS)
            slots_give_back(core, place->queue, place->slot);
    }
}
