/* A metric of space and time in finite differences, as cactuBSSN: long expressions of many fields
 * at each point, and their derivatives in three directions. */
#include "workload.h"

enum { SIDE = 44, CELLS = SIDE * SIDE * SIDE, FIELDS = 14 };

static double *field[FIELDS], *rate[6];

static void setup(void)
{
    for (int f = 0; f < FIELDS; f++) {
        field[f] = malloc(sizeof(double) * CELLS);
        for (int i = 0; i < CELLS; i++)
            field[f][i] = (f % 4 == 0) + 0.01 * random_real();
    }
    for (int f = 0; f < 6; f++)
        rate[f] = calloc(CELLS, sizeof(double));
}

static double slope(const double *f, int at, int step)
{
    return (f[at - 2 * step] - 8 * f[at - step] + 8 * f[at + step] - f[at + 2 * step]) / 12;
}

static double bend(const double *f, int at, int step)
{
    return (-f[at - 2 * step] + 16 * f[at - step] - 30 * f[at] + 16 * f[at + step] -
            f[at + 2 * step]) / 12;
}

static void point(int i)
{
    static const int step[3] = {1, SIDE, SIDE * SIDE};
    double xx = field[0][i], xy = field[1][i], xz = field[2][i];
    double yy = field[4][i], yz = field[3][i], zz = field[8][i], lapse = field[12][i];
    double minor_x = yy * zz - yz * yz, minor_y = xz * yz - xy * zz, minor_z = xy * yz - xz * yy;
    double inverse = 1 / (xx * minor_x + xy * minor_y + xz * minor_z + 1e-9);
    double trace = 0;

    for (int f = 0; f < 6; f++) {
        double curve = 0, drag = 0;
        for (int d = 0; d < 3; d++) {
            curve += bend(field[f], i, step[d]);
            drag += field[9 + d][i] * slope(field[f], i, step[d]);
        }
        double along = slope(field[13], i, step[f % 3]);
        rate[f][i] = -2 * lapse * field[5 + f % 3][i] + drag +
                     lapse * (curve * minor_x + along * minor_y - along * along * minor_z) *
                         inverse;
        trace += rate[f][i] * inverse;
    }
    rate[0][i] -= trace * xx / 3;
    rate[3][i] -= trace * yy / 3;
    rate[5][i] -= trace * zz / 3;
}

uint64_t work(void)
{
    static int next = 2;

    for (int n = 0; n < 2; n++, next = next == SIDE - 3 ? 2 : next + 1)
        for (int y = 2; y < SIDE - 2; y++)
            for (int x = 2; x < SIDE - 2; x++)
                point((next * SIDE + y) * SIDE + x);
    return (uint64_t)(fabs(rate[0][(2 * SIDE + 5) * SIDE + 7]) * 1e6);
}
