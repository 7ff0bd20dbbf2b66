/* Breadth-first search in a large graph. */
#include "workload.h"

enum { NODES = 150000, DEGREE = 6 };

static uint32_t *start, *target, *queue;
static int32_t *depth;

static void setup(void)
{
    start = malloc(sizeof *start * (NODES + 1));
    target = malloc(sizeof *target * NODES * DEGREE * 2);
    queue = malloc(sizeof *queue * NODES);
    depth = malloc(sizeof *depth * NODES);
    for (uint32_t i = 0, at = 0; i <= NODES; i++) {
        start[i] = at;
        for (uint32_t j = random_below(2 * DEGREE); i < NODES && j != 0; j--)
            target[at++] = random_below(NODES);
    }
}

static uint32_t search(uint32_t root)
{
    uint32_t first = 0, last = 0;

    memset(depth, 0xff, sizeof *depth * NODES);
    depth[root] = 0;
    queue[last++] = root;
    while (first < last) {
        uint32_t at = queue[first++];
        for (uint32_t i = start[at]; i < start[at + 1]; i++)
            if (depth[target[i]] < 0) {
                depth[target[i]] = depth[at] + 1;
                queue[last++] = target[i];
            }
    }
    return last;
}

uint64_t work(void)
{
    return search(random_below(NODES));
}
