/* Marks of whole pages of code, which come and go; parts of the profiler. */
#ifndef SIM_RUN_PROFILER_CHANGE_H
#define SIM_RUN_PROFILER_CHANGE_H

#include "sim/run/profiler/profiler_internal.h"

/* Marks instructions of one page, in order of address, whose page is at pa and has no marks; also
 * allowed between two instructions. */
enum err profiler_page_mark(struct profiler *profiler, const struct meta_mark *mark, size_t marks,
                            uint64_t pa, struct diag *diag);
/* The blocks of the page's lines, by their words in the translation table. */
void profiler_page_blocks(const struct profiler *profiler, uint64_t pa, uint64_t *block);
/* The page at pa, which has no marks, is another copy of the page with these blocks. */
enum err profiler_page_link(struct profiler *profiler, uint64_t va, uint64_t pa,
                            const uint64_t *block, struct diag *diag);
/* Removes all marks from the page; their counts are kept. */
void profiler_forget_page(struct profiler *profiler, uint64_t pa);

#endif
