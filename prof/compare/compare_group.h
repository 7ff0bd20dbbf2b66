/* The basic block and the function of each row. Internal to compare*.c. */
#ifndef PROF_COMPARE_COMPARE_GROUP_H
#define PROF_COMPARE_COMPARE_GROUP_H

#include "prof/compare/compare.h"

/* A block begins at the start of a function, after a transfer, a system instruction or a gap, at
 * the target of a branch or jump, and at an instruction with another number of commits than the one
 * before (it was also entered from elsewhere). False: no memory. */
bool compare_find_groups(struct compare *compare, const struct symbols *symbols);

#endif
