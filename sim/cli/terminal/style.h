/* Colours of text. The user's word comes first, --color=WORD, then NO_COLOR (no-color.org), which
 * takes them away, then CLICOLOR_FORCE, which gives them to files and pipes too; otherwise a
 * terminal has colours. The word goes into these variables, so that it holds for programs that are
 * started, too. */
#ifndef SIM_CLI_TERMINAL_STYLE_H
#define SIM_CLI_TERMINAL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct style { const char *bold, *good, *bad, *word, *dim, *off; };

/* "always" or "never"; "auto": as without a word. False: another one. */
bool style_choose(const char *word);
/* Asked to have colours, or a terminal that shows them, or a pager on one. */
bool style_has_colour(FILE *out);
struct style style_of(FILE *out);

#endif
