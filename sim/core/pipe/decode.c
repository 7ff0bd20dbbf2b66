/* Decode: moves instructions, in order, from the instruction buffer into the rename stages.
 * Decoding itself was done once for each static instruction (predecode.h); this file models its
 * width and time. */
#include "pmu/event.h"
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/stage_back.h"

/* The number of instructions that decode may take. Instructions that fuse must be decoded in the
 * same cycle, and so must those of one row of the reorder buffer; in these machines decode waits
 * until a whole group fits. */
IN_BOTH uint64_t group_size(const struct core *core, const uint64_t extras)
{
    uint64_t width = core_config(core)->decode_width;
    if (extras & EXTRA_GROUPS)
        return port_takes_group(core) ? earlier(width, core->fetch_seq - core->decode_seq) : 0;
    uint64_t room = core->decode_room - (core->decode_seq - core->dispatch_seq);
    if (room < width && (extras & (EXTRA_FUSION | EXTRA_COMMIT_ROWS)))
        return 0;
    return earlier(earlier(width, room), core->fetch_seq - core->decode_seq);
}

IN_BOTH void decode_some(struct core *core, const uint64_t extras)
{
    uint64_t now = core->now, stages = core_config(core)->fetch_stages;
    uint64_t first = core->decode_seq, seq = first;
    struct uop *uop = core_uop(core, seq);
    if (!cycle_has_come(uop->fetch_cycle, now, stages))
        return;
    uint64_t size = group_size(core, extras), end = first + size;
    if (extras != 0 && size == 0)       /* else there is room: decode_has_work */
        return;
    do {
        uop->decode_cycle = now;
        if ((extras & EXTRA_FUSION) && seq != first)
            fusion_decode(core, core_uop(core, seq - 1), uop);
    } while (++seq != end && cycle_has_come((uop = core_uop(core, seq))->fetch_cycle, now, stages));
    core->decode_seq = seq;
    port_decoded(core, first);
    core->active = true;
    core->events[EVENT_DECODED] += seq - first;
    core->events[EVENT_DECODE_CYCLES]++;
}

APART void decode_with_extras(struct core *core)
{
    decode_some(core, core_extras(core));
}

void decode_step(struct core *core)
{
    const uint64_t own = EXTRA_FUSION | EXTRA_COMMIT_ROWS | EXTRA_GROUPS;
    if (core_always_has(core, own))
        decode_some(core, core_extras(core));
    else if (core_extras(core) & own)
        decode_with_extras(core);
    else
        decode_some(core, 0);
}
