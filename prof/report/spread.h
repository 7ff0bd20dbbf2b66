/* The distribution of numbers, by ranks. */
#ifndef PROF_REPORT_SPREAD_H
#define PROF_REPORT_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* pN: the smallest number that at least N percent of all are not above. 0 of no numbers. */
struct spread { uint64_t min, median, p90, p99, max; };

/* Sorts the numbers. */
struct spread spread_of(uint64_t *value, size_t count);

#endif
