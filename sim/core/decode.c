/* Decode: moves instructions, in order, from the instruction buffer into the rename stages. The
 * work itself was done once for each static instruction (predecode.h); this models its width and
 * time. */
#include "sim/base/cycle.h"
#include "sim/core/stage.h"

/* How many it may take. What fuses must meet in one cycle, and so must what is to be one row of the
 * reorder buffer: then decode waits until a whole group fits. */
static uint64_t group_size(const struct core *core)
{
    uint64_t width = core->config->decode_width;
    uint64_t room = core->decode_room - (core->decode_seq - core->dispatch_seq);
    if (room < width && (core->extras & (EXTRA_FUSION | EXTRA_COMMIT_ROWS)))
        return 0;
    return earlier(earlier(width, room), core->fetch_seq - core->decode_seq);
}

void decode_step(struct core *core)
{
    uint64_t first = core->decode_seq, end = first + group_size(core), seq = first;
    uint64_t stages = core->config->fetch_stages, now = core->now;
    for (; seq != end; seq++) {
        struct uop *uop = core_uop(core, seq);
        if (uop->fetch_cycle + stages > now)
            break;
        uop->decode_cycle = now;
        if ((core->extras & EXTRA_FUSION) && seq != first)
            fusion_decode(core, core_uop(core, seq - 1), uop);
    }
    if (seq == first)
        return;
    core->decode_seq = seq;
    core->active = true;
    core->events[EVENT_DECODED] += seq - first;
    core->events[EVENT_DECODE_CYCLES]++;
}
