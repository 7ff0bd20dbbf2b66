/* A profile as one page for browsers: summary, top-down tree, flame graph, routines and hot lines
 * with their code, call graph, caches. Style, script and data are inside, and nothing is loaded. */
#ifndef PROF_HTML_H
#define PROF_HTML_H

#include <stdio.h>

#include "prof/profile.h"
#include "prof/source.h"
#include "prof/symbols.h"
#include "sim/base/err.h"

/* Parts that the profile has no measurements for are left out. */
enum err html_write(const struct profile *profile, const struct symbols *symbols,
                    struct sources *sources, FILE *out, struct diag *diag);

#endif
