/* See stack_sums.h. */
#include "prof/report/stack_sums.h"

#include <stdlib.h>

/* The tree of all stacks; 0 is above their outermost frames. A frame's caller has a smaller
 * number. */
struct tree_frame {
    uint64_t below;                     /* value of the frame with its callees */
    uint32_t child, sibling, caller;    /* 0: none */
    uint32_t group;                     /* + 1; 0: of a frame that no stack has */
};

struct summing {
    const struct stacks *stacks;
    const struct stack_groups *groups;
    struct tree_frame *tree;
    uint32_t *of_function;              /* group + 1; 0: not yet found */
    uint32_t most;                      /* the largest of them */
};

/* The groups of one stack, from its leaf to the first frame that has one. */
static enum err find_groups(struct summing *summing, uint32_t leaf)
{
    const struct stacks *stacks = summing->stacks;
    enum err err = ERR_OK;

    for (uint32_t f = leaf; f != 0 && summing->tree[f].group == 0 && err == ERR_OK;
         f = stacks_frame(stacks, f)->caller) {
        uint32_t function = stacks_frame(stacks, f)->function, group = 0;

        if (summing->of_function[function] == 0) {
            err = summing->groups->find(summing->groups->arg, &stacks->function[function], &group);
            summing->of_function[function] = group + 1;
            summing->most = group + 1 > summing->most ? group + 1 : summing->most;
        }
        summing->tree[f].group = summing->of_function[function];
    }
    return err;
}

static void link_frames(const struct summing *summing, unsigned value)
{
    const struct stacks *stacks = summing->stacks;
    struct tree_frame *tree = summing->tree;

    for (size_t i = 0; i < stacks->samples; i++)
        tree[stacks->sample[i].leaf].below += stacks->sample[i].value[value];
    for (uint32_t f = (uint32_t)stacks->frames; f != 0; f--) {
        tree[f].caller = stacks_frame(stacks, f)->caller;
        tree[f].sibling = tree[tree[f].caller].child;
        tree[tree[f].caller].child = f;
        tree[tree[f].caller].below += tree[f].below;
    }
}

/* Adds the value of each group's outermost frame, which includes all frames below it. active: for
 * each group, the number of its frames from here to the root. */
static void add_outermost(const struct summing *summing, uint32_t *active)
{
    const struct tree_frame *tree = summing->tree;
    uint32_t f = tree[0].child;

    while (f != 0) {
        if (active[tree[f].group]++ == 0 && tree[f].group != 0)
            summing->groups->add(summing->groups->arg, tree[f].group - 1, tree[f].below);
        if (tree[f].child != 0) {
            f = tree[f].child;
            continue;
        }
        for (; f != 0 && tree[f].sibling == 0; f = tree[f].caller)
            active[tree[f].group]--;
        if (f == 0)
            break;
        active[tree[f].group]--;
        f = tree[f].sibling;
    }
}

static enum err sum(struct summing *summing, unsigned value, struct diag *diag)
{
    enum err err = ERR_OK;
    uint32_t *active;

    for (size_t i = 0; i < summing->stacks->samples && err == ERR_OK; i++)
        err = find_groups(summing, summing->stacks->sample[i].leaf);
    if (err != ERR_OK)
        return err;
    active = calloc(summing->most + 1, sizeof *active);
    if (active == NULL)
        return diag_no_memory(diag, "stacks");
    link_frames(summing, value);
    add_outermost(summing, active);
    free(active);
    return ERR_OK;
}

enum err stack_sums(const struct stacks *stacks, unsigned value, const struct stack_groups *groups,
                    struct diag *diag)
{
    struct summing summing = {
        .stacks = stacks, .groups = groups,
        .tree = calloc(stacks->frames + 1, sizeof *summing.tree),
        .of_function = calloc(stacks->functions + 1, sizeof *summing.of_function),
    };
    enum err err = summing.tree != NULL && summing.of_function != NULL
                       ? sum(&summing, value, diag) : diag_no_memory(diag, "stacks");

    free(summing.tree);
    free(summing.of_function);
    return err;
}
