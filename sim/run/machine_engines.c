/* The engines of a machine: makes them when they are first needed, and hands the architectural
 * state from one to another. */
#include "sim/run/machine_internal.h"

static bool make_core(struct machine *machine, unsigned hart)
{
    if (machine->core[hart] == NULL)
        machine->core[hart] = core_new(&machine->cpu[hart], machine->memshared);
    if (machine->core[hart] != NULL && hart != 0)
        core_share_code(machine->core[hart], machine->core[0]);
    return machine->core[hart] != NULL;
}

/* Warming runs the fast engine, on the core's caches, TLBs and predictors. */
bool machine_make_engine(struct machine *machine, unsigned hart)
{
    bool is_warm = machine->engine == ENGINE_WARM;

    if (machine->engine == ENGINE_DETAILED)
        return make_core(machine, hart);
    if (is_warm && !make_core(machine, hart))
        return false;
    if (machine->fast[hart] == NULL)
        machine->fast[hart] = fast_new(&machine->cpu[hart]);
    if (machine->fast[hart] == NULL)
        return false;
    fast_set_warming(machine->fast[hart], is_warm ? machine->core[hart] : NULL);
    fast_count_events(machine->fast[hart], machine->counts);
    fast_set_peers(machine->fast[hart], machine->fast, machine->harts);
    fast_leave_stale(machine->fast[hart], machine->core[hart] != NULL);
    return true;
}

void machine_changed(struct machine *machine)
{
    for (unsigned i = 0; i < machine->harts; i++) {
        if (machine->core[i] != NULL && machine->running == ENGINE_DETAILED)
            core_restart(machine->core[i]);
        if (machine->fast[i] != NULL)
            fast_flush(machine->fast[i]);
    }
}

bool machine_select_engine(struct machine *machine)
{
    bool is_new = machine->running != machine->engine;

    for (unsigned i = 0; i < machine->harts; i++) {
        if (is_new && machine->running == ENGINE_DETAILED && machine->core[i] != NULL)
            core_settle(machine->core[i]);
        if (!machine_make_engine(machine, i))
            return false;
    }
    machine->running = machine->engine;
    machine->was_detailed |= machine->engine == ENGINE_DETAILED;
    if (is_new)
        machine_changed(machine);
    for (unsigned i = 0; machine->engine == ENGINE_WARM && i < machine->harts; i++)
        core_warm_begin(machine->core[i]);
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->fast[i] != NULL)
            fast_translation_changed(machine->fast[i]);
    return true;
}

bool machine_stop_at(struct machine *machine, uint64_t pc)
{
    bool is_ready = machine_make_engine(machine, 0);

    if (machine->core[0] != NULL)
        core_stop_at(machine->core[0], pc);
    if (machine->fast[0] != NULL)
        fast_stop_at(machine->fast[0], pc);
    return is_ready;
}
