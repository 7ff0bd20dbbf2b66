/* A wave in three dimensions, as fotonik3d, roms and bwaves: stencils over fields larger than the
 * caches. */
#include "workload.h"

enum { SIDE = 80, CELLS = SIDE * SIDE * SIDE };

static double *wave, *before, *speed;

static void setup(void)
{
    wave = malloc(sizeof *wave * CELLS);
    before = malloc(sizeof *before * CELLS);
    speed = malloc(sizeof *speed * CELLS);
    for (int i = 0; i < CELLS; i++) {
        wave[i] = before[i] = (i % 17) * 0.1;
        speed[i] = 0.1 + (i % 5) * 0.01;
    }
}

static void step(void)
{
    for (int z = 1; z < SIDE - 1; z++)
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++) {
                int at = (z * SIDE + y) * SIDE + x;
                double around = wave[at - 1] + wave[at + 1] + wave[at - SIDE] + wave[at + SIDE] +
                                wave[at - SIDE * SIDE] + wave[at + SIDE * SIDE];
                before[at] = 2 * wave[at] - before[at] + speed[at] * (around - 6 * wave[at]);
            }
}

uint64_t work(void)
{
    double *kept = wave;

    step();
    wave = before;
    before = kept;
    return (uint64_t)(wave[CELLS / 2] * 1e6);
}
