/* See api_compare.h. */
#include "prof/api/api_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COSTS_MAX = 1000000, PERMUTATIONS_LEAST = 9999, PERMUTATIONS_MOST = 200000, ENOUGH = 200 };

/* Two samples by slot, and the rank of each slot among both. */
struct samples {
    unsigned slots;
    double mine[API_SLOTS], both[API_SLOTS], rank[API_SLOTS];
    double own, all;
};

/* ---- chance ---------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
    return ((double)(next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Draws the number of `marked` elements among `drawn` of `all`: tries numbers from the likeliest
 * outwards, until their probabilities add up to a random number. */
static double hypergeometric(double all, double marked, double drawn, uint64_t *state)
{
    double least = fmax(0, drawn - (all - marked)), most = fmin(drawn, marked), u = uniform(state);
    double mode = floor((drawn + 1) * (marked + 1) / (all + 2)), low, high, at_low, at_high;

    if (least >= most)
        return least;
    mode = fmin(most, fmax(least, mode));
    at_low = at_high = exp(log_choose(marked, mode) + log_choose(all - marked, drawn - mode) -
                           log_choose(all, drawn));
    low = high = mode;
    u -= at_low;
    while (u > 0 && (low > least || high < most)) {
        if (high < most) {
            at_high *= (marked - high) * (drawn - high) /
                       ((high + 1) * (all - marked - drawn + high + 1));
            u -= at_high;
            if (u <= 0)
                return high + 1;
            high++;
        }
        if (low > least) {
            at_low *= low * (all - marked - drawn + low) /
                      ((marked - low + 1) * (drawn - low + 1));
            u -= at_low;
            if (u <= 0)
                return low - 1;
            low--;
        }
    }
    return mode;
}

/* ---- the statistic --------------------------------------------------------------------------- */

static double scale_of(const struct api_row *row)
{
    double count = (double)api_row_total(row).count;

    return count > COSTS_MAX ? COSTS_MAX / count : 1;
}

/* A cost of 0 is in the first slot, bucket n in slot n + 1. Slots empty in both are removed. */
static void make_samples(struct samples *samples, const struct api_row *mine,
                         const struct api_row *published)
{
    double scale = scale_of(mine), other = scale_of(published);

    *samples = (struct samples){.slots = 0};
    for (unsigned slot = 0; slot < API_SLOTS; slot++) {
        unsigned at = slot == 0 ? API_ZERO : slot - 1;
        double own = round(scale * (double)mine->bucket[at].count);
        double both = own + round(other * (double)published->bucket[at].count);

        if (both == 0)
            continue;
        samples->mine[samples->slots] = own;
        samples->both[samples->slots] = both;
        samples->rank[samples->slots++] = samples->all + both / 2;
        samples->own += own;
        samples->all += both;
    }
}

static double sum_of_ranks(const struct samples *samples)
{
    double sum = 0;

    for (unsigned i = 0; i < samples->slots; i++)
        sum += samples->mine[i] * samples->rank[i];
    return sum;
}

double api_compare_effect(const struct api_row *mine, const struct api_row *published)
{
    struct samples samples;
    double other;

    make_samples(&samples, mine, published);
    other = samples.all - samples.own;
    if (samples.own == 0 || other == 0)
        return 0.5;
    return (sum_of_ranks(&samples) / samples.own - samples.own / 2) / other;
}

/* One permutation's sum of ranks. */
static double permute(const struct samples *samples, uint64_t *state)
{
    double sum = 0, all = samples->all, left = samples->own;

    for (unsigned i = 0; i < samples->slots && left > 0; i++) {
        double taken = hypergeometric(all, samples->both[i], left, state);

        sum += taken * samples->rank[i];
        left -= taken;
        all -= samples->both[i];
    }
    return sum;
}

double api_compare_p(const struct api_row *mine, const struct api_row *published, uint64_t seed,
                     unsigned permutations)
{
    struct samples samples;
    double seen;
    unsigned reached = 0, made = 0;

    make_samples(&samples, mine, published);
    if (samples.own == 0 || samples.own == samples.all)
        return 1;
    seen = sum_of_ranks(&samples);
    while (made < permutations && reached < ENOUGH) {
        reached += permute(&samples, &seed) >= seen - 1e-6;
        made++;
    }
    return (1.0 + reached) / (1.0 + made);
}

/* ---- many functions -------------------------------------------------------------------------- */

/* Seeds by the names, so that a function's p does not depend on the other functions. */
static uint64_t seed_of(uint64_t seed, const struct api_table *table, const struct api_row *row)
{
    const char *text[] = {table->function.text[row->function], table->cost.text[row->cost]};

    seed ^= (uint64_t)row->scope << 32;
    for (unsigned i = 0; i < 2; i++)
        for (const char *at = text[i]; *at != '\0'; at++)
            seed = (seed ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return seed;
}

static int by_p(const void *a, const void *b)
{
    const struct api_comparison *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->effect > y->effect ? -1 : x->effect < y->effect;
}

/* Holm's correction: the smallest p times their number, the next times one less, never falling. */
static void correct(struct api_comparisons *comparisons)
{
    double last = 0;

    for (size_t i = 0; i < comparisons->count; i++) {
        struct api_comparison *one = &comparisons->one[i];

        last = fmax(last, fmin(1, one->p * (double)(comparisons->count - i)));
        one->corrected = last;
        one->is_worse = one->corrected <= API_COMPARE_LEVEL && one->effect >= API_COMPARE_EFFECT;
    }
}

static void find_pairs(struct api_comparisons *comparisons, const struct api *mine,
                       const struct api *published)
{
    for (size_t i = 0; i < mine->table.rows; i++) {
        const struct api_row *row = &mine->table.row[i];
        const struct api_row *other =
            api_find(&published->table, mine->table.function.text[row->function],
                     mine->table.cost.text[row->cost], row->scope);

        if (other != NULL && api_row_total(row).count != 0)
            comparisons->one[comparisons->count++] =
                (struct api_comparison){.mine = row, .published = other};
    }
}

enum err api_compare(struct api_comparisons *comparisons, const struct api *mine,
                     const struct api *published, uint64_t seed, struct diag *diag)
{
    double wanted;

    *comparisons = (struct api_comparisons){
        calloc(mine->table.rows + 1, sizeof *comparisons->one), 0};
    if (comparisons->one == NULL)
        return diag_no_memory(diag, "a comparison");
    find_pairs(comparisons, mine, published);
    /* Enough for the smallest p to pass after the correction. */
    wanted = fmin(PERMUTATIONS_MOST, fmax(PERMUTATIONS_LEAST, 2 * (double)comparisons->count /
                                          API_COMPARE_LEVEL));
    for (size_t i = 0; i < comparisons->count; i++) {
        struct api_comparison *one = &comparisons->one[i];
        struct api_bucket own = api_row_total(one->mine), other = api_row_total(one->published);

        one->effect = api_compare_effect(one->mine, one->published);
        one->ratio = api_mean(&own) / api_mean(&other);
        one->p = api_compare_p(one->mine, one->published,
                               seed_of(seed, &mine->table, one->mine), (unsigned)wanted);
    }
    qsort(comparisons->one, comparisons->count, sizeof *comparisons->one, by_p);
    correct(comparisons);
    return ERR_OK;
}

void api_comparisons_free(struct api_comparisons *comparisons)
{
    free(comparisons->one);
    *comparisons = (struct api_comparisons){NULL, 0};
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_marked(const struct api_comparisons *comparisons, const struct api *mine,
                      const char *frame, size_t length)
{
    for (size_t i = 0; i < comparisons->count; i++) {
        const struct api_comparison *one = &comparisons->one[i];
        const char *name = mine->table.function.text[one->mine->function];

        if (one->is_worse && strlen(name) == length && memcmp(name, frame, length) == 0)
            return true;
    }
    return false;
}

/* Prints a stack with a star at each marked function; nothing without one. */
static void print_stack(const struct api_comparisons *comparisons, const struct api *mine,
                        const char *stack, FILE *out)
{
    bool has_mark = false;

    for (int pass = 0; pass < 2; pass++) {
        for (const char *frame = stack; *frame != '\0'; frame += *frame == ';') {
            size_t length = strcspn(frame, ";");
            bool marked = is_marked(comparisons, mine, frame, length);

            has_mark |= marked;
            if (pass == 1)
                fprintf(out, "%s%s%.*s", frame == stack ? "  " : ";", marked ? "*" : "",
                        (int)length, frame);
            frame += length;
        }
        if (!has_mark)
            return;
    }
    fputc('\n', out);
}

enum err api_comparisons_print(const struct api_comparisons *comparisons, const struct api *mine,
                               FILE *out, struct diag *diag)
{
    size_t worse = 0;

    (void)diag;
    fprintf(out, "  %-38s %-11s %-9s %9s %9s %7s %6s %9s %9s\n", "function", "cost", "scope",
            "calls", "published", "means", "A", "p", "corrected");
    for (size_t i = 0; i < comparisons->count; i++) {
        const struct api_comparison *one = &comparisons->one[i];

        worse += one->is_worse;
        fprintf(out, "%c %-38s %-11s %-9s %9llu %9llu %6.2fx %6.3f %9.2g %9.2g\n",
                one->is_worse ? '*' : ' ', mine->table.function.text[one->mine->function],
                mine->table.cost.text[one->mine->cost],
                one->mine->scope == API_INCLUSIVE ? "inclusive" : "exclusive",
                (unsigned long long)api_row_total(one->mine).count,
                (unsigned long long)api_row_total(one->published).count, one->ratio, one->effect,
                one->p, one->corrected);
    }
    fprintf(out, "%zu of %zu are worse than published (*)\n", worse, comparisons->count);
    if (worse == 0 || mine->stacks.function.count == 0)
        return ERR_OK;
    fputs("stacks with them:\n", out);
    for (size_t i = 0; i < mine->stacks.function.count; i++)
        print_stack(comparisons, mine, mine->stacks.function.text[i], out);
    return ERR_OK;
}
