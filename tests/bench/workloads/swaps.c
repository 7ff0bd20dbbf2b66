/* Prices of swaptions by simulation, as swaptions: paths of forward rates after Heath, Jarrow and
 * Morton, from normal numbers by inversion. */
#include "workload.h"

enum { FACTORS = 3, TENORS = 11, STEPS = 10, PATHS = 90 };

static double drift[TENORS], factor[FACTORS][TENORS], rate[TENORS], path[STEPS + 1][TENORS];

static void setup(void)
{
    for (int j = 0; j < TENORS; j++) {
        rate[j] = 0.05 + 0.002 * j;
        drift[j] = 0.0001 * (j + 1);
        for (int f = 0; f < FACTORS; f++)
            factor[f][j] = 0.01 * exp(-0.1 * j * (f + 1));
    }
}

/* Moro's approximation of the inverse of the normal distribution. */
static double inverse_normal(double u)
{
    double x = u - 0.5, r;

    if (fabs(x) < 0.42) {
        r = x * x;
        return x * (((-25.44106049637 * r + 41.39119773534) * r - 18.61500062529) * r +
                    2.50662823884) /
               ((((3.13082909833 * r - 21.06224101826) * r + 23.08336743743) * r -
                 8.47351093090) * r + 1);
    }
    r = log(-log(x > 0 ? 1 - u : u));
    r = 0.3374754822726147 + r * (0.9761690190917186 + r * (0.1607979714918209 +
        r * (0.0276438810333863 + r * 0.0038405729373609)));
    return x < 0 ? -r : r;
}

static double simulate(void)
{
    double discount = 0, value = 0;

    for (int j = 0; j < TENORS; j++)
        path[0][j] = rate[j];
    for (int step = 1; step <= STEPS; step++) {
        double z[FACTORS];
        for (int f = 0; f < FACTORS; f++)
            z[f] = inverse_normal(0.0001 + 0.9998 * random_real());
        for (int j = 0; j < TENORS - step; j++) {
            double shock = 0;
            for (int f = 0; f < FACTORS; f++)
                shock += factor[f][j] * z[f];
            path[step][j] = path[step - 1][j + 1] + drift[j] * 0.5 + sqrt(0.5) * shock;
        }
        discount += path[step - 1][0] * 0.5;
    }
    for (int j = 0; j < TENORS; j++)
        value += exp(-path[STEPS / 2][j < TENORS - STEPS / 2 ? j : 0] * 0.5 * (j + 1));
    return fmax(value - 6, 0) * exp(-discount);
}

uint64_t work(void)
{
    double sum = 0;

    for (int i = 0; i < PATHS * 10; i++)
        sum += simulate();
    return (uint64_t)(sum * 1e6);
}
