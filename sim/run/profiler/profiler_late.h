/* Marks on code that comes into memory while the program runs: of libraries, of executed programs,
 * and of the program itself where a process executes it again. */
#ifndef SIM_RUN_PROFILER_LATE_H
#define SIM_RUN_PROFILER_LATE_H

#include "sim/run/profiler/profiler.h"

/* Adds a part's marks (meta_read_late); those on absent pages wait for profiler_page. Sets the
 * range registers again. Both must outlive the profiler or the next profiler_replace. */
enum err profiler_add_late(struct profiler *profiler, const struct image *image,
                           const struct meta_part *part, struct diag *diag);
/* A file is mapped in a process at its addresses plus bias, plain being the bias within its program
 * (images.h): marks on data of another file at the same addresses are no longer set. */
void profiler_module_placed(struct profiler *profiler, const char *path, uint64_t bias,
                            uint64_t plain);
/* True if code with marks comes into memory later: profiler_page. */
bool profiler_has_late(const struct image *image, const struct image *kernel,
                       const struct meta *meta);
/* A page of code was read into memory, from the file at `path` with addresses plus `bias`; path
 * NULL: not from such a file. A fault becomes a warning of the metadata. */
void profiler_page(struct profiler *profiler, const char *path, uint64_t bias, uint64_t va,
                   uint64_t pa);

#endif
