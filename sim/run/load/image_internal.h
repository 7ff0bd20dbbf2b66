/* Shared by image.c and image_symbol.c. */
#ifndef SIM_RUN_IMAGE_INTERNAL_H
#define SIM_RUN_IMAGE_INTERNAL_H

#include <libelf.h>

#include "sim/run/load/image.h"

/* Fills in sections, symbols, tohost, fromhost; all are absent in a file without section headers.
 * image->bias and segments must be set. */
enum err image_read_sections(struct image *image, Elf *elf, struct diag *diag);
void image_free_sections(struct image *image);
/* In image_linkage.c: makes symbols NAME@plt for the entries of the procedure linkage table, after
 * the symbols in image->symbols. Returns their number; with `symbol` NULL, an upper bound of it. */
size_t image_linkage_symbols(const struct image *image, Elf *elf, struct image_symbol *symbol);

#endif
