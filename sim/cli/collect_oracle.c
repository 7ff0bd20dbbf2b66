/* From the oracle profiles of the harts into one: instructions by address, all harts summed. */
#include <stdlib.h>
#include <string.h>

#include "pmu/oracle.h"
#include "sim/cli/collect.h"

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

/* The place in profile->event_name of each event, and of each cause of waiting. */
struct places { size_t of[ORACLE_EVENTS], cause[EVENT_CAUSES]; };

static struct places find_places(const struct profile *profile)
{
    struct places places = {.of = {0}};
    const char *name;

    for (unsigned code = EVENT_NONE; (name = event_next(&code)) != NULL;)
        if (code < ORACLE_EVENTS)
            places.of[code] = profile_event_place(profile, name);
        else if (event_scope(code) == SCOPE_CPI)
            places.cause[code - EVENT_CPI_BASE] = profile_event_place(profile, name);
    return places;
}

static size_t put_events(struct profile_cost_event *event, const uint64_t *count,
                         const size_t *place, size_t counts)
{
    size_t events = 0;

    for (size_t i = 0; i < counts; i++)
        if (count[i] != 0)
            event[events++] = (struct profile_cost_event){place[i], count[i]};
    return events;
}

/* By place. */
static void add_events(struct profile *profile, struct profile_cost *cost, const uint64_t *count,
                       const uint64_t *cause, const struct places *places)
{
    struct profile_cost_event event[ORACLE_EVENTS + EVENT_CAUSES];
    size_t events = put_events(event, count, places->of, ORACLE_EVENTS);

    events += put_events(event + events, cause, places->cause, EVENT_CAUSES);
    if (events == 0)
        return;
    cost->event = profile_alloc(profile, events, sizeof event[0]);
    if (cost->event == NULL)
        return;
    memcpy(cost->event, event, events * sizeof event[0]);
    cost->events = events;
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

static void add_cost(struct profile *profile, const struct oracle_page *page, unsigned slot,
                     const struct places *places)
{
    struct profile_cost *cost = &profile->cost[profile->costs++];

    *cost = cost_of(page, slot);
    add_events(profile, cost, page->event[slot], page->cause[slot].cycles, places);
}

static void add_costs(struct profile *profile, const struct oracle *oracle)
{
    const struct places places = find_places(profile);

    for (const struct oracle_page *page = oracle->all; page != NULL; page = page->next)
        for (unsigned slot = 0; slot < ORACLE_SLOTS; slot++)
            if (is_used(&page->insn[slot]))
                add_cost(profile, page, slot, &places);
    profile->outside += oracle_outside(oracle);
}

static int compare_costs(const void *a, const void *b)
{
    const struct profile_cost *x = a, *y = b;

    if (x->is_monitor != y->is_monitor)
        return x->is_monitor ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

/* Adds the events of `from`; those of both are by place. */
static void join_events(struct profile *profile, struct profile_cost *to,
                        const struct profile_cost *from)
{
    struct profile_cost_event *event = profile_alloc(profile, to->events + from->events + 1,
                                                     sizeof *event);
    size_t a = 0, b = 0, count = 0;

    while (event != NULL && (a < to->events || b < from->events)) {
        bool takes_from = a == to->events || (b < from->events &&
                                              from->event[b].event < to->event[a].event);

        event[count] = takes_from ? from->event[b++] : to->event[a++];
        if (!takes_from && b < from->events && from->event[b].event == event[count].event)
            event[count].count += from->event[b++].count;
        count++;
    }
    to->event = event;
    to->events = count;
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
        if (cost[i].events != 0)
            join_events(profile, &cost[kept - 1], &cost[i]);
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
