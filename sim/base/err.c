/* See err.h. Nearest name: optimal string alignment (Damerau, "A technique for computer detection
 * and correction of spelling errors", CACM 1964), upper and lower case being equal. */
#include "sim/base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 96 };     /* nobody misspells longer names by hand */

enum err diag_set(struct diag *diag, enum err err, const char *format, ...)
{
    if (diag == NULL)
        return err;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diag->text, sizeof diag->text, format, arguments);
    va_end(arguments);
    return err;
}

enum err diag_no_memory(struct diag *diag, const char *what)
{
    return diag_set(diag, ERR_NO_MEMORY, "out of memory%s%s", what != NULL ? " for " : "",
                    what != NULL ? what : "");
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into
 * `b`. */
static unsigned distance(const char *a, unsigned a_length, const char *b, unsigned b_length)
{
    unsigned rows[3][NAME_MAX_LENGTH + 1];
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned changed = above[j - 1] + !is_same(a[i - 1], b[j - 1]);
            row[j] = least(changed, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *nearest_name(const char *name, const char *(*next)(void *state), void *state)
{
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX_LENGTH)
        return NULL;
    unsigned limit = ((unsigned)length + 2) / 3;    /* one letter in three may be wrong */
    const char *best = NULL, *candidate;
    while ((candidate = next(state)) != NULL) {
        size_t other = strlen(candidate);
        if (other > NAME_MAX_LENGTH || other + limit < length || length + limit < other)
            continue;
        unsigned found = distance(name, (unsigned)length, candidate, (unsigned)other);
        if (found > limit || found >= length)       /* found >= length: no letter in common */
            continue;
        best = candidate;
        if (found == 0)
            break;
        limit = found - 1;
    }
    return best;
}

enum err diag_suggest(struct diag *diag, enum err err, const char *name,
                      const char *(*next)(void *state), void *state)
{
    const char *near = nearest_name(name, next, state);
    if (diag == NULL || near == NULL)
        return err;
    size_t used = strlen(diag->text);
    snprintf(diag->text + used, sizeof diag->text - used, "; did you mean %s?", near);
    return err;
}
