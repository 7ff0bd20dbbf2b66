/* Network simplex, as mcf: pricing walks the arcs of a large network and reads two nodes for each
 * arc, and every arc that enters the tree changes the potentials of a branch of the tree. */
#include "workload.h"

enum { NODES = 60000, ARCS = 240000, BLOCK = 300, ROUNDS = 1500 };

struct node { int64_t potential; struct node *parent; int64_t flow, depth, pad[4]; };
struct arc { struct node *tail, *head; int64_t cost; int32_t state, pad; };

static struct node *node;
static struct arc *arc;

static void setup(void)
{
    node = calloc(NODES, sizeof *node);
    arc = calloc(ARCS, sizeof *arc);
    for (uint32_t i = 0; i < NODES; i++) {
        node[i].parent = i != 0 ? &node[random_below(i)] : NULL;
        node[i].depth = i != 0 ? node[i].parent->depth + 1 : 0;
        node[i].potential = random_below(100000);
    }
    for (uint32_t i = 0; i < ARCS; i++)
        arc[i] = (struct arc){.tail = &node[random_below(NODES)],
                              .head = &node[random_below(NODES)], .cost = random_below(20000),
                              .state = random_below(8) != 0};
}

static int64_t reduced_cost(const struct arc *a)
{
    return a->cost - a->tail->potential + a->head->potential;
}

static struct arc *price(uint32_t from)
{
    struct arc *best = NULL;
    int64_t least = 0;

    for (uint32_t i = from; i < from + BLOCK; i++) {
        if (arc[i].state == 0)
            continue;
        int64_t cost = reduced_cost(&arc[i]);
        if (cost < least) {
            least = cost;
            best = &arc[i];
        }
    }
    return best;
}

static void enter(struct arc *a)
{
    int64_t change = reduced_cost(a) / 2;
    struct node *at = a->head;

    for (; at != NULL && at->depth > 2; at = at->parent) {
        at->potential -= change;
        at->flow++;
    }
    a->state = 0;
}

uint64_t work(void)
{
    uint64_t entered = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct arc *a = price(random_below(ARCS - BLOCK));
        if (a == NULL)
            continue;
        enter(a);
        entered++;
    }
    return entered;
}
