/* See lock.h. */
#define _POSIX_C_SOURCE 200809L     /* open_memstream */
#include "prof/sched/lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/abi_monitor.h"
#include "pmu/sorted.h"
#include "prof/profile/json.h"
#include "sim/base/array.h"

/* A wait; a thread has at most one at a time. It has left its hart before `next`, when it blocks
 * again. */
struct wait { uint32_t thread, stack; uint64_t address, start, end, next; };

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

static uint64_t hash(const struct monitor_stack *stack)
{
    uint64_t sum = stack->depth + 64 * (uint64_t)stack->walk;

    for (unsigned i = 0; i < stack->depth; i++)
        sum = (sum ^ stack->address[i]) * 0x9e3779b97f4a7c15 ^ sum >> 29;
    return sum ^ sum >> 32;
}

/* The slot of a stack, or the one that it would have. */
static uint32_t *slot_of(const struct lock_stacks *stacks, const struct monitor_stack *stack)
{
    size_t at = hash(stack) & (stacks->slots - 1);

    while (stacks->slot[at] != 0 && !is_same(&stacks->stack[stacks->slot[at] - 1], stack))
        at = (at + 1) & (stacks->slots - 1);
    return &stacks->slot[at];
}

/* At least half of the slots are free afterwards. False: no memory. */
static bool make_slots(struct lock_stacks *stacks)
{
    if (2 * (stacks->stacks + 1) <= stacks->slots)
        return true;
    free(stacks->slot);
    stacks->slots = stacks->slots != 0 ? 2 * stacks->slots : 64;
    stacks->slot = calloc(stacks->slots, sizeof stacks->slot[0]);
    for (size_t i = 0; i < stacks->stacks && stacks->slot != NULL; i++)
        *slot_of(stacks, &stacks->stack[i]) = (uint32_t)(i + 1);
    return stacks->slot != NULL;
}

bool lock_stacks_add(struct lock_stacks *stacks, uint32_t thread, uint64_t cycle,
                     const struct monitor_stack *stack)
{
    struct lock_leave *leaves = array_grow(stacks->leave, stacks->leaves, sizeof *leaves);
    uint32_t *slot;

    if (leaves == NULL)
        return false;
    stacks->leave = leaves;
    if (!make_slots(stacks))
        return false;
    slot = slot_of(stacks, stack);
    if (*slot == 0) {
        struct monitor_stack *grown = array_grow(stacks->stack, stacks->stacks, sizeof *grown);

        if (grown == NULL)
            return false;
        stacks->stack = grown;
        stacks->stack[stacks->stacks++] = *stack;
        *slot = (uint32_t)stacks->stacks;
    }
    stacks->leave[stacks->leaves++] = (struct lock_leave){cycle, thread, *slot - 1};
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
    free(stacks->slot);
    free(stacks->leave);
}

static int compare_leaves(const void *a, const void *b)
{
    const struct lock_leave *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread > y->thread ? 1 : -1;
    return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

static bool leaves_before(const void *leave, const void *sought)
{
    return compare_leaves(leave, sought) < 0;
}

/* The stack with which the thread left its hart to wait. */
static uint32_t find_stack(const struct lock_stacks *stacks, const struct wait *wait)
{
    const struct lock_leave sought = {.thread = wait->thread, .cycle = wait->start};
    size_t at;

    if (stacks == NULL)
        return LOCK_NO_STACK;
    at = sorted_place(stacks->leave, stacks->leaves, sizeof stacks->leave[0], leaves_before,
                      &sought);
    if (at == stacks->leaves || stacks->leave[at].thread != wait->thread ||
        stacks->leave[at].cycle >= wait->next)
        return LOCK_NO_STACK;
    return stacks->leave[at].stack;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* The last wait of a thread; lasts: it has not ended yet. */
struct waiting { uint32_t thread; bool lasts; size_t wait; };

struct finder {
    struct wait *wait;
    size_t waits;
    struct waiting *waiting;            /* by thread */
    size_t waitings;
};

static bool is_before(const void *row, const void *thread)
{
    const struct waiting *waiting = row;

    return waiting->thread < *(const uint32_t *)thread;
}

/* The thread's index in finder->waiting, or the index where it belongs. */
static size_t place_of(const struct finder *finder, uint32_t thread)
{
    return sorted_place(finder->waiting, finder->waitings, sizeof finder->waiting[0], is_before,
                        &thread);
}

static struct waiting *find(const struct finder *finder, uint32_t thread)
{
    size_t at = place_of(finder, thread);

    return at < finder->waitings && finder->waiting[at].thread == thread ? &finder->waiting[at]
                                                                         : NULL;
}

static bool begin(struct finder *finder, const struct kernel_record *record)
{
    struct waiting *waiting = find(finder, record->thread);

    if (waiting == NULL) {
        struct waiting *grown = array_grow(finder->waiting, finder->waitings, sizeof *grown);
        size_t at = place_of(finder, record->thread);

        if (grown == NULL)
            return false;
        finder->waiting = grown;
        memmove(&grown[at + 1], &grown[at], (finder->waitings++ - at) * sizeof *grown);
        waiting = &grown[at];
    }
    *waiting = (struct waiting){record->thread, true, finder->waits};
    finder->wait[finder->waits++] = (struct wait){
        .thread = record->thread, .address = record->value, .start = record->cycle,
        .next = UINT64_MAX,
    };
    return true;
}

/* Harts do not agree about the time to the cycle. */
static void end_wait(struct finder *finder, struct waiting *waiting, uint64_t cycle)
{
    struct wait *wait = &finder->wait[waiting->wait];

    if (waiting->lasts)
        wait->end = cycle > wait->start ? cycle : wait->start;
    waiting->lasts = false;
}

static void end_all(struct finder *finder, uint64_t cycle)
{
    for (size_t i = 0; i < finder->waitings; i++)
        end_wait(finder, &finder->waiting[i], cycle);
}

/* False: no memory. */
static bool see(struct finder *finder, const struct kernel_record *record)
{
    struct waiting *waiting = find(finder, record->thread);

    if (record->event == KERNEL_PAUSE)
        end_all(finder, record->cycle);
    else if (record->event == KERNEL_WAKE && waiting != NULL)
        end_wait(finder, waiting, record->cycle);
    if (record->event != KERNEL_BLOCK)
        return true;
    if (waiting != NULL)
        finder->wait[waiting->wait].next = record->cycle;
    return record->reason != KERNEL_REASON_LOCK || begin(finder, record);
}

/* ---- sums ------------------------------------------------------------------------------------ */

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
    struct finder finder = {.wait = malloc((records + 1) * sizeof *finder.wait)};
    bool fits;

    *locks = (struct locks){
        .row = malloc((records + 1) * sizeof *locks->row),
        .by_stack = malloc((records + 1) * sizeof *locks->by_stack),
    };
    fits = finder.wait != NULL && locks->row != NULL && locks->by_stack != NULL;
    if (stacks != NULL && stacks->leaves != 0)
        qsort(stacks->leave, stacks->leaves, sizeof stacks->leave[0], compare_leaves);
    for (size_t i = 0; i < records && fits; i++)
        fits = see(&finder, &record[i]);
    if (fits) {
        end_all(&finder, end);
        for (size_t i = 0; i < finder.waits; i++)
            finder.wait[i].stack = find_stack(stacks, &finder.wait[i]);
        sum_up(locks, finder.wait, finder.waits);
    }
    free(finder.wait);
    free(finder.waiting);
    return fits ? ERR_OK : diag_no_memory(diag, "waits");
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

enum err locks_print_json(const struct locks_view *view, cJSON *root, FILE *out, struct diag *diag)
{
    const struct locks *locks = view->locks;
    cJSON *array;

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
