/* See lock.h. */
#include "prof/sched/lock.h"

#include <inttypes.h>
#include <stdlib.h>

#include "prof/json.h"

/* A wait; a thread has at most one at a time. */
struct wait { uint32_t thread; uint64_t address, start, end; };

static int compare_waits(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static int compare_rows(const void *a, const void *b)
{
    const struct lock_row *x = a, *y = b;

    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

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

static void sum_up(struct locks *locks, struct wait *wait, size_t waits)
{
    qsort(wait, waits, sizeof *wait, compare_waits);
    for (size_t i = 0; i < waits; i++) {
        uint64_t spent = wait[i].end - wait[i].start;
        struct lock_row *row;

        if (i == 0 || wait[i - 1].address != wait[i].address)
            locks->row[locks->rows++] = (struct lock_row){.address = wait[i].address};
        row = &locks->row[locks->rows - 1];
        row->waits++;
        row->total += spent;
        if (spent > row->longest)
            row->longest = spent;
    }
    qsort(locks->row, locks->rows, sizeof locks->row[0], compare_rows);
}

enum err locks_make(struct locks *locks, const struct kernel_record *record, size_t records,
                    uint64_t end, struct diag *diag)
{
    struct wait *wait = malloc((records + 1) * sizeof *wait);
    size_t waits = 0;

    *locks = (struct locks){.row = malloc((records + 1) * sizeof *locks->row)};
    if (wait == NULL || locks->row == NULL) {
        free(wait);
        return diag_no_memory(diag, "waits");
    }
    for (size_t i = 0; i < records; i++)
        if (record[i].event == KERNEL_BLOCK && record[i].reason == KERNEL_REASON_LOCK)
            wait[waits++] = (struct wait){
                .thread = record[i].thread, .address = record[i].value,
                .start = record[i].cycle, .end = find_wake(record, records, i, end),
            };
    sum_up(locks, wait, waits);
    free(wait);
    return ERR_OK;
}

void locks_free(struct locks *locks)
{
    free(locks->row);
}

void locks_print(const struct locks *locks, const struct symbols *symbols, FILE *out)
{
    fprintf(out, "%10s%14s%14s%14s  %s\n", "waits", "cycles", "mean", "longest", "lock");
    for (size_t i = 0; i < locks->rows; i++) {
        const struct lock_row *row = &locks->row[i];
        char text[SYMBOLS_TEXT];

        fprintf(out, "%10" PRIu64 "%14" PRIu64 "%14" PRIu64 "%14" PRIu64 "  %s\n", row->waits,
                row->total, row->total / row->waits, row->longest,
                symbols_describe(symbols, row->address, text));
    }
}

enum err locks_print_json(const struct locks *locks, const struct symbols *symbols, FILE *out,
                          struct diag *diag)
{
    cJSON *root = json_document(), *array;

    array = cJSON_AddArrayToObject(root, "locks");
    for (size_t i = 0; i < locks->rows; i++) {
        const struct lock_row *row = &locks->row[i];
        cJSON *object = cJSON_CreateObject();
        char text[SYMBOLS_TEXT];

        cJSON_AddItemToArray(array, object);
        json_address(object, "address", row->address);
        cJSON_AddStringToObject(object, "symbol", symbols_describe(symbols, row->address, text));
        json_number(object, "waits", row->waits);
        json_number(object, "cycles", row->total);
        json_number(object, "longest", row->longest);
    }
    return json_print(root, out, diag);
}
