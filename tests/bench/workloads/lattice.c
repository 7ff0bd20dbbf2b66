/* Lattice Boltzmann in two dimensions, as lbm: nine distributions a cell collide and move to the
 * neighbours, in grids larger than the caches. */
#include "workload.h"

enum { WIDTH = 512, HEIGHT = 96, WAYS = 9 };

static const int dx[WAYS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int dy[WAYS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[WAYS] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9,
                                    1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
static double *now, *next;

static void setup(void)
{
    now = malloc(sizeof(double) * WIDTH * HEIGHT * WAYS);
    next = malloc(sizeof(double) * WIDTH * HEIGHT * WAYS);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int k = 0; k < WAYS; k++)
            now[i * WAYS + k] = weight[k] * (1 + 0.01 * ((i * 7 + k) % 13));
}

static void collide(const double *in, int x, int y)
{
    double density = 0, ux = 0, uy = 0;

    for (int k = 0; k < WAYS; k++) {
        density += in[k];
        ux += in[k] * dx[k];
        uy += in[k] * dy[k];
    }
    ux /= density;
    uy /= density;
    double square = 1.5 * (ux * ux + uy * uy);
    for (int k = 0; k < WAYS; k++) {
        double along = 3 * (ux * dx[k] + uy * dy[k]);
        double balance = weight[k] * density * (1 + along + along * along / 2 - square);
        int to = (y + dy[k]) * WIDTH + x + dx[k];
        next[to * WAYS + k] = in[k] - 1.2 * (in[k] - balance);
    }
}

uint64_t work(void)
{
    double *kept = now;

    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++)
            collide(&now[(y * WIDTH + x) * WAYS], x, y);
    now = next;
    next = kept;
    return (uint64_t)(now[WIDTH * WAYS * 10 + 50] * 1e6);
}
