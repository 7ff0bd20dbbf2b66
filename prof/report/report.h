/* Reports on a profile, as text for people. Numbers are the profile's; nothing is estimated. */
#ifndef PROF_REPORT_REPORT_H
#define PROF_REPORT_REPORT_H

#include <stdio.h>

#include "prof/annotate/source.h"
#include "prof/picture/picture.h"
#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* Colours: of names, of shares of a tenth and more, of shares of a hundredth and more. */
struct report_style { const char *bold, *hot, *warm, *off; };

struct report {
    const struct profile *profile;
    const struct symbols *symbols;
    FILE *out;
    size_t top;                     /* rows of a table; 0: all */
    const struct picture *picture;  /* for the page and the JSON; NULL: none */
    const struct report *beside;    /* for the page: another run to compare with; NULL: none */
    struct report_style style;      /* on a terminal; NULL: no colours */
    const char *events;             /* columns of report_sort, for points_make; NULL: usual */
    bool measured;                  /* stacks of the interrupts, even if exact ones exist */
};

/* Command, end, cost of the monitor, ranges. */
void report_overview(const struct report *report);
/* The counters of --count, a row each; prints nothing without them. */
void report_counts(const struct profile *profile, FILE *out);
/* Per routine and per datum: sum of its counters, entries, interrupts. */
enum err report_symbols(const struct report *report, struct diag *diag);
/* Per source line: counts of marks, else the oracle's cycles, else samples; an error if there are
 * none of these. */
enum err report_lines(const struct report *report, struct diag *diag);
/* In report_sort.c. All measurements of instructions, by the keys in `list` ("object,routine"):
 * routine, object, file, line, thread, hart, program; children adds the costs of callees. */
enum err report_sort(const struct report *report, const char *list, struct diag *diag);
/* The words of --sort; NULL past the last. */
const char *report_sort_key(unsigned index);
/* In report_samples.c. Per routine: its samples, and the occurrences for which they stand; nothing
 * without samples of `rvsim record`. */
enum err report_samples(const struct report *report, struct diag *diag);
enum err report_sample_lines(const struct report *report, struct diag *diag);
/* Per routine that interrupted: its callers, with counts. */
enum err report_callers(const struct report *report, struct diag *diag);
/* In report_calls.c. Calls as a tree from the root, and the edges of their graph. Columns: calls,
 * instructions exclusive and inclusive; with the oracle also cycles. Of samples with stacks: their
 * number inclusive and exclusive, the events that they stand for. An error without stacks. */
enum err report_calltree(const struct report *report, struct diag *diag);
enum err report_callgraph(const struct report *report, struct diag *diag);

/* In report_threads.c. A row for each thread with the measurements of the profile, by falling
 * cost. */
enum err report_threads(const struct report *report, struct diag *diag);

/* In report_truth.c. Dispatch slots as a top-down tree. */
void report_topdown(const struct report *report);
/* In report_cpi.c. Cycles as a CPI stack; with the oracle profile also each routine and line by
 * cause. */
void report_cpi(const struct report *report);
enum err report_cpi_places(const struct report *report, struct diag *diag);
/* Of the oracle profile: cycles per routine and line. */
enum err report_oracle(const struct report *report, struct diag *diag);
enum err report_oracle_lines(const struct report *report, struct diag *diag);
/* In report_branches.c. Outcomes and cost of each branch by the oracle profile, and counts of
 * marked branches; either may be missing. */
enum err report_branches(const struct report *report, struct diag *diag);

/* In report_json.c. The complete report: the statistics, every routine with its lines, the exact
 * call tree (docs/reference/schema/report.json). */
enum err report_write_json(const struct report *report, struct sources *sources, FILE *out,
                           struct diag *diag);

/* 1,234,567; returns text. */
enum { REPORT_NUMBER = 32 };
const char *report_number(uint64_t number, char text[REPORT_NUMBER]);
/* The end of a noun after this number: "s", or "" after 1. */
static inline const char *report_s(uint64_t number)
{
    return number == 1 ? "" : "s";
}
/* "wc executed 1,234 instructions, 12.30 %": of all in user mode. */
enum { REPORT_IMAGE = 320 };
struct profile_modes;
enum { REPORT_MODES = 320 };
/* "user 10 cycles (50.00 %), kernel ..., idle ... of all harts; ..." */
const char *report_modes(const struct profile_modes *modes, char text[REPORT_MODES]);
const char *report_image(const struct profile_image *image, size_t images, size_t at,
                         char text[REPORT_IMAGE]);
/* A line for each file whose code was at addresses of another one in the same program. */
void report_covered(const struct profile *profile, const char *before, FILE *out);
/* value / unit with one decimal digit, rounded to nearest, halves up: 1,234.5; returns text. The
 * digits shown of rows may therefore differ from those of their sum by some tenths. */
const char *report_tenths(uint64_t value, uint64_t unit, char text[REPORT_NUMBER]);
/* Cycles, as report_tenths; returns text. */
const char *report_cycles(const struct profile *profile, uint64_t units, char text[REPORT_NUMBER]);
/* The number of rows shown of `rows`, and the line with the number not shown. */
size_t report_shown(const struct report *report, size_t rows);
void report_rest(const struct report *report, size_t rows);
double report_percent(uint64_t part, uint64_t whole);
enum { REPORT_CHANGE = 24, REPORT_CPI = 32 };
/* Cycles for each instruction, with `digits` decimal digits; "-" without instructions. Returns
 * text. */
const char *report_cycles_each(double cycles, uint64_t instructions, int digits,
                               char text[REPORT_CPI]);
/* How far value is from truth, in percent; NAN: truth is 0, and value is not. */
double report_change_percent(double value, double truth);
/* The same as "+1.25%", or "-"; returns text. */
const char *report_change(double value, double truth, char text[REPORT_CHANGE]);
/* " 12.34%", coloured on a terminal. */
void report_share(const struct report *report, uint64_t part, uint64_t whole);
/* A row of the monitor's part, if that is not 0. */
void report_monitor(const struct report *report, uint64_t number_of, const char *what);
/* Units of the oracle profile, including those of no instruction. */
uint64_t report_all_units(const struct profile *profile);

#endif
