/* Colours of text. In order of precedence: --color=WORD; NO_COLOR (no-color.org), which switches
 * them off; CLICOLOR_FORCE, which switches them on for files and pipes too; otherwise a terminal
 * has colours. --color sets these variables, so that it also holds for programs that are
 * started. */
#ifndef SIM_CLI_TERMINAL_STYLE_H
#define SIM_CLI_TERMINAL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct style { const char *bold, *good, *bad, *word, *dim, *off; };

/* "always" or "never"; "auto": as without a word. False: another one. */
bool style_choose(const char *word);
/* True if colours are requested, or the stream is a terminal with colours or a pager on one. */
bool style_has_colour(FILE *out);
struct style style_of(FILE *out);

#endif
