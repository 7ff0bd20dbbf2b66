/* The oracle profile summed by routine or by source line. */
#ifndef PROF_PROFILE_COST_H
#define PROF_PROFILE_COST_H

#include "pmu/event.h"
#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

enum cost_by { COST_BY_SYMBOL, COST_BY_LINE };

struct cost_row {
    const struct symbols_entry *entry;  /* by symbol; NULL: unknown */
    uint64_t made;                      /* by symbol: the routine of code made at run time; 0: not
                                         * known */
    const struct symbols_line *line;    /* by line; NULL: none */
    uint64_t address;                   /* of its first instruction */
    bool is_monitor;
    uint64_t units, count;
    uint64_t cause[EVENT_CAUSES];        /* cycles without commit; [0] is 0 */
};

/* Rows by falling time. The caller frees *row. */
enum err cost_rows(const struct profile *profile, const struct symbols *symbols, enum cost_by by,
                   struct cost_row **row, size_t *rows, struct diag *diag);
/* Orders rows by falling time, as cost_rows does, after their units have changed. */
void cost_sort(struct cost_row *row, size_t rows);
/* The subject of a row: "sort", "sort.c:42", "(monitor)", "(no line)". */
const char *cost_name(const struct cost_row *row, enum cost_by by, const struct symbols *symbols,
                      char text[SYMBOLS_TEXT]);
/* For each event of the profile, by place, its cause; EVENT_CAUSES: it is not a cause. The caller
 * frees. NULL: no memory. */
uint8_t *cost_causes(const struct profile *profile);
/* Adds an instruction's cycles by cause. */
void cost_add_causes(const uint8_t *causes, const struct profile_cost *cost,
                     uint64_t cause[EVENT_CAUSES]);
/* The units of a word of the top-down tree; units without a cause belong to `retiring`. */
uint64_t cost_of_word(const struct profile *profile, uint64_t units,
                      const uint64_t cause[EVENT_CAUSES], unsigned word);
/* The cost of the program's instruction at an address, or NULL. */
const struct profile_cost *cost_at(const struct profile *profile, uint64_t address);
/* Time in cycles. */
double cost_cycles(const struct profile *profile, uint64_t units);

#endif
