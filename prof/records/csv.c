/* See csv.h. */
#define _POSIX_C_SOURCE 200809L

#include "prof/records/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CSV_SHOWN = 60, DELETE = 127 };

enum err csv_open(struct csv *csv, const char *path, struct diag *diag)
{
    struct stat found;

    *csv = (struct csv){.path = path};
    csv->in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (csv->in == NULL)
        return diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
    if (fstat(fileno(csv->in), &found) == 0 && S_ISDIR(found.st_mode)) {
        csv_close(csv);
        return diag_set(diag, ERR_IO, "%s: %s", path, strerror(EISDIR));
    }
    return ERR_OK;
}

void csv_close(struct csv *csv)
{
    if (csv->in != NULL && csv->in != stdin)
        fclose(csv->in);
    free(csv->text);
}

/* A file of another kind has bytes that would reach the terminal. UTF-8 is shown. */
static bool is_printable(char c)
{
    return (unsigned char)c >= ' ' && c != DELETE;
}

enum err csv_expected(const struct csv *csv, const char *what, const char *field,
                      struct diag *diag)
{
    char shown[CSV_SHOWN + 1];
    size_t length = 0;

    for (; length < CSV_SHOWN && field[length] != '\0'; length++)
        shown[length] = is_printable(field[length]) ? field[length] : '?';
    shown[length] = '\0';
    return diag_set(diag, ERR_USAGE, "%s:%u: expected %s, found '%s'", csv->path, csv->line,
                    what, shown);
}

enum err csv_expected_lines(const struct csv *csv, const char *what, struct diag *diag)
{
    return diag_set(diag, ERR_USAGE, "%s: has no line; expected %s", csv->path, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char *skip_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Removes the quotes of a field in place. Returns the text after it, or NULL if the quotes are not
 * closed. */
static char *unquote(char *from)
{
    char *to = from;

    for (from++; *from != '\0'; *to++ = *from++)
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return skip_blanks(from);
        }
    return NULL;
}

static void trim(char *field, char *end)
{
    while (end > field && is_blank(end[-1]))
        *--end = '\0';
}

static enum err split(struct csv *csv, char *at, struct diag *diag)
{
    bool more = true;

    for (csv->fields = 0; more; at++) {
        char *field = skip_blanks(at);
        bool is_quoted = *field == '"';

        if (csv->fields == CSV_FIELDS)
            return diag_set(diag, ERR_USAGE, "%s:%u: expected at most %d fields", csv->path,
                            csv->line, CSV_FIELDS);
        at = is_quoted ? unquote(field) : field + strcspn(field, ",");
        if (at == NULL || (*at != ',' && *at != '\0'))
            return diag_set(diag, ERR_USAGE, "%s:%u: expected a quote at the end of a field",
                            csv->path, csv->line);
        more = *at == ',';
        *at = '\0';
        if (!is_quoted)
            trim(field, at);
        csv->field[csv->fields++] = field;
    }
    return ERR_OK;
}

enum err csv_next(struct csv *csv, bool *more, struct diag *diag)
{
    ssize_t length;

    errno = 0;
    while ((length = getline(&csv->text, &csv->room, csv->in)) >= 0) {
        char *at = skip_blanks(csv->text);

        csv->line++;
        if (strlen(csv->text) != (size_t)length)
            return diag_set(diag, ERR_USAGE, "%s:%u: expected text", csv->path, csv->line);
        if (*at == '\0' || *at == '#')
            continue;
        *more = true;
        return split(csv, at, diag);
    }
    *more = false;
    if (ferror(csv->in))
        return diag_set(diag, ERR_IO, "%s: %s", csv->path, strerror(errno));
    return ERR_OK;
}

bool csv_number(const char *field, uint64_t *value)
{
    *value = 0;
    if (*field == '\0')
        return false;
    for (; *field != '\0'; field++) {
        unsigned digit = (unsigned)(*field - '0');

        if (digit > 9 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

void csv_put(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
