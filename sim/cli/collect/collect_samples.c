/* Describes the sampling of a run in the profile, and copies the samples that the host's monitor
 * stored one by one. */
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/monitor/monitor.h"
#include "sim/cli/collect/collect.h"

/* The index of a record of the monitor in the profile, where records are sorted. */
static size_t place_of(const struct profile *profile, const struct monitor_record *from)
{
    uint64_t stack[MONITOR_DEPTH_MAX] = {0};
    struct profile_record like = {.address = from->iaddr, .interrupts = from->samples,
                                  .depth = from->depth <= MONITOR_DEPTH_MAX ? from->depth
                                                                            : MONITOR_DEPTH_MAX,
                                  .stack = stack};
    const struct profile_record *found;

    for (unsigned i = 0; i < like.depth; i++)
        stack[i] = from->stack[i];
    found = bsearch(&like, profile->record, profile->records, sizeof like,
                    collect_compare_records);
    return found != NULL ? (size_t)(found - profile->record) : 0;
}

/* Indices by slot of the monitor's table; NULL: no memory. */
static size_t *make_places(const struct job *job)
{
    const struct monitor_record *record = NULL;
    const struct monitor_header *header = profiler_records(job->profiler, &record);
    const uint32_t *slot = profiler_slots(job->profiler);
    size_t *place = calloc(header != NULL ? header->slots + 1 : 1, sizeof *place);

    for (uint64_t i = 0; place != NULL && header != NULL && i < header->used; i++)
        place[slot[i]] = place_of(&job->profile, &record[slot[i]]);
    return place;
}

static bool copy_samples(struct job *job)
{
    struct profile *profile = &job->profile;
    const struct profiler_sample *sample;
    size_t samples = profiler_samples(job->profiler, &sample);
    struct profile_sampling *sampling = profile->sampling;
    bool is_divided = false;
    size_t *place = make_places(job);

    sampling->sample = profile_alloc(profile, samples + 1, sizeof sampling->sample[0]);
    if (place == NULL || sampling->sample == NULL) {
        free(place);
        return false;
    }
    for (size_t i = 0; i < samples; i++)
        is_divided |= sample[i].thread != sample[0].thread;
    for (size_t i = 0; i < samples; i++)
        sampling->sample[sampling->samples++] = (struct profile_sample){
            .cycle = sample[i].cycle - collect_cycles_before(job, sample[i].hart),
            .hart = sample[i].hart, .thread = is_divided ? sample[i].thread : 0,
            .record = place[sample[i].slot]};
    free(place);
    return true;
}

bool collect_samples(struct job *job)
{
    const struct profiler_counters *counters = &job->counters;
    struct profile_sampling *sampling;

    if (counters->period == 0 && !counters->keeps_samples)
        return true;
    sampling = profile_alloc(&job->profile, 1, sizeof *sampling);
    if (sampling == NULL)
        return false;
    sampling->event = counters->period != 0 ? event_name((unsigned)counters->select[0])
                                            : PROFILE_SAMPLES_MARKS;
    sampling->period = counters->period;
    sampling->has_stacks = counters->has_stacks || counters->period == 0;
    job->profile.sampling = sampling;
    return !counters->keeps_samples || copy_samples(job);
}
