/* Binary search in sorted rows. */
#ifndef PMU_SORTED_H
#define PMU_SORTED_H

#include <stdbool.h>
#include <stddef.h>

/* True if the row comes before the wanted place. */
typedef bool sorted_is_before(const void *row, const void *wanted);

/* The index of the first row for which is_before is false, or `count`. The rows must be sorted: all
 * rows before the place come first. */
static inline size_t sorted_place(const void *rows, size_t count, size_t row_bytes,
                                  sorted_is_before *is_before, const void *wanted)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_before((const char *)rows + middle * row_bytes, wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
