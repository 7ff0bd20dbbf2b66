/* See style.h. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/terminal/style.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/terminal/pager.h"

#define NONE "NO_COLOR"
#define FORCED "CLICOLOR_FORCE"

bool style_choose(const char *word)
{
    bool is_always = strcmp(word, "always") == 0, is_never = strcmp(word, "never") == 0;

    if (!is_always && !is_never && strcmp(word, "auto") != 0)
        return false;
    if (is_always)
        unsetenv(NONE);
    if (is_always || is_never)
        setenv(is_always ? FORCED : NONE, "1", 1);
    return true;
}

bool style_has_colour(FILE *out)
{
    const char *none = getenv(NONE), *forced = getenv(FORCED), *terminal = getenv("TERM");

    if (none != NULL && *none != '\0')
        return false;
    if (forced != NULL && *forced != '\0' && strcmp(forced, "0") != 0)
        return true;
    return terminal != NULL && strcmp(terminal, "dumb") != 0 && pager_is_terminal(out);
}

struct style style_of(FILE *out)
{
    if (!style_has_colour(out))
        return (struct style){"", "", "", "", "", ""};
    return (struct style){.bold = "\033[1m", .good = "\033[32m", .bad = "\033[31m",
                          .word = "\033[33m", .dim = "\033[2m", .off = "\033[0m"};
}
