/* Clustering of a stream of points, as streamcluster: candidates are tried as new centres in random
 * order, and for each one every point is asked for the gain. */
#include "workload.h"

enum { POINTS = 24000, DIMENSIONS = 32, TRIALS = 1 };

struct point { float *at; float weight, cost; uint32_t centre; };

static struct point *point;
static uint8_t *moves;

static float distance(const float *a, const float *b)
{
    float sum = 0;

    for (int i = 0; i < DIMENSIONS; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void setup(void)
{
    float *block = malloc(sizeof *block * POINTS * DIMENSIONS);

    point = calloc(POINTS, sizeof *point);
    moves = calloc(POINTS, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        point[i] = (struct point){.at = block + i * DIMENSIONS, .weight = 1};
        for (int j = 0; j < DIMENSIONS; j++)
            point[i].at[j] = (float)random_below(1000) / 1000;
        point[i].cost = distance(point[i].at, point[0].at);
    }
}

static double gain(uint32_t centre)
{
    double saved = -20;

    for (uint32_t i = 0; i < POINTS; i++) {
        float cost = distance(point[i].at, point[centre].at) * point[i].weight;
        moves[i] = cost < point[i].cost;
        if (moves[i])
            saved += point[i].cost - cost;
    }
    return saved;
}

uint64_t work(void)
{
    uint64_t opened = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        uint32_t centre = random_below(POINTS);
        if (gain(centre) <= 0)
            continue;
        opened++;
        for (uint32_t i = 0; i < POINTS; i++)
            if (moves[i]) {
                point[i].centre = centre;
                point[i].cost = distance(point[i].at, point[centre].at);
            }
    }
    return opened;
}
