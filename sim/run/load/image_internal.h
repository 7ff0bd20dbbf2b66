/* Shared by image.c and image_symbol.c. */
#ifndef SIM_RUN_IMAGE_INTERNAL_H
#define SIM_RUN_IMAGE_INTERNAL_H

#include <libelf.h>

#include "sim/run/load/image.h"

/* Fills sections, symbols, tohost, fromhost; a file without section headers has none of them.
 * image->bias and segments are set. */
enum err image_read_sections(struct image *image, Elf *elf, struct diag *diag);
void image_free_sections(struct image *image);
/* image_linkage.c: symbols called NAME@plt for the entries of the procedure linkage table, after
 * those that image->symbols has; their number, or 0 where `symbol` is NULL: how many at most. */
size_t image_linkage_symbols(const struct image *image, Elf *elf, struct image_symbol *symbol);

#endif
