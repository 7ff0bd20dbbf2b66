/* The samples of a profile, a line each, in the style of `perf script`. */
#ifndef PROF_REPORT_SCRIPT_H
#define PROF_REPORT_SCRIPT_H

#include <stdio.h>

#include "prof/picture/picture.h"
#include "prof/profile/profile.h"
#include "prof/symbols/symbols.h"
#include "sim/base/err.h"

/* The fields of a line, in this order: SCRIPT_FIELD(id, "name"). */
enum script_field {
#define SCRIPT_FIELD(id, name, meaning) SCRIPT_##id,
#include "prof/report/script_field.def"
#undef SCRIPT_FIELD
    SCRIPT_FIELDS
};

/* "comm,ip"; NULL: all. *fields: a bit for each. */
enum err script_parse_fields(const char *list, unsigned *fields, struct diag *diag);
/* For nearest_name; state is an unsigned from 0. */
const char *script_next_field(void *state);

/* Samples that the monitor on the machine summed have neither hart nor time: their record is
 * printed once for each. An error if the profile has none. */
enum err script_print(const struct profile *profile, const struct symbols *symbols,
                      unsigned fields, FILE *out, struct diag *diag);
/* A document with an object for each sample (docs/profiling/record.md), and the picture if there is
 * one. */
enum err script_write_json(const struct profile *profile, const struct symbols *symbols,
                           const struct picture *picture, FILE *out, struct diag *diag);

#endif
