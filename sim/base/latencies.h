/* The latency thresholds of pmu.latency, a list of three numbers of cycles. */
#ifndef SIM_BASE_LATENCIES_H
#define SIM_BASE_LATENCIES_H

#include <stdbool.h>
#include <stdint.h>

enum { LATENCIES = 3 };

/* False if the text is not three 32-bit numbers separated by blanks; the array is then
 * undefined. */
bool latencies_read(const char *text, uint64_t latency[LATENCIES]);

#endif
