/* Decode: moves instructions, in order, from the instruction buffer into the rename stages. The
 * work itself was done once for each static instruction (predecode.h); this models its width and
 * time. */
#include "sim/core/stage.h"

/* Decoded instructions that fit between decode and dispatch. */
static uint64_t latch_capacity(const struct config *config)
{
    return (uint64_t)config->decode_width * (config->decode_stages + config->rename_stages + 1);
}

void decode_step(struct core *core)
{
    const struct config *config = core->config;
    uint32_t decoded = 0;
    while (decoded < config->decode_width && core->decode_seq != core->fetch_seq &&
           core->decode_seq - core->dispatch_seq < latch_capacity(config)) {
        struct uop *uop = core_uop(core, core->decode_seq);
        if (uop->fetch_cycle + config->fetch_stages > core->now)
            break;
        uop->decode_cycle = core->now;
        core->decode_seq++;
        decoded++;
    }
    if (decoded != 0) {
        core->active = true;
        core->events[EVENT_DECODED] += decoded;
        core->events[EVENT_DECODE_CYCLES]++;
    }
}
