/* Merges the oracle profiles of the harts: instructions by thread and address, all harts summed. */
#include <string.h>

#include "pmu/exact/oracle.h"
#include "sim/cli/collect/collect.h"

_Static_assert(ORACLE_OTHERS == PROFILE_OTHER_THREADS, "one number");

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

/* The index in profile->event_name of each event, and of each cause of waiting. */
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

/* Adds events in order of their index. */
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
        .address = page->key + 2 * slot, .thread = page->thread,
        .is_monitor = page->is_monitor,
        .is_transfer = branch->taken + branch->not_taken != 0, .count = page->insn[slot].count,
        .units = page->insn[slot].units, .taken = branch->taken,
        .mispredicted = branch->mispredicted, .lost = branch->lost,
    };
}

static void add_cost(struct profile *profile, const struct oracle_page *page, unsigned slot,
                     const struct places *places)
{
    struct profile_cost *cost = &profile->thread_cost[profile->thread_costs++];

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
    profile->thread_cost = profile_alloc(profile, count + 1, sizeof profile->thread_cost[0]);
    if (profile->thread_cost == NULL)
        return false;
    for (unsigned i = 0; i < machine->harts; i++)
        if (machine->core[i] != NULL && core_oracle(machine->core[i]) != NULL)
            add_costs(profile, core_oracle(machine->core[i]));
    return profile_sum_costs(profile);
}
