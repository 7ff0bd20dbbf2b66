/* A profile as one page for browsers: summary, top-down tree, another run, the course of the run,
 * flame graph, routines and hot lines with their code, call graph, caches, marks, a pipeline
 * picture. Style, script and data are inside; the page loads nothing. */
#ifndef PROF_HTML_H
#define PROF_HTML_H

#include <stdio.h>

#include "prof/annotate/source.h"
#include "prof/report/report.h"
#include "sim/base/err.h"

/* Parts without measurements in the profile are left out. */
enum err html_write(const struct report *report, struct sources *sources, FILE *out,
                    struct diag *diag);

#endif
