/* See spread.h. */
#include "prof/report/spread.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint64_t rank(const uint64_t *value, size_t count, unsigned percent)
{
    return value[(count * percent + 99) / 100 - 1];
}

struct spread spread_of(uint64_t *value, size_t count)
{
    if (count == 0)
        return (struct spread){.min = 0};
    qsort(value, count, sizeof *value, compare);
    return (struct spread){
        .min = value[0], .median = rank(value, count, 50), .p90 = rank(value, count, 90),
        .p99 = rank(value, count, 99), .max = value[count - 1],
    };
}
