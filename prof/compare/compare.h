/* Profiles of the virtual schemes (pmu/scheme/scheme.h) compared with the oracle's.
 *
 * The error of a profile is the share of time that it attributes wrongly: e = 1 - sum of min(p, q),
 * which is half the sum of |p - q|, where p and q are the shares of an instruction, basic block or
 * function in the profile and in the oracle's. 0: the same profile; 1: nothing in common. It
 * includes the error of the scheme and the error of sampling. (MICRO 2021, section 4: e = (total -
 * correct) / total, over the cycles that a profile gives to a symbol.) */
#ifndef PROF_COMPARE_COMPARE_H
#define PROF_COMPARE_COMPARE_H

#include "pmu/scheme/scheme.h"
#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum compare_level { COMPARE_INSN, COMPARE_BLOCK, COMPARE_FUNCTION, COMPARE_LEVELS };

struct compare_row {
    uint64_t address;
    bool is_monitor;
    uint64_t truth, count;          /* oracle: units; commits */
    uint64_t units[SCHEMES_MAX];
    size_t group[COMPARE_LEVELS];   /* number of its block, of its function, ... */
};

/* A share of time with the events of an instruction. place: as in pmu/scheme/scheme.h. */
struct compare_stack { uint64_t place, signature, tea, truth; };

struct compare {
    struct compare_row *row;        /* by is_monitor, address; one row is SCHEME_NOWHERE */
    size_t rows;
    struct compare_stack *stack;    /* by falling true time */
    size_t stacks;
    uint64_t truth;                 /* of all rows */
    uint64_t units[SCHEMES_MAX];        /* of all rows */
    uint64_t due, taken[SCHEMES_MAX];   /* samples */
    uint64_t cycles[SCHEME_STATES]; /* of the commit stages */
    double error[SCHEMES_MAX][COMPARE_LEVELS];
    double stack_error;             /* of TEA: shares by instruction and signature */
    double count_error;             /* of COUNTS: shares of executions, not of time */
};

/* From the schemes of the harts and the oracle profile in profile->cost. The caller frees. */
enum err compare_make(struct compare *compare, const struct profile *profile,
                      const struct schemes *const *schemes, unsigned harts,
                      const struct symbols *symbols, struct diag *diag);
void compare_free(struct compare *compare);

/* Classes of programs: computing in more than half of the cycles; else flushed in more than 3 in
 * 100; else stalled (MICRO 2021, section 4). Returns "compute", "flush" or "stall". */
const char *compare_class(const struct compare *compare);
/* Share of the cycles. */
double compare_state(const struct compare *compare, enum scheme_state state);

/* The schemes ranked by the paper, by falling error at the instruction level; equal ones in the
 * order of scheme.def. */
enum { COMPARE_RANKED = 5 };
void compare_order(const struct compare *compare, enum scheme_id order[COMPARE_RANKED]);
/* The paper's ranking, by the mean over its programs (MICRO 2021, figure 1). */
void compare_published_order(enum scheme_id order[COMPARE_RANKED]);

/* "main+0x1c", "(monitor)" or, outside memory, "(nowhere)". Returns text or the name. */
const char *compare_place(const struct symbols *symbols, uint64_t place,
                          char text[SYMBOLS_TEXT]);
/* Share of a row in the total; 0 if the total is 0. */
double compare_truth(const struct compare *compare, const struct compare_row *row);
double compare_share(const struct compare *compare, const struct compare_row *row,
                     unsigned id);
/* The rows with the largest errors of a scheme, largest first: at most `most`, in rows[]. Returns
 * their number. */
size_t compare_worst(const struct compare *compare, unsigned id, size_t most,
                     const struct compare_row **rows);

#endif
