/* Are one's own costs of a function larger than the published ones? A permutation test.
 *
 * Both are known by buckets only, so a cost counts as its bucket's rank among all costs of both
 * (ties share the mean rank). The statistic is A, the chance that one of one's own costs, drawn at
 * random, is larger than a published one, equal ones counted half: 0.5 where nothing differs. It is
 * one-sided. A permutation draws as many costs as one's own from all of both, without putting back:
 * exactly, bucket by bucket (hypergeometric). p is (1 + permutations with at least this A) / (1 +
 * permutations); drawing ends early when it is clear that p is large. p of many functions are
 * corrected by Holm's method. Differences within a bucket, of up to a factor of 2, are not seen.
 *
 * Of more than a million costs, the shares of the buckets are kept and the number is a million. */
#ifndef PROF_API_API_COMPARE_H
#define PROF_API_API_COMPARE_H

#include "prof/api/api.h"

/* Marked: the corrected p is at most this, and the effect is at least this (Vargha and Delaney's
 * "small"). */
#define API_COMPARE_LEVEL 0.05
#define API_COMPARE_EFFECT 0.56

struct api_comparison {
    const struct api_row *mine, *published;
    double effect;                  /* A */
    double ratio;                   /* of the means; not a number: not known */
    double p, corrected;
    bool is_worse;                  /* marked */
};

struct api_comparisons { struct api_comparison *one; size_t count; };

/* Each row that both have; the smallest corrected p, then the largest effect, first. The same seed
 * gives the same p, whatever other functions there are. */
enum err api_compare(struct api_comparisons *comparisons, const struct api *mine,
                     const struct api *published, uint64_t seed, struct diag *diag);
void api_comparisons_free(struct api_comparisons *comparisons);
/* A table, and below it the stacks in which marked functions stand. */
enum err api_comparisons_print(const struct api_comparisons *comparisons, const struct api *mine,
                               FILE *out, struct diag *diag);

/* Inside: A of two rows, and p by permutations. */
double api_compare_effect(const struct api_row *mine, const struct api_row *published);
double api_compare_p(const struct api_row *mine, const struct api_row *published, uint64_t seed,
                     unsigned permutations);

#endif
