/* See date.h. */
#include "sim/cli/words/date.h"

#include <stdio.h>

#include "sim/cli/words/options.h"

/* Days since 1970 of a day of the Gregorian calendar. */
static int64_t day_number(int64_t year, int64_t month, int64_t day)
{
    int64_t from_march = month > 2 ? month - 3 : month + 9;

    year -= month <= 2;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * from_march + 2) / 5 + day - 1 -
           719468;
}

/* False: no such day, or none from 1971 to 2500. */
static bool is_day(const char *text, int64_t *days)
{
    unsigned year, month, day;
    int end = 0;

    if (sscanf(text, "%4u-%2u-%2u%n", &year, &month, &day, &end) != 3 || text[end] != '\0' ||
        year < 1971 || year > 2500 || month < 1 || month > 12 || day < 1)
        return false;
    *days = day_number(year, month, day);
    return *days < (month == 12 ? day_number(year + 1, 1, 1) : day_number(year, month + 1, 1));
}

bool date_parse(const char *text, uint64_t *seconds)
{
    enum { DAY_SECONDS = 86400 };
    int64_t days;

    if (is_day(text, &days)) {
        *seconds = (uint64_t)days * DAY_SECONDS;
        return true;
    }
    return text[0] == '@' && options_number(text + 1, seconds) && *seconds != 0 &&
           *seconds <= UINT32_MAX;
}
