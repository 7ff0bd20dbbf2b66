/* Shared by the parts of a target. */
#ifndef SIM_HOST_TARGET_INTERNAL_H
#define SIM_HOST_TARGET_INTERNAL_H

#include "sim/host/target.h"

/* Names the routines of an image that has been opened, and identifies its file. of: as in struct
 * symbols_program. */
enum err target_describe(struct image *image, const char *of, struct symbols **symbols,
                         char id[TARGET_ID], struct diag *diag);
void target_close_modules(struct target *target);

#endif
