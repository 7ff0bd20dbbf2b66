/* The oracle profile summed by routine or by source line. */
#ifndef PROF_COST_H
#define PROF_COST_H

#include "pmu/event.h"
#include "prof/profile.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

/* [EVENT_x - EVENT_CPI_BASE] */
enum { COST_CAUSES = EVENT_CPI_IDLE - EVENT_CPI_BASE + 1 };

enum cost_by { COST_BY_SYMBOL, COST_BY_LINE };

struct cost_row {
    const struct symbols_entry *entry;  /* by symbol; NULL: unknown */
    const struct symbols_line *line;    /* by line; NULL: none */
    uint64_t address;                   /* of its first instruction */
    bool is_monitor;
    uint64_t units, count;
    uint64_t cause[COST_CAUSES];        /* cycles without commit; [0] is 0 */
};

/* Sorted, most time first. The caller frees *row. */
enum err cost_rows(const struct profile *profile, const struct symbols *symbols, enum cost_by by,
                   struct cost_row **row, size_t *rows, struct diag *diag);
/* The subject of a row: "sort", "sort.c:42", "(monitor)", "(no line)". */
const char *cost_name(const struct cost_row *row, enum cost_by by, const struct symbols *symbols,
                      char text[SYMBOLS_TEXT]);
/* The cost of the program's instruction at an address, or NULL. */
const struct profile_cost *cost_at(const struct profile *profile, uint64_t address);
/* Time in cycles. */
double cost_cycles(const struct profile *profile, uint64_t units);

#endif
