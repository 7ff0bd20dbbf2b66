/* Prices of options after Black and Scholes, as blackscholes: exp, log, square roots and divisions
 * of a stream of records. */
#include "workload.h"

enum { OPTIONS = 15000 };

struct option { double spot, strike, rate, volatility, time; int is_put; };

static struct option *option;
static double *price;

static void setup(void)
{
    option = calloc(OPTIONS, sizeof *option);
    price = calloc(OPTIONS, sizeof *price);
    for (uint32_t i = 0; i < OPTIONS; i++)
        option[i] = (struct option){
            .spot = 20 + 80 * random_real(), .strike = 20 + 80 * random_real(),
            .rate = 0.02 + 0.08 * random_real(), .volatility = 0.1 + 0.5 * random_real(),
            .time = 0.1 + random_real(), .is_put = (int)random_below(2),
        };
}

/* Abramowitz and Stegun, 26.2.17. */
static double normal(double x)
{
    double size = x < 0 ? -x : x, k = 1 / (1 + 0.2316419 * size);
    double sum = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k *
                 (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228040143268 * exp(-size * size / 2) * sum;

    return x < 0 ? tail : 1 - tail;
}

static double price_of(const struct option *o)
{
    double spread = o->volatility * sqrt(o->time);
    double d1 = (log(o->spot / o->strike) +
                 (o->rate + o->volatility * o->volatility / 2) * o->time) / spread;
    double later = o->strike * exp(-o->rate * o->time), d2 = d1 - spread;

    if (o->is_put)
        return later * (1 - normal(d2)) - o->spot * (1 - normal(d1));
    return o->spot * normal(d1) - later * normal(d2);
}

uint64_t work(void)
{
    double sum = 0;

    for (uint32_t i = 0; i < OPTIONS; i++)
        sum += price[i] = price_of(&option[i]);
    return (uint64_t)sum;
}
