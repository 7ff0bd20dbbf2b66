/* Forces between atoms, as namd and nab: a list of pairs, most of them near enough to count. */
#include "workload.h"

enum { ATOMS = 6000, NEIGHBOURS = 40, STEPS = 1 };

struct atom { double x, y, z, fx, fy, fz, charge; };

static struct atom *atom;
static uint32_t *pair;

static void setup(void)
{
    atom = calloc(ATOMS, sizeof *atom);
    pair = calloc(ATOMS * NEIGHBOURS, sizeof *pair);
    for (uint32_t i = 0; i < ATOMS; i++) {
        atom[i] = (struct atom){.x = i % 20 + random_real(), .y = i / 20 % 20 + random_real(),
                                .z = i / 400 + random_real(), .charge = i % 2 ? 0.4 : -0.4};
        for (uint32_t j = 0; j < NEIGHBOURS; j++)
            pair[i * NEIGHBOURS + j] = (i + 1 + random_below(j < 30 ? 40 : 800)) % ATOMS;
    }
}

static double forces_of(uint32_t i)
{
    double energy = 0, fx = 0, fy = 0, fz = 0;
    struct atom *a = &atom[i];

    for (uint32_t j = 0; j < NEIGHBOURS; j++) {
        struct atom *b = &atom[pair[i * NEIGHBOURS + j]];
        double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
        double square = dx * dx + dy * dy + dz * dz + 0.01;
        if (square > 300)
            continue;
        double inverse = 1 / square, sixth = inverse * inverse * inverse;
        double force = (12 * sixth * sixth - 6 * sixth) * inverse +
                       a->charge * b->charge * inverse * sqrt(inverse);
        energy += sixth * sixth - sixth;
        fx += force * dx;
        fy += force * dy;
        fz += force * dz;
        b->fx -= force * dx;
        b->fy -= force * dy;
        b->fz -= force * dz;
    }
    a->fx += fx;
    a->fy += fy;
    a->fz += fz;
    return energy;
}

uint64_t work(void)
{
    double energy = 0;

    for (int step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < ATOMS; i++)
            energy += forces_of(i);
        for (uint32_t i = 0; i < ATOMS; i++)
            atom[i].x += atom[i].fx * 1e-9;
    }
    return (uint64_t)fabs(energy);
}
