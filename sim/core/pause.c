/* Stops of a debugger, as both engines reach them. */
#include "pmu/sorted.h"
#include "sim/core/pause.h"

uint64_t pause_position(const struct cpu *cpu)
{
    const struct cpu *peer = cpu->peer_count > 1 ? cpu->peers : cpu;
    unsigned peers = cpu->peer_count > 1 ? cpu->peer_count : 1;
    uint64_t position = 0;

    for (unsigned i = 0; i < peers; i++) {
        const uint64_t *events = peer[i].pmu.events;

        position += events[EVENT_INSNS_RETIRED] + events[EVENT_TRAPS] + events[EVENT_INTERRUPTS];
    }
    return position;
}

uint64_t pause_left(const struct cpu *cpu)
{
    uint64_t position;

    if (cpu->pauses->at == UINT64_MAX)
        return UINT64_MAX;
    position = pause_position(cpu);
    return cpu->pauses->at > position ? cpu->pauses->at - position : 1;
}

static bool is_below(const void *stop, const void *pc)
{
    return *(const uint64_t *)stop < *(const uint64_t *)pc;
}

bool pause_has_pc(const struct pauses *pauses, uint64_t pc)
{
    size_t at;

    if ((pauses->filter & pause_bit(pc)) == 0)
        return false;
    at = sorted_place(pauses->pc, pauses->pcs, sizeof pauses->pc[0], is_below, &pc);
    return at < pauses->pcs && pauses->pc[at] == pc;
}

void pause_note(struct cpu *cpu, uint64_t pc)
{
    cpu->pauses->last[cpu->hart.id].pc = pc;
    cpu->pauses->last[cpu->hart.id].insns = cpu->pmu.events[EVENT_INSNS_RETIRED];
}

static bool is_due(const struct cpu *cpu, uint64_t pc)
{
    const struct pauses *pauses = cpu->pauses;
    uint64_t hart = cpu->hart.id;

    if (!pause_is_every(cpu) && !pause_has_pc(pauses, pc) &&
        (pauses->at == UINT64_MAX || pause_position(cpu) < pauses->at))
        return false;
    return pauses->last[hart].pc != pc ||
           pauses->last[hart].insns != cpu->pmu.events[EVENT_INSNS_RETIRED];
}

bool pause_passes(struct cpu *cpu, uint64_t pc)
{
    if (!is_due(cpu, pc))
        return true;
    pause_note(cpu, pc);
    return cpu->pauses->reached(cpu->pauses->arg, cpu, pc);
}
