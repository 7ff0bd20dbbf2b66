/* The data of the page, which its script draws. Internal to prof/html. */
#ifndef PROF_HTML_PAGE_DATA_H
#define PROF_HTML_PAGE_DATA_H

#include <cjson/cJSON.h>

#include "prof/html/html.h"

/* The members that page.js reads; the caller frees *data. */
enum err page_data_make(cJSON **data, const struct report *report, struct sources *sources,
                        struct diag *diag);

/* In page_course.c: events over time, profilers compared with the truth. */
enum err page_add_course(cJSON *root, const struct profile *profile, struct diag *diag);
void page_add_schemes(cJSON *root, const struct profile *profile);

#endif
