/* Conjugate gradients over a sparse matrix, as parest: most time goes to the product of the matrix
 * with a vector that is read in no order. */
#include "workload.h"

enum { ROWS = 60000, IN_ROW = 9, STEPS = 2 };

static uint32_t *start, *column;
static double *value, *x, *r, *p, *q;

static void setup(void)
{
    start = malloc(sizeof *start * (ROWS + 1));
    column = malloc(sizeof *column * ROWS * IN_ROW);
    value = malloc(sizeof *value * ROWS * IN_ROW);
    x = calloc(ROWS, sizeof *x);
    r = calloc(ROWS, sizeof *r);
    p = calloc(ROWS, sizeof *p);
    q = calloc(ROWS, sizeof *q);
    for (uint32_t i = 0, at = 0; i <= ROWS; i++) {
        start[i] = at;
        for (uint32_t j = 0; i < ROWS && j < IN_ROW; j++, at++) {
            column[at] = j == 0 ? i : random_below(ROWS);
            value[at] = j == 0 ? 20 : 1;
        }
    }
    for (uint32_t i = 0; i < ROWS; i++)
        p[i] = r[i] = random_real();
}

static void multiply(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (uint32_t at = start[i]; at < start[i + 1]; at++)
            sum += value[at] * p[column[at]];
        q[i] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;

    for (uint32_t i = 0; i < ROWS; i++)
        sum += a[i] * b[i];
    return sum;
}

uint64_t work(void)
{
    double rr = dot(r, r);

    for (int step = 0; step < STEPS; step++) {
        multiply();
        double alpha = rr / dot(p, q), before = rr;
        for (uint32_t i = 0; i < ROWS; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r);
        for (uint32_t i = 0; i < ROWS; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return (uint64_t)(x[17] * 1e9);
}
