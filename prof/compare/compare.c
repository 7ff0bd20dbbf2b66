/* Compares the schemes' profiles with the oracle's; see compare.h. */
#include "pmu/sorted.h"
#include "prof/compare/compare_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>


/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;

    if (x->is_monitor != y->is_monitor)
        return x->is_monitor ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

static void join(struct compare *compare)
{
    struct compare_row *row = compare->row;
    size_t kept = 0;

    if (compare->rows != 0)
        qsort(row, compare->rows, sizeof *row, compare_rows);
    for (size_t i = 0; i < compare->rows; i++) {
        if (kept == 0 || compare_rows(&row[kept - 1], &row[i]) != 0) {
            row[kept++] = row[i];
            continue;
        }
        row[kept - 1].truth += row[i].truth;
        row[kept - 1].count += row[i].count;
        for (unsigned id = 0; id < scheme_count(); id++)
            row[kept - 1].units[id] += row[i].units[id];
    }
    compare->rows = kept;
}

static void add_schemes(struct compare *compare, const struct schemes *schemes)
{
    const uint64_t *units;
    uint64_t key[2];
    size_t at = 0;

    while ((units = scheme_table_next(schemes_places(schemes), &at, key)) != NULL) {
        struct compare_row *row = &compare->row[compare->rows++];

        row->address = key[0] & ~(uint64_t)SCHEME_MONITOR;
        row->is_monitor = (key[0] & SCHEME_MONITOR) != 0;
        for (unsigned id = 0; id < scheme_count(); id++)
            row->units[id] = units[id];
    }
    compare->due += schemes_due(schemes);
    for (unsigned state = 0; state < SCHEME_STATES; state++)
        compare->cycles[state] += schemes_cycles(schemes, state);
    for (unsigned id = 0; id < scheme_count(); id++)
        compare->taken[id] += schemes_taken(schemes, id);
}

static bool add_rows(struct compare *compare, const struct profile *profile,
                     const struct schemes *const *schemes, unsigned harts)
{
    size_t most = profile->costs;

    for (unsigned hart = 0; hart < harts; hart++)
        most += schemes_places(schemes[hart])->used;
    compare->row = calloc(most + 1, sizeof compare->row[0]);
    if (compare->row == NULL)
        return false;
    compare->row[compare->rows++] = (struct compare_row){
        .address = SCHEME_NOWHERE, .truth = profile->outside,
    };
    for (size_t i = 0; i < profile->costs; i++) {
        const struct profile_cost *cost = &profile->cost[i];

        compare->row[compare->rows++] = (struct compare_row){
            .address = cost->address, .is_monitor = cost->is_monitor, .truth = cost->units,
            .count = cost->count,
        };
    }
    for (unsigned hart = 0; hart < harts; hart++)
        add_schemes(compare, schemes[hart]);
    join(compare);
    return true;
}

/* ---- code between control transfers ---------------------------------------------------------- */

static bool is_before(const void *row, const void *wanted)
{
    return compare_rows(row, wanted) < 0;
}

/* The first row at or after this address. */
static size_t row_from(const struct compare *compare, const struct compare_row *wanted)
{
    return sorted_place(compare->row, compare->rows, sizeof compare->row[0], is_before, wanted);
}

/* Divides a segment equally among its instructions, as nothing is known about their shares. */
static void spread(struct compare *compare, const uint64_t key[2], uint64_t units)
{
    struct compare_row first = {.address = key[0] & ~(uint64_t)SCHEME_MONITOR,
                                .is_monitor = (key[0] & SCHEME_MONITOR) != 0};
    struct compare_row behind = {.address = (key[1] & ~(uint64_t)SCHEME_MONITOR) + 1,
                                 .is_monitor = first.is_monitor};
    size_t from = row_from(compare, &first), to = row_from(compare, &behind);

    for (size_t i = from; i < to; i++) {
        uint64_t share = units / (to - i);

        compare->row[i].units[SCHEME_CTR] += share;
        units -= share;
    }
}

static void add_segments(struct compare *compare, const struct schemes *schemes)
{
    const uint64_t *row;
    uint64_t key[2];
    size_t at = 0;

    while ((row = scheme_table_next(schemes_segments(schemes), &at, key)) != NULL)
        spread(compare, key, row[SCHEME_SEGMENT_UNITS]);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static double part(uint64_t units, uint64_t whole)
{
    return whole != 0 ? (double)units / (double)whole : 0;
}

const char *compare_place(const struct symbols *symbols, uint64_t place, char text[SYMBOLS_TEXT])
{
    if (place == SCHEME_NOWHERE)
        return "(nowhere)";
    return place & SCHEME_MONITOR ? "(monitor)" : symbols_describe(symbols, place, text);
}

double compare_truth(const struct compare *compare, const struct compare_row *row)
{
    return part(row->truth, compare->truth);
}

double compare_share(const struct compare *compare, const struct compare_row *row,
                     unsigned id)
{
    return part(row->units[id], compare->units[id]);
}

/* Groups are consecutive rows. */
static double error_of(const struct compare *compare, unsigned id, enum compare_level level)
{
    double correct = 0;

    for (size_t i = 0; i < compare->rows;) {
        size_t group = compare->row[i].group[level];
        double truth = 0, share = 0;

        for (; i < compare->rows && compare->row[i].group[level] == group; i++) {
            truth += compare_truth(compare, &compare->row[i]);
            share += compare_share(compare, &compare->row[i], id);
        }
        correct += truth < share ? truth : share;
    }
    return correct < 1 ? 1 - correct : 0;
}

static double count_error(const struct compare *compare)
{
    uint64_t commits = 0;
    double correct = 0;

    for (size_t i = 0; i < compare->rows; i++)
        commits += compare->row[i].count;
    for (size_t i = 0; i < compare->rows; i++)
        correct += fmin(part(compare->row[i].count, commits),
                        compare_share(compare, &compare->row[i], SCHEME_COUNTS));
    return correct < 1 ? 1 - correct : 0;
}

static void find_errors(struct compare *compare)
{
    for (size_t i = 0; i < compare->rows; i++) {
        compare->truth += compare->row[i].truth;
        for (unsigned id = 0; id < scheme_count(); id++)
            compare->units[id] += compare->row[i].units[id];
    }
    compare->count_error = count_error(compare);
    for (unsigned id = 0; id < scheme_count(); id++)
        for (unsigned level = 0; level < COMPARE_LEVELS; level++)
            compare->error[id][level] = error_of(compare, id, level);
}

/* ---- classes and ranks ----------------------------------------------------------------------- */

double compare_state(const struct compare *compare, enum scheme_state state)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < SCHEME_STATES; i++)
        all += compare->cycles[i];
    return part(compare->cycles[state], all);
}

const char *compare_class(const struct compare *compare)
{
    if (compare_state(compare, SCHEME_COMPUTING) > 0.5)
        return "compute";
    return compare_state(compare, SCHEME_FLUSHED) > 0.03 ? "flush" : "stall";
}

void compare_published_order(enum scheme_id order[COMPARE_RANKED])
{
    static const enum scheme_id published[COMPARE_RANKED] = {
        SCHEME_SOFTWARE, SCHEME_LCI, SCHEME_DISPATCH, SCHEME_NCI, SCHEME_TIP};

    memcpy(order, published, sizeof published);
}

void compare_order(const struct compare *compare, enum scheme_id order[COMPARE_RANKED])
{
    static const enum scheme_id ranked[COMPARE_RANKED] = {
        SCHEME_SOFTWARE, SCHEME_DISPATCH, SCHEME_LCI, SCHEME_NCI, SCHEME_TIP};

    for (unsigned i = 0; i < COMPARE_RANKED; i++) {
        double error = compare->error[ranked[i]][COMPARE_INSN];
        unsigned at = i;

        for (; at > 0 && compare->error[order[at - 1]][COMPARE_INSN] < error; at--)
            order[at] = order[at - 1];
        order[at] = ranked[i];
    }
}

/* ---- worst ----------------------------------------------------------------------------------- */

struct difference { double size; size_t row; };

static int compare_differences(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

size_t compare_worst(const struct compare *compare, unsigned id, size_t most,
                     const struct compare_row **rows)
{
    struct difference *all = calloc(compare->rows + 1, sizeof *all);
    size_t count = 0;

    if (all == NULL)
        return 0;
    for (size_t i = 0; i < compare->rows; i++)
        all[i] = (struct difference){
            .size = fabs(compare_share(compare, &compare->row[i], id) -
                         compare_truth(compare, &compare->row[i])),
            .row = i,
        };
    qsort(all, compare->rows, sizeof *all, compare_differences);
    for (; count < most && count < compare->rows && all[count].size > 0; count++)
        rows[count] = &compare->row[all[count].row];
    free(all);
    return count;
}

/* ---- event stacks ---------------------------------------------------------------------------- */

static int compare_stack_keys(const void *a, const void *b)
{
    const struct compare_stack *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->signature > y->signature) - (x->signature < y->signature);
}

static int compare_stack_times(const void *a, const void *b)
{
    const struct compare_stack *x = a, *y = b;

    if (x->truth != y->truth)
        return x->truth > y->truth ? -1 : 1;
    return compare_stack_keys(a, b);
}

/* Joins the stacks of several harts. */
static void join_stacks(struct compare *compare)
{
    struct compare_stack *stack = compare->stack;
    size_t kept = 0;

    if (compare->stacks != 0)
        qsort(stack, compare->stacks, sizeof *stack, compare_stack_keys);
    for (size_t i = 0; i < compare->stacks; i++) {
        if (kept == 0 || compare_stack_keys(&stack[kept - 1], &stack[i]) != 0) {
            stack[kept++] = stack[i];
            continue;
        }
        stack[kept - 1].tea += stack[i].tea;
        stack[kept - 1].truth += stack[i].truth;
    }
    compare->stacks = kept;
    if (kept != 0)
        qsort(stack, kept, sizeof *stack, compare_stack_times);
}

static void find_stack_error(struct compare *compare)
{
    uint64_t tea = 0, truth = 0;
    double correct = 0;

    for (size_t i = 0; i < compare->stacks; i++) {
        tea += compare->stack[i].tea;
        truth += compare->stack[i].truth;
    }
    for (size_t i = 0; i < compare->stacks; i++)
        correct += fmin(part(compare->stack[i].tea, tea), part(compare->stack[i].truth, truth));
    compare->stack_error = correct < 1 ? 1 - correct : 0;
}

static bool add_stacks(struct compare *compare, const struct schemes *const *schemes,
                       unsigned harts)
{
    const uint64_t *row;
    uint64_t key[2];
    size_t most = 0;

    for (unsigned hart = 0; hart < harts; hart++)
        most += schemes_stacks(schemes[hart])->used;
    compare->stack = calloc(most + 1, sizeof compare->stack[0]);
    if (compare->stack == NULL)
        return false;
    for (unsigned hart = 0; hart < harts; hart++)
        for (size_t at = 0;
             (row = scheme_table_next(schemes_stacks(schemes[hart]), &at, key)) != NULL;)
            compare->stack[compare->stacks++] = (struct compare_stack){
                .place = key[0], .signature = key[1], .tea = row[SCHEME_STACK_TEA],
                .truth = row[SCHEME_STACK_TRUTH],
            };
    join_stacks(compare);
    find_stack_error(compare);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

enum err compare_make(struct compare *compare, const struct profile *profile,
                      const struct schemes *const *schemes, unsigned harts,
                      const struct symbols *symbols, struct diag *diag)
{
    *compare = (struct compare){0};
    for (unsigned hart = 0; hart < harts; hart++)
        if (schemes_have_failed(schemes[hart]))
            return diag_no_memory(diag, "the profiling schemes");
    if (!add_rows(compare, profile, schemes, harts) || !add_stacks(compare, schemes, harts) ||
        !compare_find_groups(compare, symbols)) {
        compare_free(compare);
        return diag_no_memory(diag, "the profiling schemes");
    }
    for (unsigned hart = 0; hart < harts; hart++)
        add_segments(compare, schemes[hart]);
    find_errors(compare);
    return ERR_OK;
}

void compare_free(struct compare *compare)
{
    free(compare->row);
    free(compare->stack);
    *compare = (struct compare){0};
}
