/* Merges the call trees of the harts into the profile. */
#include <stdlib.h>

#include "pmu/exact/calls.h"
#include "pmu/exact/oracle.h"
#include "sim/cli/collect/collect.h"
#include "sim/core/profile/observe.h"
#include "sim/run/linux/process.h"

/* ---- the map --------------------------------------------------------------------------------- */

/* Adds routines after the first `count`. Where symbols overlap, the addresses belong to the one
 * that begins later. Returns the new count. */
static size_t add_routines(const struct symbols *symbols, struct calls_routine *routine,
                           size_t count)
{
    const struct symbols_entry *entry;
    size_t entries = symbols_entries(symbols, &entry);

    for (size_t i = 0; i < entries; i++) {
        if (!entry[i].is_function ||
            (count != 0 && routine[count - 1].start == entry[i].address))
            continue;
        if (count != 0 && routine[count - 1].end > entry[i].address)
            routine[count - 1].end = entry[i].address;
        routine[count++] = (struct calls_routine){
            .start = entry[i].address,
            .end = entry[i].address + (entry[i].bytes != 0 ? entry[i].bytes : 2)};
    }
    return count;
}

static int compare_routines(const void *a, const void *b)
{
    const struct calls_routine *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static size_t count_routines(const struct target *target)
{
    const struct symbols_entry *entry;
    size_t most = symbols_entries(target->symbols, &entry) + 1;

    for (size_t i = 0; i < target->modules; i++)
        most += symbols_entries(target->module[i]->symbols, &entry);
    return target->kernel_symbols != NULL
               ? most + symbols_entries(target->kernel_symbols, &entry) : most;
}

/* The routines of the program, of its modules and of the guest kernel, which do not overlap. False:
 * no memory; job->routine is unchanged. */
static bool make_map(struct job *job, struct calls_map *map)
{
    const struct target *target = &job->target;
    struct calls_routine *routine = calloc(count_routines(target), sizeof *routine);
    size_t count;

    if (routine == NULL)
        return false;
    count = add_routines(target->symbols, routine, 0);
    for (size_t i = 0; i < target->modules; i++)
        count += add_routines(target->module[i]->symbols, routine + count, 0);
    if (target->kernel_symbols != NULL)
        count += add_routines(target->kernel_symbols, routine + count, 0);
    qsort(routine, count, sizeof *routine, compare_routines);
    *map = (struct calls_map){.routine = routine, .routines = count};
    return true;
}

bool collect_follow_calls(struct job *job)
{
    struct calls_map map;

    if (!make_map(job, &map))
        return false;
    job->routine = map.routine;
    return machine_track_calls(&job->machine, &map);
}

bool collect_follow_module(struct job *job)
{
    struct calls_map map;

    if (job->routine == NULL)
        return true;
    if (!make_map(job, &map))
        return false;
    for (unsigned i = 0; i < job->machine.harts; i++)
        calls_set_map(job->machine.cpu[i].calls, &map);
    free((void *)(uintptr_t)job->routine);
    job->routine = map.routine;
    return true;
}

/* ---- trees ----------------------------------------------------------------------------------- */

struct merging {
    struct profile *profile;
    size_t *child, *sibling;        /* [calls] of the merged tree */
    size_t *place;                  /* [nodes] index of each node of a hart in the merged tree */
};

static size_t find_child(const struct merging *merging, size_t parent,
                         const struct calls_node *node)
{
    const struct profile_call *call = merging->profile->call;
    size_t at = merging->child[parent];

    while (at != 0 && (call[at].routine != node->routine || call[at].kind != node->kind))
        at = merging->sibling[at];
    return at;
}

static size_t add_child(const struct merging *merging, size_t parent,
                        const struct calls_node *node)
{
    struct profile *profile = merging->profile;
    size_t at = profile->calls++;

    profile->call[at] = (struct profile_call){
        .routine = node->routine, .kind = node->kind, .parent = parent};
    merging->sibling[at] = merging->child[parent];
    merging->child[parent] = at;
    return at;
}

static void name_syscall(const struct job *job, struct profile_call *call)
{
    if (call->kind == CALLS_TRAP && (call->routine >> 56 & 0xf) == IND_KIND_SYSCALL &&
        job->machine.process != NULL)
        call->name = process_syscall_name((uint32_t)call->routine);
}

static void merge_tree(const struct job *job, struct merging *merging, const struct calls *calls)
{
    const struct calls_node *node;
    size_t nodes = calls_nodes(calls, &node);

    merging->place[0] = 0;
    for (size_t i = 1; i < nodes; i++) {
        size_t parent = merging->place[node[i].parent];
        size_t at = find_child(merging, parent, &node[i]);
        struct profile_call *call;

        if (at == 0)
            at = add_child(merging, parent, &node[i]);
        merging->place[i] = at;
        call = &merging->profile->call[at];
        call->calls += node[i].calls;
        call->instructions += node[i].insns;
        call->units += node[i].units;
        name_syscall(job, call);
    }
    merging->profile->cut += calls_cut(calls);
}

static bool merge_trees(struct job *job, size_t most)
{
    struct profile *profile = &job->profile;
    struct merging merging = {
        .profile = profile, .child = calloc(most, sizeof(size_t)),
        .sibling = calloc(most, sizeof(size_t)), .place = calloc(most, sizeof(size_t))};
    bool has_room = merging.child != NULL && merging.sibling != NULL && merging.place != NULL;

    profile->call = profile_alloc(profile, most, sizeof profile->call[0]);
    has_room &= profile->call != NULL;
    profile->calls = has_room ? 1 : 0;
    for (unsigned i = 0; has_room && i < job->machine.harts; i++)
        merge_tree(job, &merging, job->machine.cpu[i].calls);
    free(merging.child);
    free(merging.sibling);
    free(merging.place);
    return has_room;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
    const struct profile_edge *x = a, *y = b;

    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static void join_edges(struct profile *profile)
{
    struct profile_edge *edge = profile->edge;
    size_t kept = 0;

    qsort(edge, profile->edges, sizeof edge[0], compare_edges);
    for (size_t i = 0; i < profile->edges; i++) {
        if (kept == 0 || compare_edges(&edge[kept - 1], &edge[i]) != 0) {
            edge[kept++] = edge[i];
            continue;
        }
        edge[kept - 1].calls += edge[i].calls;
        edge[kept - 1].instructions += edge[i].instructions;
        edge[kept - 1].units += edge[i].units;
    }
    profile->edges = kept;
}

static bool merge_edges(struct job *job, size_t most)
{
    struct profile *profile = &job->profile;

    profile->edge = profile_alloc(profile, most + 1, sizeof profile->edge[0]);
    if (profile->edge == NULL)
        return false;
    for (unsigned i = 0; i < job->machine.harts; i++) {
        const struct calls_edge *edge;
        size_t edges = calls_edges(job->machine.cpu[i].calls, &edge);

        for (size_t k = 0; k < edges; k++)
            profile->edge[profile->edges++] = (struct profile_edge){
                .site = edge[k].site, .routine = edge[k].routine, .kind = edge[k].kind,
                .calls = edge[k].calls,
                .instructions = edge[k].insns + edge[k].open_insns,
                .units = edge[k].units + edge[k].open_units};
    }
    join_edges(profile);
    return true;
}

/* Charges the events after the last committed instruction. */
static void charge_rest(const struct cpu *cpu)
{
    unsigned event = calls_event(cpu->calls);

    if (event != EVENT_NONE && event_scope(event) != SCOPE_INSN)
        calls_charge(cpu->calls, pmu_program_insns(&cpu->pmu) + 1, cpu_key(cpu, cpu->hart.pc),
                     ORACLE_UNITS * calls_happened(cpu->calls, cpu->pmu.events[event]));
}

/* ---- the interface --------------------------------------------------------------------------- */

bool collect_calls(struct job *job)
{
    size_t nodes = 1, edges = 0;

    if (job->machine.cpu[0].calls == NULL)
        return true;
    for (unsigned i = 0; i < job->machine.harts; i++) {
        const struct cpu *cpu = &job->machine.cpu[i];

        charge_rest(cpu);
        calls_update(cpu->calls, cpu_key(cpu, cpu->hart.pc), pmu_program_insns(&cpu->pmu));
    }
    for (unsigned i = 0; i < job->machine.harts; i++) {
        const struct cpu *cpu = &job->machine.cpu[i];
        const struct calls_node *node;
        const struct calls_edge *edge;

        if (calls_is_watched(cpu->calls))
            calls_end_open(cpu->calls);
        nodes += calls_nodes(cpu->calls, &node);
        edges += calls_edges(cpu->calls, &edge);
    }
    return merge_trees(job, nodes) && merge_edges(job, edges);
}
