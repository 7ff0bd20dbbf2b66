#ifndef SIM_VIEW_MODULE_WRITE_PNG_H
#define SIM_VIEW_MODULE_WRITE_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* [height][width], each 0xAARRGGBB; alpha is left out. False: not written. */
bool write_png(const uint32_t *data, unsigned width, unsigned height, FILE *out);

#endif
