/* A permutation test: are the user's own costs of a function larger than the published ones?
 *
 * Both sets are known by buckets only, so a cost counts as its bucket's rank among all costs of
 * both sets (ties share the mean rank). The statistic is A, the probability that a random own cost
 * is larger than a random published one, ties counted half: 0.5 for equal distributions. The test
 * is one-sided. A permutation draws, without replacement, as many costs from both sets together as
 * there are own costs; the number from each bucket has the exact (hypergeometric) distribution. p
 * is (1 + permutations with at least this A) / (1 + permutations); drawing ends early when p is
 * clearly large. The p of several functions are corrected by Holm's method. Differences within a
 * bucket (up to a factor of 2) are invisible.
 *
 * More than a million costs are scaled down to a million, with the same shares of the buckets. */
#ifndef PROF_API_API_COMPARE_H
#define PROF_API_API_COMPARE_H

#include "prof/api/api.h"

/* A function is marked if the corrected p is at most this, and the effect is at least this (Vargha
 * and Delaney's "small"). */
#define API_COMPARE_LEVEL 0.05
#define API_COMPARE_EFFECT 0.56

struct api_comparison {
    const struct api_row *mine, *published;
    double effect;                  /* A */
    double ratio;                   /* of the means; not a number: unknown */
    double p, corrected;
    bool is_worse;                  /* marked */
};

struct api_comparisons { struct api_comparison *one; size_t count; };

/* Each row that both have, by rising corrected p, then by falling effect. The same seed gives the
 * same p, independent of other functions. */
enum err api_compare(struct api_comparisons *comparisons, const struct api *mine,
                     const struct api *published, uint64_t seed, struct diag *diag);
void api_comparisons_free(struct api_comparisons *comparisons);
/* Prints a table, and below it the stacks with marked functions. */
enum err api_comparisons_print(const struct api_comparisons *comparisons, const struct api *mine,
                               FILE *out, struct diag *diag);

/* Internal: A of two rows, and p by permutations. */
double api_compare_effect(const struct api_row *mine, const struct api_row *published);
double api_compare_p(const struct api_row *mine, const struct api_row *published, uint64_t seed,
                     unsigned permutations);

#endif
