/* Waking the consumers of a result, inline for issue: see wake.c. */
#ifndef SIM_CORE_PIPE_WAKE_H
#define SIM_CORE_PIPE_WAKE_H

#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/wheel.h"

/* Effects of the settings on one consumer; *ready: the cycle in which it becomes ready. False: the
 * consumer does not wait for this operand. */
bool wake_has_extra_effect(struct core *core, const struct uop *uop, struct uop *consumer,
                           unsigned operand, uint64_t *ready, uint64_t bypass);

/* False: there are none for any consumer except a store that waits for its data. */
IN_BOTH bool wake_may_have_extra_effect(const struct core *core, const struct uop *uop,
                                        const uint64_t extras)
{
    return extras != 0 && ((extras & (EXTRA_BYPASS | EXTRA_REPLAY)) != 0 ||
                           !port_wakes_plainly(core, uop));
}
IN_BOTH bool wake_brings_data(const struct uop *consumer, unsigned operand, const uint64_t extras)
{
    return (extras & EXTRA_STORE_DATA) && operand == 1 && consumer->kind == KIND_STORE;
}

/* See wake_publish. */
IN_BOTH void wake_list(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass,
                       const uint64_t extras)
{
    const bool may_differ = wake_may_have_extra_effect(core, uop, extras);
    uint32_t link = uop->dependents;
    uop->dependents = NO_LINK;
    while (link != NO_LINK) {
        uint32_t index = link >> 2, operand = link & 3;
        struct uop *consumer = core_at(core, index);
        link = consumer->link_next[operand];
        consumer->link_producer[operand] = NO_LINK;
        uint64_t ready = cycle;
        if ((may_differ || wake_brings_data(consumer, operand, extras)) &&
            !wake_has_extra_effect(core, uop, consumer, operand, &ready, bypass))
            continue;
        consumer->pending--;
        if (ready > consumer->ready_at)
            consumer->ready_at = ready;
        if (consumer->pending != 0)
            continue;
        if (issue_is_at_once(extras))
            wheel_add_soon(core, consumer, index);
        else
            wheel_add(core, consumer, index, consumer->ready_at);
    }
}

#endif
