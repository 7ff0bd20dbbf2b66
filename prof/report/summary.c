/* See summary.h. */
#include "prof/report/summary.h"

#include <string.h>

enum { RATE_EVENTS = 4 };

/* Numerators and denominators are sums of events; 0 (no event) ends each. */
static const struct {
    const char *key, *label;
    unsigned part[RATE_EVENTS + 1], whole[RATE_EVENTS + 1];
} rates[SUMMARY_RATES] = {
    {"mispredicted", "mispredicted", {EVENT_BRANCHES_MISPREDICTED},
     {EVENT_BRANCHES, EVENT_JUMPS, EVENT_CALLS, EVENT_RETURNS}},
    {"l1i_missed", "L1I", {EVENT_L1I_MISS}, {EVENT_L1I_ACCESS}},
    {"l1d_missed", "L1D", {EVENT_L1D_READ_MISS, EVENT_L1D_WRITE_MISS},
     {EVENT_L1D_READ, EVENT_L1D_WRITE}},
    {"l2_missed", "L2", {EVENT_L2_ACCESS_MISS}, {EVENT_L2_ACCESS}},
    {"l3_missed", "L3", {EVENT_L3_ACCESS_MISS}, {EVENT_L3_ACCESS}},
};

static uint64_t sum_of(const uint64_t *events, const unsigned *code)
{
    uint64_t sum = 0;

    for (; *code != EVENT_NONE; code++)
        sum += events[*code];
    return sum;
}

unsigned summary_word(unsigned index)
{
    for (unsigned node = 0; node < TOPDOWN_COUNT; node++)
        if (topdown_row(node).depth == 1 && index-- == 0)
            return node;
    return TOPDOWN_COUNT;
}

double summary_share(const struct summary *summary, unsigned node)
{
    uint64_t all = summary->slots[TOPDOWN_SLOTS];

    return all != 0 ? 100 * (double)summary->slots[node] / (double)all : 0;
}

/* The child with the largest loss; 0, the root, if no child has a loss. */
static unsigned worst_child(const struct summary *summary, unsigned parent)
{
    unsigned worst = TOPDOWN_SLOTS;

    for (unsigned node = 1; node < TOPDOWN_COUNT; node++)
        if (topdown_row(node).parent == parent && node != TOPDOWN_RETIRING &&
            summary->slots[node] > (worst != TOPDOWN_SLOTS ? summary->slots[worst] : 0))
            worst = node;
    return worst;
}

/* Descends as long as one cause makes up half of its parent. */
static void find_path(struct summary *summary)
{
    unsigned node = worst_child(summary, TOPDOWN_SLOTS);

    while (node != TOPDOWN_SLOTS && summary->depth < SUMMARY_PATH) {
        unsigned child = worst_child(summary, node);

        summary->path[summary->depth++] = node;
        node = 2 * summary->slots[child] >= summary->slots[node] ? child : TOPDOWN_SLOTS;
    }
}

/* Cycles of the hart that took longest. */
static uint64_t longest(const struct profile *profile)
{
    uint64_t most = 0;

    for (size_t i = 0; i < profile->harts; i++) {
        uint64_t monitor = profile_hart_event(profile, i, EVENT_CYCLES_MONITOR);
        uint64_t cycles = profile->hart[i].cycles - monitor;

        most = cycles > most ? cycles : most;
    }
    return most;
}

bool summary_has_event(const struct profile *profile, const char *name)
{
    return profile_event_place(profile, name) < profile->events;
}

bool summary_is_timed(const struct profile *profile)
{
    return summary_has_event(profile, event_name(EVENT_DISPATCHED));
}

/* True for a hart that slept all the time, but not if it was stopped at its first instruction. */
static bool was_idle(const struct profile *profile, const struct profile_hart *hart)
{
    size_t idle = profile_event_place(profile, event_name(EVENT_CYCLES_IDLE));

    return hart->instructions == 0 && idle != profile->events && hart->event[idle] == hart->cycles;
}

/* Removes harts that executed nothing, like all but the first of a program that the host serves:
 * they are not part of the program's slots. */
static void leave_out_idle(const struct profile *profile, uint64_t events[PROFILE_CODES])
{
    for (size_t i = 0; i < profile->harts; i++)
        if (was_idle(profile, &profile->hart[i]))
            profile_add_events(profile, profile->hart[i].event, true, events);
}

void summary_make(struct summary *summary, const struct profile *profile)
{
    uint64_t all[PROFILE_CODES], events[PROFILE_CODES], slots[TOPDOWN_COUNT];

    profile_events(profile, all);
    profile_program_events(profile, events);
    *summary = (struct summary){
        .has_time = summary_is_timed(profile) && profile->cycles != 0,
        .cycles = longest(profile),
        .instructions = profile->instructions - all[EVENT_INSNS_MONITOR],
        .monitor_instructions = all[EVENT_INSNS_MONITOR],
        .monitor_cycles = all[EVENT_CYCLES_MONITOR], .all_cycles = all[EVENT_CYCLES],
        .order_violations = events[EVENT_ORDER_VIOLATIONS],
    };
    if (summary->cycles != 0)
        summary->ipc = (double)summary->instructions / (double)summary->cycles;
    leave_out_idle(profile, all);
    leave_out_idle(profile, events);
    topdown_sum(all, slots);
    topdown_sum(events, summary->slots);
    summary->monitor_slots = slots[TOPDOWN_SLOTS] - summary->slots[TOPDOWN_SLOTS];
    for (unsigned i = 0; i < SUMMARY_RATES; i++)
        summary->rate[i] = (struct summary_rate){
            rates[i].key, rates[i].label, sum_of(events, rates[i].part),
            sum_of(events, rates[i].whole),
        };
    find_path(summary);
}
