/* A scheme's own error (bias) and the sampling error: a profile with a sample in every cycle has
 * only the bias; a profile with n samples also has the error of a random choice of n samples.
 *
 * The interval contains 95 of 100 profiles of n samples drawn from the profile of every cycle, as
 * if samples were independent and each fell on one instruction. For schemes that divide a sample
 * among instructions, whose sampling error is smaller, only the upper limit is given. Samples at a
 * fixed distance can keep step with the program; an error outside of the interval shows that they
 * do.
 * Draws are the same every time (splitmix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom
 * Number Generators", OOPSLA 2014). */
#include <math.h>
#include <stdlib.h>

#include "pmu/scheme/scheme_cost.h"
#include "sim/cli/command/compare/compare.h"

enum { DRAWS = 200, LOWER = 5, UPPER = DRAWS - 1 - LOWER };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The profile for drawing samples: sum[i] is the sum of the first i + 1 shares. Drawn numbers from
 * k / PARTS up to (k + 1) / PARTS belong to row from[k] or later ones. */
enum { PARTS = 1024 };

struct draw {
    const struct compare *compare;
    double *sum, *share, *truth;        /* [compare->rows] */
    size_t from[PARTS];
    uint64_t random;
};

static double uniform(struct draw *draw)
{
    return (double)(next_random(&draw->random) >> 11) * 0x1p-53;
}

/* The first row whose sum is above `at`, but at most the last one; no row before `row` is. */
static size_t row_above(const struct draw *draw, size_t row, double at)
{
    size_t last = draw->compare->rows - 1;

    while (row < last && draw->sum[row] <= at)
        row++;
    return row;
}

static void divide(struct draw *draw)
{
    size_t row = 0;

    for (unsigned k = 0; k < PARTS; k++)
        draw->from[k] = row = row_above(draw, row, (double)k / PARTS);
}

static size_t draw_row(struct draw *draw)
{
    double at = uniform(draw);

    return row_above(draw, draw->from[(size_t)(at * PARTS)], at);
}

/* Normally distributed, with variance 1 (Box and Muller, 1958). */
static double normal(struct draw *draw)
{
    double radius = sqrt(-2 * log(1 - uniform(draw)));

    return radius * cos(6.283185307179586 * uniform(draw));
}

/* Draws sample by sample. Above SAMPLES_MOST each share is drawn from the normal distribution,
 * which then is close to the binomial one. */
enum { SAMPLES_MOST = 20000 };

static void draw_profile(struct draw *draw, uint64_t samples)
{
    size_t rows = draw->compare->rows;
    double before = 0;

    for (size_t i = 0; i < rows; i++) {
        double share = draw->sum[i] - before, one = share * (1 - share) / (double)samples;

        before = draw->sum[i];
        draw->share[i] = samples > SAMPLES_MOST ? share + sqrt(fmax(one, 0)) * normal(draw) : 0;
    }
    for (uint64_t i = 0; i < samples && samples <= SAMPLES_MOST; i++)
        draw->share[draw_row(draw)] += 1 / (double)samples;
}

/* The error of one profile of `samples` samples, by instruction. */
static double draw_error(struct draw *draw, uint64_t samples)
{
    double difference = 0;

    draw_profile(draw, samples);
    for (size_t i = 0; i < draw->compare->rows; i++)
        difference += fabs(draw->share[i] - draw->truth[i]);
    return difference / 2;
}

static void find_interval(struct draw *draw, unsigned id, uint64_t samples,
                          double interval[2])
{
    const struct compare *compare = draw->compare;
    double error[DRAWS], sum = 0;

    draw->random = id;
    for (size_t i = 0; i < compare->rows; i++)
        draw->sum[i] = sum += compare_share(compare, &compare->row[i], id);
    divide(draw);
    for (unsigned i = 0; i < DRAWS; i++)
        error[i] = draw_error(draw, samples);
    qsort(error, DRAWS, sizeof error[0], compare_numbers);
    interval[0] = error[LOWER];
    interval[1] = error[UPPER];
}

/* A scheme that counts everything has no sampling error. */
static struct compare_bias bias_of(const struct compare_view *view, struct draw *draw,
                                   unsigned id)
{
    bool is_sampled = scheme_row(id).kind == SCHEME_SAMPLED;
    struct compare_bias bias = {.is_known = true, .is_bound = scheme_divides_samples(id)};
    double interval[2];

    bias.bias = (is_sampled ? draw->compare : view->compare)->error[id][COMPARE_INSN];
    if (!is_sampled || id == SCHEME_CTR || view->compare->taken[id] == 0)
        return bias;
    find_interval(draw, id, view->compare->taken[id], interval);
    bias.is_interval_known = true;
    bias.low = interval[0];
    bias.high = interval[1];
    return bias;
}

bool compare_find_bias(const struct compare_view *view, struct compare_bias bias[SCHEMES_MAX])
{
    const struct compare *every = view->options->every_cycle;
    struct draw draw = {.compare = every};
    bool is_fine;

    if (every == NULL || every->rows == 0)
        return true;
    draw.sum = calloc(every->rows, sizeof *draw.sum);
    draw.share = calloc(every->rows, sizeof *draw.share);
    draw.truth = calloc(every->rows, sizeof *draw.truth);
    is_fine = draw.sum != NULL && draw.share != NULL && draw.truth != NULL;
    for (size_t i = 0; is_fine && i < every->rows; i++)
        draw.truth[i] = compare_truth(every, &every->row[i]);
    for (unsigned id = 0; is_fine && id < scheme_count(); id++)
        if (view->options->is_shown[id])
            bias[id] = bias_of(view, &draw, id);
    free(draw.sum);
    free(draw.share);
    free(draw.truth);
    return is_fine;
}
