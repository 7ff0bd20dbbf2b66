/* A terminal that is drawn again and again, with keys that are read one by one.
 *
 * It shows another page while it is open, so that what was there before comes back; a signal that
 * ends the run closes it as the end of the run does. */
#ifndef SIM_CLI_TERMINAL_H
#define SIM_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct terminal {
    FILE *out;
    struct termios before;
    bool is_open, has_keys;         /* has_keys: standard input is a terminal, too */
};

/* False: `out` is no terminal, or one that cannot be drawn on. */
bool terminal_open(struct terminal *terminal, FILE *out);
void terminal_close(struct terminal *terminal);
/* From the first line on. */
void terminal_clear(struct terminal *terminal);
void terminal_size(const struct terminal *terminal, unsigned *rows, unsigned *columns);
/* A key, or 0 when none comes in this time; waits no longer than that. */
char terminal_key(const struct terminal *terminal, unsigned milliseconds);
/* A number that is typed after the question, up to Enter; false: Escape, or none. */
bool terminal_ask(struct terminal *terminal, const char *question, unsigned *number);

#endif
