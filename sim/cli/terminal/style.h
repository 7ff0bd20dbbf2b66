/* Colours of text on a terminal; empty without a terminal, or if NO_COLOR is set (no-color.org). */
#ifndef SIM_CLI_TERMINAL_STYLE_H
#define SIM_CLI_TERMINAL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct style { const char *bold, *good, *bad, *word, *dim, *off; };

/* A terminal that shows colours, or a pager on one. */
bool style_has_colour(FILE *out);
struct style style_of(FILE *out);

#endif
