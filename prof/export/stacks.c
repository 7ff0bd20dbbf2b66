/* See stacks.h. */
#include "prof/export/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "prof/calls/callgraph.h"
#include "sim/base/array.h"

struct maker {
    struct stacks *stacks;
    const struct profile *profile;
    const struct symbols *symbols;
    uint32_t *slot;                 /* hash table of function + 1, by routine */
    size_t slots;
    uint64_t units;                 /* sum of the nodes up to now */
    struct diag *diag;
};

/* ---- functions ------------------------------------------------------------------------------- */

static size_t slot_of(const struct maker *maker, uint64_t routine)
{
    size_t at = (routine * 0x9e3779b97f4a7c15 >> 20) & (maker->slots - 1);

    while (maker->slot[at] != 0 &&
           maker->stacks->function[maker->slot[at] - 1].routine != routine)
        at = (at + 1) & (maker->slots - 1);
    return at;
}

static enum err widen(struct maker *maker)
{
    size_t slots = maker->slots == 0 ? 256 : 2 * maker->slots;
    uint32_t *slot = calloc(slots, sizeof *slot);

    if (slot == NULL)
        return diag_no_memory(maker->diag, "functions");
    free(maker->slot);
    maker->slot = slot;
    maker->slots = slots;
    for (size_t i = 0; i < maker->stacks->functions; i++)
        slot[slot_of(maker, maker->stacks->function[i].routine)] = (uint32_t)i + 1;
    return ERR_OK;
}

static enum err add_function(struct maker *maker, uint64_t routine)
{
    struct stacks *stacks = maker->stacks;
    const struct symbols_line *line = symbols_line_at(maker->symbols, routine);
    char text[SYMBOLS_TEXT];
    struct stacks_function *function = array_grow(stacks->function, stacks->functions,
                                                  sizeof *function);

    if (function == NULL)
        return diag_no_memory(maker->diag, "functions");
    stacks->function = function;
    function[stacks->functions] = (struct stacks_function){
        .routine = routine, .name = strdup(callgraph_name(maker->profile, maker->symbols,
                                                          routine, text)),
        .file = line != NULL ? line->file : "", .line = line != NULL ? line->line : 0,
    };
    if (function[stacks->functions].name == NULL)
        return diag_no_memory(maker->diag, "functions");
    stacks->functions++;
    return ERR_OK;
}

static enum err function_of(struct maker *maker, uint64_t routine, uint32_t *function)
{
    enum err err = ERR_OK;
    size_t at;

    if (2 * maker->stacks->functions >= maker->slots)
        err = widen(maker);
    if (err != ERR_OK)
        return err;
    at = slot_of(maker, routine);
    if (maker->slot[at] == 0) {
        err = add_function(maker, routine);
        maker->slot[at] = (uint32_t)maker->stacks->functions;
    }
    *function = maker->slot[at] - 1;
    return err;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The frame of a routine called by frame `caller`; *frame is its number. */
static enum err add_frame(struct maker *maker, uint64_t routine, uint64_t address, uint32_t caller,
                          uint32_t *number)
{
    struct stacks *stacks = maker->stacks;
    struct stacks_frame *frame = array_grow(stacks->frame, stacks->frames, sizeof *frame);

    if (frame == NULL)
        return diag_no_memory(maker->diag, "stacks");
    stacks->frame = frame;
    frame[stacks->frames].address = address;
    frame[stacks->frames].caller = caller;
    *number = (uint32_t)stacks->frames + 1;
    return function_of(maker, routine, &frame[stacks->frames++].function);
}

static enum err add_sample(struct maker *maker, uint32_t leaf, const uint64_t value[STACKS_VALUES])
{
    struct stacks *stacks = maker->stacks;
    struct stacks_sample *sample = array_grow(stacks->sample, stacks->samples, sizeof *sample);

    if (sample == NULL)
        return diag_no_memory(maker->diag, "stacks");
    stacks->sample = sample;
    sample[stacks->samples].leaf = leaf;
    memcpy(sample[stacks->samples++].value, value, STACKS_VALUES * sizeof *value);
    return ERR_OK;
}

/* ---- stacks of interrupts -------------------------------------------------------------------- */

/* The number of events that a sample stands for; 0: interrupts of marks. */
static uint64_t period_of(const struct profile *profile)
{
    return profile->sampling != NULL ? profile->sampling->period : 0;
}

static enum err add_path(struct maker *maker, const struct callgraph_path *path)
{
    const struct profile_record *record = path->record;
    uint64_t period = period_of(maker->profile);
    uint64_t value[STACKS_VALUES] = {record->interrupts, record->executions, record->cycles};
    uint32_t leaf = 0;
    enum err err = ERR_OK;

    if (period != 0)
        value[1] = record->interrupts * period;

    maker->stacks->of_record[record - maker->profile->record] =
        (uint32_t)maker->stacks->samples + 1;
    if (callgraph_cut(path) != 0)
        err = add_frame(maker, callgraph_cut(path), 0, leaf, &leaf);
    for (unsigned i = path->depth; i-- > 0 && err == ERR_OK;)
        err = add_frame(maker, path->frame[i].routine, path->frame[i].address, leaf, &leaf);
    return err == ERR_OK ? add_sample(maker, leaf, value) : err;
}

static enum err add_records(struct maker *maker)
{
    static const struct stacks_value value[STACKS_VALUES] = {
        {"interrupts", "count"}, {"executions", "count"}, {"latency", "cycles"},
    };
    struct callgraph graph;
    enum err err = callgraph_build(&graph, maker->profile, maker->symbols, maker->diag);

    if (err != ERR_OK)
        return err;
    memcpy(maker->stacks->value, value, sizeof value);
    maker->stacks->values = STACKS_VALUES;
    if (period_of(maker->profile) != 0) {
        maker->stacks->value[0].name = "samples";
        maker->stacks->value[1].name = maker->profile->sampling->event;
        maker->stacks->values = 2;
        maker->stacks->main = 1;
    }
    maker->stacks->of_record = calloc(maker->profile->records + 1, sizeof(uint32_t));
    if (maker->stacks->of_record == NULL)
        err = diag_no_memory(maker->diag, "stacks");
    for (size_t i = 0; i < graph.paths && err == ERR_OK; i++)
        err = add_path(maker, &graph.path[i]);
    callgraph_free(&graph);
    return err;
}

/* ---- the exact call tree --------------------------------------------------------------------- */

/* Makes a frame for each node, with the same number (a parent comes before its children). The tree
 * does not have the addresses of calls. */
static enum err add_node(struct maker *maker, size_t node)
{
    const struct profile_call *call = &maker->profile->call[node];
    uint64_t units = maker->profile->units_per_cycle, before = maker->units;
    uint64_t value[STACKS_VALUES] = {call->instructions, call->calls, 0};
    uint32_t frame = 0;
    enum err err;

    maker->units += call->units;
    if (units != 0)     /* whole cycles, rounded so that they add up to the total */
        value[2] = maker->units / units - before / units;
    err = add_frame(maker, call->routine, 0, (uint32_t)call->parent, &frame);
    return err == ERR_OK ? add_sample(maker, frame, value) : err;
}

static enum err add_tree(struct maker *maker)
{
    static const struct stacks_value value[STACKS_VALUES] = {
        {"instructions", "count"}, {"calls", "count"}, {"cycles", "count"},
    };
    enum err err = ERR_OK;

    memcpy(maker->stacks->value, value, sizeof value);
    maker->stacks->values = maker->profile->units_per_cycle != 0 ? 3 : 2;
    maker->stacks->main = maker->profile->units_per_cycle != 0 ? 2 : 0;
    for (size_t i = 1; i < maker->profile->calls && err == ERR_OK; i++)
        err = add_node(maker, i);
    return err;
}

enum err stacks_make(struct stacks *stacks, const struct profile *profile,
                     const struct symbols *symbols, struct diag *diag)
{
    struct maker maker = {
        .stacks = stacks, .profile = profile, .symbols = symbols, .diag = diag,
    };
    enum err err;

    *stacks = (struct stacks){.values = 0};
    if (profile->calls > 1 && (profile->units_per_cycle != 0 || profile->records == 0))
        err = add_tree(&maker);
    else
        err = add_records(&maker);
    free(maker.slot);
    return err;
}

/* ---- deep stacks ----------------------------------------------------------------------------- */

/* The number of the function STACKS_DEEPER, which is made. */
static enum err add_deeper(struct stacks *stacks, uint32_t *number, struct diag *diag)
{
    struct stacks_function *function = array_grow(stacks->function, stacks->functions,
                                                  sizeof *function);
    char *name = strdup(STACKS_DEEPER);

    if (function != NULL)
        stacks->function = function;
    if (function == NULL || name == NULL) {
        free(name);
        return diag_no_memory(diag, "functions");
    }
    function[stacks->functions] = (struct stacks_function){.name = name, .file = ""};
    *number = (uint32_t)stacks->functions++;
    return ERR_OK;
}

/* Makes the frame below the last one that is kept a STACKS_DEEPER. top: of each frame, itself or
 * the frame that stands for it; a caller comes before its callees. True: a stack was too deep. */
static bool find_tops(struct stacks *stacks, uint32_t *top, uint32_t *depth, uint32_t deeper)
{
    bool is_deep = false;

    for (uint32_t f = 1; f <= stacks->frames; f++) {
        struct stacks_frame *frame = &stacks->frame[f - 1];

        depth[f] = frame->caller != 0 ? depth[frame->caller] + 1 : 1;
        top[f] = depth[f] <= STACKS_DEPTH + 1 ? f : top[frame->caller];
        if (depth[f] != STACKS_DEPTH + 1)
            continue;
        frame->function = deeper;
        is_deep = true;
    }
    return is_deep;
}

/* Adds up the samples of each stack. of_leaf: zeros, for each frame. */
static void join_samples(struct stacks *stacks, const uint32_t *top, uint32_t *of_leaf)
{
    size_t kept = 0;

    for (size_t i = 0; i < stacks->samples; i++) {
        struct stacks_sample sample = stacks->sample[i];
        uint32_t leaf = sample.leaf != 0 ? top[sample.leaf] : 0;

        if (leaf == sample.leaf || of_leaf[leaf] == 0) {
            sample.leaf = leaf;
            of_leaf[leaf] = (uint32_t)kept + 1;
            stacks->sample[kept++] = sample;
            continue;
        }
        for (unsigned v = 0; v < STACKS_VALUES; v++)
            stacks->sample[of_leaf[leaf] - 1].value[v] += sample.value[v];
    }
    stacks->samples = kept;
}

enum err stacks_limit(struct stacks *stacks, struct diag *diag)
{
    uint32_t *of_frame = NULL, deeper = 0;
    enum err err = ERR_OK;

    if (stacks->of_record != NULL || stacks->frames <= STACKS_DEPTH)
        return ERR_OK;
    of_frame = calloc(3 * (stacks->frames + 1), sizeof *of_frame);
    if (of_frame == NULL)
        return diag_no_memory(diag, "stacks");
    err = add_deeper(stacks, &deeper, diag);
    if (err == ERR_OK && find_tops(stacks, of_frame, of_frame + stacks->frames + 1, deeper))
        join_samples(stacks, of_frame, of_frame + 2 * (stacks->frames + 1));
    else if (err == ERR_OK)
        free(stacks->function[--stacks->functions].name);
    free(of_frame);
    return err;
}

void stacks_free(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->functions; i++)
        free(stacks->function[i].name);
    free(stacks->function);
    free(stacks->frame);
    free(stacks->sample);
    free(stacks->of_record);
}
