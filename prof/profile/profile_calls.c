/* The exact call tree as members of a profile's JSON, written and read. */
#include "pmu/exact/calls.h"
#include "prof/profile/profile_reading.h"
#include "prof/profile/profile_write.h"

static cJSON *object_of(uint64_t routine, unsigned kind, uint64_t calls, uint64_t instructions,
                        uint64_t units)
{
    cJSON *object = cJSON_CreateObject();

    json_address(object, "routine", routine);
    json_number(object, "by", kind);
    json_number(object, "calls", calls);
    json_number(object, "instructions", instructions);
    json_number(object, "cycle_units", units);
    return object;
}

void profile_write_calls(cJSON *root, const struct profile *profile)
{
    cJSON *tree, *nodes, *edges;

    if (profile->calls == 0)
        return;
    tree = cJSON_AddObjectToObject(root, "call_tree");
    json_number(tree, "cut", profile->cut);
    nodes = cJSON_AddArrayToObject(tree, "nodes");
    for (size_t i = 1; i < profile->calls; i++) {
        const struct profile_call *call = &profile->call[i];
        cJSON *object = object_of(call->routine, call->kind, call->calls, call->instructions,
                                  call->units);

        json_number(object, "parent", call->parent);
        if (call->name != NULL)
            cJSON_AddStringToObject(object, "name", call->name);
        cJSON_AddItemToArray(nodes, object);
    }
    edges = cJSON_AddArrayToObject(tree, "edges");
    for (size_t i = 0; i < profile->edges; i++) {
        const struct profile_edge *edge = &profile->edge[i];
        cJSON *object = object_of(edge->routine, edge->kind, edge->calls, edge->instructions,
                                  edge->units);

        json_address(object, "site", edge->site);
        cJSON_AddItemToArray(edges, object);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_node(struct profile_reading *reading, const cJSON *json)
{
    struct json_reader *reader = &reading->json;
    struct profile *profile = reading->profile;
    struct profile_call *call = &profile->call[profile->calls];

    call->routine = json_get_address(reader, json, "routine");
    call->kind = (unsigned)json_get_number(reader, json, "by");
    call->calls = json_get_number(reader, json, "calls");
    call->instructions = json_get_number(reader, json, "instructions");
    call->units = json_get_number(reader, json, "cycle_units");
    call->parent = json_get_number(reader, json, "parent");
    if (json_has(json, "name"))
        call->name = profile_reading_text(reading, json, "name");
    if (reader->err == ERR_OK && call->parent >= profile->calls)
        json_fail(reader, "parent", "the number of an earlier node");
    profile->calls++;
}

static void read_edge(struct profile_reading *reading, const cJSON *json, void *element)
{
    struct json_reader *reader = &reading->json;
    struct profile_edge *edge = element;

    edge->site = json_get_address(reader, json, "site");
    edge->routine = json_get_address(reader, json, "routine");
    edge->kind = (unsigned)json_get_number(reader, json, "by");
    edge->calls = json_get_number(reader, json, "calls");
    edge->instructions = json_get_number(reader, json, "instructions");
    edge->units = json_get_number(reader, json, "cycle_units");
}

void profile_read_calls(struct profile_reading *reading, const cJSON *root)
{
    struct profile *profile = reading->profile;
    const cJSON *tree, *node, *nodes;
    size_t count;

    if (!json_has(root, "call_tree"))
        return;
    tree = json_get_object(&reading->json, root, "call_tree");
    profile->cut = json_get_number(&reading->json, tree, "cut");
    nodes = json_get_array(&reading->json, tree, "nodes", &count);
    profile->call = profile_reading_alloc(reading, count + 1, sizeof profile->call[0]);
    profile->calls = 1;
    cJSON_ArrayForEach(node, nodes) {
        if (profile_reading_is_good(reading))
            read_node(reading, node);
    }
    profile->edge = profile_reading_array(reading, tree, "edges", sizeof profile->edge[0],
                                          read_edge, &profile->edges);
}
