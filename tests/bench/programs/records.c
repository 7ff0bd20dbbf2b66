/* Merge sort of records by a comparison function: indirect calls, copies, wild branches. */
#include "bench.h"

enum { COUNT = 1024, RUN = 8 };

struct record { int32_t key; uint32_t order; uint8_t name[8]; };

static struct record records[COUNT], scratch[COUNT];

static void fill(void)
{
    uint32_t state = 3;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t draw = bench_random(&state);
        records[i].key = (int32_t)(draw % 512) - 256;       /* many are equal */
        records[i].order = i;
        for (int c = 0; c < 8; c++)
            records[i].name[c] = (uint8_t)('a' + (draw >> 3 * c & 3));
    }
}

static int by_key(const struct record *a, const struct record *b)
{
    return (a->key > b->key) - (a->key < b->key);
}

static int by_name(const struct record *a, const struct record *b)
{
    for (int c = 0; c < 8; c++)
        if (a->name[c] != b->name[c])
            return a->name[c] < b->name[c] ? -1 : 1;
    return 0;
}

typedef int comparison(const struct record *, const struct record *);

static void insertion_sort(struct record *first, uint32_t count, comparison *compare)
{
    for (uint32_t i = 1; i < count; i++) {
        struct record moving = first[i];
        uint32_t at = i;
        for (; at > 0 && compare(&moving, &first[at - 1]) < 0; at--)
            first[at] = first[at - 1];
        first[at] = moving;
    }
}

static void merge(struct record *first, uint32_t middle, uint32_t count, comparison *compare)
{
    uint32_t left = 0, right = middle, to = 0;
    for (uint32_t i = 0; i < middle; i++)
        scratch[i] = first[i];
    while (left < middle)
        first[to++] = right < count && compare(&first[right], &scratch[left]) < 0
                          ? first[right++] : scratch[left++];
}

static void sort(comparison *compare)
{
    for (uint32_t i = 0; i < COUNT; i += RUN)
        insertion_sort(records + i, RUN, compare);
    for (uint32_t width = RUN; width < COUNT; width *= 2)
        for (uint32_t i = 0; i < COUNT; i += 2 * width)
            merge(records + i, width, 2 * width, compare);
}

/* Equal records must have kept their order. */
static uint32_t checksum(comparison *compare)
{
    uint32_t sum = BENCH_BASIS;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i != 0 && compare(&records[i - 1], &records[i]) > 0)
            return 0;
        sum = bench_mix(sum, records[i].order);
    }
    return sum;
}

uint32_t bench_round(void)
{
    fill();
    sort(by_name);
    uint32_t sum = checksum(by_name);
    sort(by_key);
    return bench_mix(sum, checksum(by_key));
}

BENCH(42, UINT32_C(3327886922));
