/* Nodes and edges of the call tree; see calls.h. */
#include <stdlib.h>
#include <string.h>

#include "pmu/exact/calls_internal.h"

/* Makes room for one more of `count` elements. False: no memory. */
static bool has_room(void **all, size_t count, size_t *capacity, size_t bytes)
{
    size_t larger = *capacity * 2 + 256;
    void *grown;

    if (count < *capacity)
        return true;
    grown = realloc(*all, larger * bytes);
    if (grown == NULL)
        return false;
    *all = grown;
    *capacity = larger;
    return true;
}

static uint32_t new_node(struct calls *calls, uint32_t parent, uint64_t routine,
                         enum calls_kind kind)
{
    void *all = calls->node;
    bool has = calls->nodes < CALLS_NODES &&
               has_room(&all, calls->nodes, &calls->node_capacity, sizeof calls->node[0]);

    calls->node = all;
    if (!has) {
        calls->cut++;
        return parent;
    }
    calls->node[calls->nodes] = (struct calls_node){
        .routine = routine, .parent = parent, .kind = (uint8_t)kind,
        .sibling = calls->node[parent].child};
    calls->node[parent].child = (uint32_t)calls->nodes;
    return (uint32_t)calls->nodes++;
}

static bool is_node(const struct calls_node *node, uint64_t routine, enum calls_kind kind)
{
    return node->routine == routine && node->kind == kind;
}

/* A found node moves to the front of the list, as calls repeat. */
uint32_t calls_child(struct calls *calls, uint32_t parent, uint64_t routine, enum calls_kind kind)
{
    struct calls_node *node = calls->node;
    uint32_t at = node[parent].child, before = 0;

    while (at != 0 && !is_node(&node[at], routine, kind)) {
        before = at;
        at = node[at].sibling;
    }
    if (at == 0)
        return new_node(calls, parent, routine, kind);
    if (before != 0) {
        node[before].sibling = node[at].sibling;
        node[at].sibling = node[parent].child;
        node[parent].child = at;
    }
    return at;
}

static uint32_t hash_of(uint64_t site, uint64_t routine, enum calls_kind kind)
{
    uint64_t hash = (site * UINT64_C(0x9e3779b97f4a7c15)) ^ (routine + (uint64_t)kind) *
                    UINT64_C(0xc2b2ae3d27d4eb4f);

    return (uint32_t)(hash >> 40) % CALLS_HASH;
}

uint32_t calls_edge_of(struct calls *calls, uint64_t site, uint64_t routine, enum calls_kind kind)
{
    uint32_t *first = &calls->hash[hash_of(site, routine, kind)];
    void *all = calls->edge;

    for (uint32_t at = *first; at != 0; at = calls->edge[at - 1].next) {
        const struct calls_edge *edge = &calls->edge[at - 1];

        if (edge->site == site && edge->routine == routine && edge->kind == kind)
            return at - 1;
    }
    if (!has_room(&all, calls->edges, &calls->edge_capacity, sizeof calls->edge[0]))
        return CALLS_NONE;
    calls->edge = all;
    calls->edge[calls->edges] = (struct calls_edge){
        .site = site, .routine = routine, .kind = (uint8_t)kind, .next = *first};
    *first = (uint32_t)++calls->edges;
    return *first - 1;
}
