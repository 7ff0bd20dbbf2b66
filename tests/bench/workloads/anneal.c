/* Placement by simulated annealing, as canneal: two elements of a netlist are taken at random, and
 * change places if that makes their wires shorter, or a little longer. */
#include "workload.h"

enum { ELEMENTS = 100000, FAN = 5, SIDE = 320, STEPS = 15000 };

struct place { int32_t x, y; };
struct element { struct element *fan[FAN]; struct place *at; uint64_t moves; };

static struct element *element;
static struct place *place;

static void setup(void)
{
    element = calloc(ELEMENTS, sizeof *element);
    place = calloc(ELEMENTS, sizeof *place);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        place[i] = (struct place){(int32_t)(i % SIDE), (int32_t)(i / SIDE)};
        element[i].at = &place[i];
        for (uint32_t j = 0; j < FAN; j++)
            element[i].fan[j] = &element[random_below(ELEMENTS)];
    }
}

static int64_t wires(const struct element *e, const struct place *at)
{
    int64_t length = 0;

    for (uint32_t j = 0; j < FAN; j++) {
        const struct place *other = e->fan[j]->at;
        length += abs(at->x - other->x) + abs(at->y - other->y);
    }
    return length;
}

uint64_t work(void)
{
    uint64_t accepted = 0;
    double temperature = 60;

    for (uint32_t step = 0; step < STEPS; step++) {
        struct element *a = &element[random_below(ELEMENTS)], *b = &element[random_below(ELEMENTS)];
        int64_t change = wires(a, b->at) + wires(b, a->at) - wires(a, a->at) - wires(b, b->at);

        if (change > 0 && exp(-(double)change / temperature) < random_real())
            continue;
        struct place *kept = a->at;
        a->at = b->at;
        b->at = kept;
        a->moves++;
        accepted++;
        temperature *= 0.99999;
    }
    return accepted;
}
