/* Wake-up: an instruction tells those that wait for its result when they can use it. What is ready
 * then goes to the event wheel. */
#include "sim/core/pipe/back_port.h"
#include "sim/core/pipe/stage.h"
#include "sim/core/pipe/wheel.h"

static bool is_simple(const struct uop *uop)
{
    return uop->unit_class == CLASS_ALU || uop->unit_class == CLASS_SHIFT;
}

/* What the settings change about one consumer; *ready: when it becomes ready. False: it does not
 * wait for this operand. */
static bool has_extra_effect(struct core *core, const struct uop *uop, struct uop *consumer,
                             unsigned operand, uint64_t *ready, uint64_t bypass)
{
    if (!port_wakes(core, uop, consumer, operand, ready))
        return false;
    bool is_data = operand == 1 && consumer->kind == KIND_STORE;
    if ((core_extras(core) & EXTRA_STORE_DATA) && is_data) {
        if (core_extras(core) & EXTRA_STORE_UOPS)
            store_data_operand(core, consumer, *ready);
        else
            store_data_come(core, consumer, *ready);
        return false;
    }
    if ((core_extras(core) & EXTRA_ADDEND) && *ready == uop->complete_cycle)
        *ready = rename_addend(core, uop, consumer, operand);
    if ((core_extras(core) & EXTRA_BYPASS) && bypass < *ready && is_simple(consumer))
        *ready = consumer->bypass_cycle = bypass;
    if (core_extras(core) & EXTRA_REPLAY) {
        if (*ready > consumer->true_ready)
            consumer->true_ready = *ready;
        if (*ready == uop->complete_cycle)
            *ready = rename_expected(core, uop);
    }
    return true;
}

IN_BOTH void publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass,
                     const uint64_t extras)
{
    uint16_t link = uop->dependents;
    uop->dependents = NO_LINK;
    while (link != NO_LINK) {
        uint32_t index = link >> 2;
        struct uop *consumer = &core->ring[index];
        unsigned operand = link & 3;
        link = consumer->link_next[operand];
        consumer->linked &= (uint8_t)~(1u << operand);
        uint64_t ready = cycle;
        if (extras != 0 && !has_extra_effect(core, uop, consumer, operand, &ready, bypass))
            continue;
        consumer->pending--;
        if (ready > consumer->ready_at)
            consumer->ready_at = ready;
        if (consumer->pending == 0)
            wheel_add(core, consumer, index, consumer->ready_at);
    }
}

APART void publish_with_extras(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
{
    publish(core, uop, cycle, bypass, core_extras(core));
}

void wake_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
{
    if (core_is_plain(core))
        publish(core, uop, cycle, bypass, 0);
    else
        publish_with_extras(core, uop, cycle, bypass);
}
