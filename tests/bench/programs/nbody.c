/* Planets that attract each other, in double precision: additions, products, roots, divisions.
 * The checksum is the energy to nine digits, which no order of rounding changes. */
#include "bench.h"

enum { BODIES = 5, STEPS = 2000 };

struct body { double at[3], speed[3], mass; };

static struct body bodies[BODIES];

/* A sun of mass 1 and planets on circles of radius 1, 2, 3, 4, tilted a little. */
static void place(void)
{
    bodies[0] = (struct body){.mass = 1.0};
    for (int i = 1; i < BODIES; i++) {
        double radius = (double)i, speed = __builtin_sqrt(1.0 / radius);
        bodies[i] = (struct body){
            .at = {i & 1 ? radius : 0.0, i & 1 ? 0.0 : radius, 0.01 * i},
            .speed = {i & 1 ? 0.0 : -speed, i & 1 ? speed : 0.0, 0.001 * i}, .mass = 0.0001 * i,
        };
    }
}

static void pull(struct body *a, struct body *b, double step)
{
    double gap[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        gap[k] = a->at[k] - b->at[k];
        square += gap[k] * gap[k];
    }
    double strength = step / (square * __builtin_sqrt(square));
    for (int k = 0; k < 3; k++) {
        a->speed[k] -= gap[k] * b->mass * strength;
        b->speed[k] += gap[k] * a->mass * strength;
    }
}

static void advance(double step)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++)
            pull(&bodies[i], &bodies[j], step);
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            bodies[i].at[k] += step * bodies[i].speed[k];
}

static double energy(void)
{
    double sum = 0.0;
    for (int i = 0; i < BODIES; i++) {
        const struct body *a = &bodies[i];
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += a->speed[k] * a->speed[k];
        sum += 0.5 * a->mass * square;
        for (int j = i + 1; j < BODIES; j++) {
            double distance = 0.0;
            for (int k = 0; k < 3; k++)
                distance += (a->at[k] - bodies[j].at[k]) * (a->at[k] - bodies[j].at[k]);
            sum -= a->mass * bodies[j].mass / __builtin_sqrt(distance);
        }
    }
    return sum;
}

uint32_t bench_round(void)
{
    place();
    for (int step = 0; step < STEPS; step++)
        advance(0.001);
    return (uint32_t)(int32_t)(energy() * -1e9);
}

BENCH(16, UINT32_C(200089));
