/* The call stacks of samples of idle harts (pmu/abi_sampler.h), of all harts in one tree by
 * function and line. */
#ifndef PROF_IDLE_TREE_H
#define PROF_IDLE_TREE_H

#include <stdio.h>

#include "pmu/abi_kernel.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

#define IDLE_ALL_HARTS UINT32_MAX

/* A function and line under its parent; node 0 is the root. */
struct idle_node {
    char *name, *line;              /* "lookup"; "index.c:42", or "" */
    uint32_t parent, child, next;   /* 0: none */
    uint64_t *count;                /* [harts][SAMPLER_KINDS] number of stacks that end here */
};

struct idle_tree {
    struct idle_node *node;
    size_t nodes;
    unsigned harts;
};

/* idle_tree_free is due afterwards, also after an error. */
enum err idle_tree_init(struct idle_tree *tree, unsigned harts, struct diag *diag);
void idle_tree_free(struct idle_tree *tree);
/* Adds the tree of one hart: `nodes` nodes, the first of which is the root. */
enum err idle_tree_add(struct idle_tree *tree, unsigned hart,
                       const struct kernel_sampler_node *node, size_t nodes,
                       const struct symbols *symbols, struct diag *diag);
/* The number of stacks that end at the node, of one hart or of all; the second: or below it. */
uint64_t idle_tree_own(const struct idle_tree *tree, uint32_t node, uint32_t hart,
                       enum sampler_kind kind);
uint64_t idle_tree_sum(const struct idle_tree *tree, uint32_t node, uint32_t hart,
                       enum sampler_kind kind);

/* Prints the stacks of one hart or of all; nodes with less than `least` percent of them are left
 * out. */
void idle_tree_print(const struct idle_tree *tree, uint32_t hart, double least, FILE *out);
/* "to idle;main;work;wait 12" a line, in order of text: for flame graphs. */
enum err idle_tree_folded(const struct idle_tree *tree, FILE *out, struct diag *diag);

#endif
