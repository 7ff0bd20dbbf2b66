/* Decode: moves instructions, in order, from the instruction buffer into the rename stages. The
 * work itself was done once for each static instruction (predecode.h); this models its width and
 * time. */
#include "sim/core/stage.h"

/* Decoded instructions that fit between decode and dispatch. */
static uint64_t latch_capacity(const struct config *config)
{
    return (uint64_t)config->decode_width * (config->decode_stages + config->rename_stages + 1);
}

/* What fuses must meet in one cycle: then decode waits until a whole group fits. */
static bool group_has_room(const struct core *core)
{
    return (core->extras & EXTRA_FUSION) == 0 ||
           core->decode_seq - core->dispatch_seq + core->config->decode_width <=
               latch_capacity(core->config);
}

void decode_step(struct core *core)
{
    const struct config *config = core->config;
    uint32_t decoded = 0;
    if (!group_has_room(core))
        return;
    while (decoded < config->decode_width && core->decode_seq != core->fetch_seq &&
           core->decode_seq - core->dispatch_seq < latch_capacity(config)) {
        struct uop *uop = core_uop(core, core->decode_seq);
        if (uop->fetch_cycle + config->fetch_stages > core->now)
            break;
        uop->decode_cycle = core->now;
        if ((core->extras & EXTRA_FUSION) && decoded != 0)
            fusion_decode(core, core_uop(core, core->decode_seq - 1), uop);
        core->decode_seq++;
        decoded++;
    }
    if (decoded != 0) {
        core->active = true;
        core->events[EVENT_DECODED] += decoded;
        core->events[EVENT_DECODE_CYCLES]++;
    }
}
