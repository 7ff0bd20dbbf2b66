/* Numbers for texts: each distinct text has one, counted from 0 in order of insertion. */
#ifndef PROF_RECORDS_NAMES_H
#define PROF_RECORDS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

enum { NAMES_NONE = -1 };

struct names {
    char **text;                    /* [count] */
    size_t count, room;
    uint32_t *slot;                 /* a hash table of number + 1; 0: free */
    size_t slots;                   /* a power of two, at least twice `count` */
};

/* The number of a text, which is added if it is new. The struct starts zeroed. */
enum err names_add(struct names *names, const char *text, uint32_t *number, struct diag *diag);
/* The number of a name, or NAMES_NONE. */
long names_find(const struct names *names, const char *text);
void names_free(struct names *names);

/* For nearest_name and diag_suggest. */
struct names_walk { const struct names *names; size_t at; };
const char *names_next(void *walk);

#endif
