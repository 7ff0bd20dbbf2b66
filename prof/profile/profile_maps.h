/* The content of caches, and of the shadow frames of the first level, at the end of a run. */
#ifndef PROF_PROFILE_PROFILE_MAPS_H
#define PROF_PROFILE_PROFILE_MAPS_H

#include <stdint.h>

/* A letter for each frame, way after way of each set. line: one of PROFILE_MAP_LINES. shadow: one
 * of PROFILE_MAP_SHADOWS, or NULL for a cache without shadow frames. */
#define PROFILE_MAP_LINES ".scM~"       /* empty, shared, clean, modified, on its way */
#define PROFILE_MAP_SHADOWS ".+#"       /* no metadata; metadata; with counts not in memory yet */

struct profile_map {
    const char *name;                   /* "L1D" */
    uint32_t hart, sets, ways;          /* hart: the cache's owner, 0 for a shared cache */
    const char *line, *shadow;          /* [sets * ways] */
};

#endif
