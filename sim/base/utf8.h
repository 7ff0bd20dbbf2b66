/* UTF-8 (RFC 3629). Names of symbols, files and threads are bytes that anybody may have chosen;
 * what rvsim writes is text, also for readers that refuse anything else. */
#ifndef SIM_BASE_UTF8_H
#define SIM_BASE_UTF8_H

#include <stddef.h>

/* The length of the character at `at`, which is before `end`; 0: the bytes are none. A zero is
 * one. */
size_t utf8_length(const char *at, const char *end);
/* Replaces bytes that are not UTF-8 by question marks. */
void utf8_mend(char *text);
/* The same, and control characters, which would break lines or reach a terminal. */
void utf8_clean(char *text);

#endif
