/* The tree of calls of a profile.
 *
 * If the profile has the exact call tree, this tree has the same nodes; a tail call is below the
 * routine that jumped.
 *
 * Otherwise, or with report->measured, the tree comes from the interrupts of marked calls and
 * returns, and of traps. Each record is one stack. The stack of a call ends in the routine entered,
 * and counts as one call of that node. A trap counts as a call of a routine that stands for its
 * kind, and the return from the trap as the return of its handler. Instructions since the last
 * interrupt (a call or return) belong to the caller at a call, and to the routine itself at its
 * return. So all instructions are divided exactly, except those before the first mark and after the
 * last. A routine entered by a jump has no call or return of its own; its instructions belong to
 * the routine that jumped.
 *
 * Where no call or return interrupted, each record is a sample of the routine at its leaf: the tree
 * has the numbers of samples, as --folded and --sort children have them. */
#ifndef PROF_CALLS_CALL_TREE_H
#define PROF_CALLS_CALL_TREE_H

#include "prof/report/report.h"

/* Of samples only their number is known. */
enum { INSTRUCTIONS, UNITS, COSTS, SAMPLES = INSTRUCTIONS };

struct call_node {
    uint64_t routine, calls;            /* no calls are known of samples */
    uint64_t own[COSTS], all[COSTS];
    size_t parent, child, sibling;      /* nodes; 0: none. Node 0 is above all roots */
};

/* A parent has a smaller number than its children. */
struct call_tree {
    const struct report *report;
    bool has_cycles;
    bool is_sampled;
    struct call_node *node;
    size_t nodes;
};

/* An error if the profile has no calls and no stacks. call_tree_free is due after it, too. */
enum err call_tree_build(struct call_tree *tree, const struct report *report, struct diag *diag);
void call_tree_free(struct call_tree *tree);

#endif
