/* The pager of a command whose text may be longer than the terminal: $RVSIM_PAGER, else $PAGER,
 * else `less`, where there is one; `cat` or an empty text: none. less leaves at once if all fits,
 * keeps colours, and cuts long lines, which the arrow keys move along (LESS=FRSX, unless LESS is
 * set). */
#ifndef SIM_CLI_TERMINAL_PAGER_H
#define SIM_CLI_TERMINAL_PAGER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct pager { pid_t child; };      /* 0: none */

/* Standard output goes to the pager from now on, if it is a terminal. */
void pager_open(struct pager *pager, const char *command);
/* Returns when the reader has left it. */
void pager_close(struct pager *pager);
/* The stream is a terminal, or goes to one through the pager. */
bool pager_is_terminal(FILE *out);

#endif
