/* Physics of columns of air, as wrf and cam4: for each level of each column condensation, heat and
 * radiation, from a dozen fields larger than the caches. */
#include "workload.h"

enum { CELLS = 320 * 48, LEVELS = 8, FIELDS = 9 };
enum { HEAT, VAPOUR, CLOUD, RAIN, PRESSURE, DENSITY, UP, FLUX, OUT };

static double *field[FIELDS];

static void setup(void)
{
    for (int f = 0; f < FIELDS; f++) {
        field[f] = malloc(sizeof(double) * CELLS * LEVELS);
        for (int i = 0; i < CELLS * LEVELS; i++)
            field[f][i] = f == HEAT ? 260 + 40 * random_real()
                          : f == PRESSURE ? 4e4 + 6e4 * random_real()
                          : f == DENSITY ? 0.5 + random_real() : 0.01 * random_real();
    }
}

static double saturation(double heat, double pressure)
{
    double vapour = 611.2 * exp(17.67 * (heat - 273.15) / (heat - 29.65));

    return 0.622 * vapour / (pressure - 0.378 * vapour);
}

static void level(int at, int above)
{
    double heat = field[HEAT][at], vapour = field[VAPOUR][at], cloud = field[CLOUD][at];
    double most = saturation(heat, field[PRESSURE][at]), change = 0;

    if (vapour > most) {
        change = (vapour - most) / (1 + 5423 * 2.5e6 * most / (1004 * heat * heat));
        cloud += change;
        vapour -= change;
        heat += 2490 * change;
    } else if (cloud > 0) {
        change = fmin(cloud, most - vapour);
        cloud -= change;
        vapour += change;
        heat -= 2490 * change;
    }
    double rain = field[RAIN][at], collected = cloud > 0.001 ? 0.002 * (cloud - 0.001) : 0;
    if (rain > 1e-8)
        collected += 2.2 * cloud * sqrt(rain * sqrt(sqrt(rain)));
    double wind = field[UP][at] - field[UP][above], mass = field[DENSITY][at];
    double radiated = 5.67e-8 * heat * heat * heat * heat * (1 - 0.7 * cloud / (cloud + 0.01));
    field[FLUX][at] = field[FLUX][above] * 0.9 + radiated;
    field[HEAT][at] = heat - (field[FLUX][at] - field[FLUX][above]) / (1004 * mass) * 0.01;
    field[VAPOUR][at] = vapour;
    field[CLOUD][at] = cloud - collected;
    field[RAIN][at] = rain + collected - wind * rain / mass;
    field[OUT][at] += change;
}

uint64_t work(void)
{
    for (int k = 0; k < LEVELS / 4; k++)
        for (int i = 0; i < CELLS; i++)
            level(k * CELLS + i, (k + 1) * CELLS + i);
    return (uint64_t)(field[HEAT][777] * 1e6);
}
