/* Wake-up: an instruction announces the cycle of its result to those that wait for it. Those that
 * become ready go to the event wheel. */
#include "sim/core/pipe/issue_port.h"
#include "sim/core/pipe/wake.h"
#include "sim/core/pipe/stage_back.h"
#include "sim/core/pipe/stage_queue.h"

static bool is_simple(const struct uop *uop)
{
    return uop->unit_class == CLASS_ALU || uop->unit_class == CLASS_SHIFT;
}

bool wake_has_extra_effect(struct core *core, const struct uop *uop, struct uop *consumer,
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
    if ((core_extras(core) & EXTRA_MODEL) && *ready == uop->complete_cycle)
        *ready = port_operand_ready(core, uop, consumer, operand);
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

void wake_publish(struct core *core, struct uop *uop, uint64_t cycle, uint64_t bypass)
{
    wake_list(core, uop, cycle, bypass, core_extras(core));
}
