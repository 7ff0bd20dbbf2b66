/* Reading comma-separated values, a line at a time (RFC 4180 without line ends inside quotes), and
 * writing a field.
 *
 * Blanks around a field are ignored; a field in double quotes may contain commas and doubled
 * quotes. Empty lines and lines that start with # are skipped. */
#ifndef PROF_RECORDS_CSV_H
#define PROF_RECORDS_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/base/err.h"

enum { CSV_FIELDS = 8 };

struct csv {
    const char *path;               /* "-" for standard input */
    FILE *in;
    unsigned line;                  /* number of the last line read, from 1 */
    unsigned fields;
    char *field[CSV_FIELDS];        /* valid until the next line */
    char *text;
    size_t room;
};

enum err csv_open(struct csv *csv, const char *path, struct diag *diag);
void csv_close(struct csv *csv);
/* The next line with fields; *more is false at the end of the file. */
enum err csv_next(struct csv *csv, bool *more, struct diag *diag);
/* "FILE:LINE: expected WHAT, found FIELD"; of a field the beginning, without control characters. */
enum err csv_expected(const struct csv *csv, const char *what, const char *field,
                      struct diag *diag);
/* For a file that has ended before its first line: "FILE: has no line; expected WHAT". */
enum err csv_expected_lines(const struct csv *csv, const char *what, struct diag *diag);
/* A whole number without sign. */
bool csv_number(const char *field, uint64_t *value);

/* Writes a field, quoted if necessary, as for names of C++. */
void csv_put(FILE *out, const char *text);

#endif
