/* Warns of programs that use more of the instruction set than the modelled core has. */
#ifndef SIM_RUN_LOAD_ISA_NOTE_H
#define SIM_RUN_LOAD_ISA_NOTE_H

#include <stdbool.h>

#include "sim/run/load/image.h"

enum { ISA_NOTE = 256 };

/* core_isa: machine.isa, such as "rv32imf"; "any": unknown. Compares width and single-letter
 * extensions with the attributes of the program's file. True: `note` has a warning. */
bool isa_note(const struct image *image, const char *core_isa, char note[ISA_NOTE]);

#endif
