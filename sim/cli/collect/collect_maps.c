/* The content of caches and shadow frames at the end of a run. Called before the profiler collects,
 * which merges the counters of shadow frames into memory. */
#include "prof/profile/profile_maps.h"
#include "shadowcache/shadow_look.h"
#include "sim/cli/collect/collect.h"
#include "sim/core/look.h"
#include "sim/mem/memsys_look.h"

/* Limits of a profile: harts with maps, and frames of a cache. */
enum { HARTS = 8, FRAMES = 65536 };

static char line_letter(enum memsys_line line)
{
    static const char letter[] = {[MEMSYS_EMPTY] = '.', [MEMSYS_SHARED] = 's',
                                  [MEMSYS_CLEAN] = 'c', [MEMSYS_MODIFIED] = 'M',
                                  [MEMSYS_COMING] = '~'};

    return letter[line];
}

static char shadow_letter(const struct shadow *shadow, uint32_t frame)
{
    struct shadow_seen seen;

    if (frame >= shadow_look_frames(shadow))
        return '.';
    seen = shadow_look(shadow, frame);
    return !seen.has_marks ? '.' : seen.counted != 0 ? '#' : '+';
}

/* shadow NULL: no shadow frames. False: no memory. */
static bool collect_map(struct job *job, unsigned hart, enum memsys_part part, const char *name,
                        const struct shadow *shadow)
{
    struct core *core = job->machine.core[hart];
    struct profile *profile = &job->profile;
    struct profile_map *map = &profile->map[profile->maps];
    struct memsys_shape shape;
    uint32_t frames;
    char *line, *marks = NULL;
    uint64_t pa;

    if (!memsys_look(core_memsys(core), part, &shape) || shape.sets > FRAMES / shape.ways)
        return true;
    frames = shape.sets * shape.ways;
    line = profile_alloc(profile, frames + 1, 1);
    if (shadow != NULL)
        marks = profile_alloc(profile, frames + 1, 1);
    if (line == NULL || (shadow != NULL && marks == NULL))
        return false;
    for (uint32_t frame = 0; frame < frames; frame++) {
        line[frame] = line_letter(memsys_look_line(core_memsys(core), part, frame,
                                                   core_look_now(core), &pa));
        if (shadow != NULL)
            marks[frame] = shadow_letter(shadow, frame);
    }
    *map = (struct profile_map){.name = name, .hart = hart, .sets = shape.sets,
                                .ways = shape.ways, .line = line, .shadow = marks};
    profile->maps++;
    return true;
}

bool collect_maps(struct job *job)
{
    struct profile *profile = &job->profile;
    unsigned harts = job->machine.harts < HARTS ? job->machine.harts : HARTS;

    if (job->machine.core[0] == NULL ||
        (job->options->profile == NULL && !job->counters.keeps_samples))
        return true;
    profile->map = profile_alloc(profile, 2 * harts + 2, sizeof profile->map[0]);
    if (profile->map == NULL)
        return false;
    for (unsigned i = 0; i < harts; i++)
        if (!collect_map(job, i, MEMSYS_L1I, "L1I", job->machine.cpu[i].ishadow) ||
            !collect_map(job, i, MEMSYS_L1D, "L1D", job->machine.cpu[i].dshadow))
            return false;
    return collect_map(job, 0, MEMSYS_L2, "L2", NULL) && collect_map(job, 0, MEMSYS_L3, "L3", NULL);
}
