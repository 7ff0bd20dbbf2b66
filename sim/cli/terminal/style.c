/* See style.h. */
#include "sim/cli/terminal/style.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/terminal/pager.h"

bool style_has_colour(FILE *out)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return (none == NULL || *none == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0 && pager_is_terminal(out);
}

struct style style_of(FILE *out)
{
    if (!style_has_colour(out))
        return (struct style){"", "", "", "", "", ""};
    return (struct style){.bold = "\033[1m", .good = "\033[32m", .bad = "\033[31m",
                          .word = "\033[33m", .dim = "\033[2m", .off = "\033[0m"};
}
