/* Dates as users write them. */
#ifndef SIM_CLI_WORDS_DATE_H
#define SIM_CLI_WORDS_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 of a day from 1971 to 2500, YYYY-MM-DD, at 0:00 UTC, or of @SECONDS, from 1 to
 * UINT32_MAX. False: neither. */
bool date_parse(const char *text, uint64_t *seconds);

#endif
