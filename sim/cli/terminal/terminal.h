/* A terminal display that is redrawn, with keys read one by one.
 *
 * It uses the alternate page while it is open, so that closing it restores the previous text. A
 * signal that ends the run closes it like the end of the run. */
#ifndef SIM_CLI_TERMINAL_TERMINAL_H
#define SIM_CLI_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct terminal {
    FILE *out;
    struct termios before;
    bool is_open, has_keys;         /* has_keys: standard input is a terminal, too */
};

/* False: `out` is no terminal, or cannot be redrawn. */
bool terminal_open(struct terminal *terminal, FILE *out);
void terminal_close(struct terminal *terminal);
/* Clears the display, from its first line on. */
void terminal_clear(struct terminal *terminal);
void terminal_size(const struct terminal *terminal, unsigned *rows, unsigned *columns);
/* A key, or 0 if none is pressed in this time. */
char terminal_key(const struct terminal *terminal, unsigned milliseconds);
/* Reads a number after the question, up to Enter. False: Escape, or no number. */
bool terminal_ask(struct terminal *terminal, const char *question, unsigned *number);

#endif
