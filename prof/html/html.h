/* A profile as one page for browsers: summary, top-down tree, another run, the course of the run,
 * flame graph, routines and hot lines with their code, call graph, caches, marks, a pipeline
 * picture. Style, script and data are inside; the page loads nothing. */
#ifndef PROF_HTML_H
#define PROF_HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "prof/annotate/source.h"
#include "prof/report/report.h"
#include "sim/base/err.h"

/* Parts without measurements in the profile are left out. */
enum err html_write(const struct report *report, struct sources *sources, FILE *out,
                    struct diag *diag);
/* The page of other data than a profile's, with the members that page.js reads; data is freed. */
enum err html_write_data(cJSON *data, FILE *out, struct diag *diag);
/* Into the array "summary" of such data: a word or number, and what it is. */
void html_add_card(cJSON *summary, const char *name, const char *value);
void html_add_count(cJSON *summary, const char *name, uint64_t value);
/* The member "command": these words, the first one without its folder. */
void html_add_command(cJSON *data, const char *const *word, size_t words);

#endif
