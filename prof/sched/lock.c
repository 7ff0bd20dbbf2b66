/* See lock.h. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream */
#include "prof/sched/lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi_monitor.h"
#include "prof/json.h"
#include "prof/timeline/timeline.h"
#include "sim/base/array.h"

/* A wait; a thread has at most one at a time. */
struct wait { uint32_t thread, stack; uint64_t address, start, end; };

static int compare_waits(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static int compare_rows(const void *a, const void *b)
{
    const struct lock_row *x = a, *y = b;

    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* ---- call stacks ----------------------------------------------------------------------------- */

static bool is_same(const struct monitor_stack *a, const struct monitor_stack *b)
{
    return a->depth == b->depth && a->walk == b->walk &&
           memcmp(a->address, b->address, a->depth * sizeof a->address[0]) == 0;
}

bool lock_stacks_add(struct lock_stacks *stacks, uint32_t thread, uint64_t cycle,
                     const struct monitor_stack *stack)
{
    struct lock_leave *leaves = array_grow(stacks->leave, stacks->leaves, sizeof *leaves);
    size_t at = 0;

    if (leaves == NULL)
        return false;
    stacks->leave = leaves;
    while (at < stacks->stacks && !is_same(&stacks->stack[at], stack))
        at++;
    if (at == stacks->stacks) {
        struct monitor_stack *grown = array_grow(stacks->stack, at, sizeof *grown);

        if (grown == NULL)
            return false;
        stacks->stack = grown;
        stacks->stack[stacks->stacks++] = *stack;
    }
    stacks->leave[stacks->leaves++] = (struct lock_leave){cycle, thread, (uint32_t)at};
    return true;
}

/* Calls `frame` for each frame of a stack, the outermost first. */
static void each_frame(const struct lock_stacks *stacks, uint32_t number,
                       const struct symbols *symbols,
                       void (*frame)(void *arg, const char *name, const char *line), void *arg)
{
    const struct monitor_stack *stack = number != LOCK_NO_STACK ? &stacks->stack[number] : NULL;
    char name[SYMBOLS_TEXT], line[SYMBOLS_TEXT];

    if (stack == NULL || stack->walk != MONITOR_WALK_OK)
        frame(arg, stack == NULL ? "[unknown]" : stack->walk == MONITOR_WALK_TRUNCATED
                                                     ? "[truncated]" : "[broken]", "");
    for (unsigned i = stack != NULL ? stack->depth : 0; i-- > 0;) {
        symbols_describe_frame(symbols, stack->address[i], i == 0, name, line);
        frame(arg, name, line);
    }
}

struct key { char *text; uint32_t stack; };

static void add_key(void *arg, const char *name, const char *line)
{
    fprintf(arg, "%s;%s;", name, line);
}

/* The functions and lines of a stack as a text; NULL: no memory. */
static char *key_of(const struct lock_stacks *stacks, uint32_t stack,
                    const struct symbols *symbols)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    each_frame(stacks, stack, symbols, add_key, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order != 0 ? order : (x->stack > y->stack) - (x->stack < y->stack);
}

enum err lock_stacks_merge(struct lock_stacks *stacks, const struct symbols *symbols,
                           struct diag *diag)
{
    struct key *key = calloc(stacks->stacks + 1, sizeof *key);
    uint32_t *first = calloc(stacks->stacks + 1, sizeof *first);
    bool fits = key != NULL && first != NULL;

    for (uint32_t i = 0; i < stacks->stacks && fits; i++) {
        key[i] = (struct key){key_of(stacks, i, symbols), i};
        fits = key[i].text != NULL;
    }
    if (fits && stacks->stacks != 0)
        qsort(key, stacks->stacks, sizeof *key, compare_keys);
    for (size_t i = 0; i < stacks->stacks && fits; i++)
        first[key[i].stack] = i != 0 && strcmp(key[i - 1].text, key[i].text) == 0
                                  ? first[key[i - 1].stack] : key[i].stack;
    for (size_t i = 0; i < stacks->leaves && fits; i++)
        stacks->leave[i].stack = first[stacks->leave[i].stack];
    for (size_t i = 0; i < stacks->stacks && key != NULL; i++)
        free(key[i].text);
    free(key);
    free(first);
    return fits ? ERR_OK : diag_no_memory(diag, "call stacks");
}

void lock_stacks_free(struct lock_stacks *stacks)
{
    free(stacks->stack);
    free(stacks->leave);
}

static int compare_leaves(const void *a, const void *b)
{
    const struct lock_leave *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread > y->thread ? 1 : -1;
    return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

/* The stack with which the thread first left its hart while it waited. */
static uint32_t find_stack(const struct lock_stacks *stacks, const struct wait *wait)
{
    size_t low = 0, high = stacks != NULL ? stacks->leaves : 0;
    const struct lock_leave sought = {.thread = wait->thread, .cycle = wait->start};

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_leaves(&stacks->leave[middle], &sought) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (stacks == NULL || low == stacks->leaves || stacks->leave[low].thread != wait->thread ||
        stacks->leave[low].cycle > wait->end)
        return LOCK_NO_STACK;
    return stacks->leave[low].stack;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The wake of a thread after its block, or the end of the records; `end` if there is none. */
static uint64_t find_wake(const struct kernel_record *record, size_t records, size_t block,
                          uint64_t end)
{
    for (size_t i = block + 1; i < records; i++)
        if (record[i].event == KERNEL_PAUSE ||
            (record[i].thread == record[block].thread && record[i].event == KERNEL_WAKE))
            return record[i].cycle;
    return end;
}

static void add_wait(struct lock_row *row, const struct wait *wait)
{
    uint64_t spent = wait->end - wait->start;

    row->waits++;
    row->total += spent;
    if (spent > row->longest)
        row->longest = spent;
}

static void sum_up(struct locks *locks, struct wait *wait, size_t waits)
{
    qsort(wait, waits, sizeof *wait, compare_waits);
    for (size_t i = 0; i < waits; i++) {
        bool is_new = i == 0 || wait[i - 1].address != wait[i].address;

        if (is_new)
            locks->row[locks->rows++] = (struct lock_row){
                .address = wait[i].address, .stack = LOCK_NO_STACK, .first = locks->by_stacks,
            };
        if (is_new || wait[i - 1].stack != wait[i].stack) {
            locks->by_stack[locks->by_stacks++] = (struct lock_row){
                .address = wait[i].address, .stack = wait[i].stack,
            };
            locks->row[locks->rows - 1].stacks++;
        }
        add_wait(&locks->row[locks->rows - 1], &wait[i]);
        add_wait(&locks->by_stack[locks->by_stacks - 1], &wait[i]);
    }
    for (size_t i = 0; i < locks->rows; i++)
        qsort(&locks->by_stack[locks->row[i].first], locks->row[i].stacks,
              sizeof locks->by_stack[0], compare_rows);
    qsort(locks->row, locks->rows, sizeof locks->row[0], compare_rows);
}

enum err locks_make(struct locks *locks, const struct kernel_record *record, size_t records,
                    uint64_t end, struct lock_stacks *stacks, struct diag *diag)
{
    struct wait *wait = malloc((records + 1) * sizeof *wait);
    size_t waits = 0;

    *locks = (struct locks){
        .row = malloc((records + 1) * sizeof *locks->row),
        .by_stack = malloc((records + 1) * sizeof *locks->by_stack),
    };
    if (wait == NULL || locks->row == NULL || locks->by_stack == NULL) {
        free(wait);
        return diag_no_memory(diag, "waits");
    }
    if (stacks != NULL && stacks->leaves != 0)
        qsort(stacks->leave, stacks->leaves, sizeof stacks->leave[0], compare_leaves);
    for (size_t i = 0; i < records; i++) {
        if (record[i].event != KERNEL_BLOCK || record[i].reason != KERNEL_REASON_LOCK)
            continue;
        wait[waits] = (struct wait){
            .thread = record[i].thread, .address = record[i].value,
            .start = record[i].cycle, .end = find_wake(record, records, i, end),
        };
        wait[waits].stack = find_stack(stacks, &wait[waits]);
        waits++;
    }
    sum_up(locks, wait, waits);
    free(wait);
    return ERR_OK;
}

void locks_free(struct locks *locks)
{
    free(locks->row);
    free(locks->by_stack);
}

/* ---- text ------------------------------------------------------------------------------------ */

struct frame_text { FILE *out; const char *between; };

static void print_frame(void *arg, const char *name, const char *line)
{
    struct frame_text *text = arg;

    fprintf(text->out, "%s%s", text->between, name);
    if (line[0] != '\0')
        fprintf(text->out, " (%s)", line);
    text->between = " > ";
}

static void print_row(const struct lock_row *row, FILE *out)
{
    fprintf(out, "%10" PRIu64 "%14" PRIu64 "%14" PRIu64 "%14" PRIu64 "  ", row->waits, row->total,
            row->total / row->waits, row->longest);
}

void locks_print(const struct locks_view *view, FILE *out)
{
    const struct locks *locks = view->locks;
    char text[SYMBOLS_TEXT];

    fprintf(out, "%10s%14s%14s%14s  %s\n", "waits", "cycles", "mean", "longest",
            view->lists_stacks ? "lock, call stack" : "lock");
    for (size_t i = 0; i < locks->rows; i++) {
        const struct lock_row *row = &locks->row[i];

        print_row(row, out);
        fprintf(out, "%s\n", symbols_describe(view->symbols, row->address, text));
        for (size_t k = 0; k < row->stacks && view->lists_stacks; k++) {
            struct frame_text frames = {out, "  "};

            print_row(&locks->by_stack[row->first + k], out);
            each_frame(view->stacks, locks->by_stack[row->first + k].stack, view->symbols,
                       print_frame, &frames);
            fputc('\n', out);
        }
    }
}

static void fold(const char *name, FILE *out)
{
    for (; *name != '\0'; name++)
        fputc(*name == ';' ? ':' : *name, out);
}

static void fold_frame(void *arg, const char *name, const char *line)
{
    (void)line;
    fputc(';', arg);
    fold(name, arg);
}

void locks_print_folded(const struct locks_view *view, FILE *out)
{
    char text[SYMBOLS_TEXT];

    for (size_t i = 0; i < view->locks->by_stacks; i++) {
        const struct lock_row *row = &view->locks->by_stack[i];

        fold(symbols_describe(view->symbols, row->address, text), out);
        each_frame(view->stacks, row->stack, view->symbols, fold_frame, out);
        fprintf(out, " %" PRIu64 "\n", row->total);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_frame(void *arg, const char *name, const char *line)
{
    cJSON *object = json_append_object(arg);

    cJSON_AddStringToObject(object, "function", name);
    cJSON_AddStringToObject(object, "line", line);
}

static void json_waits(cJSON *object, const struct lock_row *row)
{
    json_number(object, "waits", row->waits);
    json_number(object, "cycles", row->total);
    json_number(object, "longest", row->longest);
}

enum err locks_print_json(const struct locks_view *view, FILE *out, struct diag *diag)
{
    const struct locks *locks = view->locks;
    cJSON *root = json_document(), *array;

    array = cJSON_AddArrayToObject(root, "locks");
    for (size_t i = 0; i < locks->rows; i++) {
        const struct lock_row *row = &locks->row[i];
        cJSON *object = json_append_object(array), *stacks;
        char text[SYMBOLS_TEXT];

        json_address(object, "address", row->address);
        cJSON_AddStringToObject(object, "symbol",
                                symbols_describe(view->symbols, row->address, text));
        json_waits(object, row);
        stacks = cJSON_AddArrayToObject(object, "stacks");
        for (size_t k = 0; k < row->stacks; k++) {
            cJSON *stack = json_append_object(stacks);

            json_waits(stack, &locks->by_stack[row->first + k]);
            each_frame(view->stacks, locks->by_stack[row->first + k].stack, view->symbols,
                       json_frame, cJSON_AddArrayToObject(stack, "frames"));
        }
    }
    return json_print(root, out, diag);
}
