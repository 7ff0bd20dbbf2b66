/* From the oracle profiles of the harts into one: instructions by address, all harts summed. */
#include <stdlib.h>

#include "pmu/oracle.h"
#include "sim/cli/job.h"

static bool is_used(const struct oracle_insn *insn)
{
    return insn->units != 0 || insn->count != 0;
}

static size_t count_used(const struct oracle *oracle)
{
    size_t count = 0;

    for (const struct oracle_page *page = oracle->all; page != NULL; page = page->next)
        for (unsigned slot = 0; slot < ORACLE_SLOTS; slot++)
            count += is_used(&page->insn[slot]);
    return count;
}

static struct profile_cost cost_of(const struct oracle_page *page, unsigned slot)
{
    const struct oracle_branch *branch = &page->branch[slot];

    return (struct profile_cost){
        .address = page->va + 2 * slot, .is_monitor = page->is_monitor,
        .is_transfer = branch->taken + branch->not_taken != 0, .count = page->insn[slot].count,
        .units = page->insn[slot].units, .taken = branch->taken,
        .mispredicted = branch->mispredicted, .lost = branch->lost,
    };
}

static void add_costs(struct profile *profile, const struct oracle *oracle)
{
    for (const struct oracle_page *page = oracle->all; page != NULL; page = page->next)
        for (unsigned slot = 0; slot < ORACLE_SLOTS; slot++)
            if (is_used(&page->insn[slot]))
                profile->cost[profile->costs++] = cost_of(page, slot);
    profile->outside += oracle_outside(oracle);
}

static int compare_costs(const void *a, const void *b)
{
    const struct profile_cost *x = a, *y = b;

    if (x->is_monitor != y->is_monitor)
        return x->is_monitor ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

/* Of several harts, and of programs with code at one address. */
static void join(struct profile *profile)
{
    struct profile_cost *cost = profile->cost;
    size_t kept = 0;

    for (size_t i = 0; i < profile->costs; i++) {
        if (kept == 0 || compare_costs(&cost[kept - 1], &cost[i]) != 0) {
            cost[kept++] = cost[i];
            continue;
        }
        cost[kept - 1].is_transfer |= cost[i].is_transfer;
        cost[kept - 1].count += cost[i].count;
        cost[kept - 1].units += cost[i].units;
        cost[kept - 1].taken += cost[i].taken;
        cost[kept - 1].mispredicted += cost[i].mispredicted;
        cost[kept - 1].lost += cost[i].lost;
    }
    profile->costs = kept;
}

bool collect_oracle(struct job *job)
{
    const struct machine *machine = &job->machine;
    struct profile *profile = &job->profile;
    size_t count = 0;

    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->core[i] != NULL && core_oracle(machine->core[i]) != NULL) {
            profile->units_per_cycle = ORACLE_UNITS;
            count += count_used(core_oracle(machine->core[i]));
        }
    profile->cost = profile_alloc(profile, count + 1, sizeof profile->cost[0]);
    if (profile->cost == NULL)
        return false;
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->core[i] != NULL && core_oracle(machine->core[i]) != NULL)
            add_costs(profile, core_oracle(machine->core[i]));
    if (profile->costs != 0)
        qsort(profile->cost, profile->costs, sizeof profile->cost[0], compare_costs);
    join(profile);
    return true;
}
