/* The control file of a program: the tags it watches, and the extent of its reports (U6).
 *
 * {"schema": 1, "program": "...", "tags": [{"tag": "...", "threshold": "2ms", "report": "light",
 * "times": 10}]}. A threshold is a number with K, M or G (cycles) or ns, us, ms or s, "" for the
 * program's own; a report is "none", "light" or "full", and is made at most `times` times. The tag
 * "*" is for all other tags. As text for simple readers: a line TAG THRESHOLD REPORT TIMES for each
 * tag, with - for no threshold and %20 for blanks in the tag. */
#ifndef PROF_SERVE_STORE_CONTROL_H
#define PROF_SERVE_STORE_CONTROL_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "prof/serve/database/db.h"

struct control_tag { const char *tag, *threshold, *report; uint64_t times; };
struct control { cJSON *json; struct control_tag *tag; size_t tags; };

/* `text` is UTF-8 (body.h). control_free is due afterwards, also after an error. */
enum err control_read(struct control *control, const char *text, struct diag *diag);
void control_free(struct control *control);
/* Replaces the program's control file. */
enum err control_write(const struct control *control, struct db *db, const char *program);

/* The control file of a program, which may have no tags. */
cJSON *control_json(struct db *db, const char *program, enum err *err);
enum err control_text(struct db *db, const char *program, FILE *out);

#endif
