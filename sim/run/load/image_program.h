/* The program to which an image belongs whose addresses are keys (pmu/key.h). */
#ifndef SIM_RUN_LOAD_IMAGE_PROGRAM_H
#define SIM_RUN_LOAD_IMAGE_PROGRAM_H

#include "pmu/key.h"
#include "sim/run/load/image.h"

/* Shifted, as in a key; 0: the first program, the kernel, or an image without segments. */
static inline uint64_t image_program(const struct image *image)
{
    return image->segment_count != 0 ? key_program(image->segments[0].vaddr) : 0;
}

#endif
