/* A routine with its measurements: instructions and source lines, each with its share.
 *
 * Every point of the profile that lies in the routine is in exactly one instruction and one line,
 * so lines add up to the routine, and routines, the rest, the monitor and time without an
 * instruction to the program. */
#ifndef PROF_ANNOTATE_ANNOTATE_H
#define PROF_ANNOTATE_ANNOTATE_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "isa/insn.h"
#include "prof/annotate/source.h"
#include "prof/profile/points.h"

#define ANNOTATE_NONE SIZE_MAX

struct annotate_insn {
    uint64_t address;
    struct insn insn;
    bool has_code;                  /* insn is known */
    const struct symbols_line *line;    /* NULL: unknown */
    const struct point *point;      /* NULL: no measurement */
    size_t target;                  /* index of the routine's instruction that it jumps to, or
                                     * NONE */
};

struct annotate_line {
    const struct symbols_line *line;    /* NULL: the line of instructions without one */
    uint64_t value[POINTS_MEASURES];
};

struct annotate {
    const struct symbols_entry *entry;
    struct annotate_insn *insn;     /* [insns] by address */
    size_t insns;
    struct annotate_line *line;     /* [lines] by falling first measure */
    size_t lines;
    uint64_t value[POINTS_MEASURES];    /* of the routine */
};

enum err annotate_make(struct annotate *annotate, const struct symbols_entry *entry,
                       const struct points *points, const struct symbols *symbols,
                       struct diag *diag);
void annotate_free(struct annotate *annotate);

/* The routines with measurements, by falling first measure. Points outside all routines are summed
 * in *rest. The caller frees. */
struct annotate_routine { const struct symbols_entry *entry; uint64_t value[POINTS_MEASURES]; };
enum err annotate_routines(const struct points *points, const struct symbols *symbols,
                           struct annotate_routine **routine, size_t *routines,
                           struct annotate_routine *rest, struct diag *diag);

/* ---- report_annotate.c ----------------------------------------------------------------------- */

/* Escape sequences, or "". */
struct annotate_style { const char *bold, *hot, *warm, *source, *off; };
struct annotate_view {
    const struct profile *profile;
    const struct points *points;
    const struct symbols *symbols;
    struct sources *sources;
    struct annotate_style style;
    FILE *out;
};

/* Prints the lines, then the instructions under their lines, with arrows for jumps inside. */
enum err annotate_print(const struct annotate_view *view, const struct annotate *annotate,
                        struct diag *diag);
/* Prints the parts of the program's totals: `shown` of these routines. */
void annotate_print_totals(const struct annotate_view *view, const uint64_t shown[POINTS_MEASURES],
                           const struct annotate_routine *rest);

/* ---- annotate_jumps.c ------------------------------------------------------------------------ */

/* Arrows from jumps to their targets, as a column of text beside each instruction. */
struct annotate_jumps;
/* NULL: no memory. */
struct annotate_jumps *annotate_jumps_make(const struct annotate *annotate);
void annotate_jumps_free(struct annotate_jumps *jumps);
unsigned annotate_jumps_width(const struct annotate_jumps *jumps);
/* `text` must have room for the width and a zero. `above`: the row between this instruction and the
 * one before. */
void annotate_jumps_row(const struct annotate_jumps *jumps, size_t insn, bool above, char *text);

/* ---- annotate_json.c ------------------------------------------------------------------------- */

/* Adds the routine as an object of docs/profiling/annotate.md, with its lines and, with has_insns,
 * its instructions. */
enum err annotate_add_json(cJSON *array, const struct annotate_view *view,
                           const struct annotate *annotate, bool has_insns, struct diag *diag);
/* "events": the measures' names, "units_per_cycle", and "totals" of the program's parts. */
void annotate_add_totals(cJSON *root, const struct annotate_view *view,
                         const struct annotate_routine *rest);
/* "cycles": 12.5, "cycle_units": 10500, "l2_miss": 3 */
void points_add_json(cJSON *object, const struct points *points, const uint64_t *value);

#endif
