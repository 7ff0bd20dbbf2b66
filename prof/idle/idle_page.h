/* The page of samples of idle harts for browsers (prof/html): the causes, and a flame graph. */
#ifndef PROF_IDLE_PAGE_H
#define PROF_IDLE_PAGE_H

#include <cjson/cJSON.h>

#include "prof/idle/idle_print.h"

/* Data for html_write_data. The widths of the graph are numbers of stacks; its outermost frames are
 * "to idle" and "from idle". word: the command line, from the program on. */
cJSON *idle_page(const struct idle_view *view, const char *const *word, size_t words);

#endif
