/* Errors in the user's input: modules fill a diagnosis and return a code; main prints. */
#ifndef SIM_BASE_ERR_H
#define SIM_BASE_ERR_H

#include <stddef.h>

enum err {
    ERR_OK = 0,
    ERR_USAGE,      /* wrong option or unusable input: exit status 2 */
    ERR_IO,         /* cannot open, read or write: exit status 2 */
    ERR_NO_MEMORY,  /* exit status 125 */
    ERR_INTERNAL,   /* a defect of the simulator: exit status 125 */
    ERR_INTERRUPTED,    /* Ctrl-C before there was a result: exit status 130 */
    ERR_HAND_OVER,  /* no failure: the command begins again with the guest kernel (main.c) */
};

struct diag {
    char text[512];     /* one line without newline: "file:line:column: expectation" */
};

/* printf into diag->text (truncating) and return `err`. diag may be NULL. */
enum err diag_set(struct diag *diag, enum err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory for WHAT", or without the last words when `what` is NULL. ERR_NO_MEMORY. */
enum err diag_no_memory(struct diag *diag, const char *what);

/* The candidate with the smallest edit distance to `name`, or NULL when none is near. `next` yields
 * candidates until NULL. */
const char *nearest_name(const char *name, const char *(*next)(void *state), void *state);

/* Adds "; did you mean X?" to a diagnosis about the unknown `name`, if a candidate X is near.
 * Returns `err`. diag may be NULL. */
enum err diag_suggest(struct diag *diag, enum err err, const char *name,
                      const char *(*next)(void *state), void *state);

#endif
