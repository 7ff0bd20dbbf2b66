/* Marks of whole pages, which come and go; parts of the profiler. */
#ifndef SIM_RUN_PROFILER_CHANGE_H
#define SIM_RUN_PROFILER_CHANGE_H

#include "sim/run/profiler/profiler_internal.h"

/* Marks instructions of one page, in order of address, whose page is at pa and has no marks; also
 * allowed between two instructions. */
enum err profiler_page_mark(struct profiler *profiler, const struct meta_mark *mark, size_t marks,
                            uint64_t pa, struct diag *diag);
/* The lines of a page, in the cache for code or data; and their blocks, by their words in the
 * translation table. */
size_t profiler_page_lines(const struct profiler *profiler, bool is_code);
void profiler_page_blocks(const struct profiler *profiler, uint64_t pa, bool is_code,
                          uint64_t *block);
/* The page at pa is another copy of the page with these blocks. */
enum err profiler_page_link(struct profiler *profiler, uint64_t va, uint64_t pa, bool is_code,
                            const uint64_t *block, struct diag *diag);
/* Removes all marks from the page, of code and data; their counts are kept. */
void profiler_forget_page(struct profiler *profiler, uint64_t pa);

/* ---- profiler_late.c: marks of libraries and other processes --------------------------------- */

/* Memory for the metadata of libraries. */
uint64_t profiler_late_plan(const struct profiler *profiler);
/* Sets the marks whose pages are already in memory. */
enum err profiler_late_attach(struct profiler *profiler, struct diag *diag);
void profiler_late_free(struct profiler *profiler);
/* The marks of the program itself are set: sets them in other processes, too, now and later. */
enum err profiler_late_own(struct profiler *profiler, struct diag *diag);
/* True if some of these marks are on data. */
bool profiler_late_has_data(const struct profiler *profiler);
/* The page at pa is one of the address `key` of its program: it gets the marks there. */
enum err profiler_late_link(struct profiler *profiler, uint64_t key, uint64_t pa,
                            struct diag *diag);

/* ---- profiler_follow.c: pages of processes --------------------------------------------------- */

/* True if there may be several processes (profiler_follow_memory). */
bool profiler_is_followed(const struct profiler *profiler);
/* Marks are about to be set: finds the processes and, if data are marked, asks the kernel to tell
 * of pages from now on. */
enum err profiler_follow_begin(struct profiler *profiler, struct diag *diag);
/* Data are marked: from now on the kernel calls profiler_page_came and profiler_page_freed. */
void profiler_follow_data(struct profiler *profiler);
/* profiler_translate of the first program; arg: the profiler. */
bool profiler_translate_followed(void *arg, uint64_t va, bool is_code, uint64_t *pa);
/* Sets the marks of the page at this key in all processes that have it. */
enum err profiler_follow_page(struct profiler *profiler, uint64_t key, struct diag *diag);

#endif
