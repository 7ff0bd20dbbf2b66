/* Stacks with a count and a sum, as folded lines or for pprof. */
#ifndef PROF_SERVE_HANDLER_FLAT_H
#define PROF_SERVE_HANDLER_FLAT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/err.h"

struct flat_stack { char *stack; uint64_t count, sum; };        /* "root;...;leaf" */
struct flat { struct flat_stack *stack; size_t stacks; };

enum err flat_add(struct flat *flat, const char *stack, uint64_t count, uint64_t sum);
void flat_free(struct flat *flat);
/* Texts and bytes from malloc; NULL: out of memory. `count`, `sum`: names of the values. */
char *flat_folded(const struct flat *flat, size_t *bytes);
/* Compressed with gzip. */
char *flat_pprof(const struct flat *flat, const char *count, const char *sum, const char *unit,
                 size_t *bytes);

#endif
