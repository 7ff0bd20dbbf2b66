/* Inclusive sums: for each group of functions, the values of all call stacks on which one of its
 * functions is. A stack counts once for a group, however often its functions are on it. The time is
 * linear in the number of frames; adding up each stack by itself would be quadratic in the depth of
 * a recursion. */
#ifndef PROF_REPORT_STACK_SUMS_H
#define PROF_REPORT_STACK_SUMS_H

#include "prof/export/stacks.h"

struct stack_groups {
    /* The number of a function's group; called once for each function, in the order in which the
     * stacks have them, leaf first. */
    enum err (*find)(void *arg, const struct stacks_function *function, uint32_t *group);
    void (*add)(void *arg, uint32_t group, uint64_t value);
    void *arg;
};

/* value: an index of the samples' values. */
enum err stack_sums(const struct stacks *stacks, unsigned value, const struct stack_groups *groups,
                    struct diag *diag);

#endif
