/* Frames and routines of images, kept for others of equal content, wherever they lie: a run needs
 * both of a library, each program of a run has its own, and a command that runs a program several
 * times loads the same libraries in each run. */
#ifndef SIM_RUN_FRAMES_STORE_H
#define SIM_RUN_FRAMES_STORE_H

#include "sim/run/frames/frames.h"

struct frames_kept;

/* Zeroed: empty. Images refer to it (struct image) and may be closed before it is freed. */
struct frames_store {
    struct frames_kept *kept;
    size_t count;
};

void frames_store_free(struct frames_store *store);

/* Copies of what is kept for the image; false: nothing, or no memory. */
bool frames_store_table(const struct image *image, struct frames *frames);
bool frames_store_routines(const struct image *image, struct frames_routines *routines);
/* Keeps copies for images like this one, if it refers to a store and there is memory. */
void frames_store_keep_table(const struct image *image, const struct frames *frames);
void frames_store_keep_routines(const struct image *image, const struct frames_routines *routines);

#endif
