/* The pager for commands whose text may be longer than the terminal: $RVSIM_PAGER, else $PAGER,
 * else `less` if it is installed; `cat` or an empty value: no pager. By LESS=FRSX, unless LESS is
 * set, less ends at once if the text fits, shows colours, and cuts long lines, which the arrow keys
 * scroll. */
#ifndef SIM_CLI_TERMINAL_PAGER_H
#define SIM_CLI_TERMINAL_PAGER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct pager { pid_t child; };      /* 0: none */

/* Standard output goes to the pager from now on, if it is a terminal. */
void pager_open(struct pager *pager, const char *command);
/* Waits until the user leaves the pager. */
void pager_close(struct pager *pager);
/* True if the stream is a terminal, or goes to one through the pager. */
bool pager_is_terminal(FILE *out);

#endif
