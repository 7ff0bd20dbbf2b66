/* See timeline_profile.h. */
#include "prof/timeline/timeline_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "prof/calls/callgraph.h"
#include "prof/export/export.h"
#include "prof/export/stacks.h"
#include "prof/timeline/timeline_trace.h"
#include "sim/base/array.h"

enum { NAME_BYTES = 96 };

/* The stack that a track of samples shows at present, root first. */
struct track { uint32_t thread, *open; unsigned opens; };

struct maker {
    struct timeline *timeline;
    const struct profile *profile;
    const struct symbols *symbols;
    struct track *track;            /* [tracks] */
    size_t tracks;
    const struct callgraph_path **path;     /* [records] */
    struct diag *diag;
};

static enum err thread_number(const struct maker *maker, const char *name, uint32_t *number)
{
    return names_add(&maker->timeline->thread, name, number, maker->diag);
}

static enum err add(const struct maker *maker, enum timeline_kind kind, uint64_t time,
                    uint32_t thread, uint32_t name)
{
    const struct timeline_event event = {.time = time, .thread = thread, .name = name,
                                         .hart = TIMELINE_NO_HART, .kind = (uint8_t)kind};

    return timeline_add(maker->timeline, &event, maker->diag);
}

/* ---- threads --------------------------------------------------------------------------------- */

static enum profile_thread_state state_of(const struct profile_span *span)
{
    unsigned most = 0;

    for (unsigned state = 1; state < PROFILE_THREAD_STATES; state++)
        if (span->cycles[state] > span->cycles[most])
            most = state;
    return (enum profile_thread_state)most;
}

static enum err add_running(const struct maker *maker, uint64_t begin,
                            const struct profile_span *span, uint32_t thread)
{
    const struct timeline_event in = {.time = begin, .thread = thread, .name = TIMELINE_NO_NAME,
                                      .hart = (uint16_t)span->who, .kind = TIMELINE_SWITCH_IN};
    enum err err = timeline_add(maker->timeline, &in, maker->diag);

    return err == ERR_OK ? add(maker, TIMELINE_SWITCH_OUT, span->end, thread, TIMELINE_NO_NAME)
                         : err;
}

static enum err add_span(const struct maker *maker, uint64_t begin,
                         const struct profile_span *span, uint32_t thread)
{
    static const char *const name[] = {
#define THREAD_STATE(id, name, meaning) name,
#include "prof/profile/thread_state.def"
    };
    enum profile_thread_state state = state_of(span);
    uint32_t number;
    enum err err;

    if (state == PROFILE_THREAD_RUNNING && span->changes == 1)
        return add_running(maker, begin, span, thread);
    err = names_add(&maker->timeline->name, name[state], &number, maker->diag);
    if (err == ERR_OK)
        err = add(maker, TIMELINE_ENTER, begin, thread, number);
    return err == ERR_OK ? add(maker, TIMELINE_LEAVE, span->end, thread, number) : err;
}

static enum err add_threads(const struct maker *maker)
{
    const struct profile_threads *threads = maker->profile->threads;
    enum err err = ERR_OK;

    for (size_t i = 0; threads != NULL && i < threads->threads && err == ERR_OK; i++) {
        const struct profile_track *track = &threads->thread[i];
        uint64_t begin = track->begin;
        char name[NAME_BYTES];
        uint32_t thread;

        snprintf(name, sizeof name, "thread %" PRIu32, track->number);
        err = thread_number(maker, name, &thread);
        for (size_t k = 0; k < track->spans && err == ERR_OK; begin = track->span[k++].end)
            err = add_span(maker, begin, &track->span[k], thread);
    }
    return err;
}

/* ---- samples --------------------------------------------------------------------------------- */

static enum err track_of(struct maker *maker, const struct profile_sample *sample,
                         struct track **track)
{
    char name[NAME_BYTES];
    uint32_t thread;
    enum err err;

    if (sample->thread != 0)
        snprintf(name, sizeof name, "samples of thread %" PRIu32, sample->thread);
    else
        snprintf(name, sizeof name, "samples of hart %" PRIu32, sample->hart);
    err = thread_number(maker, name, &thread);
    if (err != ERR_OK)
        return err;
    for (size_t i = 0; i < maker->tracks; i++)
        if (maker->track[i].thread == thread) {
            *track = &maker->track[i];
            return ERR_OK;
        }
    *track = array_grow(maker->track, maker->tracks, sizeof *maker->track);
    if (*track == NULL)
        return diag_no_memory(maker->diag, "a time line");
    maker->track = *track;
    *track += maker->tracks++;
    **track = (struct track){.thread = thread};
    return ERR_OK;
}

static enum err leave_to(const struct maker *maker, struct track *track, unsigned depth,
                         uint64_t time)
{
    enum err err = ERR_OK;

    while (track->opens > depth && err == ERR_OK)
        err = add(maker, TIMELINE_LEAVE, time, track->thread, track->open[--track->opens]);
    return err;
}

/* Shows frame `depth` from the root: kept if it is the same, else the previous one ends. */
static enum err show_frame(const struct maker *maker, struct track *track, unsigned depth,
                           const char *name, uint64_t time)
{
    uint32_t number;
    uint32_t *grown;
    enum err err = names_add(&maker->timeline->name, name, &number, maker->diag);

    if (err != ERR_OK || (depth < track->opens && track->open[depth] == number))
        return err;
    err = leave_to(maker, track, depth, time);
    grown = array_grow(track->open, depth, sizeof *grown);
    if (grown == NULL)
        return diag_no_memory(maker->diag, "a time line");
    track->open = grown;
    if (err == ERR_OK)
        err = add(maker, TIMELINE_ENTER, time, track->thread, number);
    if (err == ERR_OK)
        track->open[track->opens++] = number;
    return err;
}

static enum err add_sample(struct maker *maker, const struct profile_sample *sample)
{
    const struct callgraph_path *path = maker->path[sample->record];
    struct track *track;
    char name[SYMBOLS_TEXT];
    enum err err = track_of(maker, sample, &track);

    if (path == NULL || err != ERR_OK)
        return err;
    for (unsigned i = path->depth; i-- > 0 && err == ERR_OK;)
        err = show_frame(maker, track, path->depth - 1 - i,
                         callgraph_name(maker->profile, maker->symbols, path->frame[i].routine,
                                        name), sample->cycle);
    return err == ERR_OK ? leave_to(maker, track, path->depth, sample->cycle) : err;
}

static enum err add_samples(struct maker *maker)
{
    const struct profile_sampling *sampling = maker->profile->sampling;
    struct callgraph graph;
    enum err err;

    if (sampling == NULL || sampling->samples == 0)
        return ERR_OK;
    err = callgraph_build(&graph, maker->profile, maker->symbols, maker->diag);
    if (err != ERR_OK)
        return err;
    maker->path = calloc(maker->profile->records + 1, sizeof *maker->path);
    if (maker->path == NULL)
        err = diag_no_memory(maker->diag, "samples");
    for (size_t i = 0; err == ERR_OK && i < graph.paths; i++)
        maker->path[graph.path[i].record - maker->profile->record] = &graph.path[i];
    for (size_t i = 0; err == ERR_OK && i < sampling->samples; i++)
        err = add_sample(maker, &sampling->sample[i]);
    for (size_t i = 0; i < maker->tracks; i++) {
        if (err == ERR_OK)
            err = leave_to(maker, &maker->track[i], 0, maker->profile->cycles);
        free(maker->track[i].open);
    }
    free(maker->track);
    free(maker->path);
    callgraph_free(&graph);
    return err;
}

/* ---- stacks in no order of time -------------------------------------------------------------- */

/* Joins frames of one routine that were called by one node. Node 0 is the root, and also "none". */
struct node { uint32_t function, parent, first, last, next; uint64_t own, all; };

static uint32_t node_below(struct node *node, uint32_t *nodes, uint32_t parent, uint32_t function)
{
    uint32_t at = node[parent].first;

    while (at != 0 && node[at].function != function)
        at = node[at].next;
    if (at != 0)
        return at;
    at = (*nodes)++;
    node[at] = (struct node){.function = function, .parent = parent};
    if (node[parent].last != 0)
        node[node[parent].last].next = at;
    else
        node[parent].first = at;
    node[parent].last = at;
    return at;
}

/* A caller comes before its callees. place: [frames], the node of each. */
static uint32_t make_nodes(const struct stacks *stacks, struct node *node, uint32_t *place)
{
    uint32_t nodes = 1;

    for (size_t i = 0; i < stacks->frames; i++) {
        uint32_t caller = stacks->frame[i].caller;

        place[i] = node_below(node, &nodes, caller != 0 ? place[caller - 1] : 0,
                              stacks->frame[i].function);
    }
    for (size_t i = 0; i < stacks->samples; i++)
        if (stacks->sample[i].leaf != 0)
            node[place[stacks->sample[i].leaf - 1]].own += stacks->sample[i].value[stacks->main];
    for (uint32_t i = nodes; i-- > 1;) {
        node[i].all += node[i].own;
        node[node[i].parent].all += node[i].all;
    }
    return nodes;
}

static enum err add_nodes(const struct maker *maker, const struct stacks *stacks,
                          const struct node *node, uint32_t thread)
{
    uint64_t time = 0;
    uint32_t at = node[0].first, name = 0;
    enum err err = ERR_OK;

    while (at != 0 && err == ERR_OK) {
        bool goes_down = node[at].all != 0 && node[at].first != 0;

        if (node[at].all != 0) {
            err = names_add(&maker->timeline->name, stacks->function[node[at].function].name,
                            &name, maker->diag);
            if (err == ERR_OK)
                err = add(maker, TIMELINE_ENTER, time, thread, name);
        }
        time += node[at].own;
        if (goes_down) {
            at = node[at].first;
            continue;
        }
        for (; at != 0 && err == ERR_OK; at = node[at].parent) {
            err = names_add(&maker->timeline->name, stacks->function[node[at].function].name,
                            &name, maker->diag);
            if (err == ERR_OK && node[at].all != 0)
                err = add(maker, TIMELINE_LEAVE, time, thread, name);
            if (node[at].next != 0)
                break;
        }
        at = node[at].next;
    }
    return err;
}

static enum err add_stacks(const struct maker *maker)
{
    const struct profile *profile = maker->profile;
    bool has_samples = profile->sampling != NULL && profile->sampling->samples != 0;
    struct node *node = NULL;
    uint32_t *place = NULL, thread;
    char name[NAME_BYTES];
    struct stacks stacks;
    enum err err;

    if (has_samples && (profile->calls <= 1 || profile->units_per_cycle == 0))
        return ERR_OK;
    err = stacks_make(&stacks, profile, maker->symbols, maker->diag);
    if (err == ERR_OK) {
        node = calloc(stacks.frames + 1, sizeof *node);
        place = calloc(stacks.frames + 1, sizeof *place);
        if (node == NULL || place == NULL)
            err = diag_no_memory(maker->diag, "stacks");
    }
    if (err == ERR_OK && make_nodes(&stacks, node, place) > 1 && node[0].all != 0) {
        snprintf(name, sizeof name, "%s by stack, in no order of time",
                 stacks.value[stacks.main].name);
        err = thread_number(maker, name, &thread);
        if (err == ERR_OK)
            err = add_nodes(maker, &stacks, node, thread);
    }
    free(node);
    free(place);
    stacks_free(&stacks);
    return err;
}

/* ---- counts, and all ------------------------------------------------------------------------- */

/* A value equal to that of the last interval is not repeated. */
static enum err add_counts(const struct maker *maker)
{
    const struct profile_over_time *over_time = &maker->profile->over_time;
    uint64_t begin = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; i < over_time->intervals; begin = over_time->interval[i++].end)
        for (size_t k = 0; k < over_time->events && err == ERR_OK; k++) {
            uint64_t count = over_time->interval[i].count[k];

            if (i == 0 || count != over_time->interval[i - 1].count[k])
                err = timeline_add_count(maker->timeline,
                                         maker->profile->event_name[over_time->event[k]], begin,
                                         count, maker->diag);
        }
    return err;
}

enum err timeline_of_profile(struct timeline *timeline, const struct profile *profile,
                             const struct symbols *symbols, struct diag *diag)
{
    struct maker maker = {.timeline = timeline, .profile = profile, .symbols = symbols,
                          .diag = diag};
    enum err err;

    timeline_init(timeline);
    timeline->has_limits = true;
    err = add_threads(&maker);
    if (err == ERR_OK)
        err = add_samples(&maker);
    if (err == ERR_OK)
        err = add_stacks(&maker);
    if (err == ERR_OK)
        err = add_counts(&maker);
    return err == ERR_OK ? timeline_sort(timeline, diag) : err;
}

/* ---- exports --------------------------------------------------------------------------------- */

typedef enum err write_function(const struct timeline *timeline, FILE *out, struct diag *diag);

static enum err export_timeline(const struct profile *profile, const struct symbols *symbols,
                                write_function *write, FILE *out, struct diag *diag)
{
    struct timeline timeline;
    enum err err = timeline_of_profile(&timeline, profile, symbols, diag);

    if (err == ERR_OK)
        err = write(&timeline, out, diag);
    timeline_free(&timeline);
    return err;
}

enum err export_chrome(const struct profile *profile, const struct symbols *symbols, FILE *out,
                       struct diag *diag)
{
    return export_timeline(profile, symbols, timeline_write_chrome, out, diag);
}

enum err export_perfetto(const struct profile *profile, const struct symbols *symbols, FILE *out,
                         struct diag *diag)
{
    return export_timeline(profile, symbols, timeline_write_perfetto, out, diag);
}
