/* A fluid of particles, as fluidanimate: densities and forces between the particles of neighbouring
 * cells of a grid. */
#include "workload.h"

enum { SIDE = 11, CELLS = SIDE * SIDE * SIDE, IN_CELL = 4 };

struct vector { float x, y, z; };
struct cell { int count; struct vector at[IN_CELL], force[IN_CELL], speed[IN_CELL];
              float density[IN_CELL]; };

static struct cell *cell;

static void setup(void)
{
    cell = calloc(CELLS, sizeof *cell);
    for (int i = 0; i < CELLS; i++) {
        cell[i].count = (int)random_below(IN_CELL + 1);
        for (int j = 0; j < cell[i].count; j++)
            cell[i].at[j] = (struct vector){
                (float)(i % SIDE + random_real()), (float)(i / SIDE % SIDE + random_real()),
                (float)(i / SIDE / SIDE + random_real())};
    }
}

static float square(struct vector a, struct vector b)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;

    return x * x + y * y + z * z;
}

static void densities(struct cell *a, struct cell *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            float d = square(a->at[i], b->at[j]);
            if (&a->at[i] == &b->at[j] || d >= 1)
                continue;
            float t = 1 - d;
            a->density[i] += t * t * t;
        }
}

static void forces(struct cell *a, struct cell *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            float d = square(a->at[i], b->at[j]);
            if (&a->at[i] == &b->at[j] || d >= 1)
                continue;
            float distance = sqrtf(d < 1e-6f ? 1e-6f : d), left = 1 - distance;
            float push = left * left / distance * (a->density[i] + b->density[j] - 4);
            a->force[i].x += (a->at[i].x - b->at[j].x) * push;
            a->force[i].y += (a->at[i].y - b->at[j].y) * push;
            a->force[i].z += (a->at[i].z - b->at[j].z) * push;
        }
}

static void around(void (*act)(struct cell *, struct cell *))
{
    for (int z = 1; z < SIDE - 1; z++)
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++)
                for (int n = 0; n < 27; n++)
                    act(&cell[(z * SIDE + y) * SIDE + x],
                        &cell[((z + n / 9 - 1) * SIDE + y + n / 3 % 3 - 1) * SIDE + x + n % 3 - 1]);
}

uint64_t work(void)
{
    float sum = 0;

    around(densities);
    around(forces);
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < cell[i].count; j++) {
            cell[i].speed[j].x += cell[i].force[j].x * 0.001f;
            cell[i].speed[j].y += cell[i].force[j].y * 0.001f - 0.01f;
            cell[i].speed[j].z += cell[i].force[j].z * 0.001f;
            sum += cell[i].density[j] + cell[i].speed[j].y;
        }
    return (uint64_t)fabsf(sum);
}
