/* Regions a program marks itself, with gem5's magic instructions: counts from a reset of the
 * statistics to each dump, and from the begin of a work item to its end; which engine runs; and the
 * region of --roi and --roi-end. The main statistics are from the begin of measurement to its end,
 * independent of regions. */
#include <stdlib.h>
#include <string.h>

#include "pmu/pmu_modes.h"
#include "sim/cli/job/counts.h"
#include "sim/cli/job/regions.h"
#include "sim/cli/job/tracing.h"
#include "sim/cli/job/untimed.h"
#include "sim/core/magic.h"

enum { WORK_ITEMS = 64, REGIONS_MAX = 100000 };

/* A work item that has begun. */
struct work { uint64_t id; uint64_t *begun; };

struct region {
    const char *kind;               /* "dump", "work" */
    uint64_t id;                    /* of the work item */
    uint64_t *count;                /* [harts][EVENT_COUNT] */
    double seconds;                 /* of the host */
};

struct regions {
    struct region *region;
    size_t count, capacity;
    uint64_t *reset;                /* events at the last reset; NULL: when measurement began */
    double reset_time;
    struct work work[WORK_ITEMS];
    bool has_warned;
};

/* ---- snapshots ------------------------------------------------------------------------------- */

static size_t user_events_at(unsigned harts, unsigned hart)
{
    return harts * (EVENT_COUNT + 2) + hart * (size_t)EVENT_COUNT;
}

uint64_t *regions_snapshot(const struct machine *machine)
{
    size_t bytes = EVENT_COUNT * sizeof machine->cpu[0].pmu.events[0];
    uint64_t *events = calloc(machine->harts, 2 * (bytes + sizeof *events));

    for (unsigned i = 0; events != NULL && i < machine->harts; i++) {
        struct pmu *pmu = &machine->cpu[i].pmu;
        uint64_t *user = &events[machine->harts * EVENT_COUNT + 2 * i];

        pmu_count_modes(pmu);
        memcpy(&events[i * EVENT_COUNT], pmu->events, bytes);
        user[0] = pmu->thread.modes.cycles[PRIV_U];
        user[1] = pmu->thread.modes.insns[PRIV_U];
        if (pmu->user_part != NULL)
            memcpy(&events[user_events_at(machine->harts, i)], pmu->user_part->events, bytes);
    }
    return events;
}

const uint64_t *regions_user_events(const uint64_t *snapshot, unsigned harts, unsigned hart)
{
    return &snapshot[user_events_at(harts, hart)];
}

static void warn_once(struct job *job, const char *text)
{
    if (!job->regions->has_warned)
        fprintf(stderr, "rvsim: warning: %s\n", text);
    job->regions->has_warned = true;
}

/* Adds a region from `before` (NULL: the begin of measurement) to now. */
static void add_region(struct job *job, const char *kind, uint64_t id, const uint64_t *before,
                       double since)
{
    struct regions *regions = job->regions;
    size_t values = (size_t)job->machine.harts * EVENT_COUNT;
    uint64_t *count = regions_snapshot(&job->machine);

    if (regions->count == regions->capacity && regions->count < REGIONS_MAX) {
        size_t capacity = regions->capacity == 0 ? 16 : 2 * regions->capacity;
        struct region *grown = realloc(regions->region, capacity * sizeof *grown);
        if (grown != NULL) {
            regions->region = grown;
            regions->capacity = capacity;
        }
    }
    if (count == NULL || regions->count == regions->capacity) {
        warn_once(job, "too many regions: the later ones are lost");
        free(count);
        return;
    }
    before = before != NULL ? before : job->before;
    for (size_t i = 0; before != NULL && i < values; i++)
        count[i] -= before[i];
    regions->region[regions->count++] =
        (struct region){kind, id, count, job_seconds() - since};
}

/* ---- magic instructions ---------------------------------------------------------------------- */

static void reset(struct job *job)
{
    free(job->regions->reset);
    job->regions->reset = regions_snapshot(&job->machine);
    job->regions->reset_time = job_seconds();
}

static void dump(struct job *job)
{
    add_region(job, "dump", 0, job->regions->reset, job->regions->reset_time);
}

static struct work *find_work(struct regions *regions, uint64_t id, bool is_begun)
{
    for (unsigned i = 0; i < WORK_ITEMS; i++) {
        struct work *work = &regions->work[i];
        if (is_begun ? work->begun != NULL && work->id == id : work->begun == NULL)
            return work;
    }
    return NULL;
}

static void begin_work(struct job *job, uint64_t id)
{
    struct work *work = find_work(job->regions, id, true);

    if (work == NULL)
        work = find_work(job->regions, id, false);
    if (work == NULL) {
        warn_once(job, "more than 64 work items at once: the later ones are not counted");
        return;
    }
    free(work->begun);
    *work = (struct work){id, regions_snapshot(&job->machine)};
}

static void end_work(struct job *job, uint64_t id)
{
    struct work *work = find_work(job->regions, id, true);

    if (work == NULL)
        return;
    add_region(job, "work", id, work->begun, job_seconds());
    free(work->begun);
    work->begun = NULL;
}

static void switch_engine(struct job *job)
{
    struct machine *machine = &job->machine;

    machine->engine = machine->engine == ENGINE_DETAILED ? ENGINE_FAST : ENGINE_DETAILED;
    if (!tracing_follow(job))
        warn_once(job, "not enough memory to trace the other engine");
}

static void on_magic(void *arg, struct cpu *cpu)
{
    struct job *job = arg;

    switch ((enum cpu_magic)cpu->magic.number) {
    case CPU_MAGIC_RESET:
        reset(job);
        break;
    case CPU_MAGIC_DUMP:
        dump(job);
        break;
    case CPU_MAGIC_DUMP_RESET:
        dump(job);
        reset(job);
        break;
    case CPU_MAGIC_SWITCH:
        switch_engine(job);
        break;
    case CPU_MAGIC_BEGIN:
        begin_work(job, cpu->magic.a0);
        break;
    case CPU_MAGIC_END:
        end_work(job, cpu->magic.a0);
        break;
    default:
        warn_once(job, "the program asks for a checkpoint; there are none");
        break;
    }
}

/* ---- the region of --roi-end ----------------------------------------------------------------- */

/* Called at the begin of the region, where counting restarts, and at its end, where the run
 * ends. */
static void on_stop(void *arg)
{
    struct job *job = arg;
    uint64_t **snapshot = job->is_in_roi ? &job->after : &job->before;

    free(*snapshot);
    *snapshot = regions_snapshot(&job->machine);
    if (!counts_mark(job, job->is_in_roi) || *snapshot == NULL || job->is_in_roi) {
        job->machine.halt = true;
        return;
    }
    job->is_in_roi = true;
    for (unsigned i = 0; i < job->machine.harts; i++)
        pmu_forget_monitor(&job->machine.cpu[i].pmu);
    job->fast_forwarded = machine_insns(&job->machine);
    machine_stop_at(&job->machine, job->roi_end);
}

bool regions_watch_roi(struct job *job, uint64_t begin, uint64_t end)
{
    job->roi_end = end;
    job->machine.at_stop = on_stop;
    job->machine.at_stop_arg = job;
    return machine_stop_at(&job->machine, begin);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool regions_open(struct job *job)
{
    job->regions = calloc(1, sizeof *job->regions);
    if (job->regions == NULL)
        return false;
    job->regions->reset_time = job->started;
    job->machine.magic = on_magic;
    job->machine.magic_arg = job;
    return true;
}

void regions_close(struct job *job)
{
    struct regions *regions = job->regions;

    if (regions == NULL)
        return;
    for (size_t i = 0; i < regions->count; i++)
        free(regions->region[i].count);
    for (unsigned i = 0; i < WORK_ITEMS; i++)
        free(regions->work[i].begun);
    free(regions->region);
    free(regions->reset);
    free(regions);
}

/* ---- into the profile ------------------------------------------------------------------------ */

static bool collect_hart(struct job *job, struct profile_hart *hart, const uint64_t *count)
{
    struct profile *profile = &job->profile;
    size_t at = 0;

    hart->cycles = count[EVENT_CYCLES];
    hart->instructions = count[EVENT_INSNS_RETIRED];
    hart->event = profile_alloc(profile, profile->events, sizeof hart->event[0]);
    for (unsigned code = 0; hart->event != NULL && code < EVENT_COUNT; code++)
        if (untimed_is_counted(job, code))
            hart->event[at++] = count[code];
    return hart->event != NULL;
}

static bool collect_region(struct job *job, const struct region *from)
{
    struct profile *profile = &job->profile;
    struct profile_region *region = &profile->region[profile->regions++];

    *region = (struct profile_region){
        .kind = from->kind, .id = from->id, .host_seconds = from->seconds,
        .hart = profile_alloc(profile, profile->harts, sizeof region->hart[0]),
    };
    for (size_t i = 0; i < profile->harts; i++) {
        if (region->hart == NULL ||
            !collect_hart(job, &region->hart[i], &from->count[i * EVENT_COUNT]))
            return false;
        region->instructions += region->hart[i].instructions;
        if (region->hart[i].cycles > region->cycles)
            region->cycles = region->hart[i].cycles;
    }
    return true;
}

bool regions_collect(struct job *job)
{
    struct profile *profile = &job->profile;

    profile->region = profile_alloc(profile, job->regions->count + 1, sizeof profile->region[0]);
    for (size_t i = 0; profile->region != NULL && i < job->regions->count; i++)
        if (!collect_region(job, &job->regions->region[i]))
            return false;
    return profile->region != NULL;
}
