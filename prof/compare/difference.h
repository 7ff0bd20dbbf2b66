/* Two profiles, routine by routine or line by line.
 *
 * Rows are joined by name, so the programs may differ. Every point of both is in exactly one row,
 * and time without an instruction and the monitor are rows of their own: the rows add up to both
 * totals, and their deltas to the difference of the totals. */
#ifndef PROF_COMPARE_DIFFERENCE_H
#define PROF_COMPARE_DIFFERENCE_H

#include "prof/profile/points.h"
#include "prof/records/names.h"

enum difference_by { DIFFERENCE_BY_ROUTINE, DIFFERENCE_BY_LINE };
enum { DIFFERENCE_SIDES = 2 };

struct difference_side {
    const char *file;               /* for messages */
    const struct profile *profile;
    const struct symbols *symbols;
    struct points points;           /* both have the same measures */
};

/* A row's values of A and of B. */
struct difference_row {
    const char *name;
    uint64_t value[DIFFERENCE_SIDES][POINTS_MEASURES];
};

struct difference {
    struct difference_row *row;     /* [rows] by falling change of the first measure */
    size_t rows;
    struct names names;
};

/* The measures in `list`, or those that both sides have, at the points of both. After an error
 * nothing is left to free. */
enum err difference_measure(struct difference_side side[DIFFERENCE_SIDES], const char *list,
                            struct diag *diag);
enum err difference_make(struct difference *difference,
                         const struct difference_side side[DIFFERENCE_SIDES],
                         enum difference_by by, struct diag *diag);
void difference_free(struct difference *difference);

/* B minus A. */
int64_t difference_delta(const struct difference_row *row, unsigned measure);

#endif
